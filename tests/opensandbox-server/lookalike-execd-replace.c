/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lookalike-execd.h"
#include "lookalike-files.h"
#include "lookalike-json.h"
#include "lookalike-paths.h"
#include "lookalike-sandbox.h"

#define MAX_FILE (256 << 20)

static GByteArray *
read_all (int fd)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint8 buffer[65536];
  gssize got;

  while ((got = read (fd, buffer, sizeof buffer)) > 0 && bytes->len < MAX_FILE)
    g_byte_array_append (bytes, buffer, (guint)got);
  return got < 0 ? NULL : g_steal_pointer (&bytes);
}

static gboolean
write_all (int fd, const GByteArray *bytes)
{
  gsize done = 0;

  while (done < bytes->len)
    {
      gssize written = write (fd, bytes->data + done, bytes->len - done);

      if (written < 0)
        return FALSE;
      done += (gsize)written;
    }
  return TRUE;
}

static guint
replace_all (const GByteArray *from, const char *old, const char *new, GByteArray *to)
{
  const guint8 *at = from->data;
  gsize left = from->len;
  gsize old_length = strlen (old);
  guint count = 0;
  const guint8 *found;

  while ((found = memmem (at, left, old, old_length)) != NULL)
    {
      g_byte_array_append (to, at, (guint)(found - at));
      g_byte_array_append (to, (const guint8 *)new, (guint)strlen (new));
      left -= (gsize)(found - at) + old_length;
      at = found + old_length;
      count++;
    }
  g_byte_array_append (to, at, (guint)left);
  return count;
}

/* execd looks at the file and reads it before it opens it for writing. */
static const char *
name_step (int error_number)
{
  if (error_number == EISDIR)
    return "read";
  return error_number == EACCES || error_number == EROFS || error_number == ETXTBSY ? "open"
                                                                                    : "stat";
}

/* How many it replaced; -1 after an answer. */
static int
replace_in (LookalikeRequest *request, const char *path, const char *old, const char *new)
{
  int fd = lookalike_path_open (request->sandbox, path, O_RDWR | O_NONBLOCK, 0);
  g_autoptr (GByteArray) content = NULL;
  g_autoptr (GByteArray) changed = g_byte_array_new ();
  int count = -1;

  if (fd < 0)
    {
      lookalike_files_fail (request, name_step (errno), path, errno);
      return -1;
    }
  content = read_all (fd);
  if (content == NULL)
    lookalike_files_fail (request, "read", path, errno);
  else if (old == NULL || old[0] == '\0')
    lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_REQUEST_BODY",
                            "old content must not be empty");
  else
    {
      count = (int)replace_all (content, old, new != NULL ? new : "", changed);
      if (ftruncate (fd, 0) < 0 || lseek (fd, 0, SEEK_SET) < 0 || !write_all (fd, changed))
        {
          lookalike_files_fail (request, "write", path, errno);
          count = -1;
        }
    }
  close (fd);
  return count;
}

static gboolean
replace_one (LookalikeRequest *request, const char *asked, JsonObject *item, GString *json)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = lookalike_path_expand (request->sandbox, asked, &error);
  int count;

  if (path == NULL)
    {
      lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                              "error accessing file: %s", error->message);
      return FALSE;
    }
  count = replace_in (request, path, lookalike_json_get_string (item, "old"),
                      lookalike_json_get_string (item, "new"));
  if (count < 0)
    return FALSE;
  if (json->len > 1)
    g_string_append_c (json, ',');
  lookalike_json_append_string (json, asked, -1);
  g_string_append_printf (json, ":{\"replacedCount\":%d}", count);
  return TRUE;
}

static const LookalikeGoField item_fields[] = {
  { "old", &lookalike_go_string, NULL },
  { "new", &lookalike_go_string, NULL },
  { NULL, NULL, NULL },
};

static const LookalikeGoType item_type
    = { LOOKALIKE_GO_STRUCT, "model.ReplaceFileContentItem", item_fields, NULL };

static const LookalikeGoType replace_type
    = { LOOKALIKE_GO_MAP, "map[string]model.ReplaceFileContentItem", NULL, &item_type };

void
lookalike_execd_replace (LookalikeRequest *request)
{
  g_autofree char *verbose = lookalike_request_get_query (request, "verbose");
  g_autoptr (JsonObject) map
      = lookalike_execd_parse_object (request, &replace_type, LOOKALIKE_EXECD_MAYBE);
  g_autoptr (GList) paths = map != NULL ? json_object_get_members (map) : NULL;
  g_autoptr (GString) json = g_string_new ("{");

  if (map == NULL)
    return;
  for (GList *i = paths; i != NULL; i = i->next)
    if (!replace_one (request, i->data, lookalike_json_get_object (map, i->data), json))
      return;
  g_string_append_c (json, '}');
  if (g_strcmp0 (verbose, "true") == 0 && !request->lookalike->config.old)
    lookalike_request_reply_json (request, SOUP_STATUS_OK, json->str);
  else
    lookalike_request_reply_empty (request, SOUP_STATUS_OK);
}
