/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-call.h"

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-get.h"
#include "asb-opensandbox-identity.h"

AsbOpensandboxCall *
asb_opensandbox_call_new (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id)
{
  AsbOpensandboxCall *self = g_new0 (AsbOpensandboxCall, 1);

  self->lifecycle = g_object_ref (lifecycle);
  self->sandbox_id = g_strdup (sandbox_id);
  return self;
}

void
asb_opensandbox_call_free (AsbOpensandboxCall *self)
{
  if (self->free_state)
    self->free_state (self->state);
  g_clear_object (&self->lifecycle);
  g_clear_object (&self->object);
  g_clear_pointer (&self->body, json_node_unref);
  g_strfreev (self->targets);
  g_free (self->sandbox_id);
  g_free (self->name);
  g_free (self->scope);
  g_free (self);
}

void
asb_opensandbox_call_run (AsbOpensandboxCall *call, GTask *task, AsbOpensandboxTaskFunc function)
{
  /* What was done before the cancellation came counts: the core undoes what nobody waits for. */
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, call, (GDestroyNotify)asb_opensandbox_call_free);
  if (call->sandbox_id && !asb_opensandbox_identity_is_id (call->sandbox_id))
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND,
                             "There is no sandbox “%s”", call->sandbox_id);
  else
    asb_opensandbox_thread_run (task, function);
}

AsbOpensandboxCall *
asb_opensandbox_call_get (GTask *task)
{
  return g_task_get_task_data (task);
}

void
asb_opensandbox_call_send (GTask *task, AsbOpensandboxRequest *request,
                           GAsyncReadyCallback callback)
{
  g_autoptr (AsbOpensandboxRequest) owned = request;

  asb_opensandbox_lifecycle_call_async (asb_opensandbox_call_get (task)->lifecycle, owned,
                                        g_task_get_cancellable (task), callback,
                                        g_object_ref (task));
}

void
asb_opensandbox_call_return_object (GTask *task, gpointer object, GError *error)
{
  if (object)
    asb_opensandbox_answer_object (task, object);
  else
    g_task_return_error (task, error);
}

void
asb_opensandbox_call_return_variant (GTask *task, GVariant *variant, GError *error)
{
  if (variant)
    asb_opensandbox_answer_variant (task, variant);
  else
    g_task_return_error (task, error);
}

static void
got_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  AsbSandboxInfo *info
      = asb_opensandbox_get_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  asb_opensandbox_call_return_object (task, info, error);
}

void
asb_opensandbox_call_return_sandbox (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);

  asb_opensandbox_get_async (call->lifecycle, call->sandbox_id, g_task_get_cancellable (task),
                             got_cb, g_object_ref (task));
}
