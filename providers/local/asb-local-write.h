/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns: FALSE with errno set when not all of it could be written. */
gboolean asb_local_write_all (int fd, const void *content, gsize size);

G_END_DECLS
