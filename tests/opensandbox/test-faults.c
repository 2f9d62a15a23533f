/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A provider whose server's answers are cut, reset, late, wrong, or somebody else's. */

#include <string.h>

#include "asb-test-server.h"

typedef struct
{
  AsbTestServer *server;
  AsbProvider *patient; /* makes and deletes the sandbox */
  AsbProvider *provider;
  AsbSandboxInfo *info;
} World;

static void
world_init (World *self, const char *options)
{
  self->server = asb_test_server_new ("--api-key=the-key-of-tests");
  self->patient = asb_test_server_new_provider (self->server, "{'api-key': <'the-key-of-tests'>}");
  self->info = asb_test_server_create (self->patient);
  self->provider = asb_test_server_new_provider (self->server, options);
}

static void
world_clear (World *self)
{
  g_autoptr (GError) error = NULL;

  asb_test_server_heal (self->server);
  g_assert_true (asb_provider_delete_sandbox (self->patient, asb_test_server_get_id (self->info),
                                              NULL, &error));
  g_assert_no_error (error);
  g_clear_object (&self->info);
  g_clear_object (&self->provider);
  g_clear_object (&self->patient);
  asb_test_server_free (self->server);
}

/* With a short timeout there is no time to try again. Only what may fail by the time that is up,
 * too, may have it: a machine that is busy is slow, and valgrind is on any. */
#define IMPATIENT "{'api-key': <'the-key-of-tests'>, 'request-timeout-seconds': <0.4>}"
#define IMPATIENT_UNDER_VALGRIND                                                                   \
  "{'api-key': <'the-key-of-tests'>, 'request-timeout-seconds': <4.4>}"
#define PATIENT "{'api-key': <'the-key-of-tests'>, 'request-timeout-seconds': <20.0>}"
#define PATIENT_UNDER_VALGRIND                                                                     \
  "{'api-key': <'the-key-of-tests'>, 'request-timeout-seconds': <400.0>}"

static gboolean
is_under_valgrind (void)
{
  return g_getenv ("ASB_TEST_GUEST_VALGRIND") != NULL;
}

static void
world_init_impatient (World *self)
{
  world_init (self, is_under_valgrind () ? IMPATIENT_UNDER_VALGRIND : IMPATIENT);
}

static void
world_init_patient (World *self)
{
  world_init (self, is_under_valgrind () ? PATIENT_UNDER_VALGRIND : PATIENT);
}

static AsbSandboxInfo *
get (World *self, GError **error)
{
  return asb_provider_get_sandbox (self->provider, asb_test_server_get_id (self->info), NULL,
                                   error);
}

static void
check_is_whole (World *self, AsbSandboxInfo *info)
{
  g_assert_cmpstr (asb_test_server_get_id (info), ==, asb_test_server_get_id (self->info));
  g_assert_cmpint (asb_sandbox_info_get_state (info), ==, ASB_SANDBOX_STATE_RUNNING);
  g_assert_cmpstr (asb_sandbox_info_get_image (info), ==, "python:3.12");
  g_assert_nonnull (asb_sandbox_info_get_expires_at (info));
}

/* From the first byte of the head to the last of the body. */
static void
test_each_cut (void)
{
  World world;
  const guint step = is_under_valgrind () ? 41 : 1;
  guint n_cuts = 0;

  world_init_impatient (&world);
  for (;; n_cuts += step)
    {
      g_autofree char *fault = g_strdup_printf ("{'method':'GET','path':'/v1/sandboxes/*','action':"
                                                "'cut','of':'response','bytes':%u}",
                                                n_cuts);
      g_autoptr (AsbSandboxInfo) info = NULL;
      g_autoptr (GError) error = NULL;

      asb_test_server_heal (world.server);
      asb_test_server_fault (world.server, fault);
      info = get (&world, &error);
      if (info)
        {
          check_is_whole (&world, info);
          break;
        }
      g_assert_cmpint (error->domain, ==, ASB_ERROR);
      g_assert_false (g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND));
      g_assert_cmpuint (n_cuts, <, 5000);
    }
  g_test_message ("cut after %u bytes, in steps of %u", n_cuts, step);
  g_assert_cmpuint (n_cuts, >, 200);
  world_clear (&world);
}

/* One that is cut once is asked for again. */
static void
test_repeated (void)
{
  static const char *const faults[] = {
    "{'method':'GET','path':'/v1/sandboxes/*','times':1,'action':'cut','bytes':20}",
    "{'method':'GET','path':'/v1/sandboxes/*','times':1,'action':'cut'}",
    "{'method':'GET','path':'/v1/sandboxes/*','times':1,'action':'reset'}",
    "{'method':'GET','path':'/v1/sandboxes/*','times':2,'action':'reply','status':429,"
    "'headers':{'Retry-After':'0'}}",
    "{'method':'GET','path':'/v1/sandboxes/*','times':1,'action':'reply','status':503}",
  };
  World world;

  world_init_patient (&world);
  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autoptr (AsbSandboxInfo) info = NULL;
      g_autoptr (GError) error = NULL;

      asb_test_server_heal (world.server);
      asb_test_server_fault (world.server, faults[i]);
      info = get (&world, &error);
      g_assert_no_error (error);
      check_is_whole (&world, info);
    }
  world_clear (&world);
}

static void
check (World *self, const char *members, AsbError code, const char *text)
{
  g_autofree char *fault
      = g_strdup_printf ("{'method':'GET','path':'/v1/sandboxes/*',%s}", members);
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_server_heal (self->server);
  asb_test_server_fault (self->server, fault);
  info = get (self, &error);
  g_assert_null (info);
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, (int)code);
  g_assert_nonnull (strstr (error->message, text));
  g_assert_null (strstr (error->message, "the-key-of-tests"));
  g_assert_cmpuint (strlen (error->message), <, 700);
}

static void
test_told_apart (void)
{
  World world;
  g_autofree char *other = NULL;

  world_init_patient (&world);
  other = g_strdup_printf ("'action':'redirect','to':'http://localhost:%u/there'",
                           asb_test_server_get_port (world.server));
  check (&world, "'action':'reset'", ASB_ERROR_PROVIDER, "Could not get");
  check (&world, "'action':'reply','status':500,'type':'text/plain','body':'Internal Server Error'",
         ASB_ERROR_PROVIDER, "Internal Server Error (HTTP 500)");
  check (&world, "'action':'reply','status':502,'type':'text/html','body':'<html><p>nginx</p>'",
         ASB_ERROR_PROVIDER, "HTTP 502 Bad Gateway, from a proxy in between");
  check (&world,
         "'action':'reply','status':429,'headers':{'Retry-After':'30'},'json':{'code':'A',"
         "'message':'b'}",
         ASB_ERROR_PROVIDER, "b (HTTP 429, A)");
  check (&world, other, ASB_ERROR_PROVIDER, "redirects to “http://localhost:");
  check (&world,
         "'action':'reply','status':200,'type':'application/json','body':'',"
         "'fill':6000000",
         ASB_ERROR_TOO_LARGE, "more than 4194304 bytes");
  check (&world,
         "'action':'reply','status':401,'json':{'code':'INVALID_API_KEY',"
         "'message':'the-key-of-tests'}",
         ASB_ERROR_PROVIDER, "INVALID_API_KEY");
  world_clear (&world);
}

static void
test_no_answer (void)
{
  World world;

  world_init_impatient (&world);
  check (&world, "'action':'silent'", ASB_ERROR_TIMED_OUT, ".4 seconds");
  check (&world, "'action':'late','ms':60000", ASB_ERROR_TIMED_OUT, ".4 seconds");
  world_clear (&world);
}

static void
test_wrong_types (void)
{
  static const char *const bodies[] = {
    "'body':''",
    "'body':'[]'",
    "'body':'{'",
    "'body':'nonsense'",
    "'json':[]",
    "'json':'x'",
    "'json':7",
    "'json':{}",
    "'json':{'id':7,'status':{'state':'Running'},'createdAt':'2026-03-01T10:00:00Z'}",
    "'json':{'id':'x','status':'Running','createdAt':'2026-03-01T10:00:00Z'}",
    "'json':{'id':'x','status':{'state':[]},'createdAt':'2026-03-01T10:00:00Z'}",
    "'json':{'id':'x','status':{'state':'Running'},'createdAt':7}",
    "'json':{'id':'x','status':{'state':'Running'},'createdAt':'soon'}",
    "'json':{'id':'x','status':{'state':'Running'},'createdAt':'2026-03-01T10:00:00Z',"
    "'metadata':{'a':1}}",
    "'json':{'id':'x','status':{'state':'Running'},'createdAt':'2026-03-01T10:00:00Z',"
    "'metadata':[]}",
  };
  g_autofree char *deep = g_strnfill (70, '[');
  g_autofree char *deep_body = g_strdup_printf ("'body':'%s'", deep);
  World world;

  world_init_patient (&world);
  for (gsize i = 0; i <= G_N_ELEMENTS (bodies); i++)
    {
      const char *body = i < G_N_ELEMENTS (bodies) ? bodies[i] : deep_body;
      g_autofree char *members
          = g_strdup_printf ("'action':'reply','status':200,'type':'application/json',%s", body);

      check (&world, members, ASB_ERROR_PROTOCOL, "");
    }
  world_clear (&world);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opensandbox/faults/each-cut", test_each_cut);
  g_test_add_func ("/opensandbox/faults/repeated", test_repeated);
  g_test_add_func ("/opensandbox/faults/told-apart", test_told_apart);
  g_test_add_func ("/opensandbox/faults/no-answer", test_no_answer);
  g_test_add_func ("/opensandbox/faults/wrong-types", test_wrong_types);
  return g_test_run ();
}
