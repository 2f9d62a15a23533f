/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sources that are ready when somebody says, over and over. */

#pragma once

#include <glib.h>

/* Calls @function once for each g_source_set_ready_time (), when it is time. @name is kept.
 * Returns: (transfer full) */
GSource *asb_timer_new (const char *name, GSourceFunc function, gpointer data,
                        GDestroyNotify destroy);

/* Destroys and drops the source of a field (nullable), whatever its kind. */
void asb_source_clear (GSource **source);
