/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-question.h"

#include <stdio.h>

#include "tool-input.h"

#define MAX_ANSWER 80

gboolean
tool_question_ask (Tool *tool, const char *question, gboolean *yes, GError **error)
{
  char answer[MAX_ANSWER] = "";

  fprintf (stderr, "%s [y/N] ", question);
  if (!tool_input_wait (tool->cancellable, error))
    {
      fputc ('\n', stderr);
      return FALSE;
    }
  if (!fgets (answer, sizeof answer, stdin))
    fputc ('\n', stderr);
  g_strstrip (answer);
  *yes = g_ascii_strcasecmp (answer, "y") == 0 || g_ascii_strcasecmp (answer, "yes") == 0;
  return TRUE;
}
