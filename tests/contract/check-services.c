/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a provider does beyond making sandboxes: what it says it has is there, and what it does not
 * have it says so. */

#include "checks.h"

#include <string.h>

#define SOME_PORT 8080
#define SAMPLE_SECONDS 60
/* Nobody has it: names below “.invalid” are promised not to be there. */
#define SOME_TARGET "asb-check.invalid"

/* Whether the provider says it can do that. Without it, @error, of the call, is to say so. */
static gboolean
supports (Check *check, const char *capability)
{
  g_autoptr (AsbCapabilities) capabilities = asb_provider_get_capabilities (check->provider);

  return asb_capabilities_supports (capabilities, capability);
}

static void
check_unsupported (Check *check, GError *error)
{
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
}

/* Returns: (transfer full) (nullable): NULL when the check is over */
static AsbSandboxInfo *
create (Check *check)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbSandboxInfo) info = check_create (check, spec);

  return check_is_over (check) ? NULL : g_steal_pointer (&info);
}

/* Some sandboxes have no end that could be put off. */
static AsbSandboxInfo *
create_that_ends (Check *check)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbSandboxInfo) info = NULL;

  if (supports (check, ASB_CAPABILITY_KEEP_ALIVE))
    {
      asb_sandbox_spec_set_ttl_mode (spec, ASB_TTL_MODE_SECONDS);
      asb_sandbox_spec_set_ttl_seconds (spec, 600);
    }
  info = check_create (check, spec);
  return check_is_over (check) ? NULL : g_steal_pointer (&info);
}

static void
renewed (Check *check)
{
  g_autoptr (AsbSandboxInfo) info = create_that_ends (check);
  g_autoptr (AsbSandboxInfo) longer = NULL;
  g_autoptr (GDateTime) now = NULL;
  g_autoptr (GError) error = NULL;
  GDateTime *expires_at;

  CHECK_GOES_ON (check);
  longer = asb_provider_renew_sandbox (check->provider, check_id (info), 3600, NULL, &error);
  if (!longer && !supports (check, ASB_CAPABILITY_KEEP_ALIVE))
    {
      check_unsupported (check, error);
      return;
    }
  CHECK_NO_ERROR (check, error);
  CHECK_TEXT (check, check_id (longer), check_id (info));
  expires_at = asb_sandbox_info_get_expires_at (longer);
  now = g_date_time_new_now_utc ();
  CHECK (check, expires_at != NULL);
  /* Clocks may differ by minutes, not by half of it. */
  CHECK (check, g_date_time_difference (expires_at, now) > 1800 * G_TIME_SPAN_SECOND);
  g_clear_object (&longer);
  longer = asb_provider_renew_sandbox (check->provider, "asb-check-nobody", 3600, NULL, &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
}

static void
endpoint (Check *check)
{
  g_autoptr (AsbSandboxInfo) info = create (check);
  g_autoptr (AsbEndpoint) found = NULL;
  g_autoptr (GError) error = NULL;

  CHECK_GOES_ON (check);
  found = asb_provider_get_endpoint (check->provider, check_id (info), SOME_PORT, 0, NULL, &error);
  if (!supports (check, ASB_CAPABILITY_ENDPOINTS))
    {
      check_unsupported (check, error);
      return;
    }
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_endpoint_get_uri (found) != NULL);
  CHECK (check, strstr (asb_endpoint_get_uri (found), "://") != NULL);
  CHECK (check, !g_str_has_suffix (asb_endpoint_get_uri (found), "/"));
  CHECK (check, asb_endpoint_get_port (found) == SOME_PORT);
}

/* −1 if there is no rule for it. */
static int
action_for (AsbNetworkPolicy *policy, const char *target)
{
  GListModel *rules = asb_network_policy_get_rules (policy);

  for (guint i = 0; i < g_list_model_get_n_items (rules); i++)
    {
      g_autoptr (AsbNetworkRule) rule = g_list_model_get_item (rules, i);

      if (g_strcmp0 (asb_network_rule_get_target (rule), target) == 0)
        return (int)asb_network_rule_get_action (rule);
    }
  return -1;
}

/* @policy (nullable): what a call has answered with, or else @error. */
static void
check_policy (Check *check, AsbNetworkPolicy *policy, int action, GError *error)
{
  CHECK_NO_ERROR (check, error);
  CHECK (check, action_for (policy, SOME_TARGET) == action);
}

static void
change_policy (Check *check, const char *id)
{
  const char *const targets[] = { SOME_TARGET, NULL };
  g_autoptr (AsbNetworkPolicy) wanted = asb_network_policy_new ();
  g_autoptr (AsbNetworkPolicy) more = asb_network_policy_new ();
  g_autoptr (AsbNetworkPolicy) set = NULL, patched = NULL, read = NULL, removed = NULL;
  g_autoptr (GError) error = NULL;

  asb_network_policy_add_rule (wanted, ASB_NETWORK_ACTION_ALLOW, SOME_TARGET);
  asb_network_policy_add_rule (more, ASB_NETWORK_ACTION_DENY, SOME_TARGET);
  set = asb_provider_set_network_policy (check->provider, id, wanted, NULL, &error);
  check_policy (check, set, ASB_NETWORK_ACTION_ALLOW, error);
  CHECK_GOES_ON (check);
  CHECK (check, asb_network_policy_get_default_action (set) == ASB_NETWORK_ACTION_DENY);
  patched = asb_provider_patch_network_policy (check->provider, id, more, NULL, &error);
  check_policy (check, patched, ASB_NETWORK_ACTION_DENY, error);
  CHECK_GOES_ON (check);
  read = asb_provider_get_network_policy (check->provider, id, NULL, &error);
  check_policy (check, read, ASB_NETWORK_ACTION_DENY, error);
  CHECK_GOES_ON (check);
  removed = asb_provider_remove_network_rules (check->provider, id, targets, NULL, &error);
  check_policy (check, removed, -1, error);
}

static void
network (Check *check)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  if (!supports (check, ASB_CAPABILITY_NETWORK_POLICY))
    {
      asb_sandbox_spec_set_network_policy (spec, policy);
      info = asb_provider_create_sandbox (check->provider, spec, NULL, &error);
      check_unsupported (check, error);
      return;
    }
  /* Where it is enforced it may have to be said at once. */
  asb_network_policy_add_rule (policy, ASB_NETWORK_ACTION_ALLOW, "example.com");
  asb_sandbox_spec_set_network_policy (spec, policy);
  info = check_create (check, spec);
  CHECK_GOES_ON (check);
  change_policy (check, check_id (info));
}

static void
metadata (Check *check)
{
  g_autoptr (AsbSandboxInfo) info = create (check);
  g_autoptr (AsbSandboxInfo) changed = NULL;
  g_autoptr (AsbSandboxInfo) read = NULL;
  g_autoptr (GError) error = NULL;
  GHashTable *found;

  CHECK_GOES_ON (check);
  changed = asb_provider_patch_metadata (
      check->provider, check_id (info),
      g_variant_new_parsed ("{'asb.check.new': just '1', 'asb.check.old': nothing}"), NULL, &error);
  if (!supports (check, ASB_CAPABILITY_METADATA_CHANGES))
    {
      check_unsupported (check, error);
      return;
    }
  CHECK_NO_ERROR (check, error);
  read = asb_provider_get_sandbox (check->provider, check_id (info), NULL, &error);
  CHECK_NO_ERROR (check, error);
  found = asb_sandbox_ref_get_metadata (asb_sandbox_info_get_ref (read));
  CHECK_TEXT (check, g_hash_table_lookup (found, "asb.check.new"), "1");
  /* It is still the same one, of this run. */
  CHECK_TEXT (check, asb_sandbox_ref_get_sandbox_instance_id (asb_sandbox_info_get_ref (read)),
              asb_sandbox_ref_get_sandbox_instance_id (asb_sandbox_info_get_ref (info)));
  g_clear_object (&changed);
  changed = asb_provider_patch_metadata (check->provider, check_id (info),
                                         g_variant_new_parsed ("{'asb.check.new': @ms nothing}"),
                                         NULL, &error);
  CHECK_NO_ERROR (check, error);
  found = asb_sandbox_ref_get_metadata (asb_sandbox_info_get_ref (changed));
  CHECK (check, !found || !g_hash_table_contains (found, "asb.check.new"));
}

static void
follow_snapshot (Check *check, const char *id, const char *sandbox_id)
{
  g_autoptr (AsbSnapshotFilter) filter = asb_snapshot_filter_new ();
  g_autoptr (AsbSnapshot) read = NULL;
  g_autoptr (GListModel) listed = NULL;
  g_autoptr (GError) error = NULL;

  read = asb_provider_get_snapshot (check->provider, id, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK_TEXT (check, asb_snapshot_get_id (read), id);
  asb_snapshot_filter_set_sandbox_id (filter, sandbox_id);
  listed = asb_provider_list_snapshots (check->provider, filter, NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK_COUNT (check, g_list_model_get_n_items (listed), 1);
}

/* What is still being made need not be ready to be deleted. */
static void
await_snapshot (Check *check, const char *id)
{
  gint64 deadline = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  AsbSnapshotState state = ASB_SNAPSHOT_STATE_CREATING;

  while (state == ASB_SNAPSHOT_STATE_CREATING)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbSnapshot) found = asb_provider_get_snapshot (check->provider, id, NULL, &error);

      CHECK_NO_ERROR (check, error);
      state = asb_snapshot_get_state (found);
      CHECK (check, g_get_monotonic_time () < deadline);
      CHECK_GOES_ON (check);
    }
}

static void
snapshot (Check *check)
{
  g_autoptr (AsbSandboxInfo) info = create (check);
  g_autoptr (AsbSnapshot) made = NULL, gone = NULL;
  g_autoptr (GError) error = NULL;
  gboolean deleted;

  CHECK_GOES_ON (check);
  made = asb_provider_create_snapshot (check->provider, check_id (info), NULL, NULL, &error);
  if (!supports (check, ASB_CAPABILITY_SNAPSHOTS))
    {
      check_unsupported (check, error);
      return;
    }
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_snapshot_get_id (made) != NULL);
  follow_snapshot (check, asb_snapshot_get_id (made), check_id (info));
  CHECK_GOES_ON (check);
  await_snapshot (check, asb_snapshot_get_id (made));
  CHECK_GOES_ON (check);
  deleted
      = asb_provider_delete_snapshot (check->provider, asb_snapshot_get_id (made), NULL, &error);
  CHECK_GOES_ON (check);
  CHECK_NO_ERROR (check, error);
  CHECK (check, deleted);
  gone = asb_provider_get_snapshot (check->provider, "asb-check-nothing", NULL, &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_SNAPSHOT_NOT_FOUND);
}

static void
metrics (Check *check)
{
  g_autoptr (AsbSandboxInfo) info = create (check);
  g_autoptr (AsbSandboxMetrics) found = NULL;
  g_autoptr (GError) error = NULL;

  CHECK_GOES_ON (check);
  found = asb_provider_get_metrics (check->provider, check_id (info), NULL, &error);
  if (!supports (check, ASB_CAPABILITY_METRICS))
    {
      check_unsupported (check, error);
      return;
    }
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_sandbox_metrics_get_cpu_percent (found) >= 0);
  CHECK (check, asb_sandbox_metrics_get_memory_total (found) == 0
                    || asb_sandbox_metrics_get_memory_used (found)
                           <= asb_sandbox_metrics_get_memory_total (found));
}

static void
sample_cb (AsbMetricsWatch *watch, AsbSandboxMetrics *sample, gpointer user_data)
{
  guint *n_samples = user_data;

  (*n_samples)++;
}

static void
ended_cb (AsbMetricsWatch *watch, gpointer user_data)
{
  gboolean *ended = user_data;

  *ended = TRUE;
}

static gboolean
late_cb (gpointer user_data)
{
  gboolean *late = user_data;

  *late = TRUE;
  return G_SOURCE_REMOVE;
}

/* The first sample comes by itself, and nothing after closing but that it has ended. */
static void
metrics_watch (Check *check)
{
  g_autoptr (AsbSandboxInfo) info = create (check);
  g_autoptr (AsbMetricsWatch) watch = NULL;
  g_autoptr (GError) error = NULL;
  guint n_samples = 0;
  gboolean ended = FALSE, late = FALSE;
  guint limit;

  CHECK_GOES_ON (check);
  watch = asb_provider_watch_metrics (check->provider, check_id (info), NULL, &error);
  if (!supports (check, ASB_CAPABILITY_METRICS))
    {
      check_unsupported (check, error);
      return;
    }
  CHECK_NO_ERROR (check, error);
  g_signal_connect (watch, "sample", G_CALLBACK (sample_cb), &n_samples);
  g_signal_connect (watch, "ended", G_CALLBACK (ended_cb), &ended);
  limit = g_timeout_add_seconds (SAMPLE_SECONDS, late_cb, &late);
  while (n_samples == 0 && !ended && !late)
    g_main_context_iteration (NULL, TRUE);
  if (!late)
    g_source_remove (limit);
  CHECK (check, !late);
  CHECK (check, n_samples > 0);
  asb_metrics_watch_close (watch);
  n_samples = 0;
  while (!ended)
    g_main_context_iteration (NULL, TRUE);
  CHECK_COUNT (check, n_samples, 0);
  CHECK (check, asb_metrics_watch_get_state (watch) == ASB_METRICS_WATCH_STATE_CLOSED);
}

static void
diagnostics (Check *check)
{
  static const char *const kinds[] = { "logs", "events" };
  g_autoptr (AsbSandboxInfo) info = create (check);

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autoptr (AsbDiagnostics) found = NULL;
      g_autoptr (GError) error = NULL;

      CHECK_GOES_ON (check);
      found = asb_provider_get_diagnostics (check->provider, check_id (info), kinds[i], NULL, NULL,
                                            &error);
      if (!supports (check, ASB_CAPABILITY_DIAGNOSTICS))
        {
          check_unsupported (check, error);
          return;
        }
      CHECK_NO_ERROR (check, error);
      CHECK_TEXT (check, asb_diagnostics_get_kind (found), kinds[i]);
      CHECK (check, asb_diagnostics_get_content (found) != NULL);
    }
}

static void
unknown_service (Check *check)
{
  g_autoptr (AsbSandboxInfo) info = create (check);
  g_autoptr (GVariant) answer = NULL;
  g_autoptr (GError) error = NULL;

  CHECK_GOES_ON (check);
  answer = asb_provider_call_service (check->provider, check_id (info), "asb-check.nothing", NULL,
                                      NULL, &error);
  check_unsupported (check, error);
}

/* What is not asked for at creation is none of their business, what is asked for must be known. */
static void
unknown_create_option (Check *check)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_sandbox_spec_set_create_options (spec, g_variant_new_parsed ("{'asb_check_nothing': <1>}"));
  info = asb_provider_create_sandbox (check->provider, spec, NULL, &error);
  if (info)
    g_ptr_array_add (check->created, g_strdup (check_id (info)));
  if (supports (check, ASB_CAPABILITY_CREATE_OPTIONS))
    CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  else
    check_unsupported (check, error);
}

void
check_services (Check *check)
{
  check_run (check, "services/renew", renewed);
  check_run (check, "services/endpoint", endpoint);
  check_run (check, "services/network", network);
  check_run (check, "services/metadata", metadata);
  check_run (check, "services/snapshot", snapshot);
  check_run (check, "services/metrics", metrics);
  check_run (check, "services/metrics-watch", metrics_watch);
  check_run (check, "services/diagnostics", diagnostics);
  check_run (check, "services/unknown-service", unknown_service);
  check_run (check, "services/unknown-create-option", unknown_create_option);
}
