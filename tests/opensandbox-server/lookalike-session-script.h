/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The script a run of a session is wrapped in, and what it leaves at its end. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  GHashTable *variables; /* name -> value, found at the end; NULL when there were none */
  char *folder;
  gboolean in_dump;
  gboolean has_exit_code;
  int exit_code;
} LookalikeSessionEnd;

char *lookalike_session_script (GHashTable *variables, const char *folder, const char *command);

/* FALSE: the line belongs to the output. */
gboolean lookalike_session_end_take (LookalikeSessionEnd *end, const char *line);
void lookalike_session_end_clear (LookalikeSessionEnd *end);

G_END_DECLS
