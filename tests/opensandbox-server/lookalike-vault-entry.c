/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-vault-entry.h"

#include <string.h>

#include "lookalike-json.h"

static void
clear (gpointer data)
{
  LookalikeVaultEntry *self = data;

  g_free (self->name);
  g_clear_pointer (&self->shown, json_object_unref);
  g_clear_pointer (&self->credentials, g_ptr_array_unref);
  g_clear_pointer (&self->hosts, g_ptr_array_unref);
}

LookalikeVaultEntry *
lookalike_vault_entry_ref (LookalikeVaultEntry *self)
{
  return g_rc_box_acquire (self);
}

void
lookalike_vault_entry_unref (LookalikeVaultEntry *self)
{
  g_rc_box_release_full (self, clear);
}

static gboolean
fail (GError **error, const char *format, const char *what)
{
  g_autoptr (GString) message = g_string_new (format);

  g_string_replace (message, "%s", what != NULL ? what : "", 1);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, message->str);
  return FALSE;
}

/* Go's decoder is told to refuse what it does not know. */
static gboolean
has_only (JsonObject *object, const char *const *allowed, GError **error)
{
  g_autoptr (GList) names = json_object_get_members (object);

  for (GList *i = names; i != NULL; i = i->next)
    if (!g_strv_contains (allowed, i->data))
      return fail (error, "json: unknown field \"%s\"", i->data);
  return TRUE;
}

static LookalikeVaultEntry *
entry_new (JsonObject *object, gint64 revision, const char *kind, GError **error)
{
  const char *name = lookalike_json_get_string (object, "name");
  g_autofree char *stripped = g_strstrip (g_strdup (name != NULL ? name : ""));
  LookalikeVaultEntry *self;

  if (stripped[0] == '\0')
    {
      fail (error, "%s name cannot be blank", kind);
      return NULL;
    }
  self = g_rc_box_new0 (LookalikeVaultEntry);
  self->name = g_steal_pointer (&stripped);
  self->revision = revision;
  self->shown = json_object_new ();
  json_object_set_string_member (self->shown, "name", self->name);
  return self;
}

LookalikeVaultEntry *
lookalike_vault_entry_new_credential (JsonNode *node, gint64 revision, GError **error)
{
  static const char *const allowed[] = { "name", "source", NULL };
  static const char *const allowed_source[] = { "type", "value", NULL };
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  JsonObject *source = lookalike_json_get_object (object, "source");
  const char *type = lookalike_json_get_string (source, "type");
  const char *value = lookalike_json_get_string (source, "value");
  LookalikeVaultEntry *self;

  if (object == NULL || source == NULL)
    {
      fail (error, "unsupported credential source type \"%s\"", "");
      return NULL;
    }
  if (!has_only (object, allowed, error) || !has_only (source, allowed_source, error))
    return NULL;
  self = entry_new (object, revision, "credential", error);
  if (self == NULL)
    return NULL;
  if ((type != NULL && strcmp (type, "inline") != 0) || value == NULL || value[0] == '\0')
    {
      fail (error, "credential \"%s\" inline value cannot be empty, and its source type is inline",
            self->name);
      lookalike_vault_entry_unref (self);
      return NULL;
    }
  json_object_set_string_member (self->shown, "sourceType", "inline");
  json_object_set_int_member (self->shown, "revision", revision);
  return self;
}

static gboolean
check_host (const char *host, GError **error)
{
  const char *name = g_str_has_prefix (host, "*.") ? host + 2 : host;

  if (host[0] == '\0')
    return fail (error, "host cannot be blank", NULL);
  if (strchr (host, '/') != NULL || strstr (host, "://") != NULL)
    return fail (error, "host \"%s\" must not include scheme or path", host);
  if (strchr (name, '*') != NULL)
    return fail (error, "invalid wildcard host \"%s\"", host);
  if (g_hostname_is_ip_address (name))
    return fail (error, "credential binding host \"%s\" must be an FQDN, not an IP address", host);
  if (strchr (name, '.') == NULL)
    return fail (error, "credential binding host \"%s\" must be an FQDN", host);
  return TRUE;
}

/* The list of strings under @name, or its default. */
static JsonArray *
get_list (JsonObject *object, const char *name, const char *const *otherwise)
{
  JsonArray *given = lookalike_json_get_array (object, name);
  JsonArray *list;

  if (given != NULL && json_array_get_length (given) > 0)
    return json_array_ref (given);
  list = json_array_new ();
  for (guint i = 0; otherwise[i] != NULL; i++)
    json_array_add_string_element (list, otherwise[i]);
  return list;
}

static gboolean
check_ports (JsonArray *ports, GError **error)
{
  for (guint i = 0; i < json_array_get_length (ports); i++)
    {
      gint64 port = json_array_get_int_element (ports, i);

      if (port != 80 && port != 443)
        return fail (error, "port is not a configured transparent intercept port", NULL);
    }
  return TRUE;
}

static gboolean
take_match (LookalikeVaultEntry *self, JsonObject *match, GError **error)
{
  static const char *const allowed[] = { "schemes", "ports", "hosts", "methods", "paths", NULL };
  static const char *const schemes[] = { "https", NULL };
  static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE", NULL };
  static const char *const paths[] = { "/*", NULL };
  JsonArray *hosts = lookalike_json_get_array (match, "hosts");
  JsonArray *ports = lookalike_json_get_array (match, "ports");
  JsonObject *shown = json_object_new ();

  json_object_set_object_member (self->shown, "match", shown);
  if (match == NULL || hosts == NULL || json_array_get_length (hosts) == 0)
    return fail (error, "binding \"%s\": match.hosts cannot be empty", self->name);
  if (!has_only (match, allowed, error))
    return FALSE;
  self->hosts = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < json_array_get_length (hosts); i++)
    {
      const char *host = json_array_get_string_element (hosts, i);

      if (!check_host (host != NULL ? host : "", error))
        return FALSE;
      g_ptr_array_add (self->hosts, g_ascii_strdown (host, -1));
    }
  if (ports == NULL || json_array_get_length (ports) == 0)
    {
      ports = json_array_new ();
      json_array_add_int_element (ports, 443);
    }
  else
    json_array_ref (ports);
  json_object_set_array_member (shown, "schemes", get_list (match, "schemes", schemes));
  json_object_set_array_member (shown, "ports", ports);
  json_object_set_array_member (shown, "hosts", json_array_ref (hosts));
  json_object_set_array_member (shown, "methods", get_list (match, "methods", methods));
  json_object_set_array_member (shown, "paths", get_list (match, "paths", paths));
  return check_ports (ports, error);
}

static gboolean
use_credential (LookalikeVaultEntry *self, const char *type, const char *name, GError **error)
{
  if (name == NULL || name[0] == '\0')
    return fail (error, "%s auth requires credential", type);
  g_ptr_array_add (self->credentials, g_strdup (name));
  return TRUE;
}

static gboolean
use_headers (LookalikeVaultEntry *self, JsonArray *headers, GError **error)
{
  if (headers == NULL || json_array_get_length (headers) == 0)
    return fail (error, "customHeaders auth requires headers", NULL);
  for (guint i = 0; i < json_array_get_length (headers); i++)
    {
      JsonNode *node = json_array_get_element (headers, i);
      JsonObject *header = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;

      if (!use_credential (self, "customHeaders", lookalike_json_get_string (header, "credential"),
                           error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
take_auth (LookalikeVaultEntry *self, JsonObject *auth, GError **error)
{
  static const char *const with_credential[] = { "bearer", "basic", "apiKey", NULL };
  static const char *const known[]
      = { "type", "credential", "name", "headers", "substitutions", NULL };
  const char *type = lookalike_json_get_string (auth, "type");
  const char *name = lookalike_json_get_string (auth, "name");
  JsonObject *shown = json_object_new ();

  json_object_set_object_member (self->shown, "auth", shown);
  self->credentials = g_ptr_array_new_with_free_func (g_free);
  if (type == NULL)
    return fail (error, "unsupported auth type \"%s\"", "");
  if (!has_only (auth, known, error))
    return FALSE;
  json_object_set_string_member (shown, "type", type);
  if (name != NULL)
    json_object_set_string_member (shown, "name", name);
  if (strcmp (type, "passthrough") == 0)
    return TRUE;
  if (strcmp (type, "customHeaders") == 0)
    return use_headers (self, lookalike_json_get_array (auth, "headers"), error);
  if (!g_strv_contains (with_credential, type))
    return fail (error, "unsupported auth type \"%s\"", type);
  if (strcmp (type, "apiKey") == 0 && (name == NULL || name[0] == '\0'))
    return fail (error, "invalid credential header name \"%s\"", "");
  return use_credential (self, type, lookalike_json_get_string (auth, "credential"), error);
}

LookalikeVaultEntry *
lookalike_vault_entry_new_binding (JsonNode *node, gint64 revision, GError **error)
{
  static const char *const allowed[] = { "name", "match", "auth", NULL };
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  LookalikeVaultEntry *self;

  if (object == NULL)
    {
      fail (error, "json: cannot unmarshal into Binding", NULL);
      return NULL;
    }
  if (!has_only (object, allowed, error))
    return NULL;
  self = entry_new (object, revision, "binding", error);
  if (self == NULL)
    return NULL;
  json_object_set_int_member (self->shown, "revision", revision);
  if (take_match (self, lookalike_json_get_object (object, "match"), error)
      && take_auth (self, lookalike_json_get_object (object, "auth"), error))
    return self;
  lookalike_vault_entry_unref (self);
  return NULL;
}
