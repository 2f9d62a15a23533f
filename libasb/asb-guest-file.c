/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-file-private.h"

#include <string.h>

#include "asb-error.h"
#include "asb-guest-json-private.h"
#include "asb-wire-json.h"
#include "asb-wire-variant-private.h"

/* More than any system allows. */
#define MAX_NAME 4096
#define MAX_PATH (64 * 1024)
#define MAX_MODE 07777

static gboolean
is_wrong (const char *what, GError **error)
{
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL, what);
  return FALSE;
}

static gboolean
parse_kind (const json_t *entry, AsbFileKind *kind, GError **error)
{
  static const char *const names[] = {
    [ASB_FILE_KIND_FILE] = "file",
    [ASB_FILE_KIND_DIRECTORY] = "directory",
    [ASB_FILE_KIND_SYMLINK] = "symlink",
    [ASB_FILE_KIND_OTHER] = "other",
  };
  const char *name;

  if (!asb_guest_json_get_string (entry, "kind", G_MAXSIZE, &name, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], name))
      {
        *kind = i;
        return TRUE;
      }
  return is_wrong ("“kind” is not one of its words", error);
}

/* A name that is not one part of a path leads out of the directory that was listed. */
static gboolean
check_name (const char *name, const char *path, GError **error)
{
  const char *slash = strrchr (path, '/');

  if (strchr (name, '/') || g_str_equal (name, ".") || g_str_equal (name, "..")
      || !g_str_equal (slash + 1, name))
    return is_wrong ("“name” of an entry is not the name of a file", error);
  return TRUE;
}

static gboolean
parse_path (const json_t *entry, AsbGuestEntryPlace place, char **path, GError **error)
{
  g_autofree char *name = NULL;

  if (!asb_guest_json_get_text (entry, "path", MAX_PATH, path, error)
      || !asb_guest_json_get_text (entry, "name", MAX_NAME, &name, error))
    return FALSE;
  if (**path != '/')
    return is_wrong ("“path” is not absolute", error);
  return place == ASB_GUEST_ENTRY_ALONE || check_name (name, *path, error);
}

static gboolean
parse_optional_text (const json_t *object, const char *name, char **value, GError **error)
{
  return !asb_guest_json_has (object, name)
         || asb_guest_json_get_text (object, name, MAX_PATH, value, error);
}

static gboolean
parse_optional_hash (const json_t *object, const char *name, const char **value, GError **error)
{
  *value = NULL;
  return !object || !asb_guest_json_has (object, name)
         || asb_guest_json_get_hash (object, name, value, error);
}

AsbFileInfo *
asb_guest_file_info_new (const json_t *entry, AsbGuestEntryPlace place, const json_t *result,
                         GError **error)
{
  g_autofree char *path = NULL;
  g_autofree char *target = NULL;
  g_autoptr (GDateTime) modified_at = NULL;
  const char *hash;
  const char *previous_hash;
  AsbFileKind kind;
  gint64 size;
  gint64 mode;
  gint64 uid;
  gint64 gid;
  gint64 n_replaced = 0;

  if (!parse_path (entry, place, &path, error) || !parse_kind (entry, &kind, error)
      || !asb_guest_json_get_integer (entry, "size", 0, ASB_WIRE_MAX_INTEGER, &size, error)
      || !asb_guest_json_get_integer (entry, "mode", 0, MAX_MODE, &mode, error)
      || !asb_guest_json_get_integer (entry, "uid", 0, G_MAXUINT32, &uid, error)
      || !asb_guest_json_get_integer (entry, "gid", 0, G_MAXUINT32, &gid, error)
      || !asb_guest_json_get_time (entry, "mtime", &modified_at, error)
      || !parse_optional_text (entry, "target", &target, error)
      || !parse_optional_hash (result, "hash", &hash, error)
      || !parse_optional_hash (result, "previous_hash", &previous_hash, error)
      || (asb_guest_json_has (result, "replaced")
          && !asb_guest_json_get_integer (result, "replaced", 1, ASB_WIRE_MAX_INTEGER, &n_replaced,
                                          error)))
    return NULL;
  return g_object_new (ASB_TYPE_FILE_INFO, "path", path, "kind", kind, "size", (guint64)size,
                       "mode", (guint)mode, "uid", (guint)uid, "gid", (guint)gid, "modified-at",
                       modified_at, "target", target, "hash", hash, "previous-hash", previous_hash,
                       "n-replaced", (guint64)n_replaced, NULL);
}

static gboolean
set_path (json_t *arguments, const char *name, const char *path, GError **error)
{
  if (!path)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "The file request has no path for “%s”", name);
      return FALSE;
    }
  json_object_set_new (arguments, name, asb_guest_json_text (path));
  return TRUE;
}

static json_t *
arguments_new (AsbFileRequest *request, GError **error)
{
  g_autoptr (json_t) arguments = json_object ();

  if (!set_path (arguments, "path", asb_file_request_get_path (request), error))
    return NULL;
  return g_steal_pointer (&arguments);
}

static gboolean
has_flag (AsbFileRequest *request, AsbFileFlags flag)
{
  return (asb_file_request_get_flags (request) & flag) != 0;
}

static void
set_boolean (json_t *arguments, const char *name, gboolean value)
{
  json_object_set_new (arguments, name, json_boolean (value));
}

static void
set_mode (json_t *arguments, AsbFileRequest *request)
{
  int mode = asb_file_request_get_mode (request);

  if (mode >= 0)
    json_object_set_new (arguments, "mode", json_integer (mode));
}

json_t *
asb_guest_file_stat_arguments (AsbFileRequest *request, GError **error)
{
  json_t *arguments = arguments_new (request, error);

  if (arguments)
    set_boolean (arguments, "follow", !has_flag (request, ASB_FILE_FLAGS_NOFOLLOW));
  return arguments;
}

json_t *
asb_guest_file_attributes_arguments (AsbFileRequest *request, GError **error)
{
  json_t *arguments = asb_guest_file_stat_arguments (request, error);

  if (!arguments)
    return NULL;
  set_mode (arguments, request);
  if (asb_file_request_get_uid (request) >= 0)
    json_object_set_new (arguments, "uid", json_integer (asb_file_request_get_uid (request)));
  if (asb_file_request_get_gid (request) >= 0)
    json_object_set_new (arguments, "gid", json_integer (asb_file_request_get_gid (request)));
  return arguments;
}

json_t *
asb_guest_file_lines_arguments (AsbFileRequest *request, GError **error)
{
  json_t *arguments = asb_guest_file_read_arguments (request, error);
  json_t *length = json_object_get (arguments, "length");

  if (length)
    {
      json_object_set (arguments, "limit", length);
      json_object_del (arguments, "length");
    }
  return arguments;
}

json_t *
asb_guest_file_list_arguments (AsbFileRequest *request, GError **error)
{
  return arguments_new (request, error);
}

json_t *
asb_guest_file_read_arguments (AsbFileRequest *request, GError **error)
{
  guint64 offset = asb_file_request_get_offset (request);
  gint64 length = asb_file_request_get_length (request);
  json_t *arguments;

  if (offset > ASB_WIRE_MAX_INTEGER || length > ASB_WIRE_MAX_INTEGER || length < -1)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "The offset or the length of the file request is out of range");
      return NULL;
    }
  arguments = arguments_new (request, error);
  if (!arguments)
    return NULL;
  if (offset > 0)
    json_object_set_new (arguments, "offset", json_integer ((json_int_t)offset));
  if (length >= 0)
    json_object_set_new (arguments, "length", json_integer (length));
  return arguments;
}

json_t *
asb_guest_file_write_arguments (AsbFileRequest *request, GError **error)
{
  const char *expected_hash = asb_file_request_get_expected_hash (request);
  json_t *arguments = arguments_new (request, error);

  if (!arguments)
    return NULL;
  if (expected_hash)
    json_object_set_new (arguments, "expected_hash", asb_guest_json_text (expected_hash));
  set_boolean (arguments, "create_only", has_flag (request, ASB_FILE_FLAGS_CREATE_ONLY));
  set_boolean (arguments, "make_parents", !has_flag (request, ASB_FILE_FLAGS_NO_PARENTS));
  set_mode (arguments, request);
  return arguments;
}

json_t *
asb_guest_file_mkdir_arguments (AsbFileRequest *request, GError **error)
{
  json_t *arguments = arguments_new (request, error);

  if (!arguments)
    return NULL;
  set_boolean (arguments, "parents", !has_flag (request, ASB_FILE_FLAGS_NO_PARENTS));
  set_mode (arguments, request);
  return arguments;
}

json_t *
asb_guest_file_delete_arguments (AsbFileRequest *request, GError **error)
{
  json_t *arguments = arguments_new (request, error);

  if (arguments)
    set_boolean (arguments, "recursive", has_flag (request, ASB_FILE_FLAGS_RECURSIVE));
  return arguments;
}

json_t *
asb_guest_file_move_arguments (AsbFileRequest *request, GError **error)
{
  g_autoptr (json_t) arguments = json_object ();

  if (!set_path (arguments, "from", asb_file_request_get_path (request), error)
      || !set_path (arguments, "to", asb_file_request_get_new_path (request), error))
    return NULL;
  set_boolean (arguments, "overwrite", has_flag (request, ASB_FILE_FLAGS_OVERWRITE));
  return g_steal_pointer (&arguments);
}
