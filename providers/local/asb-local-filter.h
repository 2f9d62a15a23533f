/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which system calls programs may make in the sandbox. It takes libseccomp about as long to say as
 * all the rest of starting a sandbox takes us, so it is said when we are built, where that can be.
 */

#pragma once

#include <glib.h>

/* A filter for the kernel. @writes_through: a folder of the host is written to. Returns: NULL if
 * there is no memory. */
GBytes *asb_local_filter_make (gboolean writes_through);
