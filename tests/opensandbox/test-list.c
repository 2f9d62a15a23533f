/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-server.h"

/* Lists: of servers that heed the filter and of those that do not, of many pages, and without end.
 */

#define LIST_FAULT(rest)                                                                           \
  "{'method':'GET','path':'/v1/sandboxes','action':'reply','status':200," rest "}"

typedef struct
{
  AsbTestServer *server;
  AsbProvider *provider;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->server = asb_test_server_new (NULL);
  fixture->provider = asb_test_server_new_provider (fixture->server, NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_object_unref (fixture->provider);
  asb_test_server_free (fixture->server);
}

static AsbSandboxFilter *
new_filter (const char *name, const char *value)
{
  AsbSandboxFilter *filter = asb_sandbox_filter_new ();
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);

  if (!name)
    return filter;
  g_hash_table_insert (metadata, (gpointer)name, (gpointer)value);
  asb_sandbox_filter_set_metadata (filter, metadata);
  return filter;
}

static guint
count (Fixture *fixture, AsbSandboxFilter *filter)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) infos
      = asb_provider_list_sandboxes (fixture->provider, filter, NULL, &error);

  g_assert_no_error (error);
  return g_list_model_get_n_items (infos);
}

static AsbSandboxInfo *
create_tagged (Fixture *fixture, const char *name, const char *value)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GError) error = NULL;
  AsbSandboxInfo *info;

  g_hash_table_insert (metadata, (gpointer)name, (gpointer)value);
  asb_sandbox_spec_set_metadata (spec, metadata);
  info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_no_error (error);
  return info;
}

static void
test_metadata (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) first = create_tagged (fixture, "example.org/k", "a.b");
  g_autoptr (AsbSandboxInfo) second = create_tagged (fixture, "other", "");
  g_autoptr (AsbSandboxFilter) all = new_filter (NULL, NULL);
  g_autoptr (AsbSandboxFilter) one = new_filter ("example.org/k", "a.b");
  g_autoptr (AsbSandboxFilter) empty = new_filter ("other", "");
  g_autoptr (AsbSandboxFilter) none = new_filter ("example.org/k", "other");
  g_autofree char *query = NULL;

  g_assert_cmpuint (count (fixture, all), ==, 2);
  g_assert_cmpuint (count (fixture, empty), ==, 1);
  g_assert_cmpuint (count (fixture, none), ==, 0);
  g_assert_cmpuint (count (fixture, one), ==, 1);
  query = asb_test_server_dup_query (fixture->server, "GET", "/v1/sandboxes");
  g_assert_nonnull (strstr (query, "metadata=example.org%252Fk%3Da.b"));
}

static void
test_states (Fixture *fixture, gconstpointer data)
{
  static const char *const paused[] = { "paused", NULL };
  static const char *const both[] = { "paused", "running", NULL };
  static const char *const odd[] = { "paused", "unknown", NULL };
  g_autoptr (AsbSandboxInfo) first = asb_test_server_create (fixture->provider);
  g_autoptr (AsbSandboxInfo) second = asb_test_server_create (fixture->provider);
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();
  g_autoptr (AsbSandboxInfo) frozen = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *query = NULL;

  frozen = asb_provider_pause_sandbox (fixture->provider, asb_test_server_get_id (first), NULL,
                                       &error);
  g_assert_no_error (error);
  asb_sandbox_filter_set_states (filter, g_variant_new_strv (paused, -1));
  g_assert_cmpuint (count (fixture, filter), ==, 1);
  asb_sandbox_filter_set_states (filter, g_variant_new_strv (both, -1));
  g_assert_cmpuint (count (fixture, filter), ==, 2);
  asb_sandbox_filter_set_states (filter, g_variant_new_strv (odd, -1));
  g_assert_cmpuint (count (fixture, filter), ==, 1);
  query = asb_test_server_dup_query (fixture->server, "GET", "/v1/sandboxes");
  g_assert_null (strstr (query, "state="));
}

/* P3: a search for nothing must not return everything. */
static void
test_unheeded (Fixture *fixture, gconstpointer data)
{
  static const char *const failed[] = { "failed", NULL };
  g_autoptr (AsbSandboxFilter) filter = new_filter ("tag", "none");
  g_autoptr (AsbSandboxFilter) states = asb_sandbox_filter_new ();

  asb_test_server_fault (fixture->server,
                         LIST_FAULT ("'json':{'items':[{'id':'a','status':{'state':'Running'}},"
                                     "{'id':'b','status':{'state':'Running'},'metadata':"
                                     "{'tag':'some'}},{'id':'c','status':{'state':'Paused'}}]}"));
  g_assert_cmpuint (count (fixture, filter), ==, 0);
  asb_sandbox_filter_set_states (states, g_variant_new_strv (failed, -1));
  g_assert_cmpuint (count (fixture, states), ==, 0);
}

static void
add_page_with (Fixture *fixture, guint nth, guint first, guint n_items, const char *pagination)
{
  g_autoptr (GString) items = g_string_new (NULL);
  g_autofree char *fault = NULL;

  for (guint i = first; i < first + n_items; i++)
    g_string_append_printf (items, "%s{'id':'s%u','status':{'state':'Running'}}",
                            i > first ? "," : "", i);
  fault = g_strdup_printf (LIST_FAULT ("'times':%u,'json':{'items':[%s]%s}"), nth, items->str,
                           pagination);
  asb_test_server_fault (fixture->server, fault);
}

/* @has_next: (nullable) */
static void
add_page (Fixture *fixture, guint nth, guint first, guint n_items, const char *has_next)
{
  g_autofree char *pagination
      = has_next ? g_strdup_printf (",'pagination':{'hasNextPage':%s}", has_next) : g_strdup ("");

  add_page_with (fixture, nth, first, n_items, pagination);
}

static void
test_pages (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();

  asb_sandbox_filter_set_page_size (filter, 1000);
  add_page (fixture, 1, 0, 100, "true");
  add_page (fixture, 1, 100, 100, "true");
  add_page (fixture, 1, 190, 60, "false"); /* ten of them again */
  g_assert_cmpuint (count (fixture, filter), ==, 250);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "GET", "/v1/sandboxes"), ==, 3);
}

/* Servers that say nothing of more pages are asked until one is not full. */
static void
test_pages_unsaid (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();

  asb_sandbox_filter_set_page_size (filter, 1000);
  add_page (fixture, 1, 0, 100, NULL);
  add_page (fixture, 1, 100, 100, NULL);
  add_page (fixture, 1, 200, 50, NULL);
  g_assert_cmpuint (count (fixture, filter), ==, 250);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "GET", "/v1/sandboxes"), ==, 3);
}

/* A page of ours ends the walk as soon as it is full. */
static void
test_first_page (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();

  asb_sandbox_filter_set_page_size (filter, 60);
  asb_sandbox_filter_set_page (filter, 2);
  add_page (fixture, 1, 0, 100, "true");
  add_page (fixture, 1, 100, 100, "true");
  g_assert_cmpuint (count (fixture, filter), ==, 60);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "GET", "/v1/sandboxes"), ==, 2);
}

static void
test_repeating_page (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();

  asb_sandbox_filter_set_page_size (filter, 1000);
  add_page (fixture, 1000, 0, 100, "true");
  g_assert_cmpuint (count (fixture, filter), ==, 100);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "GET", "/v1/sandboxes"), ==, 2);
}

static void
test_odd_pages (Fixture *fixture, gconstpointer data)
{
  static const char *const bad[] = {
    LIST_FAULT ("'json':{}"),
    LIST_FAULT ("'json':{'items':{}}"),
    LIST_FAULT ("'json':{'items':[7]}"),
    LIST_FAULT ("'json':{'items':[{'id':'x'}]}"),
    LIST_FAULT ("'json':{'items':[],'pagination':7}"),
    LIST_FAULT ("'json':{'items':[],'pagination':{'hasNextPage':'no'}}"),
    LIST_FAULT ("'body':'[]'"),
    LIST_FAULT ("'body':''"),
  };
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GListModel) infos = NULL;

      asb_test_server_fault (fixture->server, bad[i]);
      infos = asb_provider_list_sandboxes (fixture->provider, filter, NULL, &error);
      g_assert_null (infos);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
      asb_test_server_heal (fixture->server);
    }
}

static void
test_old_server (void)
{
  g_autoptr (AsbTestServer) server = asb_test_server_new ("--old --nulls");
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, NULL);
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (provider);
  Fixture fixture = { server, provider };
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (count (&fixture, filter), ==, 1);
  g_assert_true (
      asb_provider_delete_sandbox (provider, asb_test_server_get_id (info), NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (count (&fixture, filter), ==, 0);
}

static void
test_pages_smaller (Fixture *fixture, gconstpointer data)
{
  static const char *const tellings[]
      = { ",'pagination':{'totalPages':3}", ",'pagination':{'totalItems':25}",
          ",'pagination':{'totalItems':25,'totalPages':3,'hasNextPage':null}" };
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();

  g_test_summary ("A server that makes its pages smaller than asked for, and tells only how many "
                  "there are, is asked for all of them");

  asb_sandbox_filter_set_page_size (filter, 1000);
  for (gsize i = 0; i < G_N_ELEMENTS (tellings); i++)
    {
      asb_test_server_heal (fixture->server);
      add_page_with (fixture, 1, 0, 10, tellings[i]);
      add_page_with (fixture, 1, 10, 10, tellings[i]);
      add_page_with (fixture, 1, 20, 5, tellings[i]);
      g_assert_cmpuint (count (fixture, filter), ==, 25);
    }
  g_assert_cmpuint (asb_test_server_count (fixture->server, "GET", "/v1/sandboxes"), ==, 9);
}

#define ADD(path, function)                                                                        \
  g_test_add ("/opensandbox/list/" path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("metadata", test_metadata);
  ADD ("states", test_states);
  ADD ("unheeded", test_unheeded);
  ADD ("pages", test_pages);
  ADD ("pages/unsaid", test_pages_unsaid);
  ADD ("pages/smaller", test_pages_smaller);
  ADD ("first-page", test_first_page);
  ADD ("repeating-page", test_repeating_page);
  ADD ("odd-pages", test_odd_pages);
  g_test_add_func ("/opensandbox/list/old-server", test_old_server);
  return g_test_run ();
}
