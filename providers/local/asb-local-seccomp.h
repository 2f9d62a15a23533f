/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The filter of system calls that everything in a sandbox runs under. README.md lists what it
 * refuses. */

#pragma once

#include <glib.h>

/* A file in memory with the filter, as bubblewrap reads it, to be read from its start: -1 on
 * failure. The filter itself is made once. @writes_through: there are folders of the host that can
 * be written to, so that no file may be made to run as its owner. */
int asb_local_seccomp_open (gboolean writes_through, GError **error);
