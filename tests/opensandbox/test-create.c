/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-server.h"

/* Creations in broken worlds: whatever happens, no second sandbox, and none that nobody owns. */

/* The most that is given to what has to fail in time, as the machine may stand still meanwhile. */
#define MAX_SECONDS 60

#define POST_FAULT(action) "{'method':'POST','path':'/v1/sandboxes','times':1," action "}"

typedef struct
{
  AsbTestServer *server;
  AsbProvider *provider;
} Fixture;

/* @data: options of the provider, or NULL */
static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->server = asb_test_server_new (NULL);
  fixture->provider = asb_test_server_new_provider (fixture->server, data);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_object_unref (fixture->provider);
  asb_test_server_free (fixture->server);
}

static GError *
fail_to_create (Fixture *fixture)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  GError *error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);

  g_assert_null (info);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  return error;
}

static void
assert_left (Fixture *fixture, guint n_sandboxes, guint n_posts)
{
  g_assert_cmpuint (asb_test_server_count_sandboxes (fixture->server), ==, n_sandboxes);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "POST", "/v1/sandboxes"), ==, n_posts);
}

/* K1: the answer is lost, the sandbox is there. */
static void
test_answer_lost (Fixture *fixture, gconstpointer data)
{
  static const char *const faults[] = {
    POST_FAULT ("'action':'cut'"),
    POST_FAULT ("'action':'cut','reset':true,'bytes':0"),
    POST_FAULT ("'action':'cut','bytes':10"),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autoptr (AsbSandboxInfo) info = NULL;

      asb_test_server_forget (fixture->server);
      asb_test_server_fault (fixture->server, faults[i]);
      info = asb_test_server_create (fixture->provider);
      g_assert_cmpint (asb_sandbox_info_get_state (info), ==, ASB_SANDBOX_STATE_RUNNING);
      assert_left (fixture, (guint)i + 1, 1);
    }
}

/* It appears after a while only. */
static void
test_answer_lost_and_late (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = NULL;

  asb_test_server_fault (fixture->server, POST_FAULT ("'action':'cut'"));
  asb_test_server_fault (fixture->server,
                         "{'method':'GET','path':'/v1/sandboxes','times':3,'action':'reply',"
                         "'status':200,'json':{'items':[]}}");
  info = asb_test_server_create (fixture->provider);
  g_assert_nonnull (info);
  asb_test_server_heal (fixture->server);
  assert_left (fixture, 1, 1);
}

static void
test_outcome_unknown (Fixture *fixture, gconstpointer data)
{
  static const char *const faults[] = {
    POST_FAULT ("'action':'reset'"),
    POST_FAULT ("'action':'reply','status':502,'body':'<html>Bad Gateway</html>'"),
    POST_FAULT ("'action':'reply','status':500,'body':'Internal Server Error'"),
    POST_FAULT ("'action':'reply','status':202,'json':{'id':7}"),
    POST_FAULT ("'action':'reply','status':202,'body':'[[[['"),
    POST_FAULT ("'action':'reply','status':202,'json':{'id':'../x'}"),
    POST_FAULT ("'action':'reply','status':202,'json':{'id':'a b'}"),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autoptr (GError) error = NULL;
      const char *instance_id = NULL;

      asb_test_server_forget (fixture->server);
      asb_test_server_fault (fixture->server, faults[i]);
      error = fail_to_create (fixture);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
      g_assert_nonnull (strstr (error->message, "unknown"));
      g_assert_null (strstr (error->message, "<html>"));
      g_assert_true (g_variant_lookup (asb_error_info_get_details (asb_error_get_info (error)),
                                       "sandbox_instance_id", "&s", &instance_id));
      g_assert_nonnull (strstr (error->message, instance_id));
      g_assert_cmpstr (asb_error_info_get_sandbox_instance_id (asb_error_get_info (error)), ==,
                       instance_id);
      g_assert_false (asb_error_info_get_retryable (asb_error_get_info (error)));
      asb_test_server_heal (fixture->server);
      assert_left (fixture, 0, 1);
    }
}

/* An instance id may be chosen by the caller, and have been before. */
static void
test_not_an_old_one (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_sandbox_spec_set_instance_id (spec, "mine");
  asb_test_server_fault (fixture->server, POST_FAULT ("'action':'reset'"));
  asb_test_server_fault (fixture->server,
                         "{'method':'GET','path':'/v1/sandboxes','action':'reply','status':200,"
                         "'json':{'items':[{'id':'old','status':{'state':'Running'},'metadata':"
                         "{'sandbox_instance_id':'mine'},'createdAt':'2020-01-01T00:00:00Z'}]}}");
  info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_null (info);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "DELETE", "/v1/sandboxes/old"), ==, 0);
}

/* What the server says itself needs no search. */
static void
test_refused (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *fault;
    const char *code;
  } cases[] = {
    { POST_FAULT ("'action':'reply','status':429,'headers':{'Retry-After':'0'},'json':{'code':"
                  "'KUBERNETES::POOL_CAPACITY_EXHAUSTED','message':'full'}"),
      "KUBERNETES::POOL_CAPACITY_EXHAUSTED" },
    { POST_FAULT ("'action':'reply','status':504,'json':{'code':'KUBERNETES::POD_READY_TIMEOUT',"
                  "'message':'60 s'}"),
      "KUBERNETES::POD_READY_TIMEOUT" },
    { POST_FAULT ("'action':'reply','status':422,'json':{'detail':[{'type':'missing','loc':"
                  "['body','x'],'msg':'Field required'}]}"),
      NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      asb_test_server_forget (fixture->server);
      asb_test_server_fault (fixture->server, cases[i].fault);
      error = fail_to_create (fixture);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
      g_assert_cmpstr (asb_error_info_get_provider_error_code (asb_error_get_info (error)), ==,
                       cases[i].code);
      g_assert_cmpuint (asb_test_server_count (fixture->server, "GET", "/v1/sandboxes"), ==, 0);
      asb_test_server_heal (fixture->server);
      assert_left (fixture, 0, 1);
    }
}

/* Returns whether the request was sent and the sandbox deleted in as much time. */
static gboolean
create_slowly (guint seconds)
{
  g_autofree char *options = g_strdup_printf ("{'request-timeout-seconds': <%u.0>}", seconds);
  g_autofree char *fault
      = g_strdup_printf (POST_FAULT ("'action':'delay','ms':%u"), 1500 * seconds);
  Fixture fixture;
  gboolean is_in_time;
  g_autoptr (GError) error = NULL;

  set_up (&fixture, options);
  asb_test_server_fault (fixture.server, fault);
  error = fail_to_create (&fixture);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_assert_cmpuint (asb_test_server_count (fixture.server, "POST", "/v1/sandboxes"), <=, 1);
  is_in_time = asb_test_server_count (fixture.server, "POST", "/v1/sandboxes") == 1
               && asb_test_server_count_sandboxes (fixture.server) == 0;
  tear_down (&fixture, NULL);
  return is_in_time;
}

static void
test_timed_out (void)
{
  guint seconds = 1;

  g_test_summary ("K3: the server finishes after the client gave up waiting");
  while (!create_slowly (seconds))
    {
      seconds *= 4;
      g_assert_cmpuint (seconds, <, MAX_SECONDS);
    }
}

/* Returns the same of one that cannot be deleted. */
static gboolean
create_slowly_and_for_good (guint seconds)
{
  g_autofree char *options = g_strdup_printf ("{'request-timeout-seconds': <%u.0>}", seconds);
  g_autofree char *fault
      = g_strdup_printf (POST_FAULT ("'action':'delay','ms':%u"), 1500 * seconds);
  Fixture fixture;
  gboolean is_left;
  g_autoptr (GError) error = NULL;

  set_up (&fixture, options);
  asb_test_server_fault (fixture.server, fault);
  asb_test_server_fault (fixture.server,
                         "{'method':'DELETE','hop':'lifecycle','action':'reply','status':403,"
                         "'json':{'code':'NO','message':'no'}}");
  error = fail_to_create (&fixture);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_assert_null (strstr (error->message, "was deleted"));
  is_left = strstr (error->message, "is left behind") && strstr (error->message, "allows: ");
  asb_test_server_heal (fixture.server);
  tear_down (&fixture, NULL);
  return is_left;
}

static void
test_timed_out_for_good (void)
{
  guint seconds = 1;

  g_test_summary ("What came too late is not called deleted when it is not");
  while (!create_slowly_and_for_good (seconds))
    {
      seconds *= 4;
      g_assert_cmpuint (seconds, <, MAX_SECONDS);
    }
}

static void
create_without_server (guint seconds, GError **error)
{
  g_autofree char *text
      = g_strdup_printf ("{'url': <'http://127.0.0.1:1'>, 'ready-timeout-seconds': <600.0>, "
                         "'request-timeout-seconds': <%u.0>}",
                         seconds);
  g_autoptr (GVariant) options = g_variant_ref_sink (g_variant_new_parsed (text));
  g_autoptr (AsbProvider) provider
      = asb_registry_create_provider (asb_registry_get_default (), "opensandbox", options, error);
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSandboxInfo) info = NULL;

  g_assert_nonnull (provider);
  info = asb_provider_create_sandbox (provider, spec, NULL, error);
  g_assert_null (info);
}

static void
test_no_server (void)
{
  guint seconds = 2;
  g_autoptr (GError) error = NULL;

  g_test_summary ("What was never sent is not searched for");

  create_without_server (seconds, &error);
  while (g_error_matches (error, ASB_ERROR, ASB_ERROR_TIMED_OUT) && seconds < MAX_SECONDS)
    {
      g_clear_error (&error);
      seconds *= 2;
      create_without_server (seconds, &error);
    }
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
}

/* What does not get ready is deleted, and why is said. */

/* Returns whether that is said. */
static gboolean
fail_to_get_ready (Fixture *fixture, const char *fault, const char *said)
{
  g_autoptr (GError) error = NULL;

  asb_test_server_forget (fixture->server);
  asb_test_server_fault (fixture->server, fault);
  error = fail_to_create (fixture);
  g_assert_nonnull (asb_error_info_get_sandbox_id (asb_error_get_info (error)));
  asb_test_server_heal (fixture->server);
  assert_left (fixture, 0, 1);
  return strstr (error->message, said) != NULL;
}

static void
test_ready_refused (Fixture *fixture, gconstpointer data)
{
  g_assert_true (fail_to_get_ready (
      fixture,
      "{'hop':'execd','action':'reply','status':401,'json':{'error':'Unauthorized: "
      "invalid or missing header X-EXECD-ACCESS-TOKEN'}}",
      "“execd-token”"));
  /* At once: it takes no time to be refused again. */
  g_assert_true (fail_to_get_ready (
      fixture, "{'hop':'execd','action':'reply','status':403,'body':'no entry'}",
      "did not get ready: Could not reach execd in the sandbox: no entry (HTTP 403)"));
}

/* There must be time to try it. */
static void
test_ready_unreachable (void)
{
  gboolean is_said = FALSE;

  for (guint seconds = 1; !is_said; seconds *= 4)
    {
      g_autofree char *options = g_strdup_printf ("{'ready-timeout-seconds': <%u.0>}", seconds);
      Fixture fixture;

      g_assert_cmpuint (seconds, <, MAX_SECONDS);
      set_up (&fixture, options);
      is_said = fail_to_get_ready (&fixture,
                                   "{'path':'*/endpoints/44772','action':'reply','status':200,"
                                   "'json':{'endpoint':'127.0.0.1:1'}}",
                                   "use-server-proxy");
      tear_down (&fixture, NULL);
    }
}

/* Servers on Docker do not tell what ended execd, so what was asked for has to. */
static void
test_ready_little_memory (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *amount;
    const char *said; /* NULL: nothing of it */
  } cases[] = {
    { "16Mi", "has 16Mi of memory" },
    { "65535K", "has 65535K of memory" },
    { "1048576", "has 1048576 of memory" },
    { "64Mi", NULL },
    { "0.5gb", NULL },
  };

  asb_test_server_fault (fixture->server, "{'method':'GET','path':'*/ping','action':'reply',"
                                          "'status':502,'json':{'code':'BACKEND_CONNECTION_FAILED',"
                                          "'message':'nobody there'}}");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
      g_autoptr (GHashTable) resources = g_hash_table_new (g_str_hash, g_str_equal);
      g_autoptr (AsbSandboxInfo) info = NULL;
      g_autoptr (GError) error = NULL;

      g_hash_table_insert (resources, (gpointer) "memory", (gpointer)cases[i].amount);
      asb_sandbox_spec_set_resources (spec, resources);
      info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, "nobody there"));
      g_assert_nonnull (strstr (error->message, "the server says it is running"));
      if (cases[i].said)
        g_assert_nonnull (strstr (error->message, cases[i].said));
      else
        g_assert_null (strstr (error->message, "memory"));
    }
}

/* It is reached, and so no other way would help. There must be time to try it. */
static void
test_ready_broken (void)
{
  gboolean is_said = FALSE;

  for (guint seconds = 1; !is_said; seconds *= 4)
    {
      g_autofree char *options = g_strdup_printf ("{'ready-timeout-seconds': <%u.0>}", seconds);
      g_autoptr (GError) error = NULL;
      Fixture fixture;

      g_assert_cmpuint (seconds, <, MAX_SECONDS);
      set_up (&fixture, options);
      asb_test_server_fault (fixture.server,
                             "{'hop':'execd','action':'reply','status':500,'body':'broken'}");
      error = fail_to_create (&fixture);
      is_said = strstr (error->message, "broken (HTTP 500)") != NULL;
      g_assert_false (is_said && strstr (error->message, "server-proxy"));
      tear_down (&fixture, NULL);
    }
}

/* The last answer has no time to come whole. */
static void
test_ready_broken_and_slow (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (fixture->server, "{'hop':'execd','path':'*/ping','nth':2,'times':1000,"
                                          "'action':'stall','bytes':0}");
  asb_test_server_fault (fixture->server,
                         "{'hop':'execd','action':'reply','status':500,'body':'broken'}");
  error = fail_to_create (fixture);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "broken (HTTP 500)"));
}

static void
test_ready_silent (Fixture *fixture, gconstpointer data)
{
  g_assert_true (
      fail_to_get_ready (fixture, "{'hop':'execd','action':'silent'}", "did not get ready in 1 s"));
}

/* The id is not known before: the entry point itself has to end. */
static void
test_ready_ended (Fixture *fixture, gconstpointer data)
{
  static const char *const entrypoint[] = { "sh", "-c", "exit 137", NULL };
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_sandbox_spec_set_entrypoint (spec, entrypoint);
  asb_test_server_fault (fixture->server, "{'hop':'execd','action':'reset'}");
  info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_null (info);
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "failed"));
  g_assert_nonnull (strstr (error->message, "“memory”"));
  g_assert_nonnull (strstr (error->message, "; the last of its output: execd is listening for "));
  asb_test_server_heal (fixture->server);
  assert_left (fixture, 0, 1);
}

/* It is anybody's text, of any length. */
static void
test_ready_ended_noisily (Fixture *fixture, gconstpointer data)
{
  static const char *const entrypoint[] = { "sh", "-c", "exit 1", NULL };
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *filling = g_strnfill (100000, 'x');
  g_autofree char *log
      = g_strdup_printf ("{'path':'*/diagnostics/logs','action':'reply','status':200,'type':"
                         "'text/plain','body':'first%s\\u001b[31mOPEN-SANDBOX-API-KEY: "
                         "the-key-of-tests\\nlast'}",
                         filling);

  asb_sandbox_spec_set_entrypoint (spec, entrypoint);
  asb_test_server_fault (fixture->server, "{'hop':'execd','action':'reset'}");
  asb_test_server_fault (fixture->server, log);
  info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_null (info);
  g_assert_nonnull (strstr (error->message, "; the last of its output: "));
  g_assert_nonnull (strstr (error->message, "last"));
  g_assert_null (strstr (error->message, "first"));
  g_assert_null (strstr (error->message, "the-key-of-tests"));
  g_assert_null (strpbrk (error->message, "\033\n"));
  g_assert_cmpuint (strlen (error->message), <, 2000);
  asb_test_server_heal (fixture->server);
  assert_left (fixture, 0, 1);
}

#define SAID_OF_X(path, rest) "{'path':'" path "','action':'reply'," rest "}"

/* What there is to do about it is said where it is known, and only there. */
static void
test_ready_hints (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *status;
    const char *hint;
  } cases[] = {
    { "'state':'Failed','reason':'IMAGE_PULL_FAILED'", "; check the name of the image" },
    { "'state':'Failed','reason':'ImagePullBackOff'", "; check the name of the image" },
    { "'state':'Failed','reason':'ErrImagePull'", "; check the name of the image" },
    { "'state':'Failed','message':'Back-off: ErrImagePull'", "; check the name of the image" },
    { "'state':'Failed','message':'ImagePullBackOff'", "; check the name of the image" },
    { "'state':'Failed','message':'Failed to pull image x'", "; check the name of the image" },
    { "'state':'Failed','reason':'OOMKilled'", "; that is what a lack of memory" },
    { "'state':'Failed','message':'OOMKilled'", "; that is what a lack of memory" },
    { "'state':'Failed','message':'Out of memory'", "; that is what a lack of memory" },
    { "'state':'Failed','message':'It exited with code 137.'", "; that is what a lack of memory" },
    { "'state':'Failed','message':'Exited (137) just now'", "; that is what a lack of memory" },
    { "'state':'Failed','message':'exit status: 137'", "; that is what a lack of memory" },
    { "'state':'Failed','message':'3 Insufficient memory'", "; no machine has as much left" },
    { "'state':'Failed','message':'exited with code 1'", NULL },
    { "'state':'Failed','message':'exit code 1370'", NULL },
    { "'state':'Failed','message':'no volume at 10.0.137.2'", NULL },
    { "'state':'Failed','reason':'the-key-of-tests','message':'the-key-of-tests'", NULL },
  };
  g_autoptr (AsbProvider) provider
      = asb_test_server_new_provider (fixture->server, "{'api-key': <'the-key-of-tests'>}");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *told = g_strdup_printf (
          SAID_OF_X ("/v1/sandboxes/x", "'method':'GET','status':200,'json':{'id':'x','status':"
                                        "{%s}}"),
          cases[i].status);
      g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
      g_autoptr (GError) error = NULL;

      asb_test_server_fault (fixture->server,
                             SAID_OF_X ("/v1/sandboxes", "'method':'POST','status':202,'json':"
                                                         "{'id':'x'}"));
      asb_test_server_fault (fixture->server, told);
      g_assert_null (asb_provider_create_sandbox (provider, spec, NULL, &error));
      asb_test_server_heal (fixture->server);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, "the server says it is failed"));
      if (cases[i].hint)
        g_assert_nonnull (strstr (error->message, cases[i].hint));
      else
        g_assert_false (strstr (error->message, "; check") || strstr (error->message, "; that is")
                        || strstr (error->message, "; no machine"));
      g_assert_null (strstr (error->message, "the-key-of-tests"));
    }
}

static void
test_ready_late (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = NULL;

  asb_test_server_fault (fixture->server,
                         "{'path':'*/endpoints/44772','times':2,'action':'reply','status':404,"
                         "'json':{'code':'KUBERNETES::POD_IP_NOT_AVAILABLE','message':'no'}}");
  asb_test_server_fault (fixture->server, "{'hop':'execd','times':2,'action':'reset'}");
  info = asb_test_server_create (fixture->provider);
  g_assert_nonnull (info);
}

static void
test_left_behind (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (fixture->server,
                         "{'hop':'execd','action':'reply','status':401,'json':{'error':'x'}}");
  asb_test_server_fault (fixture->server,
                         "{'method':'DELETE','hop':'lifecycle','action':'reply','status':500,"
                         "'json':{'code':'DOCKER::SANDBOX_DELETE_FAILED','message':'no'}}");
  error = fail_to_create (fixture);
  g_assert_nonnull (strstr (error->message, "left behind"));
  g_assert_nonnull (
      strstr (error->message, asb_error_info_get_sandbox_id (asb_error_get_info (error))));
  asb_test_server_heal (fixture->server);
  assert_left (fixture, 1, 1);
}

/* Cancelled at each step. */

static void
count_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  gboolean *is_done = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_create_sandbox_finish (ASB_PROVIDER (source), result, &error);

  g_assert_null (info);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  *is_done = TRUE;
}

typedef struct
{
  const char *fault;
  const char *method; /* of what is not answered */
  const char *path;
} Stage;

typedef struct
{
  AsbTestServer *server;
  const Stage *stage;
  GCancellable *cancellable;
} Cancelling;

static gpointer
cancel_when_asked (gpointer data)
{
  Cancelling *cancelling = data;

  while (
      asb_test_server_count (cancelling->server, cancelling->stage->method, cancelling->stage->path)
      == 0)
    ;
  g_cancellable_cancel (cancelling->cancellable);
  return NULL;
}

/* Deletion may go on for a moment after the caller was told. */
static void
wait_for_deletion (Fixture *fixture)
{
  gint64 deadline = g_get_monotonic_time () + MAX_SECONDS * G_USEC_PER_SEC;

  while (asb_test_server_count (fixture->server, "DELETE", "/v1/sandboxes/*") == 0
         || asb_test_server_count_sandboxes (fixture->server) > 0)
    g_assert_cmpint (g_get_monotonic_time (), <, deadline);
}

static void
check_cancelled (Fixture *fixture, const Stage *stage)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Cancelling cancelling = { fixture->server, stage, cancellable };
  gboolean is_done = FALSE;
  GThread *thread;

  asb_test_server_forget (fixture->server);
  asb_test_server_fault (fixture->server, stage->fault);
  asb_provider_create_sandbox_async (fixture->provider, spec, cancellable, count_cb, &is_done);
  thread = g_thread_new ("cancel", cancel_when_asked, &cancelling);
  while (!is_done)
    g_main_context_iteration (NULL, TRUE);
  g_thread_join (thread);
  wait_for_deletion (fixture);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "POST", "/v1/sandboxes"), ==, 1);
  asb_test_server_heal (fixture->server);
}

static void
test_cancelled (Fixture *fixture, gconstpointer data)
{
  static const Stage stages[] = {
    { POST_FAULT ("'action':'late','ms':500"), "POST", "/v1/sandboxes" },
    { POST_FAULT ("'action':'delay','ms':500"), "POST", "/v1/sandboxes" },
    { "{'path':'*/endpoints/44772','times':1,'action':'delay','ms':1000}", "GET",
      "*/endpoints/44772" },
    { "{'hop':'execd','action':'silent'}", "GET", "*/ping" },
    { "{'hop':'execd','action':'reset'}", "GET", "*/ping" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (stages); i++)
    check_cancelled (fixture, &stages[i]);
}

/* An open outcome under an idempotency key is looked into before anything is made again. */
static void
test_idempotency_open (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_sandbox_spec_set_idempotency_key (spec, "k");
  asb_test_server_fault (fixture->server, POST_FAULT ("'action':'cut'"));
  asb_test_server_fault (fixture->server,
                         "{'method':'GET','path':'/v1/sandboxes','action':'reply','status':200,"
                         "'json':{'items':[]}}");
  info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_clear_error (&error);
  asb_test_server_heal (fixture->server);
  info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_no_error (error);
  assert_left (fixture, 1, 1);
}

#define QUICK "{'ready-timeout-seconds': <1.0>}"
#define ADD(path, options, function)                                                               \
  g_test_add ("/opensandbox/create/" path, Fixture, options, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("answer-lost", NULL, test_answer_lost);
  ADD ("answer-lost/late", NULL, test_answer_lost_and_late);
  ADD ("outcome-unknown", "{'ready-timeout-seconds': <0.3>}", test_outcome_unknown);
  ADD ("not-an-old-one", "{'ready-timeout-seconds': <0.3>}", test_not_an_old_one);
  ADD ("refused", NULL, test_refused);
  g_test_add_func ("/opensandbox/create/timed-out", test_timed_out);
  g_test_add_func ("/opensandbox/create/timed-out/for-good", test_timed_out_for_good);
  g_test_add_func ("/opensandbox/create/no-server", test_no_server);
  ADD ("ready/refused", NULL, test_ready_refused);
  g_test_add_func ("/opensandbox/create/ready/unreachable", test_ready_unreachable);
  g_test_add_func ("/opensandbox/create/ready/broken", test_ready_broken);
  ADD ("ready/broken-and-slow", QUICK, test_ready_broken_and_slow);
  ADD ("ready/silent", QUICK, test_ready_silent);
  ADD ("ready/little-memory", QUICK, test_ready_little_memory);
  ADD ("ready/ended", NULL, test_ready_ended);
  ADD ("ready/ended/noisily", "{'api-key': <'the-key-of-tests'>}", test_ready_ended_noisily);
  ADD ("ready/hints", NULL, test_ready_hints);
  ADD ("ready/late", NULL, test_ready_late);
  ADD ("left-behind", NULL, test_left_behind);
  ADD ("cancelled", NULL, test_cancelled);
  ADD ("idempotency/open", QUICK, test_idempotency_open);
  return g_test_run ();
}
