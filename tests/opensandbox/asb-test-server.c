/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-server.h"

#include <glib/gstdio.h>
#include <libsoup/soup.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

struct _AsbTestServer
{
  GSubprocess *process;
  SoupSession *session;
  char *folder;
  guint port;
};

static guint
read_port (GSubprocess *process)
{
  g_autoptr (GDataInputStream) stream
      = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  g_autoptr (GError) error = NULL;
  g_autofree char *line = g_data_input_stream_read_line (stream, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (line);
  return (guint)atoi (line);
}

/* It must not outlive a test that was aborted. */
static void
end_with_parent (gpointer data)
{
  prctl (PR_SET_PDEATHSIG, SIGTERM);
}

AsbTestServer *
asb_test_server_new (const char *options)
{
  AsbTestServer *self = g_new0 (AsbTestServer, 1);
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  g_autofree char *line = NULL;
  g_auto (GStrv) argv = NULL;
  g_autoptr (GError) error = NULL;

  self->folder = g_dir_make_tmp ("asb-opensandbox-XXXXXX", &error);
  g_assert_no_error (error);
  line = g_strdup_printf ("'%s' --port 0 --print-port --root '%s' %s",
                          g_getenv ("ASB_TEST_OPENSANDBOX_SERVER"), self->folder,
                          options ? options : "");
  g_shell_parse_argv (line, NULL, &argv, &error);
  g_assert_no_error (error);
  g_subprocess_launcher_set_child_setup (launcher, end_with_parent, NULL, NULL);
  self->process = g_subprocess_launcher_spawnv (launcher, (const char *const *)argv, &error);
  g_assert_no_error (error);
  self->port = read_port (self->process);
  self->session = soup_session_new ();
  return self;
}

void
asb_test_server_free (AsbTestServer *self)
{
  g_autoptr (GError) error = NULL;

  soup_session_abort (self->session);
  g_object_unref (self->session);
  g_subprocess_send_signal (self->process, SIGTERM);
  g_subprocess_wait_check (self->process, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_object_unref (self->process);
  g_free (self->folder);
  g_free (self);
}

const char *
asb_test_server_get_folder (AsbTestServer *self)
{
  return self->folder;
}

guint
asb_test_server_get_port (AsbTestServer *self)
{
  return self->port;
}

JsonNode *
asb_test_server_ask (AsbTestServer *self, const char *method, const char *path, const char *body)
{
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u%s", self->port, path);
  g_autoptr (SoupMessage) message = soup_message_new (method, url);
  g_autoptr (GBytes) sent = body ? g_bytes_new (body, strlen (body)) : NULL;
  g_autoptr (GBytes) reply = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  const char *type;
  JsonNode *node;

  if (sent)
    soup_message_set_request_body_from_bytes (message, "application/json", sent);
  reply = soup_session_send_and_read (self->session, message, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (soup_message_get_status (message), <, 300);
  type = soup_message_headers_get_content_type (soup_message_get_response_headers (message), NULL);
  /* The events of a command are many JSON texts, of which json-glib loses all but one. */
  if (g_bytes_get_size (reply) == 0 || g_strcmp0 (type, "text/event-stream") == 0)
    return NULL;
  /* After a reply of 256 bytes there is no 0. */
  text = g_strndup (g_bytes_get_data (reply, NULL), g_bytes_get_size (reply));
  node = json_from_string (text, &error);
  g_assert_no_error (error);
  return node;
}

static void
post (AsbTestServer *self, const char *path, const char *spec)
{
  g_autofree char *body = g_strdelimit (g_strdup (spec), "'", '"');
  g_autoptr (JsonNode) reply = asb_test_server_ask (self, "POST", path, body);
}

void
asb_test_server_fault (AsbTestServer *self, const char *spec)
{
  post (self, "/_faults", spec);
}

void
asb_test_server_heal (AsbTestServer *self)
{
  g_autoptr (JsonNode) reply = asb_test_server_ask (self, "DELETE", "/_faults", NULL);
}

void
asb_test_server_set (AsbTestServer *self, const char *settings)
{
  post (self, "/_settings", settings);
}

static JsonNode *
ask_for_requests (AsbTestServer *self, const char *method, const char *path)
{
  g_autofree char *escaped = g_uri_escape_string (path, NULL, FALSE);
  g_autofree char *query = g_strdup_printf ("/_requests?path=%s%s%s", escaped,
                                            method ? "&method=" : "", method ? method : "");

  return asb_test_server_ask (self, "GET", query, NULL);
}

static JsonArray *
get_requests (JsonNode *reply)
{
  return json_object_get_array_member (json_node_get_object (reply), "requests");
}

guint
asb_test_server_count (AsbTestServer *self, const char *method, const char *path)
{
  g_autoptr (JsonNode) reply = ask_for_requests (self, method, path);

  return json_array_get_length (get_requests (reply));
}

char *
asb_test_server_dup_query (AsbTestServer *self, const char *method, const char *path)
{
  g_autoptr (JsonNode) reply = ask_for_requests (self, method, path);
  JsonArray *requests = get_requests (reply);
  guint count = json_array_get_length (requests);

  g_assert_cmpuint (count, >, 0);
  return g_strdup (
      json_object_get_string_member (json_array_get_object_element (requests, count - 1), "query"));
}

gboolean
asb_test_server_has_header (AsbTestServer *self, const char *path, const char *name)
{
  g_autoptr (JsonNode) reply = ask_for_requests (self, NULL, path);
  JsonArray *requests = get_requests (reply);

  for (guint i = 0; i < json_array_get_length (requests); i++)
    {
      JsonArray *names
          = json_object_get_array_member (json_array_get_object_element (requests, i), "headers");

      for (guint j = 0; j < json_array_get_length (names); j++)
        if (g_ascii_strcasecmp (json_array_get_string_element (names, j), name) == 0)
          return TRUE;
    }
  return FALSE;
}

void
asb_test_server_forget (AsbTestServer *self)
{
  g_autoptr (JsonNode) reply = asb_test_server_ask (self, "DELETE", "/_requests", NULL);
}

guint
asb_test_server_count_sandboxes (AsbTestServer *self)
{
  g_autoptr (JsonNode) list = asb_test_server_ask (self, "GET", "/v1/sandboxes?pageSize=200", NULL);

  return json_array_get_length (
      json_object_get_array_member (json_node_get_object (list), "items"));
}

/* Providers. */

AsbProvider *
asb_test_server_new_provider (AsbTestServer *self, const char *options)
{
  AsbRegistry *registry = asb_registry_get_default ();
  g_autoptr (GError) error = NULL;
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u", self->port);
  g_autoptr (GVariant) given = NULL;
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);
  g_autoptr (GVariant) all = NULL;
  AsbProvider *provider;

  if (options)
    {
      given = g_variant_parse (G_VARIANT_TYPE_VARDICT, options, NULL, NULL, &error);
      g_assert_no_error (error);
      g_variant_dict_clear (&dict);
      g_variant_dict_init (&dict, given);
    }
  g_variant_dict_insert (&dict, "url", "s", url);
  /* Valgrind is so slow that the default is too little on a machine that has other things to do. */
  if (g_getenv ("ASB_TEST_GUEST_VALGRIND")
      && !g_variant_dict_contains (&dict, "request-timeout-seconds"))
    g_variant_dict_insert (&dict, "request-timeout-seconds", "d", 600.0);
  all = g_variant_ref_sink (g_variant_dict_end (&dict));
  provider = asb_registry_create_provider (registry, "opensandbox", all, &error);
  g_assert_no_error (error);
  return provider;
}

AsbSandboxSpec *
asb_test_server_new_spec (void)
{
  AsbSandboxSpec *spec = asb_sandbox_spec_new ();

  asb_sandbox_spec_set_ttl_mode (spec, ASB_TTL_MODE_SECONDS);
  asb_sandbox_spec_set_ttl_seconds (spec, 600);
  return spec;
}

AsbSandboxInfo *
asb_test_server_create (AsbProvider *provider)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (GError) error = NULL;
  AsbSandboxInfo *info = asb_provider_create_sandbox (provider, spec, NULL, &error);

  g_assert_no_error (error);
  return info;
}

const char *
asb_test_server_get_id (AsbSandboxInfo *info)
{
  return asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (info));
}
