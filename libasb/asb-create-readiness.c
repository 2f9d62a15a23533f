/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-create-readiness-private.h"

#include "asb-backend-options.h"
#include "asb-call-private.h"
#include "asb-error.h"
#include "asb-timer-private.h"

#define PAUSE_MS 200

typedef struct
{
  AsbSandboxRef *ref;
  AsbClosure *check;
  GCancellable *stop; /* by the caller, or since the time is up */
  gulong chain;
  GSource *alarm;
  double timeout_seconds;
  GError *last_error;
} Waiting;

static void ask (GTask *task);

static void
waiting_free (gpointer data)
{
  Waiting *waiting = data;

  g_clear_object (&waiting->ref);
  g_clear_object (&waiting->stop);
  asb_closure_unref (waiting->check);
  g_clear_error (&waiting->last_error);
  g_free (waiting);
}

/* Takes nothing more of the caller's cancellable or of its context. */
static void
end (GTask *task)
{
  Waiting *waiting = g_task_get_task_data (task);

  g_cancellable_disconnect (g_task_get_cancellable (task), waiting->chain);
  waiting->chain = 0;
  asb_source_clear (&waiting->alarm);
}

static void
give_up (GTask *task)
{
  Waiting *waiting = g_task_get_task_data (task);

  if (g_task_return_error_if_cancelled (task))
    return;
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_TIMED_OUT,
                           "Sandbox “%s” did not get ready within %g s: %s; see what its programs "
                           "wait for, or allow more time with “ready-timeout-seconds”",
                           asb_sandbox_ref_get_sandbox_id (waiting->ref), waiting->timeout_seconds,
                           waiting->last_error ? waiting->last_error->message
                                               : "the readiness check said “not yet”");
}

static gboolean
ask_again_cb (gpointer data)
{
  ask (data);
  return G_SOURCE_REMOVE;
}

static void
pause_a_little (GTask *task)
{
  g_autoptr (GSource) source = g_timeout_source_new (PAUSE_MS);

  g_source_set_static_name (source, "asb readiness");
  g_source_set_callback (source, ask_again_cb, g_object_ref (task), g_object_unref);
  g_source_attach (source, g_task_get_context (task));
}

static void
answered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Waiting *waiting = g_task_get_task_data (task);
  GError *error = NULL;
  gboolean is_ready = asb_call_finish_boolean (source, result, &error);

  if (is_ready)
    {
      end (task);
      g_task_return_boolean (task, TRUE);
      return;
    }
  /* That it was stopped says nothing about the sandbox. */
  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_error (&waiting->last_error);
      waiting->last_error = g_steal_pointer (&error);
    }
  g_clear_error (&error);
  pause_a_little (task);
}

static void
ask (GTask *task)
{
  static const AsbCallKind kind = { "ask whether the sandbox is ready", 120, NULL };
  AsbProvider *provider = g_task_get_source_object (task);
  Waiting *waiting = g_task_get_task_data (task);
  g_autoptr (GTask) inner = NULL;

  if (g_cancellable_is_cancelled (waiting->stop))
    {
      end (task);
      give_up (task);
      return;
    }
  inner = asb_call_begin (provider, &kind, G_TYPE_BOOLEAN, waiting->stop, answered_cb,
                          g_object_ref (task), asb_create_readiness_async);
  ((AsbReadinessCheck)waiting->check->function) (provider, waiting->ref, inner,
                                                 waiting->check->user_data);
}

static gboolean
time_up_cb (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_REMOVE;
}

static void
chain_cb (GCancellable *cancellable, GCancellable *stop)
{
  g_cancellable_cancel (stop);
}

static void
start_alarm (GTask *task)
{
  Waiting *waiting = g_task_get_task_data (task);
  double ms = waiting->timeout_seconds * 1000;

  waiting->alarm = g_timeout_source_new ((guint)MIN (ms, G_MAXUINT));
  g_source_set_static_name (waiting->alarm, "asb readiness limit");
  g_source_set_callback (waiting->alarm, time_up_cb, g_object_ref (waiting->stop), g_object_unref);
  g_source_attach (waiting->alarm, g_task_get_context (task));
}

void
asb_create_readiness_async (AsbProvider *provider, AsbSandboxRef *ref, AsbClosure *check,
                            double timeout_seconds, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (provider, cancellable, callback, user_data);
  Waiting *waiting = g_new0 (Waiting, 1);

  waiting->ref = g_object_ref (ref);
  waiting->check = asb_closure_ref (check);
  waiting->timeout_seconds = timeout_seconds;
  waiting->stop = g_cancellable_new ();
  g_task_set_source_tag (task, asb_create_readiness_async);
  g_task_set_task_data (task, waiting, waiting_free);
  start_alarm (task);
  if (cancellable)
    waiting->chain = g_cancellable_connect (cancellable, G_CALLBACK (chain_cb),
                                            g_object_ref (waiting->stop), g_object_unref);
  ask (task);
}

gboolean
asb_create_readiness_finish (AsbProvider *provider, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, provider), FALSE);

  return g_task_propagate_boolean (G_TASK (result), error);
}
