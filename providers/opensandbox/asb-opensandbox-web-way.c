/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-web-way.h"

#include <string.h>

#include "asb-opensandbox-cancel.h"
#include "asb-opensandbox-elf.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-guest-start.h"
#include "asb-opensandbox-parcel.h"
#include "asb-opensandbox-websocket-opening.h"

#define READY_TIMEOUT_MS 10000

/* How much of the hash of the guest is at the end of its name. */
#define HASH_DIGITS 16

typedef struct
{
  AsbOpensandboxVisit *visit;           /* borrowed: it outlives us */
  AsbOpensandboxParcel *parcel;         /* the guest, once it was sent */
  GError *missing;                      /* what was said when it was found to be missing */
  AsbOpensandboxCancelWatch *cancelled; /* while somebody else puts the guest there */
  gboolean is_fresh;                    /* the guest has just said that it listens */
} Way;

static void
way_free (gpointer data)
{
  Way *self = data;

  g_clear_pointer (&self->parcel, asb_opensandbox_parcel_free);
  g_clear_error (&self->missing);
  g_free (self);
}

static void start (GTask *task);

/* Another way is to be tried. */
static void
note_shut (AsbOpensandboxVisit *visit, const GError *error)
{
  g_free (visit->no_websocket);
  visit->no_websocket = g_strdup (error->message);
}

/* Takes @error, and a reference to @task. */
static void
handle_failure (GTask *data, GError *error)
{
  g_autoptr (GTask) task = data;
  Way *self = g_task_get_task_data (task);

  /* No other way leads into a sandbox that sleeps or is gone. */
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      || g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE)
      || asb_opensandbox_error_is_gone (error))
    {
      g_task_return_error (task, error);
      return;
    }
  asb_opensandbox_site_forget_door (self->visit->site);
  if (!self->is_fresh)
    {
      g_error_free (error);
      start (g_steal_pointer (&task));
      return;
    }
  note_shut (self->visit, error);
  /* Somebody said no. Silence, or a connection that failed, may have been a moment. */
  self->visit->is_shut_for_good = asb_opensandbox_error_get_status (error) != 0
                                  || g_error_matches (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_task_return_error (task, error);
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  AsbOpensandboxWebsocketLink *link = asb_opensandbox_websocket_opening_finish (result, &error);

  if (link)
    g_task_return_pointer (task, link, (GDestroyNotify)asb_opensandbox_websocket_link_unref);
  else
    handle_failure (g_steal_pointer (&task), error);
}

/* Takes @task. */
static void
come_in (GTask *task)
{
  Way *self = g_task_get_task_data (task);
  g_autofree char *path = g_strdup_printf ("/proxy/%u/", self->visit->site->port);
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_execd_new_request (
      self->visit->execd, "GET", path, "reach the guest by a WebSocket");

  asb_opensandbox_websocket_opening_async (asb_opensandbox_execd_get_client (self->visit->execd),
                                           request, &asb_opensandbox_websocket_plain, NULL,
                                           READY_TIMEOUT_MS, self->visit->cancellable, opened_cb,
                                           task);
}

/* The guest. Where it is missing it is put while we are at it: whoever called has a way of its own,
 * which takes longer, for all that goes wrong here. */

static void start_guest (GTask *task, const AsbOpensandboxArrival *arrival);

static gboolean
ends_with_hash (const char *program)
{
  const char *hash = strrchr (program, '-');

  return hash && strlen (hash + 1) == HASH_DIGITS
         && strspn (hash + 1, "0123456789abcdef") == HASH_DIGITS;
}

static gboolean
can_place (AsbOpensandboxVisit *visit)
{
  return visit->program && visit->place && ends_with_hash (visit->argv[0])
         && asb_opensandbox_elf_check (visit->program, visit->site->architecture, NULL);
}

/* Whoever waited looks whether it is there now. */
static void
end_placing (AsbOpensandboxSite *site)
{
  g_autoptr (GPtrArray) waiting = g_steal_pointer (&site->placing);

  g_ptr_array_set_free_func (waiting, NULL);
  for (guint i = 0; i < waiting->len; i++)
    {
      asb_opensandbox_cancel_unwatch (
          &((Way *)g_task_get_task_data (waiting->pdata[i]))->cancelled);
      start_guest (waiting->pdata[i], NULL);
    }
}

static void
waiting_cancelled_cb (gpointer data)
{
  g_autoptr (GTask) task = g_object_ref (data);
  Way *self = g_task_get_task_data (task);

  asb_opensandbox_cancel_unwatch (&self->cancelled);
  g_ptr_array_remove (self->visit->site->placing, task);
  g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
}

/* Takes @task. */
static void
wait_for_placing (GTask *task)
{
  Way *self = g_task_get_task_data (task);

  g_ptr_array_add (self->visit->site->placing, task);
  self->cancelled
      = asb_opensandbox_cancel_watch (self->visit->cancellable, waiting_cancelled_cb, task);
}

/* Takes @task. Whether it is missing was a guess unless somebody said so. */
static void
give_up_placing (GTask *task)
{
  Way *self = g_task_get_task_data (task);

  g_clear_pointer (&self->parcel, asb_opensandbox_parcel_free);
  asb_opensandbox_site_set_vacancy (self->visit->site, NULL);
  end_placing (self->visit->site);
  if (!self->missing)
    {
      start_guest (task, NULL);
      return;
    }
  g_task_return_error (task, g_steal_pointer (&self->missing));
  g_object_unref (task);
}

static void
sent_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Way *self = g_task_get_task_data (task);
  AsbOpensandboxVisit *visit = self->visit;
  AsbOpensandboxArrival arrival = { .path = visit->place, .is_guess = !self->missing };
  GError *error = NULL;
  gboolean is_sent = asb_opensandbox_parcel_send_finish (result, NULL);

  if (g_cancellable_set_error_if_cancelled (visit->cancellable, &error))
    {
      if (is_sent)
        asb_opensandbox_parcel_discard (self->parcel, visit->execd);
      end_placing (visit->site);
      g_task_return_error (task, error);
      g_object_unref (task);
      return;
    }
  if (!is_sent)
    {
      give_up_placing (task);
      return;
    }
  arrival.temporary = asb_opensandbox_parcel_get_temporary (self->parcel);
  arrival.size = g_bytes_get_size (visit->program);
  start_guest (task, &arrival);
}

/* Takes @task. */
static void
place (GTask *task)
{
  Way *self = g_task_get_task_data (task);
  AsbOpensandboxVisit *visit = self->visit;

  if (visit->site->placing)
    {
      g_clear_error (&self->missing);
      wait_for_placing (task);
      return;
    }
  visit->site->placing = g_ptr_array_new_with_free_func (g_object_unref);
  self->parcel = asb_opensandbox_parcel_new (visit->place, visit->program);
  asb_opensandbox_parcel_send_async (self->parcel, visit->execd, visit->cancellable, sent_cb, task);
}

static gboolean
is_missing (const GError *error)
{
  return g_error_matches (error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND);
}

static void
remember_vacancy (AsbOpensandboxVisit *visit)
{
  g_autofree char *bin = visit->place ? g_path_get_dirname (visit->place) : NULL;
  g_autofree char *folder = bin ? g_path_get_dirname (bin) : NULL;

  if (folder)
    asb_opensandbox_site_set_vacancy (visit->site, folder);
}

static void
started_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Way *self = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  gboolean is_there = asb_opensandbox_guest_start_finish (result, &error);

  if (self->parcel)
    end_placing (self->visit->site);
  if (is_there)
    {
      come_in (g_steal_pointer (&task));
      return;
    }
  /* A PTY's words are kept in no file. */
  if (self->visit->is_unheard)
    note_shut (self->visit, error);
  /* What looks at it may not have been run. */
  if (self->parcel && !is_missing (error))
    asb_opensandbox_parcel_discard (self->parcel, self->visit->execd);
  if (is_missing (error) && !self->parcel && can_place (self->visit))
    {
      remember_vacancy (self->visit);
      self->missing = g_steal_pointer (&error);
      place (g_steal_pointer (&task));
    }
  else
    g_task_return_error (task, g_steal_pointer (&error));
}

/* Takes @task. */
static void
start_guest (GTask *task, const AsbOpensandboxArrival *arrival)
{
  Way *self = g_task_get_task_data (task);

  asb_opensandbox_guest_start_async (self->visit, arrival, started_cb, task);
}

static void
guess_place (AsbOpensandboxVisit *visit)
{
  const char *folder = asb_opensandbox_site_get_vacancy (visit->site);
  g_autofree char *name = g_path_get_basename (visit->argv[0]);

  if (folder && !visit->place)
    visit->place = g_build_filename (folder, "bin", name, NULL);
}

/* Takes @task. */
static void
start (GTask *task)
{
  Way *self = g_task_get_task_data (task);

  self->is_fresh = TRUE;
  guess_place (self->visit);
  if (can_place (self->visit))
    place (task);
  else
    start_guest (task, NULL);
}

void
asb_opensandbox_web_way_open_async (AsbOpensandboxVisit *visit, GAsyncReadyCallback callback,
                                    gpointer user_data)
{
  GTask *task = g_task_new (NULL, NULL, callback, user_data);
  Way *self = g_new0 (Way, 1);

  self->visit = visit;
  g_task_set_source_tag (task, asb_opensandbox_web_way_open_async);
  g_task_set_task_data (task, self, way_free);
  if (asb_opensandbox_site_has_door (visit->site, visit->token))
    come_in (task);
  else
    start (task);
}

AsbOpensandboxWebsocketLink *
asb_opensandbox_web_way_open_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
