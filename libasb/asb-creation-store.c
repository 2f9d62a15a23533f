/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-creation-private.h"

#include <string.h>

#include "asb-backend-options-private.h"
#include "asb-create-spec-private.h"
#include "asb-error-private.h"

/* The record of a backend, and its working directory, which is made meanwhile. */

#define MAX_WORKDIR_ATTEMPTS 3

AsbHistoryConfig *
asb_creation_dup_history_config (AsbBackendOptions *options)
{
  AsbHistoryConfig *given = asb_backend_options_get_history (options);

  return given ? g_object_ref (given) : asb_history_config_new ();
}

gboolean
asb_creation_find_store (AsbCreation *creation, GError **error)
{
  AsbHistoryStore *given = asb_backend_options_get_history_store (creation->options);
  AsbHistoryConfig *config = asb_backend_options_get_history (creation->options);
  AsbRegistry *registry = asb_backend_options_get_registry (creation->options);
  AsbHistoryMode mode = config ? asb_history_config_get_mode (config) : ASB_HISTORY_MODE_NONE;
  GVariantDict options;

  if (!registry)
    registry = asb_registry_get_default ();
  if (given)
    {
      creation->store = g_object_ref (given);
      return TRUE;
    }
  if (mode == ASB_HISTORY_MODE_NONE)
    return TRUE;

  creation->owns_store = TRUE;
  if (mode == ASB_HISTORY_MODE_SANDBOX)
    creation->store = asb_registry_create_history_store (registry, "sandbox", NULL, error);
  else
    {
      g_variant_dict_init (&options, NULL);
      g_variant_dict_insert (&options, "url", "s",
                             asb_backend_options_get_history_database_url (creation->options));
      creation->store = asb_registry_create_history_store (registry, "sqlite",
                                                           g_variant_dict_end (&options), error);
    }
  return creation->store != NULL;
}

static void
finish_with_workdir (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);

  if (!creation->workdir_error)
    {
      asb_creation_finish (task);
      return;
    }
  g_prefix_error (&creation->workdir_error, "Could not make the working directory: ");
  if (!asb_error_is_cancelled (creation->workdir_error)
      && !asb_error_is_sandbox_gone (creation->workdir_error)
      && !g_error_matches (creation->workdir_error, ASB_ERROR, ASB_ERROR_INTERNAL))
    asb_error_advise (creation->workdir_error, "the option “workdir” at creation names another");
  asb_creation_fail (task, g_steal_pointer (&creation->workdir_error));
}

static void make_workdir (GTask *task);

/* Whether it was made may be unknown. To make it again does no harm, unless all is being undone. */
static gboolean
is_made_again (AsbCreation *creation)
{
  return !creation->error
         && g_error_matches (creation->workdir_error, ASB_ERROR, ASB_ERROR_INTERRUPTED)
         && ++creation->n_workdir_attempts < MAX_WORKDIR_ATTEMPTS;
}

static void
workdir_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbCreation *creation = g_task_get_task_data (task);

  asb_transport_make_directory_finish (ASB_TRANSPORT (source), result, &creation->workdir_error);
  if (is_made_again (creation))
    {
      g_clear_error (&creation->workdir_error);
      make_workdir (task);
      return;
    }
  creation->workdir_is_pending = FALSE;
  if (creation->waits_for_workdir)
    finish_with_workdir (task);
}

static void
make_workdir (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  g_autoptr (AsbFileRequest) request
      = asb_file_request_new_for_path (asb_backend_options_get_workdir (creation->options));

  asb_transport_make_directory_async (creation->transport, request, g_task_get_cancellable (task),
                                      workdir_cb, g_object_ref (task));
}

/* The guest makes it while its historian begins the record. */
static void
begin_workdir (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);

  if (!creation->created || creation->workdir_is_made)
    return;
  creation->workdir_is_pending = TRUE;
  make_workdir (task);
}

static void
await_workdir (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);

  if (creation->workdir_is_pending)
    creation->waits_for_workdir = TRUE;
  else
    finish_with_workdir (task);
}

/* The store. */

/* The guest may not write where it keeps the record, as where it is not root. */
static gboolean
has_no_place (AsbCreation *creation, const GError *error)
{
  g_autoptr (AsbHistoryConfig) config = asb_creation_dup_history_config (creation->options);

  return creation->owns_store && asb_history_config_get_mode (config) == ASB_HISTORY_MODE_SANDBOX
         && g_error_matches (error, ASB_ERROR, ASB_ERROR_HISTORY_DATABASE)
         && strstr (error->message, "Could not make the folder");
}

/* The transport that is used instead of the guest need not know why it is. */
static void
add_cause (AsbCreation *creation, GError *error)
{
  g_autofree char *told = NULL;

  if (!creation->no_guest || !g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY)
      || strstr (error->message, creation->no_guest))
    return;
  told = g_steal_pointer (&error->message);
  error->message = g_strdup_printf ("%s: %s", told, creation->no_guest);
}

static void
go_on_without_store (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  g_autoptr (GError) error = g_steal_pointer (&creation->store_error);

  add_cause (creation, error);
  if (asb_recorder_get_strict (creation->recorder) || asb_error_is_cancelled (error))
    {
      asb_error_prefix (error, "Could not open the history: ");
      if (has_no_place (creation, error))
        asb_error_advise (error, "the sandbox’s user may not write there: the option “history” "
                                 "sets another mode, or none");
      asb_creation_fail (task, g_steal_pointer (&error));
      return;
    }
  g_debug ("Work goes on without a record: %s", error->message);
  creation->no_history = g_strdup (error->message);
  g_clear_object (&creation->recorder);
  g_clear_object (&creation->store);
  await_workdir (task);
}

static void
finish_with_store (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);

  if (creation->store_error)
    go_on_without_store (task);
  else if (creation->import_error && asb_recorder_get_strict (creation->recorder))
    asb_creation_fail (task, g_steal_pointer (&creation->import_error));
  else
    await_workdir (task);
}

/* The record of how the sandbox came about, which began before there was a store. */

static void
imported_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbCreation *creation = g_task_get_task_data (task);

  asb_recorder_import_finish (ASB_RECORDER (source), result, &creation->import_error);
  creation->import_is_pending = FALSE;
  if (creation->waits_for_import)
    finish_with_store (task);
}

static void
begin_import (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  AsbOutcome outcome = { .status = "succeeded" };
  g_autoptr (AsbOperation) operation = NULL;
  g_autoptr (GVariant) result = NULL;

  if (creation->created)
    {
      operation = asb_recorder_new_operation (creation->recorder, "sandbox.create",
                                              asb_create_describe (creation->options), NULL, NULL);
      result = g_variant_ref_sink (asb_create_describe_ref (creation->ref));
    }
  else
    {
      operation
          = asb_recorder_new_operation (creation->recorder, "sandbox.connect", NULL, NULL, NULL);
      result = g_variant_ref_sink (asb_create_describe_state (creation->state));
    }
  outcome.result = result;
  creation->import_is_pending = TRUE;
  asb_recorder_import_async (creation->recorder, operation, creation->occurred_at, &outcome,
                             g_task_get_cancellable (task), imported_cb, g_object_ref (task));
}

static void
store_opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  AsbCreation *creation = g_task_get_task_data (task);

  if (asb_history_store_open_finish (ASB_HISTORY_STORE (source), result, &creation->store_error)
      && !asb_recorder_get_records_in_place (creation->recorder))
    begin_import (task);
  if (creation->import_is_pending)
    creation->waits_for_import = TRUE;
  else
    finish_with_store (task);
}

static void
open_store (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  g_autoptr (AsbHistoryConfig) config = asb_creation_dup_history_config (creation->options);

  creation->store_was_opened = TRUE;
  creation->recorder
      = asb_recorder_new (creation->store, asb_history_config_get_consistency (config),
                          asb_backend_options_get_agent_name (creation->options));
  asb_history_store_open_async (creation->store, creation->transport, creation->ref, config,
                                g_task_get_cancellable (task), store_opened_cb, task);
  /* What the guest is asked it does in this order. */
  if (asb_recorder_get_records_in_place (creation->recorder))
    begin_import (task);
}

void
asb_creation_open_store (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);

  if (asb_creation_fail_if_cancelled (task))
    return;
  if (creation->store)
    open_store (task);
  begin_workdir (task);
  if (!creation->store)
    await_workdir (task);
}
