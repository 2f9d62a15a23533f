/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-options-private.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

#define DEFAULT_RECONNECT_SECONDS 60
#define DEFAULT_READY_SECONDS 30

/**
 * AsbBackendOptions:
 *
 * What [func@create_backend] is to do. Options that contradict each other are refused by it, with
 * %ASB_ERROR_INVALID_ARGUMENT, before anything is made.
 *
 * Since: 1.0
 */

enum
{
  PROP_0,
  PROP_PROVIDER_NAME,
  PROP_PROVIDER,
  PROP_PROVIDER_OPTIONS,
  PROP_REGISTRY,
  PROP_MODE,
  PROP_REF,
  PROP_SANDBOX_NAME,
  PROP_AGENT_NAME,
  PROP_IMAGE,
  PROP_WORKDIR,
  PROP_ENVIRONMENT,
  PROP_METADATA,
  PROP_MOUNTS,
  PROP_IDEMPOTENCY_KEY,
  PROP_LIMITS,
  PROP_LIFETIME,
  PROP_CLEANUP,
  PROP_SANDBOX_TTL_MODE,
  PROP_SANDBOX_TTL_SECONDS,
  PROP_CLEANUP_TTL_SECONDS,
  PROP_RECONNECT_SECONDS,
  PROP_READY_TIMEOUT_SECONDS,
  PROP_COMMAND_RESULT_CONFIG,
  PROP_CONCURRENCY,
  PROP_RETRY,
  PROP_UPLOADS,
  PROP_UPLOAD_CONFIG,
  PROP_HISTORY,
  PROP_HISTORY_STORE,
  PROP_HISTORY_DATABASE_URL,
  PROP_ENTRYPOINT,
  PROP_RESOURCES,
  PROP_NETWORK_POLICY,
  PROP_SNAPSHOT_ID,
  PROP_PLATFORM,
  PROP_IMAGE_USERNAME,
  PROP_IMAGE_PASSWORD,
  PROP_CREATE_OPTIONS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_TYPE_WITH_PRIVATE (AsbBackendOptions, asb_backend_options, G_TYPE_OBJECT)

AsbBackendOptionsPrivate *
asb_backend_options_get_private (AsbBackendOptions *self)
{
  return asb_backend_options_get_instance_private (self);
}

static void
asb_backend_options_finalize (GObject *object)
{
  AsbBackendOptions *self = ASB_BACKEND_OPTIONS (object);
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_clear_pointer (&priv->provider_name, g_free);
  g_clear_object (&priv->provider);
  g_clear_pointer (&priv->provider_options, g_variant_unref);
  g_clear_object (&priv->registry);
  g_clear_object (&priv->ref);
  g_clear_pointer (&priv->sandbox_name, g_free);
  g_clear_pointer (&priv->agent_name, g_free);
  g_clear_pointer (&priv->image, g_free);
  g_clear_pointer (&priv->workdir, g_free);
  g_clear_pointer (&priv->environment, g_strfreev);
  g_clear_pointer (&priv->metadata, g_hash_table_unref);
  g_clear_object (&priv->limits);
  g_clear_object (&priv->mounts);
  g_clear_pointer (&priv->idempotency_key, g_free);
  g_clear_object (&priv->command_result_config);
  g_clear_object (&priv->concurrency);
  g_clear_object (&priv->uploads);
  g_clear_object (&priv->upload_config);
  g_clear_object (&priv->retry);
  g_clear_object (&priv->history);
  g_clear_object (&priv->history_store);
  g_clear_pointer (&priv->history_database_url, g_free);
  g_clear_pointer (&priv->readiness_check, asb_closure_unref);
  g_clear_pointer (&priv->transport_factory, asb_closure_unref);
  g_clear_pointer (&priv->close_coordinator, asb_closure_unref);
  g_clear_pointer (&priv->entrypoint, g_strfreev);
  g_clear_pointer (&priv->resources, g_hash_table_unref);
  g_clear_object (&priv->network_policy);
  g_clear_pointer (&priv->snapshot_id, g_free);
  g_clear_pointer (&priv->platform, g_free);
  g_clear_pointer (&priv->image_username, g_free);
  g_clear_pointer (&priv->image_password, g_free);
  g_clear_pointer (&priv->create_options, g_variant_unref);

  G_OBJECT_CLASS (asb_backend_options_parent_class)->finalize (object);
}

static void
asb_backend_options_get_property (GObject *object, guint property_id, GValue *value,
                                  GParamSpec *pspec)
{
  AsbBackendOptions *self = ASB_BACKEND_OPTIONS (object);
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  switch (property_id)
    {
    case PROP_PROVIDER_NAME:
      g_value_set_string (value, priv->provider_name);
      break;
    case PROP_PROVIDER:
      g_value_set_object (value, priv->provider);
      break;
    case PROP_PROVIDER_OPTIONS:
      g_value_set_variant (value, priv->provider_options);
      break;
    case PROP_REGISTRY:
      g_value_set_object (value, priv->registry);
      break;
    case PROP_MODE:
      g_value_set_enum (value, priv->mode);
      break;
    case PROP_REF:
      g_value_set_object (value, priv->ref);
      break;
    case PROP_SANDBOX_NAME:
      g_value_set_string (value, priv->sandbox_name);
      break;
    case PROP_AGENT_NAME:
      g_value_set_string (value, priv->agent_name);
      break;
    case PROP_IMAGE:
      g_value_set_string (value, priv->image);
      break;
    case PROP_WORKDIR:
      g_value_set_string (value, priv->workdir);
      break;
    case PROP_ENVIRONMENT:
      g_value_set_boxed (value, priv->environment);
      break;
    case PROP_METADATA:
      g_value_set_boxed (value, priv->metadata);
      break;
    case PROP_MOUNTS:
      g_value_set_object (value, priv->mounts);
      break;
    case PROP_IDEMPOTENCY_KEY:
      g_value_set_string (value, priv->idempotency_key);
      break;
    case PROP_LIMITS:
      g_value_set_object (value, priv->limits);
      break;
    case PROP_LIFETIME:
      g_value_set_enum (value, priv->lifetime);
      break;
    case PROP_CLEANUP:
      g_value_set_enum (value, priv->cleanup);
      break;
    case PROP_SANDBOX_TTL_MODE:
      g_value_set_enum (value, priv->sandbox_ttl_mode);
      break;
    case PROP_SANDBOX_TTL_SECONDS:
      g_value_set_int64 (value, priv->sandbox_ttl_seconds);
      break;
    case PROP_CLEANUP_TTL_SECONDS:
      g_value_set_int64 (value, priv->cleanup_ttl_seconds);
      break;
    case PROP_RECONNECT_SECONDS:
      g_value_set_uint (value, priv->reconnect_seconds);
      break;
    case PROP_READY_TIMEOUT_SECONDS:
      g_value_set_double (value, priv->ready_timeout_seconds);
      break;
    case PROP_COMMAND_RESULT_CONFIG:
      g_value_set_object (value, priv->command_result_config);
      break;
    case PROP_CONCURRENCY:
      g_value_set_object (value, priv->concurrency);
      break;
    case PROP_RETRY:
      g_value_set_object (value, priv->retry);
      break;
    case PROP_UPLOADS:
      g_value_set_object (value, priv->uploads);
      break;
    case PROP_UPLOAD_CONFIG:
      g_value_set_object (value, priv->upload_config);
      break;
    case PROP_HISTORY:
      g_value_set_object (value, priv->history);
      break;
    case PROP_HISTORY_STORE:
      g_value_set_object (value, priv->history_store);
      break;
    case PROP_HISTORY_DATABASE_URL:
      g_value_set_string (value, priv->history_database_url);
      break;
    case PROP_ENTRYPOINT:
      g_value_set_boxed (value, priv->entrypoint);
      break;
    case PROP_RESOURCES:
      g_value_set_boxed (value, priv->resources);
      break;
    case PROP_NETWORK_POLICY:
      g_value_set_object (value, priv->network_policy);
      break;
    case PROP_SNAPSHOT_ID:
      g_value_set_string (value, priv->snapshot_id);
      break;
    case PROP_PLATFORM:
      g_value_set_string (value, priv->platform);
      break;
    case PROP_IMAGE_USERNAME:
      g_value_set_string (value, priv->image_username);
      break;
    case PROP_IMAGE_PASSWORD:
      g_value_set_string (value, priv->image_password);
      break;
    case PROP_CREATE_OPTIONS:
      g_value_set_variant (value, priv->create_options);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_backend_options_set_property (GObject *object, guint property_id, const GValue *value,
                                  GParamSpec *pspec)
{
  AsbBackendOptions *self = ASB_BACKEND_OPTIONS (object);

  switch (property_id)
    {
    case PROP_PROVIDER_NAME:
      asb_backend_options_set_provider_name (self, g_value_get_string (value));
      break;
    case PROP_PROVIDER:
      asb_backend_options_set_provider (self, g_value_get_object (value));
      break;
    case PROP_PROVIDER_OPTIONS:
      asb_backend_options_set_provider_options (self, g_value_get_variant (value));
      break;
    case PROP_REGISTRY:
      asb_backend_options_set_registry (self, g_value_get_object (value));
      break;
    case PROP_MODE:
      asb_backend_options_set_mode (self, g_value_get_enum (value));
      break;
    case PROP_REF:
      asb_backend_options_set_ref (self, g_value_get_object (value));
      break;
    case PROP_SANDBOX_NAME:
      asb_backend_options_set_sandbox_name (self, g_value_get_string (value));
      break;
    case PROP_AGENT_NAME:
      asb_backend_options_set_agent_name (self, g_value_get_string (value));
      break;
    case PROP_IMAGE:
      asb_backend_options_set_image (self, g_value_get_string (value));
      break;
    case PROP_WORKDIR:
      asb_backend_options_set_workdir (self, g_value_get_string (value));
      break;
    case PROP_ENVIRONMENT:
      asb_backend_options_set_environment (self, g_value_get_boxed (value));
      break;
    case PROP_METADATA:
      asb_backend_options_set_metadata (self, g_value_get_boxed (value));
      break;
    case PROP_MOUNTS:
      asb_backend_options_set_mounts (self, g_value_get_object (value));
      break;
    case PROP_IDEMPOTENCY_KEY:
      asb_backend_options_set_idempotency_key (self, g_value_get_string (value));
      break;
    case PROP_LIMITS:
      asb_backend_options_set_limits (self, g_value_get_object (value));
      break;
    case PROP_LIFETIME:
      asb_backend_options_set_lifetime (self, g_value_get_enum (value));
      break;
    case PROP_CLEANUP:
      asb_backend_options_set_cleanup (self, g_value_get_enum (value));
      break;
    case PROP_SANDBOX_TTL_MODE:
      asb_backend_options_set_sandbox_ttl_mode (self, g_value_get_enum (value));
      break;
    case PROP_SANDBOX_TTL_SECONDS:
      asb_backend_options_set_sandbox_ttl_seconds (self, g_value_get_int64 (value));
      break;
    case PROP_CLEANUP_TTL_SECONDS:
      asb_backend_options_set_cleanup_ttl_seconds (self, g_value_get_int64 (value));
      break;
    case PROP_RECONNECT_SECONDS:
      asb_backend_options_set_reconnect_seconds (self, g_value_get_uint (value));
      break;
    case PROP_READY_TIMEOUT_SECONDS:
      asb_backend_options_set_ready_timeout_seconds (self, g_value_get_double (value));
      break;
    case PROP_COMMAND_RESULT_CONFIG:
      asb_backend_options_set_command_result_config (self, g_value_get_object (value));
      break;
    case PROP_CONCURRENCY:
      asb_backend_options_set_concurrency (self, g_value_get_object (value));
      break;
    case PROP_RETRY:
      asb_backend_options_set_retry (self, g_value_get_object (value));
      break;
    case PROP_UPLOADS:
      asb_backend_options_set_uploads (self, g_value_get_object (value));
      break;
    case PROP_UPLOAD_CONFIG:
      asb_backend_options_set_upload_config (self, g_value_get_object (value));
      break;
    case PROP_HISTORY:
      asb_backend_options_set_history (self, g_value_get_object (value));
      break;
    case PROP_HISTORY_STORE:
      asb_backend_options_set_history_store (self, g_value_get_object (value));
      break;
    case PROP_HISTORY_DATABASE_URL:
      asb_backend_options_set_history_database_url (self, g_value_get_string (value));
      break;
    case PROP_ENTRYPOINT:
      asb_backend_options_set_entrypoint (self, g_value_get_boxed (value));
      break;
    case PROP_RESOURCES:
      asb_backend_options_set_resources (self, g_value_get_boxed (value));
      break;
    case PROP_NETWORK_POLICY:
      asb_backend_options_set_network_policy (self, g_value_get_object (value));
      break;
    case PROP_SNAPSHOT_ID:
      asb_backend_options_set_snapshot_id (self, g_value_get_string (value));
      break;
    case PROP_PLATFORM:
      asb_backend_options_set_platform (self, g_value_get_string (value));
      break;
    case PROP_IMAGE_USERNAME:
      asb_backend_options_set_image_username (self, g_value_get_string (value));
      break;
    case PROP_IMAGE_PASSWORD:
      asb_backend_options_set_image_password (self, g_value_get_string (value));
      break;
    case PROP_CREATE_OPTIONS:
      asb_backend_options_set_create_options (self, g_value_get_variant (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_backend_options_class_init (AsbBackendOptionsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_backend_options_finalize;
  object_class->get_property = asb_backend_options_get_property;
  object_class->set_property = asb_backend_options_set_property;

  /**
   * AsbBackendOptions:provider-name:
   *
   * The name of the provider, looked up in the registry; the backend then owns it.
   *
   * Since: 1.0
   */
  properties[PROP_PROVIDER_NAME]
      = g_param_spec_string ("provider-name", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:provider:
   *
   * A provider, instead of a name; it is not closed with the backend.
   *
   * Since: 1.0
   */
  properties[PROP_PROVIDER]
      = g_param_spec_object ("provider", NULL, NULL, ASB_TYPE_PROVIDER, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:provider-options:
   *
   * Options for the provider that is made, an `a{sv}`; only with a name.
   *
   * Since: 1.0
   */
  properties[PROP_PROVIDER_OPTIONS] = g_param_spec_variant (
      "provider-options", NULL, NULL, G_VARIANT_TYPE_ANY, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:registry:
   *
   * Where names are looked up; %NULL for the default one.
   *
   * Since: 1.0
   */
  properties[PROP_REGISTRY]
      = g_param_spec_object ("registry", NULL, NULL, ASB_TYPE_REGISTRY, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:mode:
   *
   * Whether a sandbox is made or an existing one used. The default is %ASB_BACKEND_MODE_CREATE.
   *
   * Since: 1.0
   */
  properties[PROP_MODE]
      = g_param_spec_enum ("mode", NULL, NULL, ASB_TYPE_BACKEND_MODE, 0, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:ref:
   *
   * The sandbox to connect to; only with %ASB_BACKEND_MODE_CONNECT. In Python it is given to the
   * constructor or set by `set_ref ()`, and read by `get_ref ()` or `props.ref`: `ref` alone is a
   * method of each object there.
   *
   * Since: 1.0
   */
  properties[PROP_REF]
      = g_param_spec_object ("ref", NULL, NULL, ASB_TYPE_SANDBOX_REF, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:sandbox-name:
   *
   * A name for people; only with %ASB_BACKEND_MODE_CREATE.
   *
   * Since: 1.0
   */
  properties[PROP_SANDBOX_NAME]
      = g_param_spec_string ("sandbox-name", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:agent-name:
   *
   * The agent that works here: the actor of all operations.
   *
   * Since: 1.0
   */
  properties[PROP_AGENT_NAME]
      = g_param_spec_string ("agent-name", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:image:
   *
   * The image to make the sandbox from; %NULL for the default of the provider.
   *
   * Since: 1.0
   */
  properties[PROP_IMAGE] = g_param_spec_string ("image", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:workdir:
   *
   * The default working directory: made at creation, and where relative paths start. The default is
   * `/workspace`; in a sandbox that is there already, what its provider says that it was made with,
   * if it does and none is given here.
   *
   * Since: 1.0
   */
  properties[PROP_WORKDIR]
      = g_param_spec_string ("workdir", NULL, NULL, "/workspace", ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:environment:
   *
   * `NAME=value` for every command of the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_ENVIRONMENT]
      = g_param_spec_boxed ("environment", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:metadata: (type GLib.HashTable(utf8,utf8))
   *
   * Names and values to keep with the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_METADATA]
      = g_param_spec_boxed ("metadata", NULL, NULL, G_TYPE_HASH_TABLE, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:mounts:
   *
   * Folders of the host to show in the sandbox: [class@Mount].
   *
   * Since: 1.0
   */
  properties[PROP_MOUNTS]
      = g_param_spec_object ("mounts", NULL, NULL, G_TYPE_LIST_MODEL, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:idempotency-key:
   *
   * A key under which a repeated creation finds the first.
   *
   * Since: 1.0
   */
  properties[PROP_IDEMPOTENCY_KEY]
      = g_param_spec_string ("idempotency-key", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:limits:
   *
   * What each command inside may take, and no command of the sandbox more; %NULL for what the
   * provider has as a default. With [const@CAPABILITY_RESOURCE_LIMITS] native, memory and processes
   * are those of all together, too.
   *
   * Since: 1.0
   */
  properties[PROP_LIMITS]
      = g_param_spec_object ("limits", NULL, NULL, ASB_TYPE_RESOURCE_LIMITS, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:lifetime:
   *
   * Whether the sandbox ends with this program. The default is %ASB_LIFETIME_OWNED.
   *
   * Since: 1.0
   */
  properties[PROP_LIFETIME]
      = g_param_spec_enum ("lifetime", NULL, NULL, ASB_TYPE_LIFETIME, 0, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:cleanup:
   *
   * What becomes of a created sandbox when the backend is closed. The default is
   * %ASB_CLEANUP_POLICY_ON_CLOSE.
   *
   * Since: 1.0
   */
  properties[PROP_CLEANUP]
      = g_param_spec_enum ("cleanup", NULL, NULL, ASB_TYPE_CLEANUP_POLICY, 0, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:sandbox-ttl-mode:
   *
   * What is said about the time to live of the sandbox. The default is %ASB_TTL_MODE_UNSET.
   *
   * With [const@CAPABILITY_KEEP_ALIVE] native, a sandbox that goes with its backend
   * (%ASB_CLEANUP_POLICY_ON_CLOSE) is, with nothing said, given the provider's default and renewed
   * while the backend is open, so that a program that crashes leaves nothing behind.
   *
   * Since: 1.0
   */
  properties[PROP_SANDBOX_TTL_MODE] = g_param_spec_enum ("sandbox-ttl-mode", NULL, NULL,
                                                         ASB_TYPE_TTL_MODE, 0, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:sandbox-ttl-seconds:
   *
   * The time to live in seconds, > 0, with %ASB_TTL_MODE_SECONDS.
   *
   * With [const@CAPABILITY_KEEP_ALIVE] native it is how long the sandbox lives after its last use:
   * it is renewed while operations and commands run, and after them. Less than the provider takes
   * is refused.
   *
   * Since: 1.0
   */
  properties[PROP_SANDBOX_TTL_SECONDS] = g_param_spec_int64 (
      "sandbox-ttl-seconds", NULL, NULL, G_MININT64, G_MAXINT64, 0, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:cleanup-ttl-seconds:
   *
   * Seconds from closing to deletion, > 0, exactly with %ASB_CLEANUP_POLICY_TTL; 0 otherwise.
   *
   * Since: 1.0
   */
  properties[PROP_CLEANUP_TTL_SECONDS] = g_param_spec_int64 (
      "cleanup-ttl-seconds", NULL, NULL, G_MININT64, G_MAXINT64, 0, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:reconnect-seconds:
   *
   * For how long it is tried to get back a connection to the guest that was lost, 0 to 300. As long
   * the guest keeps what was being done, and a command whose output nobody takes waits; calls in
   * flight stay pending and end with %ASB_ERROR_INTERRUPTED when the time is over, or as soon as it
   * is known that there is nothing to come back to. The default is 60, and 0 is not to try.
   * Attempts begin at once and come at growing intervals of up to 5 seconds.
   *
   * Since: 1.0
   */
  properties[PROP_RECONNECT_SECONDS]
      = g_param_spec_uint ("reconnect-seconds", NULL, NULL, 0, ASB_MAX_RECONNECT_SECONDS,
                           DEFAULT_RECONNECT_SECONDS, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:ready-timeout-seconds:
   *
   * How long a new sandbox may take until it can be worked in, in seconds, more than 0. One that is
   * not ready then is deleted. Providers whose sandboxes are ready as soon as they are made, as
   * `local` is, need none of it. The default is 30.
   *
   * Since: 1.0
   */
  properties[PROP_READY_TIMEOUT_SECONDS]
      = g_param_spec_double ("ready-timeout-seconds", NULL, NULL, ASB_MIN_READY_SECONDS,
                             ASB_MAX_READY_SECONDS, DEFAULT_READY_SECONDS, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:command-result-config:
   *
   * How much output is kept in memory; %NULL for the defaults.
   *
   * Since: 1.0
   */
  properties[PROP_COMMAND_RESULT_CONFIG] = g_param_spec_object (
      "command-result-config", NULL, NULL, ASB_TYPE_COMMAND_RESULT_CONFIG, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:concurrency:
   *
   * How many operations there are at once; %NULL for as many as are asked for, of which a guest
   * takes 256. It may be changed as soon as the backend is there.
   *
   * Since: 1.0
   */
  properties[PROP_CONCURRENCY] = g_param_spec_object (
      "concurrency", NULL, NULL, ASB_TYPE_CONCURRENCY_CONFIG, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:retry:
   *
   * What is tried again; %NULL for nothing but what the provider repeats itself. It may be changed
   * as soon as the backend is there.
   *
   * Since: 1.0
   */
  properties[PROP_RETRY]
      = g_param_spec_object ("retry", NULL, NULL, ASB_TYPE_RETRY_CONFIG, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:uploads:
   *
   * What is uploaded, one after the other, when the sandbox has been made or connected to and
   * before the backend is handed out: a list of [class@UploadSpec]. Setting it copies what is in
   * the list then. What is known to fail beforehand is told before a sandbox is made. When an
   * upload fails, so does making the backend: a sandbox that was made for it is deleted, whatever
   * [property@BackendOptions:cleanup] says, and one that was connected to stays.
   *
   * Since: 1.0
   */
  properties[PROP_UPLOADS]
      = g_param_spec_object ("uploads", NULL, NULL, G_TYPE_LIST_MODEL, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:upload-config:
   *
   * Which files of this machine [property@BackendOptions:uploads] may read, and where they may go.
   * %NULL allows nothing.
   *
   * Since: 1.0
   */
  properties[PROP_UPLOAD_CONFIG] = g_param_spec_object (
      "upload-config", NULL, NULL, ASB_TYPE_UPLOAD_CONFIG, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:history:
   *
   * What is recorded; %NULL for nothing.
   *
   * Since: 1.0
   */
  properties[PROP_HISTORY]
      = g_param_spec_object ("history", NULL, NULL, ASB_TYPE_HISTORY_CONFIG, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:history-store:
   *
   * A store that is ready to be opened, instead of a configuration; it is not closed with the
   * backend.
   *
   * Since: 1.0
   */
  properties[PROP_HISTORY_STORE] = g_param_spec_object (
      "history-store", NULL, NULL, ASB_TYPE_HISTORY_STORE, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:history-database-url:
   *
   * The database, with %ASB_HISTORY_MODE_DATABASE.
   *
   * Since: 1.0
   */
  properties[PROP_HISTORY_DATABASE_URL]
      = g_param_spec_string ("history-database-url", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:entrypoint:
   *
   * The first program of the sandbox with its arguments; %NULL for the provider's own.
   *
   * Since: 1.0
   */
  properties[PROP_ENTRYPOINT]
      = g_param_spec_boxed ("entrypoint", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:resources: (type GLib.HashTable(utf8,utf8))
   *
   * Shares of the host to ask for, by name, in the provider's notation: `cpu` → `1`, `memory` →
   * `2Gi`. %NULL for the provider's default.
   *
   * Since: 1.0
   */
  properties[PROP_RESOURCES]
      = g_param_spec_boxed ("resources", NULL, NULL, G_TYPE_HASH_TABLE, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:network-policy:
   *
   * What the sandbox may connect to; %NULL for the provider's default.
   *
   * Since: 1.0
   */
  properties[PROP_NETWORK_POLICY] = g_param_spec_object (
      "network-policy", NULL, NULL, ASB_TYPE_NETWORK_POLICY, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:snapshot-id:
   *
   * The snapshot to make the sandbox from, instead of an image.
   *
   * Since: 1.0
   */
  properties[PROP_SNAPSHOT_ID]
      = g_param_spec_string ("snapshot-id", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:platform:
   *
   * The operating system and processor, for example `linux/amd64`; %NULL for any.
   *
   * Since: 1.0
   */
  properties[PROP_PLATFORM]
      = g_param_spec_string ("platform", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:image-username:
   *
   * The name to fetch the image with, where its registry asks for one.
   *
   * Since: 1.0
   */
  properties[PROP_IMAGE_USERNAME]
      = g_param_spec_string ("image-username", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:image-password:
   *
   * The password or token to fetch the image with. It is in no record, log or error.
   *
   * Since: 1.0
   */
  properties[PROP_IMAGE_PASSWORD]
      = g_param_spec_string ("image-password", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbBackendOptions:create-options:
   *
   * What only one provider takes, an `a{sv}`. It refuses options it does not know.
   *
   * Since: 1.0
   */
  properties[PROP_CREATE_OPTIONS] = g_param_spec_variant (
      "create-options", NULL, NULL, G_VARIANT_TYPE_ANY, NULL, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_backend_options_init (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  priv->workdir = g_strdup ("/workspace");
  priv->reconnect_seconds = DEFAULT_RECONNECT_SECONDS;
  priv->ready_timeout_seconds = DEFAULT_READY_SECONDS;
  priv->mounts = g_list_store_new (ASB_TYPE_MOUNT);
  priv->uploads = g_list_store_new (ASB_TYPE_UPLOAD_SPEC);
}

/**
 * asb_backend_options_new:
 *
 * Makes a [class@BackendOptions] with every property at its default.
 *
 * Returns: (transfer full): a new [class@BackendOptions]
 *
 * Since: 1.0
 */
AsbBackendOptions *
asb_backend_options_new (void)
{
  return g_object_new (ASB_TYPE_BACKEND_OPTIONS, NULL);
}

/**
 * asb_backend_options_get_provider_name:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:provider-name].
 *
 * Returns: (transfer none) (nullable): the name of the provider, looked up in the registry; the
 * backend then owns it
 *
 * Since: 1.0
 */
const char *
asb_backend_options_get_provider_name (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->provider_name;
}

/**
 * asb_backend_options_set_provider_name:
 * @self: a [class@BackendOptions]
 * @provider_name: (nullable): the name of the provider, looked up in the registry; the backend
 * then owns it
 *
 * Sets [property@BackendOptions:provider-name].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_provider_name (AsbBackendOptions *self, const char *provider_name)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_string (&priv->provider_name, provider_name))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROVIDER_NAME]);
}

/**
 * asb_backend_options_get_provider:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:provider].
 *
 * Returns: (transfer none) (nullable): a provider, instead of a name; it is not closed with the
 * backend
 *
 * Since: 1.0
 */
AsbProvider *
asb_backend_options_get_provider (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->provider;
}

/**
 * asb_backend_options_set_provider:
 * @self: a [class@BackendOptions]
 * @provider: (nullable): a provider, instead of a name; it is not closed with the backend
 *
 * Sets [property@BackendOptions:provider].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_provider (AsbBackendOptions *self, AsbProvider *provider)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (g_set_object (&priv->provider, provider))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROVIDER]);
}

/**
 * asb_backend_options_get_provider_options:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:provider-options].
 *
 * Returns: (transfer none) (nullable): options for the provider that is made, an `a{sv}`; only
 * with a name
 *
 * Since: 1.0
 */
GVariant *
asb_backend_options_get_provider_options (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->provider_options;
}

/**
 * asb_backend_options_set_provider_options:
 * @self: a [class@BackendOptions]
 * @provider_options: (nullable): options for the provider that is made, an `a{sv}`; only with a
 * name
 *
 * Sets [property@BackendOptions:provider-options].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_provider_options (AsbBackendOptions *self, GVariant *provider_options)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_variant (&priv->provider_options, provider_options))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROVIDER_OPTIONS]);
}

/**
 * asb_backend_options_get_registry:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:registry].
 *
 * Returns: (transfer none) (nullable): where names are looked up; %NULL for the default one
 *
 * Since: 1.0
 */
AsbRegistry *
asb_backend_options_get_registry (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->registry;
}

/**
 * asb_backend_options_set_registry:
 * @self: a [class@BackendOptions]
 * @registry: (nullable): where names are looked up; %NULL for the default one
 *
 * Sets [property@BackendOptions:registry].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_registry (AsbBackendOptions *self, AsbRegistry *registry)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (g_set_object (&priv->registry, registry))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_REGISTRY]);
}

/**
 * asb_backend_options_get_mode:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:mode].
 *
 * Returns: whether a sandbox is made or an existing one used
 *
 * Since: 1.0
 */
AsbBackendMode
asb_backend_options_get_mode (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), 0);

  return priv->mode;
}

/**
 * asb_backend_options_set_mode:
 * @self: a [class@BackendOptions]
 * @mode: whether a sandbox is made or an existing one used
 *
 * Sets [property@BackendOptions:mode].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_mode (AsbBackendOptions *self, AsbBackendMode mode)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (priv->mode == mode)
    return;
  priv->mode = mode;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODE]);
}

/**
 * asb_backend_options_get_ref:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:ref].
 *
 * Returns: (transfer none) (nullable): the sandbox to connect to; only with
 * %ASB_BACKEND_MODE_CONNECT
 *
 * Since: 1.0
 */
AsbSandboxRef *
asb_backend_options_get_ref (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->ref;
}

/**
 * asb_backend_options_set_ref:
 * @self: a [class@BackendOptions]
 * @ref: (nullable): the sandbox to connect to; only with %ASB_BACKEND_MODE_CONNECT
 *
 * Sets [property@BackendOptions:ref].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_ref (AsbBackendOptions *self, AsbSandboxRef *ref)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (g_set_object (&priv->ref, ref))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_REF]);
}

/**
 * asb_backend_options_get_sandbox_name:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:sandbox-name].
 *
 * Returns: (transfer none) (nullable): a name for people; only with %ASB_BACKEND_MODE_CREATE
 *
 * Since: 1.0
 */
const char *
asb_backend_options_get_sandbox_name (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->sandbox_name;
}

/**
 * asb_backend_options_set_sandbox_name:
 * @self: a [class@BackendOptions]
 * @sandbox_name: (nullable): a name for people; only with %ASB_BACKEND_MODE_CREATE
 *
 * Sets [property@BackendOptions:sandbox-name].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_sandbox_name (AsbBackendOptions *self, const char *sandbox_name)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_string (&priv->sandbox_name, sandbox_name))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SANDBOX_NAME]);
}

/**
 * asb_backend_options_get_agent_name:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:agent-name].
 *
 * Returns: (transfer none) (nullable): the agent that works here: the actor of all operations
 *
 * Since: 1.0
 */
const char *
asb_backend_options_get_agent_name (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->agent_name;
}

/**
 * asb_backend_options_set_agent_name:
 * @self: a [class@BackendOptions]
 * @agent_name: (nullable): the agent that works here: the actor of all operations
 *
 * Sets [property@BackendOptions:agent-name].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_agent_name (AsbBackendOptions *self, const char *agent_name)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_string (&priv->agent_name, agent_name))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_AGENT_NAME]);
}

/**
 * asb_backend_options_get_image:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:image].
 *
 * Returns: (transfer none) (nullable): the image to make the sandbox from; %NULL for the default
 * of the provider
 *
 * Since: 1.0
 */
const char *
asb_backend_options_get_image (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->image;
}

/**
 * asb_backend_options_set_image:
 * @self: a [class@BackendOptions]
 * @image: (nullable): the image to make the sandbox from; %NULL for the default of the provider
 *
 * Sets [property@BackendOptions:image].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_image (AsbBackendOptions *self, const char *image)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_string (&priv->image, image))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_IMAGE]);
}

/**
 * asb_backend_options_get_workdir:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:workdir].
 *
 * Returns: (transfer none) (type filename): the default working directory: made at creation, and
 * where relative paths start
 *
 * Since: 1.0
 */
const char *
asb_backend_options_get_workdir (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->workdir;
}

/**
 * asb_backend_options_set_workdir:
 * @self: a [class@BackendOptions]
 * @workdir: (type filename): the default working directory: made at creation, and where relative
 * paths start
 *
 * Sets [property@BackendOptions:workdir].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_workdir (AsbBackendOptions *self, const char *workdir)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  priv->workdir_is_given = TRUE;
  if (asb_property_replace_string (&priv->workdir, workdir))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_WORKDIR]);
}

/**
 * asb_backend_options_get_environment:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:environment].
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1) (element-type filename):
 * `NAME=value` for every command of the sandbox
 *
 * Since: 1.0
 */
const char *const *
asb_backend_options_get_environment (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return (const char *const *)priv->environment;
}

/**
 * asb_backend_options_set_environment:
 * @self: a [class@BackendOptions]
 * @environment: (nullable) (array zero-terminated=1) (element-type filename): `NAME=value` for
 * every command of the sandbox
 *
 * Sets [property@BackendOptions:environment].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_environment (AsbBackendOptions *self, const char *const *environment)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_strv (&priv->environment, environment))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ENVIRONMENT]);
}

/**
 * asb_backend_options_get_metadata:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:metadata].
 *
 * Returns: (transfer none) (nullable) (element-type utf8 utf8): names and values to keep with the
 * sandbox
 *
 * Since: 1.0
 */
GHashTable *
asb_backend_options_get_metadata (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->metadata;
}

/**
 * asb_backend_options_set_metadata:
 * @self: a [class@BackendOptions]
 * @metadata: (nullable) (element-type utf8 utf8): names and values to keep with the sandbox
 *
 * Sets [property@BackendOptions:metadata].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_metadata (AsbBackendOptions *self, GHashTable *metadata)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_map (&priv->metadata, metadata))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_METADATA]);
}

/**
 * asb_backend_options_get_mounts:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:mounts].
 *
 * Returns: (transfer none): a list of [class@Mount], maybe empty
 *
 * Since: 1.0
 */
GListModel *
asb_backend_options_get_mounts (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return G_LIST_MODEL (priv->mounts);
}

/**
 * asb_backend_options_set_mounts:
 * @self: a [class@BackendOptions]
 * @mounts: (nullable): a list of [class@Mount], %NULL for none
 *
 * Sets [property@BackendOptions:mounts] to what is in the list now.
 *
 * Since: 1.0
 */
void
asb_backend_options_set_mounts (AsbBackendOptions *self, GListModel *mounts)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));
  g_return_if_fail (!mounts || G_IS_LIST_MODEL (mounts));

  if (asb_property_replace_items (priv->mounts, mounts))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MOUNTS]);
}

/**
 * asb_backend_options_add_mount:
 * @self: a [class@BackendOptions]
 * @mount: a folder of the host to show
 *
 * Adds to [property@BackendOptions:mounts].
 *
 * Since: 1.0
 */
void
asb_backend_options_add_mount (AsbBackendOptions *self, AsbMount *mount)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));
  g_return_if_fail (ASB_IS_MOUNT (mount));

  g_list_store_append (priv->mounts, mount);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MOUNTS]);
}

/**
 * asb_backend_options_get_idempotency_key:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:idempotency-key].
 *
 * Returns: (transfer none) (nullable): a key under which a repeated creation finds the first
 *
 * Since: 1.0
 */
const char *
asb_backend_options_get_idempotency_key (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->idempotency_key;
}

/**
 * asb_backend_options_set_idempotency_key:
 * @self: a [class@BackendOptions]
 * @idempotency_key: (nullable): a key under which a repeated creation finds the first
 *
 * Sets [property@BackendOptions:idempotency-key].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_idempotency_key (AsbBackendOptions *self, const char *idempotency_key)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_string (&priv->idempotency_key, idempotency_key))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_IDEMPOTENCY_KEY]);
}

/**
 * asb_backend_options_get_limits:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:limits].
 *
 * Returns: (transfer none) (nullable): what each command inside may take; %NULL for what the
 * provider has as a default
 *
 * Since: 1.0
 */
AsbResourceLimits *
asb_backend_options_get_limits (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->limits;
}

/**
 * asb_backend_options_set_limits:
 * @self: a [class@BackendOptions]
 * @limits: (nullable): what each command inside may take; %NULL for what the provider has as a
 * default
 *
 * Sets [property@BackendOptions:limits].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_limits (AsbBackendOptions *self, AsbResourceLimits *limits)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (g_set_object (&priv->limits, limits))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LIMITS]);
}

/**
 * asb_backend_options_get_lifetime:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:lifetime].
 *
 * Returns: whether the sandbox ends with this program
 *
 * Since: 1.0
 */
AsbLifetime
asb_backend_options_get_lifetime (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), 0);

  return priv->lifetime;
}

/**
 * asb_backend_options_set_lifetime:
 * @self: a [class@BackendOptions]
 * @lifetime: whether the sandbox ends with this program
 *
 * Sets [property@BackendOptions:lifetime].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_lifetime (AsbBackendOptions *self, AsbLifetime lifetime)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (priv->lifetime == lifetime)
    return;
  priv->lifetime = lifetime;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LIFETIME]);
}

/**
 * asb_backend_options_get_cleanup:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:cleanup].
 *
 * Returns: what becomes of a created sandbox when the backend is closed
 *
 * Since: 1.0
 */
AsbCleanupPolicy
asb_backend_options_get_cleanup (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), 0);

  return priv->cleanup;
}

/**
 * asb_backend_options_set_cleanup:
 * @self: a [class@BackendOptions]
 * @cleanup: what becomes of a created sandbox when the backend is closed
 *
 * Sets [property@BackendOptions:cleanup].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_cleanup (AsbBackendOptions *self, AsbCleanupPolicy cleanup)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (priv->cleanup == cleanup)
    return;
  priv->cleanup = cleanup;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CLEANUP]);
}

/**
 * asb_backend_options_get_sandbox_ttl_mode:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:sandbox-ttl-mode].
 *
 * Returns: what is said about the time to live of the sandbox
 *
 * Since: 1.0
 */
AsbTtlMode
asb_backend_options_get_sandbox_ttl_mode (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), 0);

  return priv->sandbox_ttl_mode;
}

/**
 * asb_backend_options_set_sandbox_ttl_mode:
 * @self: a [class@BackendOptions]
 * @sandbox_ttl_mode: what is said about the time to live of the sandbox
 *
 * Sets [property@BackendOptions:sandbox-ttl-mode].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_sandbox_ttl_mode (AsbBackendOptions *self, AsbTtlMode sandbox_ttl_mode)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (priv->sandbox_ttl_mode == sandbox_ttl_mode)
    return;
  priv->sandbox_ttl_mode = sandbox_ttl_mode;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SANDBOX_TTL_MODE]);
}

/**
 * asb_backend_options_get_sandbox_ttl_seconds:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:sandbox-ttl-seconds].
 *
 * Returns: the time to live in seconds, > 0, with %ASB_TTL_MODE_SECONDS
 *
 * Since: 1.0
 */
gint64
asb_backend_options_get_sandbox_ttl_seconds (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), 0);

  return priv->sandbox_ttl_seconds;
}

/**
 * asb_backend_options_set_sandbox_ttl_seconds:
 * @self: a [class@BackendOptions]
 * @sandbox_ttl_seconds: the time to live in seconds, > 0, with %ASB_TTL_MODE_SECONDS
 *
 * Sets [property@BackendOptions:sandbox-ttl-seconds].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_sandbox_ttl_seconds (AsbBackendOptions *self, gint64 sandbox_ttl_seconds)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (priv->sandbox_ttl_seconds == sandbox_ttl_seconds)
    return;
  priv->sandbox_ttl_seconds = sandbox_ttl_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SANDBOX_TTL_SECONDS]);
}

/**
 * asb_backend_options_get_cleanup_ttl_seconds:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:cleanup-ttl-seconds].
 *
 * Returns: seconds from closing to deletion, > 0, exactly with %ASB_CLEANUP_POLICY_TTL; 0
 * otherwise
 *
 * Since: 1.0
 */
gint64
asb_backend_options_get_cleanup_ttl_seconds (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), 0);

  return priv->cleanup_ttl_seconds;
}

/**
 * asb_backend_options_set_cleanup_ttl_seconds:
 * @self: a [class@BackendOptions]
 * @cleanup_ttl_seconds: seconds from closing to deletion, > 0, exactly with
 * %ASB_CLEANUP_POLICY_TTL; 0 otherwise
 *
 * Sets [property@BackendOptions:cleanup-ttl-seconds].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_cleanup_ttl_seconds (AsbBackendOptions *self, gint64 cleanup_ttl_seconds)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (priv->cleanup_ttl_seconds == cleanup_ttl_seconds)
    return;
  priv->cleanup_ttl_seconds = cleanup_ttl_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CLEANUP_TTL_SECONDS]);
}

/**
 * asb_backend_options_get_reconnect_seconds:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:reconnect-seconds].
 *
 * Returns: for how long it is tried to get back a connection that was lost, in seconds, 0 to 300
 *
 * Since: 1.0
 */
guint
asb_backend_options_get_reconnect_seconds (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), 0);

  return priv->reconnect_seconds;
}

/**
 * asb_backend_options_set_reconnect_seconds:
 * @self: a [class@BackendOptions]
 * @reconnect_seconds: for how long it is tried to get back a connection that was lost, in seconds,
 * 0 to 300
 *
 * Sets [property@BackendOptions:reconnect-seconds].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_reconnect_seconds (AsbBackendOptions *self, guint reconnect_seconds)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (priv->reconnect_seconds == reconnect_seconds)
    return;
  priv->reconnect_seconds = reconnect_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RECONNECT_SECONDS]);
}

/**
 * asb_backend_options_get_command_result_config:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:command-result-config].
 *
 * Returns: (transfer none) (nullable): how much output is kept in memory; %NULL for the defaults
 *
 * Since: 1.0
 */
AsbCommandResultConfig *
asb_backend_options_get_command_result_config (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->command_result_config;
}

/**
 * asb_backend_options_set_command_result_config:
 * @self: a [class@BackendOptions]
 * @command_result_config: (nullable): how much output is kept in memory; %NULL for the defaults
 *
 * Sets [property@BackendOptions:command-result-config].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_command_result_config (AsbBackendOptions *self,
                                               AsbCommandResultConfig *command_result_config)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (g_set_object (&priv->command_result_config, command_result_config))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_COMMAND_RESULT_CONFIG]);
}

/**
 * asb_backend_options_get_history:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:history].
 *
 * Returns: (transfer none) (nullable): what is recorded; %NULL for nothing
 *
 * Since: 1.0
 */
AsbHistoryConfig *
asb_backend_options_get_history (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->history;
}

/**
 * asb_backend_options_set_history:
 * @self: a [class@BackendOptions]
 * @history: (nullable): what is recorded; %NULL for nothing
 *
 * Sets [property@BackendOptions:history].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_history (AsbBackendOptions *self, AsbHistoryConfig *history)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (g_set_object (&priv->history, history))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HISTORY]);
}

/**
 * asb_backend_options_get_history_store:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:history-store].
 *
 * Returns: (transfer none) (nullable): a store that is ready to be opened, instead of a
 * configuration; it is not closed with the backend
 *
 * Since: 1.0
 */
AsbHistoryStore *
asb_backend_options_get_history_store (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->history_store;
}

/**
 * asb_backend_options_set_history_store:
 * @self: a [class@BackendOptions]
 * @history_store: (nullable): a store that is ready to be opened, instead of a configuration; it
 * is not closed with the backend
 *
 * Sets [property@BackendOptions:history-store].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_history_store (AsbBackendOptions *self, AsbHistoryStore *history_store)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (g_set_object (&priv->history_store, history_store))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HISTORY_STORE]);
}

/**
 * asb_backend_options_get_history_database_url:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:history-database-url].
 *
 * Returns: (transfer none) (nullable): the database, with %ASB_HISTORY_MODE_DATABASE
 *
 * Since: 1.0
 */
const char *
asb_backend_options_get_history_database_url (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->history_database_url;
}

/**
 * asb_backend_options_set_history_database_url:
 * @self: a [class@BackendOptions]
 * @history_database_url: (nullable): the database, with %ASB_HISTORY_MODE_DATABASE
 *
 * Sets [property@BackendOptions:history-database-url].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_history_database_url (AsbBackendOptions *self,
                                              const char *history_database_url)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_string (&priv->history_database_url, history_database_url))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HISTORY_DATABASE_URL]);
}

/**
 * asb_backend_options_get_ready_timeout_seconds:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:ready-timeout-seconds].
 *
 * Returns: how long a new sandbox may take until it can be worked in, in seconds
 *
 * Since: 1.0
 */
double
asb_backend_options_get_ready_timeout_seconds (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), 0);

  return priv->ready_timeout_seconds;
}

/**
 * asb_backend_options_set_ready_timeout_seconds:
 * @self: a [class@BackendOptions]
 * @ready_timeout_seconds: how long a new sandbox may take until it can be worked in, in seconds,
 * 0.001 to 31622400
 *
 * Sets [property@BackendOptions:ready-timeout-seconds].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_ready_timeout_seconds (AsbBackendOptions *self,
                                               double ready_timeout_seconds)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (priv->ready_timeout_seconds == ready_timeout_seconds)
    return;
  priv->ready_timeout_seconds = ready_timeout_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_READY_TIMEOUT_SECONDS]);
}

/**
 * asb_backend_options_set_readiness_check:
 * @self: a [class@BackendOptions]
 * @check: (nullable) (scope notified) (closure user_data) (destroy destroy): says whether a new
 * sandbox is ready
 * @user_data: data for @check
 * @destroy: (nullable): frees @user_data
 *
 * Sets what decides whether a new sandbox is ready, instead of the provider. It is asked five times
 * a second, one question at a time, until it says so or
 * [property@BackendOptions:ready-timeout-seconds] have passed.
 *
 * Since: 1.0
 */
void
asb_backend_options_set_readiness_check (AsbBackendOptions *self, AsbReadinessCheck check,
                                         gpointer user_data, GDestroyNotify destroy)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  asb_closure_replace (&priv->readiness_check, G_CALLBACK (check), user_data, destroy);
}

/**
 * asb_backend_options_set_transport_factory:
 * @self: a [class@BackendOptions]
 * @factory: (nullable) (scope notified) (closure user_data) (destroy destroy): makes the way into
 * the sandbox
 * @user_data: data for @factory
 * @destroy: (nullable): frees @user_data
 *
 * Sets what makes the way into the sandbox, instead of what the provider offers.
 *
 * Since: 1.0
 */
void
asb_backend_options_set_transport_factory (AsbBackendOptions *self, AsbTransportFactory factory,
                                           gpointer user_data, GDestroyNotify destroy)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  asb_closure_replace (&priv->transport_factory, G_CALLBACK (factory), user_data, destroy);
}

/**
 * asb_backend_options_set_close_coordinator:
 * @self: a [class@BackendOptions]
 * @coordinator: (nullable) (scope notified) (closure user_data) (destroy destroy): decides about
 * the sandbox at closing
 * @user_data: data for @coordinator
 * @destroy: (nullable): frees @user_data
 *
 * Sets what decides about the sandbox when the backend is closed, instead of
 * [property@BackendOptions:cleanup].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_close_coordinator (AsbBackendOptions *self, AsbCloseCoordinator coordinator,
                                           gpointer user_data, GDestroyNotify destroy)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  asb_closure_replace (&priv->close_coordinator, G_CALLBACK (coordinator), user_data, destroy);
}

AsbClosure *
asb_backend_options_get_readiness_check (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  return priv->readiness_check;
}

AsbClosure *
asb_backend_options_get_transport_factory (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  return priv->transport_factory;
}

AsbClosure *
asb_backend_options_get_close_coordinator (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_instance_private (self);

  return priv->close_coordinator;
}
