/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-folders-private.h"

#include <string.h>

#include "asb-error.h"

struct _AsbUploadFolders
{
  AsbTransport *transport;
  GHashTable *known; /* of char *: those that are there */
  GPtrArray *made;   /* of char *, which “known” owns */
  char *path;        /* that is being made, … */
  gsize length;      /* … but for so much of it */
};

AsbUploadFolders *
asb_upload_folders_new (AsbTransport *transport)
{
  AsbUploadFolders *self = g_new0 (AsbUploadFolders, 1);

  self->transport = g_object_ref (transport);
  self->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->made = g_ptr_array_new ();
  return self;
}

void
asb_upload_folders_free (AsbUploadFolders *self)
{
  g_object_unref (self->transport);
  g_ptr_array_unref (self->made);
  g_hash_table_unref (self->known);
  g_free (self->path);
  g_free (self);
}

/* Making them. */

static void make_next (GTask *task);

static void
made_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  AsbUploadFolders *self = g_task_get_task_data (task);
  GError *error = NULL;
  gboolean is_new = asb_transport_make_directory_finish (ASB_TRANSPORT (source), result, &error);
  char *path;

  /* Whatever it is: what is to be put into it will find out. */
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_ALREADY_EXISTS))
    g_clear_error (&error);
  if (error)
    {
      g_task_return_error (task, error);
      g_object_unref (task);
      return;
    }
  path = g_strndup (self->path, self->length);
  g_hash_table_add (self->known, path);
  if (is_new)
    g_ptr_array_add (self->made, path);
  make_next (task);
}

/* The next one on the way that is not known. Returns: (transfer full) (nullable) */
static char *
find_next (AsbUploadFolders *self)
{
  while (self->path[self->length])
    {
      g_autofree char *path = NULL;

      self->length += 1 + strcspn (self->path + self->length + 1, "/");
      path = g_strndup (self->path, self->length);
      if (!g_hash_table_contains (self->known, path))
        return g_steal_pointer (&path);
    }
  return NULL;
}

static void
make_next (GTask *task)
{
  AsbUploadFolders *self = g_task_get_task_data (task);
  g_autofree char *path = find_next (self);
  g_autoptr (AsbFileRequest) request = NULL;

  if (!path)
    {
      g_task_return_boolean (task, TRUE);
      g_object_unref (task);
      return;
    }
  request = asb_file_request_new_for_path (path);
  asb_file_request_set_flags (request, ASB_FILE_FLAGS_NO_PARENTS);
  asb_transport_make_directory_async (self->transport, request, g_task_get_cancellable (task),
                                      made_cb, task);
}

void
asb_upload_folders_make_async (AsbUploadFolders *self, const char *path, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (self->transport, cancellable, callback, user_data);

  g_free (self->path);
  self->path = g_strdup (g_str_equal (path, "/") ? "" : path);
  self->length = 0;
  g_task_set_source_tag (task, asb_upload_folders_make_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, self, NULL);
  make_next (task);
}

gboolean
asb_upload_folders_make_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

/* Removing them. */

static void remove_next (GTask *task);

static void
removed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  if (!asb_transport_delete_file_finish (ASB_TRANSPORT (source), result, &error))
    g_debug ("A folder that an upload made was not removed: %s", error->message);
  remove_next (user_data);
}

static void
remove_next (GTask *task)
{
  AsbUploadFolders *self = g_task_get_task_data (task);
  g_autoptr (AsbFileRequest) request = NULL;

  if (self->made->len == 0)
    {
      g_task_return_boolean (task, TRUE);
      g_object_unref (task);
      return;
    }
  request
      = asb_file_request_new_for_path (g_ptr_array_steal_index (self->made, self->made->len - 1));
  asb_transport_delete_file_async (self->transport, request, NULL, removed_cb, task);
}

void
asb_upload_folders_remove_async (AsbUploadFolders *self, GAsyncReadyCallback callback,
                                 gpointer user_data)
{
  GTask *task = g_task_new (self->transport, NULL, callback, user_data);

  g_task_set_source_tag (task, asb_upload_folders_remove_async);
  g_task_set_task_data (task, self, NULL);
  remove_next (task);
}
