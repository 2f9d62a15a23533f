/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-timer-private.h"

static gboolean
timer_dispatch (GSource *source, GSourceFunc callback, gpointer user_data)
{
  g_source_set_ready_time (source, -1);
  return callback (user_data);
}

static GSourceFuncs timer_funcs = { .dispatch = timer_dispatch };

GSource *
asb_timer_new (const char *name, GSourceFunc function, gpointer data, GDestroyNotify destroy)
{
  GSource *source = g_source_new (&timer_funcs, sizeof (GSource));

  g_source_set_static_name (source, name);
  g_source_set_callback (source, function, data, destroy);
  return source;
}

void
asb_source_clear (GSource **source)
{
  if (!*source)
    return;
  g_source_destroy (*source);
  g_clear_pointer (source, g_source_unref);
}
