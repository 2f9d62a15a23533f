/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-file-info.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lookalike-json.h"
#include "lookalike-paths.h"
#include "lookalike-sandbox.h"
#include "lookalike-time.h"

#define MAX_FILE 65536

static char **
read_lines (LookalikeSandbox *sandbox, const char *path)
{
  g_autofree char *text = g_malloc0 (MAX_FILE + 1);
  int fd = lookalike_path_open (sandbox, path, O_RDONLY | O_NONBLOCK, 0);
  gssize length = fd >= 0 ? read (fd, text, MAX_FILE) : 0;

  if (fd >= 0)
    close (fd);
  text[MAX (length, 0)] = '\0';
  return g_strsplit (text, "\n", -1);
}

/* A line is NAME:x:NUMBER:… */
static char *
find_name (LookalikeSandbox *sandbox, const char *path, guint number)
{
  g_auto (GStrv) lines = read_lines (sandbox, path);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], ":", 4);

      if (g_strv_length (fields) >= 3 && (guint)atol (fields[2]) == number)
        return g_strdup (fields[0]);
    }
  return g_strdup_printf ("%u", number);
}

static gint64
find_number (LookalikeSandbox *sandbox, const char *path, const char *name)
{
  g_auto (GStrv) lines = read_lines (sandbox, path);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], ":", 4);

      if (g_strv_length (fields) >= 3 && strcmp (fields[0], name) == 0)
        return atol (fields[2]);
    }
  return -1;
}

gint64
lookalike_file_info_find_user (LookalikeSandbox *sandbox, const char *name)
{
  return find_number (sandbox, "/etc/passwd", name);
}

gint64
lookalike_file_info_find_group (LookalikeSandbox *sandbox, const char *name)
{
  return find_number (sandbox, "/etc/group", name);
}

gint64
lookalike_file_info_find_first_group (LookalikeSandbox *sandbox, gint64 uid)
{
  g_auto (GStrv) lines = read_lines (sandbox, "/etc/passwd");

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], ":", 5);

      if (g_strv_length (fields) >= 4 && atol (fields[2]) == uid)
        return atol (fields[3]);
    }
  return 0;
}

static const char *
name_type (mode_t mode)
{
  if (S_ISLNK (mode))
    return "symlink";
  if (S_ISDIR (mode))
    return "directory";
  return S_ISREG (mode) ? "file" : "other";
}

static void
append_time (GString *json, const char *name, const struct timespec *time)
{
  g_autoptr (GDateTime) seconds = g_date_time_new_from_unix_utc (time->tv_sec);
  g_autoptr (GDateTime) micro
      = seconds != NULL ? g_date_time_add (seconds, time->tv_nsec / 1000) : NULL;
  g_autofree char *text
      = micro != NULL ? lookalike_time_print_nano (micro, (guint)(time->tv_nsec % 1000)) : NULL;

  g_string_append_printf (json, ",\"%s\":\"%s\"", name,
                          text != NULL ? text : "0001-01-01T00:00:00Z");
}

void
lookalike_file_info_append (GString *json, LookalikeSandbox *sandbox, const char *path,
                            const struct stat *info)
{
  g_autofree char *owner = find_name (sandbox, "/etc/passwd", info->st_uid);
  g_autofree char *group = find_name (sandbox, "/etc/group", info->st_gid);

  g_string_append (json, "{\"path\":");
  lookalike_json_append_string (json, path, -1);
  g_string_append_printf (json, ",\"type\":\"%s\",\"size\":%" G_GINT64_FORMAT,
                          name_type (info->st_mode), (gint64)info->st_size);
  append_time (json, "modified_at", &info->st_mtim);
  append_time (json, "created_at", &info->st_ctim);
  g_string_append (json, ",\"owner\":");
  lookalike_json_append_string (json, owner, -1);
  g_string_append (json, ",\"group\":");
  lookalike_json_append_string (json, group, -1);
  g_string_append_printf (json, ",\"mode\":%o}", (guint)(info->st_mode & 0777));
}
