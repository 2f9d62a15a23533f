/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-creation-private.h"

#include "asb-backend-options-private.h"
#include "asb-backend-pause-private.h"
#include "asb-create-uploads-private.h"

/* The last step: the backend. */

static AsbCommandResultConfig *
dup_result_config (AsbBackendOptions *options)
{
  AsbCommandResultConfig *given = asb_backend_options_get_command_result_config (options);
  AsbCommandResultConfig *config = asb_command_result_config_new ();

  if (given)
    g_object_set (config, "max-stdout-bytes",
                  asb_command_result_config_get_max_stdout_bytes (given), "max-stderr-bytes",
                  asb_command_result_config_get_max_stderr_bytes (given), "preserve-tail-bytes",
                  asb_command_result_config_get_preserve_tail_bytes (given), NULL);
  return config;
}

void
asb_creation_finish (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  AsbBackendOptions *options = creation->options;
  AsbClosure *coordinator = asb_backend_options_get_close_coordinator (options);
  AsbBackend *backend;

  if (asb_creation_fail_if_cancelled (task))
    return;
  backend = g_object_new (ASB_TYPE_BACKEND, NULL);
  backend->provider = g_steal_pointer (&creation->provider);
  backend->transport = g_steal_pointer (&creation->transport);
  backend->guest_is_placed = creation->guest_is_placed;
  backend->no_guest = g_steal_pointer (&creation->no_guest);
  backend->no_history = g_steal_pointer (&creation->no_history);
  backend->reconnect_seconds = asb_backend_options_get_reconnect_seconds (options);
  backend->store = g_steal_pointer (&creation->store);
  backend->history_config = asb_creation_dup_history_config (options);
  backend->owns_store = creation->owns_store;
  backend->recorder = g_steal_pointer (&creation->recorder);
  backend->ref = g_steal_pointer (&creation->ref);
  backend->created = creation->created;
  backend->keep_alive
      = asb_keep_alive_new (backend->provider, ASB_BACKEND_SANDBOX_ID (backend), &creation->plan,
                            creation->began_at, creation->created, creation->expires_at);
  backend->cleanup = asb_backend_options_get_cleanup (options);
  backend->cleanup_ttl_seconds = asb_backend_options_get_cleanup_ttl_seconds (options);
  backend->workdir = creation->workdir ? g_steal_pointer (&creation->workdir)
                                       : g_strdup (asb_backend_options_get_workdir (options));
  backend->result_config = dup_result_config (options);
  g_clear_pointer (&backend->rules, asb_work_rules_free);
  backend->rules = g_steal_pointer (&creation->rules);
  backend->drain_timeout_ms = asb_work_rules_get_drain_ms (backend->rules);
  g_clear_pointer (&backend->upload_targets, asb_upload_targets_unref);
  backend->upload_targets
      = asb_upload_targets_new (asb_work_rules_get_upload_seconds (backend->rules));
  backend->close_coordinator = coordinator ? asb_closure_ref (coordinator) : NULL;
  asb_backend_watch_pauses (backend, backend->transport);
  asb_create_uploads (backend, options, task);
}
