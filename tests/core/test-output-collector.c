/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test.h"

#include <string.h>

#include "asb-output-collector-private.h"

#define BIG (512 * 1024)

/* Bytes that tell their place. */
static guint8 *
make_pattern (gsize size)
{
  guint8 *bytes = g_malloc (size + 1);

  for (gsize i = 0; i < size; i++)
    bytes[i] = (guint8)((i * 31 + i / 256) & 0xFF);
  return bytes;
}

static AsbCollectedOutput *
collect (GInputStream *stream, guint64 max_size, guint64 tail_size, GError **error)
{
  g_auto (TestAnswer) answer = { 0 };

  asb_output_collect_async (stream, max_size, tail_size, NULL, test_answer_cb, &answer);
  g_assert_cmpuint (answer.n_calls, ==, 0);
  return asb_output_collect_finish (stream, test_answer_wait (&answer), error);
}

/* What has to come out. */
static void
check (const guint8 *bytes, gsize size, guint64 max_size, guint64 tail_size,
       AsbCollectedOutput *output)
{
  gsize kept = (gsize)MIN (size, max_size);
  gsize tail = (gsize)MIN (tail_size, max_size);
  g_autofree guint8 *expected = g_malloc (kept + 1);

  if (size <= max_size)
    memcpy (expected, bytes, size);
  else
    {
      memcpy (expected, bytes, kept - tail);
      memcpy (expected + kept - tail, bytes + size - tail, tail);
    }
  g_assert_cmpuint (output->total, ==, size);
  g_assert_cmpint (output->truncated, ==, size > max_size);
  g_assert_cmpmem (g_bytes_get_data (output->bytes, NULL), g_bytes_get_size (output->bytes),
                   expected, kept);
}

static void
check_size (gsize size, guint64 max_size, guint64 tail_size)
{
  g_autofree guint8 *bytes = make_pattern (size);
  g_autoptr (GInputStream) stream = g_memory_input_stream_new_from_data (bytes, (gssize)size, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCollectedOutput) output = collect (stream, max_size, tail_size, &error);

  g_assert_no_error (error);
  check (bytes, size, max_size, tail_size, output);
}

static void
test_boundaries (void)
{
  static const guint64 max_sizes[] = { 0, 1, 2, 3, 7, 8, 100 };
  static const guint64 tails[] = { 0, 1, 2, 3, 6, 7, 8, 99, 100, 1000 };

  g_test_summary ("Head and tail at all sizes around each bound");

  for (gsize m = 0; m < G_N_ELEMENTS (max_sizes); m++)
    for (gsize t = 0; t < G_N_ELEMENTS (tails); t++)
      for (gsize size = 0; size <= 2 * max_sizes[m] + 9; size++)
        check_size (size, max_sizes[m], tails[t]);
}

static void
test_big (void)
{
  g_test_summary ("More than one buffer, with bounds on and beside those of the buffer");

  for (int by = -1; by <= 1; by++)
    {
      check_size ((gsize)(64 * 1024 + by), 64 * 1024, 16 * 1024);
      check_size ((gsize)(128 * 1024 + by), 64 * 1024, 16 * 1024);
      check_size (BIG, (guint64)(64 * 1024 + by), 64 * 1024);
      check_size (BIG, (guint64)(BIG + by), 1);
      check_size (BIG, 100000, (guint64)(65536 + by));
    }
}

static void
test_everything (void)
{
  g_test_summary ("Without a bound all is kept");

  check_size (BIG, G_MAXUINT64, 0);
  check_size (BIG, G_MAXUINT64, G_MAXUINT64);
  check_size (0, G_MAXUINT64, G_MAXUINT64);
}

/* A stream of endless size in pieces of odd sizes, without the memory for it. */

#define TEST_TYPE_STREAM (test_stream_get_type ())
G_DECLARE_FINAL_TYPE (TestStream, test_stream, TEST, STREAM, GInputStream)

struct _TestStream
{
  GInputStream parent_instance;

  guint64 size;
  guint64 at;
  gsize piece;
  guint64 fails_at;
};

G_DEFINE_FINAL_TYPE (TestStream, test_stream, G_TYPE_INPUT_STREAM)

static guint8
byte_at (guint64 at)
{
  return (guint8)((at * 31 + at / 256) & 0xFF);
}

static gssize
test_stream_read (GInputStream *stream, void *buffer, gsize count, GCancellable *cancellable,
                  GError **error)
{
  TestStream *self = TEST_STREAM (stream);
  gsize size = (gsize)MIN (MIN (count, self->piece), self->size - self->at);

  if (self->fails_at && self->at >= self->fails_at)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INTERRUPTED, "It broke off");
      return -1;
    }
  for (gsize i = 0; i < size; i++)
    ((guint8 *)buffer)[i] = byte_at (self->at + i);
  self->at += size;
  return (gssize)size;
}

static void
test_stream_class_init (TestStreamClass *klass)
{
  G_INPUT_STREAM_CLASS (klass)->read_fn = test_stream_read;
}

static void
test_stream_init (TestStream *self)
{
}

static TestStream *
new_stream (guint64 size, gsize piece)
{
  TestStream *stream = g_object_new (TEST_TYPE_STREAM, NULL);

  stream->size = size;
  stream->piece = piece;
  return stream;
}

static void
test_huge (void)
{
  const guint64 size = 40 * 1024 * 1024 + 12345;
  g_autoptr (TestStream) stream = new_stream (size, 65521);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCollectedOutput) output
      = collect (G_INPUT_STREAM (stream), 1024 * 1024, 256 * 1024, &error);
  const guint8 *bytes;

  g_test_summary ("Of very much the first and the last bytes are kept, in odd pieces too");

  g_assert_no_error (error);
  g_assert_cmpuint (output->total, ==, size);
  g_assert_true (output->truncated);
  g_assert_cmpuint (g_bytes_get_size (output->bytes), ==, 1024 * 1024);
  bytes = g_bytes_get_data (output->bytes, NULL);
  for (gsize i = 0; i < 768 * 1024; i++)
    g_assert_cmpuint (bytes[i], ==, byte_at (i));
  for (gsize i = 0; i < 256 * 1024; i++)
    g_assert_cmpuint (bytes[768 * 1024 + i], ==, byte_at (size - 256 * 1024 + i));
}

static void
test_pieces (void)
{
  g_test_summary ("The size of the pieces makes no difference");

  for (gsize piece = 1; piece < 40; piece++)
    {
      g_autoptr (TestStream) stream = new_stream (997, piece);
      g_autofree guint8 *bytes = make_pattern (997);
      g_autoptr (AsbCollectedOutput) output = collect (G_INPUT_STREAM (stream), 100, 33, NULL);

      check (bytes, 997, 100, 33, output);
    }
}

static void
test_error (void)
{
  g_autoptr (TestStream) stream = new_stream (1000, 10);
  g_autoptr (GError) error = NULL;

  g_test_summary ("A stream that breaks off is an error, not a short output");

  stream->fails_at = 500;
  g_assert_null (collect (G_INPUT_STREAM (stream), 100, 33, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

static void
test_cancelled (void)
{
  g_autoptr (TestStream) stream = new_stream (G_MAXUINT64, 1000);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_auto (TestAnswer) answer = { 0 };

  g_test_summary ("Collecting can be cancelled");

  asb_output_collect_async (G_INPUT_STREAM (stream), 100, 33, cancellable, test_answer_cb, &answer);
  g_cancellable_cancel (cancellable);
  g_assert_null (
      asb_output_collect_finish (G_INPUT_STREAM (stream), test_answer_wait (&answer), &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/output-collector/boundaries", test_boundaries);
  g_test_add_func ("/output-collector/big", test_big);
  g_test_add_func ("/output-collector/everything", test_everything);
  g_test_add_func ("/output-collector/huge", test_huge);
  g_test_add_func ("/output-collector/pieces", test_pieces);
  g_test_add_func ("/output-collector/error", test_error);
  g_test_add_func ("/output-collector/cancelled", test_cancelled);
  return g_test_run ();
}
