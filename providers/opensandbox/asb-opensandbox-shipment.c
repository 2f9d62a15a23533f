/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-shipment.h"

#include <asb.h>
#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-standstill.h"
#include "asb-opensandbox-thread.h"
#include "asb-opensandbox-upload-stream.h"
#include "asb-opensandbox-watched.h"

#define PIPE_CAPACITY (256 * 1024)

/* Proxies pass each chunk on by itself, and there are many small things to say. */
#define CHUNK_SIZE (64 * 1024)

struct _AsbOpensandboxShipment
{
  gatomicrefcount references; /* of the two threads */
  AsbOpensandboxExecd *execd;
  char *what;
  char *boundary;
  AsbPipe *pipe;
  GOutputStream *output; /* of the writing thread */
  guint n_files;
  guint64 size;

  AsbOpensandboxWatched *body;          /* [io] */
  AsbOpensandboxStandstill *standstill; /* [io] while it is on its way */

  GMutex lock;
  GCond changed;
  gboolean is_over;
  GError *error;
};

static void
shipment_unref (AsbOpensandboxShipment *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_object (&self->execd);
  g_clear_object (&self->output);
  g_clear_object (&self->body);
  g_clear_error (&self->error);
  asb_pipe_unref (self->pipe);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self->boundary);
  g_free (self->what);
  g_free (self);
}

/* [io] */

static void
conclude (AsbOpensandboxShipment *self, GError *error)
{
  g_autoptr (GError) over = NULL;

  if (error)
    asb_pipe_stop (self->pipe, error);
  else
    {
      /* What comes behind the end of it. */
      over = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CLOSED, "The upload is over");
      asb_pipe_stop (self->pipe, over);
    }
  g_mutex_lock (&self->lock);
  self->is_over = TRUE;
  self->error = error;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);
}

static GError *
describe (AsbOpensandboxShipment *self, GError *error)
{
  gboolean is_lost = asb_opensandbox_error_is_outcome_unknown (error);

  if (asb_opensandbox_execd_is_closed (self->execd))
    {
      g_error_free (error);
      return g_error_new_literal (ASB_ERROR, ASB_ERROR_CLOSED, "The transport is closed");
    }
  if (asb_opensandbox_standstill_get_error (self->standstill))
    {
      g_error_free (error);
      error = g_error_copy (asb_opensandbox_standstill_get_error (self->standstill));
      g_prefix_error (&error, "Could not %s: ", self->what);
      return error;
    }
  if (is_lost)
    {
      g_error_free (error);
      return g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                          "Could not %s: the answer to an upload was lost", self->what);
    }
  if (error->domain == ASB_ERROR && strstr (error->message, "no space left on device"))
    error->code = ASB_ERROR_NO_SPACE;
  return error;
}

static void
sent_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxShipment *self = user_data;
  GError *error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  asb_opensandbox_watched_leave (self->body);
  if (error)
    error = describe (self, error);
  g_clear_pointer (&self->standstill, asb_opensandbox_standstill_free);
  conclude (self, error);
  shipment_unref (self);
}

/* Whoever packs may take his time, the sandbox may not. */
static void
watch_cb (gboolean is_sending, gpointer data)
{
  AsbOpensandboxShipment *self = data;

  if (is_sending)
    asb_opensandbox_standstill_begin (self->standstill);
  else
    asb_opensandbox_standstill_end (self->standstill);
}

static void
send_in_thread (gpointer data)
{
  AsbOpensandboxShipment *self = data;
  g_autoptr (AsbOpensandboxRequest) request
      = asb_opensandbox_execd_new_request (self->execd, "POST", "/files/upload", self->what);
  g_autoptr (GInputStream) content = asb_pipe_create_input_stream (self->pipe, NULL);
  g_autofree char *type = asb_opensandbox_upload_stream_type (self->boundary);

  self->standstill = asb_opensandbox_standstill_new_idle (self->execd);
  self->body = asb_opensandbox_watched_new (content, watch_cb, self);
  asb_opensandbox_request_set_timeout (request, 0);
  asb_opensandbox_request_set_once (request);
  asb_opensandbox_request_set_stream (request, type, G_INPUT_STREAM (self->body), -1);
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (self->execd), request,
                                     asb_opensandbox_standstill_get_cancellable (self->standstill),
                                     sent_cb, self);
}

static void
cancel_in_thread (gpointer data)
{
  AsbOpensandboxShipment *self = data;

  if (self->standstill)
    g_cancellable_cancel (asb_opensandbox_standstill_get_cancellable (self->standstill));
  shipment_unref (self);
}

/* The writing thread. */

AsbOpensandboxShipment *
asb_opensandbox_shipment_new (AsbOpensandboxExecd *execd, const char *what)
{
  AsbOpensandboxShipment *self = g_new0 (AsbOpensandboxShipment, 1);
  g_autofree char *uuid = g_uuid_string_random ();
  g_autoptr (GOutputStream) output = NULL;

  g_atomic_ref_count_init (&self->references);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->execd = g_object_ref (execd);
  self->what = g_strdup (what);
  self->boundary = g_strconcat ("asb-", uuid, NULL);
  self->pipe = asb_pipe_new (PIPE_CAPACITY);
  output = asb_pipe_create_output_stream (self->pipe, ASB_PIPE_CLOSE_AT_ONCE, NULL);
  self->output = g_buffered_output_stream_new_sized (output, CHUNK_SIZE);
  g_atomic_ref_count_inc (&self->references);
  asb_opensandbox_thread_post (send_in_thread, self);
  return self;
}

gboolean
asb_opensandbox_shipment_write (AsbOpensandboxShipment *self, gconstpointer bytes, gsize size,
                                GError **error)
{
  self->size += size;
  return g_output_stream_write_all (self->output, bytes, size, NULL, NULL, error);
}

gboolean
asb_opensandbox_shipment_begin_file (AsbOpensandboxShipment *self, const char *path, guint mode,
                                     GError **error)
{
  g_autofree char *frame
      = asb_opensandbox_upload_stream_frame (self->boundary, self->n_files == 0, path, mode);

  self->n_files++;
  return asb_opensandbox_shipment_write (self, frame, strlen (frame), error);
}

static gboolean
wait_until_over (AsbOpensandboxShipment *self, GError **error)
{
  g_mutex_lock (&self->lock);
  while (!self->is_over)
    g_cond_wait (&self->changed, &self->lock);
  if (self->error && error)
    *error = g_error_copy (self->error);
  g_mutex_unlock (&self->lock);
  return self->error == NULL;
}

gboolean
asb_opensandbox_shipment_end (AsbOpensandboxShipment *self, GError **error)
{
  g_autofree char *tail = g_strdup_printf ("\r\n--%s--\r\n", self->boundary);

  if (!asb_opensandbox_shipment_write (self, tail, strlen (tail), error)
      || !g_output_stream_close (self->output, NULL, error))
    return FALSE;
  return wait_until_over (self, error);
}

void
asb_opensandbox_shipment_free (AsbOpensandboxShipment *self)
{
  g_atomic_ref_count_inc (&self->references);
  asb_opensandbox_thread_post (cancel_in_thread, self);
  wait_until_over (self, NULL);
  shipment_unref (self);
}

guint
asb_opensandbox_shipment_get_n_files (AsbOpensandboxShipment *self)
{
  return self->n_files;
}

guint64
asb_opensandbox_shipment_get_size (AsbOpensandboxShipment *self)
{
  return self->size;
}
