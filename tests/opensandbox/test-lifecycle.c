/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "asb-test-server.h"

/* Sandboxes made, found, changed and deleted on a server that works. */

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

static void
test_create (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (AsbSandboxInfo) got = NULL;
  g_autoptr (GError) error = NULL;
  AsbSandboxRef *ref;

  asb_sandbox_spec_set_name (spec, "n");
  asb_sandbox_spec_set_instance_id (spec, "i-1");
  info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_no_error (error);
  ref = asb_sandbox_info_get_ref (info);
  g_assert_cmpint (asb_sandbox_info_get_state (info), ==, ASB_SANDBOX_STATE_RUNNING);
  g_assert_cmpstr (asb_sandbox_ref_get_sandbox_instance_id (ref), ==, "i-1");
  g_assert_cmpstr (asb_sandbox_info_get_name (info), ==, "n");
  g_assert_cmpstr (asb_sandbox_info_get_image (info), ==, "python:3.12");
  g_assert_nonnull (asb_sandbox_info_get_expires_at (info));
  g_assert_cmpuint (asb_test_server_count (fixture->server, "POST", "*/sandboxes"), ==, 1);
  got = asb_provider_get_sandbox (fixture->provider, asb_test_server_get_id (info), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (asb_test_server_get_id (got), ==, asb_test_server_get_id (info));
}

static void
test_create_at_once (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Nobody knocks at execd when the caller finds out itself what is ready");

  asb_sandbox_spec_set_await_readiness (spec, FALSE);
  info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "GET", "*/ping"), ==, 0);
}

static void
test_create_without_end (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (AsbSandboxInfo) renewed = NULL;
  g_autoptr (GError) error = NULL;

  asb_sandbox_spec_set_ttl_mode (spec, ASB_TTL_MODE_NEVER);
  info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (asb_sandbox_info_get_expires_at (info));
  renewed = asb_provider_renew_sandbox (fixture->provider, asb_test_server_get_id (info), 600, NULL,
                                        &error);
  g_assert_null (renewed);
  g_assert_nonnull (strstr (error->message, "expiration"));
}

static void
test_create_refused (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_sandbox_spec_set_name (spec, "two words");
  info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_null (info);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  asb_sandbox_spec_set_name (spec, NULL);
  asb_sandbox_spec_set_ttl_seconds (spec, 59);
  info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "POST", "*"), ==, 0);
}

static void
test_create_without_image (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_sandbox_spec_set_image (spec, "no-such-image");
  info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_null (info);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_cmpstr (asb_error_info_get_provider_error_code (asb_error_get_info (error)), ==,
                   "DOCKER::SANDBOX_IMAGE_PULL_FAILED");
  g_assert_cmpuint (asb_test_server_count (fixture->server, "POST", "*"), ==, 1);
}

/* What a registry says of a login is Docker's, and says nothing of where to give one. */
static void
test_create_with_login (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *password; /* NULL: no login */
    const char *words;    /* of the error; NULL: there is none */
  } cases[]
      = { { NULL, "no basic auth" }, { "open-sesame", "unauthorized" }, { "open sesame", NULL } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
      g_autoptr (AsbSandboxInfo) info = NULL;
      g_autoptr (GError) error = NULL;

      asb_sandbox_spec_set_image (spec, "private.example.org/busybox:1");
      if (cases[i].password)
        {
          asb_sandbox_spec_set_image_username (spec, "ann");
          asb_sandbox_spec_set_image_password (spec, cases[i].password);
        }
      info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
      if (!cases[i].words)
        {
          g_assert_no_error (error);
          g_assert_true (asb_provider_delete_sandbox (
              fixture->provider, asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (info)),
              NULL, &error));
          continue;
        }
      g_assert_null (info);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, cases[i].words));
      g_assert_true (
          g_str_has_suffix (error->message, "; check the login for the registry of the image"));
      g_assert_null (strstr (error->message, "sesame"));
    }
}

static void
test_not_found (Fixture *fixture, gconstpointer data)
{
  static const char *const ids[]
      = { "none", "..", ".", "a/b", "/", "none/pause", "%2e%2e", "\303\274?#", "" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbSandboxInfo) info
          = asb_provider_get_sandbox (fixture->provider, ids[i], NULL, &error);

      g_assert_null (info);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
      g_clear_error (&error);
      g_assert_false (asb_provider_delete_sandbox (fixture->provider, ids[i], NULL, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
    }
  /* Servers take an escaped slash for one, so such an id would name another route. */
  g_assert_cmpuint (asb_test_server_count (fixture->server, NULL, "*/*%2F*"), ==, 0);
  g_assert_cmpuint (asb_test_server_count (fixture->server, NULL, "/v1/sandboxes/"), ==, 0);
}

static void
test_delete (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (fixture->provider);
  const char *id = asb_test_server_get_id (info);
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_provider_delete_sandbox (fixture->provider, id, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (asb_test_server_count_sandboxes (fixture->server), ==, 0);
  g_assert_false (asb_provider_delete_sandbox (fixture->provider, id, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
}

static void
test_delete_answer_lost (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (fixture->provider);
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (fixture->server, "{'method':'DELETE','times':1,'action':'cut'}");
  g_assert_true (
      asb_provider_delete_sandbox (fixture->provider, asb_test_server_get_id (info), NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "DELETE", "*"), ==, 2);
}

static void
test_delete_patience (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (fixture->provider);
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("A server that asks to wait is not asked again before");
  asb_test_server_fault (fixture->server,
                         "{'method':'DELETE','times':1,'action':'reply','status':429,'headers':"
                         "{'Retry-After':'1'},'json':{'code':'BUSY','message':'wait'}}");
  g_assert_true (
      asb_provider_delete_sandbox (fixture->provider, asb_test_server_get_id (info), NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (g_get_monotonic_time () - begin, >=, G_USEC_PER_SEC);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "DELETE", "*"), ==, 2);
}

static void
test_delete_in_time (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (fixture->provider);
  g_autoptr (AsbProvider) hasty
      = asb_test_server_new_provider (fixture->server, "{'request-timeout-seconds': <0.5>}");
  g_autoptr (GError) error = NULL;

  g_test_summary ("The time for a request is not given once more to each repetition");
  asb_test_server_fault (fixture->server, "{'method':'DELETE','action':'silent'}");
  g_assert_false (asb_provider_delete_sandbox (hasty, asb_test_server_get_id (info), NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "DELETE", "*"), <=, 1);
}

/* Something in between may answer, and with anything. */
static void
test_delete_garbled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (fixture->provider);
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (fixture->server,
                         "{'method':'DELETE','times':1,'action':'reply','status':200,'body':"
                         "'<html>hello</html>'}");
  g_assert_true (
      asb_provider_delete_sandbox (fixture->provider, asb_test_server_get_id (info), NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (asb_test_server_count_sandboxes (fixture->server), ==, 0);
}

/* Docker says so when somebody else is deleting it, and when something holds it for a moment. */
static void
test_delete_busy (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (fixture->provider);
  const char *id = asb_test_server_get_id (info);
  g_autoptr (GError) error = NULL;
  static const char *const busy
      = "{'method':'DELETE','times':%d,'action':'reply','status':500,'json':{'code':"
        "'DOCKER::SANDBOX_DELETE_FAILED','message':'removal is already in progress'}}";
  g_autofree char *once = g_strdup_printf (busy, 1);
  g_autofree char *always = g_strdup_printf (busy, 9);

  asb_test_server_fault (fixture->server, always);
  g_assert_false (asb_provider_delete_sandbox (fixture->provider, id, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "DELETE", "*"), ==, 3);
  asb_test_server_heal (fixture->server);
  g_clear_error (&error);
  asb_test_server_fault (fixture->server, once);
  g_assert_true (asb_provider_delete_sandbox (fixture->provider, id, NULL, &error));
  g_assert_no_error (error);
  /* Whoever else did it, it was not this one. */
  asb_test_server_heal (fixture->server);
  asb_test_server_fault (fixture->server, once);
  g_assert_false (asb_provider_delete_sandbox (fixture->provider, id, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
}

/* Time. */

static gint64
seconds_left (AsbSandboxInfo *info)
{
  return g_date_time_to_unix (asb_sandbox_info_get_expires_at (info))
         - g_get_real_time () / G_USEC_PER_SEC;
}

static void
test_renew (Fixture *fixture, gconstpointer data)
{
  static const gint64 refused[] = { 0, -1, G_MAXINT64 };
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (fixture->provider);
  const char *id = asb_test_server_get_id (info);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) renewed
      = asb_provider_renew_sandbox (fixture->provider, id, 7200, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (ABS (seconds_left (renewed) - 7200), <, 5);
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (AsbSandboxInfo) none
          = asb_provider_renew_sandbox (fixture->provider, id, refused[i], NULL, &error);

      g_assert_null (none);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
    }
  g_assert_cmpuint (asb_test_server_count (fixture->server, "POST", "*/renew-expiration"), ==, 1);
}

/* Something in between says that all is well. What counts is when the sandbox ends. */
static void
test_renew_answered_by_another (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (fixture->provider);
  const char *id = asb_test_server_get_id (info);
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autoptr (GDateTime) end = g_date_time_add_seconds (now, 1200);
  g_autofree char *text = g_date_time_format_iso8601 (end);
  g_autofree char *moved = g_strdup_printf (
      "{'method':'GET','path':'/v1/sandboxes/*','action':'reply','status':200,'json':{'id':'%s',"
      "'status':{'state':'Running'},'expiresAt':'%s'}}",
      id, text);
  g_autoptr (AsbSandboxInfo) none = NULL;
  g_autoptr (AsbSandboxInfo) renewed = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (fixture->server, "{'method':'POST','path':'*/renew-expiration','action':"
                                          "'reply','status':200,'json':{}}");
  none = asb_provider_renew_sandbox (fixture->provider, id, 1200, NULL, &error);
  g_assert_null (none);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_assert_nonnull (strstr (error->message, "it ends when it did before"));
  g_clear_error (&error);
  asb_test_server_fault (fixture->server, moved);
  renewed = asb_provider_renew_sandbox (fixture->provider, id, 1200, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (ABS (seconds_left (renewed) - 1200), <, 60);
}

/* A provider that has never talked to the server asks it first what its clock shows. */
static void
test_renew_at_once (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (fixture->provider);
  g_autoptr (AsbProvider) other = asb_test_server_new_provider (fixture->server, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) renewed
      = asb_provider_renew_sandbox (other, asb_test_server_get_id (info), 300, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (ABS (seconds_left (renewed) - 300), <, 5);
}

/* K11: what counts is the clock of the server, however wrong one of them is. */
static void
test_renew_by_server_clock (Fixture *fixture, gconstpointer data)
{
  static const int offsets[] = { 600, -600 };
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (fixture->provider);
  const char *id = asb_test_server_get_id (info);

  for (gsize i = 0; i < G_N_ELEMENTS (offsets); i++)
    {
      g_autoptr (AsbProvider) other = asb_test_server_new_provider (fixture->server, NULL);
      g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
      g_autoptr (GDateTime) shown = g_date_time_add_seconds (now, offsets[i]);
      g_autofree char *date = g_date_time_format (shown, "%a, %d %b %Y %H:%M:%S GMT");
      g_autofree char *fault = g_strdup_printf (
          "{'method':'GET','path':'/v1/sandboxes/*','times':1,'action':'reply','status':200,"
          "'headers':{'Date':'%s'},'json':{'id':'%s','status':{'state':'Running'}}}",
          date, id);
      g_autoptr (AsbSandboxInfo) renewed = NULL;
      g_autoptr (GError) error = NULL;

      asb_test_server_fault (fixture->server, fault);
      renewed = asb_provider_renew_sandbox (other, id, 1200, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (ABS (seconds_left (renewed) - 1200 - offsets[i]), <, 5);
    }
}

/* Frozen and back. */

static void
test_pause (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (fixture->provider);
  const char *id = asb_test_server_get_id (info);
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (AsbSandboxInfo) paused
          = asb_provider_pause_sandbox (fixture->provider, id, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (asb_sandbox_info_get_state (paused), ==, ASB_SANDBOX_STATE_PAUSED);
    }
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (AsbSandboxInfo) running
          = asb_provider_resume_sandbox (fixture->provider, id, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (asb_sandbox_info_get_state (running), ==, ASB_SANDBOX_STATE_RUNNING);
    }
}

#define IN_STATE(name)                                                                             \
  "{'method':'GET','path':'/v1/sandboxes/*','hop':'lifecycle','action':'reply','status':200,"      \
  "'times':%d,'json':{'id':'%s','status':{'state':'" name "'}}}"

/* Servers with Kubernetes answer when they begin. */
static void
test_pause_slowly (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (fixture->provider);
  const char *id = asb_test_server_get_id (info);
  g_autofree char *running = g_strdup_printf (IN_STATE ("Running"), 1, id);
  g_autofree char *pausing = g_strdup_printf (IN_STATE ("Pausing"), 2, id);
  g_autofree char *resuming = g_strdup_printf (IN_STATE ("Resuming"), 2, id);
  g_autofree char *failed = g_strdup_printf (IN_STATE ("Failed"), 9, id);
  g_autoptr (AsbSandboxInfo) paused = NULL;
  g_autoptr (AsbSandboxInfo) running_again = NULL;
  g_autoptr (AsbSandboxInfo) refused = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (fixture->server, running);
  asb_test_server_fault (fixture->server, pausing);
  paused = asb_provider_pause_sandbox (fixture->provider, id, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_sandbox_info_get_state (paused), ==, ASB_SANDBOX_STATE_PAUSED);
  asb_test_server_heal (fixture->server);

  asb_test_server_fault (fixture->server, resuming);
  running_again = asb_provider_resume_sandbox (fixture->provider, id, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_sandbox_info_get_state (running_again), ==, ASB_SANDBOX_STATE_RUNNING);
  asb_test_server_heal (fixture->server);

  asb_test_server_fault (fixture->server, failed);
  refused = asb_provider_pause_sandbox (fixture->provider, id, NULL, &error);
  g_assert_null (refused);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
  g_assert_nonnull (strstr (error->message, "failed"));
  asb_test_server_heal (fixture->server);
}

/* Metadata. */

static void
test_metadata (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (fixture->provider);
  const char *id = asb_test_server_get_id (info);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) changed = asb_provider_patch_metadata (
      fixture->provider, id, g_variant_new_parsed ("@a{sms} {'a': 'b', 'c': ''}"), NULL, &error);
  g_autoptr (AsbSandboxInfo) again = NULL;
  g_autoptr (AsbSandboxInfo) refused = NULL;
  GHashTable *metadata;

  g_assert_no_error (error);
  metadata = asb_sandbox_ref_get_metadata (asb_sandbox_info_get_ref (changed));
  g_assert_cmpstr (g_hash_table_lookup (metadata, "a"), ==, "b");
  again = asb_provider_patch_metadata (
      fixture->provider, id, g_variant_new_parsed ("@a{sms} {'a': nothing}"), NULL, &error);
  g_assert_no_error (error);
  metadata = asb_sandbox_ref_get_metadata (asb_sandbox_info_get_ref (again));
  g_assert_false (g_hash_table_contains (metadata, "a"));
  g_assert_true (g_hash_table_contains (metadata, "c"));
  refused = asb_provider_patch_metadata (fixture->provider, id,
                                         g_variant_new_parsed ("@a{sms} {'opensandbox.io/a': 'b'}"),
                                         NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

/* The working directory, which is kept among the metadata. */

static AsbSandboxInfo *
create_in (Fixture *fixture, const char *workdir)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  AsbSandboxInfo *found;

  asb_sandbox_spec_set_workdir (spec, workdir);
  info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_no_error (error);
  found = asb_provider_get_sandbox (fixture->provider, asb_test_server_get_id (info), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (asb_sandbox_info_get_workdir (info), ==, asb_sandbox_info_get_workdir (found));
  return found;
}

static const char *
get_label (AsbSandboxInfo *info, const char *name)
{
  return g_hash_table_lookup (asb_sandbox_ref_get_metadata (asb_sandbox_info_get_ref (info)), name);
}

static void
test_workdir (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *path;
    const char *kept; /* NULL: the same */
  } paths[] = {
    { "/home/me", NULL },         { "/", NULL },
    { "/workspace/a b", NULL },   { "/.x/_a.b/-/a-b/--/a-", NULL },
    { "/\xff/\n\xc3\xa9", NULL }, { "//srv/./work/", "/srv/work" },
  };

  g_test_summary ("A sandbox keeps where its commands run, for all who come later");
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (AsbSandboxInfo) info = create_in (fixture, paths[i].path);

      g_assert_cmpstr (asb_sandbox_info_get_workdir (info), ==,
                       paths[i].kept ? paths[i].kept : paths[i].path);
      if (i == 0)
        g_assert_cmpstr (get_label (info, "agent_sandbox.workdir"), ==, "root.home.me");
    }
}

static void
test_workdir_usual (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) usual = create_in (fixture, "/workspace/");
  g_autoptr (AsbSandboxInfo) upwards = create_in (fixture, "/srv/../etc");

  g_test_summary ("The usual working directory has no label, as sandboxes of other clients");
  g_assert_null (get_label (usual, "agent_sandbox.workdir"));
  g_assert_null (asb_sandbox_info_get_workdir (usual));
  g_assert_null (get_label (upwards, "agent_sandbox.workdir"));
}

/* However it falls on the labels, each of which must begin and end with a letter or digit. */
static void
test_workdir_long (Fixture *fixture, gconstpointer data)
{
  static const char *const parts[] = { "/.-_ ", "/a-b.c", "/abcdefg" };

  g_test_summary ("A long working directory takes several labels");
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    for (guint shift = 0; shift < 4; shift++)
      {
        g_autoptr (GString) path = g_string_new ("/");
        g_autoptr (AsbSandboxInfo) info = NULL;

        for (guint j = 0; j <= shift; j++)
          g_string_append_c (path, 'x');
        while (path->len < 150)
          g_string_append (path, parts[i]);
        info = create_in (fixture, path->str);
        g_assert_cmpstr (asb_sandbox_info_get_workdir (info), ==, path->str);
        g_assert_nonnull (get_label (info, "agent_sandbox.workdir-3"));
      }
}

static void
test_workdir_of_others (Fixture *fixture, gconstpointer data)
{
  static const char *const labels[] = { "junk",     "rootx",       "root..a",  "root._2F",
                                        "root._00", "root._2E_2E", "root.a_4", "root._2f" };
  g_autoptr (AsbSandboxInfo) info = create_in (fixture, "/srv");

  g_test_summary ("What others put in the place of the working directory names none");
  for (gsize i = 0; i < G_N_ELEMENTS (labels); i++)
    {
      g_autofree char *text
          = g_strdup_printf ("@a{sms} {'agent_sandbox.workdir': '%s'}", labels[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbSandboxInfo) changed
          = asb_provider_patch_metadata (fixture->provider, asb_test_server_get_id (info),
                                         g_variant_new_parsed (text), NULL, &error);

      g_assert_no_error (error);
      g_assert_null (asb_sandbox_info_get_workdir (changed));
    }
}

static void
test_workdir_given (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *workdir;
    const char *label;
    gboolean fits;
  } cases[] = {
    { "/srv", "root.srv", TRUE },        { "/workspace", "root.workspace", TRUE },
    { "/workspace", "root.srv", FALSE }, { "/srv", "root.tmp", FALSE },
    { "/srv", "junk", FALSE },
  };

  g_test_summary ("Metadata with another working directory are refused before anything is sent");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
      g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
      g_autoptr (AsbSandboxInfo) info = NULL;
      g_autoptr (GError) error = NULL;

      g_hash_table_insert (metadata, (gpointer) "agent_sandbox.workdir", (gpointer)cases[i].label);
      asb_sandbox_spec_set_metadata (spec, metadata);
      asb_sandbox_spec_set_workdir (spec, cases[i].workdir);
      asb_test_server_forget (fixture->server);
      info = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
      g_assert_cmpint (info != NULL, ==, cases[i].fits);
      if (cases[i].fits)
        continue;
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, "agent_sandbox.workdir"));
      g_assert_cmpuint (asb_test_server_count (fixture->server, "POST", "*"), ==, 0);
    }
}

/* Keys. */

static void
test_keys (void)
{
  g_autoptr (AsbTestServer) server = asb_test_server_new ("--api-key secret");
  g_autoptr (AsbProvider) with = asb_test_server_new_provider (server, "{'api-key': <'secret'>}");
  g_autoptr (AsbProvider) wrong = asb_test_server_new_provider (server, "{'api-key': <'hidden'>}");
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (with);
  g_autoptr (AsbSandboxInfo) none = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (asb_test_server_has_header (server, "/ping", "OPEN-SANDBOX-API-KEY"));
  none = asb_provider_get_sandbox (wrong, asb_test_server_get_id (info), NULL, &error);
  g_assert_null (none);
  g_assert_cmpstr (asb_error_info_get_provider_error_code (asb_error_get_info (error)), ==,
                   "INVALID_API_KEY");
  g_assert_null (strstr (error->message, "hidden"));
}

/* Idempotency keys. */

static void
test_idempotency (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (AsbSandboxInfo) first = NULL;
  g_autoptr (AsbSandboxInfo) second = NULL;
  g_autoptr (AsbSandboxInfo) third = NULL;
  g_autoptr (GError) error = NULL;

  asb_sandbox_spec_set_idempotency_key (spec, "k");
  first = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_no_error (error);
  second = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (asb_test_server_get_id (second), ==, asb_test_server_get_id (first));
  g_assert_true (asb_provider_delete_sandbox (fixture->provider, asb_test_server_get_id (first),
                                              NULL, &error));
  third = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (asb_test_server_get_id (third), !=, asb_test_server_get_id (first));
  g_assert_cmpuint (asb_test_server_count (fixture->server, "POST", "*/sandboxes"), ==, 2);
}

static void
store_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GPtrArray *infos = user_data;
  g_autoptr (GError) error = NULL;
  AsbSandboxInfo *info = asb_provider_create_sandbox_finish (ASB_PROVIDER (source), result, &error);

  g_assert_no_error (error);
  g_ptr_array_add (infos, info);
}

static void
test_idempotency_at_once (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) infos = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();

  asb_sandbox_spec_set_idempotency_key (spec, "k");
  for (int i = 0; i < 4; i++)
    asb_provider_create_sandbox_async (fixture->provider, spec, NULL, store_cb, infos);
  while (infos->len < 4)
    g_main_context_iteration (NULL, TRUE);
  for (int i = 1; i < 4; i++)
    g_assert_cmpstr (asb_test_server_get_id (infos->pdata[i]), ==,
                     asb_test_server_get_id (infos->pdata[0]));
  g_assert_cmpuint (asb_test_server_count_sandboxes (fixture->server), ==, 1);
}

#define ADD(path, options, function)                                                               \
  g_test_add ("/opensandbox/lifecycle/" path, Fixture, options, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("create", NULL, test_create);
  ADD ("create/at-once", NULL, test_create_at_once);
  ADD ("create/through-the-server", "{'use-server-proxy': <true>}", test_create);
  ADD ("create/without-end", NULL, test_create_without_end);
  ADD ("create/refused", NULL, test_create_refused);
  ADD ("create/without-image", NULL, test_create_without_image);
  ADD ("create/with-login", NULL, test_create_with_login);
  ADD ("not-found", NULL, test_not_found);
  ADD ("delete", NULL, test_delete);
  ADD ("delete/answer-lost", NULL, test_delete_answer_lost);
  ADD ("delete/patience", NULL, test_delete_patience);
  ADD ("delete/in-time", NULL, test_delete_in_time);
  ADD ("delete/garbled", NULL, test_delete_garbled);
  ADD ("delete/busy", NULL, test_delete_busy);
  ADD ("renew", NULL, test_renew);
  ADD ("renew/answered-by-another", NULL, test_renew_answered_by_another);
  ADD ("renew/at-once", NULL, test_renew_at_once);
  ADD ("renew/server-clock", NULL, test_renew_by_server_clock);
  ADD ("pause", NULL, test_pause);
  ADD ("pause/slowly", NULL, test_pause_slowly);
  ADD ("metadata", NULL, test_metadata);
  ADD ("workdir", NULL, test_workdir);
  ADD ("workdir/usual", NULL, test_workdir_usual);
  ADD ("workdir/long", NULL, test_workdir_long);
  ADD ("workdir/of-others", NULL, test_workdir_of_others);
  ADD ("workdir/given", NULL, test_workdir_given);
  g_test_add_func ("/opensandbox/lifecycle/keys", test_keys);
  ADD ("idempotency", NULL, test_idempotency);
  ADD ("idempotency/at-once", NULL, test_idempotency_at_once);
  return g_test_run ();
}
