/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The operations on files: what is asked, what is made of the answer. */

#include "peer.h"

#include <string.h>

#include "asb-guest-transport-private.h"

#define NO_BYTES "\xff\x01name"

static AsbFileInfo *
finish_query (PeerFixture *fixture, GError **error)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->pending);

  return asb_transport_query_file_finish (fixture->transport, result, error);
}

static void
begin_query (PeerFixture *fixture, GCancellable *cancellable)
{
  asb_transport_query_file_async (fixture->transport, fixture->request, cancellable, pending_cb,
                                  &fixture->pending);
}

static void
test_query (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  begin_query (fixture, NULL);
  peer_expect_arguments (fixture->peer, "file.stat", "{\"path\": \"/d/f\", \"follow\": true}");
  peer_fixture_reply (fixture, "{\"result\": {\"entry\": " PEER_ENTRY "}}");
  info = finish_query (fixture, &error);
  g_assert_no_error (error);
  peer_check_entry (info);
  g_assert_null (asb_file_info_get_hash (info));
}

/* Names are bytes, and a time may be one that GLib has no date for. */
static void
test_query_link (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (AsbFileInfo) info = NULL;

  asb_file_request_set_path (fixture->request, "/" NO_BYTES);
  asb_file_request_set_flags (fixture->request, ASB_FILE_FLAGS_NOFOLLOW);
  begin_query (fixture, NULL);
  peer_expect_arguments (fixture->peer, "file.stat",
                         "{\"path\": {\"b64\": \"L/8BbmFtZQ==\"}, \"follow\": false}");
  peer_fixture_reply (fixture,
                      "{\"result\": {\"entry\": {\"name\": {\"b64\": \"/wFuYW1l\"},"
                      " \"path\": {\"b64\": \"L/8BbmFtZQ==\"}, \"kind\": \"symlink\", \"size\": 4,"
                      " \"mode\": 511, \"uid\": 0, \"gid\": 0,"
                      " \"mtime\": {\"sec\": 9007199254740991, \"nsec\": 0},"
                      " \"target\": {\"b64\": \"/w==\"}}}}");
  info = finish_query (fixture, NULL);
  g_assert_nonnull (info);
  g_assert_cmpstr (asb_file_info_get_path (info), ==, "/" NO_BYTES);
  g_assert_cmpstr (asb_file_info_get_target (info), ==, "\xff");
  g_assert_cmpint (asb_file_info_get_kind (info), ==, ASB_FILE_KIND_SYMLINK);
  g_assert_null (asb_file_info_get_modified_at (info));
}

static void
test_no_path (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_transport_query_file (fixture->transport, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (asb_transport_list_files (fixture->transport, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (asb_transport_open_write (fixture->transport, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_false (asb_transport_move_file (fixture->transport, fixture->request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

static void
test_offset_out_of_range (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  asb_file_request_set_offset (fixture->request, G_GUINT64_CONSTANT (1) << 53);
  g_assert_null (asb_transport_read_file (fixture->transport, fixture->request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

/* Lists. */

static GListModel *
finish_list (PeerFixture *fixture, GError **error)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->pending);

  return asb_transport_list_files_finish (fixture->transport, result, error);
}

static void
begin_list (PeerFixture *fixture)
{
  asb_transport_list_files_async (fixture->transport, fixture->request, NULL, pending_cb,
                                  &fixture->pending);
  peer_expect_arguments (fixture->peer, "file.list", "{\"path\": \"/d/f\"}");
}

static char *
many_entries (guint n)
{
  GString *lines = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (lines,
                            "{\"name\": \"%u\", \"path\": \"/d/f/%u\", \"kind\": \"file\","
                            " \"size\": %u, \"mode\": 420, \"uid\": 1, \"gid\": 2,"
                            " \"mtime\": {\"sec\": 3, \"nsec\": 4}}\n",
                            i, i, i);
  return g_string_free (lines, FALSE);
}

/* Frames end anywhere in a line; the REPLY may overtake them. */
static void
test_list (PeerFixture *fixture, gconstpointer data)
{
  gsize piece = GPOINTER_TO_SIZE (data);
  g_autofree char *lines = many_entries (100);
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GError) error = NULL;
  gsize size = strlen (lines);

  begin_list (fixture);
  if (piece == 7)
    peer_fixture_reply (fixture,
                        "{\"result\": {\"count\": 100, \"errors\": [], \"error_count\": 0}}");
  for (gsize at = 0; at < size; at += piece)
    peer_send (fixture->peer, ASB_FRAME_DATA, 1, 1, 0, lines + at, MIN (piece, size - at));
  peer_send_end (fixture->peer, 1, 1);
  if (piece != 7)
    peer_fixture_reply (fixture,
                        "{\"result\": {\"count\": 100, \"errors\": [], \"error_count\": 0}}");

  list = finish_list (fixture, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 100);
  for (guint i = 0; i < 100; i++)
    {
      g_autoptr (AsbFileInfo) info = g_list_model_get_item (list, i);
      g_autofree char *path = g_strdup_printf ("/d/f/%u", i);

      g_assert_cmpstr (asb_file_info_get_path (info), ==, path);
      g_assert_cmpuint (asb_file_info_get_size (info), ==, i);
    }
}

static void
test_list_errors (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GListModel) list = NULL;
  GVariant *errors;

  begin_list (fixture);
  peer_send_end (fixture->peer, 1, 1);
  peer_fixture_reply (fixture,
                      "{\"result\": {\"count\": 0, \"errors\": [{\"path\": \"/d/f/x\", \"code\":"
                      " \"permission_denied\", \"message\": \"No\"}], \"error_count\": 1}}");
  list = finish_list (fixture, NULL);
  g_assert_nonnull (list);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 0);
  errors = g_object_get_data (G_OBJECT (list), "asb-errors");
  g_assert_cmpuint (g_variant_n_children (errors), ==, 1);
}

/* More than a window of entries: credit is given as they come. */
static void
test_list_credit (PeerFixture *fixture, gconstpointer data)
{
  g_autofree char *lines = many_entries (10000);
  g_autofree char *end
      = g_strdup ("{\"result\": {\"count\": 10000, \"errors\": [], \"error_count\": 0}}");
  g_autoptr (GListModel) list = NULL;
  gsize size = strlen (lines);
  guint64 credit = 0;

  begin_list (fixture);
  for (gsize at = 0; at < size;)
    {
      gsize piece = MIN (ASB_FRAME_MAX_DATA, size - at);

      while (at + piece > credit + ASB_FRAME_WINDOW)
        {
          g_autoptr (PeerFrame) frame = peer_expect (fixture->peer, ASB_FRAME_CREDIT);

          credit = asb_frame_count_read (g_bytes_get_data (frame->payload, NULL));
        }
      peer_send (fixture->peer, ASB_FRAME_DATA, 1, 1, 0, lines + at, piece);
      at += piece;
    }
  peer_send_end (fixture->peer, 1, 1);
  peer_fixture_reply (fixture, end);
  list = finish_list (fixture, NULL);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 10000);
}

/* A directory without end is given up, and the rest refused. */
static void
test_list_endless (PeerFixture *fixture, gconstpointer data)
{
  g_autofree char *lines = many_entries (500);
  g_autoptr (GError) error = NULL;
  gsize size = strlen (lines);
  guint64 credit = 0;
  guint64 total = 0;
  gboolean refused = FALSE;

  g_assert_cmpuint (asb_guest_max_entries, ==, 262144);
  asb_guest_max_entries = 5000;
  g_assert_cmpuint (size, <=, ASB_FRAME_MAX_DATA);
  begin_list (fixture);
  while (!refused)
    {
      if (total + size <= credit + ASB_FRAME_WINDOW)
        {
          peer_send (fixture->peer, ASB_FRAME_DATA, 1, 1, 0, lines, size);
          total += size;
        }
      else
        {
          g_autoptr (PeerFrame) frame = peer_receive (fixture->peer);

          if (frame->header.type == ASB_FRAME_CREDIT)
            credit = asb_frame_count_read (g_bytes_get_data (frame->payload, NULL));
          refused = frame->header.type == ASB_FRAME_STOP;
        }
    }
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
  g_assert_null (finish_list (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE);
  asb_guest_max_entries = 262144;
  peer_send_end (fixture->peer, 1, 1);
  peer_fixture_reply (fixture,
                      "{\"error\": {\"code\": \"cancelled\", \"message\": \"Cancelled\"}}");

  /* The connection is as good as before. */
  begin_query (fixture, NULL);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 2, "{\"result\": {\"entry\": " PEER_ENTRY "}}");
  g_object_unref (finish_query (fixture, NULL));
}

/* Reading. */

static GBytes *
finish_read (PeerFixture *fixture, GError **error)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->pending);

  return asb_transport_read_file_finish (fixture->transport, result, error);
}

static void
begin_read (PeerFixture *fixture, const char *arguments)
{
  asb_transport_read_file_async (fixture->transport, fixture->request, NULL, pending_cb,
                                 &fixture->pending);
  peer_expect_arguments (fixture->peer, "file.read", arguments);
}

static void
send_opened (PeerFixture *fixture)
{
  peer_send_text (fixture->peer, ASB_FRAME_EVENT, 1,
                  "{\"event\": \"opened\", \"entry\": " PEER_ENTRY "}");
}

static void
test_read (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  begin_read (fixture, "{\"path\": \"/d/f\"}");
  send_opened (fixture);
  peer_send (fixture->peer, ASB_FRAME_DATA, 1, 1, 0, "a\0\xff", 3);
  peer_fixture_reply (fixture,
                      "{\"result\": {\"bytes\": 5, \"size\": 5, \"hash\": \"" PEER_HASH "\"}}");
  peer_send (fixture->peer, ASB_FRAME_DATA, 1, 1, ASB_FRAME_FLAG_FIN, "\r\n", 2);
  bytes = finish_read (fixture, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "a\0\xff\r\n", 5);
}

static void
test_read_part (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GBytes) bytes = NULL;

  asb_file_request_set_offset (fixture->request, 10);
  asb_file_request_set_length (fixture->request, 3);
  begin_read (fixture, "{\"path\": \"/d/f\", \"offset\": 10, \"length\": 3}");
  send_opened (fixture);
  peer_send_end (fixture->peer, 1, 1);
  peer_fixture_reply (fixture, "{\"result\": {\"bytes\": 0, \"size\": 5}}");
  bytes = finish_read (fixture, NULL);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 0);
}

/* No more comes into memory than was asked for. */
static void
test_read_more (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  asb_file_request_set_length (fixture->request, 3);
  begin_read (fixture, "{\"path\": \"/d/f\", \"length\": 3}");
  send_opened (fixture);
  peer_send_data (fixture->peer, 1, 1, "abcd");
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
  g_assert_null (finish_read (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE);
}

static void
test_read_other_count (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  begin_read (fixture, "{\"path\": \"/d/f\"}");
  send_opened (fixture);
  peer_send_data (fixture->peer, 1, 1, "abcd");
  peer_send_end (fixture->peer, 1, 1);
  peer_fixture_reply (fixture, "{\"result\": {\"bytes\": 5, \"size\": 5}}");
  peer_expect_goodbye (fixture->peer, "protocol_error");
  g_assert_null (finish_read (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

/* The REPLY has come, and the bytes never do: it can be cancelled all the same. */
static void
test_read_never_ends (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  asb_transport_read_file_async (fixture->transport, fixture->request, cancellable, pending_cb,
                                 &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  send_opened (fixture);
  peer_fixture_reply (fixture, "{\"result\": {\"bytes\": 5, \"size\": 5}}");
  peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  peer_skip (fixture->peer, ASB_FRAME_PONG);
  g_cancellable_cancel (cancellable);
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  g_assert_null (finish_read (fixture, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static GInputStream *
open_read (PeerFixture *fixture)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  GInputStream *stream;

  asb_transport_open_read_async (fixture->transport, fixture->request, NULL, pending_cb,
                                 &fixture->pending);
  peer_expect_arguments (fixture->peer, "file.read", "{\"path\": \"/d/f\"}");
  g_assert_false (pending_is_done (&fixture->pending));
  send_opened (fixture);
  result = pending_wait (&fixture->pending);
  stream = asb_transport_open_read_finish (fixture->transport, result, &error);
  g_assert_no_error (error);
  return stream;
}

static void
test_open_read (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GInputStream) stream = open_read (fixture);
  g_autoptr (GError) error = NULL;
  GVariant *result;
  char bytes[10];
  gint64 size;

  peer_check_entry (g_object_get_data (G_OBJECT (stream), "asb-file-info"));
  peer_send_data (fixture->peer, 1, 1, "abc");
  g_assert_cmpint (g_input_stream_read (stream, bytes, 10, NULL, NULL), ==, 3);
  g_assert_null (g_object_get_data (G_OBJECT (stream), "asb-result"));
  peer_send_end (fixture->peer, 1, 1);
  peer_fixture_reply (fixture,
                      "{\"result\": {\"bytes\": 3, \"size\": 3, \"hash\": \"" PEER_HASH "\"}}");
  g_assert_cmpint (g_input_stream_read (stream, bytes, 10, NULL, &error), ==, 0);
  g_assert_no_error (error);
  result = g_object_get_data (G_OBJECT (stream), "asb-result");
  g_assert_true (g_variant_lookup (result, "size", "x", &size));
  g_assert_cmpint (size, ==, 3);
}

/* The stream of a file that could not be read to its end does not end as if it had been. */
static void
test_open_read_fails (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GInputStream) stream = open_read (fixture);
  g_autoptr (GError) error = NULL;
  char bytes[10];

  peer_send_data (fixture->peer, 1, 1, "abc");
  peer_send_end (fixture->peer, 1, 1);
  peer_fixture_reply (fixture,
                      "{\"error\": {\"code\": \"io_error\", \"message\": \"Bad sector\"}}");
  g_assert_cmpint (g_input_stream_read (stream, bytes, 10, NULL, NULL), ==, 3);
  g_assert_cmpint (g_input_stream_read (stream, bytes, 10, NULL, &error), ==, -1);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_IO);
  g_assert_cmpstr (error->message, ==, "Bad sector");
}

static void
test_open_read_refused (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_transport_open_read_async (fixture->transport, fixture->request, NULL, pending_cb,
                                 &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_end (fixture->peer, 1, 1);
  peer_fixture_reply (fixture,
                      "{\"error\": {\"code\": \"file_not_found\", \"message\": \"No such file\"}}");
  result = pending_wait (&fixture->pending);
  g_assert_null (asb_transport_open_read_finish (fixture->transport, result, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_FILE_NOT_FOUND);
}

static void
test_open_read_dropped (PeerFixture *fixture, gconstpointer data)
{
  g_object_unref (open_read (fixture));
  peer_skip (fixture->peer, ASB_FRAME_STOP);
}

/* Cancelled before the guest has opened the file: the answer comes with the REPLY. */
static void
test_open_read_cancelled (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_transport_open_read_async (fixture->transport, fixture->request, cancellable, pending_cb,
                                 &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  g_cancellable_cancel (cancellable);
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
  send_opened (fixture);
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  peer_send_data (fixture->peer, 1, 1, "abc");
  g_assert_false (pending_is_done (&fixture->pending));
  peer_send_end (fixture->peer, 1, 1);
  peer_fixture_reply (fixture, "{\"result\": {\"bytes\": 3, \"size\": 3}}");
  result = pending_wait (&fixture->pending);
  g_assert_null (asb_transport_open_read_finish (fixture->transport, result, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Writing. */

#define WRITTEN                                                                                    \
  "{\"result\": {\"size\": 5, \"hash\": \"" PEER_HASH                                              \
  "\", \"previous_hash\": null, \"entry\": " PEER_ENTRY "}}"

static AsbFileInfo *
finish_write (PeerFixture *fixture, GError **error)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->pending);

  return asb_transport_write_file_finish (fixture->transport, result, error);
}

static void
begin_write (PeerFixture *fixture, const char *arguments)
{
  asb_transport_write_file_async (fixture->transport, fixture->request, NULL, pending_cb,
                                  &fixture->pending);
  peer_expect_arguments (fixture->peer, "file.write", arguments);
}

static void
test_write (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GBytes) contents = g_bytes_new ("a\0b\xff", 4);
  g_autoptr (PeerFrame) frame = NULL;
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;
  gconstpointer bytes;

  asb_file_request_set_contents (fixture->request, contents);
  begin_write (fixture, "{\"path\": \"/d/f\", \"create_only\": false, \"make_parents\": true}");
  frame = peer_expect (fixture->peer, ASB_FRAME_DATA);
  bytes = g_bytes_get_data (frame->payload, &size);
  g_assert_cmpmem (bytes, size, "a\0b\xff", 4);
  g_assert_cmpint (frame->header.flags, ==, ASB_FRAME_FLAG_FIN);
  peer_fixture_reply (fixture, WRITTEN);
  info = finish_write (fixture, &error);
  g_assert_no_error (error);
  peer_check_entry (info);
  g_assert_cmpstr (asb_file_info_get_hash (info), ==, PEER_HASH);
  g_assert_null (asb_file_info_get_previous_hash (info));
}

static void
test_write_options (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (PeerFrame) frame = NULL;
  g_autoptr (AsbFileInfo) info = NULL;

  asb_file_request_set_expected_hash (fixture->request, PEER_HASH);
  asb_file_request_set_mode (fixture->request, 0600);
  asb_file_request_set_flags (fixture->request,
                              ASB_FILE_FLAGS_CREATE_ONLY | ASB_FILE_FLAGS_NO_PARENTS);
  begin_write (fixture, "{\"path\": \"/d/f\", \"create_only\": true, \"make_parents\": false,"
                        " \"mode\": 384, \"expected_hash\": \"" PEER_HASH "\"}");
  frame = peer_expect (fixture->peer, ASB_FRAME_DATA);
  g_assert_cmpuint (frame->header.length, ==, 0);
  g_assert_cmpint (frame->header.flags, ==, ASB_FRAME_FLAG_FIN);
  peer_fixture_reply (fixture, WRITTEN);
  info = finish_write (fixture, NULL);
  g_assert_nonnull (info);
}

/* Left out it would mean that anything may be replaced. */
static void
test_write_odd_hash (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  asb_file_request_set_expected_hash (fixture->request, "\xff");
  begin_write (fixture, "{\"path\": \"/d/f\", \"create_only\": false, \"make_parents\": true,"
                        " \"expected_hash\": {\"b64\": \"/w==\"}}");
  peer_fixture_reply (fixture,
                      "{\"error\": {\"code\": \"invalid_argument\", \"message\": \"No\"}}");
  g_assert_null (finish_write (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

/* Contents go as the guest gives credit. */
static void
test_write_much (PeerFixture *fixture, gconstpointer data)
{
  gsize size = 1000000;
  g_autoptr (GBytes) contents = g_bytes_new_take (g_strnfill (size, 'x'), size);
  g_autoptr (AsbFileInfo) info = NULL;
  guint64 total = 0;
  guint64 credit = 0;
  gboolean finished = FALSE;

  asb_file_request_set_contents (fixture->request, contents);
  begin_write (fixture, "{\"path\": \"/d/f\", \"create_only\": false, \"make_parents\": true}");
  while (!finished)
    {
      g_autoptr (PeerFrame) frame = peer_expect (fixture->peer, ASB_FRAME_DATA);

      total += frame->header.length;
      finished = frame->header.flags & ASB_FRAME_FLAG_FIN;
      g_assert_cmpuint (total, <=, credit + ASB_FRAME_WINDOW);
      if (total == credit + ASB_FRAME_WINDOW)
        {
          credit = total;
          peer_send_count (fixture->peer, ASB_FRAME_CREDIT, 1, 0, credit);
        }
    }
  g_assert_cmpuint (total, ==, size);
  peer_fixture_reply (fixture, WRITTEN);
  info = finish_write (fixture, NULL);
  g_assert_nonnull (info);
}

static void
test_write_conflict (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  AsbErrorInfo *info;
  const char *hash = NULL;

  begin_write (fixture, "{\"path\": \"/d/f\", \"create_only\": false, \"make_parents\": true}");
  peer_skip (fixture->peer, ASB_FRAME_DATA);
  peer_fixture_reply (
      fixture, "{\"error\": {\"code\": \"concurrent_modification\", \"message\": \"It is"
               " another\", \"details\": {\"expected_hash\": \"a\", \"actual_hash\": null}}}");
  g_assert_null (finish_write (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CONCURRENT_MODIFICATION);
  g_assert_cmpstr (error->message, ==, "It is another");
  info = asb_error_get_info (error);
  g_assert_true (
      g_variant_lookup (asb_error_info_get_details (info), "expected_hash", "&s", &hash));
  g_assert_cmpstr (hash, ==, "a");
  g_assert_false (g_variant_lookup (asb_error_info_get_details (info), "actual_hash", "&s", &hash));
  g_assert_true (info == asb_error_info_get_last ());
}

static GOutputStream *
open_write (PeerFixture *fixture)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  GOutputStream *stream;

  asb_transport_open_write_async (fixture->transport, fixture->request, NULL, pending_cb,
                                  &fixture->pending);
  peer_expect_arguments (fixture->peer, "file.write",
                         "{\"path\": \"/d/f\", \"create_only\": false, \"make_parents\": true}");
  result = pending_wait (&fixture->pending);
  stream = asb_transport_open_write_finish (fixture->transport, result, &error);
  g_assert_no_error (error);
  return stream;
}

/* The stream is closed when the guest has written the file. */
static void
test_open_write (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GOutputStream) stream = open_write (fixture);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (PeerFrame) frame = NULL;
  g_autoptr (GError) error = NULL;
  AsbFileInfo *info;

  g_assert_cmpint (g_output_stream_write (stream, "hello", 5, NULL, NULL), ==, 5);
  frame = peer_expect (fixture->peer, ASB_FRAME_DATA);
  g_assert_cmpint (frame->header.flags, ==, 0);
  g_output_stream_close_async (stream, G_PRIORITY_DEFAULT, NULL, pending_cb, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_DATA);
  g_assert_false (pending_is_done (&fixture->pending));
  peer_fixture_reply (fixture, WRITTEN);
  result = pending_wait (&fixture->pending);
  g_assert_true (g_output_stream_close_finish (stream, result, &error));
  g_assert_no_error (error);
  info = g_object_get_data (G_OBJECT (stream), "asb-file-info");
  peer_check_entry (info);
  g_assert_cmpstr (asb_file_info_get_hash (info), ==, PEER_HASH);
}

/* A refusal reaches whoever is writing, and whoever closes. */
static void
test_open_write_refused (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GOutputStream) stream = open_write (fixture);
  g_autoptr (GError) error = NULL;
  gssize n;

  peer_fixture_reply (fixture,
                      "{\"error\": {\"code\": \"no_space\", \"message\": \"The disk is full\"}}");
  do
    n = g_output_stream_write (stream, "hello", 5, NULL, &error);
  while (n > 0);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_NO_SPACE);
  g_clear_error (&error);
  g_assert_false (g_output_stream_close (stream, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_NO_SPACE);
}

/* Who drops the stream without closing it wants nothing written. */
static void
test_open_write_dropped (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GOutputStream) stream = open_write (fixture);

  g_assert_cmpint (g_output_stream_write (stream, "hello", 5, NULL, NULL), ==, 5);
  peer_skip (fixture->peer, ASB_FRAME_DATA);
  g_clear_object (&stream);
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
}

static void
test_open_write_cancelled (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GOutputStream) stream = open_write (fixture);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_false (g_output_stream_close (stream, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
}

static void
test_open_write_lost (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GOutputStream) stream = open_write (fixture);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_output_stream_close_async (stream, G_PRIORITY_DEFAULT, NULL, pending_cb, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_DATA);
  peer_close (fixture->peer);
  result = pending_wait (&fixture->pending);
  g_assert_false (g_output_stream_close_finish (stream, result, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

/* The others. */

static void
test_mkdir (PeerFixture *fixture, gconstpointer data)
{
  gboolean created = GPOINTER_TO_INT (data);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_file_request_set_mode (fixture->request, 0700);
  asb_file_request_set_flags (fixture->request, created ? ASB_FILE_FLAGS_NO_PARENTS : 0);
  asb_transport_make_directory_async (fixture->transport, fixture->request, NULL, pending_cb,
                                      &fixture->pending);
  peer_expect_arguments (fixture->peer, "file.mkdir",
                         created ? "{\"path\": \"/d/f\", \"parents\": false, \"mode\": 448}"
                                 : "{\"path\": \"/d/f\", \"parents\": true, \"mode\": 448}");
  peer_fixture_reply (fixture, created ? "{\"result\": {\"created\": true}}"
                                       : "{\"result\": {\"created\": false}}");
  result = pending_wait (&fixture->pending);
  g_assert_cmpint (asb_transport_make_directory_finish (fixture->transport, result, &error), ==,
                   created);
  g_assert_no_error (error);
}

static void
test_delete (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_file_request_set_flags (fixture->request, ASB_FILE_FLAGS_RECURSIVE);
  asb_transport_delete_file_async (fixture->transport, fixture->request, NULL, pending_cb,
                                   &fixture->pending);
  peer_expect_arguments (fixture->peer, "file.delete", "{\"path\": \"/d/f\", \"recursive\": true}");
  peer_fixture_reply (fixture, "{\"result\": {}}");
  result = pending_wait (&fixture->pending);
  g_assert_true (asb_transport_delete_file_finish (fixture->transport, result, &error));
  g_assert_no_error (error);
}

static void
test_move (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_file_request_set_new_path (fixture->request, "/d/g");
  asb_file_request_set_flags (fixture->request, ASB_FILE_FLAGS_OVERWRITE);
  asb_transport_move_file_async (fixture->transport, fixture->request, NULL, pending_cb,
                                 &fixture->pending);
  peer_expect_arguments (fixture->peer, "file.move",
                         "{\"from\": \"/d/f\", \"to\": \"/d/g\", \"overwrite\": true}");
  peer_fixture_reply (fixture, "{\"result\": {}}");
  result = pending_wait (&fixture->pending);
  g_assert_true (asb_transport_move_file_finish (fixture->transport, result, &error));
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, data, function)                                                                  \
  g_test_add ("/guest-files/" path, PeerFixture, data, peer_fixture_set_up_file, function,         \
              peer_fixture_tear_down)
  ADD ("query/file", NULL, test_query);
  ADD ("query/link", NULL, test_query_link);
  ADD ("no-path", NULL, test_no_path);
  ADD ("offset-out-of-range", NULL, test_offset_out_of_range);
  ADD ("list/bytes", GSIZE_TO_POINTER (1), test_list);
  ADD ("list/reply-first", GSIZE_TO_POINTER (7), test_list);
  ADD ("list/pieces", GSIZE_TO_POINTER (1000), test_list);
  ADD ("list/whole", GSIZE_TO_POINTER (ASB_FRAME_MAX_DATA), test_list);
  ADD ("list/errors", NULL, test_list_errors);
  ADD ("list/credit", NULL, test_list_credit);
  ADD ("list/endless", NULL, test_list_endless);
  ADD ("read/whole", NULL, test_read);
  ADD ("read/part", NULL, test_read_part);
  ADD ("read/more", NULL, test_read_more);
  ADD ("read/other-count", NULL, test_read_other_count);
  ADD ("read/never-ends", NULL, test_read_never_ends);
  ADD ("open-read/done", NULL, test_open_read);
  ADD ("open-read/fails", NULL, test_open_read_fails);
  ADD ("open-read/refused", NULL, test_open_read_refused);
  ADD ("open-read/dropped", NULL, test_open_read_dropped);
  ADD ("open-read/cancelled", NULL, test_open_read_cancelled);
  ADD ("write/done", NULL, test_write);
  ADD ("write/options", NULL, test_write_options);
  ADD ("write/odd-hash", NULL, test_write_odd_hash);
  ADD ("write/much", NULL, test_write_much);
  ADD ("write/conflict", NULL, test_write_conflict);
  ADD ("open-write/done", NULL, test_open_write);
  ADD ("open-write/refused", NULL, test_open_write_refused);
  ADD ("open-write/dropped", NULL, test_open_write_dropped);
  ADD ("open-write/cancelled", NULL, test_open_write_cancelled);
  ADD ("open-write/lost", NULL, test_open_write_lost);
  ADD ("mkdir/created", GINT_TO_POINTER (TRUE), test_mkdir);
  ADD ("mkdir/there", GINT_TO_POINTER (FALSE), test_mkdir);
  ADD ("delete", NULL, test_delete);
  ADD ("move", NULL, test_move);
#undef ADD

  return g_test_run ();
}
