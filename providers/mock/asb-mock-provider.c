/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-mock-provider.h"

#include "asb-mock-call.h"
#include "asb-mock-process.h"
#include "asb-mock-transport.h"

#define NAME "mock"
#define DEFAULT_KEY "mock-default"
#define EVERY_OPERATION "*"

struct _AsbMockProvider
{
  GObject parent_instance;

  char *key;
  AsbMockFaults *faults;
  AsbMockServices *services;
  GVariant *faults_option; /* as given when it was made, until it is initialised */
  GVariant *results_option;
  gboolean keep_alive;

  GMutex mutex;
  GHashTable *sandboxes; /* id → AsbMockSandbox */
  GHashTable *scripts;   /* text of a command → AsbMockScript */
  GPtrArray *held;       /* AsbMockCall, in the order of their arrival */
  guint n_transports;
};

enum
{
  PROP_0,
  PROP_PROVIDER_KEY,
  PROP_FAULTS,
  PROP_COMMAND_RESULTS,
  PROP_KEEP_ALIVE,
  PROP_CALL_COUNTS,
  PROP_SANDBOX_COUNT,
  PROP_SANDBOX_IDS,
  PROP_TRANSPORT_COUNT,
  PROP_HELD_COUNT,
  N_PROPS
};

enum
{
  SIGNAL_CALLED,
  SIGNAL_ADD_FAULT,
  SIGNAL_CLEAR_FAULTS,
  SIGNAL_SET_COMMAND_RESULT,
  SIGNAL_RELEASE,
  SIGNAL_FORGET,
  SIGNAL_FINISH_COMMANDS,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

static void asb_mock_provider_iface_init (AsbProviderInterface *iface);
static void asb_mock_provider_initable_init (GInitableIface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbMockProvider, asb_mock_provider, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_INITABLE,
                                                      asb_mock_provider_initable_init)
                                   G_IMPLEMENT_INTERFACE (ASB_TYPE_PROVIDER,
                                                          asb_mock_provider_iface_init))

static void
asb_mock_provider_dispose (GObject *object)
{
  AsbMockProvider *self = ASB_MOCK_PROVIDER (object);
  g_autoptr (GList) sandboxes = g_hash_table_get_values (self->sandboxes);

  for (GList *item = sandboxes; item; item = item->next)
    asb_mock_sandbox_delete (item->data);

  G_OBJECT_CLASS (asb_mock_provider_parent_class)->dispose (object);
}

static void
asb_mock_provider_finalize (GObject *object)
{
  AsbMockProvider *self = ASB_MOCK_PROVIDER (object);

  g_clear_pointer (&self->held, g_ptr_array_unref);
  g_clear_pointer (&self->scripts, g_hash_table_unref);
  g_clear_pointer (&self->sandboxes, g_hash_table_unref);
  g_clear_pointer (&self->faults_option, g_variant_unref);
  g_clear_pointer (&self->results_option, g_variant_unref);
  g_clear_pointer (&self->services, asb_mock_services_free);
  g_clear_pointer (&self->faults, asb_mock_faults_free);
  g_clear_pointer (&self->key, g_free);
  g_mutex_clear (&self->mutex);

  G_OBJECT_CLASS (asb_mock_provider_parent_class)->finalize (object);
}

static void
asb_mock_provider_init (AsbMockProvider *self)
{
  g_mutex_init (&self->mutex);
  self->faults = asb_mock_faults_new ();
  self->services = asb_mock_services_new ();
  self->sandboxes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                           (GDestroyNotify)asb_mock_sandbox_unref);
  self->scripts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                         (GDestroyNotify)asb_mock_script_free);
  self->held = g_ptr_array_new_with_free_func ((GDestroyNotify)asb_mock_call_free);
}

/* Faults and results, as applications give them. */

static gboolean
add_faults (AsbMockProvider *self, GVariant *rules, GError **error)
{
  GVariantIter iter;
  GVariant *rule;

  if (!g_variant_is_of_type (rules, G_VARIANT_TYPE ("aa{sv}")))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "“faults” must be a list of dictionaries, an aa{sv}");
      return FALSE;
    }
  g_variant_iter_init (&iter, rules);
  while ((rule = g_variant_iter_next_value (&iter)))
    {
      gboolean added = asb_mock_faults_add (self->faults, rule, error);

      g_variant_unref (rule);
      if (!added)
        return FALSE;
    }
  return TRUE;
}

static gboolean
set_result (AsbMockProvider *self, const char *text, GVariant *source, GError **error)
{
  AsbMockScript *script = asb_mock_script_parse (source, error);

  if (!script)
    return FALSE;
  g_mutex_lock (&self->mutex);
  g_hash_table_replace (self->scripts, g_strdup (text), script);
  g_mutex_unlock (&self->mutex);
  return TRUE;
}

static gboolean
set_results (AsbMockProvider *self, GVariant *results, GError **error)
{
  GVariantIter iter;
  const char *text;
  GVariant *source;

  if (!g_variant_is_of_type (results, G_VARIANT_TYPE ("a{sa{sv}}")))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "“command-results” must be dictionaries by command, an a{sa{sv}}");
      return FALSE;
    }
  g_variant_iter_init (&iter, results);
  while (g_variant_iter_next (&iter, "{&s@a{sv}}", &text, &source))
    {
      gboolean set = set_result (self, text, source, error);

      g_variant_unref (source);
      if (!set)
        return FALSE;
    }
  return TRUE;
}

static gboolean
asb_mock_provider_initable_do (GInitable *initable, GCancellable *cancellable, GError **error)
{
  AsbMockProvider *self = ASB_MOCK_PROVIDER (initable);
  g_autoptr (GVariant) faults = g_steal_pointer (&self->faults_option);
  g_autoptr (GVariant) results = g_steal_pointer (&self->results_option);

  return (!faults || add_faults (self, faults, error))
         && (!results || set_results (self, results, error));
}

static void
asb_mock_provider_initable_init (GInitableIface *iface)
{
  iface->init = asb_mock_provider_initable_do;
}

/* What is said wrongly in a signal is a mistake of the program. */
static gboolean
report (gboolean done, GError *error)
{
  if (error)
    g_critical ("%s", error->message);
  g_clear_error (&error);
  return done;
}

static gboolean
add_fault_cb (AsbMockProvider *self, GVariant *rule, gpointer user_data)
{
  GError *error = NULL;
  gboolean done = asb_mock_faults_add (self->faults, rule, &error);

  return report (done, error);
}

static void
clear_faults_cb (AsbMockProvider *self, gpointer user_data)
{
  asb_mock_faults_remove_all (self->faults);
}

static gboolean
set_command_result_cb (AsbMockProvider *self, const char *text, GVariant *source,
                       gpointer user_data)
{
  GError *error = NULL;
  gboolean done = set_result (self, text, source, &error);

  return report (done, error);
}

/* Takes out the calls of @operation. Returns: (transfer full) */
static GPtrArray *
take_held (AsbMockProvider *self, const char *operation)
{
  GPtrArray *taken = g_ptr_array_new_with_free_func ((GDestroyNotify)asb_mock_call_free);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  for (guint i = 0; i < self->held->len;)
    {
      AsbMockCall *call = self->held->pdata[i];

      if (g_str_equal (operation, EVERY_OPERATION) || g_str_equal (operation, call->operation))
        g_ptr_array_add (taken, g_ptr_array_steal_index (self->held, i));
      else
        i++;
    }
  return taken;
}

static guint
release_cb (AsbMockProvider *self, const char *operation, gpointer user_data)
{
  g_autoptr (GPtrArray) calls = take_held (self, operation);

  for (guint i = 0; i < calls->len; i++)
    asb_mock_call_answer (calls->pdata[i]);
  return calls->len;
}

static guint
forget_cb (AsbMockProvider *self, const char *operation, gpointer user_data)
{
  g_autoptr (GPtrArray) calls = take_held (self, operation);

  return calls->len;
}

/* Returns: (transfer full): of all sandboxes */
static GPtrArray *
get_processes (AsbMockProvider *self)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GHashTableIter iter;
  gpointer sandbox;

  g_hash_table_iter_init (&iter, self->sandboxes);
  while (g_hash_table_iter_next (&iter, NULL, &sandbox))
    g_ptr_array_extend_and_steal (all, asb_mock_sandbox_get_processes (sandbox));
  return all;
}

static guint
finish_commands_cb (AsbMockProvider *self, const char *text, gpointer user_data)
{
  g_autoptr (GPtrArray) processes = get_processes (self);
  guint n_finished = 0;

  for (guint i = 0; i < processes->len; i++)
    if (g_str_equal (asb_mock_process_get_text (processes->pdata[i]), text))
      {
        asb_mock_process_finish (processes->pdata[i]);
        n_finished++;
      }
  return n_finished;
}

/* Properties. */

static char **
dup_sandbox_ids (AsbMockProvider *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autoptr (GList) ids
      = g_list_sort (g_hash_table_get_keys (self->sandboxes), (GCompareFunc)g_strcmp0);

  for (GList *item = ids; item; item = item->next)
    g_strv_builder_add (builder, item->data);
  return g_strv_builder_end (builder);
}

static guint
read_count (AsbMockProvider *self, guint property_id)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (property_id == PROP_SANDBOX_COUNT)
    return g_hash_table_size (self->sandboxes);
  return property_id == PROP_HELD_COUNT ? self->held->len : self->n_transports;
}

static void
asb_mock_provider_get_property (GObject *object, guint property_id, GValue *value,
                                GParamSpec *pspec)
{
  AsbMockProvider *self = ASB_MOCK_PROVIDER (object);

  switch (property_id)
    {
    case PROP_PROVIDER_KEY:
      g_value_set_string (value, self->key);
      break;
    case PROP_FAULTS:
      g_value_take_variant (value, asb_mock_faults_to_variant (self->faults));
      break;
    case PROP_KEEP_ALIVE:
      g_value_set_boolean (value, self->keep_alive);
      break;
    case PROP_CALL_COUNTS:
      g_value_take_variant (value, asb_mock_faults_get_counts (self->faults));
      break;
    case PROP_SANDBOX_COUNT:
    case PROP_TRANSPORT_COUNT:
    case PROP_HELD_COUNT:
      g_value_set_uint (value, read_count (self, property_id));
      break;
    case PROP_SANDBOX_IDS:
      g_value_take_boxed (value, dup_sandbox_ids (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_mock_provider_set_property (GObject *object, guint property_id, const GValue *value,
                                GParamSpec *pspec)
{
  AsbMockProvider *self = ASB_MOCK_PROVIDER (object);

  switch (property_id)
    {
    case PROP_PROVIDER_KEY:
      self->key = g_value_dup_string (value);
      break;
    case PROP_FAULTS:
      self->faults_option = g_value_dup_variant (value);
      break;
    case PROP_COMMAND_RESULTS:
      self->results_option = g_value_dup_variant (value);
      break;
    case PROP_KEEP_ALIVE:
      self->keep_alive = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
install_properties (GObjectClass *object_class)
{
  const GParamFlags option = G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  properties[PROP_PROVIDER_KEY] = g_param_spec_string (
      "provider-key", NULL, NULL, DEFAULT_KEY, G_PARAM_READABLE | G_PARAM_WRITABLE | option);
  properties[PROP_FAULTS] = g_param_spec_variant ("faults", NULL, NULL, G_VARIANT_TYPE_ANY, NULL,
                                                  G_PARAM_READABLE | G_PARAM_WRITABLE | option);
  properties[PROP_COMMAND_RESULTS] = g_param_spec_variant (
      "command-results", NULL, NULL, G_VARIANT_TYPE_ANY, NULL, G_PARAM_WRITABLE | option);
  properties[PROP_KEEP_ALIVE] = g_param_spec_boolean ("keep-alive", NULL, NULL, FALSE,
                                                      G_PARAM_READABLE | G_PARAM_WRITABLE | option);
  properties[PROP_CALL_COUNTS]
      = g_param_spec_variant ("call-counts", NULL, NULL, G_VARIANT_TYPE ("a{st}"), NULL, readable);
  properties[PROP_SANDBOX_COUNT]
      = g_param_spec_uint ("sandbox-count", NULL, NULL, 0, G_MAXUINT, 0, readable);
  properties[PROP_SANDBOX_IDS]
      = g_param_spec_boxed ("sandbox-ids", NULL, NULL, G_TYPE_STRV, readable);
  properties[PROP_TRANSPORT_COUNT]
      = g_param_spec_uint ("transport-count", NULL, NULL, 0, G_MAXUINT, 0, readable);
  properties[PROP_HELD_COUNT]
      = g_param_spec_uint ("held-count", NULL, NULL, 0, G_MAXUINT, 0, readable);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
install_signals (void)
{
  const GSignalFlags action = G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION;
  const GType type = ASB_TYPE_MOCK_PROVIDER;

  signals[SIGNAL_CALLED] = g_signal_new ("called", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                         G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
  signals[SIGNAL_ADD_FAULT]
      = g_signal_new_class_handler ("add-fault", type, action, G_CALLBACK (add_fault_cb), NULL,
                                    NULL, NULL, G_TYPE_BOOLEAN, 1, G_TYPE_VARIANT);
  signals[SIGNAL_CLEAR_FAULTS] = g_signal_new_class_handler (
      "clear-faults", type, action, G_CALLBACK (clear_faults_cb), NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_SET_COMMAND_RESULT] = g_signal_new_class_handler (
      "set-command-result", type, action, G_CALLBACK (set_command_result_cb), NULL, NULL, NULL,
      G_TYPE_BOOLEAN, 2, G_TYPE_STRING, G_TYPE_VARIANT);
  signals[SIGNAL_RELEASE]
      = g_signal_new_class_handler ("release", type, action, G_CALLBACK (release_cb), NULL, NULL,
                                    NULL, G_TYPE_UINT, 1, G_TYPE_STRING);
  signals[SIGNAL_FORGET]
      = g_signal_new_class_handler ("forget", type, action, G_CALLBACK (forget_cb), NULL, NULL,
                                    NULL, G_TYPE_UINT, 1, G_TYPE_STRING);
  signals[SIGNAL_FINISH_COMMANDS] = g_signal_new_class_handler (
      "finish-commands", type, action, G_CALLBACK (finish_commands_cb), NULL, NULL, NULL,
      G_TYPE_UINT, 1, G_TYPE_STRING);
  asb_mock_services_install_signals (type);
}

static void
asb_mock_provider_class_init (AsbMockProviderClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = asb_mock_provider_dispose;
  object_class->finalize = asb_mock_provider_finalize;
  object_class->get_property = asb_mock_provider_get_property;
  object_class->set_property = asb_mock_provider_set_property;
  install_properties (object_class);
  install_signals ();
}

/* For the other parts of the mock. */

AsbMockServices *
asb_mock_provider_get_services (AsbMockProvider *self)
{
  return self->services;
}

AsbMockFaults *
asb_mock_provider_get_faults (AsbMockProvider *self)
{
  return self->faults;
}

AsbMockScript *
asb_mock_provider_find_script (AsbMockProvider *self, const char *text, const char *cwd)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  AsbMockScript *script = g_hash_table_lookup (self->scripts, text);

  return script ? asb_mock_script_copy (script) : asb_mock_script_new_default (text, cwd);
}

void
asb_mock_provider_transport_opened (AsbMockProvider *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  self->n_transports++;
}

void
asb_mock_provider_transport_closed (AsbMockProvider *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  self->n_transports--;
}

void
asb_mock_provider_hold (AsbMockProvider *self, gpointer call)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  g_ptr_array_add (self->held, call);
}

void
asb_mock_provider_emit_called (AsbMockProvider *self, const char *operation, const char *sandbox_id)
{
  g_signal_emit (self, signals[SIGNAL_CALLED], 0, operation, sandbox_id);
}

/* Operations. */

static char *
asb_mock_provider_dup_name (AsbProvider *provider)
{
  return g_strdup (NAME);
}

static char *
asb_mock_provider_dup_key (AsbProvider *provider)
{
  return g_strdup (ASB_MOCK_PROVIDER (provider)->key);
}

/* As of a server whose sandboxes end by themselves. */
static void
add_keep_alive (AsbCapabilities *capabilities)
{
  g_autoptr (GHashTable) limits = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AsbCapability) capability = NULL;

  g_hash_table_insert (limits, (gpointer) "min_seconds", (gpointer) "60");
  g_hash_table_insert (limits, (gpointer) "default_seconds", (gpointer) "600");
  capability = asb_capability_new (ASB_CAPABILITY_KEEP_ALIVE, ASB_CAPABILITY_SUPPORT_NATIVE, NAME,
                                   NULL, limits);
  asb_capabilities_add_capability (capabilities, capability);
}

static AsbCapabilities *
asb_mock_provider_get_capabilities (AsbProvider *provider)
{
  AsbCapabilities *capabilities = asb_mock_transport_list_capabilities ();

  asb_capabilities_add (capabilities, ASB_CAPABILITY_PAUSE_RESUME, ASB_CAPABILITY_SUPPORT_NATIVE,
                        NAME, NULL);
  asb_capabilities_add (capabilities, ASB_CAPABILITY_PERSISTENT_LIFETIME,
                        ASB_CAPABILITY_SUPPORT_UNAVAILABLE, NAME,
                        "the sandboxes of the mock are in the memory of the program");
  asb_mock_services_add_capabilities (capabilities);
  if (ASB_MOCK_PROVIDER (provider)->keep_alive)
    add_keep_alive (capabilities);
  return capabilities;
}

static gboolean
set_not_found (const char *sandbox_id, GError **error)
{
  g_autofree char *shown = g_utf8_make_valid (sandbox_id, -1);

  g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND, "There is no sandbox “%s”", shown);
  return FALSE;
}

AsbMockSandbox *
asb_mock_provider_find_sandbox (AsbMockProvider *self, const char *sandbox_id, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  AsbMockSandbox *sandbox = g_hash_table_lookup (self->sandboxes, sandbox_id);

  if (sandbox)
    return asb_mock_sandbox_ref (sandbox);
  set_not_found (sandbox_id, error);
  return NULL;
}

/* Must hold the mutex. Returns: (transfer full) (nullable): the one that was made with that key */
static AsbMockSandbox *
find_by_key (AsbMockProvider *self, const char *key)
{
  GHashTableIter iter;
  gpointer sandbox;

  g_hash_table_iter_init (&iter, self->sandboxes);
  while (key && g_hash_table_iter_next (&iter, NULL, &sandbox))
    if (g_strcmp0 (asb_mock_sandbox_get_idempotency_key (sandbox), key) == 0)
      return asb_mock_sandbox_ref (sandbox);
  return NULL;
}

/* In the thread that made the change, whichever it is. */
static void
notify_sandboxes (AsbMockProvider *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SANDBOX_COUNT]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SANDBOX_IDS]);
}

static gboolean
perform_create (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockProvider *self = call->provider;
  AsbSandboxSpec *spec = ASB_SANDBOX_SPEC (call->argument);
  const char *key = asb_sandbox_spec_get_idempotency_key (spec);
  g_autoptr (AsbMockSandbox) sandbox = NULL;

  if (!asb_mock_services_check_snapshot (self->services, asb_sandbox_spec_get_snapshot_id (spec),
                                         error))
    return FALSE;
  g_mutex_lock (&self->mutex);
  sandbox = find_by_key (self, key);
  if (!sandbox)
    {
      sandbox = asb_mock_sandbox_new (spec, self->key);
      g_hash_table_insert (self->sandboxes, g_strdup (asb_mock_sandbox_get_id (sandbox)),
                           asb_mock_sandbox_ref (sandbox));
    }
  g_mutex_unlock (&self->mutex);
  notify_sandboxes (self);
  asb_mock_answer_object (answer, asb_mock_sandbox_describe (sandbox));
  return TRUE;
}

static gboolean
answer_info (AsbMockSandbox *sandbox, GValue *answer)
{
  asb_mock_answer_object (answer, asb_mock_sandbox_describe (sandbox));
  return TRUE;
}

static gboolean
perform_get (AsbMockCall *call, GValue *answer, GError **error)
{
  g_autoptr (AsbMockSandbox) sandbox
      = asb_mock_provider_find_sandbox (call->provider, call->sandbox_id, error);

  return sandbox && answer_info (sandbox, answer);
}

static gboolean
perform_delete (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockProvider *self = call->provider;
  g_autofree char *key = NULL;
  gpointer stolen_key = NULL, stolen = NULL;
  g_autoptr (AsbMockSandbox) sandbox = NULL;

  g_mutex_lock (&self->mutex);
  g_hash_table_steal_extended (self->sandboxes, call->sandbox_id, &stolen_key, &stolen);
  g_mutex_unlock (&self->mutex);
  key = stolen_key;
  sandbox = stolen;
  if (!sandbox)
    return set_not_found (call->sandbox_id, error);
  asb_mock_sandbox_delete (sandbox);
  asb_mock_services_forget (self->services, call->sandbox_id);
  notify_sandboxes (self);
  asb_mock_answer_boolean (answer, TRUE);
  return TRUE;
}

static gboolean
perform_renew (AsbMockCall *call, GValue *answer, GError **error)
{
  g_autoptr (AsbMockSandbox) sandbox
      = asb_mock_provider_find_sandbox (call->provider, call->sandbox_id, error);

  if (!sandbox)
    return FALSE;
  asb_mock_sandbox_renew (sandbox, call->number);
  return answer_info (sandbox, answer);
}

static gboolean
change_state (AsbMockCall *call, AsbSandboxState from, AsbSandboxState to, GValue *answer,
              GError **error)
{
  g_autoptr (AsbMockSandbox) sandbox
      = asb_mock_provider_find_sandbox (call->provider, call->sandbox_id, error);

  return sandbox && asb_mock_sandbox_change_state (sandbox, from, to, error)
         && answer_info (sandbox, answer);
}

static gboolean
perform_pause (AsbMockCall *call, GValue *answer, GError **error)
{
  return change_state (call, ASB_SANDBOX_STATE_RUNNING, ASB_SANDBOX_STATE_PAUSED, answer, error);
}

static gboolean
perform_resume (AsbMockCall *call, GValue *answer, GError **error)
{
  return change_state (call, ASB_SANDBOX_STATE_PAUSED, ASB_SANDBOX_STATE_RUNNING, answer, error);
}

static gboolean
perform_open_transport (AsbMockCall *call, GValue *answer, GError **error)
{
  g_autoptr (AsbMockSandbox) sandbox
      = asb_mock_provider_find_sandbox (call->provider, call->sandbox_id, error);

  if (sandbox)
    asb_mock_answer_object (answer, asb_mock_transport_new (call->provider, sandbox));
  return sandbox != NULL;
}

static gboolean
perform_list (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockProvider *self = call->provider;
  g_autoptr (GListStore) all = g_list_store_new (ASB_TYPE_SANDBOX_INFO);
  g_auto (GStrv) ids = dup_sandbox_ids (self);

  for (gsize i = 0; ids[i]; i++)
    {
      g_autoptr (AsbMockSandbox) sandbox = asb_mock_provider_find_sandbox (self, ids[i], NULL);
      g_autoptr (AsbSandboxInfo) info = sandbox ? asb_mock_sandbox_describe (sandbox) : NULL;

      if (info)
        g_list_store_append (all, info);
    }
  asb_mock_answer_object (
      answer, asb_sandbox_filter_select (ASB_SANDBOX_FILTER (call->argument), G_LIST_MODEL (all)));
  return TRUE;
}

static void
run_call (AsbProvider *provider, const char *operation, const char *sandbox_id, gpointer argument,
          AsbMockPerform perform, GType type, GTask *task)
{
  asb_mock_call_run (asb_mock_call_new (ASB_MOCK_PROVIDER (provider), operation, sandbox_id,
                                        argument, type, perform, task));
}

static void
asb_mock_provider_create_sandbox (AsbProvider *provider, AsbSandboxSpec *spec, GTask *task)
{
  run_call (provider, "create_sandbox", NULL, spec, perform_create, ASB_TYPE_SANDBOX_INFO, task);
}

static void
asb_mock_provider_get_sandbox (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  run_call (provider, "get_sandbox", sandbox_id, NULL, perform_get, ASB_TYPE_SANDBOX_INFO, task);
}

static void
asb_mock_provider_list_sandboxes (AsbProvider *provider, AsbSandboxFilter *filter, GTask *task)
{
  run_call (provider, "list_sandboxes", NULL, filter, perform_list, G_TYPE_LIST_MODEL, task);
}

static void
asb_mock_provider_delete_sandbox (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  run_call (provider, "delete_sandbox", sandbox_id, NULL, perform_delete, G_TYPE_BOOLEAN, task);
}

static void
asb_mock_provider_renew_sandbox (AsbProvider *provider, const char *sandbox_id, gint64 seconds,
                                 GTask *task)
{
  AsbMockCall *call = asb_mock_call_new (ASB_MOCK_PROVIDER (provider), "renew_sandbox", sandbox_id,
                                         NULL, ASB_TYPE_SANDBOX_INFO, perform_renew, task);

  call->number = seconds;
  asb_mock_call_run (call);
}

static void
asb_mock_provider_pause_sandbox (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  run_call (provider, "pause_sandbox", sandbox_id, NULL, perform_pause, ASB_TYPE_SANDBOX_INFO,
            task);
}

static void
asb_mock_provider_resume_sandbox (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  run_call (provider, "resume_sandbox", sandbox_id, NULL, perform_resume, ASB_TYPE_SANDBOX_INFO,
            task);
}

static void
asb_mock_provider_open_transport (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  run_call (provider, "open_transport", sandbox_id, NULL, perform_open_transport,
            ASB_TYPE_TRANSPORT, task);
}

static void
asb_mock_provider_iface_init (AsbProviderInterface *iface)
{
  iface->dup_name = asb_mock_provider_dup_name;
  iface->dup_key = asb_mock_provider_dup_key;
  iface->get_capabilities = asb_mock_provider_get_capabilities;
  iface->create_sandbox = asb_mock_provider_create_sandbox;
  iface->get_sandbox = asb_mock_provider_get_sandbox;
  iface->list_sandboxes = asb_mock_provider_list_sandboxes;
  iface->delete_sandbox = asb_mock_provider_delete_sandbox;
  iface->renew_sandbox = asb_mock_provider_renew_sandbox;
  iface->pause_sandbox = asb_mock_provider_pause_sandbox;
  iface->resume_sandbox = asb_mock_provider_resume_sandbox;
  iface->open_transport = asb_mock_provider_open_transport;
  asb_mock_services_iface_init (iface);
  iface->thread_safe = TRUE;
}
