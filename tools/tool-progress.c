/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-progress.h"

#include <stdio.h>
#include <unistd.h>

#include "tool-text.h"

#define MAX_NAME 32

static char *
dup_line (const ToolProgress *self)
{
  const double seconds = (double)(g_get_monotonic_time () - self->began_at) / G_USEC_PER_SEC;
  const guint64 bytes = __atomic_load_n (&self->count, __ATOMIC_RELAXED);
  g_autofree char *name = tool_text_dup_printable (self->name, -1);
  g_autofree char *cut = tool_text_dup_cut (name, MAX_NAME);
  g_autofree char *count = tool_text_dup_size (bytes);
  g_autofree char *total = tool_text_dup_size (self->total);
  g_autofree char *rate = tool_text_dup_size ((guint64)(bytes / seconds));

  if (self->total == 0)
    return g_strdup_printf ("%s: %s, %s/s", cut, count, rate);
  /* Of a file that grows more may come than there was. */
  return g_strdup_printf ("%s: %s of %s, %d %%, %s/s", cut, count, total,
                          (int)MIN (100.0 * bytes / self->total, 100), rate);
}

/* Blanks do on every terminal what only some have a sequence for. */
static void
clear (ToolProgress *self)
{
  if (self->shown > 0)
    fprintf (stderr, "\r%*s\r", (int)self->shown, "");
  self->shown = 0;
}

/* In the background the terminal is somebody else's. */
static gboolean
is_in_foreground (void)
{
  const pid_t group = tcgetpgrp (STDERR_FILENO);

  return group < 0 || group == getpgrp ();
}

/* The last column stays free: a line that reaches it may go on in the next one. */
static gboolean
show_cb (gpointer user_data)
{
  ToolProgress *self = user_data;
  const guint columns = tool_text_get_columns (STDERR_FILENO);
  g_autofree char *line = dup_line (self);
  g_autofree char *cut = tool_text_dup_cut (line, columns > 0 ? columns - 1 : 0);

  if (!is_in_foreground ())
    return G_SOURCE_CONTINUE;
  /* In a window that is narrower now more would begin a new line each time. */
  self->shown = MIN (self->shown, columns > 0 ? columns - 1 : 0);
  clear (self);
  fputs (cut, stderr);
  fflush (stderr);
  self->shown = tool_text_get_width (cut);
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
  if (is_in_foreground ())
    clear (self);
}
