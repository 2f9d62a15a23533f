/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-creation-private.h"

#include "asb-backend-options-private.h"
#include "asb-call-private.h"
#include "asb-create-match-private.h"
#include "asb-create-readiness-private.h"
#include "asb-create-spec-private.h"
#include "asb-error-private.h"
#include "asb-guest-program-private.h"
#include "asb-io-thread-private.h"
#include "asb-sync-private.h"

/* The sandbox. */

/* Puts what the provider says in its place. */
static void
take_sandbox (AsbCreation *creation, AsbSandboxInfo *info)
{
  creation->ref = g_object_ref (asb_sandbox_info_get_ref (info));
  creation->state = asb_sandbox_info_get_state (info);
  if (asb_sandbox_info_get_expires_at (info))
    creation->expires_at = g_date_time_ref (asb_sandbox_info_get_expires_at (info));
}

/* What a sandbox was made with holds for all who come later, unless they say otherwise. */
static void
take_workdir (AsbCreation *creation, AsbSandboxInfo *info)
{
  const char *workdir = asb_sandbox_info_get_workdir (info);

  if (workdir && *workdir == '/'
      && !asb_backend_options_get_private (creation->options)->workdir_is_given)
    creation->workdir = g_strdup (workdir);
}

/* A sandbox of the same key may have been made with another one. */
static gboolean
has_made_workdir (AsbCreation *creation, AsbSandboxInfo *info)
{
  return asb_sandbox_info_get_made_workdir (info)
         && g_strcmp0 (asb_sandbox_info_get_workdir (info),
                       asb_backend_options_get_workdir (creation->options))
                == 0;
}

static void
ready_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  GError *error = NULL;

  if (asb_create_readiness_finish (ASB_PROVIDER (source), result, &error))
    asb_creation_open_transport (task);
  else
    asb_creation_fail (task, error);
}

static void
await_readiness (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  AsbBackendOptions *options = creation->options;
  AsbClosure *check = asb_backend_options_get_readiness_check (options);

  if (check)
    asb_create_readiness_async (creation->provider, creation->ref, check,
                                asb_backend_options_get_ready_timeout_seconds (options),
                                g_task_get_cancellable (task), ready_cb, task);
  else
    asb_creation_open_transport (task);
}

static void create_sandbox (GTask *task);

static gboolean
create_again_cb (gpointer user_data)
{
  GTask *task = user_data;

  if (!asb_creation_fail_if_cancelled (task))
    create_sandbox (task);
  return G_SOURCE_REMOVE;
}

/* Only with a key is it certain that there are not two in the end. */
static gboolean
is_tried_again (GTask *task, const GError *error)
{
  AsbCreation *creation = g_task_get_task_data (task);
  guint delay_ms;

  if (!asb_backend_options_get_idempotency_key (creation->options)
      || !asb_work_rules_wants_retry (creation->rules, error, creation->n_attempts,
                                      creation->began_at, &delay_ms))
    return FALSE;
  asb_work_rules_wait (delay_ms, g_task_get_context (task), g_task_get_cancellable (task),
                       create_again_cb, task);
  return TRUE;
}

static void
sandbox_created_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  AsbCreation *creation = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_create_sandbox_finish (ASB_PROVIDER (source), result, &error);

  if (!info && is_tried_again (task, error))
    {
      g_clear_error (&error);
      return;
    }
  if (!info)
    {
      asb_creation_fail (task, error);
      return;
    }
  take_sandbox (creation, info);
  creation->created = TRUE;
  creation->workdir_is_made = has_made_workdir (creation, info);
  await_readiness (task);
}

static void
sandbox_found_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  AsbCreation *creation = g_task_get_task_data (task);
  AsbSandboxRef *wanted = asb_backend_options_get_ref (creation->options);
  GError *error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_get_sandbox_finish (ASB_PROVIDER (source), result, &error);

  if (info)
    error = asb_create_check_found (creation->provider, wanted, info);
  if (error)
    {
      asb_creation_fail (task, error);
      return;
    }
  take_sandbox (creation, info);
  take_workdir (creation, info);
  asb_creation_open_transport (task);
}

/* While the provider is at work. */
static void
prepare_guest (AsbCreation *creation)
{
  AsbProviderInterface *iface = ASB_PROVIDER_GET_IFACE (creation->provider);

  if (!iface->open_stream || asb_backend_options_get_transport_factory (creation->options))
    return;
  if (iface->put_file)
    asb_guest_program_prepare ();
  /* The thread takes a while to start. */
  asb_io_thread_get_context ();
}

static void
create_sandbox (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  g_autoptr (AsbSandboxSpec) spec = asb_create_new_spec (creation->options, &creation->plan);

  creation->n_attempts++;
  asb_provider_create_sandbox_async (creation->provider, spec, g_task_get_cancellable (task),
                                     sandbox_created_cb, task);
}

static void
find_sandbox (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  AsbSandboxRef *wanted = asb_backend_options_get_ref (creation->options);
  GError *error = NULL;

  creation->occurred_at = g_get_real_time ();
  creation->began_at = g_get_monotonic_time ();
  if (asb_creation_is_new (creation))
    {
      create_sandbox (task);
      prepare_guest (creation);
    }
  else if ((error = asb_create_check_ref (creation->provider, wanted)))
    asb_creation_fail (task, error);
  else
    asb_provider_get_sandbox_async (creation->provider, asb_sandbox_ref_get_sandbox_id (wanted),
                                    g_task_get_cancellable (task), sandbox_found_cb, task);
}

static gboolean
find_provider (AsbCreation *creation, GError **error)
{
  AsbProvider *given = asb_backend_options_get_provider (creation->options);
  AsbRegistry *registry = asb_backend_options_get_registry (creation->options);
  GError *local = NULL;

  if (given)
    {
      creation->provider = g_object_ref (given);
      return TRUE;
    }
  creation->provider = asb_registry_create_provider (
      registry ? registry : asb_registry_get_default (),
      asb_backend_options_get_provider_name (creation->options),
      asb_backend_options_get_provider_options (creation->options), &local);
  if (!creation->provider)
    {
      g_autoptr (AsbErrorInfo) info = asb_error_info_new ();

      asb_error_info_set_operation (info, "provider.resolve");
      asb_error_set_info (local, info);
      g_propagate_error (error, local);
    }
  return creation->provider != NULL;
}

/**
 * asb_create_backend_async:
 * @options: what is to be done; not to be changed until it is done
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Makes a sandbox, or connects to one, and gives the backend to work with it.
 *
 * Options are checked first, and nothing is made if they are wrong. If a later step fails or is
 * cancelled, everything made until then is undone, the sandbox included. A provider or store that
 * was handed in is not closed.
 *
 * Since: 1.0
 */
void
asb_create_backend_async (AsbBackendOptions *options, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;
  AsbCreation *creation;
  GError *error = NULL;

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (options));

  task = g_task_new (NULL, cancellable, callback, user_data);
  creation = g_new0 (AsbCreation, 1);
  creation->options = g_object_ref (options);
  g_task_set_source_tag (task, asb_create_backend_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, creation, asb_creation_free);

  if (!asb_backend_options_check (options, &error) || !find_provider (creation, &error)
      || !asb_keep_alive_plan (creation->provider, options, &creation->plan, &error))
    {
      g_task_return_error (task, error);
      g_object_unref (task);
    }
  else if (!asb_creation_find_store (creation, &error))
    asb_creation_fail (task, error);
  else if (!asb_creation_fail_if_cancelled (task))
    {
      creation->rules = asb_work_rules_new (asb_backend_options_get_concurrency (options),
                                            asb_backend_options_get_retry (options));
      find_sandbox (task);
    }
}

/**
 * asb_create_backend_finish:
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [func@create_backend_async].
 *
 * Returns: (transfer full): the backend
 *
 * Since: 1.0
 */
AsbBackend *
asb_create_backend_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return asb_task_finish_pointer (result, error);
}

/**
 * asb_create_backend:
 * @options: what is to be done
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Makes a sandbox, or connects to one, and gives the backend to work with it. Blocks; see
 * [func@create_backend_async].
 *
 * Returns: (transfer full): the backend
 *
 * Since: 1.0
 */
AsbBackend *
asb_create_backend (AsbBackendOptions *options, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (options), NULL);

  asb_sync_begin (&sync);
  asb_create_backend_async (options, cancellable, asb_sync_ready_cb, &sync);
  return asb_create_backend_finish (asb_sync_wait (&sync), error);
}
