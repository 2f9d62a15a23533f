/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Events of a command, of an execd that falls silent. */

#include <string.h>

#include "asb-opensandbox-run.h"
#include "asb-opensandbox-thread.h"
#include "exchange.h"

#define SILENCE_MS 50
#define ENOUGH_QUESTIONS 3

#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
#define INIT "{\"type\":\"init\",\"text\":\"c1\"}\n\n"
#define COMPLETE "{\"type\":\"execution_complete\",\"execution_time\":1}\n\n"

typedef struct
{
  const char *state; /* what the server says of the sandbox */
  HostileServer *server;
  AsbOpensandboxClient *client;
  AsbOpensandboxExecd *execd;
  AsbOpensandboxRun *run;
  guint n_questions;
  gboolean done;
  GError *error;
  GMutex mutex;
  GCond cond;
} World;

static void
wait_for_questions (World *world)
{
  g_mutex_lock (&world->mutex);
  while (world->n_questions < ENOUGH_QUESTIONS && !world->done)
    g_cond_wait (&world->cond, &world->mutex);
  g_mutex_unlock (&world->mutex);
}

static void
count_question (World *world)
{
  g_mutex_lock (&world->mutex);
  world->n_questions++;
  g_cond_broadcast (&world->cond);
  g_mutex_unlock (&world->mutex);
}

static gboolean
answer_cb (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  World *world = data;
  g_autofree char *body = g_strdup_printf ("{\"status\":{\"state\":\"%s\"}}", world->state);

  if (!g_str_has_prefix (head, "POST"))
    {
      count_question (world);
      hostile_connection_reply (connection, "200 OK", "Content-Type: application/json\r\n", body);
      return TRUE;
    }
  hostile_connection_write (connection, HEAD INIT);
  wait_for_questions (world);
  hostile_connection_write (connection, COMPLETE);
  return FALSE;
}

static void
done_cb (AsbOpensandboxRun *run, const GError *error, gpointer data)
{
  World *world = data;

  g_mutex_lock (&world->mutex);
  world->done = TRUE;
  world->error = error ? g_error_copy (error) : NULL;
  g_cond_broadcast (&world->cond);
  g_mutex_unlock (&world->mutex);
}

static const AsbOpensandboxRunHandlers handlers = { NULL, done_cb };

static void
open_in_thread (gpointer data)
{
  World *world = data;
  g_autofree char *base = g_strconcat ("http://", hostile_server_get_domain (world->server), NULL);
  g_autoptr (AsbOpensandboxEndpoint) endpoint = asb_opensandbox_endpoint_new (base, NULL, 0);

  asb_opensandbox_endpoint_set_sandbox (endpoint, "sb");
  world->execd = asb_opensandbox_execd_new (world->client, endpoint);
  world->run = asb_opensandbox_run_start (
      world->execd,
      asb_opensandbox_execd_new_request (world->execd, "POST", "/command", "do the test"),
      ASB_OPENSANDBOX_RUN_COMMAND, &handlers, world);
}

static void
close_in_thread (gpointer data)
{
  World *world = data;

  asb_opensandbox_run_unref (world->run);
  g_object_unref (world->execd);
}

/* Until it has ended. */
static void
run (World *world, const char *state)
{
  world->state = state;
  world->server = hostile_server_new (answer_cb, world);
  world->client = exchange_client_new (world->server);
  g_mutex_init (&world->mutex);
  g_cond_init (&world->cond);
  asb_opensandbox_thread_post (open_in_thread, world);
  g_mutex_lock (&world->mutex);
  while (!world->done)
    g_cond_wait (&world->cond, &world->mutex);
  g_mutex_unlock (&world->mutex);
  asb_opensandbox_thread_post (close_in_thread, world);
  exchange_settle ();
}

static void
world_clear (World *world)
{
  g_clear_error (&world->error);
  g_object_unref (world->client);
  hostile_server_free (world->server);
  g_mutex_clear (&world->mutex);
  g_cond_clear (&world->cond);
}

static void
test_paused (void)
{
  World world = { 0 };

  g_test_summary ("A command of a sandbox that is paused is waited for, however long that takes");
  run (&world, "Paused");
  g_assert_no_error (world.error);
  world_clear (&world);
}

static void
test_silent (void)
{
  World world = { 0 };

  g_test_summary ("An execd that says nothing, of a sandbox that runs, is not waited for");
  run (&world, "Running");
  g_assert_error (world.error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_nonnull (strstr (world.error->message, "execd has said nothing"));
  g_assert_cmpuint (world.n_questions, ==, 1);
  world_clear (&world);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  asb_opensandbox_run_set_silence (SILENCE_MS);
  g_test_add_func ("/opensandbox/runs/paused", test_paused);
  g_test_add_func ("/opensandbox/runs/silent", test_silent);
  return g_test_run ();
}
