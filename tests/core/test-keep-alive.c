/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test.h"

#include "asb-backend-private.h"

/* When sandboxes are renewed: first the rule, by numbers, then backends that live by it. There a
 * second is 400 microseconds. */

#define WINDOW 600

static AsbKeepAliveState
new_state (gboolean always)
{
  return (AsbKeepAliveState){
    .window = WINDOW, .always = always, .renewed_at = 1000, .expires_at = 1000 + WINDOW
  };
}

static void
test_always (void)
{
  AsbKeepAliveState state = new_state (TRUE);

  g_test_summary ("What is always kept is renewed at a third of its time");

  g_assert_cmpint (asb_keep_alive_next (&state), ==, 1200);
  state.n_running = 3;
  state.used_at = 1100;
  g_assert_cmpint (asb_keep_alive_next (&state), ==, 1200);
}

static void
test_idle (void)
{
  AsbKeepAliveState state = new_state (FALSE);

  g_test_summary ("What is kept by use is renewed while it is used, and once after it");

  g_assert_cmpint (asb_keep_alive_next (&state), ==, ASB_KEEP_ALIVE_NEVER);
  state.n_running = 1;
  g_assert_cmpint (asb_keep_alive_next (&state), ==, 1200);
  state.n_running = 0;
  state.used_at = 1010;
  g_assert_cmpint (asb_keep_alive_next (&state), ==, 1060);
  state.used_at = 1500;
  g_assert_cmpint (asb_keep_alive_next (&state), ==, 1060);
  state.renewed_at = 1500;
  state.expires_at = 2100;
  g_assert_cmpint (asb_keep_alive_next (&state), ==, ASB_KEEP_ALIVE_NEVER);
}

static void
test_longer (void)
{
  AsbKeepAliveState state = new_state (TRUE);

  g_test_summary ("What was renewed for longer is not shortened, and for shorter is kept");

  state.expires_at = 1000 + 3600;
  g_assert_cmpint (asb_keep_alive_next (&state), ==, 4600 - 400);
  state.always = FALSE;
  state.used_at = 1500;
  g_assert_cmpint (asb_keep_alive_next (&state), ==, ASB_KEEP_ALIVE_NEVER);
  state.used_at = 4100;
  g_assert_cmpint (asb_keep_alive_next (&state), ==, 4600 - 540);
  state.n_running = 1;
  g_assert_cmpint (asb_keep_alive_next (&state), ==, 4600 - 400);

  state = new_state (TRUE);
  state.expires_at = 1000 + 30;
  g_assert_cmpint (asb_keep_alive_next (&state), ==, 1010);
}

static void
test_unknown (void)
{
  AsbKeepAliveState state = new_state (FALSE);

  g_test_summary ("A sandbox of which nobody knows when it ends is renewed as soon as it is used");

  state.expires_at = state.renewed_at;
  g_assert_cmpint (asb_keep_alive_next (&state), ==, ASB_KEEP_ALIVE_NEVER);
  state.n_running = 1;
  g_assert_cmpint (asb_keep_alive_next (&state), ==, 1000);
}

static void
test_retries (void)
{
  static const gint64 delays[] = { 10, 20, 40, 80, 100, 100, 100 };
  AsbKeepAliveState state = new_state (TRUE);

  g_test_summary ("Failures are repeated after more and more time, up to a sixth of it");

  state.failed_at = 1200;
  for (guint i = 0; i < G_N_ELEMENTS (delays); i++)
    {
      state.n_failures = i + 1;
      g_assert_cmpint (asb_keep_alive_next (&state), ==, 1200 + delays[i]);
    }
}

static void
test_not_now (void)
{
  AsbKeepAliveState states[4];

  g_test_summary ("Not while it is paused, held or asked for, and never again once it is over");

  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    states[i] = new_state (TRUE);
  states[0].is_paused = TRUE;
  states[1].n_holders = 1;
  states[2].is_asking = TRUE;
  states[3].is_over = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    g_assert_cmpint (asb_keep_alive_next (&states[i]), ==, ASB_KEEP_ALIVE_NEVER);
}

/* With backends. */

typedef struct
{
  AsbProvider *mock;
  AsbProvider *clock;
  AsbBackendOptions *options;
  GError *error;
  GMutex mutex;
  GHashTable *renewals; /* sandbox id → how many */
  gboolean is_renewed;
} Fixture;

/* In whichever thread. */
static void
called_cb (AsbProvider *mock, const char *operation, const char *sandbox_id, gpointer user_data)
{
  Fixture *fixture = user_data;
  guint n;

  if (!g_str_equal (operation, "renew_sandbox"))
    return;
  g_mutex_lock (&fixture->mutex);
  n = GPOINTER_TO_UINT (g_hash_table_lookup (fixture->renewals, sandbox_id));
  g_hash_table_insert (fixture->renewals, g_strdup (sandbox_id), GUINT_TO_POINTER (n + 1));
  g_mutex_unlock (&fixture->mutex);
  g_main_context_wakeup (NULL);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  asb_keep_alive_set_second (400);
  g_mutex_init (&fixture->mutex);
  fixture->renewals = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  fixture->mock = test_mock_new ("{'keep-alive': <true>}");
  fixture->options = test_options_new (fixture->mock);
  g_signal_connect (fixture->mock, "called", G_CALLBACK (called_cb), fixture);
  fixture->clock = test_mock_new ("{'keep-alive': <true>}");
  g_signal_connect (fixture->clock, "called", G_CALLBACK (called_cb), fixture);
}

static void
gone_cb (gpointer data, GObject *where_it_was)
{
  g_atomic_int_add ((int *)data, -1);
  g_main_context_wakeup (NULL);
}

static void
let_go (Fixture *fixture, AsbProvider **mock, int *n_left)
{
  g_signal_handlers_disconnect_by_data (*mock, fixture);
  g_object_weak_ref (G_OBJECT (*mock), gone_cb, n_left);
  g_clear_object (mock);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  int n_left = 2;

  g_assert_no_error (fixture->error);
  g_clear_object (&fixture->options);
  let_go (fixture, &fixture->mock, &n_left);
  let_go (fixture, &fixture->clock, &n_left);
  /* The thread that renews lets go of them when it is done with the last answer. */
  while (g_atomic_int_get (&n_left) > 0)
    g_main_context_iteration (NULL, TRUE);
  g_hash_table_unref (fixture->renewals);
  g_mutex_clear (&fixture->mutex);
  asb_keep_alive_set_second (G_TIME_SPAN_SECOND);
}

static AsbBackend *
create (Fixture *fixture, gint64 seconds)
{
  AsbBackend *backend;

  asb_backend_options_set_sandbox_ttl_mode (fixture->options,
                                            seconds ? ASB_TTL_MODE_SECONDS : ASB_TTL_MODE_UNSET);
  asb_backend_options_set_sandbox_ttl_seconds (fixture->options, seconds);
  backend = asb_create_backend (fixture->options, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  return backend;
}

static guint
count (Fixture *fixture, AsbBackend *backend)
{
  const char *id = asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend));
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&fixture->mutex);

  return GPOINTER_TO_UINT (g_hash_table_lookup (fixture->renewals, id));
}

static void
wait_for (Fixture *fixture, AsbBackend *backend, guint n)
{
  while (count (fixture, backend) < n)
    g_main_context_iteration (NULL, TRUE);
}

/* Long enough for any sandbox to be renewed, and for one that lives 60 seconds many times: one of
 * another provider, always kept, is the clock. */
static void
wait_long (Fixture *fixture)
{
  g_autoptr (AsbBackendOptions) options = test_options_new (fixture->clock);
  g_autoptr (AsbBackend) backend = asb_create_backend (options, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  wait_for (fixture, backend, 2);
  test_backend_close (backend);
}

static void
test_backend_always (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create (fixture, 0);
  g_autoptr (AsbSandboxInfo) info = asb_backend_query_info (backend, NULL, &fixture->error);
  guint n;

  g_test_summary (
      "With nothing said a sandbox has a time to live, and is kept until the backend is "
      "closed, also when it does nothing and no main loop runs");

  g_assert_no_error (fixture->error);
  g_assert_nonnull (asb_sandbox_info_get_expires_at (info));
  wait_for (fixture, backend, 3);
  asb_backend_close (backend, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  n = count (fixture, backend);
  wait_long (fixture);
  g_assert_cmpuint (count (fixture, backend), ==, n);
}

static void
test_backend_dropped (Fixture *fixture, gconstpointer data)
{
  AsbBackend *backend = create (fixture, 0);
  g_autofree char *id = g_strdup (asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend)));
  guint n;

  g_test_summary ("A backend that is dropped keeps nothing alive");

  wait_for (fixture, backend, 1);
  g_assert_finalize_object (backend);
  n = GPOINTER_TO_UINT (g_hash_table_lookup (fixture->renewals, id));
  wait_long (fixture);
  g_assert_cmpuint (GPOINTER_TO_UINT (g_hash_table_lookup (fixture->renewals, id)), <=, n + 1);
}

static void
test_backend_idle (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create (fixture, 60);
  g_autoptr (AsbSandboxInfo) info = NULL;
  guint n;

  g_test_summary ("With a number a sandbox that does nothing is left alone, and lives that long "
                  "after its use");

  wait_long (fixture);
  g_assert_cmpuint (count (fixture, backend), ==, 0);
  info = asb_backend_query_info (backend, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  wait_for (fixture, backend, 1);
  wait_long (fixture);
  /* Once as it began, since a third of the time was over, and once after it. */
  n = count (fixture, backend);
  g_assert_cmpuint (n, <=, 2);
  wait_long (fixture);
  g_assert_cmpuint (count (fixture, backend), ==, n);
  test_backend_close (backend);
}

static void
test_backend_running (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("sit");
  g_autoptr (AsbBackend) backend = create (fixture, 60);
  g_autoptr (AsbCommand) command = NULL;
  guint n, n_ended;

  g_test_summary ("As long as a command runs its sandbox is kept, and not longer");

  test_mock_set_result (fixture->mock, "sit", "{'hold': <true>}");
  command = asb_backend_start_command (backend, spec, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  wait_for (fixture, backend, 4);
  g_signal_emit_by_name (fixture->mock, "finish-commands", "sit", &n_ended);
  asb_command_wait (command, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  wait_long (fixture);
  n = count (fixture, backend);
  wait_long (fixture);
  g_assert_cmpuint (count (fixture, backend), ==, n);
  test_backend_close (backend);
}

static void
test_backend_stream (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create (fixture, 60);
  g_autoptr (GOutputStream) stream
      = asb_backend_open_write (backend, "file", -1, NULL, &fixture->error);

  g_test_summary ("As long as a file is written its sandbox is kept");

  g_assert_no_error (fixture->error);
  wait_for (fixture, backend, 4);
  g_output_stream_close (stream, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_clear_object (&stream);
  test_backend_close (backend);
}

static void
test_backend_failures (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create (fixture, 0);
  g_autoptr (AsbSandboxInfo) info = NULL;
  guint n;

  g_test_summary ("What fails is done again, until there is no sandbox any more, and nobody hears "
                  "of it");

  test_mock_add_fault (fixture->mock, "{'operation': <'renew_sandbox'>, 'fault': <'fail'>}");
  wait_for (fixture, backend, 3);
  info = asb_backend_query_info (backend, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  test_mock_clear_faults (fixture->mock);
  n = count (fixture, backend);
  wait_for (fixture, backend, n + 2);
  test_mock_add_fault (fixture->mock, "{'operation': <'renew_sandbox'>, 'fault': <'fail'>, "
                                      "'code': <'sandbox_not_found'>}");
  wait_long (fixture);
  test_mock_clear_faults (fixture->mock);
  n = count (fixture, backend);
  wait_long (fixture);
  g_assert_cmpuint (count (fixture, backend), ==, n);
  test_backend_close (backend);
}

static void
test_backend_unanswered (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create (fixture, 0);
  guint n_released;

  g_test_summary ("Closing does not wait for a renewal that nobody answers");

  test_mock_add_fault (fixture->mock, "{'operation': <'renew_sandbox'>, 'fault': <'delay'>, "
                                      "'delay-ms': <uint32 600000>}");
  wait_for (fixture, backend, 1);
  test_backend_close (backend);
  g_signal_emit_by_name (fixture->mock, "release", "*", &n_released);
  g_assert_cmpuint (n_released, ==, 0);
  test_mock_clear_faults (fixture->mock);
}

static void
test_backend_pause (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create (fixture, 0);
  guint n;

  g_test_summary ("A sandbox that is paused is not renewed, and is again once it goes on");

  wait_for (fixture, backend, 1);
  g_object_unref (asb_backend_pause (backend, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
  n = count (fixture, backend);
  wait_long (fixture);
  g_assert_cmpuint (count (fixture, backend), <=, n + 1);
  n = count (fixture, backend);
  wait_long (fixture);
  g_assert_cmpuint (count (fixture, backend), ==, n);
  g_object_unref (asb_backend_resume (backend, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
  wait_for (fixture, backend, n + 2);
  test_backend_close (backend);
}

static void
test_backend_renew (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create (fixture, 0);
  g_autoptr (AsbSandboxInfo) info = NULL;
  guint n;

  g_test_summary ("What somebody renews for longer is not shortened, and nothing but more than 0 "
                  "seconds is taken");

  wait_for (fixture, backend, 1);
  info = asb_backend_renew (backend, 1000000, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_nonnull (asb_sandbox_info_get_expires_at (info));
  n = count (fixture, backend);
  wait_long (fixture);
  g_assert_cmpuint (count (fixture, backend), ==, n);
  g_assert_null (asb_backend_renew (backend, 0, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&fixture->error);
  g_clear_object (&info);
  info = asb_backend_renew (backend, 90, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  wait_for (fixture, backend, n + 3);
  test_backend_close (backend);
}

static void
renewed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Fixture *fixture = user_data;
  g_autoptr (AsbSandboxInfo) info
      = asb_backend_renew_finish (ASB_BACKEND (source), result, &fixture->error);

  g_assert_no_error (fixture->error);
  g_assert_nonnull (info);
  fixture->is_renewed = TRUE;
}

static void
test_backend_renew_in_turn (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create (fixture, 0);

  g_test_summary ("What somebody renews does not overtake a renewal on its way, which would undo "
                  "it");

  test_mock_add_fault (fixture->mock, "{'operation': <'renew_sandbox'>, 'fault': <'hold'>}");
  wait_for (fixture, backend, 1);
  test_mock_clear_faults (fixture->mock);
  asb_backend_renew_async (backend, 90, NULL, renewed_cb, fixture);
  wait_long (fixture);
  g_assert_cmpuint (count (fixture, backend), ==, 1);
  g_assert_false (fixture->is_renewed);
  g_assert_cmpuint (test_mock_release (fixture->mock, "renew_sandbox"), ==, 1);
  while (!fixture->is_renewed)
    g_main_context_iteration (NULL, TRUE);
  test_backend_close (backend);
}

static GDateTime *
created_with (Fixture *fixture, AsbCleanupPolicy cleanup, AsbTtlMode mode)
{
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  GDateTime *expires_at;

  asb_backend_options_set_cleanup (fixture->options, cleanup);
  asb_backend_options_set_sandbox_ttl_mode (fixture->options, mode);
  backend = asb_create_backend (fixture->options, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  info = asb_backend_query_info (backend, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  expires_at = asb_sandbox_info_get_expires_at (info);
  if (expires_at)
    g_date_time_ref (expires_at);
  wait_long (fixture);
  g_assert_cmpuint (count (fixture, backend), ==, 0);
  test_backend_close (backend);
  return expires_at;
}

static void
test_left_out (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A sandbox that is to stay, or never to end, is given no time and not renewed");

  g_assert_null (created_with (fixture, ASB_CLEANUP_POLICY_ON_CLOSE, ASB_TTL_MODE_NEVER));
  g_assert_null (created_with (fixture, ASB_CLEANUP_POLICY_NEVER, ASB_TTL_MODE_UNSET));
}

static void
test_too_short (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A time the provider does not take is refused before anything is made");

  asb_backend_options_set_sandbox_ttl_mode (fixture->options, ASB_TTL_MODE_SECONDS);
  asb_backend_options_set_sandbox_ttl_seconds (fixture->options, 59);
  g_assert_null (asb_create_backend (fixture->options, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (g_strstr_len (fixture->error->message, -1, "at least 60"));
  g_clear_error (&fixture->error);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "create_sandbox"), ==, 0);
}

static void
test_very_long (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create (fixture, G_MAXINT64);

  g_test_summary ("A time that is as good as none does not have it renewed all the time");

  g_object_unref (asb_backend_query_info (backend, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
  wait_long (fixture);
  g_assert_cmpuint (count (fixture, backend), ==, 0);
  test_backend_close (backend);
}

static AsbBackend *
connect_to (Fixture *fixture, AsbBackend *backend, gint64 seconds)
{
  g_autoptr (AsbBackendOptions) options = test_options_new (fixture->mock);
  AsbBackend *connected;

  asb_backend_options_set_mode (options, ASB_BACKEND_MODE_CONNECT);
  asb_backend_options_set_ref (options, asb_backend_get_ref (backend));
  if (seconds > 0)
    asb_backend_options_set_sandbox_ttl_mode (options, ASB_TTL_MODE_SECONDS);
  asb_backend_options_set_sandbox_ttl_seconds (options, seconds);
  connected = asb_create_backend (options, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  return connected;
}

static void
test_connected (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) made = NULL, connected = NULL;

  g_test_summary (
      "A sandbox without an end is given none by who connects to it, unless he says so");

  asb_backend_options_set_sandbox_ttl_mode (fixture->options, ASB_TTL_MODE_NEVER);
  made = asb_create_backend (fixture->options, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  connected = connect_to (fixture, made, 0);
  wait_long (fixture);
  g_assert_cmpuint (count (fixture, made), ==, 0);
  test_backend_close (connected);
  g_clear_object (&connected);
  connected = connect_to (fixture, made, 60);
  g_object_unref (asb_backend_query_info (connected, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
  wait_for (fixture, made, 1);
  test_backend_close (connected);
  test_backend_close (made);
}

static void
add (const char *path, void (*function) (Fixture *fixture, gconstpointer data))
{
  g_test_add (path, Fixture, NULL, set_up, function, tear_down);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/keep-alive/always", test_always);
  g_test_add_func ("/keep-alive/idle", test_idle);
  g_test_add_func ("/keep-alive/longer", test_longer);
  g_test_add_func ("/keep-alive/unknown", test_unknown);
  g_test_add_func ("/keep-alive/retries", test_retries);
  g_test_add_func ("/keep-alive/not-now", test_not_now);
  add ("/keep-alive/backend/always", test_backend_always);
  add ("/keep-alive/backend/dropped", test_backend_dropped);
  add ("/keep-alive/backend/idle", test_backend_idle);
  add ("/keep-alive/backend/running", test_backend_running);
  add ("/keep-alive/backend/stream", test_backend_stream);
  add ("/keep-alive/backend/failures", test_backend_failures);
  add ("/keep-alive/backend/unanswered", test_backend_unanswered);
  add ("/keep-alive/backend/pause", test_backend_pause);
  add ("/keep-alive/backend/renew", test_backend_renew);
  add ("/keep-alive/backend/renew-in-turn", test_backend_renew_in_turn);
  add ("/keep-alive/backend/left-out", test_left_out);
  add ("/keep-alive/backend/too-short", test_too_short);
  add ("/keep-alive/backend/very-long", test_very_long);
  add ("/keep-alive/backend/connected", test_connected);

  return g_test_run ();
}
