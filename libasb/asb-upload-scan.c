/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-scan-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "asb-error.h"
#include "asb-upload-hash-private.h"
#include "asb-upload-patterns-private.h"
#include "asb-uuid.h"

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NONBLOCK)
#define IGNORE_FILE ".sandboxignore"
#define MAX_IGNORE_SIZE (1024 * 1024)
#define BYTE_ORDER_MARK "\357\273\277"

/* As many directories in directories as an archive may have. */
#define MAX_DEPTH 200

/* Directories, which are no files: so many may be there even if fewer files may. */
#define MIN_FOLDERS 10000

/* Those of them that are looked at again because a link leads there. */
#define MAX_LINKED 100000

typedef struct
{
  AsbUploadScan *scan;
  AsbUploadSpec *spec;
  GCancellable *cancellable;
  AsbUploadPatterns *include;
  AsbUploadPatterns *exclude;
  AsbUploadPatterns *defaults;
  AsbUploadPatterns *ignored; /* by the source itself */
  guint64 n_found;
  guint64 n_folders;
  guint64 n_linked;         /* directories that a link led to */
  dev_t devices[MAX_DEPTH]; /* of the directories it is in, …  */
  ino_t inodes[MAX_DEPTH];
  guint depth;
} Walk;

static void
walk_clear (Walk *walk)
{
  g_clear_pointer (&walk->include, asb_upload_patterns_free);
  g_clear_pointer (&walk->exclude, asb_upload_patterns_free);
  g_clear_pointer (&walk->defaults, asb_upload_patterns_free);
  g_clear_pointer (&walk->ignored, asb_upload_patterns_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

static void
entry_free (gpointer data)
{
  AsbUploadEntry *entry = data;

  g_free (entry->path);
  g_free (entry->actual);
  g_free (entry->link);
  g_free (entry);
}

void
asb_upload_scan_free (AsbUploadScan *self)
{
  asb_upload_source_clear (&self->source);
  g_clear_object (&self->spec);
  g_clear_object (&self->manifest);
  g_ptr_array_unref (self->entries);
  g_ptr_array_unref (self->directories);
  g_ptr_array_unref (self->failures);
  g_free (self->upload_id);
  g_free (self);
}

/* Which files. */

/* “NAME in DIRECTORY” where it is and where it seems to be are two when a link led there: what is
 * left out at the one place does not get in by way of the other. */
static gboolean
is_left_out (Walk *walk, const char *path, gboolean is_directory)
{
  return asb_upload_patterns_match (walk->exclude, path, is_directory)
         || asb_upload_patterns_match (walk->defaults, path, is_directory)
         || asb_upload_patterns_match (walk->ignored, path, is_directory);
}

static gboolean
is_wanted (Walk *walk, const char *path, gboolean is_directory)
{
  return asb_upload_patterns_match (walk->include, path, is_directory)
         && !is_left_out (walk, path, is_directory);
}

/* Nothing in it could be wanted. */
static gboolean
is_not_entered (Walk *walk, const char *path)
{
  AsbUploadPatterns *const patterns[] = { walk->exclude, walk->defaults, walk->ignored };

  for (gsize i = 0; i < G_N_ELEMENTS (patterns); i++)
    if (asb_upload_patterns_are_plain (patterns[i])
        && asb_upload_patterns_match (patterns[i], path, TRUE))
      return TRUE;
  return FALSE;
}

static gboolean
fail_ignore_file (AsbUploadSource *source, const char *why, GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_POLICY,
               "Could not upload “%s”: its “" IGNORE_FILE "” cannot be followed: %s", source->shown,
               why);
  return FALSE;
}

static gboolean
read_ignore_file (Walk *walk, int fd, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_auto (GStrv) lines = NULL;
  const char *text;
  guint8 block[4096];
  gssize n;

  while ((n = read (fd, block, sizeof block)) != 0)
    {
      if (n < 0)
        return fail_ignore_file (&walk->scan->source, g_strerror (errno), error);
      if (bytes->len + (gsize)n > MAX_IGNORE_SIZE)
        return fail_ignore_file (&walk->scan->source, "it is larger than 1 MiB", error);
      g_byte_array_append (bytes, block, n);
    }
  /* What comes behind one would be lost: text of two bytes a character has many. */
  if (bytes->len > 0 && memchr (bytes->data, '\0', bytes->len))
    return fail_ignore_file (&walk->scan->source, "it is no text in UTF-8", error);
  g_byte_array_append (bytes, (const guint8 *)"", 1);
  text = (const char *)bytes->data;
  if (g_str_has_prefix (text, BYTE_ORDER_MARK))
    text += strlen (BYTE_ORDER_MARK);
  lines = g_strsplit (text, "\n", -1);
  asb_upload_patterns_add_all (walk->ignored, (const char *const *)lines);
  return TRUE;
}

/* One that cannot be read would let through what it was to keep back. */
static gboolean
take_ignore_file (Walk *walk, GError **error)
{
  AsbUploadSource *source = &walk->scan->source;
  struct stat status;
  gboolean done;
  int fd;

  if (fstatat (source->root_fd, IGNORE_FILE, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT || fail_ignore_file (source, g_strerror (errno), error);
  if (!S_ISREG (status.st_mode))
    return fail_ignore_file (source, "it is no regular file", error);
  fd = asb_upload_open_below (source->root_fd, IGNORE_FILE, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return fail_ignore_file (source, g_strerror (errno), error);
  done = read_ignore_file (walk, fd, error);
  close (fd);
  return done;
}

static gboolean
take_patterns (Walk *walk, AsbUploadConfig *config, GError **error)
{
  walk->include = asb_upload_patterns_new ();
  walk->exclude = asb_upload_patterns_new ();
  walk->defaults = asb_upload_patterns_new ();
  walk->ignored = asb_upload_patterns_new ();
  asb_upload_patterns_add_all (walk->include, asb_upload_spec_get_include (walk->spec));
  asb_upload_patterns_add_all (walk->exclude, asb_upload_spec_get_exclude (walk->spec));
  asb_upload_patterns_add_all (walk->defaults, asb_upload_config_get_default_excludes (config));
  return take_ignore_file (walk, error);
}

/* Limits, in the order file, number, all together. */

static gboolean
check_limits (Walk *walk, const char *path, guint64 size, GError **error)
{
  g_autofree char *shown = asb_upload_show (path);
  guint64 max_files = asb_upload_spec_get_max_files (walk->spec);
  guint64 max_file_bytes = asb_upload_spec_get_max_file_bytes (walk->spec);
  guint64 max_total_bytes = asb_upload_spec_get_max_total_bytes (walk->spec);
  GError *found = NULL;

  if (size > max_file_bytes)
    {
      found = g_error_new (ASB_ERROR, ASB_ERROR_UPLOAD_FILE_TOO_LARGE,
                           "Could not upload “%s”: it has %" G_GUINT64_FORMAT
                           " bytes, more than “max-file-bytes”, %" G_GUINT64_FORMAT,
                           shown, size, max_file_bytes);
      asb_upload_add_details (
          found, g_variant_new_parsed ("{'relative_path': <%s>, 'size': <%t>}", shown, size));
    }
  else if (walk->n_found >= max_files)
    {
      found = g_error_new (ASB_ERROR, ASB_ERROR_UPLOAD_TOO_MANY_FILES,
                           "Could not upload “%s”: there are more than %" G_GUINT64_FORMAT
                           " files, “max-files”",
                           walk->scan->source.shown, max_files);
      asb_upload_add_details (found, g_variant_new_parsed ("{'max_files': <%t>}", max_files));
    }
  else if (size > max_total_bytes || walk->scan->total_bytes > max_total_bytes - size)
    {
      found = g_error_new (ASB_ERROR, ASB_ERROR_UPLOAD_TOTAL_SIZE_EXCEEDED,
                           "Could not upload “%s”: with “%s” its files have more than "
                           "%" G_GUINT64_FORMAT " bytes, “max-total-bytes”",
                           walk->scan->source.shown, shown, max_total_bytes);
      asb_upload_add_details (found,
                              g_variant_new_parsed ("{'max_total_bytes': <%t>}", max_total_bytes));
    }
  if (!found)
    return TRUE;
  g_propagate_error (error, found);
  return FALSE;
}

static gboolean
fail_folders (Walk *walk, const char *before, guint64 most, const char *behind, GError **error)
{
  guint64 max_files = asb_upload_spec_get_max_files (walk->spec);
  GError *found = g_error_new (ASB_ERROR, ASB_ERROR_UPLOAD_TOO_MANY_FILES,
                               "Could not upload “%s”: %s more than %" G_GUINT64_FORMAT " %s",
                               walk->scan->source.shown, before, most, behind);

  asb_upload_add_details (found, g_variant_new_parsed ("{'max_files': <%t>}", max_files));
  g_propagate_error (error, found);
  return FALSE;
}

/* Links that lead to directories with links are more ways than anybody could go, even if no file is
 * at the end of any. */
static gboolean
check_folders (Walk *walk, gboolean is_linked, GError **error)
{
  guint64 max_files = asb_upload_spec_get_max_files (walk->spec);
  guint64 max_folders = MAX (max_files, MIN_FOLDERS);
  guint64 max_linked = MIN (max_files, MAX_LINKED);

  if (walk->n_folders++ == max_folders)
    return fail_folders (walk, "there are", max_folders, "directories in it", error);
  if (is_linked && walk->n_linked++ == max_linked)
    return fail_folders (walk, "its links lead to directories", max_linked, "times", error);
  return TRUE;
}

/* What is found. Where it is, @actual, and how it is called, @path, differ when a link led there.
 */

static gboolean walk_folder (Walk *walk, const char *path, const char *actual, GError **error);

static AsbUploadEntry *
add (GPtrArray *entries, const char *path, const char *actual, const struct stat *status)
{
  AsbUploadEntry *entry = g_new0 (AsbUploadEntry, 1);

  entry->path = g_strdup (path);
  entry->actual = g_str_equal (path, actual) ? NULL : g_strdup (actual);
  entry->status = *status;
  entry->is_directory = S_ISDIR (status->st_mode);
  g_ptr_array_add (entries, entry);
  return entry;
}

static gboolean
take_file (Walk *walk, const char *path, const char *actual, const struct stat *status,
           GError **error)
{
  if (!check_limits (walk, path, status->st_size, error))
    return FALSE;
  walk->n_found++;
  walk->scan->total_bytes += status->st_size;
  add (walk->scan->entries, path, actual, status);
  return TRUE;
}

static gboolean
fail_special (const char *path, const struct stat *status, GError **error)
{
  g_autofree char *shown = asb_upload_show (path);
  const char *what = "no file, directory or link";

  if (S_ISFIFO (status->st_mode))
    what = "a FIFO";
  else if (S_ISSOCK (status->st_mode))
    what = "a socket";
  else if (S_ISCHR (status->st_mode) || S_ISBLK (status->st_mode))
    what = "a device";
  g_set_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_POLICY,
               "Could not upload “%s”: it is %s; leave it out with “exclude”", shown, what);
  return FALSE;
}

static gboolean
fail_symlink (const char *path, const char *why, GError **error)
{
  g_autofree char *shown = asb_upload_show (path);

  g_set_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_SYMLINK, "Could not upload “%s”: %s", shown, why);
  return FALSE;
}

/* Where it leads must be there, and in the source; and from where it will be, it must lead there,
 * too. “..” is only good at the beginning: behind the name of another link it would lead to
 * somewhere else than one reads. */
static gboolean
leads_inside (const char *path, const char *target)
{
  g_auto (GStrv) directories = g_strsplit (path, "/", -1);
  g_auto (GStrv) segments = g_strsplit (target, "/", -1);
  gsize depth = g_strv_length (directories) - 1;
  gboolean has_name = FALSE;

  if (*target == '/')
    return FALSE;
  for (gsize i = 0; segments[i]; i++)
    {
      if (!*segments[i] || g_str_equal (segments[i], "."))
        continue;
      if (!g_str_equal (segments[i], ".."))
        has_name = TRUE;
      else if (has_name || depth-- == 0)
        return FALSE;
    }
  return has_name;
}

static gboolean
keep_link (Walk *walk, const char *path, const char *actual, const struct stat *status,
           GError **error)
{
  g_autofree char *resolved = asb_upload_source_resolve (&walk->scan->source, actual, error);
  int fd = resolved ? asb_upload_open_below (walk->scan->source.root_fd, actual, O_PATH) : -1;
  char target[PATH_MAX] = "";
  AsbUploadEntry *entry;

  if (!resolved)
    return FALSE;
  if (fd < 0 || readlinkat (fd, "", target, sizeof target - 1) < 0)
    *target = '\0';
  if (fd >= 0)
    close (fd);
  if (!*target || !leads_inside (path, target))
    return fail_symlink (path,
                         "where the link leads is not told by a relative path in what is uploaded; "
                         "follow links instead, or leave it out with “exclude”",
                         error);
  if (!check_limits (walk, path, strlen (target), error))
    return FALSE;
  walk->n_found++;
  entry = add (walk->scan->entries, path, actual, status);
  entry->link = g_strdup (target);
  return TRUE;
}

static gboolean
follow_link (Walk *walk, const char *path, const char *actual, GError **error)
{
  AsbUploadSource *source = &walk->scan->source;
  g_autofree char *resolved = asb_upload_source_resolve (source, actual, error);
  struct stat status;
  int fd;

  if (!resolved)
    return FALSE;
  fd = asb_upload_open_below (source->root_fd, resolved, O_PATH);
  if (fd < 0 || fstat (fd, &status) != 0)
    {
      int saved = errno;

      if (fd >= 0)
        close (fd);
      return fail_symlink (path, g_strerror (saved), error);
    }
  close (fd);
  if (*resolved && is_left_out (walk, resolved, S_ISDIR (status.st_mode)))
    return fail_symlink (path, "the link leads to what is left out of the upload", error);
  if (S_ISDIR (status.st_mode))
    return walk_folder (walk, path, resolved, error);
  if (!S_ISREG (status.st_mode))
    return fail_special (path, &status, error);
  return take_file (walk, path, resolved, &status, error);
}

static gboolean
take_link (Walk *walk, const char *path, const char *actual, const struct stat *status,
           GError **error)
{
  switch (asb_upload_spec_get_symlinks (walk->spec))
    {
    case ASB_UPLOAD_SYMLINKS_PRESERVE_INTERNAL:
      if (walk->scan->source.name)
        return fail_symlink (path, "what the link leads to is not uploaded; follow links instead",
                             error);
      return keep_link (walk, path, actual, status, error);
    case ASB_UPLOAD_SYMLINKS_FOLLOW_SAFE:
      return follow_link (walk, path, actual, error);
    default:
      return fail_symlink (path,
                           "it is a symbolic link; keep or follow links, or leave it out with "
                           "“exclude”",
                           error);
    }
}

static gboolean
take (Walk *walk, const char *path, const char *actual, const struct stat *status, GError **error)
{
  gboolean is_directory = S_ISDIR (status->st_mode);

  if (is_directory)
    return is_not_entered (walk, path) || is_not_entered (walk, actual)
           || walk_folder (walk, path, actual, error);
  if (!is_wanted (walk, path, FALSE) || is_left_out (walk, actual, FALSE))
    return TRUE;
  if (S_ISLNK (status->st_mode))
    return take_link (walk, path, actual, status, error);
  if (S_ISREG (status->st_mode))
    return take_file (walk, path, actual, status, error);
  return fail_special (path, status, error);
}

static char *
join (const char *directory, const char *name)
{
  return *directory ? g_strconcat (directory, "/", name, NULL) : g_strdup (name);
}

/* What is gone by now was never there. */
static gboolean
take_name (Walk *walk, int fd, const char *directory, const char *actual_directory,
           const char *name, GError **error)
{
  g_autofree char *path = join (directory, name);
  g_autofree char *actual = join (actual_directory, name);
  struct stat status;

  if (g_cancellable_set_error_if_cancelled (walk->cancellable, error))
    return FALSE;
  if (fstatat (fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
    return take (walk, path, actual, &status, error);
  if (errno != ENOENT && is_wanted (walk, path, FALSE))
    asb_upload_failures_add (walk->scan->failures, path, g_strerror (errno));
  return TRUE;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* NULL with errno set. Not by opening it anew, which whoever may only read it may not. */
static GPtrArray *
read_names (int folder_fd)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  int fd = fcntl (folder_fd, F_DUPFD_CLOEXEC, 0);
  DIR *folder = fd >= 0 ? fdopendir (fd) : NULL;
  struct dirent *entry;
  int error;

  if (!folder)
    {
      error = errno;
      if (fd >= 0)
        close (fd);
      errno = error;
      return NULL;
    }
  for (errno = 0; (entry = readdir (folder)); errno = 0)
    if (!g_str_equal (entry->d_name, ".") && !g_str_equal (entry->d_name, ".."))
      g_ptr_array_add (names, g_strdup (entry->d_name));
  error = errno;
  closedir (folder);
  errno = error;
  if (error != 0)
    return NULL;
  g_ptr_array_sort (names, compare_names);
  return g_steal_pointer (&names);
}

static void
fail_folder (Walk *walk, const char *path, int error)
{
  asb_upload_failures_add (walk->scan->failures, *path ? path : ".", g_strerror (error));
}

static gboolean
walk_names (Walk *walk, int fd, const char *path, const char *actual, GError **error)
{
  g_autoptr (GPtrArray) names = read_names (fd);
  gboolean done = TRUE;

  if (!names)
    fail_folder (walk, path, errno);
  for (guint i = 0; names && done && i < names->len; i++)
    done = take_name (walk, fd, path, actual, names->pdata[i], error);
  return done;
}

/* Whether it is in itself, by way of a link. */
static gboolean
is_above (const Walk *walk, const struct stat *status)
{
  for (guint i = 0; i < walk->depth; i++)
    if (walk->devices[i] == status->st_dev && walk->inodes[i] == status->st_ino)
      return TRUE;
  return FALSE;
}

static gboolean
walk_open_folder (Walk *walk, int fd, const char *path, const char *actual, GError **error)
{
  struct stat status;
  gboolean done;

  if (fstat (fd, &status) != 0 || is_above (walk, &status))
    return fail_symlink (path, "it leads to a directory that it is in", error);
  if (walk->depth == MAX_DEPTH)
    {
      g_autofree char *shown = asb_upload_show (path);

      g_set_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_POLICY,
                   "Could not upload “%s”: there are more than %d directories in one another",
                   shown, MAX_DEPTH);
      return FALSE;
    }
  walk->devices[walk->depth] = status.st_dev;
  walk->inodes[walk->depth++] = status.st_ino;
  if (!*path || is_wanted (walk, path, TRUE))
    add (walk->scan->directories, path, actual, &status);
  done = walk_names (walk, fd, path, actual, error);
  walk->depth--;
  return done;
}

static gboolean
walk_folder (Walk *walk, const char *path, const char *actual, GError **error)
{
  int root_fd = walk->scan->source.root_fd;
  gboolean done;
  int fd;

  if (!check_folders (walk, !g_str_equal (path, actual), error))
    return FALSE;
  fd = *actual ? asb_upload_open_below (root_fd, actual, OPEN_FOLDER)
               : openat (root_fd, ".", OPEN_FOLDER | O_CLOEXEC);
  if (fd < 0)
    {
      fail_folder (walk, path, errno);
      return TRUE;
    }
  done = walk_open_folder (walk, fd, path, actual, error);
  close (fd);
  return done;
}

/* Whoever asks for one file is not served with none. */
static gboolean
take_only (Walk *walk, GError **error)
{
  AsbUploadSource *source = &walk->scan->source;
  guint before = walk->scan->entries->len;

  if (!take_name (walk, source->root_fd, "", "", source->name, error))
    return FALSE;
  if (walk->scan->entries->len > before || walk->scan->failures->len > 0)
    return TRUE;
  g_set_error (
      error, ASB_ERROR, ASB_ERROR_UPLOAD_POLICY,
      "Could not upload “%s”: the rules of uploads leave it out; see “include”, “exclude”, "
      "“default-excludes” and “" IGNORE_FILE "”",
      source->shown);
  return FALSE;
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(AsbUploadEntry *const *)a)->path, (*(AsbUploadEntry *const *)b)->path);
}

static gboolean
look (AsbUploadScan *self, AsbUploadConfig *config, GCancellable *cancellable, GError **error)
{
  g_auto (Walk) walk = { .scan = self, .spec = self->spec, .cancellable = cancellable };

  if (!take_patterns (&walk, config, error))
    return FALSE;
  if (self->source.name ? !take_only (&walk, error) : !walk_folder (&walk, "", "", error))
    return FALSE;
  g_ptr_array_sort (self->entries, compare_entries);
  g_ptr_array_sort (self->directories, compare_entries);
  return TRUE;
}

AsbUploadScan *
asb_upload_scan_new (AsbUploadSpec *spec, AsbUploadConfig *config, GCancellable *cancellable,
                     GError **error)
{
  g_autoptr (AsbUploadScan) self = g_new0 (AsbUploadScan, 1);

  self->source.root_fd = -1;
  self->spec = g_object_ref (spec);
  self->upload_id = asb_uuid_v7_new ();
  self->entries = g_ptr_array_new_with_free_func (entry_free);
  self->directories = g_ptr_array_new_with_free_func (entry_free);
  self->failures = g_ptr_array_new_with_free_func (g_object_unref);
  if (!asb_upload_source_open (&self->source, spec, config, error)
      || !look (self, config, cancellable, error)
      || !asb_upload_hash_all (self, config, cancellable, error))
    return NULL;
  if (self->failures->len > 0 && !asb_upload_config_get_partial_success (config))
    {
      g_propagate_error (error, asb_upload_failures_to_error (self->failures, self->source.shown));
      return NULL;
    }
  self->manifest = asb_upload_manifest_new (self);
  return g_steal_pointer (&self);
}

/* In a thread. */

typedef struct
{
  AsbUploadSpec *spec;
  AsbUploadConfig *config;
} Order;

static void
order_free (gpointer data)
{
  Order *order = data;

  g_object_unref (order->spec);
  g_object_unref (order->config);
  g_free (order);
}

static void
scan_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Order *order = data;
  GError *error = NULL;
  AsbUploadScan *scan = asb_upload_scan_new (order->spec, order->config, cancellable, &error);

  if (scan)
    g_task_return_pointer (task, scan, (GDestroyNotify)asb_upload_scan_free);
  else
    g_task_return_error (task, error);
}

void
asb_upload_scan_async (AsbUploadSpec *spec, AsbUploadConfig *config, GCancellable *cancellable,
                       GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Order *order = g_new0 (Order, 1);

  order->spec = g_object_ref (spec);
  order->config = g_object_ref (config);
  g_task_set_source_tag (task, asb_upload_scan_async);
  g_task_set_task_data (task, order, order_free);
  g_task_run_in_thread (task, scan_in_thread);
}

AsbUploadScan *
asb_upload_scan_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
