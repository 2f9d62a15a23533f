/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-workdir.h"

#include <asb.h>
#include <string.h>

#define USUAL "/workspace"
/* What labels begin with, which must be a letter. */
#define FIRST "root"
#define NEXT "more"
#define PREFIX_BYTES 4
#define MAX_VALUE_BYTES 63

static char *
dup_key (guint number)
{
  return number == 1 ? g_strdup (ASB_OPENSANDBOX_LABEL_WORKDIR)
                     : g_strdup_printf (ASB_OPENSANDBOX_LABEL_WORKDIR "-%u", number);
}

/* Letters and digits stand for themselves, and so does “-” between two of them; “.” is the slash,
 * and “_XX” any other byte. */
static void
append_segment (GString *text, const char *segment)
{
  g_string_append_c (text, '.');
  for (const char *at = segment; *at; at++)
    if (g_ascii_isalnum (*at)
        || (*at == '-' && at > segment && g_ascii_isalnum (at[-1]) && g_ascii_isalnum (at[1])))
      g_string_append_c (text, *at);
    else
      g_string_append_printf (text, "_%02X", (guint)(guchar)*at);
}

/* Returns: (nullable): the text for a path; none that leads upwards has one */
static char *
encode (const char *path)
{
  g_auto (GStrv) segments = g_strsplit (path, "/", -1);
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; segments[i]; i++)
    if (g_str_equal (segments[i], ".."))
      return NULL;
    else if (*segments[i] && !g_str_equal (segments[i], "."))
      append_segment (text, segments[i]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
decode (const char *text)
{
  g_autoptr (GString) path = g_string_new (NULL);
  g_autofree char *again = NULL;

  for (const char *at = text; *at; at++)
    if (*at == '.')
      g_string_append_c (path, '/');
    else if (*at != '_')
      g_string_append_c (path, *at);
    else if (g_ascii_isxdigit (at[1]) && g_ascii_isxdigit (at[2]))
      {
        g_string_append_c (
            path, (char)(g_ascii_xdigit_value (at[1]) * 16 + g_ascii_xdigit_value (at[2])));
        at += 2;
      }
    else
      return NULL;
  if (path->len == 0)
    g_string_append_c (path, '/');
  /* There is but one way to write one. */
  again = strlen (path->str) == path->len ? encode (path->str) : NULL;
  return g_strcmp0 (again, text) == 0 ? g_string_free (g_steal_pointer (&path), FALSE) : NULL;
}

/* Labels end with a letter or digit. */
static gsize
measure_part (const char *text)
{
  gsize length = strlen (text);

  if (length <= MAX_VALUE_BYTES - PREFIX_BYTES)
    return length;
  length = MAX_VALUE_BYTES - PREFIX_BYTES;
  while (!g_ascii_isalnum (text[length - 1]))
    length--;
  return length;
}

static void
insert (GHashTable *metadata, const char *text)
{
  guint number = 1;

  do
    {
      const gsize length = measure_part (text);

      g_hash_table_insert (
          metadata, dup_key (number),
          g_strdup_printf ("%s%.*s", number == 1 ? FIRST : NEXT, (int)length, text));
      text += length;
      number++;
    }
  while (*text);
}

char *
asb_opensandbox_workdir_dup (GHashTable *metadata)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint number = 1; metadata; number++)
    {
      g_autofree char *key = dup_key (number);
      const char *part = g_hash_table_lookup (metadata, key);

      if (!part && number > 1)
        return decode (text->str);
      if (!part || !g_str_has_prefix (part, number == 1 ? FIRST : NEXT))
        return NULL;
      g_string_append (text, part + PREFIX_BYTES);
    }
  return NULL;
}

gboolean
asb_opensandbox_workdir_add (GHashTable *metadata, const char *workdir, GError **error)
{
  const gboolean is_given = g_hash_table_contains (metadata, ASB_OPENSANDBOX_LABEL_WORKDIR);
  g_autofree char *given = asb_opensandbox_workdir_dup (metadata);
  g_autofree char *given_text = given ? encode (given) : NULL;
  g_autofree char *text = encode (workdir ? workdir : USUAL);
  g_autofree char *usual = encode (USUAL);

  if (is_given && (!given_text || g_strcmp0 (given_text, text) != 0))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "The metadata give the sandbox another working directory "
                           "(" ASB_OPENSANDBOX_LABEL_WORKDIR "); leave that out");
      return FALSE;
    }
  if (text && !g_str_equal (text, usual))
    insert (metadata, text);
  return TRUE;
}
