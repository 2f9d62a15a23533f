/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How far a long transfer is, on a terminal. */

#pragma once

#include <gio/gio.h>

typedef struct
{
  guint64 count; /* bytes so far: for the transfer to keep up to date, also from a thread */
  guint64 total; /* 0: not known */
  const char *name;
  gint64 began_at;
  guint timer;
  guint shown; /* columns of the terminal */
} ToolProgress;

/* Shows nothing for the first second. @name must stay. */
void tool_progress_begin (ToolProgress *self, const char *name, guint64 total);
/* Takes away what was shown. */
void tool_progress_end (ToolProgress *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolProgress, tool_progress_end)
