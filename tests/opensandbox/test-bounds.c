/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* However much there is of something, so much of it is kept and no more. */

#include <string.h>

#include "asb-opensandbox-kept.h"
#include "asb-opensandbox-list.h"
#include "asb-opensandbox-provider.h"
#include "asb-opensandbox-site.h"
#include "asb-opensandbox-thread.h"
#include "exchange.h"

#define MANY_SITES 4096
#define MANY_TOKENS 256
#define MANY_IMAGES 256
#define MANY_ITEMS 100000
#define MANY_PAGES 2000
#define PAGE_SIZE 100

/* Connections. */

static GIOStream *
new_stream (void)
{
  g_autoptr (GInputStream) input = g_memory_input_stream_new ();
  g_autoptr (GOutputStream) output = g_memory_output_stream_new_resizable ();

  return g_simple_io_stream_new (input, output);
}

static void
test_connections (void)
{
  g_autoptr (GPtrArray) streams = g_ptr_array_new_with_free_func (g_object_unref);
  AsbOpensandboxKept kept = { 0 };
  gint64 idle;

  g_test_summary ("Connections that are gone are forgotten, and no others");
  asb_opensandbox_kept_init (&kept);
  for (guint64 number = 1; number <= 3 * ASB_OPENSANDBOX_MIN_KEPT; number++)
    {
      g_autoptr (GIOStream) stream = new_stream ();

      asb_opensandbox_kept_note_stream (&kept, number, stream);
      asb_opensandbox_kept_note_use (&kept, number);
      if (number <= 10)
        g_ptr_array_add (streams, g_steal_pointer (&stream));
    }
  g_assert_cmpuint (g_hash_table_size (kept.connections), <=, ASB_OPENSANDBOX_MIN_KEPT);
  for (guint64 number = 1; number <= 10; number++)
    {
      g_autoptr (GIOStream) stream = asb_opensandbox_kept_dup_stream (&kept, number);

      g_assert_true (stream == streams->pdata[number - 1]);
      g_assert_true (asb_opensandbox_kept_was_used (&kept, number, &idle));
    }
  g_assert_false (asb_opensandbox_kept_was_used (&kept, 11, &idle));
  asb_opensandbox_kept_clear (&kept);
}

static void
test_live_connections (void)
{
  g_autoptr (GIOStream) stream = new_stream ();
  AsbOpensandboxKept kept = { 0 };
  gint64 idle;

  asb_opensandbox_kept_init (&kept);
  for (guint64 number = 1; number <= 3 * ASB_OPENSANDBOX_MIN_KEPT; number++)
    {
      asb_opensandbox_kept_note_stream (&kept, number, stream);
      asb_opensandbox_kept_note_use (&kept, number);
    }
  for (guint64 number = 1; number <= 3 * ASB_OPENSANDBOX_MIN_KEPT; number++)
    g_assert_true (asb_opensandbox_kept_was_used (&kept, number, &idle));
  asb_opensandbox_kept_clear (&kept);
}

/* Sandboxes. */

static AsbOpensandboxLifecycle *
new_lifecycle (const char *url)
{
  g_autoptr (AsbOpensandboxSettings) settings = asb_opensandbox_settings_new (url, NULL);
  g_autoptr (AsbOpensandboxClient) client = asb_opensandbox_client_new (settings);

  return asb_opensandbox_lifecycle_new (client, "opensandbox-default");
}

static AsbOpensandboxSite *
get_site (AsbOpensandboxLifecycle *lifecycle, guint number)
{
  g_autofree char *id = g_strdup_printf ("s%u", number);

  return asb_opensandbox_site_get (lifecycle, id);
}

static void
test_sites (void)
{
  g_autoptr (AsbOpensandboxLifecycle) lifecycle = new_lifecycle ("bounds.example");
  g_autoptr (AsbOpensandboxSite) first = get_site (lifecycle, 0);
  g_autoptr (AsbOpensandboxSite) again = NULL;
  g_autoptr (AsbOpensandboxSite) anew = NULL;

  for (guint i = 1; i < 100; i++)
    asb_opensandbox_site_unref (get_site (lifecycle, i));
  again = get_site (lifecycle, 0);
  g_assert_true (again == first);
  for (guint i = 100; i <= MANY_SITES; i++)
    asb_opensandbox_site_unref (get_site (lifecycle, i));
  anew = get_site (lifecycle, 0);
  g_assert_true (anew != first);
}

static void
test_tokens (void)
{
  g_autoptr (AsbOpensandboxLifecycle) lifecycle = new_lifecycle ("bounds.example");
  g_autoptr (AsbOpensandboxSite) site = get_site (lifecycle, 0);

  for (guint i = 0; i < MANY_TOKENS; i++)
    {
      g_autofree char *token = g_strdup_printf ("t%u", i);

      asb_opensandbox_site_set_door (site, 7, token);
      g_assert_true (asb_opensandbox_site_has_door (site, "t0"));
    }
  asb_opensandbox_site_set_door (site, 7, "last");
  g_assert_true (asb_opensandbox_site_has_door (site, "last"));
  g_assert_false (asb_opensandbox_site_has_door (site, "t0"));
}

static void
set_vacancy (AsbOpensandboxLifecycle *lifecycle, guint number)
{
  g_autoptr (AsbOpensandboxSite) site = get_site (lifecycle, number);

  g_free (site->image);
  site->image = g_strdup_printf ("i%u", number);
  asb_opensandbox_site_set_vacancy (site, "/folder");
}

static void
test_images (void)
{
  g_autoptr (AsbOpensandboxLifecycle) lifecycle = new_lifecycle ("images.example");
  g_autoptr (AsbOpensandboxSite) first = get_site (lifecycle, 0);

  for (guint i = 0; i < MANY_IMAGES; i++)
    {
      set_vacancy (lifecycle, i);
      g_assert_cmpstr (asb_opensandbox_site_get_vacancy (first), ==, "/folder");
    }
  set_vacancy (lifecycle, MANY_IMAGES);
  g_assert_null (asb_opensandbox_site_get_vacancy (first));
}

/* Lists that never end. */

static gboolean
answer_page (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  guint n_items = GPOINTER_TO_UINT (data);
  g_autoptr (GString) body = g_string_new ("{\"pagination\":{\"hasNextPage\":true},\"items\":[");

  for (guint i = 0; i < n_items; i++)
    g_string_append_printf (body, "%s{\"id\":\"s%u-%u\",\"status\":{\"state\":\"Paused\"}}",
                            i > 0 ? "," : "", number, i);
  g_string_append (body, "]}");
  hostile_connection_reply (connection, "200 OK", "Content-Type: application/json\r\n", body->str);
  return TRUE;
}

static void
walked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  GListModel *found
      = asb_opensandbox_list_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (found)
    g_task_return_pointer (task, found, g_object_unref);
  else
    g_task_return_error (task, error);
}

static void
walk_in_thread (GTask *task)
{
  asb_opensandbox_list_async (g_task_get_source_object (task), g_task_get_task_data (task), NULL,
                              walked_cb, g_object_ref (task));
}

static void
answered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_set_object ((GAsyncResult **)user_data, result);
}

/* Not by the provider: what is slow here would meet the deadline of its calls. */
static GListModel *
walk (AsbOpensandboxLifecycle *lifecycle, AsbSandboxFilter *filter, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GTask) task = g_task_new (lifecycle, NULL, answered_cb, &result);

  g_task_set_task_data (task, g_object_ref (filter), g_object_unref);
  asb_opensandbox_thread_run (task, walk_in_thread);
  while (!result)
    g_main_context_iteration (NULL, TRUE);
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* Of which none is what is looked for. */
static void
list_without_end (guint page_size, guint n_pages, const char *said)
{
  static const char *const running[] = { "running", NULL };
  g_autoptr (HostileServer) server = hostile_server_new (answer_page, GUINT_TO_POINTER (page_size));
  g_autoptr (AsbOpensandboxLifecycle) lifecycle
      = new_lifecycle (hostile_server_get_domain (server));
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();
  g_autoptr (GError) error = NULL;

  asb_sandbox_filter_set_states (filter, g_variant_new_strv (running, -1));
  g_assert_null (walk (lifecycle, filter, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE);
  g_assert_nonnull (strstr (error->message, said));
  g_assert_cmpuint (hostile_server_count_requests (server), ==, n_pages);
}

static void
test_items (void)
{
  list_without_end (PAGE_SIZE, MANY_ITEMS / PAGE_SIZE + 1, "more than 100000;");
}

static void
test_pages (void)
{
  g_test_summary ("A list that is cut is none that has ended");
  list_without_end (1, MANY_PAGES + 1, "more than 2000 pages;");
}

/* Files and results that never end. */

#define STAT "81a4 6 0 0 1770000000"
#define BEGIN "{\"type\":\"init\",\"text\":\"c1\"}\n"
#define END "{\"type\":\"execution_complete\",\"execution_time\":1}\n"
#define END_OF_SCRIPT "{\"type\":\"stdout\",\"text\":\".asb-end\"}\n" END
#define BLOCK (1024 * 1024)
#define TOO_MUCH (120 * BLOCK)

static gboolean
say (HostileConnection *connection, const char *first, ...)
{
  g_autoptr (GString) events = g_string_new (BEGIN);
  va_list lines;

  va_start (lines, first);
  for (const char *line = first; line; line = va_arg (lines, const char *))
    g_string_append_printf (events, "{\"type\":\"stdout\",\"text\":\"%s\"}\n", line);
  va_end (lines);
  g_string_append (events, END_OF_SCRIPT);
  hostile_connection_reply (connection, "200 OK", "Content-Type: text/event-stream\r\n",
                            events->str);
  return TRUE;
}

/* One file “a”, of six bytes. */
static gboolean
say_tree (HostileConnection *connection)
{
  g_autofree char *name = g_base64_encode ((const guchar *)"./a", 4);
  g_autofree char *stat = g_base64_encode ((const guchar *)STAT "/./a\n", strlen (STAT "/./a\n"));

  return say (connection, "whole", name, ".", stat, ".", ".", NULL);
}

/* Until nobody takes it any more, or too much. */
static void
write_on (HostileConnection *connection, const char *block, gsize *n_written)
{
  for (*n_written = 0; *n_written < TOO_MUCH && hostile_connection_is_open (connection);
       *n_written += strlen (block))
    hostile_connection_write (connection, block);
}

typedef struct
{
  HostileServer *server;
  gsize n_written;
} Flood;

static gboolean
answer_flood (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  Flood *flood = data;
  const char *body = hostile_connection_get_body (connection);
  g_autofree char *block = NULL;
  g_autofree char *endpoint = NULL;

  if (strstr (head, "/endpoints/"))
    {
      endpoint
          = g_strdup_printf ("{\"endpoint\":\"%s\"}", hostile_server_get_domain (flood->server));
      hostile_connection_reply (connection, "200 OK", "", endpoint);
      return TRUE;
    }
  if (strstr (head, "/files/download"))
    {
      block = g_strnfill (BLOCK, 'x');
      hostile_connection_write (connection, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
      write_on (connection, block, &flood->n_written);
      return FALSE;
    }
  if (g_str_has_prefix (head, "POST /code "))
    {
      g_autofree char *fill = g_strnfill (BLOCK, 'x');

      block = g_strdup_printf ("{\"type\":\"result\",\"results\":{\"text\":\"%s\"}}\n", fill);
      hostile_connection_write (connection, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" BEGIN);
      write_on (connection, block, &flood->n_written);
      hostile_connection_write (connection, END);
      return FALSE;
    }
  if (g_str_has_prefix (head, "GET /pty/"))
    hostile_connection_reply (connection, "404 Not Found", "", "");
  else if (strstr (body, "find ."))
    return say_tree (connection);
  else if (strstr (body, "echo same"))
    return say (connection, "same", NULL);
  else
    return say (connection, STAT, NULL);
  return TRUE;
}

static AsbTransport *
open_flooded (Flood *flood)
{
  g_autoptr (AsbProvider) provider = NULL;
  AsbTransport *transport;
  g_autoptr (GError) error = NULL;

  flood->server = hostile_server_new (answer_flood, flood);
  provider
      = g_initable_new (ASB_TYPE_OPENSANDBOX_PROVIDER, NULL, &error, "url",
                        hostile_server_get_domain (flood->server), "transport", "native", NULL);
  g_assert_no_error (error);
  transport = asb_provider_open_transport (provider, "sb", NULL, &error);
  g_assert_no_error (error);
  return transport;
}

static void
test_search (void)
{
  Flood flood = { 0 };
  g_autoptr (AsbTransport) transport = open_flooded (&flood);
  g_autoptr (AsbFileSearch) search = asb_file_search_new ();
  g_autoptr (AsbSearchResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("No more of files is kept in which text is looked for than there was");
  asb_file_search_set_path (search, "/d");
  asb_file_search_set_text (search, "x");
  result = asb_transport_search_text (transport, search, NULL, &error);
  g_assert_no_error (error);
  g_clear_object (&transport);
  exchange_settle ();
  hostile_server_free (flood.server);
  g_assert_cmpuint (flood.n_written, <, TOO_MUCH);
}

static void
test_results (void)
{
  Flood flood = { 0 };
  g_autoptr (AsbTransport) transport = open_flooded (&flood);
  g_autoptr (GVariant) arguments
      = g_variant_ref_sink (g_variant_new_parsed ("{'code': <'x'>, 'language': <'python'>}"));
  g_autoptr (GVariant) told = NULL;
  g_autoptr (GVariant) results = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("No more than so much is kept of what code results in");
  told = asb_transport_call (transport, "code.run", arguments, NULL, &error);
  g_assert_no_error (error);
  results = g_variant_lookup_value (told, "results", G_VARIANT_TYPE ("aa{sv}"));
  g_assert_cmpuint (g_variant_n_children (results), >, 10);
  g_assert_cmpuint (g_variant_get_size (results), <=, 64 * BLOCK);
  g_clear_object (&transport);
  exchange_settle ();
  hostile_server_free (flood.server);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opensandbox/bounds/connections", test_connections);
  g_test_add_func ("/opensandbox/bounds/connections/live", test_live_connections);
  g_test_add_func ("/opensandbox/bounds/sites", test_sites);
  g_test_add_func ("/opensandbox/bounds/sites/tokens", test_tokens);
  g_test_add_func ("/opensandbox/bounds/sites/images", test_images);
  g_test_add_func ("/opensandbox/bounds/lists/items", test_items);
  g_test_add_func ("/opensandbox/bounds/lists/pages", test_pages);
  g_test_add_func ("/opensandbox/bounds/native/search", test_search);
  g_test_add_func ("/opensandbox/bounds/native/results", test_results);
  return g_test_run ();
}
