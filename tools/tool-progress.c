/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-progress.h"

#include <stdio.h>
#include <unistd.h>

#include "tool-text.h"

static gboolean
show_cb (gpointer user_data)
{
  ToolProgress *self = user_data;
  const double seconds = (double)(g_get_monotonic_time () - self->began_at) / G_USEC_PER_SEC;
  g_autofree char *name = tool_text_dup_printable (self->name, -1);
  g_autofree char *cut = tool_text_dup_cut (name, 32);
  const guint64 bytes = __atomic_load_n (&self->count, __ATOMIC_RELAXED);
  g_autofree char *count = tool_text_dup_size (bytes);
  g_autofree char *rate = tool_text_dup_size ((guint64)(bytes / seconds));

  fprintf (stderr, "\r%s: %s", cut, count);
  if (self->total > 0)
    {
      g_autofree char *total = tool_text_dup_size (self->total);

      fprintf (stderr, " of %s, %d %%", total, (int)(100.0 * bytes / self->total));
    }
  fprintf (stderr, ", %s/s\033[K", rate);
  fflush (stderr);
  self->shown = TRUE;
  return G_SOURCE_CONTINUE;
}

void
tool_progress_begin (ToolProgress *self, const char *name, guint64 total)
{
  self->name = name;
  self->total = total;
  self->began_at = g_get_monotonic_time ();
  if (tool_text_is_terminal (STDERR_FILENO))
    self->timer = g_timeout_add_seconds (1, show_cb, self);
}

void
tool_progress_end (ToolProgress *self)
{
  g_clear_handle_id (&self->timer, g_source_remove);
  if (self->shown)
    fprintf (stderr, "\r\033[K");
  self->shown = FALSE;
}
