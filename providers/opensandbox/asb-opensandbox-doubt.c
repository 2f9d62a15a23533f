/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-doubt.h"

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-inquiry.h"
#include "asb-opensandbox-thread.h"

#define FIRST_MS 1000

struct _AsbOpensandboxDoubt
{
  AsbOpensandboxClient *client;
  AsbOpensandboxRequest *request;
  AsbOpensandboxDoubtFunc function; /* NULL: nobody wants to know any more */
  gpointer data;
  guint milliseconds; /* of silence until the next question */
  GSource *timer;
  GCancellable *asking; /* NULL: nothing is being asked */
};

static void
doubt_free (AsbOpensandboxDoubt *self)
{
  asb_opensandbox_thread_clear_timer (&self->timer);
  g_clear_object (&self->asking);
  asb_opensandbox_request_unref (self->request);
  g_object_unref (self->client);
  g_free (self);
}

static void wait_longer (AsbOpensandboxDoubt *self);

static void
judged_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AsbOpensandboxDoubt *self = data;
  g_autoptr (GError) verdict = asb_opensandbox_inquiry_finish (result);

  g_clear_object (&self->asking);
  if (!self->function)
    {
      doubt_free (self);
      return;
    }
  if (verdict)
    {
      self->function (self->data, g_steal_pointer (&verdict));
      return;
    }
  self->milliseconds *= 2;
  wait_longer (self);
}

static gboolean
silent_cb (gpointer data)
{
  AsbOpensandboxDoubt *self = data;
  AsbOpensandboxEndpoint *endpoint = asb_opensandbox_request_get_endpoint (self->request);
  g_autoptr (GError) fault = asb_opensandbox_error_timed_out (
      endpoint, asb_opensandbox_request_get_what (self->request), self->milliseconds);

  asb_opensandbox_thread_clear_timer (&self->timer);
  self->asking = g_cancellable_new ();
  asb_opensandbox_inquiry_async (self->client, endpoint->sandbox_id, fault, self->asking, judged_cb,
                                 self);
  return G_SOURCE_REMOVE;
}

static void
wait_longer (AsbOpensandboxDoubt *self)
{
  self->timer = asb_opensandbox_thread_add_timer (self->milliseconds, silent_cb, self);
}

AsbOpensandboxDoubt *
asb_opensandbox_doubt_begin (AsbOpensandboxClient *client, AsbOpensandboxRequest *request,
                             AsbOpensandboxDoubtFunc function, gpointer data)
{
  AsbOpensandboxDoubt *self = g_new0 (AsbOpensandboxDoubt, 1);

  self->client = g_object_ref (client);
  self->request = asb_opensandbox_request_ref (request);
  self->function = function;
  self->data = data;
  self->milliseconds = FIRST_MS;
  wait_longer (self);
  return self;
}

void
asb_opensandbox_doubt_end (AsbOpensandboxDoubt *self)
{
  self->function = NULL;
  if (self->asking)
    g_cancellable_cancel (self->asking);
  else
    doubt_free (self);
}
