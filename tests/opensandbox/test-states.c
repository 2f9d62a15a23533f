/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-server.h"

/* Somebody else pauses or deletes a sandbox in which one works: the error says that, and not what
 * the connection looked like. */

#define MAX_SECONDS 100

typedef struct
{
  AsbTestServer *server;
  AsbProvider *provider;
  AsbProvider *other; /* remembers nothing of what the first one knows */
  AsbSandboxInfo *info;
  AsbTransport *transport; /* (nullable) */
  const char *id;
} World;

static void
world_prepare (World *world, const char *options)
{
  world->server = asb_test_server_new (NULL);
  world->provider = asb_test_server_new_provider (world->server, options);
  world->other = asb_test_server_new_provider (world->server, "{}");
  world->info = asb_test_server_create (world->other);
  world->id = asb_test_server_get_id (world->info);
}

static void
world_close (World *world)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (!world->transport || asb_transport_close (world->transport, NULL, &error));
  g_clear_object (&world->transport);
  g_object_unref (world->info);
  g_object_unref (world->other);
  g_object_unref (world->provider);
  asb_test_server_free (world->server);
}

static void
delete_it (World *world)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_provider_delete_sandbox (world->other, world->id, NULL, &error));
  g_assert_no_error (error);
}

static void
world_open (World *world, const char *options)
{
  g_autoptr (GError) error = NULL;

  world_prepare (world, options);
  world->transport = asb_provider_open_transport (world->provider, world->id, NULL, &error);
  g_assert_no_error (error);
}

/* Returns whether as much was enough for it. */
static gboolean
world_open_within (World *world, guint seconds)
{
  g_autofree char *options
      = g_strdup_printf ("{'transport':<'native'>,'request-timeout-seconds':<%u.0>}", seconds);
  g_autoptr (GError) error = NULL;

  world_prepare (world, options);
  world->transport = asb_provider_open_transport (world->provider, world->id, NULL, &error);
  if (world->transport)
    return TRUE;
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  delete_it (world);
  world_close (world);
  return FALSE;
}

/* What waits until the time is up is tried with more when the machine stood still meanwhile: @try
 * returns whether there was enough. */
static void
try_with_more_time (gboolean (*try) (guint seconds), guint seconds)
{
  while (!try (seconds))
    {
      seconds *= 4;
      g_assert_cmpuint (seconds, <, MAX_SECONDS);
    }
}

static void
start_and_fail (World *world, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("exit 1");
  g_autoptr (AsbProcess) process
      = asb_transport_start_command (world->transport, spec, NULL, error);

  g_assert_null (process);
}

static gboolean
has_flag (const GError *error, const char *name)
{
  GVariant *details = asb_error_info_get_details (asb_error_get_info (error));
  gboolean value = FALSE;

  return details && g_variant_lookup (details, name, "b", &value) && value;
}

static void
test_deleted (gconstpointer options)
{
  World world = { 0 };
  g_autoptr (GError) error = NULL;

  g_test_summary ("A sandbox that was there and is gone was deleted, which is said");

  world_open (&world, options);
  delete_it (&world);
  start_and_fail (&world, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_DELETED);
  g_assert_cmpstr (asb_error_info_get_sandbox_id (asb_error_get_info (error)), ==, world.id);
  world_close (&world);
}

/* As “docker kill” ends one: its server goes on having it, and finds no way into it any more. */
static void
world_open_mortal (World *world, const char *options)
{
  static const char *const entrypoint[]
      = { "sh", "-c", "while [ ! -e /tmp/end ]; do sleep 0.02; done; exit 137", NULL };
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (GError) error = NULL;

  world->server = asb_test_server_new (NULL);
  world->provider = asb_test_server_new_provider (world->server, options);
  world->other = asb_test_server_new_provider (world->server, "{}");
  asb_sandbox_spec_set_entrypoint (spec, entrypoint);
  world->info = asb_provider_create_sandbox (world->other, spec, NULL, &error);
  g_assert_no_error (error);
  world->id = asb_test_server_get_id (world->info);
  world->transport = asb_provider_open_transport (world->provider, world->id, NULL, &error);
  g_assert_no_error (error);
}

/* It has ended when its server says so. */
static void
wait_for_end (World *world)
{
  AsbSandboxState state = ASB_SANDBOX_STATE_RUNNING;

  while (state == ASB_SANDBOX_STATE_RUNNING)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbSandboxInfo) info
          = asb_provider_get_sandbox (world->other, world->id, NULL, &error);

      g_assert_no_error (error);
      state = asb_sandbox_info_get_state (info);
    }
  g_assert_cmpint (state, ==, ASB_SANDBOX_STATE_FAILED);
}

static void
test_ended (gconstpointer options)
{
  World world = { 0 };
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("exec sleep 100000");
  g_autoptr (AsbCommandSpec) killer = asb_command_spec_new_shell ("touch /tmp/end; sleep 100000");
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbProcess) killing = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary (
      "Of a sandbox that was killed it is said that it has ended, of what ran in it that "
      "its end is unknown, and of what comes after that it was not sent");

  world_open_mortal (&world, options);
  process = asb_transport_start_command (world.transport, spec, NULL, &error);
  g_assert_no_error (error);
  killing = asb_transport_start_command (world.transport, killer, NULL, NULL);
  g_assert_null (asb_process_wait (process, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_nonnull (strstr (error->message, "has ended"));
  g_clear_error (&error);
  wait_for_end (&world);
  start_and_fail (&world, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
  g_assert_nonnull (strstr (error->message, "has ended"));
  g_assert_nonnull (strstr (error->message, "more of the resource “memory”"));
  g_assert_true (has_flag (error, "not_sent"));
  g_assert_false (has_flag (error, "outcome_unknown"));
  world_close (&world);
}

#define NOBODY_THERE                                                                               \
  "'action':'reply','status':502,'json':{'code':'BACKEND_CONNECTION_FAILED','message':'nobody "    \
  "there'}}"

/* The kernel ends execd, as the biggest, and the sandbox goes on. */
static void
test_without_execd (gconstpointer options)
{
  World world = { 0 };
  g_autoptr (GError) error = NULL;

  g_test_summary ("Of a sandbox that runs and has no execd any more it is said what may have ended "
                  "that");

  world_open (&world, options);
  asb_test_server_fault (world.server, "{'method':'POST','path':'*/command'," NOBODY_THERE);
  start_and_fail (&world, &error);
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "nobody there"));
  g_assert_nonnull (strstr (error->message, "more of the resource “memory”"));
  asb_test_server_heal (world.server);
  delete_it (&world);
  world_close (&world);
}

static gboolean
find_it_paused (guint seconds)
{
  World world = { 0 };
  g_autoptr (AsbSandboxInfo) paused = NULL;
  g_autoptr (GError) error = NULL;
  gboolean is_known;

  if (!world_open_within (&world, seconds))
    return FALSE;
  paused = asb_provider_pause_sandbox (world.other, world.id, NULL, &error);
  g_assert_no_error (error);
  start_and_fail (&world, &error);
  is_known = !g_error_matches (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  if (is_known)
    {
      g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
      g_assert_nonnull (strstr (error->message, "is paused"));
      g_assert_true (has_flag (error, "outcome_unknown"));
    }
  delete_it (&world);
  world_close (&world);
  return is_known;
}

static void
test_paused_soon (void)
{
  g_test_summary ("No answer of a sandbox that is paused: that, and that the command may run yet");

  try_with_more_time (find_it_paused, 1);
}

static void
test_paused_late (void)
{
  g_test_summary ("Which is known long before the time for an answer is up");

  g_assert_true (find_it_paused (86400));
}

static gboolean
ask_after_it (guint seconds)
{
  World world = { 0 };
  guint n_questions;
  g_autoptr (GError) error = NULL;

  if (!world_open_within (&world, seconds))
    return FALSE;
  asb_test_server_fault (world.server, "{'path':'*/command','action':'silent'}");
  asb_test_server_forget (world.server);
  start_and_fail (&world, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  n_questions = asb_test_server_count (world.server, "GET", "*/sandboxes/*");
  g_assert_cmpuint (n_questions, <=, seconds);
  asb_test_server_heal (world.server);
  delete_it (&world);
  world_close (&world);
  return n_questions > 1;
}

static void
test_slow (void)
{
  g_test_summary ("Who is slow and runs is asked after more and more seldom, and waited for");

  try_with_more_time (ask_after_it, 4);
}

static gboolean
time_out (guint seconds)
{
  World world = { 0 };
  g_autoptr (GError) error = NULL;

  if (!world_open_within (&world, seconds))
    return FALSE;
  asb_test_server_fault (world.server, "{'path':'*/command','action':'silent'}");
  start_and_fail (&world, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_clear_error (&error);
  asb_test_server_fault (world.server, "{'path':'*/sandboxes/*','hop':'lifecycle','method':'GET',"
                                       "'action':'reply','status':500}");
  start_and_fail (&world, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  asb_test_server_heal (world.server);
  delete_it (&world);
  world_close (&world);
  return TRUE;
}

static void
test_running (void)
{
  g_test_summary ("No answer of a sandbox that runs stays what it is");

  try_with_more_time (time_out, 1);
}

/* Cancelling what waits for an answer. */

static void
started_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **)data = g_object_ref (result);
}

/* @path: of a request that comes before it is cancelled. Returns whether it was not answered before
 * that. */
static gboolean
start_and_cancel (World *world, const char *method, const char *path)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("sleep 1000");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_server_forget (world->server);
  asb_transport_start_command_async (world->transport, spec, cancellable, started_cb, &result);
  while (asb_test_server_count (world->server, method, path) == 0)
    g_main_context_iteration (NULL, FALSE);
  g_cancellable_cancel (cancellable);
  while (!result)
    g_main_context_iteration (NULL, TRUE);
  process = asb_transport_start_command_finish (world->transport, result, &error);
  if (!process)
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  return process == NULL;
}

static gboolean
cancel_start (guint seconds)
{
  World world = { 0 };
  g_autofree char *fault = g_strdup_printf (
      "{'path':'*/command','method':'POST','action':'late','ms':%u}", 1000 * seconds);
  gboolean is_cancelled;

  world_open (&world, "{'transport':<'native'>,'request-timeout-seconds':<86400.0>}");
  asb_test_server_fault (world.server, fault);
  is_cancelled = start_and_cancel (&world, "POST", "*/command");
  asb_test_server_heal (world.server);
  while (is_cancelled && asb_test_server_count (world.server, "DELETE", "*/command") == 0)
    g_main_context_iteration (NULL, FALSE);
  delete_it (&world);
  world_close (&world);
  return is_cancelled;
}

static void
test_cancelled_start (void)
{
  g_test_summary ("A command that is cancelled before it is known to run is ended if it does");

  try_with_more_time (cancel_start, 1);
}

static void
test_cancelled_inquiry (void)
{
  World world = { 0 };

  g_test_summary ("Who cancels does not wait for what the server says of a sandbox");

  world_open (&world, "{'transport':<'native'>,'request-timeout-seconds':<86400.0>}");
  asb_test_server_fault (world.server, "{'path':'*/command','method':'POST','action':'reset'}");
  asb_test_server_fault (world.server, "{'path':'*/sandboxes/*','hop':'lifecycle','method':'GET',"
                                       "'action':'silent'}");
  g_assert_true (start_and_cancel (&world, "GET", "*/sandboxes/*"));
  asb_test_server_heal (world.server);
  delete_it (&world);
  world_close (&world);
}

static void
test_watch_deleted (void)
{
  World world = { 0 };
  g_autoptr (AsbMetricsWatch) watch = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *runs = NULL;
  g_autofree char *gone = NULL;

  g_test_summary ("A sandbox ends before its server has done with deleting it");

  world_prepare (&world, "{}");
  runs = g_strdup_printf ("{'method':'GET','path':'*/sandboxes/%s','times':2,'action':'reply',"
                          "'status':200,'json':{'id':'%s','status':{'state':'Running'},"
                          "'createdAt':'2026-03-01T10:00:00Z'}}",
                          world.id, world.id);
  gone = g_strdup_printf ("{'method':'GET','path':'*/sandboxes/%s','action':'reply','status':404,"
                          "'json':{'code':'DOCKER::SANDBOX_NOT_FOUND','message':'no'}}",
                          world.id);
  asb_test_server_fault (world.server, "{'path':'*/metrics/watch','action':'cut','bytes':0}");
  asb_test_server_fault (world.server, runs);
  asb_test_server_fault (world.server, gone);
  watch = asb_provider_watch_metrics (world.provider, world.id, NULL, &error);
  g_assert_no_error (error);
  while (asb_metrics_watch_get_state (watch) == ASB_METRICS_WATCH_STATE_ACTIVE)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (asb_metrics_watch_get_state (watch), ==, ASB_METRICS_WATCH_STATE_GONE);
  asb_test_server_heal (world.server);
  delete_it (&world);
  world_close (&world);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/opensandbox/states/deleted/direct", "{'transport':<'native'>}",
                        test_deleted);
  g_test_add_data_func ("/opensandbox/states/deleted/proxy",
                        "{'transport':<'native'>,'use-server-proxy':<true>}", test_deleted);
  g_test_add_data_func ("/opensandbox/states/ended/native",
                        "{'transport':<'native'>,'use-server-proxy':<true>}", test_ended);
  g_test_add_data_func ("/opensandbox/states/ended/websocket",
                        "{'transport':<'websocket'>,'use-server-proxy':<true>}", test_ended);
  g_test_add_data_func ("/opensandbox/states/ended/pty",
                        "{'transport':<'pty'>,'use-server-proxy':<true>}", test_ended);
  g_test_add_data_func ("/opensandbox/states/without-execd",
                        "{'transport':<'native'>,'use-server-proxy':<true>}", test_without_execd);
  g_test_add_func ("/opensandbox/states/paused/soon", test_paused_soon);
  g_test_add_func ("/opensandbox/states/paused/late", test_paused_late);
  g_test_add_func ("/opensandbox/states/slow", test_slow);
  g_test_add_func ("/opensandbox/states/cancelled-start", test_cancelled_start);
  g_test_add_func ("/opensandbox/states/cancelled-inquiry", test_cancelled_inquiry);
  g_test_add_func ("/opensandbox/states/running", test_running);
  g_test_add_func ("/opensandbox/states/watched/deleted", test_watch_deleted);
  return g_test_run ();
}
