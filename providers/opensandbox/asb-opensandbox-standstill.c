/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-standstill.h"

#include "asb-opensandbox-inquiry.h"
#include "asb-opensandbox-thread.h"

/* A question to the server, which may be answered when nobody waits any more. */
typedef struct
{
  AsbOpensandboxStandstill *asker; /* NULL: nobody */
} Question;

struct _AsbOpensandboxStandstill
{
  AsbOpensandboxExecd *execd;
  guint milliseconds;
  const char *words; /* what is said when it took too long */
  GCancellable *cancellable;
  gulong chain;
  GSource *timer;
  Question *question;
  GError *error;
};

static void
closed_cb (GCancellable *closed, gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
}

AsbOpensandboxStandstill *
asb_opensandbox_standstill_new (AsbOpensandboxExecd *execd, guint milliseconds, const char *words)
{
  AsbOpensandboxStandstill *self = g_new0 (AsbOpensandboxStandstill, 1);

  self->execd = g_object_ref (execd);
  self->milliseconds = milliseconds;
  self->words = words;
  self->cancellable = g_cancellable_new ();
  self->chain = g_cancellable_connect (asb_opensandbox_execd_get_cancellable (execd),
                                       G_CALLBACK (closed_cb), g_object_ref (self->cancellable),
                                       g_object_unref);
  return self;
}

AsbOpensandboxStandstill *
asb_opensandbox_standstill_new_idle (AsbOpensandboxExecd *execd)
{
  AsbOpensandboxClient *client = asb_opensandbox_execd_get_client (execd);
  double seconds = asb_opensandbox_client_get_settings (client)->idle_timeout_seconds;

  return asb_opensandbox_standstill_new (execd, asb_opensandbox_settings_to_milliseconds (seconds),
                                         NULL);
}

GCancellable *
asb_opensandbox_standstill_get_cancellable (AsbOpensandboxStandstill *self)
{
  return self->cancellable;
}

const GError *
asb_opensandbox_standstill_get_error (AsbOpensandboxStandstill *self)
{
  return self->error;
}

/* Takes @error. */
static void
give_up (AsbOpensandboxStandstill *self, GError *error)
{
  self->error = error;
  g_cancellable_cancel (self->cancellable);
}

static GError *
new_fault (AsbOpensandboxStandstill *self)
{
  if (self->words)
    return g_error_new_literal (ASB_ERROR, ASB_ERROR_INTERRUPTED, self->words);
  return g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                      "nothing went on for %g s (“idle-timeout-seconds”)",
                      self->milliseconds / 1000.0);
}

static void
asked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autofree Question *question = user_data;
  AsbOpensandboxStandstill *self = question->asker;
  g_autoptr (GError) verdict = asb_opensandbox_inquiry_finish (result);

  if (!self)
    return;
  self->question = NULL;
  if (verdict && asb_opensandbox_inquiry_is_pause (verdict))
    asb_opensandbox_standstill_begin (self);
  else
    give_up (self, verdict ? g_steal_pointer (&verdict) : new_fault (self));
}

static gboolean
timer_cb (gpointer user_data)
{
  AsbOpensandboxStandstill *self = user_data;
  const char *sandbox_id = asb_opensandbox_execd_get_sandbox (self->execd);
  g_autoptr (GError) fault = new_fault (self);

  asb_opensandbox_thread_clear_timer (&self->timer);
  if (!sandbox_id)
    {
      give_up (self, g_steal_pointer (&fault));
      return G_SOURCE_REMOVE;
    }
  self->question = g_new0 (Question, 1);
  self->question->asker = self;
  asb_opensandbox_inquiry_async (asb_opensandbox_execd_get_client (self->execd), sandbox_id, fault,
                                 self->cancellable, asked_cb, self->question);
  return G_SOURCE_REMOVE;
}

void
asb_opensandbox_standstill_begin (AsbOpensandboxStandstill *self)
{
  asb_opensandbox_standstill_end (self);
  self->timer = asb_opensandbox_thread_add_timer (self->milliseconds, timer_cb, self);
}

void
asb_opensandbox_standstill_end (AsbOpensandboxStandstill *self)
{
  asb_opensandbox_thread_clear_timer (&self->timer);
  if (self->question)
    self->question->asker = NULL;
  self->question = NULL;
}

void
asb_opensandbox_standstill_free (AsbOpensandboxStandstill *self)
{
  asb_opensandbox_standstill_end (self);
  g_cancellable_disconnect (asb_opensandbox_execd_get_cancellable (self->execd), self->chain);
  g_clear_object (&self->execd);
  g_clear_object (&self->cancellable);
  g_clear_error (&self->error);
  g_free (self);
}
