/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Terminals, and an execd that keeps to nothing. */

#include <string.h>

#include "asb-opensandbox-pty.h"
#include "asb-opensandbox-thread.h"
#include "exchange.h"
#include "hostile-websocket.h"

#define PONG "{\"type\":\"pong\"}"
#define EXIT "{\"type\":\"exit\",\"exit_code\":0}"
#define N_PONGS 1000
#define TYPED (1024 * 1024)

typedef struct
{
  void (*talk) (HostileConnection *connection);
  HostileServer *server;
  AsbOpensandboxClient *client;
  AsbOpensandboxExecd *execd;
  AsbOpensandboxPty *pty;
  char *typed;
  guint n_taken;
  int exit_code;
  GError *error;
  gboolean done;
  GMutex mutex;
  GCond cond;
} World;

/* A script goes there, a session is made, and a WebSocket opened. */
static gboolean
answer_cb (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  World *world = data;

  if (strstr (head, "/files/upload"))
    hostile_connection_reply (connection, "200 OK", "", "");
  else if (g_str_has_prefix (head, "POST"))
    hostile_connection_reply (connection, "200 OK", "Content-Type: application/json\r\n",
                              "{\"session_id\":\"a\"}");
  else if (g_str_has_prefix (head, "DELETE"))
    hostile_connection_reply (connection, "200 OK", "", "");
  else
    {
      hostile_websocket_accept (connection, head);
      world->talk (connection);
      return FALSE;
    }
  return TRUE;
}

static void
output_cb (AsbOpensandboxPty *pty, gboolean is_stderr, const guint8 *bytes, gsize size,
           gpointer data)
{
}

static void
taken_cb (AsbOpensandboxPty *pty, gpointer data)
{
  World *world = data;

  world->n_taken++;
  asb_opensandbox_pty_type (pty, world->typed, TYPED);
}

static void
ended_cb (AsbOpensandboxPty *pty, int exit_code, const GError *error, gpointer data)
{
  World *world = data;

  g_mutex_lock (&world->mutex);
  world->exit_code = exit_code;
  world->error = error ? g_error_copy (error) : NULL;
  world->done = TRUE;
  g_cond_signal (&world->cond);
  g_mutex_unlock (&world->mutex);
}

static const AsbOpensandboxPtyHandlers handlers = { output_cb, taken_cb, ended_cb };

static void
open_in_thread (gpointer data)
{
  World *world = data;
  g_autoptr (GBytes) script = g_bytes_new_static ("true\n", 5);
  g_autoptr (AsbOpensandboxEndpoint) endpoint
      = asb_opensandbox_endpoint_ref (asb_opensandbox_client_get_lifecycle (world->client));

  world->execd = asb_opensandbox_execd_new (world->client, endpoint);
  world->pty = asb_opensandbox_pty_open (world->execd, script, FALSE, &handlers, world);
}

static void
close_in_thread (gpointer data)
{
  World *world = data;

  asb_opensandbox_pty_unref (world->pty);
  g_object_unref (world->execd);
}

/* Until it has ended. */
static void
run (World *world)
{
  world->server = hostile_server_new (answer_cb, world);
  world->client = exchange_client_new (world->server);
  world->typed = g_strnfill (TYPED, 'x');
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
  g_free (world->typed);
}

static void
say_pongs (HostileConnection *connection)
{
  for (guint i = 0; i < N_PONGS; i++)
    hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_TEXT, PONG,
                            strlen (PONG));
  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_TEXT, EXIT,
                          strlen (EXIT));
  hostile_connection_wait (connection);
}

static void
test_pongs (void)
{
  World world = { .talk = say_pongs };

  g_test_summary ("Who says that he has taken what he has not read is given no more");

  run (&world);
  g_assert_no_error (world.error);
  /* What the sockets hold, and what was typed last. */
  g_assert_cmpuint (world.n_taken, <, N_PONGS / 10);
  world_clear (&world);
}

static void
say_gap (HostileConnection *connection)
{
  static const guint8 replay[] = { 3, 0, 0, 0, 0, 0, 0, 0, 5, 'x' };

  hostile_websocket_send (connection, HOSTILE_WEBSOCKET_FIN | HOSTILE_WEBSOCKET_BINARY, replay,
                          sizeof replay);
  hostile_connection_wait (connection);
}

static void
test_gap (void)
{
  World world = { .talk = say_gap };

  g_test_summary ("Output of which a part is missing is not taken for all of it");

  run (&world);
  g_assert_error (world.error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_nonnull (strstr (world.error->message, "dropped a part of the output"));
  world_clear (&world);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/terminals/pongs", test_pongs);
  g_test_add_func ("/terminals/gap", test_gap);

  return g_test_run ();
}
