/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-mock-services.h"

#include "asb-mock-call.h"
#include "asb-mock-variant.h"

#define NAME "mock"

struct _AsbMockServices
{
  GMutex mutex;
  GPtrArray *snapshots;    /* AsbSnapshot */
  GHashTable *metrics;     /* sandbox id → AsbSandboxMetrics */
  GHashTable *watches;     /* sandbox id → GPtrArray of GWeakRef */
  GHashTable *diagnostics; /* kind → text */
  GHashTable *answers;     /* name of a service → GVariant */
};

static void
weak_free (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

AsbMockServices *
asb_mock_services_new (void)
{
  AsbMockServices *self = g_new0 (AsbMockServices, 1);

  g_mutex_init (&self->mutex);
  self->snapshots = g_ptr_array_new_with_free_func (g_object_unref);
  self->metrics = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  self->watches
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
  self->diagnostics = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->answers
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_variant_unref);
  return self;
}

void
asb_mock_services_free (AsbMockServices *self)
{
  g_ptr_array_unref (self->snapshots);
  g_hash_table_unref (self->metrics);
  g_hash_table_unref (self->watches);
  g_hash_table_unref (self->diagnostics);
  g_hash_table_unref (self->answers);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

void
asb_mock_services_add_capabilities (AsbCapabilities *capabilities)
{
  static const char *const names[] = {
    ASB_CAPABILITY_ENDPOINTS, ASB_CAPABILITY_NETWORK_POLICY, ASB_CAPABILITY_METADATA_CHANGES,
    ASB_CAPABILITY_SNAPSHOTS, ASB_CAPABILITY_METRICS,        ASB_CAPABILITY_DIAGNOSTICS,
    ASB_CAPABILITY_SERVICES,  ASB_CAPABILITY_ENTRYPOINT,     ASB_CAPABILITY_RESOURCES,
    ASB_CAPABILITY_PLATFORM,
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    asb_capabilities_add (capabilities, names[i], ASB_CAPABILITY_SUPPORT_NATIVE, NAME, NULL);
}

/* The operations. */

static void
run (AsbProvider *provider, const char *operation, const char *id, gpointer argument,
     GVariant *variant, AsbMockPerform perform, GType type, GTask *task)
{
  AsbMockCall *call = asb_mock_call_new (ASB_MOCK_PROVIDER (provider), operation, id, argument,
                                         type, perform, task);

  call->variant = variant ? g_variant_ref_sink (variant) : NULL;
  asb_mock_call_run (call);
}

static AsbMockServices *
services_of (AsbMockCall *call)
{
  return asb_mock_provider_get_services (call->provider);
}

static AsbMockSandbox *
sandbox_of (AsbMockCall *call, GError **error)
{
  return asb_mock_provider_find_sandbox (call->provider, call->sandbox_id, error);
}

/* Addresses: there is nobody behind them. */

static gboolean
perform_endpoint (AsbMockCall *call, GValue *answer, GError **error)
{
  g_autoptr (AsbMockSandbox) sandbox = sandbox_of (call, error);
  g_autoptr (GHashTable) headers = NULL;
  g_autofree char *uri = NULL;

  if (!sandbox)
    return FALSE;
  headers = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (headers, (gpointer) "X-Mock-Sandbox",
                       (gpointer)asb_mock_sandbox_get_id (sandbox));
  uri = g_strdup_printf ("http://%s.invalid:%u", asb_mock_sandbox_get_id (sandbox),
                         (guint)call->number);
  asb_mock_answer_object (answer, asb_endpoint_new ((guint)call->number, uri, headers));
  return TRUE;
}

static void
get_endpoint (AsbProvider *provider, const char *id, guint port, gint64 expires, GTask *task)
{
  AsbMockCall *call = asb_mock_call_new (ASB_MOCK_PROVIDER (provider), "get_endpoint", id, NULL,
                                         ASB_TYPE_ENDPOINT, perform_endpoint, task);

  call->number = port;
  asb_mock_call_run (call);
}

/* Networks. */

static gboolean
perform_get_policy (AsbMockCall *call, GValue *answer, GError **error)
{
  g_autoptr (AsbMockSandbox) sandbox = sandbox_of (call, error);

  if (!sandbox)
    return FALSE;
  asb_mock_answer_object (answer, asb_mock_sandbox_dup_policy (sandbox));
  return TRUE;
}

static void
get_network_policy (AsbProvider *provider, const char *id, GTask *task)
{
  run (provider, "get_network_policy", id, NULL, NULL, perform_get_policy, ASB_TYPE_NETWORK_POLICY,
       task);
}

static gboolean
perform_set_policy (AsbMockCall *call, GValue *answer, GError **error)
{
  g_autoptr (AsbMockSandbox) sandbox = sandbox_of (call, error);

  if (!sandbox)
    return FALSE;
  asb_mock_sandbox_set_policy (sandbox, ASB_NETWORK_POLICY (call->argument));
  asb_mock_answer_object (answer, asb_mock_sandbox_dup_policy (sandbox));
  return TRUE;
}

static void
set_network_policy (AsbProvider *provider, const char *id, AsbNetworkPolicy *policy, GTask *task)
{
  run (provider, "set_network_policy", id, policy, NULL, perform_set_policy,
       ASB_TYPE_NETWORK_POLICY, task);
}

/* Adds the rules of @from whose targets are not among those of @but (nullable). */
static void
add_rules (AsbNetworkPolicy *to, AsbNetworkPolicy *from, const char *const *but)
{
  GListModel *rules = asb_network_policy_get_rules (from);

  for (guint i = 0; i < g_list_model_get_n_items (rules); i++)
    {
      g_autoptr (AsbNetworkRule) rule = g_list_model_get_item (rules, i);
      const char *target = asb_network_rule_get_target (rule);

      if (!but || !g_strv_contains (but, target))
        asb_network_policy_add_rule (to, asb_network_rule_get_action (rule), target);
    }
}

static gboolean
perform_patch_policy (AsbMockCall *call, GValue *answer, GError **error)
{
  g_autoptr (AsbMockSandbox) sandbox = sandbox_of (call, error);
  g_autoptr (AsbNetworkPolicy) before = NULL, after = NULL;

  if (!sandbox)
    return FALSE;
  before = asb_mock_sandbox_dup_policy (sandbox);
  after = asb_network_policy_new ();
  asb_network_policy_set_default_action (after, asb_network_policy_get_default_action (before));
  if (call->argument)
    add_rules (after, ASB_NETWORK_POLICY (call->argument), NULL);
  if (call->variant)
    {
      g_autofree const char **targets = g_variant_get_strv (call->variant, NULL);

      add_rules (after, before, targets);
    }
  else
    add_rules (after, before, NULL);
  asb_mock_sandbox_set_policy (sandbox, after);
  asb_mock_answer_object (answer, asb_mock_sandbox_dup_policy (sandbox));
  return TRUE;
}

static void
patch_network_policy (AsbProvider *provider, const char *id, AsbNetworkPolicy *policy, GTask *task)
{
  run (provider, "patch_network_policy", id, policy, NULL, perform_patch_policy,
       ASB_TYPE_NETWORK_POLICY, task);
}

static void
remove_network_rules (AsbProvider *provider, const char *id, const char *const *targets,
                      GTask *task)
{
  run (provider, "remove_network_rules", id, NULL, g_variant_new_strv (targets, -1),
       perform_patch_policy, ASB_TYPE_NETWORK_POLICY, task);
}

/* Metadata. */

static gboolean
perform_patch_metadata (AsbMockCall *call, GValue *answer, GError **error)
{
  g_autoptr (AsbMockSandbox) sandbox = sandbox_of (call, error);

  if (!sandbox)
    return FALSE;
  asb_mock_sandbox_patch_metadata (sandbox, call->variant);
  asb_mock_answer_object (answer, asb_mock_sandbox_describe (sandbox));
  return TRUE;
}

static void
patch_metadata (AsbProvider *provider, const char *id, GVariant *changes, GTask *task)
{
  run (provider, "patch_metadata", id, NULL, changes, perform_patch_metadata, ASB_TYPE_SANDBOX_INFO,
       task);
}

/* Snapshots: ready at once, and empty. */

static gboolean
set_no_snapshot (const char *id, GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_SNAPSHOT_NOT_FOUND, "There is no snapshot “%s”", id);
  return FALSE;
}

/* Must hold the mutex. −1 if there is none. */
static int
find_snapshot (AsbMockServices *self, const char *id)
{
  for (guint i = 0; i < self->snapshots->len; i++)
    if (g_strcmp0 (asb_snapshot_get_id (self->snapshots->pdata[i]), id) == 0)
      return (int)i;
  return -1;
}

gboolean
asb_mock_services_check_snapshot (AsbMockServices *self, const char *snapshot_id, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  return !snapshot_id || find_snapshot (self, snapshot_id) >= 0
         || set_no_snapshot (snapshot_id, error);
}

static gboolean
perform_create_snapshot (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockServices *self = services_of (call);
  g_autoptr (AsbMockSandbox) sandbox = sandbox_of (call, error);
  g_autofree char *unique = asb_uuid_v7_new ();
  g_autofree char *id = g_strconcat ("snapshot-", unique, NULL);
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  const char *name = call->variant ? g_variant_get_string (call->variant, NULL) : NULL;
  AsbSnapshot *snapshot;

  if (!sandbox)
    return FALSE;
  snapshot = g_object_new (ASB_TYPE_SNAPSHOT, "id", id, "sandbox-id", call->sandbox_id, "name",
                           name, "state", ASB_SNAPSHOT_STATE_READY, "created-at", now, NULL);
  g_mutex_lock (&self->mutex);
  g_ptr_array_add (self->snapshots, g_object_ref (snapshot));
  g_mutex_unlock (&self->mutex);
  asb_mock_answer_object (answer, snapshot);
  return TRUE;
}

static void
create_snapshot (AsbProvider *provider, const char *id, const char *name, GTask *task)
{
  run (provider, "create_snapshot", id, NULL, name ? g_variant_new_string (name) : NULL,
       perform_create_snapshot, ASB_TYPE_SNAPSHOT, task);
}

static gboolean
perform_get_snapshot (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockServices *self = services_of (call);
  const char *id = g_variant_get_string (call->variant, NULL);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  int index = find_snapshot (self, id);

  if (index < 0)
    return set_no_snapshot (id, error);
  asb_mock_answer_object (answer, g_object_ref (self->snapshots->pdata[index]));
  return TRUE;
}

static void
get_snapshot (AsbProvider *provider, const char *snapshot_id, GTask *task)
{
  run (provider, "get_snapshot", NULL, NULL, g_variant_new_string (snapshot_id),
       perform_get_snapshot, ASB_TYPE_SNAPSHOT, task);
}

static gboolean
perform_list_snapshots (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockServices *self = services_of (call);
  g_autoptr (GListStore) all = g_list_store_new (ASB_TYPE_SNAPSHOT);

  g_mutex_lock (&self->mutex);
  g_list_store_splice (all, 0, 0, self->snapshots->pdata, self->snapshots->len);
  g_mutex_unlock (&self->mutex);
  asb_mock_answer_object (answer, asb_snapshot_filter_select (ASB_SNAPSHOT_FILTER (call->argument),
                                                              G_LIST_MODEL (all)));
  return TRUE;
}

static void
list_snapshots (AsbProvider *provider, AsbSnapshotFilter *filter, GTask *task)
{
  run (provider, "list_snapshots", NULL, filter, NULL, perform_list_snapshots, G_TYPE_LIST_MODEL,
       task);
}

static gboolean
perform_delete_snapshot (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockServices *self = services_of (call);
  const char *id = g_variant_get_string (call->variant, NULL);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  int index = find_snapshot (self, id);

  if (index < 0)
    return set_no_snapshot (id, error);
  g_ptr_array_remove_index (self->snapshots, (guint)index);
  asb_mock_answer_boolean (answer, TRUE);
  return TRUE;
}

static void
delete_snapshot (AsbProvider *provider, const char *snapshot_id, GTask *task)
{
  run (provider, "delete_snapshot", NULL, NULL, g_variant_new_string (snapshot_id),
       perform_delete_snapshot, G_TYPE_BOOLEAN, task);
}

/* Metrics: what was said, or else those of a sandbox that does nothing. */

/* Must hold the mutex. Returns: (transfer full) */
static AsbSandboxMetrics *
current_metrics (AsbMockServices *self, const char *id)
{
  AsbSandboxMetrics *said = g_hash_table_lookup (self->metrics, id);
  g_autoptr (GDateTime) now = NULL;

  if (said)
    return g_object_ref (said);
  now = g_date_time_new_now_utc ();
  return g_object_new (ASB_TYPE_SANDBOX_METRICS, "cpu-count", 1.0, "memory-total",
                       (guint64)2 * 1024 * 1024 * 1024, "sampled-at", now, NULL);
}

static gboolean
perform_get_metrics (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockServices *self = services_of (call);
  g_autoptr (AsbMockSandbox) sandbox = sandbox_of (call, error);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (!sandbox)
    return FALSE;
  asb_mock_answer_object (answer, current_metrics (self, call->sandbox_id));
  return TRUE;
}

static void
get_metrics (AsbProvider *provider, const char *id, GTask *task)
{
  run (provider, "get_metrics", id, NULL, NULL, perform_get_metrics, ASB_TYPE_SANDBOX_METRICS,
       task);
}

static void
remember_watch (AsbMockServices *self, const char *id, AsbMetricsWatch *watch)
{
  GPtrArray *watches = g_hash_table_lookup (self->watches, id);
  GWeakRef *weak = g_new0 (GWeakRef, 1);

  if (!watches)
    {
      watches = g_ptr_array_new_with_free_func (weak_free);
      g_hash_table_insert (self->watches, g_strdup (id), watches);
    }
  g_weak_ref_init (weak, watch);
  g_ptr_array_add (watches, weak);
}

static gboolean
perform_watch_metrics (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockServices *self = services_of (call);
  g_autoptr (AsbMockSandbox) sandbox = sandbox_of (call, error);
  g_autoptr (AsbSandboxMetrics) now = NULL;
  AsbMetricsWatch *watch;

  if (!sandbox)
    return FALSE;
  watch = asb_metrics_watch_new ();
  g_mutex_lock (&self->mutex);
  remember_watch (self, call->sandbox_id, watch);
  now = current_metrics (self, call->sandbox_id);
  g_mutex_unlock (&self->mutex);
  asb_metrics_watch_push (watch, now);
  asb_mock_answer_object (answer, watch);
  return TRUE;
}

static void
watch_metrics (AsbProvider *provider, const char *id, GTask *task)
{
  run (provider, "watch_metrics", id, NULL, NULL, perform_watch_metrics, ASB_TYPE_METRICS_WATCH,
       task);
}

/* Returns: (transfer full): the watches of a sandbox that are still there */
static GPtrArray *
get_watches (AsbMockServices *self, const char *id)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GPtrArray *watches = g_hash_table_lookup (self->watches, id);
  GPtrArray *found = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; watches && i < watches->len; i++)
    {
      AsbMetricsWatch *watch = g_weak_ref_get (watches->pdata[i]);

      if (watch)
        g_ptr_array_add (found, watch);
    }
  return found;
}

void
asb_mock_services_forget (AsbMockServices *self, const char *sandbox_id)
{
  g_autoptr (GPtrArray) watches = get_watches (self, sandbox_id);

  g_mutex_lock (&self->mutex);
  g_hash_table_remove (self->watches, sandbox_id);
  g_hash_table_remove (self->metrics, sandbox_id);
  g_mutex_unlock (&self->mutex);
  for (guint i = 0; i < watches->len; i++)
    asb_metrics_watch_end (watches->pdata[i]);
}

/* Diagnostics and services: what was said. */

static gboolean
perform_get_diagnostics (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockServices *self = services_of (call);
  g_autoptr (AsbMockSandbox) sandbox = sandbox_of (call, error);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  const char *kind, *scope, *text;

  if (!sandbox)
    return FALSE;
  g_variant_get (call->variant, "(&sm&s)", &kind, &scope);
  text = g_hash_table_lookup (self->diagnostics, kind);
  asb_mock_answer_object (answer, g_object_new (ASB_TYPE_DIAGNOSTICS, "kind", kind, "scope", scope,
                                                "content", text ? text : "", "content-type",
                                                "text/plain", NULL));
  return TRUE;
}

static void
get_diagnostics (AsbProvider *provider, const char *id, const char *kind, const char *scope,
                 GTask *task)
{
  run (provider, "get_diagnostics", id, NULL, g_variant_new ("(sms)", kind, scope),
       perform_get_diagnostics, ASB_TYPE_DIAGNOSTICS, task);
}

static gboolean
perform_call_service (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockServices *self = services_of (call);
  g_autoptr (AsbMockSandbox) sandbox = call->sandbox_id ? sandbox_of (call, error) : NULL;
  g_autoptr (GMutexLocker) locker = NULL;
  const char *name = g_variant_get_string (call->variant, NULL);
  GVariant *said;

  if (call->sandbox_id && !sandbox)
    return FALSE;
  locker = g_mutex_locker_new (&self->mutex);
  said = g_hash_table_lookup (self->answers, name);
  if (!said)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                   "The mock has no service “%s”", name);
      return FALSE;
    }
  g_value_init (answer, G_TYPE_VARIANT);
  g_value_set_variant (answer, said);
  return TRUE;
}

static void
call_service (AsbProvider *provider, const char *id, const char *name, GVariant *arguments,
              GTask *task)
{
  run (provider, "call_service", id, NULL, g_variant_new_string (name), perform_call_service,
       G_TYPE_VARIANT, task);
}

void
asb_mock_services_iface_init (AsbProviderInterface *iface)
{
  iface->get_endpoint = get_endpoint;
  iface->get_network_policy = get_network_policy;
  iface->set_network_policy = set_network_policy;
  iface->patch_network_policy = patch_network_policy;
  iface->remove_network_rules = remove_network_rules;
  iface->patch_metadata = patch_metadata;
  iface->create_snapshot = create_snapshot;
  iface->get_snapshot = get_snapshot;
  iface->list_snapshots = list_snapshots;
  iface->delete_snapshot = delete_snapshot;
  iface->get_metrics = get_metrics;
  iface->watch_metrics = watch_metrics;
  iface->get_diagnostics = get_diagnostics;
  iface->call_service = call_service;
}

/* What applications say. A mistake in it is one of the program. */

static AsbSandboxMetrics *
parse_metrics (GVariant *source, GError **error)
{
  static const char *const known[] = { "cpu-percent", "memory-total", "memory-used", NULL };
  gint64 percent = 0, total = 0, used = 0;
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();

  if (!asb_mock_variant_check_keys (source, known, error)
      || !asb_mock_variant_get_integer (source, "cpu-percent", 0, G_MAXINT32, &percent, error)
      || !asb_mock_variant_get_integer (source, "memory-total", 0, G_MAXINT64, &total, error)
      || !asb_mock_variant_get_integer (source, "memory-used", 0, G_MAXINT64, &used, error))
    return NULL;
  return g_object_new (ASB_TYPE_SANDBOX_METRICS, "cpu-count", 1.0, "cpu-percent", (double)percent,
                       "memory-total", (guint64)total, "memory-used", (guint64)used, "sampled-at",
                       now, NULL);
}

static gboolean
set_metrics_cb (AsbMockProvider *provider, const char *sandbox_id, GVariant *source,
                gpointer user_data)
{
  AsbMockServices *self = asb_mock_provider_get_services (provider);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxMetrics) metrics = parse_metrics (source, &error);
  g_autoptr (GPtrArray) watches = get_watches (self, sandbox_id);

  if (!metrics)
    {
      g_critical ("%s", error->message);
      return FALSE;
    }
  g_mutex_lock (&self->mutex);
  g_hash_table_replace (self->metrics, g_strdup (sandbox_id), g_object_ref (metrics));
  g_mutex_unlock (&self->mutex);
  for (guint i = 0; i < watches->len; i++)
    asb_metrics_watch_push (watches->pdata[i], metrics);
  return TRUE;
}

static void
set_diagnostics_cb (AsbMockProvider *provider, const char *kind, const char *text,
                    gpointer user_data)
{
  AsbMockServices *self = asb_mock_provider_get_services (provider);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  g_hash_table_replace (self->diagnostics, g_strdup (kind), g_strdup (text));
}

static void
set_service_result_cb (AsbMockProvider *provider, const char *name, GVariant *answer,
                       gpointer user_data)
{
  AsbMockServices *self = asb_mock_provider_get_services (provider);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  g_hash_table_replace (self->answers, g_strdup (name), g_variant_ref_sink (answer));
}

void
asb_mock_services_install_signals (GType type)
{
  const GSignalFlags action = G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION;

  g_signal_new_class_handler ("set-metrics", type, action, G_CALLBACK (set_metrics_cb), NULL, NULL,
                              NULL, G_TYPE_BOOLEAN, 2, G_TYPE_STRING, G_TYPE_VARIANT);
  g_signal_new_class_handler ("set-diagnostics", type, action, G_CALLBACK (set_diagnostics_cb),
                              NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
  g_signal_new_class_handler ("set-service-result", type, action,
                              G_CALLBACK (set_service_result_cb), NULL, NULL, NULL, G_TYPE_NONE, 2,
                              G_TYPE_STRING, G_TYPE_VARIANT);
}
