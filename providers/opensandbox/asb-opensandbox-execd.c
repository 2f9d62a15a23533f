/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-execd.h"

#include <asb.h>

/* execd keeps the reply to a command open for a second after the command has ended. */
#define MAX_DROPPED 32
#define DROPPED_AT_ONCE 4096
#define MAX_DROPPED_BYTES (1024 * 1024)

struct _AsbOpensandboxExecd
{
  GObject parent_instance;

  AsbOpensandboxClient *client;
  AsbOpensandboxEndpoint *endpoint;
  GCancellable *cancellable;
  guint n_dropped; /* [io] */
  guint n_holders; /* [io] */
  GTask *waiting;  /* [io] for none of them */
};

typedef struct
{
  AsbOpensandboxExecd *execd;
  gsize total;
} Dropping;

G_DEFINE_FINAL_TYPE (AsbOpensandboxExecd, asb_opensandbox_execd, G_TYPE_OBJECT)

static void
asb_opensandbox_execd_finalize (GObject *object)
{
  AsbOpensandboxExecd *self = ASB_OPENSANDBOX_EXECD (object);

  g_clear_object (&self->client);
  g_clear_pointer (&self->endpoint, asb_opensandbox_endpoint_unref);
  g_clear_object (&self->cancellable);
  G_OBJECT_CLASS (asb_opensandbox_execd_parent_class)->finalize (object);
}

static void
asb_opensandbox_execd_class_init (AsbOpensandboxExecdClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_opensandbox_execd_finalize;
}

static void
asb_opensandbox_execd_init (AsbOpensandboxExecd *self)
{
  self->cancellable = g_cancellable_new ();
}

AsbOpensandboxExecd *
asb_opensandbox_execd_new (AsbOpensandboxClient *client, AsbOpensandboxEndpoint *endpoint)
{
  AsbOpensandboxExecd *self = g_object_new (ASB_TYPE_OPENSANDBOX_EXECD, NULL);

  self->client = g_object_ref (client);
  self->endpoint = asb_opensandbox_endpoint_ref (endpoint);
  return self;
}

AsbOpensandboxClient *
asb_opensandbox_execd_get_client (AsbOpensandboxExecd *self)
{
  return self->client;
}

const char *
asb_opensandbox_execd_get_sandbox (AsbOpensandboxExecd *self)
{
  return self->endpoint->sandbox_id;
}

AsbOpensandboxRequest *
asb_opensandbox_execd_new_request (AsbOpensandboxExecd *self, const char *method, const char *path,
                                   const char *what)
{
  AsbOpensandboxRequest *request = asb_opensandbox_request_new (method, self->endpoint, path);

  asb_opensandbox_request_set_what (request, what);
  return request;
}

void
asb_opensandbox_execd_close (AsbOpensandboxExecd *self)
{
  g_cancellable_cancel (self->cancellable);
}

gboolean
asb_opensandbox_execd_is_closed (AsbOpensandboxExecd *self)
{
  return g_cancellable_is_cancelled (self->cancellable);
}

AsbOpensandboxExecd *
asb_opensandbox_execd_new_beside (AsbOpensandboxExecd *self)
{
  return asb_opensandbox_execd_new (self->client, self->endpoint);
}

void
asb_opensandbox_execd_hold (AsbOpensandboxExecd *self)
{
  self->n_holders++;
}

static void
answer_waiting (AsbOpensandboxExecd *self)
{
  g_autoptr (GTask) task = NULL;

  if (self->n_holders > 0 || !self->waiting)
    return;
  task = g_steal_pointer (&self->waiting);
  g_task_return_boolean (task, TRUE);
}

void
asb_opensandbox_execd_release (AsbOpensandboxExecd *self)
{
  self->n_holders--;
  answer_waiting (self);
}

void
asb_opensandbox_execd_wait (AsbOpensandboxExecd *self, GTask *task)
{
  self->waiting = g_object_ref (task);
  answer_waiting (self);
}

GCancellable *
asb_opensandbox_execd_get_cancellable (AsbOpensandboxExecd *self)
{
  return self->cancellable;
}

static void read_dropped (GInputStream *stream, Dropping *dropping);

static void
dropped_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GInputStream) stream = G_INPUT_STREAM (source);
  Dropping *dropping = user_data;
  g_autoptr (GBytes) bytes = g_input_stream_read_bytes_finish (stream, result, NULL);
  gsize size = bytes ? g_bytes_get_size (bytes) : 0;

  dropping->total += size;
  if (size > 0 && dropping->total < MAX_DROPPED_BYTES)
    {
      read_dropped (g_steal_pointer (&stream), dropping);
      return;
    }
  dropping->execd->n_dropped--;
  g_object_unref (dropping->execd);
  g_free (dropping);
  g_input_stream_close_async (stream, G_PRIORITY_LOW, NULL, NULL, NULL);
}

/* Takes @stream. */
static void
read_dropped (GInputStream *stream, Dropping *dropping)
{
  g_input_stream_read_bytes_async (stream, DROPPED_AT_ONCE, G_PRIORITY_LOW,
                                   dropping->execd->cancellable, dropped_cb, dropping);
}

void
asb_opensandbox_execd_drop_stream (AsbOpensandboxExecd *self, GInputStream *stream)
{
  Dropping *dropping;

  if (self->n_dropped >= MAX_DROPPED)
    {
      g_input_stream_close_async (stream, G_PRIORITY_LOW, NULL, NULL, NULL);
      g_object_unref (stream);
      return;
    }
  dropping = g_new0 (Dropping, 1);
  dropping->execd = g_object_ref (self);
  self->n_dropped++;
  read_dropped (stream, dropping);
}
