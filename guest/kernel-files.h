/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <stdbool.h>

/* Whether @fd is in a file system that shows what the kernel knows instead of files. */
bool is_kernel_files (int fd);
