/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "lookalike-json.h"
#include "lookalike-vault-entry.h"

typedef LookalikeVaultEntry *(*MakeEntry) (JsonNode *node, gint64 revision, GError **error);

struct _LookalikeVault
{
  gint64 revision;
  GHashTable *credentials; /* name -> entry */
  GHashTable *bindings;
};

static GHashTable *
table_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                (GDestroyNotify)lookalike_vault_entry_unref);
}

static GHashTable *
table_copy (GHashTable *table)
{
  GHashTable *copy = table_new ();
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      LookalikeVaultEntry *entry = value;

      g_hash_table_insert (copy, entry->name, lookalike_vault_entry_ref (entry));
    }
  return copy;
}

static LookalikeVault *
vault_new (void)
{
  LookalikeVault *self = g_new0 (LookalikeVault, 1);

  self->credentials = table_new ();
  self->bindings = table_new ();
  return self;
}

void
lookalike_vault_free (LookalikeVault *self)
{
  g_hash_table_unref (self->credentials);
  g_hash_table_unref (self->bindings);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LookalikeVault, lookalike_vault_free)

static char *
check_binding (LookalikeVault *self, LookalikeVaultEntry *binding, LookalikeEgress *egress)
{
  for (guint i = 0; i < binding->credentials->len; i++)
    if (!g_hash_table_contains (self->credentials, binding->credentials->pdata[i]))
      return g_strdup_printf ("binding \"%s\" references unknown credential \"%s\"", binding->name,
                              (char *)binding->credentials->pdata[i]);
  for (guint i = 0; i < binding->hosts->len; i++)
    if (!lookalike_egress_allows (egress, binding->hosts->pdata[i]))
      return g_strdup_printf (
          "binding \"%s\" host \"%s\" is not covered by an explicit allow egress rule",
          binding->name, (char *)binding->hosts->pdata[i]);
  return NULL;
}

char *
lookalike_vault_check_policy (LookalikeVault *self, LookalikeEgress *egress)
{
  GHashTableIter iter;
  gpointer value;
  char *why = NULL;

  g_hash_table_iter_init (&iter, self->bindings);
  while (why == NULL && g_hash_table_iter_next (&iter, NULL, &value))
    why = check_binding (self, value, egress);
  return why;
}

static void
reply_list (LookalikeRequest *request, guint status, LookalikeVault *self, gboolean credentials,
            gboolean bindings)
{
  g_autoptr (JsonObject) reply = json_object_new ();
  GHashTable *tables[]
      = { credentials ? self->credentials : NULL, bindings ? self->bindings : NULL };
  static const char *const names[] = { "credentials", "bindings" };

  json_object_set_int_member (reply, "revision", self->revision);
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      JsonArray *list;
      g_autoptr (GList) keys = NULL;

      if (tables[i] == NULL)
        continue;
      list = json_array_new ();
      keys = g_list_sort (g_hash_table_get_keys (tables[i]), (GCompareFunc)strcmp);
      for (GList *key = keys; key != NULL; key = key->next)
        {
          LookalikeVaultEntry *entry = g_hash_table_lookup (tables[i], key->data);

          json_array_add_object_element (list, json_object_ref (entry->shown));
        }
      json_object_set_array_member (reply, names[i], list);
    }
  lookalike_request_reply_object (request, status, reply);
}

static gboolean
refuse (GError **error, const char *message)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, message);
  return FALSE;
}

/* Adds the list, or with @replace exchanges what is there. */
static gboolean
put_list (GHashTable *table, JsonArray *list, MakeEntry make, gint64 revision, gboolean replace,
          GError **error)
{
  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    {
      LookalikeVaultEntry *entry = make (json_array_get_element (list, i), revision, error);
      gboolean known;

      if (entry == NULL)
        return FALSE;
      known = g_hash_table_contains (table, entry->name);
      if (known != replace)
        {
          g_autofree char *message = g_strdup_printf ("\"%s\" %s", entry->name,
                                                      known ? "already exists" : "does not exist");

          lookalike_vault_entry_unref (entry);
          return refuse (error, message);
        }
      g_hash_table_replace (table, entry->name, entry);
    }
  return TRUE;
}

static gboolean
delete_list (GHashTable *table, JsonArray *list, GError **error)
{
  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    {
      const char *name = json_array_get_string_element (list, i);
      g_autofree char *message
          = g_strdup_printf ("\"%s\" does not exist", name != NULL ? name : "");

      if (name == NULL || !g_hash_table_remove (table, name))
        return refuse (error, message);
    }
  return TRUE;
}

static gboolean
change (GHashTable *table, JsonObject *set, MakeEntry make, gint64 revision, GError **error)
{
  if (set == NULL)
    return TRUE;
  return delete_list (table, lookalike_json_get_array (set, "delete"), error)
         && put_list (table, lookalike_json_get_array (set, "replace"), make, revision, TRUE, error)
         && put_list (table, lookalike_json_get_array (set, "add"), make, revision, FALSE, error);
}

/* The new vault, when all of it is right. */
static void
take (LookalikeRequest *request, LookalikeEgress *egress, LookalikeVault *candidate, guint status)
{
  g_autoptr (LookalikeVault) vault = candidate;
  g_autofree char *why = lookalike_vault_check_policy (vault, egress);

  if (why != NULL)
    {
      lookalike_egress_refuse (request, SOUP_STATUS_BAD_REQUEST, "%s", why);
      return;
    }
  g_clear_pointer (&egress->vault, lookalike_vault_free);
  egress->vault = g_steal_pointer (&vault);
  reply_list (request, status, egress->vault, TRUE, TRUE);
}

static JsonObject *
parse (LookalikeRequest *request, const char *const *allowed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = lookalike_request_parse (request, &error);
  g_autoptr (GList) names = NULL;

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    {
      lookalike_egress_refuse (request, SOUP_STATUS_BAD_REQUEST,
                               "invalid credential vault request: %s",
                               error != NULL ? error->message : "json: cannot unmarshal");
      return NULL;
    }
  names = json_object_get_members (json_node_get_object (node));
  for (GList *i = names; i != NULL; i = i->next)
    if (!g_strv_contains (allowed, i->data))
      {
        lookalike_egress_refuse (request, SOUP_STATUS_BAD_REQUEST,
                                 "invalid credential vault request: json: unknown field \"%s\"",
                                 (char *)i->data);
        return NULL;
      }
  return json_object_ref (json_node_get_object (node));
}

static void
create (LookalikeRequest *request, LookalikeEgress *egress)
{
  static const char *const allowed[] = { "credentials", "bindings", NULL };
  g_autoptr (JsonObject) body = parse (request, allowed);
  g_autoptr (LookalikeVault) vault = vault_new ();
  g_autoptr (GError) error = NULL;

  if (body == NULL)
    return;
  vault->revision = 1;
  if (egress->vault != NULL)
    lookalike_egress_refuse (request, SOUP_STATUS_CONFLICT, "credential vault already exists");
  else if (!put_list (vault->credentials, lookalike_json_get_array (body, "credentials"),
                      lookalike_vault_entry_new_credential, 1, FALSE, &error)
           || !put_list (vault->bindings, lookalike_json_get_array (body, "bindings"),
                         lookalike_vault_entry_new_binding, 1, FALSE, &error))
    lookalike_egress_refuse (request, SOUP_STATUS_BAD_REQUEST, "%s", error->message);
  else
    take (request, egress, g_steal_pointer (&vault), SOUP_STATUS_CREATED);
}

static void
patch (LookalikeRequest *request, LookalikeEgress *egress)
{
  static const char *const allowed[] = { "expectedRevision", "credentials", "bindings", NULL };
  g_autoptr (JsonObject) body = parse (request, allowed);
  g_autoptr (LookalikeVault) vault = g_new0 (LookalikeVault, 1);
  g_autoptr (GError) error = NULL;
  gint64 expected;

  vault->credentials = table_copy (egress->vault->credentials);
  vault->bindings = table_copy (egress->vault->bindings);
  vault->revision = egress->vault->revision + 1;
  if (body == NULL)
    return;
  expected = lookalike_json_get_int (body, "expectedRevision", egress->vault->revision);
  if (expected != egress->vault->revision)
    lookalike_egress_refuse (request, SOUP_STATUS_CONFLICT,
                             "expectedRevision %" G_GINT64_FORMAT
                             " does not match current revision %" G_GINT64_FORMAT,
                             expected, egress->vault->revision);
  else if (!change (vault->credentials, lookalike_json_get_object (body, "credentials"),
                    lookalike_vault_entry_new_credential, vault->revision, &error)
           || !change (vault->bindings, lookalike_json_get_object (body, "bindings"),
                       lookalike_vault_entry_new_binding, vault->revision, &error))
    lookalike_egress_refuse (request, SOUP_STATUS_BAD_REQUEST, "%s", error->message);
  else
    take (request, egress, g_steal_pointer (&vault), SOUP_STATUS_OK);
}

static void
get_part (LookalikeRequest *request, LookalikeVault *self)
{
  const char *part = request->segments[1];
  const char *name = request->segments[2];
  gboolean credentials = strcmp (part, "credentials") == 0;
  LookalikeVaultEntry *entry;

  if (!credentials && strcmp (part, "bindings") != 0)
    lookalike_egress_refuse (request, SOUP_STATUS_NOT_FOUND, "not found");
  else if (strcmp (request->method, "GET") != 0)
    lookalike_egress_refuse (request, SOUP_STATUS_METHOD_NOT_ALLOWED, "method not allowed");
  else if (name == NULL)
    reply_list (request, SOUP_STATUS_OK, self, credentials, !credentials);
  else
    {
      entry = g_hash_table_lookup (credentials ? self->credentials : self->bindings, name);
      if (entry != NULL)
        lookalike_request_reply_object (request, SOUP_STATUS_OK, entry->shown);
      else
        lookalike_egress_refuse (request, SOUP_STATUS_NOT_FOUND, "%s not found",
                                 credentials ? "credential" : "binding");
    }
}

void
lookalike_vault_handle (LookalikeRequest *request, LookalikeEgress *egress)
{
  gboolean reads = strcmp (request->method, "GET") == 0;

  if (!egress->proxy_enabled && !reads)
    lookalike_egress_refuse (request, SOUP_STATUS_PRECONDITION_FAILED,
                             "credential vault requires transparent mitmproxy");
  else if (strcmp (request->method, "POST") == 0 && request->segments[1] == NULL)
    create (request, egress);
  else if (egress->vault == NULL)
    lookalike_egress_refuse (request, SOUP_STATUS_NOT_FOUND, "credential vault not found");
  else if (request->segments[1] != NULL)
    get_part (request, egress->vault);
  else if (reads)
    reply_list (request, SOUP_STATUS_OK, egress->vault, TRUE, TRUE);
  else if (strcmp (request->method, "PATCH") == 0)
    patch (request, egress);
  else if (strcmp (request->method, "DELETE") == 0)
    {
      g_clear_pointer (&egress->vault, lookalike_vault_free);
      lookalike_request_reply_empty (request, SOUP_STATUS_NO_CONTENT);
    }
  else
    {
      soup_message_headers_replace (soup_server_message_get_response_headers (request->message),
                                    "Allow", "GET, POST, PATCH, DELETE");
      lookalike_egress_refuse (request, SOUP_STATUS_METHOD_NOT_ALLOWED, "method not allowed");
    }
}
