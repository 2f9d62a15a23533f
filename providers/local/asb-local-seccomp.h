/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The filter of system calls that everything in a sandbox runs under. README.md lists what it
 * refuses. */

#pragma once

#include <glib.h>

/* A file in memory with the filter, as bubblewrap reads it, to be read from its start: -1 on
 * failure. The filter itself is made once. */
int asb_local_seccomp_open (GError **error);
