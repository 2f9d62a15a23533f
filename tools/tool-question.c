/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-question.h"

#include <stdio.h>
#include <unistd.h>

#include "tool-input.h"

#define MAX_ANSWER 80

gboolean
tool_question_ask (Tool *tool, const char *question, gboolean *yes, GError **error)
{
  char answer[MAX_ANSWER + 1] = "";
  gssize length;

  fprintf (stderr, "%s [y/N] ", question);
  length = tool_input_read_line (STDIN_FILENO, answer, MAX_ANSWER, tool->cancellable, error);
  if (length <= 0)
    fputc ('\n', stderr);
  if (length < 0)
    return FALSE;
  g_strstrip (answer);
  *yes = g_ascii_strcasecmp (answer, "y") == 0 || g_ascii_strcasecmp (answer, "yes") == 0;
  return TRUE;
}
