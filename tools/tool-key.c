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

typedef gboolean (*IsOne) (const char *text);

static gboolean
is_key (const char *text)
{
  for (; *text != '\0'; text++)
    if (!g_ascii_isgraph (*text))
      return FALSE;
  return TRUE;
}

/* A password may be anything that is typed. */
static gboolean
is_login (const char *text)
{
  if (!g_utf8_validate (text, -1, NULL))
    return FALSE;
  for (; *text != '\0'; text = g_utf8_next_char (text))
    if (g_unichar_iscntrl (g_utf8_get_char (text)))
      return FALSE;
  return TRUE;
}

/* What was read is never quoted: it may be half of a key. */
static char *
read_key (int fd, IsOne is_one, const char *what, const char *source, GCancellable *cancellable,
          GError **error)
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
  else if (memchr (line, '\0', (gsize)length) || !is_one (g_strstrip (line)))
    fault = is_one == is_key ? "has blanks, control characters or letters beyond ASCII, so it is no"
                             : "has control characters or is not UTF-8, so it is no";
  else if (*line == '\0')
    fault = "is empty, so it is no";
  if (!fault)
    return g_strdup (line);
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "The first line of %s %s %s", source,
               fault, what);
  return NULL;
}

static char *
read_file (const char *path, IsOne is_one, const char *what, GError **error)
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
  key = read_key (fd, is_one, what, source, NULL, error);
  close (fd);
  return key;
}

char *
tool_key_read_file (const char *path, const char *what, GError **error)
{
  return read_file (path, is_key, what, error);
}

char *
tool_key_read_login (const char *path, GError **error)
{
  return read_file (path, is_login, "login", error);
}

char *
tool_key_read_input (const char *prompt, GCancellable *cancellable, GError **error)
{
  const gboolean asks = tool_text_is_terminal (STDIN_FILENO);
  char *key;

  if (asks)
    tool_terminal_ask_hidden (prompt);
  key = read_key (STDIN_FILENO, is_key, "key", "standard input", cancellable, error);
  if (asks)
    {
      tool_terminal_leave ();
      fputc ('\n', stderr);
    }
  return key;
}
