/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-library VERB [NUMBER]: measures one thing in this process and prints microseconds.
 *
 *   spawn ROUNDS      fork and exec of true, without a sandbox
 *   plain-cat BYTES   bytes through cat, without a sandbox
 *   exec ROUNDS       true in a live sandbox, recorded
 *   exec-none ROUNDS  the same, not recorded
 *   at-once ROUNDS    16 times true at the same time, recorded, until the last has ended
 *   stat ROUNDS       one round trip to the guest and back
 *   cat BYTES         bytes through cat in a live sandbox, recorded
 *   output BYTES      bytes a command prints, recorded; then waits as hold does
 *   text BYTES        the same, lines of text
 *   text-none BYTES   the same, not recorded
 *   files ROUNDS      100 bytes written to a file and read again, recorded
 *   create ROUNDS     a new sandbox, until it is ready
 *   big-file BYTES    a file written, then read, as streams; then waits as hold does
 *   many NUMBER       so many sandboxes, then a command in each; then waits as hold does
 *   hold              makes a sandbox, says "ready", and ends with standard input
 *
 * The sandboxes are local ones, or those of the server that ASB_BENCH_SERVER names. */

#include "bench.h"

#include <string.h>

void
bench_print_since (gint64 start)
{
  g_print ("%" G_GINT64_FORMAT "\n", g_get_monotonic_time () - start);
}

void
bench_wait_for_input (void)
{
  g_autoptr (GIOChannel) input = g_io_channel_unix_new (0);
  g_autofree char *line = NULL;

  g_io_channel_read_line (input, &line, NULL, NULL, NULL);
}

static void
bench_exec (guint rounds, gboolean recorded)
{
  const char *const argv[] = { "true", NULL };
  AsbBackend *backend = bench_create (recorded);

  for (guint i = 0; i < rounds; i++)
    {
      g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);
      g_autoptr (AsbCommandResult) result = NULL;
      g_autoptr (GError) error = NULL;
      gint64 start = g_get_monotonic_time ();

      result = asb_backend_execute (backend, spec, NULL, &error);
      bench_print_since (start);
      g_assert_no_error (error);
      g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 0);
    }
  bench_destroy (backend);
}

#define AT_ONCE 16

static void
executed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandResult) done
      = asb_backend_execute_finish (ASB_BACKEND (source), result, &error);
  guint *running = user_data;

  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_exit_status (done), ==, 0);
  --*running;
}

static void
bench_at_once (guint rounds)
{
  const char *const argv[] = { "true", NULL };
  AsbBackend *backend = bench_create (TRUE);

  for (guint i = 0; i < rounds; i++)
    {
      gint64 start = g_get_monotonic_time ();
      guint running = AT_ONCE;

      for (guint j = 0; j < AT_ONCE; j++)
        {
          g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);

          asb_backend_execute_async (backend, spec, NULL, executed_cb, &running);
        }
      while (running > 0)
        g_main_context_iteration (NULL, TRUE);
      bench_print_since (start);
    }
  bench_destroy (backend);
}

static void
bench_stat (guint rounds)
{
  AsbBackend *backend = bench_create (FALSE);
  AsbTransport *transport = asb_backend_get_transport (backend);

  for (guint i = 0; i < rounds; i++)
    {
      g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/workspace");
      g_autoptr (AsbFileInfo) info = NULL;
      g_autoptr (GError) error = NULL;
      gint64 start = g_get_monotonic_time ();

      info = asb_transport_query_file (transport, request, NULL, &error);
      bench_print_since (start);
      g_assert_no_error (error);
    }
  bench_destroy (backend);
}

typedef struct
{
  GOutputStream *stream;
  guint64 size;
} Feed;

static gpointer
feed (gpointer data)
{
  const Feed *what = data;
  g_autofree char *piece = g_malloc0 (PIECE_SIZE);
  g_autoptr (GError) error = NULL;
  guint64 left = what->size;

  while (left > 0)
    {
      gsize length = (gsize)MIN (left, PIECE_SIZE);

      g_output_stream_write_all (what->stream, piece, length, NULL, NULL, &error);
      g_assert_no_error (error);
      left -= length;
    }
  g_output_stream_close (what->stream, NULL, &error);
  g_assert_no_error (error);
  return NULL;
}

static guint64
drain (GInputStream *stream)
{
  g_autofree char *piece = g_malloc (PIECE_SIZE);
  g_autoptr (GError) error = NULL;
  guint64 total = 0;
  gssize length;

  while ((length = g_input_stream_read (stream, piece, PIECE_SIZE, NULL, &error)) > 0)
    total += (guint64)length;
  g_assert_no_error (error);
  return total;
}

static void
bench_cat (guint64 size)
{
  const char *const argv[] = { "cat", NULL };
  AsbBackend *backend = bench_create (TRUE);
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);
  g_autoptr (AsbCommand) command = NULL;
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();
  GThread *feeder;
  Feed what = { NULL, size };

  asb_command_spec_set_flags (spec, ASB_COMMAND_FLAGS_STDIN_PIPE);
  command = asb_backend_start_command (backend, spec, NULL, &error);
  g_assert_no_error (error);
  what.stream = asb_command_get_stdin_pipe (command);
  feeder = g_thread_new ("feed", feed, &what);
  g_assert_cmpuint (drain (asb_command_get_stdout_pipe (command)), ==, size);
  g_thread_join (feeder);
  asb_command_wait (command, NULL, &error);
  g_assert_no_error (error);
  bench_print_since (start);
  bench_destroy (backend);
}

static void
hold (void)
{
  AsbBackend *backend = bench_create (TRUE);

  g_print ("ready\n");
  bench_wait_for_input ();
  bench_destroy (backend);
}

static void
bench_output (guint64 size, const char *source, gboolean recorded)
{
  g_autofree char *line = g_strdup_printf ("%s | head -c %" G_GUINT64_FORMAT, source, size);
  AsbBackend *backend = bench_create (recorded);
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (line);
  g_autoptr (AsbCommand) command = NULL;
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();

  command = asb_backend_start_command (backend, spec, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (drain (asb_command_get_stdout_pipe (command)), ==, size);
  asb_command_wait (command, NULL, &error);
  g_assert_no_error (error);
  bench_print_since (start);
  bench_wait_for_input ();
  bench_destroy (backend);
}

static void
bench_one (const char *verb, guint64 number)
{
  if (g_str_equal (verb, "exec"))
    bench_exec ((guint)number, TRUE);
  else if (g_str_equal (verb, "exec-none"))
    bench_exec ((guint)number, FALSE);
  else if (g_str_equal (verb, "at-once"))
    bench_at_once ((guint)number);
  else if (g_str_equal (verb, "output"))
    bench_output (number, "cat /dev/zero", TRUE);
  else if (g_str_equal (verb, "text"))
    bench_output (number, "yes " BENCH_LINE, TRUE);
  else if (g_str_equal (verb, "text-none"))
    bench_output (number, "yes " BENCH_LINE, FALSE);
  else if (g_str_equal (verb, "stat"))
    bench_stat ((guint)number);
  else if (g_str_equal (verb, "cat"))
    bench_cat (number);
  else if (g_str_equal (verb, "files"))
    bench_files ((guint)number);
  else if (g_str_equal (verb, "create"))
    bench_created ((guint)number);
  else if (g_str_equal (verb, "big-file"))
    bench_big_file (number);
  else if (g_str_equal (verb, "many"))
    bench_many ((guint)number);
  else if (g_str_equal (verb, "hold"))
    hold ();
  else
    g_error ("“%s” is nothing to measure", verb);
}

int
main (int argc, char **argv)
{
  const char *verb = argc > 1 ? argv[1] : "";
  guint64 number = argc > 2 ? g_ascii_strtoull (argv[2], NULL, 10) : 1;

  if (g_str_equal (verb, "spawn"))
    bench_plain_spawn ((guint)number);
  else if (g_str_equal (verb, "plain-cat"))
    bench_plain_cat (number);
  else
    bench_one (verb, number);
  return 0;
}
