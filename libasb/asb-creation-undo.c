/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-creation-private.h"

#include "asb-error-private.h"

/* What was made of a backend that does not come about. */

void
asb_creation_free (gpointer data)
{
  AsbCreation *creation = data;

  g_clear_object (&creation->options);
  g_clear_object (&creation->provider);
  g_clear_object (&creation->ref);
  g_clear_pointer (&creation->workdir, g_free);
  g_clear_pointer (&creation->expires_at, g_date_time_unref);
  g_clear_object (&creation->transport);
  g_clear_pointer (&creation->no_guest, g_free);
  g_clear_pointer (&creation->no_history, g_free);
  g_clear_object (&creation->store);
  g_clear_object (&creation->recorder);
  g_clear_pointer (&creation->rules, asb_work_rules_free);
  g_clear_error (&creation->store_error);
  g_clear_error (&creation->import_error);
  g_clear_error (&creation->workdir_error);
  g_clear_error (&creation->error);
  g_free (creation);
}

gboolean
asb_creation_is_new (AsbCreation *creation)
{
  return asb_backend_options_get_mode (creation->options) == ASB_BACKEND_MODE_CREATE;
}

/* Undoing. Each step takes @task. */

static void
undone_sandbox_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  AsbCreation *creation = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;

  if (!asb_provider_delete_sandbox_finish (ASB_PROVIDER (source), result, &error)
      && !g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND))
    {
      creation->is_left_behind = TRUE;
      g_prefix_error (&creation->error,
                      "Sandbox “%s” is left behind, since it could not be deleted (%s): ",
                      asb_sandbox_ref_get_sandbox_id (creation->ref), error->message);
    }
  g_task_return_error (task, g_steal_pointer (&creation->error));
}

static void
undo_sandbox (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);

  if (creation->created)
    {
      asb_provider_delete_sandbox_async (creation->provider,
                                         asb_sandbox_ref_get_sandbox_id (creation->ref), NULL,
                                         undone_sandbox_cb, task);
      return;
    }
  g_task_return_error (task, g_steal_pointer (&creation->error));
  g_object_unref (task);
}

static void
undone_transport_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  if (!asb_transport_close_finish (ASB_TRANSPORT (source), result, &error))
    g_debug ("The transport did not close in order: %s", error->message);
  undo_sandbox (user_data);
}

static void
undo_transport (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);

  if (creation->transport)
    asb_transport_close_async (creation->transport, NULL, undone_transport_cb, task);
  else
    undo_sandbox (task);
}

static void
undone_store_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  if (!asb_history_store_close_finish (ASB_HISTORY_STORE (source), result, &error))
    g_debug ("The history store did not close in order: %s", error->message);
  undo_transport (user_data);
}

/* What the error of one step does not know. */
static void
complete_error (AsbCreation *creation, GError *error)
{
  AsbErrorInfo *info = asb_error_own_info (error);
  AsbSandboxRef *ref
      = creation->ref ? creation->ref : asb_backend_options_get_ref (creation->options);
  g_autofree char *name = asb_provider_dup_name (creation->provider);
  g_autofree char *key = asb_provider_dup_key (creation->provider);

  if (!info)
    return;
  g_object_set (info, "operation",
                asb_creation_is_new (creation) ? "sandbox.create" : "sandbox.connect",
                "provider-name", name, "provider-key", key, NULL);
  if (ref && !asb_error_info_get_sandbox_id (info))
    g_object_set (info, "sandbox-id", asb_sandbox_ref_get_sandbox_id (ref), "sandbox-instance-id",
                  asb_sandbox_ref_get_sandbox_instance_id (ref), NULL);
}

void
asb_creation_fail (GTask *task, GError *error)
{
  AsbCreation *creation = g_task_get_task_data (task);

  complete_error (creation, error);
  creation->error = error;
  if (creation->store && creation->owns_store && creation->store_was_opened)
    asb_history_store_close_async (creation->store, NULL, undone_store_cb, task);
  else
    undo_transport (task);
}

gboolean
asb_creation_fail_if_cancelled (GTask *task)
{
  GError *error = NULL;

  if (!g_cancellable_set_error_if_cancelled (g_task_get_cancellable (task), &error))
    return FALSE;
  asb_creation_fail (task, error);
  return TRUE;
}

gboolean
asb_creation_left_behind (GAsyncResult *result, AsbProvider **provider, const char **sandbox_id)
{
  AsbCreation *creation = g_task_get_task_data (G_TASK (result));

  if (!creation->is_left_behind)
    return FALSE;
  *provider = creation->provider;
  *sandbox_id = asb_sandbox_ref_get_sandbox_id (creation->ref);
  return TRUE;
}
