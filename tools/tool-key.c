/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-key.h"

#include <asb.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "tool-input.h"
#include "tool-text.h"

/* Longer than any key, and no whole file that was named by mistake. */
#define MAX_KEY 4096

/* Reads to the end of the first line. Returns: its length, or -1 with errno set */
static gssize
read_line (int fd, char *line, gsize size)
{
  gsize length = 0;

  while (length < size)
    {
      const gssize n = read (fd, line + length, 1);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return -1;
      if (n == 0 || line[length] == '\n')
        break;
      length++;
    }
  return (gssize)length;
}

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
read_key (int fd, const char *what, const char *source, GError **error)
{
  char line[MAX_KEY + 1] = { 0 };
  const gssize length = read_line (fd, line, MAX_KEY + 1);
  const int code = errno;
  const char *fault = NULL;

  if (length < 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code),
                   "Could not read the %s from %s: %s", what, source, g_strerror (code));
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
  key = read_key (fd, what, source, error);
  close (fd);
  return key;
}

static void
set_echo (gboolean on)
{
  struct termios settings;

  if (tcgetattr (STDIN_FILENO, &settings) != 0)
    return;
  if (on)
    settings.c_lflag |= ECHO;
  else
    settings.c_lflag &= ~(tcflag_t)ECHO;
  tcsetattr (STDIN_FILENO, TCSAFLUSH, &settings);
}

/* The prompt comes last: who reads it may type. */
static char *
read_at_terminal (const char *prompt, GCancellable *cancellable, GError **error)
{
  char *key = NULL;

  set_echo (FALSE);
  fputs (prompt, stderr);
  if (tool_input_wait (cancellable, error))
    key = read_key (STDIN_FILENO, "key", "standard input", error);
  set_echo (TRUE);
  fputc ('\n', stderr);
  return key;
}

char *
tool_key_read_input (const char *prompt, GCancellable *cancellable, GError **error)
{
  return tool_text_is_terminal (STDIN_FILENO)
             ? read_at_terminal (prompt, cancellable, error)
             : read_key (STDIN_FILENO, "key", "standard input", error);
}
