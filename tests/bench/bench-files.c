/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files, and many sandboxes. */

#include "bench.h"

#include <string.h>

#define SMALL 100
#define BIG_FILE "/tmp/asb-bench-file"
#define CREATED_AT_ONCE 8

void
bench_files (guint rounds)
{
  AsbBackend *backend = bench_create (TRUE);
  g_autofree char *text = g_strnfill (SMALL, 'x');
  g_autoptr (GBytes) contents = g_bytes_new (text, SMALL);

  for (guint i = 0; i < rounds; i++)
    {
      g_autoptr (AsbFileInfo) written = NULL;
      g_autoptr (GBytes) read = NULL;
      g_autoptr (GError) error = NULL;
      gint64 start = g_get_monotonic_time ();

      written = asb_backend_write_file (backend, "small", contents, NULL, NULL, &error);
      g_assert_no_error (error);
      read = asb_backend_read_file (backend, "small", NULL, &error);
      bench_print_since (start);
      g_assert_no_error (error);
      g_assert_true (g_bytes_equal (contents, read));
    }
  bench_destroy (backend);
}

void
bench_created (guint rounds)
{
  for (guint i = 0; i < rounds; i++)
    {
      gint64 start = g_get_monotonic_time ();
      AsbBackend *backend = bench_create (TRUE);

      bench_print_since (start);
      bench_destroy (backend);
    }
}

static void
put (AsbBackend *backend, guint64 size)
{
  g_autofree char *piece = g_malloc0 (PIECE_SIZE);
  g_autoptr (GError) error = NULL;
  g_autoptr (GOutputStream) stream = asb_backend_open_write (backend, BIG_FILE, -1, NULL, &error);

  g_assert_no_error (error);
  for (guint64 left = size; left > 0; left -= MIN (left, PIECE_SIZE))
    {
      g_output_stream_write_all (stream, piece, (gsize)MIN (left, PIECE_SIZE), NULL, NULL, &error);
      g_assert_no_error (error);
    }
  g_output_stream_close (stream, NULL, &error);
  g_assert_no_error (error);
}

static void
get (AsbBackend *backend, guint64 size)
{
  g_autofree char *piece = g_malloc (PIECE_SIZE);
  g_autoptr (GError) error = NULL;
  g_autoptr (GInputStream) stream = asb_backend_open_read (backend, BIG_FILE, NULL, &error);
  guint64 total = 0;
  gssize length;

  g_assert_no_error (error);
  while ((length = g_input_stream_read (stream, piece, PIECE_SIZE, NULL, &error)) > 0)
    total += (guint64)length;
  g_assert_no_error (error);
  g_assert_cmpuint (total, ==, size);
}

void
bench_big_file (guint64 size)
{
  AsbBackend *backend = bench_create (TRUE);
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();

  put (backend, size);
  bench_print_since (start);
  start = g_get_monotonic_time ();
  get (backend, size);
  bench_print_since (start);
  asb_backend_delete_file (backend, BIG_FILE, ASB_FILE_FLAGS_NONE, NULL, &error);
  g_assert_no_error (error);
  bench_wait_for_input ();
  bench_destroy (backend);
}

/* Many sandboxes at the same time. */

typedef struct
{
  GPtrArray *backends;
  guint wanted;
  guint begun;
  guint left; /* to be done before the step ends */
} Many;

static void begin_more (Many *many);

static void
one_created_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Many *many = user_data;

  g_ptr_array_add (many->backends, bench_create_finish (result));
  many->left--;
  begin_more (many);
}

static void
begin_more (Many *many)
{
  while (many->begun < many->wanted && many->begun - (many->wanted - many->left) < CREATED_AT_ONCE)
    {
      many->begun++;
      bench_create_async (TRUE, one_created_cb, many);
    }
}

static void
one_executed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandResult) done
      = asb_backend_execute_finish (ASB_BACKEND (source), result, &error);
  Many *many = user_data;

  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_exit_status (done), ==, 0);
  many->left--;
}

static void
one_closed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  Many *many = user_data;

  asb_backend_close_finish (ASB_BACKEND (source), result, &error);
  g_assert_no_error (error);
  many->left--;
}

static void
wait_for_all (Many *many)
{
  while (many->left > 0)
    g_main_context_iteration (NULL, TRUE);
  many->left = many->wanted;
}

/* Prints how long it takes to make them, and to run a command in each; the rest is read from this
 * process while it waits. */
void
bench_many (guint count)
{
  const char *const argv[] = { "true", NULL };
  Many many = { g_ptr_array_new_with_free_func (g_object_unref), count, 0, count };
  gint64 start = g_get_monotonic_time ();

  begin_more (&many);
  wait_for_all (&many);
  bench_print_since (start);
  start = g_get_monotonic_time ();
  for (guint i = 0; i < count; i++)
    {
      g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);

      asb_backend_execute_async (many.backends->pdata[i], spec, NULL, one_executed_cb, &many);
    }
  wait_for_all (&many);
  bench_print_since (start);
  bench_wait_for_input ();
  for (guint i = 0; i < count; i++)
    asb_backend_close_async (many.backends->pdata[i], NULL, one_closed_cb, &many);
  wait_for_all (&many);
  g_ptr_array_unref (many.backends);
}
