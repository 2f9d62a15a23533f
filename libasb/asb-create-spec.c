/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-create-spec-private.h"

#include "asb-backend-options-private.h"
#include "asb-enum-types.h"
#include "asb-path-private.h"
#include "asb-uuid.h"

#define NAME_KEY "agent_sandbox.name"
#define INSTANCE_ID_KEY "sandbox_instance_id"

static GVariant *
map_to_variant (GHashTable *map)
{
  GVariantDict dict;
  GHashTableIter iter;
  gpointer key, value;

  g_variant_dict_init (&dict, NULL);
  g_hash_table_iter_init (&iter, map);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_variant_dict_insert (&dict, key, "s", value);
  return g_variant_dict_end (&dict);
}

static void
insert_nullable (GVariantDict *dict, const char *key, GVariant *value)
{
  g_variant_dict_insert_value (dict, key,
                               value ? value : g_variant_new_maybe (G_VARIANT_TYPE_VARIANT, NULL));
}

static GVariant *
nullable_string (const char *string)
{
  return string ? g_variant_new_string (string) : NULL;
}

static GHashTable *
dup_metadata (AsbBackendOptions *options)
{
  GHashTable *metadata = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GHashTable *given = asb_backend_options_get_metadata (options);
  const char *name = asb_backend_options_get_sandbox_name (options);
  GHashTableIter iter;
  gpointer key, value;

  if (given)
    {
      g_hash_table_iter_init (&iter, given);
      while (g_hash_table_iter_next (&iter, &key, &value))
        g_hash_table_insert (metadata, g_strdup (key), g_strdup (value));
    }
  if (name)
    g_hash_table_insert (metadata, g_strdup (NAME_KEY), g_strdup (name));
  return metadata;
}

GVariant *
asb_create_describe (AsbBackendOptions *options)
{
  const char *workdir = asb_backend_options_get_workdir (options);
  g_autoptr (GHashTable) metadata = dup_metadata (options);
  gboolean has_ttl = asb_backend_options_get_sandbox_ttl_mode (options) == ASB_TTL_MODE_SECONDS;
  gint64 ttl = asb_backend_options_get_sandbox_ttl_seconds (options);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  insert_nullable (&dict, "image", nullable_string (asb_backend_options_get_image (options)));
  insert_nullable (&dict, "workdir", workdir ? asb_path_to_variant (workdir) : NULL);
  insert_nullable (&dict, "metadata", map_to_variant (metadata));
  insert_nullable (&dict, "idempotency_key",
                   nullable_string (asb_backend_options_get_idempotency_key (options)));
  insert_nullable (&dict, "sandbox_ttl_seconds", has_ttl ? g_variant_new_int64 (ttl) : NULL);
  return g_variant_dict_end (&dict);
}

GVariant *
asb_create_describe_ref (AsbSandboxRef *ref)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  insert_nullable (&dict, "provider_name",
                   nullable_string (asb_sandbox_ref_get_provider_name (ref)));
  insert_nullable (&dict, "provider_key", nullable_string (asb_sandbox_ref_get_provider_key (ref)));
  insert_nullable (&dict, "sandbox_id", nullable_string (asb_sandbox_ref_get_sandbox_id (ref)));
  insert_nullable (&dict, "sandbox_instance_id",
                   nullable_string (asb_sandbox_ref_get_sandbox_instance_id (ref)));
  return g_variant_dict_end (&dict);
}

/* What the provider is told as the application has said it. */
static void
copy_options (AsbBackendOptions *options, AsbSandboxSpec *spec)
{
  static const char *const names[] = {
    "image",      "environment",    "limits",         "idempotency-key",
    "entrypoint", "resources",      "network-policy", "snapshot-id",
    "platform",   "image-username", "image-password", "create-options",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_auto (GValue) value = G_VALUE_INIT;

      g_object_get_property (G_OBJECT (options), names[i], &value);
      g_object_set_property (G_OBJECT (spec), names[i], &value);
    }
}

AsbSandboxSpec *
asb_create_new_spec (AsbBackendOptions *options, const AsbKeepAlivePlan *plan)
{
  g_autoptr (GHashTable) metadata = dup_metadata (options);
  const char *given_id = g_hash_table_lookup (metadata, INSTANCE_ID_KEY);
  g_autofree char *instance_id = given_id ? g_strdup (given_id) : asb_uuid_v7_new ();
  AsbSandboxSpec *spec;

  spec = g_object_new (
      ASB_TYPE_SANDBOX_SPEC, "name", asb_backend_options_get_sandbox_name (options), "instance-id",
      instance_id, "workdir", asb_backend_options_get_workdir (options), "metadata", metadata,
      "mounts", asb_backend_options_get_mounts (options), "lifetime",
      asb_backend_options_get_lifetime (options), "ttl-mode", plan->mode, "ttl-seconds",
      plan->seconds, "cleanup", asb_backend_options_get_cleanup (options), "await-readiness",
      !asb_backend_options_get_readiness_check (options), NULL);
  copy_options (options, spec);
  return spec;
}

GVariant *
asb_create_describe_state (AsbSandboxState state)
{
  g_autoptr (GEnumClass) enum_class = g_type_class_ref (ASB_TYPE_SANDBOX_STATE);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "state", "s",
                         g_enum_get_value (enum_class, (int)state)->value_nick);
  return g_variant_dict_end (&dict);
}
