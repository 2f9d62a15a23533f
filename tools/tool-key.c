/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-key.h"

#include <asb.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool-input.h"
#include "tool-terminal.h"
#include "tool-text.h"

/* Longer than any key, and no whole file that was named by mistake. */
#define MAX_KEY 4096

static gboolean
is_key (const char *text)
{
  for (; *text != '\0'; text++)
    if (!g_ascii_isgraph (*text))
      return FALSE;
  return TRUE;
}

/* What was read is never quoted: it may be half of a key. */
static char *
read_key (int fd, const char *what, const char *source, GCancellable *cancellable, GError **error)
{
  char line[MAX_KEY + 1] = { 0 };
  const gssize length = tool_input_read_line (fd, line, MAX_KEY + 1, cancellable, error);
  const char *fault = NULL;

  if (length < 0)
    {
      g_prefix_error (error, "Could not read the %s from %s: ", what, source);
      return NULL;
    }
  if (length > MAX_KEY)
    fault = "is longer than any";
  else if (memchr (line, '\0', (gsize)length) || !is_key (g_strstrip (line)))
    fault = "has blanks, control characters or letters beyond ASCII, so it is no";
  else if (*line == '\0')
    fault = "is empty, so it is no";
  if (!fault)
    return g_strdup (line);
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "The first line of %s %s %s", source,
               fault, what);
  return NULL;
}

char *
tool_key_read_file (const char *path, const char *what, GError **error)
{
  g_autofree char *shown = g_filename_display_name (path);
  g_autofree char *source = g_strdup_printf ("“%s”", shown);
  const int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  const int code = errno;
  char *key;

  if (fd < 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code),
                   "Could not read the %s from %s: %s", what, source, g_strerror (code));
      return NULL;
    }
  key = read_key (fd, what, source, NULL, error);
  close (fd);
  return key;
}

char *
tool_key_read_input (const char *prompt, GCancellable *cancellable, GError **error)
{
  const gboolean asks = tool_text_is_terminal (STDIN_FILENO);
  char *key;

  if (asks)
    tool_terminal_ask_hidden (prompt);
  key = read_key (STDIN_FILENO, "key", "standard input", cancellable, error);
  if (asks)
    {
      tool_terminal_leave ();
      fputc ('\n', stderr);
    }
  return key;
}
