/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-mock-call.h"

#include "asb-cancel-source-private.h"

AsbMockCall *
asb_mock_call_new (AsbMockProvider *provider, const char *operation, const char *sandbox_id,
                   gpointer argument, GType type, AsbMockPerform perform, GTask *task)
{
  AsbMockCall *call = g_new0 (AsbMockCall, 1);

  call->provider = provider ? g_object_ref (provider) : NULL;
  call->operation = operation;
  call->sandbox_id = g_strdup (sandbox_id);
  call->argument = argument ? g_object_ref (argument) : NULL;
  call->type = type;
  call->perform = perform;
  call->task = g_object_ref (task);
  call->break_after = -1;
  return call;
}

void
asb_mock_call_free (AsbMockCall *call)
{
  if (G_IS_VALUE (&call->answer))
    g_value_unset (&call->answer);
  g_clear_object (&call->argument);
  g_clear_pointer (&call->variant, g_variant_unref);
  g_clear_object (&call->task);
  g_clear_object (&call->provider);
  g_clear_pointer (&call->sandbox_id, g_free);
  g_free (call);
}

void
asb_mock_answer_object (GValue *answer, gpointer object)
{
  g_value_init (answer, G_OBJECT_TYPE (object));
  g_value_take_object (answer, object);
}

void
asb_mock_answer_bytes (GValue *answer, GBytes *bytes)
{
  g_value_init (answer, G_TYPE_BYTES);
  g_value_take_boxed (answer, bytes);
}

void
asb_mock_answer_boolean (GValue *answer, gboolean value)
{
  g_value_init (answer, G_TYPE_BOOLEAN);
  g_value_set_boolean (answer, value);
}

static void
return_answer (GTask *task, GValue *answer)
{
  if (G_VALUE_HOLDS_BOOLEAN (answer))
    g_task_return_boolean (task, g_value_get_boolean (answer));
  else if (G_IS_VALUE (answer))
    g_task_return_value (task, answer);
}

void
asb_mock_call_answer (AsbMockCall *call)
{
  GError *error = NULL;

  if (call->done)
    return_answer (call->task, &call->answer);
  else if (g_task_return_error_if_cancelled (call->task))
    return;
  else if (call->perform (call, &call->answer, &error))
    return_answer (call->task, &call->answer);
  else
    g_task_return_error (call->task, error);
}

/* For an operation whose answer is lost: whether it failed is of no interest then. */
static void
do_without_answering (AsbMockCall *call)
{
  call->done = call->perform (call, &call->answer, NULL);
}

static void
answer_wrongly (AsbMockCall *call)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_CANCELLABLE);
  g_value_take_object (&value, g_cancellable_new ());
  if (call->type == G_TYPE_BOOLEAN)
    g_task_return_boolean (call->task, FALSE);
  else
    g_task_return_value (call->task, &value);
}

static void
answer_emptily (AsbMockCall *call)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, call->type);
  return_answer (call->task, &value);
}

static gboolean
delay_over_cb (gpointer user_data)
{
  AsbMockCall *call = user_data;

  asb_mock_call_answer (call);
  return G_SOURCE_REMOVE;
}

static gboolean
delay_dispatch (GSource *source, GSourceFunc callback, gpointer user_data)
{
  return callback (user_data);
}

static GSourceFuncs delay_funcs = { .dispatch = delay_dispatch };

/* A cancelled call is answered at once. Takes @call. */
static void
delay (AsbMockCall *call, guint milliseconds)
{
  g_autoptr (GSource) source = g_source_new (&delay_funcs, sizeof (GSource));
  GCancellable *cancellable = g_task_get_cancellable (call->task);

  g_source_set_ready_time (source, g_get_monotonic_time () + (gint64)milliseconds * 1000);
  g_source_set_callback (source, delay_over_cb, call, (GDestroyNotify)asb_mock_call_free);
  if (cancellable)
    {
      g_autoptr (GSource) cancelled = asb_cancel_source_new (cancellable);

      g_source_add_child_source (source, cancelled);
    }
  g_source_attach (source, g_task_get_context (call->task));
}

/* Takes @call. */
static void
go_wrong (AsbMockCall *call, AsbMockFault *fault)
{
  switch (fault->kind)
    {
    case ASB_MOCK_FAULT_DELAY:
      delay (call, fault->delay_ms);
      return;
    case ASB_MOCK_FAULT_HOLD:
      asb_mock_provider_hold (call->provider, call);
      return;
    case ASB_MOCK_FAULT_FAIL:
      g_task_return_error (call->task, g_steal_pointer (&fault->error));
      break;
    case ASB_MOCK_FAULT_WRONG_TYPE:
      answer_wrongly (call);
      break;
    case ASB_MOCK_FAULT_EMPTY:
      answer_emptily (call);
      break;
    default:
      break;
    }
  asb_mock_call_free (call);
}

void
asb_mock_call_run (AsbMockCall *call)
{
  g_auto (AsbMockFault) fault = { 0 };

  if (call->provider)
    {
      asb_mock_provider_emit_called (call->provider, call->operation, call->sandbox_id);
      asb_mock_faults_count (asb_mock_provider_get_faults (call->provider), call->operation,
                             &fault);
    }
  if (fault.kind == ASB_MOCK_FAULT_BREAK)
    call->break_after = fault.after_bytes;
  if (fault.kind == ASB_MOCK_FAULT_NONE || fault.kind == ASB_MOCK_FAULT_BREAK)
    {
      asb_mock_call_answer (call);
      asb_mock_call_free (call);
      return;
    }
  if (fault.done)
    do_without_answering (call);
  go_wrong (call, &fault);
}
