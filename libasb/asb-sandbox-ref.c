/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-sandbox-ref-private.h"

#include "asb-enum-types.h"
#include "asb-error-private.h"
#include "asb-property-private.h"

/**
 * AsbSandboxRef:
 *
 * The identity of one sandbox: enough to connect to it again, from another program too.
 *
 * Since: 1.0
 */

struct _AsbSandboxRef
{
  GObject parent_instance;

  char *provider_name;
  char *provider_key;
  char *sandbox_id;
  char *sandbox_instance_id;
  char *endpoint_fingerprint;
  GHashTable *metadata;
};

enum
{
  PROP_0,
  PROP_PROVIDER_NAME,
  PROP_PROVIDER_KEY,
  PROP_SANDBOX_ID,
  PROP_SANDBOX_INSTANCE_ID,
  PROP_ENDPOINT_FINGERPRINT,
  PROP_METADATA,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbSandboxRef, asb_sandbox_ref, G_TYPE_OBJECT)

static void
asb_sandbox_ref_finalize (GObject *object)
{
  AsbSandboxRef *self = ASB_SANDBOX_REF (object);

  g_clear_pointer (&self->provider_name, g_free);
  g_clear_pointer (&self->provider_key, g_free);
  g_clear_pointer (&self->sandbox_id, g_free);
  g_clear_pointer (&self->sandbox_instance_id, g_free);
  g_clear_pointer (&self->endpoint_fingerprint, g_free);
  g_clear_pointer (&self->metadata, g_hash_table_unref);

  G_OBJECT_CLASS (asb_sandbox_ref_parent_class)->finalize (object);
}

static void
asb_sandbox_ref_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbSandboxRef *self = ASB_SANDBOX_REF (object);

  switch (property_id)
    {
    case PROP_PROVIDER_NAME:
      g_value_set_string (value, self->provider_name);
      break;
    case PROP_PROVIDER_KEY:
      g_value_set_string (value, self->provider_key);
      break;
    case PROP_SANDBOX_ID:
      g_value_set_string (value, self->sandbox_id);
      break;
    case PROP_SANDBOX_INSTANCE_ID:
      g_value_set_string (value, self->sandbox_instance_id);
      break;
    case PROP_ENDPOINT_FINGERPRINT:
      g_value_set_string (value, self->endpoint_fingerprint);
      break;
    case PROP_METADATA:
      g_value_set_boxed (value, self->metadata);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_sandbox_ref_set_property (GObject *object, guint property_id, const GValue *value,
                              GParamSpec *pspec)
{
  AsbSandboxRef *self = ASB_SANDBOX_REF (object);

  switch (property_id)
    {
    case PROP_PROVIDER_NAME:
      self->provider_name = g_value_dup_string (value);
      break;
    case PROP_PROVIDER_KEY:
      self->provider_key = g_value_dup_string (value);
      break;
    case PROP_SANDBOX_ID:
      self->sandbox_id = g_value_dup_string (value);
      break;
    case PROP_SANDBOX_INSTANCE_ID:
      self->sandbox_instance_id = g_value_dup_string (value);
      break;
    case PROP_ENDPOINT_FINGERPRINT:
      self->endpoint_fingerprint = g_value_dup_string (value);
      break;
    case PROP_METADATA:
      self->metadata = g_value_dup_boxed (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_sandbox_ref_class_init (AsbSandboxRefClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_sandbox_ref_finalize;
  object_class->get_property = asb_sandbox_ref_get_property;
  object_class->set_property = asb_sandbox_ref_set_property;

  /**
   * AsbSandboxRef:provider-name:
   *
   * The name of the provider, for example `local`.
   *
   * Since: 1.0
   */
  properties[PROP_PROVIDER_NAME]
      = g_param_spec_string ("provider-name", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxRef:provider-key:
   *
   * Which of several providers of that name.
   *
   * Since: 1.0
   */
  properties[PROP_PROVIDER_KEY]
      = g_param_spec_string ("provider-key", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxRef:sandbox-id:
   *
   * The id the provider gave.
   *
   * Since: 1.0
   */
  properties[PROP_SANDBOX_ID]
      = g_param_spec_string ("sandbox-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxRef:sandbox-instance-id:
   *
   * The id of this very sandbox, should the provider use an id twice.
   *
   * Since: 1.0
   */
  properties[PROP_SANDBOX_INSTANCE_ID]
      = g_param_spec_string ("sandbox-instance-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxRef:endpoint-fingerprint:
   *
   * A hash of the server address, where there is a server.
   *
   * Since: 1.0
   */
  properties[PROP_ENDPOINT_FINGERPRINT]
      = g_param_spec_string ("endpoint-fingerprint", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxRef:metadata: (type GLib.HashTable(utf8,utf8))
   *
   * Names and values kept with the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_METADATA]
      = g_param_spec_boxed ("metadata", NULL, NULL, G_TYPE_HASH_TABLE, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_sandbox_ref_init (AsbSandboxRef *self)
{
}

/**
 * asb_sandbox_ref_new:
 * @provider_name: the name of the provider
 * @provider_key: which of the provider's accounts or servers
 * @sandbox_id: the id the provider gave
 * @sandbox_instance_id: the id of this very sandbox, new for each
 * @endpoint_fingerprint: (nullable): where the provider is reached
 * @metadata: (nullable) (element-type utf8 utf8): names and values kept with the sandbox; copied
 *
 * Makes the identity of a sandbox. For providers; bindings, which cannot set
 * [property@SandboxRef:metadata], need it.
 *
 * Returns: (transfer full): a new reference
 *
 * Since: 1.0
 */
AsbSandboxRef *
asb_sandbox_ref_new (const char *provider_name, const char *provider_key, const char *sandbox_id,
                     const char *sandbox_instance_id, const char *endpoint_fingerprint,
                     GHashTable *metadata)
{
  g_autoptr (GHashTable) copy = NULL;

  g_return_val_if_fail (provider_name != NULL, NULL);
  g_return_val_if_fail (provider_key != NULL, NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);
  g_return_val_if_fail (sandbox_instance_id != NULL, NULL);

  if (metadata)
    {
      GHashTableIter iter;
      gpointer name, value;

      copy = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
      g_hash_table_iter_init (&iter, metadata);
      while (g_hash_table_iter_next (&iter, &name, &value))
        g_hash_table_insert (copy, g_strdup (name), g_strdup (value));
    }
  return g_object_new (ASB_TYPE_SANDBOX_REF, "provider-name", provider_name, "provider-key",
                       provider_key, "sandbox-id", sandbox_id, "sandbox-instance-id",
                       sandbox_instance_id, "endpoint-fingerprint", endpoint_fingerprint,
                       "metadata", copy, NULL);
}

/* In bytes: of each text, and of all metadata together. */
#define MAX_TEXT 4096
#define MAX_METADATA (1024 * 1024)

/* What is kept of a reference, and whether it must be there. */
static const struct
{
  const char *name;
  gsize offset;
  gboolean is_required;
} texts[] = {
  { "provider-name", G_STRUCT_OFFSET (AsbSandboxRef, provider_name), TRUE },
  { "provider-key", G_STRUCT_OFFSET (AsbSandboxRef, provider_key), TRUE },
  { "sandbox-id", G_STRUCT_OFFSET (AsbSandboxRef, sandbox_id), TRUE },
  { "sandbox-instance-id", G_STRUCT_OFFSET (AsbSandboxRef, sandbox_instance_id), TRUE },
  { "endpoint-fingerprint", G_STRUCT_OFFSET (AsbSandboxRef, endpoint_fingerprint), FALSE },
};

gboolean
asb_sandbox_metadata_is_text (GHashTable *metadata)
{
  GHashTableIter iter;
  gpointer name, value;

  if (!metadata)
    return TRUE;
  g_hash_table_iter_init (&iter, metadata);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (!name || !value || !g_utf8_validate (name, -1, NULL) || !g_utf8_validate (value, -1, NULL))
      return FALSE;
  return TRUE;
}

gboolean
asb_sandbox_metadata_is_small (GHashTable *metadata)
{
  GHashTableIter iter;
  gpointer name, value;
  gsize size = 0;

  if (!metadata)
    return TRUE;
  g_hash_table_iter_init (&iter, metadata);
  while (g_hash_table_iter_next (&iter, &name, &value))
    size += strlen (name) + strlen (value);
  return size <= MAX_METADATA;
}

static const char *
find_fault_of_text (const char *text, gboolean is_required)
{
  if (!text)
    return is_required ? "tells of a sandbox without a provider, key or instance id" : NULL;
  if (strlen (text) > MAX_TEXT)
    return "tells of a sandbox by a text of more than 4096 bytes";
  return g_utf8_validate (text, -1, NULL) ? NULL : "tells of a sandbox by a text that is no UTF-8";
}

const char *
asb_sandbox_ref_find_fault (AsbSandboxRef *self)
{
  if (!self->sandbox_id || *self->sandbox_id == '\0')
    return "tells of a sandbox without an id";
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      const char *fault = find_fault_of_text (G_STRUCT_MEMBER (char *, self, texts[i].offset),
                                              texts[i].is_required);

      if (fault)
        return fault;
    }
  if (!asb_sandbox_metadata_is_text (self->metadata))
    return "tells of a sandbox with metadata that is no UTF-8";
  return asb_sandbox_metadata_is_small (self->metadata)
             ? NULL
             : "tells of a sandbox with more than 1 MiB of metadata";
}

static GVariant *
serialize_metadata (AsbSandboxRef *self)
{
  GVariantBuilder builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a{ss}"));
  g_autoptr (GList) names = g_hash_table_get_keys (self->metadata);

  /* In one order, so that the same reference always becomes the same bytes. */
  names = g_list_sort (names, (GCompareFunc)g_strcmp0);
  for (GList *link = names; link; link = link->next)
    g_variant_builder_add (&builder, "{ss}", link->data,
                           g_hash_table_lookup (self->metadata, link->data));
  return g_variant_builder_end (&builder);
}

/**
 * asb_sandbox_ref_serialize:
 * @self: a [class@SandboxRef]
 *
 * Puts a reference into a form that can be kept, in a setting, a file or a message.
 *
 * Returns: (transfer floating): an `a{sv}` with the properties under their names
 *
 * Since: 1.0
 */
GVariant *
asb_sandbox_ref_serialize (AsbSandboxRef *self)
{
  GVariantBuilder builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE_VARDICT);

  g_return_val_if_fail (ASB_IS_SANDBOX_REF (self), NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      const char *text = G_STRUCT_MEMBER (char *, self, texts[i].offset);

      if (text)
        g_variant_builder_add (&builder, "{sv}", texts[i].name, g_variant_new_string (text));
    }
  if (self->metadata)
    g_variant_builder_add (&builder, "{sv}", "metadata", serialize_metadata (self));
  return g_variant_builder_end (&builder);
}

static gboolean
take_text (AsbSandboxRef *self, GVariant *variant, gsize i, GError **error)
{
  char **place = &G_STRUCT_MEMBER (char *, self, texts[i].offset);
  g_autoptr (GVariant) value = g_variant_lookup_value (variant, texts[i].name, NULL);

  if (value && g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    *place = g_variant_dup_string (value, NULL);
  else if (value)
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "“%s” of a serialized sandbox must be a string, not “%s”", texts[i].name,
                 g_variant_get_type_string (value));
  else if (texts[i].is_required)
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "A serialized sandbox must have “%s”", texts[i].name);
  return *place || (!value && !texts[i].is_required);
}

static gboolean
take_metadata (AsbSandboxRef *self, GVariant *variant, GError **error)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (variant, "metadata", NULL);
  GVariantIter iter;
  char *name, *text;

  if (!value)
    return TRUE;
  if (!g_variant_is_of_type (value, G_VARIANT_TYPE ("a{ss}")))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "“metadata” of a serialized sandbox must be of type “a{ss}”, not “%s”",
                   g_variant_get_type_string (value));
      return FALSE;
    }
  self->metadata = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_variant_iter_init (&iter, value);
  while (g_variant_iter_next (&iter, "{ss}", &name, &text))
    g_hash_table_insert (self->metadata, name, text);
  return TRUE;
}

/* What comes from a file or a message is anything. */
static gboolean
check_taken (AsbSandboxRef *self, GError **error)
{
  const char *fault = asb_sandbox_ref_find_fault (self);

  if (fault)
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "What is given as a serialized sandbox %s", fault);
  return !fault;
}

static gboolean
take_all (AsbSandboxRef *self, GVariant *variant, GError **error)
{
  if (!g_variant_is_of_type (variant, G_VARIANT_TYPE_VARDICT))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "A serialized sandbox must be of type “a{sv}”, not “%s”",
                   g_variant_get_type_string (variant));
      return FALSE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    if (!take_text (self, variant, i, error))
      return FALSE;
  return take_metadata (self, variant, error) && check_taken (self, error);
}

/**
 * asb_sandbox_ref_deserialize:
 * @variant: what [method@SandboxRef.serialize] gave
 * @error: return location for an error
 *
 * Makes a reference of its serialized form. %ASB_ERROR_INVALID_ARGUMENT if @variant is of another
 * kind, has no id, a text of more than 4096 bytes or more than 1 MiB of metadata; members that are
 * not known are ignored.
 *
 * Returns: (transfer full): a new reference
 *
 * Since: 1.0
 */
AsbSandboxRef *
asb_sandbox_ref_deserialize (GVariant *variant, GError **error)
{
  g_autoptr (AsbSandboxRef) self = NULL;

  g_return_val_if_fail (variant != NULL, NULL);

  self = g_object_new (ASB_TYPE_SANDBOX_REF, NULL);
  if (take_all (self, variant, error) || asb_error_info_note (error))
    return g_steal_pointer (&self);
  return NULL;
}

/**
 * asb_sandbox_ref_get_provider_name:
 * @self: a [class@SandboxRef]
 *
 * Gets [property@SandboxRef:provider-name].
 *
 * Returns: (transfer none): the name of the provider, for example `local`
 *
 * Since: 1.0
 */
const char *
asb_sandbox_ref_get_provider_name (AsbSandboxRef *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_REF (self), NULL);

  return self->provider_name;
}

/**
 * asb_sandbox_ref_get_provider_key:
 * @self: a [class@SandboxRef]
 *
 * Gets [property@SandboxRef:provider-key].
 *
 * Returns: (transfer none): which of several providers of that name
 *
 * Since: 1.0
 */
const char *
asb_sandbox_ref_get_provider_key (AsbSandboxRef *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_REF (self), NULL);

  return self->provider_key;
}

/**
 * asb_sandbox_ref_get_sandbox_id:
 * @self: a [class@SandboxRef]
 *
 * Gets [property@SandboxRef:sandbox-id].
 *
 * Returns: (transfer none): the id the provider gave
 *
 * Since: 1.0
 */
const char *
asb_sandbox_ref_get_sandbox_id (AsbSandboxRef *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_REF (self), NULL);

  return self->sandbox_id;
}

/**
 * asb_sandbox_ref_get_sandbox_instance_id:
 * @self: a [class@SandboxRef]
 *
 * Gets [property@SandboxRef:sandbox-instance-id].
 *
 * Returns: (transfer none): the id of this very sandbox, should the provider use an id twice
 *
 * Since: 1.0
 */
const char *
asb_sandbox_ref_get_sandbox_instance_id (AsbSandboxRef *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_REF (self), NULL);

  return self->sandbox_instance_id;
}

/**
 * asb_sandbox_ref_get_endpoint_fingerprint:
 * @self: a [class@SandboxRef]
 *
 * Gets [property@SandboxRef:endpoint-fingerprint].
 *
 * Returns: (transfer none) (nullable): a hash of the server address, where there is a server
 *
 * Since: 1.0
 */
const char *
asb_sandbox_ref_get_endpoint_fingerprint (AsbSandboxRef *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_REF (self), NULL);

  return self->endpoint_fingerprint;
}

/**
 * asb_sandbox_ref_get_metadata:
 * @self: a [class@SandboxRef]
 *
 * Gets [property@SandboxRef:metadata].
 *
 * Returns: (transfer none) (nullable) (element-type utf8 utf8): names and values kept with the
 * sandbox
 *
 * Since: 1.0
 */
GHashTable *
asb_sandbox_ref_get_metadata (AsbSandboxRef *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_REF (self), NULL);

  return self->metadata;
}
