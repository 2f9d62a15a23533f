/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-mock-files.h"

#include <string.h>

#define DEFAULT_FILE_MODE 0644
#define DEFAULT_DIRECTORY_MODE 0755

typedef struct
{
  GBytes *contents; /* NULL for a directory */
  guint mode;
  GDateTime *modified_at;
} AsbMockFile;

struct _AsbMockFiles
{
  GHashTable *files; /* absolute path → AsbMockFile */
};

static void
file_free (gpointer data)
{
  AsbMockFile *file = data;

  g_clear_pointer (&file->contents, g_bytes_unref);
  g_clear_pointer (&file->modified_at, g_date_time_unref);
  g_free (file);
}

/* Takes @contents. */
static void
put (AsbMockFiles *self, const char *path, GBytes *contents, guint mode)
{
  AsbMockFile *file = g_new0 (AsbMockFile, 1);

  file->contents = contents;
  file->mode = mode;
  file->modified_at = g_date_time_new_now_utc ();
  g_hash_table_insert (self->files, g_strdup (path), file);
}

static void
put_with_parents (AsbMockFiles *self, const char *path)
{
  g_autofree char *parent = NULL;

  if (g_hash_table_contains (self->files, path))
    return;
  parent = g_path_get_dirname (path);
  put_with_parents (self, parent);
  put (self, path, NULL, DEFAULT_DIRECTORY_MODE);
}

AsbMockFiles *
asb_mock_files_new (const char *workdir)
{
  AsbMockFiles *self = g_new0 (AsbMockFiles, 1);

  self->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, file_free);
  put (self, "/", NULL, DEFAULT_DIRECTORY_MODE);
  put_with_parents (self, workdir);
  return self;
}

void
asb_mock_files_free (AsbMockFiles *self)
{
  g_clear_pointer (&self->files, g_hash_table_unref);
  g_free (self);
}

char *
asb_mock_files_resolve (const char *workdir, const char *path, GError **error)
{
  g_autofree char *whole = NULL;
  g_auto (GStrv) segments = NULL;
  GString *resolved;

  if (!path || path[0] == '\0')
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "A path must not be empty");
      return NULL;
    }
  whole = path[0] == '/' ? g_strdup (path) : g_strconcat (workdir, "/", path, NULL);
  segments = g_strsplit (whole, "/", -1);
  if (g_strv_contains ((const char *const *)segments, ".."))
    {
      g_autofree char *shown = g_filename_display_name (path);

      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "Path “%s” must not contain “..”",
                   shown);
      return NULL;
    }
  resolved = g_string_new (NULL);
  for (gsize i = 0; segments[i]; i++)
    if (segments[i][0] != '\0' && !g_str_equal (segments[i], "."))
      g_string_append_printf (resolved, "/%s", segments[i]);
  if (resolved->len == 0)
    g_string_append_c (resolved, '/');
  return g_string_free (resolved, FALSE);
}

static gboolean
fail (GError **error, int code, const char *path, const char *what)
{
  g_autofree char *shown = g_filename_display_name (path);

  g_set_error (error, ASB_ERROR, code, "“%s” %s", shown, what);
  return FALSE;
}

/* Nothing of @path may lie below a file. */
static gboolean
check_parents (AsbMockFiles *self, const char *path, gboolean must_exist, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path);
  AsbMockFile *file = g_hash_table_lookup (self->files, parent);

  if (file && file->contents)
    return fail (error, ASB_ERROR_NOT_DIRECTORY, parent, "is no directory");
  if (file)
    return TRUE;
  if (must_exist)
    return fail (error, ASB_ERROR_FILE_NOT_FOUND, parent, "does not exist");
  return check_parents (self, parent, must_exist, error);
}

static AsbMockFile *
look_up (AsbMockFiles *self, const char *path, GError **error)
{
  AsbMockFile *file = g_hash_table_lookup (self->files, path);

  if (!file && check_parents (self, path, FALSE, error))
    fail (error, ASB_ERROR_FILE_NOT_FOUND, path, "does not exist");
  return file;
}

static AsbMockFile *
look_up_regular (AsbMockFiles *self, const char *path, GError **error)
{
  AsbMockFile *file = look_up (self, path, error);

  if (!file || file->contents)
    return file;
  fail (error, ASB_ERROR_IS_DIRECTORY, path, "is a directory");
  return NULL;
}

static char *
hash_of (AsbMockFile *file)
{
  return g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, file->contents);
}

static AsbFileInfo *
describe (const char *path, AsbMockFile *file, const char *previous_hash)
{
  g_autofree char *hash = file->contents ? hash_of (file) : NULL;
  AsbFileKind kind = file->contents ? ASB_FILE_KIND_FILE : ASB_FILE_KIND_DIRECTORY;
  guint64 size = file->contents ? g_bytes_get_size (file->contents) : 0;

  return g_object_new (ASB_TYPE_FILE_INFO, "path", path, "kind", kind, "size", size, "mode",
                       file->mode, "modified-at", file->modified_at, "hash", hash, "previous-hash",
                       previous_hash, NULL);
}

AsbFileInfo *
asb_mock_files_query (AsbMockFiles *self, const char *path, GError **error)
{
  AsbMockFile *file = look_up (self, path, error);

  return file ? describe (path, file, NULL) : NULL;
}

static gboolean
is_inside (const char *path, const char *directory)
{
  gsize length = g_str_equal (directory, "/") ? 0 : strlen (directory);

  return strncmp (path, directory, length) == 0 && path[length] == '/' && path[length + 1] != '\0';
}

static gboolean
is_child (const char *path, const char *directory)
{
  g_autofree char *parent = g_path_get_dirname (path);

  return g_str_equal (parent, directory) && is_inside (path, directory);
}

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* Returns: (transfer full): not copied, sorted */
static GPtrArray *
find_paths (AsbMockFiles *self, const char *directory,
            gboolean (*test) (const char *path, const char *directory))
{
  GPtrArray *paths = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer path;

  g_hash_table_iter_init (&iter, self->files);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    if (test (path, directory))
      g_ptr_array_add (paths, path);
  g_ptr_array_sort (paths, compare_paths);
  return paths;
}

GListModel *
asb_mock_files_list (AsbMockFiles *self, const char *path, GError **error)
{
  AsbMockFile *directory = look_up (self, path, error);
  g_autoptr (GPtrArray) paths = NULL;
  GListStore *list;

  if (directory && directory->contents)
    fail (error, ASB_ERROR_NOT_DIRECTORY, path, "is no directory");
  if (!directory || directory->contents)
    return NULL;
  paths = find_paths (self, path, is_child);
  list = g_list_store_new (ASB_TYPE_FILE_INFO);
  for (guint i = 0; i < paths->len; i++)
    {
      g_autoptr (AsbFileInfo) info
          = describe (paths->pdata[i], g_hash_table_lookup (self->files, paths->pdata[i]), NULL);

      g_list_store_append (list, info);
    }
  return G_LIST_MODEL (list);
}

GBytes *
asb_mock_files_read (AsbMockFiles *self, const char *path, guint64 offset, gint64 length,
                     GError **error)
{
  AsbMockFile *file = look_up_regular (self, path, error);
  gsize size, start;

  if (!file)
    return NULL;
  size = g_bytes_get_size (file->contents);
  start = (gsize)MIN (offset, size);
  size -= start;
  if (length >= 0)
    size = (gsize)MIN ((guint64)length, size);
  return g_bytes_new_from_bytes (file->contents, start, size);
}

static gboolean
check_hash (const char *path, const char *expected, const char *actual, GError **error)
{
  g_autoptr (AsbErrorInfo) info = NULL;
  g_autofree char *shown = NULL;
  g_autofree char *message = NULL;
  GVariantDict details;

  if (!expected || g_strcmp0 (expected, actual) == 0)
    return TRUE;
  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert (&details, "expected_hash", "s", expected);
  if (actual)
    g_variant_dict_insert (&details, "actual_hash", "s", actual);
  info = g_object_new (ASB_TYPE_ERROR_INFO, "details", g_variant_dict_end (&details), NULL);
  shown = g_filename_display_name (path);
  message = g_strdup_printf ("“%s” is not the expected file any more", shown);
  g_propagate_error (error,
                     asb_error_new_with_info (ASB_ERROR_CONCURRENT_MODIFICATION, message, info));
  return FALSE;
}

gboolean
asb_mock_files_may_write (AsbMockFiles *self, const char *path, AsbFileRequest *request,
                          GError **error)
{
  AsbFileFlags flags = asb_file_request_get_flags (request);
  AsbMockFile *old = g_hash_table_lookup (self->files, path);
  g_autofree char *old_hash = NULL;

  if (old && !old->contents)
    return fail (error, ASB_ERROR_IS_DIRECTORY, path, "is a directory");
  if (old && (flags & ASB_FILE_FLAGS_CREATE_ONLY))
    return fail (error, ASB_ERROR_ALREADY_EXISTS, path, "exists already");
  if (!check_parents (self, path, (flags & ASB_FILE_FLAGS_NO_PARENTS) != 0, error))
    return FALSE;
  old_hash = old ? hash_of (old) : NULL;
  return check_hash (path, asb_file_request_get_expected_hash (request), old_hash, error);
}

AsbFileInfo *
asb_mock_files_write (AsbMockFiles *self, const char *path, AsbFileRequest *request,
                      GBytes *contents, GError **error)
{
  AsbMockFile *old = g_hash_table_lookup (self->files, path);
  int mode = asb_file_request_get_mode (request);
  g_autofree char *old_hash = NULL;
  g_autofree char *parent = g_path_get_dirname (path);

  if (!asb_mock_files_may_write (self, path, request, error))
    return NULL;
  old_hash = old ? hash_of (old) : NULL;
  if (mode < 0)
    mode = old ? (int)old->mode : DEFAULT_FILE_MODE;
  put_with_parents (self, parent);
  put (self, path, g_bytes_ref (contents), (guint)mode);
  return describe (path, g_hash_table_lookup (self->files, path), old_hash);
}

gboolean
asb_mock_files_make_directory (AsbMockFiles *self, const char *path, AsbFileRequest *request,
                               gboolean *made, GError **error)
{
  gboolean alone = (asb_file_request_get_flags (request) & ASB_FILE_FLAGS_NO_PARENTS) != 0;
  int mode = asb_file_request_get_mode (request);
  AsbMockFile *old = g_hash_table_lookup (self->files, path);
  g_autofree char *parent = g_path_get_dirname (path);

  if (old && (old->contents || alone))
    return fail (error, ASB_ERROR_ALREADY_EXISTS, path, "exists already");
  *made = old == NULL;
  if (old)
    return TRUE;
  if (!check_parents (self, path, alone, error))
    return FALSE;
  put_with_parents (self, parent);
  put (self, path, NULL, mode < 0 ? DEFAULT_DIRECTORY_MODE : (guint)mode);
  return TRUE;
}

gboolean
asb_mock_files_delete (AsbMockFiles *self, const char *path, gboolean recursive, GError **error)
{
  g_autoptr (GPtrArray) inside = NULL;

  if (!look_up (self, path, error))
    return FALSE;
  if (g_str_equal (path, "/"))
    return fail (error, ASB_ERROR_PERMISSION_DENIED, path, "cannot be deleted");
  inside = find_paths (self, path, is_inside);
  if (inside->len > 0 && !recursive)
    return fail (error, ASB_ERROR_DIRECTORY_NOT_EMPTY, path, "is not empty");
  for (guint i = 0; i < inside->len; i++)
    g_hash_table_remove (self->files, inside->pdata[i]);
  g_hash_table_remove (self->files, path);
  return TRUE;
}

static void
rename_one (AsbMockFiles *self, const char *path, const char *new_path)
{
  g_autofree char *old_key = NULL;
  gpointer key, file;

  if (!g_hash_table_steal_extended (self->files, path, &key, &file))
    return;
  old_key = key;
  g_hash_table_insert (self->files, g_strdup (new_path), file);
}

static gboolean
may_move (AsbMockFiles *self, const char *path, const char *new_path, gboolean overwrite,
          GError **error)
{
  AsbMockFile *file = look_up (self, path, error);
  AsbMockFile *there = g_hash_table_lookup (self->files, new_path);
  g_autoptr (GPtrArray) inside = NULL;

  if (!file || g_str_equal (path, new_path))
    return file != NULL;
  if (g_str_equal (path, "/") || is_inside (new_path, path))
    return fail (error, ASB_ERROR_INVALID_ARGUMENT, path, "cannot be moved into itself");
  if (!there)
    return check_parents (self, new_path, TRUE, error);
  if (!overwrite)
    return fail (error, ASB_ERROR_ALREADY_EXISTS, new_path, "exists already");
  if (file->contents && !there->contents)
    return fail (error, ASB_ERROR_IS_DIRECTORY, new_path, "is a directory");
  if (!file->contents && there->contents)
    return fail (error, ASB_ERROR_NOT_DIRECTORY, new_path, "is no directory");
  inside = find_paths (self, new_path, is_inside);
  if (inside->len > 0)
    return fail (error, ASB_ERROR_DIRECTORY_NOT_EMPTY, new_path, "is not empty");
  return TRUE;
}

gboolean
asb_mock_files_move (AsbMockFiles *self, const char *path, const char *new_path, gboolean overwrite,
                     GError **error)
{
  g_autoptr (GPtrArray) inside = NULL;

  if (!may_move (self, path, new_path, overwrite, error))
    return FALSE;
  if (g_str_equal (path, new_path))
    return TRUE;
  inside = find_paths (self, path, is_inside);
  for (guint i = 0; i < inside->len; i++)
    {
      g_autofree char *moved
          = g_strconcat (new_path, (const char *)inside->pdata[i] + strlen (path), NULL);

      rename_one (self, inside->pdata[i], moved);
    }
  rename_one (self, path, new_path);
  return TRUE;
}
