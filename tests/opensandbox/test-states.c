/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-server.h"

/* Somebody else pauses or deletes a sandbox in which one works: the error says that, and not what
 * the connection looked like. */

typedef struct
{
  AsbTestServer *server;
  AsbProvider *provider;
  AsbProvider *other; /* remembers nothing of what the first one knows */
  AsbSandboxInfo *info;
  AsbTransport *transport;
  const char *id;
} World;

static void
world_open (World *world, const char *options)
{
  g_autoptr (GError) error = NULL;

  world->server = asb_test_server_new (NULL);
  world->provider = asb_test_server_new_provider (world->server, options);
  world->other = asb_test_server_new_provider (world->server, "{}");
  world->info = asb_test_server_create (world->other);
  world->id = asb_test_server_get_id (world->info);
  world->transport = asb_provider_open_transport (world->provider, world->id, NULL, &error);
  g_assert_no_error (error);
}

static void
world_close (World *world)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_transport_close (world->transport, NULL, &error));
  g_object_unref (world->transport);
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
  World world;
  g_autoptr (GError) error = NULL;
  gint64 begun;

  g_test_summary ("A sandbox that was there and is gone was deleted, which is said promptly");

  world_open (&world, options);
  delete_it (&world);
  begun = g_get_monotonic_time ();
  start_and_fail (&world, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_DELETED);
  g_assert_cmpstr (asb_error_info_get_sandbox_id (asb_error_get_info (error)), ==, world.id);
  g_assert_cmpint (g_get_monotonic_time () - begun, <, 20 * G_USEC_PER_SEC);
  world_close (&world);
}

static void
test_paused (gconstpointer options)
{
  World world;
  g_autoptr (AsbSandboxInfo) paused = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("No answer of a sandbox that is paused: that, and that the command may run yet, "
                  "which is known long before the time for an answer is up");

  world_open (&world, options);
  paused = asb_provider_pause_sandbox (world.other, world.id, NULL, &error);
  g_assert_no_error (error);
  start_and_fail (&world, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
  g_assert_nonnull (strstr (error->message, "is paused"));
  g_assert_true (has_flag (error, "outcome_unknown"));
  delete_it (&world);
  world_close (&world);
}

static void
test_slow (void)
{
  World world;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Who is slow and runs is asked after more and more seldom, and waited for");

  world_open (&world, "{'transport':<'native'>,'request-timeout-seconds':<4.0>}");
  asb_test_server_fault (world.server, "{'path':'*/command','action':'silent'}");
  asb_test_server_forget (world.server);
  start_and_fail (&world, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_assert_cmpuint (asb_test_server_count (world.server, "GET", "*/sandboxes/*"), >, 1);
  g_assert_cmpuint (asb_test_server_count (world.server, "GET", "*/sandboxes/*"), <=, 4);
  asb_test_server_heal (world.server);
  delete_it (&world);
  world_close (&world);
}

static void
test_running (void)
{
  World world;
  g_autoptr (GError) error = NULL;

  g_test_summary ("No answer of a sandbox that runs stays what it is");

  world_open (&world, "{'transport':<'native'>,'request-timeout-seconds':<1.0>}");
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
}

/* Cancelling what waits for an answer. */

static void
started_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **)data = g_object_ref (result);
}

/* @path: of a request that comes before it is cancelled */
static void
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
  g_assert_null (result);
  g_cancellable_cancel (cancellable);
  while (!result)
    g_main_context_iteration (NULL, TRUE);
  process = asb_transport_start_command_finish (world->transport, result, &error);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_cancelled_start (void)
{
  World world;

  g_test_summary ("A command that is cancelled before it is known to run is ended if it does");

  world_open (&world, "{'transport':<'native'>,'request-timeout-seconds':<86400.0>}");
  asb_test_server_fault (world.server,
                         "{'path':'*/command','method':'POST','action':'late','ms':1000}");
  start_and_cancel (&world, "POST", "*/command");
  asb_test_server_heal (world.server);
  while (asb_test_server_count (world.server, "DELETE", "*/command") == 0)
    g_main_context_iteration (NULL, FALSE);
  delete_it (&world);
  world_close (&world);
}

static void
test_cancelled_inquiry (void)
{
  World world;

  g_test_summary ("Who cancels does not wait for what the server says of a sandbox");

  world_open (&world, "{'transport':<'native'>,'request-timeout-seconds':<86400.0>}");
  asb_test_server_fault (world.server, "{'path':'*/command','method':'POST','action':'reset'}");
  asb_test_server_fault (world.server, "{'path':'*/sandboxes/*','hop':'lifecycle','method':'GET',"
                                       "'action':'silent'}");
  start_and_cancel (&world, "GET", "*/sandboxes/*");
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
  g_test_add_data_func ("/opensandbox/states/paused/soon",
                        "{'transport':<'native'>,'request-timeout-seconds':<1.0>}", test_paused);
  g_test_add_data_func ("/opensandbox/states/paused/late",
                        "{'transport':<'native'>,'request-timeout-seconds':<86400.0>}",
                        test_paused);
  g_test_add_func ("/opensandbox/states/slow", test_slow);
  g_test_add_func ("/opensandbox/states/cancelled-start", test_cancelled_start);
  g_test_add_func ("/opensandbox/states/cancelled-inquiry", test_cancelled_inquiry);
  g_test_add_func ("/opensandbox/states/running", test_running);
  return g_test_run ();
}
