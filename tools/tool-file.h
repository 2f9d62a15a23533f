/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <asb.h>

/* Prints an array of what is known of files. Returns: the exit status */
int tool_files_print_json (GListModel *infos);
