/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-provider.h"

#include "asb-local-doctor.h"
#include "asb-local-ending.h"
#include "asb-local-list.h"
#include "asb-local-sandboxes.h"
#include "asb-local-scope.h"

/* The provider that makes sandboxes on this machine, of bubblewrap and the guest. README.md says
 * what they protect from. Nothing changes after construction, so any thread may use it. */

struct _AsbLocalProvider
{
  GObject parent_instance;

  AsbLocalSettings settings;
};

enum
{
  PROP_0,
  PROP_STATE_DIR,
  PROP_RECORD_DIR,
  PROP_BWRAP,
  PROP_GUEST,
  PROP_NETWORK,
  PROP_KEEP_RECORD,
  PROP_SYSTEMD,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_ENUM_TYPE (AsbLocalNetwork, asb_local_network,
                    G_DEFINE_ENUM_VALUE (ASB_LOCAL_NETWORK_NONE, "none"),
                    G_DEFINE_ENUM_VALUE (ASB_LOCAL_NETWORK_HOST, "host"))

static void provider_iface_init (AsbProviderInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbLocalProvider, asb_local_provider, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_PROVIDER, provider_iface_init))

static char *
choose_folder (char *option, const char *name)
{
  g_autofree char *given = option;

  if (given)
    return g_canonicalize_filename (given, NULL);
  return g_build_filename (g_get_user_state_dir (), "asb", name, NULL);
}

static void
asb_local_provider_constructed (GObject *object)
{
  AsbLocalSettings *settings = &ASB_LOCAL_PROVIDER (object)->settings;

  settings->state_dir = choose_folder (settings->state_dir, "local");
  settings->record_dir = choose_folder (settings->record_dir, "history");

  G_OBJECT_CLASS (asb_local_provider_parent_class)->constructed (object);
}

static void
asb_local_provider_finalize (GObject *object)
{
  AsbLocalSettings *settings = &ASB_LOCAL_PROVIDER (object)->settings;

  g_clear_pointer (&settings->state_dir, g_free);
  g_clear_pointer (&settings->record_dir, g_free);
  g_clear_pointer (&settings->bubblewrap, g_free);
  g_clear_pointer (&settings->guest, g_free);
  g_clear_pointer (&settings->systemd, g_free);

  G_OBJECT_CLASS (asb_local_provider_parent_class)->finalize (object);
}

static void
asb_local_provider_get_property (GObject *object, guint property_id, GValue *value,
                                 GParamSpec *pspec)
{
  const AsbLocalSettings *settings = &ASB_LOCAL_PROVIDER (object)->settings;

  switch (property_id)
    {
    case PROP_STATE_DIR:
      g_value_set_string (value, settings->state_dir);
      break;
    case PROP_RECORD_DIR:
      g_value_set_string (value, settings->record_dir);
      break;
    case PROP_BWRAP:
      g_value_set_string (value, settings->bubblewrap);
      break;
    case PROP_GUEST:
      g_value_set_string (value, settings->guest);
      break;
    case PROP_NETWORK:
      g_value_set_enum (value,
                        settings->host_network ? ASB_LOCAL_NETWORK_HOST : ASB_LOCAL_NETWORK_NONE);
      break;
    case PROP_KEEP_RECORD:
      g_value_set_boolean (value, settings->keep_record);
      break;
    case PROP_SYSTEMD:
      g_value_set_string (value, settings->systemd);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_local_provider_set_property (GObject *object, guint property_id, const GValue *value,
                                 GParamSpec *pspec)
{
  AsbLocalSettings *settings = &ASB_LOCAL_PROVIDER (object)->settings;

  switch (property_id)
    {
    case PROP_STATE_DIR:
      settings->state_dir = g_value_dup_string (value);
      break;
    case PROP_RECORD_DIR:
      settings->record_dir = g_value_dup_string (value);
      break;
    case PROP_BWRAP:
      settings->bubblewrap = g_value_dup_string (value);
      break;
    case PROP_GUEST:
      settings->guest = g_value_dup_string (value);
      break;
    case PROP_NETWORK:
      settings->host_network = g_value_get_enum (value) == ASB_LOCAL_NETWORK_HOST;
      break;
    case PROP_KEEP_RECORD:
      settings->keep_record = g_value_get_boolean (value);
      break;
    case PROP_SYSTEMD:
      settings->systemd = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_local_provider_class_init (AsbLocalProviderClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;

  object_class->constructed = asb_local_provider_constructed;
  object_class->finalize = asb_local_provider_finalize;
  object_class->get_property = asb_local_provider_get_property;
  object_class->set_property = asb_local_provider_set_property;

  properties[PROP_STATE_DIR] = g_param_spec_string ("state-dir", NULL, NULL, NULL, flags);
  properties[PROP_RECORD_DIR] = g_param_spec_string ("record-dir", NULL, NULL, NULL, flags);
  properties[PROP_BWRAP] = g_param_spec_string ("bwrap", NULL, NULL, NULL, flags);
  properties[PROP_GUEST] = g_param_spec_string ("guest", NULL, NULL, NULL, flags);
  properties[PROP_NETWORK] = g_param_spec_enum ("network", NULL, NULL, ASB_LOCAL_TYPE_NETWORK,
                                                ASB_LOCAL_NETWORK_NONE, flags);
  properties[PROP_KEEP_RECORD] = g_param_spec_boolean ("keep-record", NULL, NULL, FALSE, flags);
  properties[PROP_SYSTEMD]
      = g_param_spec_string ("systemd", NULL, NULL, ASB_LOCAL_SYSTEMD_AUTO, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_local_provider_init (AsbLocalProvider *self)
{
}

static char *
asb_local_provider_dup_name (AsbProvider *provider)
{
  return g_strdup ("local");
}

static void
add_file_hash (AsbCapabilities *capabilities)
{
  g_autoptr (GHashTable) limits = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AsbCapability) capability = NULL;

  g_hash_table_insert (limits, (gpointer) "algorithm", (gpointer) "sha256");
  capability
      = g_object_new (ASB_TYPE_CAPABILITY, "name", ASB_CAPABILITY_FILE_HASH, "support",
                      ASB_CAPABILITY_SUPPORT_NATIVE, "source", "provider", "limits", limits, NULL);
  asb_capabilities_add_capability (capabilities, capability);
}

static void
add_limits (AsbCapabilities *capabilities, const AsbLocalSettings *settings)
{
  g_autofree char *bus = asb_local_scope_find_bus (settings->systemd);

  if (bus)
    asb_capabilities_add (capabilities, ASB_CAPABILITY_RESOURCE_LIMITS,
                          ASB_CAPABILITY_SUPPORT_NATIVE, "provider", NULL);
  else
    asb_capabilities_add (capabilities, ASB_CAPABILITY_RESOURCE_LIMITS,
                          ASB_CAPABILITY_SUPPORT_EMULATED, "provider",
                          "memory is limited for each process, not for all together");
}

static AsbCapabilities *
asb_local_provider_get_capabilities (AsbProvider *provider)
{
  static const char *const native[] = {
    ASB_CAPABILITY_FILESYSTEM,          ASB_CAPABILITY_BINARY_FILES,
    ASB_CAPABILITY_ATOMIC_RENAME,       ASB_CAPABILITY_COMMAND_EXECUTION,
    ASB_CAPABILITY_STREAMING_OUTPUT,    ASB_CAPABILITY_COMMAND_STDIN,
    ASB_CAPABILITY_EXACT_OUTPUT,        ASB_CAPABILITY_SANDBOX_HISTORY,
    ASB_CAPABILITY_PERSISTENT_LIFETIME, ASB_CAPABILITY_MOUNTS,
    ASB_CAPABILITY_BACKGROUND_JOBS,     ASB_CAPABILITY_COMMAND_TERMINAL,
  };
  AsbCapabilities *capabilities = asb_capabilities_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (native); i++)
    asb_capabilities_add (capabilities, native[i], ASB_CAPABILITY_SUPPORT_NATIVE, "provider", NULL);
  add_file_hash (capabilities);
  add_limits (capabilities, &ASB_LOCAL_PROVIDER (provider)->settings);
  asb_capabilities_add (capabilities, ASB_CAPABILITY_NETWORK_POLICY,
                        ASB_CAPABILITY_SUPPORT_UNAVAILABLE, "provider",
                        "the option “network” says what a local sandbox reaches: none or host");
  asb_capabilities_add (
      capabilities, ASB_CAPABILITY_PAUSE_RESUME, ASB_CAPABILITY_SUPPORT_UNAVAILABLE, "provider",
      "local sandboxes cannot be frozen, only resumed when somebody has stopped them");
  return capabilities;
}

static void
return_object (GTask *task, GType type, gpointer object)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, type);
  g_value_take_object (&value, object);
  g_task_return_value (task, &value);
}

/* What was done before the cancellation came counts: the core undoes what nobody waits for. */
static void
run (GTask *task, gpointer data, GDestroyNotify free_data, GTaskThreadFunc function)
{
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, data, free_data);
  g_task_run_in_thread (task, function);
}

/* @metadata: (nullable): without it @error is answered, which is taken. */
static void
return_info (GTask *task, AsbLocalMetadata *metadata, AsbSandboxState state, GError *error)
{
  if (metadata)
    return_object (task, ASB_TYPE_SANDBOX_INFO,
                   asb_local_metadata_to_info (metadata, g_task_get_source_object (task), state));
  else
    g_task_return_error (task, error);
}

static void
create_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  AsbLocalProvider *self = source;
  AsbLocalOrder *order = data;
  GError *error = NULL;

  if (asb_local_create (&self->settings, order, cancellable, &error))
    return_object (task, ASB_TYPE_SANDBOX_INFO,
                   asb_local_metadata_to_info (order->metadata, source, ASB_SANDBOX_STATE_RUNNING));
  else
    g_task_return_error (task, error);
}

static void
asb_local_provider_create_sandbox (AsbProvider *provider, AsbSandboxSpec *spec, GTask *task)
{
  GError *error = NULL;
  AsbLocalOrder *order = asb_local_order_new (spec, &error);

  if (order)
    run (task, order, (GDestroyNotify)asb_local_order_free, create_thread);
  else
    g_task_return_error (task, error);
}

static void
get_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  AsbLocalProvider *self = source;
  AsbSandboxState state = ASB_SANDBOX_STATE_UNKNOWN;
  GError *error = NULL;
  g_autoptr (AsbLocalMetadata) metadata = asb_local_get (&self->settings, data, &state, &error);

  return_info (task, metadata, state, error);
}

static void
asb_local_provider_get_sandbox (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  run (task, g_strdup (sandbox_id), g_free, get_thread);
}

static void
list_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  AsbLocalProvider *self = source;
  GError *error = NULL;
  GListModel *page = asb_local_list (&self->settings, source, data, &error);

  if (page)
    return_object (task, G_TYPE_LIST_MODEL, page);
  else
    g_task_return_error (task, error);
}

static void
asb_local_provider_list_sandboxes (AsbProvider *provider, AsbSandboxFilter *filter, GTask *task)
{
  AsbSandboxFilter *copy = asb_sandbox_filter_new ();

  asb_sandbox_filter_set_states (copy, asb_sandbox_filter_get_states (filter));
  asb_sandbox_filter_set_metadata (copy, asb_sandbox_filter_get_metadata (filter));
  asb_sandbox_filter_set_page (copy, asb_sandbox_filter_get_page (filter));
  asb_sandbox_filter_set_page_size (copy, asb_sandbox_filter_get_page_size (filter));
  run (task, copy, g_object_unref, list_thread);
}

typedef struct
{
  char *sandbox_id;
  gint64 seconds;
} Renewal;

static void
renewal_free (gpointer data)
{
  Renewal *renewal = data;

  g_free (renewal->sandbox_id);
  g_free (renewal);
}

static void
renew_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  AsbLocalProvider *self = source;
  Renewal *renewal = data;
  AsbSandboxState state = ASB_SANDBOX_STATE_UNKNOWN;
  GError *error = NULL;
  g_autoptr (AsbLocalMetadata) metadata
      = asb_local_renew (&self->settings, renewal->sandbox_id, renewal->seconds, &state, &error);

  return_info (task, metadata, state, error);
}

static void
asb_local_provider_renew_sandbox (AsbProvider *provider, const char *sandbox_id, gint64 seconds,
                                  GTask *task)
{
  Renewal *renewal = g_new0 (Renewal, 1);

  renewal->sandbox_id = g_strdup (sandbox_id);
  renewal->seconds = seconds;
  run (task, renewal, renewal_free, renew_thread);
}

static void
resume_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  AsbLocalProvider *self = source;
  AsbSandboxState state = ASB_SANDBOX_STATE_UNKNOWN;
  GError *error = NULL;
  g_autoptr (AsbLocalMetadata) metadata = asb_local_resume (&self->settings, data, &state, &error);

  return_info (task, metadata, state, error);
}

static void
asb_local_provider_resume_sandbox (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  run (task, g_strdup (sandbox_id), g_free, resume_thread);
}

static void
delete_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  AsbLocalProvider *self = source;
  GError *error = NULL;

  if (asb_local_delete (&self->settings, data, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
asb_local_provider_delete_sandbox (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  run (task, g_strdup (sandbox_id), g_free, delete_thread);
}

typedef struct
{
  char *sandbox_id;
  gboolean record_only;
} Opening;

static void
opening_free (gpointer data)
{
  Opening *opening = data;

  g_free (opening->sandbox_id);
  g_free (opening);
}

static void
open_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  AsbLocalProvider *self = source;
  Opening *opening = data;
  GError *error = NULL;
  GIOStream *stream = asb_local_open (&self->settings, opening->sandbox_id, opening->record_only,
                                      cancellable, &error);

  if (stream)
    return_object (task, G_TYPE_IO_STREAM, stream);
  else
    g_task_return_error (task, error);
}

static void
asb_local_provider_open_stream (AsbProvider *provider, const char *sandbox_id, AsbStreamSpec *spec,
                                GTask *task)
{
  Opening *opening = g_new0 (Opening, 1);

  opening->sandbox_id = g_strdup (sandbox_id);
  opening->record_only = spec && asb_stream_spec_get_record_only (spec);
  run (task, opening, opening_free, open_thread);
}

static void
return_variant (GTask *task, GVariant *variant)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_VARIANT);
  g_value_take_variant (&value, variant);
  g_task_return_value (task, &value);
}

static void
delete_record_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  AsbLocalProvider *self = source;
  GError *error = NULL;

  if (asb_local_delete_record (&self->settings, data, &error))
    return_variant (task, g_variant_new ("a{sv}", NULL));
  else
    g_task_return_error (task, error);
}

static void
asb_local_provider_call_service (AsbProvider *provider, const char *sandbox_id, const char *name,
                                 GVariant *arguments, GTask *task)
{
  if (g_strcmp0 (name, "delete_record") != 0)
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                             "Provider “local” has no function “%s”", name);
  else if (!sandbox_id)
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                             "“%s” needs the id of a sandbox", name);
  else
    run (task, g_strdup (sandbox_id), g_free, delete_record_thread);
}

static void
diagnose_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  AsbLocalProvider *self = source;

  return_variant (task, asb_local_diagnose (&self->settings, cancellable));
}

static void
asb_local_provider_diagnose (AsbProvider *provider, GTask *task)
{
  run (task, NULL, NULL, diagnose_thread);
}

static void
provider_iface_init (AsbProviderInterface *iface)
{
  iface->dup_name = asb_local_provider_dup_name;
  iface->get_capabilities = asb_local_provider_get_capabilities;
  iface->create_sandbox = asb_local_provider_create_sandbox;
  iface->get_sandbox = asb_local_provider_get_sandbox;
  iface->list_sandboxes = asb_local_provider_list_sandboxes;
  iface->renew_sandbox = asb_local_provider_renew_sandbox;
  iface->resume_sandbox = asb_local_provider_resume_sandbox;
  iface->delete_sandbox = asb_local_provider_delete_sandbox;
  iface->open_stream = asb_local_provider_open_stream;
  iface->call_service = asb_local_provider_call_service;
  iface->diagnose = asb_local_provider_diagnose;
  iface->thread_safe = TRUE;
}
