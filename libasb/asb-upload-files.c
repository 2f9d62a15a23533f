/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-files-private.h"

#include "asb-error-private.h"
#include "asb-path-private.h"
#include "asb-upload-feed-private.h"
#include "asb-upload-folders-private.h"

/* What is to be done with one file. */
typedef struct
{
  AsbUploadEntry *entry;
  char *path;
  char *aside;        /* where it waits, and … */
  char *before;       /* … what was in its place */
  gboolean exists;    /* something is in its place */
  gboolean may_keep;  /* which may be at “before” now, … */
  gboolean is_kept;   /* … or is */
  gboolean may_place; /* it may have been put there itself */
} Item;

typedef void (*Step) (GTask *task);

typedef struct
{
  AsbTransport *transport;
  const AsbUploadScan *scan;
  gboolean skips_failed;
  gboolean is_atomic;
  AsbUploadSent *sent;
  char *target;
  char *staging;
  AsbUploadFolders *folders;
  GPtrArray *items;  /* of those that are to be written */
  Step step;         /* what is done for each of them, … */
  guint at;          /* … and of which it is the turn */
  GError *error;     /* why it is taken back */
  gboolean is_left;  /* not all that was replaced could be, … */
  gboolean is_there; /* … or not all that was put there */
} Files;

static void
item_free (gpointer data)
{
  Item *item = data;

  g_free (item->path);
  g_free (item->aside);
  g_free (item->before);
  g_free (item);
}

static void
files_free (gpointer data)
{
  Files *files = data;

  g_clear_object (&files->transport);
  g_clear_pointer (&files->folders, asb_upload_folders_free);
  g_clear_pointer (&files->items, g_ptr_array_unref);
  g_clear_error (&files->error);
  g_free (files->target);
  g_free (files->staging);
  g_free (files);
}

static Item *
item_of (GTask *task)
{
  Files *files = g_task_get_task_data (task);

  return files->at < files->items->len ? files->items->pdata[files->at] : NULL;
}

static AsbFileRequest *
new_request (const char *path, AsbFileFlags flags)
{
  AsbFileRequest *request = asb_file_request_new_for_path (path);

  asb_file_request_set_flags (request, flags);
  return request;
}

/* The end. */

static void
finish (GTask *task)
{
  Files *files = g_task_get_task_data (task);

  if (files->error)
    g_task_return_error (task, g_steal_pointer (&files->error));
  else
    g_task_return_boolean (task, TRUE);
  g_object_unref (task);
}

static void
folders_removed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  finish (user_data);
}

static void
remove_folders (GTask *task)
{
  Files *files = g_task_get_task_data (task);

  if (files->is_atomic && files->error)
    asb_upload_folders_remove_async (files->folders, folders_removed_cb, task);
  else
    finish (task);
}

static void
cleaned_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  if (!asb_transport_delete_file_finish (ASB_TRANSPORT (source), result, &error))
    g_debug ("What an upload left aside was not deleted: %s", error->message);
  remove_folders (user_data);
}

static void
tell_what_is_left (Files *files)
{
  g_autofree char *shown = asb_upload_show (files->staging);

  if (files->is_there)
    g_prefix_error (&files->error, "Not all that was put there could be taken out again: ");
  if (files->is_left)
    g_prefix_error (&files->error,
                    "Not all that was replaced could be put back; it is in “%s”: ", shown);
}

static void
clean_up (GTask *task)
{
  Files *files = g_task_get_task_data (task);
  g_autoptr (AsbFileRequest) request = new_request (files->staging, ASB_FILE_FLAGS_RECURSIVE);

  if (files->error)
    tell_what_is_left (files);
  /* There is nowhere else what was replaced. */
  if (files->is_atomic && !files->is_left)
    asb_transport_delete_file_async (files->transport, request, NULL, cleaned_cb, task);
  else
    remove_folders (task);
}

/* Taking back: from the last to the first. What fails then is left where it is. Whether a move that
 * failed was done all the same, the next one finds. */

static void take_back (GTask *task);

static void
put_back_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Files *files = g_task_get_task_data (user_data);
  const Item *item = item_of (user_data);
  g_autoptr (GError) error = NULL;

  asb_transport_move_file_finish (ASB_TRANSPORT (source), result, &error);
  if (error && (item->is_kept || !g_error_matches (error, ASB_ERROR, ASB_ERROR_FILE_NOT_FOUND)))
    {
      g_debug ("A file was not put back: %s", error->message);
      files->is_left = TRUE;
    }
  take_back (user_data);
}

static void
taken_out_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Files *files = g_task_get_task_data (user_data);
  g_autoptr (GError) error = NULL;

  asb_transport_move_file_finish (ASB_TRANSPORT (source), result, &error);
  /* It still waits, or somebody has taken it: then it is not there. */
  if (error && !g_error_matches (error, ASB_ERROR, ASB_ERROR_ALREADY_EXISTS)
      && !g_error_matches (error, ASB_ERROR, ASB_ERROR_FILE_NOT_FOUND))
    {
      g_debug ("A file was not taken back: %s", error->message);
      files->is_there = TRUE;
    }
  take_back (user_data);
}

static void
take_back_item (GTask *task, const Item *item)
{
  Files *files = g_task_get_task_data (task);
  gboolean puts_back = item->may_keep;
  g_autoptr (AsbFileRequest) request = puts_back
                                           ? new_request (item->before, ASB_FILE_FLAGS_OVERWRITE)
                                           : new_request (item->path, ASB_FILE_FLAGS_NONE);

  asb_file_request_set_new_path (request, puts_back ? item->path : item->aside);
  asb_transport_move_file_async (files->transport, request, NULL,
                                 puts_back ? put_back_cb : taken_out_cb, task);
}

static void
take_back (GTask *task)
{
  Files *files = g_task_get_task_data (task);

  while (files->at > 0)
    {
      const Item *item = files->items->pdata[--files->at];

      if (!item->may_keep && !item->may_place)
        continue;
      take_back_item (task, item);
      return;
    }
  clean_up (task);
}

/* Takes @error. */
static void
fail (GTask *task, GError *error)
{
  Files *files = g_task_get_task_data (task);

  files->error = error;
  files->at = files->is_atomic ? files->items->len : 0;
  take_back (task);
}

/* One after the other. */

static void
next (GTask *task)
{
  Files *files = g_task_get_task_data (task);

  files->at++;
  files->step (task);
}

static void
begin_step (GTask *task, Step step)
{
  Files *files = g_task_get_task_data (task);

  files->at = 0;
  files->step = step;
  step (task);
}

/* Putting in place. */

static void place (GTask *task);

static void
placed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;

  if (asb_transport_move_file_finish (ASB_TRANSPORT (source), result, &error))
    next (user_data);
  else
    fail (user_data, error);
}

/* Who cancels a move does not get to know whether it was done. */
static void
move (GTask *task, const char *from, const char *to, GAsyncReadyCallback callback)
{
  Files *files = g_task_get_task_data (task);
  g_autoptr (AsbFileRequest) request = new_request (from, ASB_FILE_FLAGS_NONE);

  asb_file_request_set_new_path (request, to);
  asb_transport_move_file_async (files->transport, request, NULL, callback, task);
}

static void
place_new (GTask *task)
{
  Item *item = item_of (task);

  item->may_place = TRUE;
  move (task, item->aside, item->path, placed_cb);
}

static void
folder_made_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;

  if (asb_upload_folders_make_finish (result, &error))
    place_new (user_data);
  else
    fail (user_data, error);
}

static void
kept_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  GError *error = NULL;

  if (!asb_transport_move_file_finish (ASB_TRANSPORT (source), result, &error))
    {
      fail (task, error);
      return;
    }
  item_of (task)->is_kept = TRUE;
  place_new (task);
}

static void
place_item (GTask *task, Item *item)
{
  Files *files = g_task_get_task_data (task);
  g_autofree char *directory = g_path_get_dirname (item->path);

  if (item->exists)
    {
      item->may_keep = TRUE;
      move (task, item->path, item->before, kept_cb);
    }
  else
    asb_upload_folders_make_async (files->folders, directory, g_task_get_cancellable (task),
                                   folder_made_cb, task);
}

static void
place (GTask *task)
{
  Item *item = item_of (task);
  GError *error = NULL;

  if (!item)
    clean_up (task);
  else if (g_cancellable_set_error_if_cancelled (g_task_get_cancellable (task), &error))
    fail (task, error);
  else
    place_item (task, item);
}

/* Writing. */

static void write_item (GTask *task);

static void
note_failure (GTask *task, const char *why)
{
  Files *files = g_task_get_task_data (task);

  item_of (task)->entry->why = why;
  files->sent->n_failed++;
}

/* It is not there, whatever became of those before it. */
static void
drop_item (GTask *task, const char *why)
{
  Files *files = g_task_get_task_data (task);

  note_failure (task, why);
  g_ptr_array_remove_index (files->items, files->at);
  files->step (task);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Files *files = g_task_get_task_data (task);
  const char *why = NULL;
  GError *error = NULL;

  if (asb_upload_feed_finish (result, &why, &error))
    {
      files->sent->n_files++;
      next (task);
    }
  else if (why && files->skips_failed)
    {
      g_error_free (error);
      drop_item (task, why);
    }
  else
    {
      if (why)
        note_failure (task, why);
      fail (task, error);
    }
}

static void
write_item (GTask *task)
{
  Files *files = g_task_get_task_data (task);
  Item *item = item_of (task);
  g_autoptr (AsbFileRequest) request = NULL;

  if (!item)
    {
      if (files->is_atomic)
        begin_step (task, place);
      else
        finish (task);
      return;
    }
  request = new_request (files->is_atomic ? item->aside : item->path, ASB_FILE_FLAGS_NONE);
  asb_file_request_set_mode (request, asb_upload_spec_get_preserve_mode (files->scan->spec)
                                          ? (int)(item->entry->status.st_mode & 0777)
                                          : ASB_UPLOAD_FILE_MODE);
  asb_upload_feed_async (files->transport, request, item->entry, files->scan->source.root_fd,
                         &files->sent->n_bytes, g_task_get_cancellable (task), written_cb, task);
}

/* Looking what is there. */

static void look (GTask *task);

static void
leave_out (GTask *task)
{
  Files *files = g_task_get_task_data (task);

  files->sent->n_files++;
  files->sent->n_skipped++;
  g_ptr_array_remove_index (files->items, files->at);
  files->step (task);
}

static void
compared_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  GError *error = NULL;
  gboolean is_same = asb_upload_feed_compare_finish (result, &error);

  if (error)
    fail (task, error);
  else if (is_same)
    leave_out (task);
  else
    next (task);
}

static GError *
new_conflict (const Item *item, const char *why)
{
  g_autofree char *shown = asb_upload_show (item->path);

  return g_error_new (ASB_ERROR, ASB_ERROR_UPLOAD_CONFLICT, "Could not upload to “%s”: %s", shown,
                      why);
}

static void
meet (GTask *task, AsbFileInfo *info)
{
  Files *files = g_task_get_task_data (task);
  Item *item = item_of (task);
  AsbUploadConflict conflict = asb_upload_spec_get_conflict (files->scan->spec);
  g_autoptr (AsbFileRequest) request = NULL;

  item->exists = TRUE;
  if (conflict == ASB_UPLOAD_CONFLICT_SKIP)
    leave_out (task);
  else if (conflict == ASB_UPLOAD_CONFLICT_ERROR)
    fail (task, new_conflict (item, "something is there already"));
  else if (asb_file_info_get_kind (info) == ASB_FILE_KIND_DIRECTORY)
    fail (task, new_conflict (item, "a directory is there"));
  else if (conflict == ASB_UPLOAD_CONFLICT_IF_CHANGED
           && asb_file_info_get_kind (info) == ASB_FILE_KIND_FILE
           && asb_file_info_get_size (info) == (guint64)item->entry->status.st_size)
    {
      request = new_request (item->path, ASB_FILE_FLAGS_NONE);
      asb_upload_feed_compare_async (files->transport, request, item->entry,
                                     g_task_get_cancellable (task), compared_cb, task);
    }
  else
    next (task);
}

static gboolean
skips (GTask *task)
{
  Files *files = g_task_get_task_data (task);

  return asb_upload_spec_get_conflict (files->scan->spec) == ASB_UPLOAD_CONFLICT_SKIP;
}

static void
looked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  GError *error = NULL;
  g_autoptr (AsbFileInfo) info
      = asb_transport_query_file_finish (ASB_TRANSPORT (source), result, &error);

  if (info)
    meet (task, info);
  else if (g_error_matches (error, ASB_ERROR, ASB_ERROR_FILE_NOT_FOUND))
    {
      g_error_free (error);
      next (task);
    }
  else if (skips (task) && g_error_matches (error, ASB_ERROR, ASB_ERROR_NOT_DIRECTORY))
    {
      g_error_free (error);
      leave_out (task);
    }
  else
    fail (task, error);
}

static void
staging_made_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;

  if (asb_upload_folders_make_finish (result, &error))
    begin_step (user_data, write_item);
  else
    fail (user_data, error);
}

static void
begin_writing (GTask *task)
{
  Files *files = g_task_get_task_data (task);

  if (files->is_atomic && files->items->len > 0)
    asb_upload_folders_make_async (files->folders, files->staging, g_task_get_cancellable (task),
                                   staging_made_cb, task);
  else
    begin_step (task, write_item);
}

static void
look (GTask *task)
{
  Files *files = g_task_get_task_data (task);
  Item *item = item_of (task);
  g_autoptr (AsbFileRequest) request = NULL;

  if (!item)
    {
      begin_writing (task);
      return;
    }
  request = new_request (item->path, ASB_FILE_FLAGS_NOFOLLOW);
  asb_transport_query_file_async (files->transport, request, g_task_get_cancellable (task),
                                  looked_cb, task);
}

/* The beginning. */

static Item *
item_new (const Files *files, AsbUploadEntry *entry, guint number)
{
  Item *item = g_new0 (Item, 1);

  item->entry = entry;
  item->path = files->scan->source.name ? g_strdup (files->target)
                                        : g_build_path ("/", files->target, entry->path, NULL);
  item->aside = g_strdup_printf ("%s/%u", files->staging, number);
  item->before = g_strdup_printf ("%s/%u.before", files->staging, number);
  return item;
}

/* Returns: FALSE with the error set for a link, which nobody here could make */
static gboolean
list_items (Files *files, GError **error)
{
  GPtrArray *entries = files->scan->entries;

  files->items = g_ptr_array_new_with_free_func (item_free);
  for (guint i = 0; i < entries->len; i++)
    {
      AsbUploadEntry *entry = entries->pdata[i];
      g_autofree char *shown = asb_upload_show (entry->path);

      if (entry->link)
        {
          g_set_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                       "Could not upload “%s”: the transport makes no symbolic links; follow links "
                       "instead",
                       shown);
          return FALSE;
        }
      g_ptr_array_add (files->items, item_new (files, entry, i));
    }
  return TRUE;
}

void
asb_upload_files_async (AsbTransport *transport, const AsbUploadScan *scan, gboolean skips_failed,
                        AsbUploadSent *sent, GCancellable *cancellable,
                        GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (transport, cancellable, callback, user_data);
  Files *files = g_new0 (Files, 1);
  g_autofree char *directory = NULL;
  GError *error = NULL;

  files->transport = g_object_ref (transport);
  files->folders = asb_upload_folders_new (transport);
  files->scan = scan;
  files->skips_failed = skips_failed;
  files->is_atomic = asb_upload_spec_get_atomic (scan->spec);
  files->sent = sent;
  files->target = asb_path_resolve ("/", asb_upload_spec_get_target (scan->spec), NULL);
  directory = g_path_get_dirname (files->target);
  files->staging = g_strdup_printf ("%s/.asb-upload-%s",
                                    g_str_equal (directory, "/") ? "" : directory, scan->upload_id);
  g_task_set_source_tag (task, asb_upload_files_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, files, files_free);
  if (list_items (files, &error))
    begin_step (task, look);
  else
    {
      g_task_return_error (task, error);
      g_object_unref (task);
    }
}

gboolean
asb_upload_files_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
