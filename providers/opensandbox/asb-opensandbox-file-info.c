/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-file-info.h"

#include <string.h>
#include <sys/stat.h>

#define N_FIELDS 5
#define MAX_LINE 512

/* Years 1 to 9999, which is what GDateTime has. */
#define MIN_SECONDS G_GINT64_CONSTANT (-62135596800)
#define MAX_SECONDS G_GINT64_CONSTANT (253402300799)

static AsbFileKind
kind_of (guint64 mode)
{
  if (S_ISREG (mode))
    return ASB_FILE_KIND_FILE;
  if (S_ISDIR (mode))
    return ASB_FILE_KIND_DIRECTORY;
  return S_ISLNK (mode) ? ASB_FILE_KIND_SYMLINK : ASB_FILE_KIND_OTHER;
}

/* Microseconds in “2026-05-20 16:27:29.123456789 +0000”; 0 where there are none. */
static gint64
parse_fraction (const char *text)
{
  const char *dot = text ? strchr (text, '.') : NULL;
  gint64 microseconds = 0;
  gint64 unit = 100000;

  for (const char *at = dot ? dot + 1 : ""; g_ascii_isdigit (*at) && unit > 0; at++)
    {
      microseconds += (*at - '0') * unit;
      unit /= 10;
    }
  return microseconds;
}

static GDateTime *
new_time (gint64 seconds, const char *text)
{
  g_autoptr (GDateTime) whole
      = g_date_time_new_from_unix_utc (CLAMP (seconds, MIN_SECONDS, MAX_SECONDS));

  return g_date_time_add (whole, parse_fraction (text));
}

static gboolean
parse_fields (char **fields, guint64 *mode, guint64 *size, guint64 *uid, guint64 *gid,
              gint64 *seconds)
{
  return g_strv_length (fields) >= N_FIELDS
         && g_ascii_string_to_unsigned (fields[0], 16, 0, G_MAXUINT32, mode, NULL)
         && g_ascii_string_to_unsigned (fields[1], 10, 0, G_MAXINT64, size, NULL)
         && g_ascii_string_to_unsigned (fields[2], 10, 0, G_MAXUINT32, uid, NULL)
         && g_ascii_string_to_unsigned (fields[3], 10, 0, G_MAXUINT32, gid, NULL)
         && g_ascii_string_to_signed (fields[4], 10, G_MININT64, G_MAXINT64, seconds, NULL);
}

AsbFileInfo *
asb_opensandbox_file_info_parse (const char *line, const char *path,
                                 const AsbOpensandboxFileExtra *extra, GError **error)
{
  static const AsbOpensandboxFileExtra nothing;
  g_auto (GStrv) fields = line && strlen (line) <= MAX_LINE ? g_strsplit (line, " ", N_FIELDS + 1)
                                                            : g_new0 (char *, 1);
  g_autoptr (GDateTime) modified_at = NULL;
  guint64 mode, size, uid, gid;
  gint64 seconds;

  if (!parse_fields (fields, &mode, &size, &uid, &gid, &seconds))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                           "What the sandbox says of a file makes no sense");
      return NULL;
    }
  if (!extra)
    extra = &nothing;
  modified_at = new_time (seconds, fields[N_FIELDS]);
  return g_object_new (ASB_TYPE_FILE_INFO, "path", path, "kind", kind_of (mode), "size", size,
                       "mode", (guint)(mode & 07777), "uid", (guint)uid, "gid", (guint)gid,
                       "modified-at", modified_at, "target", extra->target, "hash", extra->hash,
                       "previous-hash", extra->previous_hash, "n-replaced", extra->n_replaced,
                       NULL);
}
