/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <unistd.h>

#include "lookalike-container.h"
#include "lookalike-egress.h"
#include "lookalike-execd.h"
#include "lookalike-image.h"
#include "lookalike-json.h"
#include "lookalike-paths.h"

LookalikeSandbox *
lookalike_sandbox_new (Lookalike *lookalike)
{
  LookalikeSandbox *self = g_rc_box_new0 (LookalikeSandbox);

  self->lookalike = lookalike;
  self->id = g_uuid_string_random ();
  self->created_at = g_date_time_new_now_utc ();
  self->metadata = json_object_new ();
  self->root_fd = self->status_fd = self->namespace_fd = -1;
  lookalike_sandbox_set_state (self, LOOKALIKE_STATE_PENDING, "CREATING", NULL);
  return self;
}

LookalikeSandbox *
lookalike_sandbox_ref (LookalikeSandbox *self)
{
  return g_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  LookalikeSandbox *self = data;

  g_free (self->id);
  g_free (self->reason);
  g_free (self->message);
  g_clear_pointer (&self->created_at, g_date_time_unref);
  g_clear_pointer (&self->transition_at, g_date_time_unref);
  g_clear_pointer (&self->expires_at, g_date_time_unref);
  g_clear_pointer (&self->image, json_object_unref);
  g_free (self->snapshot_id);
  g_clear_pointer (&self->platform, json_object_unref);
  g_clear_pointer (&self->metadata, json_object_unref);
  g_clear_pointer (&self->extensions, json_object_unref);
  g_clear_pointer (&self->entrypoint, json_array_unref);
  g_free (self->secure_access);
  g_strfreev (self->environment);
  g_free (self->folder);
  g_free (self->root_path);
  g_clear_pointer (&self->egress, lookalike_egress_free);
  g_clear_pointer (&self->execd, lookalike_listener_unref);
  g_clear_pointer (&self->sidecar, lookalike_listener_unref);
}

void
lookalike_sandbox_unref (LookalikeSandbox *self)
{
  g_rc_box_release_full (self, clear);
}

static gboolean
copy_tree (const char *from, const char *to, GError **error)
{
  const char *const arguments[] = { "cp", "-a", "--reflink=auto", from, to, NULL };
  int status;

  return g_spawn_sync (NULL, (char **)arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
                       &status, error)
         && g_spawn_check_wait_status (status, error);
}

static gboolean
make_root (LookalikeSandbox *self, const LookalikeImage *image, const char *copied_from,
           GError **error)
{
  gboolean confined = self->lookalike->confined;
  g_autofree char *hostname = g_strndup (self->id, 12);
  g_auto (GStrv) base = NULL;

  self->folder = g_build_filename (self->lookalike->root, self->id, NULL);
  self->root_path = g_build_filename (self->folder, "root", NULL);
  base = lookalike_image_make_environment (image, confined ? NULL : self->root_path, hostname);
  for (guint i = 0; base[i] != NULL; i++)
    {
      g_auto (GStrv) pair = g_strsplit (base[i], "=", 2);

      self->environment = g_environ_setenv (self->environment, pair[0], pair[1], FALSE);
    }
  self->environment = g_environ_setenv (self->environment, "OPENSANDBOX_ID", self->id, TRUE);
  if (g_mkdir_with_parents (self->folder, 0755) < 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
                   "Could not make the folder “%s”: %s", self->folder, g_strerror (errno));
      return FALSE;
    }
  if (copied_from != NULL)
    return copy_tree (copied_from, self->root_path, error);
  return lookalike_image_lay_out (image, self->root_path, confined, error);
}

typedef struct
{
  LookalikeStartedFunc started;
  gpointer user_data;
} Start;

static void
started_cb (LookalikeSandbox *self, const GError *error, gpointer user_data)
{
  g_autofree Start *start = user_data;
  g_autoptr (GError) failure = error != NULL ? g_error_copy (error) : NULL;

  if (failure == NULL && self->gone)
    g_set_error_literal (&failure, G_IO_ERROR, G_IO_ERROR_CANCELLED, "It was deleted");
  if (failure == NULL && lookalike_execd_open (self, &failure))
    lookalike_egress_open (self, &failure);
  if (failure == NULL)
    lookalike_sandbox_set_state (self, LOOKALIKE_STATE_RUNNING, "CONTAINER_RUNNING",
                                 "Sandbox container started successfully.");
  lookalike_container_settle (self);
  start->started (self, failure, start->user_data);
}

void
lookalike_sandbox_start (LookalikeSandbox *self, const char *copied_from,
                         LookalikeStartedFunc started, gpointer user_data)
{
  const char *uri = lookalike_json_get_string (self->image, "uri");
  LookalikeImage image = lookalike_image_find (uri != NULL ? uri : "");
  g_autoptr (GError) error = NULL;
  Start *start;

  if (!make_root (self, &image, copied_from, &error))
    {
      started (self, error, user_data);
      return;
    }
  start = g_new0 (Start, 1);
  start->started = started;
  start->user_data = user_data;
  lookalike_container_start (self, &image, started_cb, start);
}

void
lookalike_sandbox_destroy (LookalikeSandbox *self)
{
  if (self->gone)
    return;
  self->gone = TRUE;
  g_clear_handle_id (&self->expiry, g_source_remove);
  if (self->execd != NULL)
    lookalike_listener_close (self->execd);
  if (self->sidecar != NULL)
    lookalike_listener_close (self->sidecar);
  lookalike_container_kill (self);
  lookalike_execd_close (self);
  if (self->folder != NULL)
    lookalike_remove_tree (AT_FDCWD, self->folder);
}

void
lookalike_sandbox_set_state (LookalikeSandbox *self, LookalikeState state, const char *reason,
                             const char *message)
{
  self->state = state;
  g_free (self->reason);
  self->reason = g_strdup (reason);
  g_free (self->message);
  self->message = g_strdup (message);
  g_clear_pointer (&self->transition_at, g_date_time_unref);
  self->transition_at = g_date_time_new_now_utc ();
}

const char *
lookalike_state_get_name (LookalikeState state)
{
  static const char *const names[] = { "Pending", "Running", "Paused", "Terminated", "Failed" };

  return names[state];
}

void
lookalike_sandbox_freeze (LookalikeSandbox *self)
{
  lookalike_listener_freeze (self->execd);
  if (self->sidecar != NULL)
    lookalike_listener_freeze (self->sidecar);
  lookalike_sandbox_signal_all (self, SIGSTOP);
  lookalike_sandbox_set_state (self, LOOKALIKE_STATE_PAUSED, "CONTAINER_PAUSED",
                               "Sandbox container is paused.");
}

void
lookalike_sandbox_thaw (LookalikeSandbox *self)
{
  lookalike_sandbox_signal_all (self, SIGCONT);
  if (self->sidecar != NULL)
    lookalike_listener_thaw (self->sidecar);
  lookalike_listener_thaw (self->execd);
  lookalike_sandbox_set_state (self, LOOKALIKE_STATE_RUNNING, "CONTAINER_RUNNING",
                               "Sandbox container is running.");
}

static gboolean
expire_cb (gpointer data)
{
  LookalikeSandbox *self = data;
  g_autofree char *id = g_strdup (self->id);

  self->expiry = 0;
  g_hash_table_remove (self->lookalike->sandboxes, id);
  return G_SOURCE_REMOVE;
}

void
lookalike_sandbox_set_expiry (LookalikeSandbox *self, GDateTime *when)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  gint64 left;

  g_clear_handle_id (&self->expiry, g_source_remove);
  if (when != NULL)
    g_date_time_ref (when);
  g_clear_pointer (&self->expires_at, g_date_time_unref);
  self->expires_at = when;
  if (when == NULL)
    return;
  left = g_date_time_difference (when, now) / 1000;
  self->expiry = g_timeout_add ((guint)CLAMP (left, 0, G_MAXINT), expire_cb, self);
}

void
lookalike_sandbox_touch (LookalikeSandbox *self)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autoptr (GDateTime) later = NULL;

  if (self->renew_seconds == 0 || self->expires_at == NULL)
    return;
  later = g_date_time_add_seconds (now, (double)self->renew_seconds);
  if (g_date_time_compare (later, self->expires_at) > 0)
    lookalike_sandbox_set_expiry (self, later);
}

guint16
lookalike_sandbox_map_port (LookalikeSandbox *self, guint port)
{
  if (self->gone || self->state == LOOKALIKE_STATE_TERMINATED
      || self->state == LOOKALIKE_STATE_FAILED)
    return 0;
  if (port == LOOKALIKE_EXECD_PORT)
    return self->execd != NULL ? self->execd->port : 0;
  if (port == LOOKALIKE_EGRESS_PORT)
    return self->sidecar != NULL ? self->sidecar->port : 0;
  return (guint16)port;
}
