/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "lookalike-json.h"
#include "lookalike-lifecycle.h"
#include "lookalike-sandbox.h"
#include "lookalike-validation.h"

#define PAGE_SIZE 20
#define PAGE_SIZE_MAX 200

gboolean
lookalike_lifecycle_get_page (LookalikeRequest *request, LookalikePage *page)
{
  g_auto (LookalikeValidation) validation;

  page->page = 1;
  page->size = PAGE_SIZE;
  lookalike_validation_init (&validation);
  lookalike_validation_check_number (&validation, request, "page", 1, G_MAXINT32, &page->page);
  lookalike_validation_check_number (&validation, request, "pageSize", 1, PAGE_SIZE_MAX,
                                     &page->size);
  return !lookalike_validation_refuse (&validation, request);
}

void
lookalike_lifecycle_reply_page (LookalikeRequest *request, const LookalikePage *page,
                                GPtrArray *objects)
{
  g_autoptr (JsonObject) reply = json_object_new ();
  JsonArray *items = json_array_new ();
  JsonObject *pagination = json_object_new ();
  gint64 total = objects->len;
  gint64 pages = (total + page->size - 1) / page->size;
  gint64 first = (page->page - 1) * page->size;

  for (gint64 i = first; i < MIN (first + page->size, total); i++)
    json_array_add_object_element (items, json_object_ref (objects->pdata[i]));
  json_object_set_int_member (pagination, "page", page->page);
  json_object_set_int_member (pagination, "pageSize", page->size);
  json_object_set_int_member (pagination, "totalItems", total);
  json_object_set_int_member (pagination, "totalPages", pages);
  json_object_set_boolean_member (pagination, "hasNextPage", page->page < pages);
  json_object_set_array_member (reply, "items", items);
  json_object_set_object_member (reply, "pagination", pagination);
  lookalike_request_reply_object (request, SOUP_STATUS_OK, reply);
}

static char *
decode_again (const char *text)
{
  g_autofree char *spaced = g_strdelimit (g_strdup (text), "+", ' ');
  char *decoded = g_uri_unescape_string (spaced, NULL);

  return decoded != NULL ? decoded : g_strdup (spaced);
}

/* The value of the query was decoded once; what it holds is encoded once more. NULL after an
 * answer. */
static GHashTable *
parse_metadata (LookalikeRequest *request)
{
  g_autofree char *text = lookalike_request_get_query (request, "metadata");
  g_autoptr (GHashTable) wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_auto (GStrv) pairs = NULL;

  if (text == NULL || text[0] == '\0')
    return g_steal_pointer (&wanted);
  pairs = g_strsplit (text, "&", -1);
  for (guint i = 0; pairs[i] != NULL; i++)
    {
      char *equals = strchr (pairs[i], '=');

      if (equals == NULL)
        {
          lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_METADATA_FORMAT",
                                  "Invalid metadata format: bad query field: '%s'", pairs[i]);
          return NULL;
        }
      *equals = '\0';
      g_hash_table_replace (wanted, decode_again (pairs[i]), decode_again (equals + 1));
    }
  return g_steal_pointer (&wanted);
}

static gboolean
has_state (LookalikeSandbox *sandbox, char **states)
{
  const char *state = lookalike_state_get_name (sandbox->state);

  for (guint i = 0; states[i] != NULL; i++)
    if (g_ascii_strcasecmp (states[i], state) == 0)
      return TRUE;
  return states[0] == NULL;
}

static gboolean
has_metadata (LookalikeSandbox *sandbox, GHashTable *wanted)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, wanted);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (g_strcmp0 (lookalike_json_get_string (sandbox->metadata, key), value) != 0)
      return FALSE;
  return TRUE;
}

static int
compare_newest_first (gconstpointer a, gconstpointer b)
{
  const LookalikeSandbox *first = *(LookalikeSandbox *const *)a;
  const LookalikeSandbox *second = *(LookalikeSandbox *const *)b;

  return g_date_time_compare (second->created_at, first->created_at);
}

void
lookalike_lifecycle_list (LookalikeRequest *request)
{
  g_autoptr (GHashTable) metadata = NULL;
  g_auto (GStrv) states = lookalike_request_get_queries (request, "state");
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  g_autoptr (GPtrArray) objects
      = g_ptr_array_new_with_free_func ((GDestroyNotify)json_object_unref);
  LookalikePage page;
  GHashTableIter iter;
  gpointer value;

  if (!lookalike_lifecycle_get_page (request, &page))
    return;
  metadata = parse_metadata (request);
  if (metadata == NULL)
    return;
  g_hash_table_iter_init (&iter, request->lookalike->sandboxes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (has_state (value, states) && has_metadata (value, metadata))
      g_ptr_array_add (found, value);
  g_ptr_array_sort (found, compare_newest_first);
  for (guint i = 0; i < found->len; i++)
    g_ptr_array_add (objects, lookalike_lifecycle_describe (found->pdata[i], FALSE));
  lookalike_lifecycle_reply_page (request, &page, objects);
}
