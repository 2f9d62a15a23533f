/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What stands in for iconv, which libarchive calls for the names in archives: it turns bytes into
 * themselves … */

#pragma once

#include <stdbool.h>

/* … or refuses those that are not ASCII. */
extern bool no_iconv_refuses;
