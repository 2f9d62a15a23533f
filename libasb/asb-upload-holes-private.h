/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the bytes of a file are, so that its holes need not travel. */

#pragma once

#include <sys/stat.h>

#include "asb-tar-writer-private.h"

/* Returns: (transfer full): of AsbTarPiece, in their order; the last one ends where the file does.
 * One without holes is one piece. */
GArray *asb_upload_holes_find (int fd, const struct stat *status);
