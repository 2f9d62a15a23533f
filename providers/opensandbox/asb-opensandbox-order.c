/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-order.h"

#include <string.h>

#include "asb-opensandbox-labels.h"
#include "asb-opensandbox-options.h"
#include "asb-opensandbox-policy.h"
#include "asb-opensandbox-workdir.h"

static gboolean
refuse (GError **error, const char *text)
{
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, text);
  return FALSE;
}

/* JSON has no other text. */
static gboolean
is_text (const char *text)
{
  return !text || g_utf8_validate (text, -1, NULL);
}

static gboolean
check_texts (AsbSandboxSpec *spec, GError **error)
{
  const char *const *entrypoint = asb_sandbox_spec_get_entrypoint (spec);
  GHashTable *resources = asb_sandbox_spec_get_resources (spec);
  GHashTableIter iter;
  gpointer name, value;
  gboolean is_fine = is_text (asb_sandbox_spec_get_image (spec))
                     && is_text (asb_sandbox_spec_get_image_username (spec))
                     && is_text (asb_sandbox_spec_get_image_password (spec))
                     && is_text (asb_sandbox_spec_get_snapshot_id (spec))
                     && is_text (asb_sandbox_spec_get_platform (spec));

  for (gsize i = 0; entrypoint && entrypoint[i]; i++)
    is_fine = is_fine && is_text (entrypoint[i]);
  if (resources)
    {
      g_hash_table_iter_init (&iter, resources);
      while (g_hash_table_iter_next (&iter, &name, &value))
        is_fine = is_fine && is_text (name) && is_text (value);
    }
  return is_fine
         || refuse (error, "The image, the snapshot, the platform, the entry point and the "
                           "resources of a sandbox must be given in UTF-8");
}

/* From what it is made. */

static gboolean
add_image (JsonObject *body, AsbSandboxSpec *spec, GError **error)
{
  const char *image = asb_sandbox_spec_get_image (spec);
  const char *username = asb_sandbox_spec_get_image_username (spec);
  const char *password = asb_sandbox_spec_get_image_password (spec);
  JsonObject *object;
  JsonObject *auth;

  if ((username == NULL) != (password == NULL))
    return refuse (error, "The name and the password for the image's registry go together: give "
                          "both or neither");
  object = json_object_new ();
  json_object_set_string_member (object, "uri",
                                 image && *image ? image : ASB_OPENSANDBOX_DEFAULT_IMAGE);
  json_object_set_object_member (body, "image", object);
  if (!username)
    return TRUE;
  auth = json_object_new ();
  json_object_set_string_member (auth, "username", username);
  json_object_set_string_member (auth, "password", password);
  json_object_set_object_member (object, "auth", auth);
  return TRUE;
}

static gboolean
add_source (JsonObject *body, AsbSandboxSpec *spec, GError **error)
{
  const char *snapshot_id = asb_sandbox_spec_get_snapshot_id (spec);
  const char *image = asb_sandbox_spec_get_image (spec);
  gboolean has_template = json_object_has_member (body, "templateId");

  if ((image && *image ? 1 : 0) + (snapshot_id ? 1 : 0) + (has_template ? 1 : 0) > 1)
    return refuse (error,
                   "A sandbox is made from an image, from a snapshot or from a template, not "
                   "from two of them");
  if (has_template)
    return TRUE;
  if (!snapshot_id)
    return add_image (body, spec, error);
  if (!*snapshot_id)
    return refuse (error, "The id of the snapshot must not be empty");
  json_object_set_string_member (body, "snapshotId", snapshot_id);
  return TRUE;
}

static gboolean
add_platform (JsonObject *body, AsbSandboxSpec *spec, GError **error)
{
  const char *platform = asb_sandbox_spec_get_platform (spec);
  g_auto (GStrv) parts = platform ? g_strsplit (platform, "/", -1) : NULL;
  JsonObject *object;

  if (!parts)
    return TRUE;
  if (g_strv_length (parts) != 2 || !*parts[0] || !*parts[1])
    return refuse (error, "A platform is named like “linux/amd64”");
  object = json_object_new ();
  json_object_set_string_member (object, "os", parts[0]);
  json_object_set_string_member (object, "arch", parts[1]);
  json_object_set_object_member (body, "platform", object);
  return TRUE;
}

/* What runs in it, and with what. */

static void
add_entrypoint (JsonObject *body, AsbSandboxSpec *spec)
{
  static const char *const default_entrypoint[] = { "tail", "-f", "/dev/null", NULL };
  const char *const *entrypoint = asb_sandbox_spec_get_entrypoint (spec);
  JsonArray *array;

  /* Snapshots and templates have their own. */
  if ((!entrypoint || !*entrypoint) && !json_object_has_member (body, "image"))
    return;
  if (!entrypoint || !*entrypoint)
    entrypoint = default_entrypoint;
  array = json_array_new ();
  for (gsize i = 0; entrypoint[i]; i++)
    json_array_add_string_element (array, entrypoint[i]);
  json_object_set_array_member (body, "entrypoint", array);
}

/* Sandboxes of a pool or template are as large as those are. */
static gboolean
has_its_own_size (JsonObject *body)
{
  JsonObject *extensions = json_object_has_member (body, "extensions")
                               ? json_object_get_object_member (body, "extensions")
                               : NULL;

  return json_object_has_member (body, "templateId")
         || (extensions && json_object_has_member (extensions, "poolRef"));
}

static void
add_resources (JsonObject *body, AsbSandboxSpec *spec)
{
  GHashTable *resources = asb_sandbox_spec_get_resources (spec);
  gboolean is_empty = !resources || g_hash_table_size (resources) == 0;
  JsonObject *object;
  GHashTableIter iter;
  gpointer name, value;

  if (is_empty && has_its_own_size (body))
    return;
  object = json_object_new ();
  json_object_set_object_member (body, "resourceLimits", object);
  if (is_empty)
    {
      json_object_set_string_member (object, "cpu", "1");
      json_object_set_string_member (object, "memory", "2Gi");
      return;
    }
  g_hash_table_iter_init (&iter, resources);
  while (g_hash_table_iter_next (&iter, &name, &value))
    json_object_set_string_member (object, name, value);
}

static gboolean
add_environment (JsonObject *body, AsbSandboxSpec *spec, GError **error)
{
  const char *const *environment = asb_sandbox_spec_get_environment (spec);
  JsonObject *object;

  if (!environment || !*environment)
    return TRUE;
  object = json_object_new ();
  json_object_set_object_member (body, "env", object);
  for (gsize i = 0; environment[i]; i++)
    {
      const char *sign = strchr (environment[i], '=');
      g_autofree char *name
          = sign ? g_strndup (environment[i], (gsize)(sign - environment[i])) : NULL;

      if (!name || !*name)
        return refuse (error, "Each variable of the environment must be given as NAME=VALUE");
      if (!g_utf8_validate (environment[i], -1, NULL))
        return refuse (error, "The server takes variables of the environment in UTF-8 only");
      json_object_set_string_member (object, name, sign + 1);
    }
  return TRUE;
}

/* How long it lives. */

gboolean
asb_opensandbox_order_check_ttl (gint64 seconds, gint64 min_seconds, GError **error)
{
  if (seconds >= min_seconds && seconds <= ASB_OPENSANDBOX_MAX_TTL_SECONDS)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "A time to live of %" G_GINT64_FORMAT
               " s cannot be asked for: it must be %" G_GINT64_FORMAT " s to %d s",
               seconds, min_seconds, ASB_OPENSANDBOX_MAX_TTL_SECONDS);
  return FALSE;
}

/* Three meanings: what the server does by itself (left out), never (null), a number. */
static gboolean
add_timeout (JsonObject *body, AsbSandboxSpec *spec, GError **error)
{
  gint64 seconds = asb_sandbox_spec_get_ttl_seconds (spec);

  switch (asb_sandbox_spec_get_ttl_mode (spec))
    {
    case ASB_TTL_MODE_NEVER:
      json_object_set_null_member (body, "timeout");
      return TRUE;
    case ASB_TTL_MODE_SECONDS:
      if (!asb_opensandbox_order_check_ttl (seconds, ASB_OPENSANDBOX_MIN_TTL_SECONDS, error))
        return FALSE;
      json_object_set_int_member (body, "timeout", seconds);
      return TRUE;
    case ASB_TTL_MODE_UNSET:
    default:
      return TRUE;
    }
}

/* By what it is found. */

static GHashTable *
collect_metadata (AsbSandboxSpec *spec, const char *instance_id, GError **error)
{
  GHashTable *given = asb_sandbox_spec_get_metadata (spec);
  const char *name = asb_sandbox_spec_get_name (spec);
  g_autoptr (GHashTable) metadata = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  const char *named = given ? g_hash_table_lookup (given, ASB_OPENSANDBOX_LABEL_NAME) : NULL;
  GHashTableIter iter;
  gpointer key, value;

  if (name && named && !g_str_equal (name, named))
    {
      refuse (error, "The metadata give the sandbox another name (agent_sandbox.name)");
      return NULL;
    }
  if (given)
    {
      g_hash_table_iter_init (&iter, given);
      while (g_hash_table_iter_next (&iter, &key, &value))
        g_hash_table_insert (metadata, g_strdup (key), g_strdup (value));
    }
  if (name)
    g_hash_table_insert (metadata, g_strdup (ASB_OPENSANDBOX_LABEL_NAME), g_strdup (name));
  g_hash_table_insert (metadata, g_strdup (ASB_OPENSANDBOX_LABEL_INSTANCE_ID),
                       g_strdup (instance_id));
  if (!asb_opensandbox_workdir_add (metadata, asb_sandbox_spec_get_workdir (spec), error))
    return NULL;
  return g_steal_pointer (&metadata);
}

static gboolean
add_metadata (JsonObject *body, AsbSandboxSpec *spec, const char *instance_id, GError **error)
{
  g_autoptr (GHashTable) metadata = collect_metadata (spec, instance_id, error);
  JsonObject *object;
  GHashTableIter iter;
  gpointer key, value;

  if (!metadata || !asb_opensandbox_labels_check_all (metadata, error))
    return FALSE;
  object = json_object_new ();
  json_object_set_object_member (body, "metadata", object);
  g_hash_table_iter_init (&iter, metadata);
  while (g_hash_table_iter_next (&iter, &key, &value))
    json_object_set_string_member (object, key, value);
  return TRUE;
}

static gboolean
add_network_policy (JsonObject *body, AsbSandboxSpec *spec, GError **error)
{
  AsbNetworkPolicy *policy = asb_sandbox_spec_get_network_policy (spec);

  if (policy && !asb_opensandbox_policy_check (policy, error))
    return FALSE;
  if (policy)
    json_object_set_member (body, "networkPolicy", asb_opensandbox_policy_to_json (policy));
  else if (json_object_has_member (body, "credentialProxy"))
    return refuse (error, "The option “credential_proxy” needs a network policy");
  return TRUE;
}

/* A template says all this itself. */
static gboolean
check_template (JsonObject *body, GError **error)
{
  static const char *const excluded[]
      = { "entrypoint", "env",       "resourceLimits",  "resourceRequests", "volumes",
          "platform",   "lifecycle", "credentialProxy", "secureAccess" };

  if (!json_object_has_member (body, "templateId"))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (excluded); i++)
    if (json_object_has_member (body, excluded[i]))
      {
        g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                     "A sandbox of a template takes what the template says of “%s”: leave it out",
                     excluded[i]);
        return FALSE;
      }
  if (json_object_has_member (body, "timeout") && !json_object_get_null_member (body, "timeout"))
    return TRUE;
  return refuse (error, "A sandbox of a template needs a time to live");
}

JsonNode *
asb_opensandbox_order_new (AsbSandboxSpec *spec, const char *instance_id, GError **error)
{
  g_autoptr (JsonObject) body = json_object_new ();

  if (!check_texts (spec, error)
      || !asb_opensandbox_options_add (body, asb_sandbox_spec_get_create_options (spec), error)
      || !add_source (body, spec, error) || !add_platform (body, spec, error)
      || !add_timeout (body, spec, error) || !add_environment (body, spec, error)
      || !add_metadata (body, spec, instance_id, error) || !add_network_policy (body, spec, error))
    return NULL;
  add_entrypoint (body, spec);
  add_resources (body, spec);
  if (!check_template (body, error))
    return NULL;
  return json_node_init_object (json_node_alloc (), body);
}
