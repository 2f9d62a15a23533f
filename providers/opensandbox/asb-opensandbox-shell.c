/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-shell.h"

#include <string.h>

#define MAX_PATH_SHOWN 256

static void
append_quoted (GString *script, const char *text, gsize size)
{
  g_string_append_c (script, '\'');
  for (gsize i = 0; i < size; i++)
    if (text[i] == '\'')
      g_string_append (script, "'\\''");
    else
      g_string_append_c (script, text[i]);
  g_string_append_c (script, '\'');
}

/* What printf prints; the ends of lines behind it would be lost. */
static void
append_printed (GString *script, const char *bytes, gsize size)
{
  g_string_append (script, "\"$(printf '");
  for (gsize i = 0; i < size; i++)
    if (g_ascii_isalnum (bytes[i]) || bytes[i] == '/' || bytes[i] == '.')
      g_string_append_c (script, bytes[i]);
    else
      g_string_append_printf (script, "\\%03o", (guchar)bytes[i]);
  g_string_append (script, "')\"");
}

void
asb_opensandbox_shell_append_word (GString *script, const char *bytes)
{
  gsize size = strlen (bytes);
  gsize end = size;

  if (g_utf8_validate (bytes, -1, NULL))
    {
      append_quoted (script, bytes, size);
      return;
    }
  while (end > 0 && bytes[end - 1] == '\n')
    end--;
  append_printed (script, bytes, end);
  if (end < size)
    append_quoted (script, bytes + end, size - end);
}

void
asb_opensandbox_shell_append_arguments (GString *script, const char *const *words)
{
  g_string_append (script, "set --");
  for (gsize i = 0; words[i]; i++)
    {
      g_string_append_c (script, ' ');
      asb_opensandbox_shell_append_word (script, words[i]);
    }
  g_string_append_c (script, '\n');
}

gboolean
asb_opensandbox_shell_is_name (const char *text)
{
  if (!g_ascii_isalpha (*text) && *text != '_')
    return FALSE;
  while (g_ascii_isalnum (*text) || *text == '_')
    text++;
  return *text == '\0';
}

char *
asb_opensandbox_shell_new_token (void)
{
  g_autofree char *uuid = g_uuid_string_random ();
  g_auto (GStrv) parts = g_strsplit (uuid, "-", -1);

  return g_strjoinv ("", parts);
}

gboolean
asb_opensandbox_shell_is_plain_path (const char *path)
{
  for (const char *at = path; *at; at++)
    if (g_ascii_iscntrl (*at) || *at == '$' || *at == '~')
      return FALSE;
  return path[0] == '/' && g_utf8_validate (path, -1, NULL);
}

char *
asb_opensandbox_shell_show_path (const char *path)
{
  return g_utf8_make_valid (path, (gssize)MIN (strlen (path), MAX_PATH_SHOWN));
}
