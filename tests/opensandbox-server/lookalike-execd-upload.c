/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lookalike-execd.h"
#include "lookalike-files.h"
#include "lookalike-json.h"
#include "lookalike-paths.h"
#include "lookalike-sandbox.h"

/* Of a form with more execd reads nothing. */
#define MAX_PARTS 1000

static void
refuse (LookalikeRequest *request, const char *code, const char *why)
{
  lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, code, "%s", why);
}

/* Parts of that name that are files; a part without a file name is a plain value, not seen. */
static GPtrArray *
collect (SoupMultipart *multipart, const char *wanted)
{
  g_autoptr (GPtrArray) bodies = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);

  for (int i = 0; i < soup_multipart_get_length (multipart); i++)
    {
      SoupMessageHeaders *headers;
      g_autofree char *disposition = NULL;
      g_autoptr (GHashTable) parameters = NULL;
      GBytes *body;

      if (!soup_multipart_get_part (multipart, i, &headers, &body)
          || !soup_message_headers_get_content_disposition (headers, &disposition, &parameters))
        continue;
      if (g_strcmp0 (g_hash_table_lookup (parameters, "name"), wanted) == 0
          && g_hash_table_contains (parameters, "filename"))
        g_ptr_array_add (bodies, g_bytes_ref (body));
    }
  return g_steal_pointer (&bodies);
}

static const LookalikeGoField metadata_fields[] = {
  { "path", &lookalike_go_string, NULL },
  { "owner", &lookalike_go_string, "Permission" },
  { "group", &lookalike_go_string, "Permission" },
  { "mode", &lookalike_go_int, "Permission" },
  { NULL, NULL, NULL },
};

static const LookalikeGoType metadata_type
    = { LOOKALIKE_GO_STRUCT, "model.FileMetadata", metadata_fields, NULL };

/* This is decoded at once, not read from a stream: an end of it has another name. */
static void
refuse_metadata (LookalikeRequest *request, const GError *error)
{
  gboolean ends = error->code == G_IO_ERROR_NOT_FOUND || error->code == G_IO_ERROR_PARTIAL_INPUT;

  lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_FILE_METADATA",
                          "invalid metadata format. %s",
                          ends ? "unexpected end of JSON input" : error->message);
}

static JsonObject *
parse_metadata (LookalikeRequest *request, GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);
  g_autoptr (JsonNode) node
      = lookalike_go_decode (data != NULL ? data : "", size, &metadata_type, TRUE, &error);
  JsonObject *metadata
      = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  const char *path = lookalike_json_get_string (metadata, "path");

  if (node == NULL)
    refuse_metadata (request, error);
  else if (path == NULL || path[0] == '\0')
    refuse (request, "INVALID_FILE_METADATA", "metadata path is empty");
  else
    return json_object_ref (metadata);
  return NULL;
}

static int
write_file (LookalikeSandbox *sandbox, const char *path, GBytes *content)
{
  int fd = lookalike_path_open (sandbox, path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0777);
  gsize left;
  const guint8 *data = g_bytes_get_data (content, &left);

  if (fd < 0)
    return -1;
  while (left > 0)
    {
      gssize written = write (fd, data, left);

      if (written < 0)
        {
          close (fd);
          return -1;
        }
      data += written;
      left -= (gsize)written;
    }
  return close (fd);
}

/* TRUE when it was stored; otherwise the request is answered. */
static gboolean
store (LookalikeRequest *request, GBytes *metadata_bytes, GBytes *content)
{
  g_autoptr (JsonObject) metadata = parse_metadata (request, metadata_bytes);
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  g_autofree char *parent = NULL;
  g_autofree char *why = NULL;

  if (metadata == NULL)
    return FALSE;
  path = lookalike_path_expand (request->sandbox, lookalike_json_get_string (metadata, "path"),
                                &error);
  if (path == NULL)
    {
      lookalike_files_fail_runtime (request, error->message);
      return FALSE;
    }
  parent = g_path_get_dirname (path);
  if (lookalike_path_make_folders (request->sandbox, parent, 0777) < 0)
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                            "error creating target directory %s. %s", parent, g_strerror (errno));
  else if (write_file (request->sandbox, path, content) < 0)
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                            "error opening destination file %s. %s", path, g_strerror (errno));
  else if (!lookalike_files_apply_permission (request->sandbox, path, metadata, &why))
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                            "error chmoding file %s. %s", path, why);
  else
    return TRUE;
  return FALSE;
}

void
lookalike_execd_upload (LookalikeRequest *request)
{
  g_autoptr (GBytes) body = lookalike_request_get_body (request);
  SoupMultipart *multipart = soup_multipart_new_from_message (
      soup_server_message_get_request_headers (request->message), body);
  gboolean is_too_long = multipart != NULL && soup_multipart_get_length (multipart) > MAX_PARTS;
  g_autoptr (GPtrArray) metadata = multipart != NULL ? collect (multipart, "metadata") : NULL;
  g_autoptr (GPtrArray) files = multipart != NULL ? collect (multipart, "file") : NULL;

  g_clear_pointer (&multipart, soup_multipart_free);
  if (is_too_long)
    refuse (request, "INVALID_FILE", "multipart form is empty");
  else if (metadata == NULL)
    refuse (request, "INVALID_FILE",
            "error parsing multipart form. request Content-Type isn't multipart/form-data");
  else if (metadata->len == 0)
    refuse (request, "INVALID_FILE_METADATA", "metadata file is missing");
  else if (files->len == 0)
    refuse (request, "INVALID_FILE_CONTENT", "file is missing");
  else if (metadata->len != files->len)
    lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_FILE",
                            "metadata and file count mismatch: %u vs %u", metadata->len,
                            files->len);
  else
    {
      for (guint i = 0; i < files->len; i++)
        if (!store (request, metadata->pdata[i], files->pdata[i]))
          return;
      lookalike_request_reply_empty (request, SOUP_STATUS_OK);
    }
}
