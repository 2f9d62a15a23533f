/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-operations.h"

#include "asb-opensandbox-abilities.h"
#include "asb-opensandbox-address.h"
#include "asb-opensandbox-change.h"
#include "asb-opensandbox-create.h"
#include "asb-opensandbox-diagnostics.h"
#include "asb-opensandbox-doctor.h"
#include "asb-opensandbox-egress.h"
#include "asb-opensandbox-entrance.h"
#include "asb-opensandbox-get.h"
#include "asb-opensandbox-list.h"
#include "asb-opensandbox-metrics.h"
#include "asb-opensandbox-open-native.h"
#include "asb-opensandbox-order.h"
#include "asb-opensandbox-policy.h"
#include "asb-opensandbox-provider.h"
#include "asb-opensandbox-services.h"
#include "asb-opensandbox-snapshots.h"
#include "asb-opensandbox-upload.h"

static AsbOpensandboxCall *
new_call (AsbProvider *provider, const char *sandbox_id)
{
  AsbOpensandboxProvider *self = ASB_OPENSANDBOX_PROVIDER (provider);

  return asb_opensandbox_call_new (asb_opensandbox_provider_get_lifecycle (self), sandbox_id);
}

static AsbCapabilities *
get_capabilities (AsbProvider *provider)
{
  return asb_opensandbox_abilities_new ();
}

/* Made, found, deleted. */

static void
create_sandbox (AsbProvider *provider, AsbSandboxSpec *spec, GTask *task)
{
  AsbOpensandboxProvider *self = ASB_OPENSANDBOX_PROVIDER (provider);

  asb_opensandbox_create (asb_opensandbox_provider_get_lifecycle (self), spec, task);
}

static void
get_sandbox (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  asb_opensandbox_call_run (new_call (provider, sandbox_id), task,
                            asb_opensandbox_call_return_sandbox);
}

static void
listed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  GListModel *page
      = asb_opensandbox_list_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  asb_opensandbox_call_return_object (task, page, error);
}

static void
list (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);

  asb_opensandbox_list_async (call->lifecycle, ASB_SANDBOX_FILTER (call->object),
                              g_task_get_cancellable (task), listed_cb, g_object_ref (task));
}

static void
list_sandboxes (AsbProvider *provider, AsbSandboxFilter *filter, GTask *task)
{
  AsbOpensandboxCall *call = new_call (provider, NULL);
  AsbSandboxFilter *copy = asb_sandbox_filter_new ();

  asb_sandbox_filter_set_states (copy, asb_sandbox_filter_get_states (filter));
  asb_sandbox_filter_set_metadata (copy, asb_sandbox_filter_get_metadata (filter));
  asb_sandbox_filter_set_page (copy, asb_sandbox_filter_get_page (filter));
  asb_sandbox_filter_set_page_size (copy, asb_sandbox_filter_get_page_size (filter));
  call->object = G_OBJECT (copy);
  asb_opensandbox_call_run (call, task, list);
}

static void
deleted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;

  if (asb_opensandbox_delete_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void delete (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);

  asb_opensandbox_delete_async (call->lifecycle, call->sandbox_id, g_task_get_cancellable (task),
                                deleted_cb, g_object_ref (task));
}

static void
delete_sandbox (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  asb_opensandbox_call_run (new_call (provider, sandbox_id), task, delete);
}

/* Changed. */

static void
renew_sandbox (AsbProvider *provider, const char *sandbox_id, gint64 seconds, GTask *task)
{
  AsbOpensandboxCall *call;
  GError *error = NULL;

  if (!asb_opensandbox_order_check_ttl (seconds, 1, &error))
    {
      g_task_return_error (task, error);
      return;
    }
  call = new_call (provider, sandbox_id);
  call->number = seconds;
  asb_opensandbox_call_run (call, task, asb_opensandbox_change_expiry);
}

static void
pause_sandbox (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  asb_opensandbox_call_run (new_call (provider, sandbox_id), task,
                            asb_opensandbox_change_to_paused);
}

static void
resume_sandbox (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  asb_opensandbox_call_run (new_call (provider, sandbox_id), task,
                            asb_opensandbox_change_to_running);
}

static void
patch_metadata (AsbProvider *provider, const char *sandbox_id, GVariant *changes, GTask *task)
{
  GError *error = NULL;
  JsonNode *patch = asb_opensandbox_change_new_patch (changes, &error);
  AsbOpensandboxCall *call;

  if (!patch)
    {
      g_task_return_error (task, error);
      return;
    }
  call = new_call (provider, sandbox_id);
  call->body = patch;
  asb_opensandbox_call_run (call, task, asb_opensandbox_change_metadata);
}

/* Its place in the network. */

static void
get_endpoint (AsbProvider *provider, const char *sandbox_id, guint port, gint64 expires,
              GTask *task)
{
  AsbOpensandboxCall *call = new_call (provider, sandbox_id);

  call->port = port;
  call->number = expires;
  asb_opensandbox_call_run (call, task, asb_opensandbox_address_get);
}

static void
get_network_policy (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  asb_opensandbox_call_run (new_call (provider, sandbox_id), task, asb_opensandbox_egress_get);
}

static gboolean
check_policy (AsbNetworkPolicy *policy, GTask *task)
{
  GError *error = NULL;

  if (asb_opensandbox_policy_check (policy, &error))
    return TRUE;
  g_task_return_error (task, error);
  return FALSE;
}

static void
set_network_policy (AsbProvider *provider, const char *sandbox_id, AsbNetworkPolicy *policy,
                    GTask *task)
{
  AsbOpensandboxCall *call;

  if (!check_policy (policy, task))
    return;
  call = new_call (provider, sandbox_id);
  call->body = asb_opensandbox_policy_to_json (policy);
  asb_opensandbox_call_run (call, task, asb_opensandbox_egress_replace);
}

static void
patch_network_policy (AsbProvider *provider, const char *sandbox_id, AsbNetworkPolicy *policy,
                      GTask *task)
{
  AsbOpensandboxCall *call;

  if (!check_policy (policy, task))
    return;
  call = new_call (provider, sandbox_id);
  call->body = asb_opensandbox_policy_rules_to_json (policy);
  asb_opensandbox_call_run (call, task, asb_opensandbox_egress_patch);
}

static void
remove_network_rules (AsbProvider *provider, const char *sandbox_id, const char *const *targets,
                      GTask *task)
{
  AsbOpensandboxCall *call = new_call (provider, sandbox_id);

  call->body = asb_opensandbox_egress_new_targets (targets);
  asb_opensandbox_call_run (call, task, asb_opensandbox_egress_remove);
}

/* Its snapshots. */

static void
create_snapshot (AsbProvider *provider, const char *sandbox_id, const char *name, GTask *task)
{
  AsbOpensandboxCall *call = new_call (provider, sandbox_id);

  call->name = g_strdup (name);
  asb_opensandbox_call_run (call, task, asb_opensandbox_snapshots_create);
}

static void
get_snapshot (AsbProvider *provider, const char *snapshot_id, GTask *task)
{
  AsbOpensandboxCall *call = new_call (provider, NULL);

  call->name = g_strdup (snapshot_id);
  asb_opensandbox_call_run (call, task, asb_opensandbox_snapshots_get);
}

static void
delete_snapshot (AsbProvider *provider, const char *snapshot_id, GTask *task)
{
  AsbOpensandboxCall *call = new_call (provider, NULL);

  call->name = g_strdup (snapshot_id);
  asb_opensandbox_call_run (call, task, asb_opensandbox_snapshots_delete);
}

static void
list_snapshots (AsbProvider *provider, AsbSnapshotFilter *filter, GTask *task)
{
  AsbOpensandboxCall *call = new_call (provider, NULL);

  call->object = g_object_new (
      ASB_TYPE_SNAPSHOT_FILTER, "sandbox-id", asb_snapshot_filter_get_sandbox_id (filter), "name",
      asb_snapshot_filter_get_name (filter), "states", asb_snapshot_filter_get_states (filter),
      "page", asb_snapshot_filter_get_page (filter), "page-size",
      asb_snapshot_filter_get_page_size (filter), NULL);
  asb_opensandbox_call_run (call, task, asb_opensandbox_snapshots_list);
}

/* What is known of it. */

static void
get_metrics (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  asb_opensandbox_call_run (new_call (provider, sandbox_id), task, asb_opensandbox_metrics_get);
}

static void
watch_metrics (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  AsbOpensandboxCall *call = new_call (provider, sandbox_id);

  call->object = G_OBJECT (asb_metrics_watch_new ());
  asb_opensandbox_call_run (call, task, asb_opensandbox_metrics_watch);
}

static void
get_diagnostics (AsbProvider *provider, const char *sandbox_id, const char *kind, const char *scope,
                 GTask *task)
{
  AsbOpensandboxCall *call = new_call (provider, sandbox_id);

  call->name = g_strdup (kind);
  call->scope = g_strdup (scope);
  asb_opensandbox_call_run (call, task, asb_opensandbox_diagnostics_get);
}

static void
call_service (AsbProvider *provider, const char *sandbox_id, const char *name, GVariant *arguments,
              GTask *task)
{
  AsbOpensandboxProvider *self = ASB_OPENSANDBOX_PROVIDER (provider);

  asb_opensandbox_services_call (asb_opensandbox_provider_get_lifecycle (self), sandbox_id, name,
                                 arguments, task);
}

static void
diagnose (AsbProvider *provider, GTask *task)
{
  asb_opensandbox_call_run (new_call (provider, NULL), task, asb_opensandbox_doctor_visit);
}

/* Work inside. */

static void
open_stream (AsbProvider *provider, const char *sandbox_id, AsbStreamSpec *spec, GTask *task)
{
  AsbOpensandboxProvider *self = ASB_OPENSANDBOX_PROVIDER (provider);

  asb_opensandbox_entrance_open_stream (asb_opensandbox_provider_get_lifecycle (self), sandbox_id,
                                        spec, task);
}

static void
put_file (AsbProvider *provider, const char *sandbox_id, const char *path, GBytes *contents,
          guint mode, GTask *task)
{
  AsbOpensandboxProvider *self = ASB_OPENSANDBOX_PROVIDER (provider);

  asb_opensandbox_upload_put_file (asb_opensandbox_provider_get_lifecycle (self), sandbox_id, path,
                                   contents, mode, task);
}

static void
open_transport (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  asb_opensandbox_call_run (new_call (provider, sandbox_id), task, asb_opensandbox_open_native);
}

void
asb_opensandbox_operations_install (AsbProviderInterface *iface)
{
  iface->open_stream = open_stream;
  iface->put_file = put_file;
  iface->get_capabilities = get_capabilities;
  iface->open_transport = open_transport;
  iface->create_sandbox = create_sandbox;
  iface->get_sandbox = get_sandbox;
  iface->list_sandboxes = list_sandboxes;
  iface->delete_sandbox = delete_sandbox;
  iface->renew_sandbox = renew_sandbox;
  iface->pause_sandbox = pause_sandbox;
  iface->resume_sandbox = resume_sandbox;
  iface->patch_metadata = patch_metadata;
  iface->get_endpoint = get_endpoint;
  iface->get_network_policy = get_network_policy;
  iface->set_network_policy = set_network_policy;
  iface->patch_network_policy = patch_network_policy;
  iface->remove_network_rules = remove_network_rules;
  iface->create_snapshot = create_snapshot;
  iface->get_snapshot = get_snapshot;
  iface->delete_snapshot = delete_snapshot;
  iface->list_snapshots = list_snapshots;
  iface->get_metrics = get_metrics;
  iface->watch_metrics = watch_metrics;
  iface->get_diagnostics = get_diagnostics;
  iface->call_service = call_service;
  iface->diagnose = diagnose;
}
