/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Archives: what is asked, what is made of the answer. */

#include "peer.h"

#define PACKED                                                                                     \
  "\"format\": \"tar\", \"members\": 4, \"files\": 2, \"directories\": 1, \"links\": 1,"           \
  " \"bytes\": 10, \"archive_bytes\": 5"
#define UNPACKED                                                                                   \
  "{\"result\": {\"format\": \"zip\", \"members\": 4, \"files\": 2, \"directories\": 1,"           \
  " \"links\": 1, \"bytes\": 10, \"archive_bytes\": 5, \"replaced\": 6, \"skipped\": 7}}"

static void
set_up (PeerFixture *fixture, gconstpointer data)
{
  peer_fixture_init (fixture, g_object_new (ASB_TYPE_ARCHIVE_OPTIONS, "path", "/d", NULL));
}

/* Out of the sandbox. */

static void
begin_open (PeerFixture *fixture)
{
  asb_transport_open_archive_async (fixture->transport, fixture->request, NULL, pending_cb,
                                    &fixture->pending);
}

static GInputStream *
finish_open (PeerFixture *fixture, GError **error)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->pending);

  return asb_transport_open_archive_finish (fixture->transport, result, error);
}

static GInputStream *
open_stream (PeerFixture *fixture)
{
  g_autoptr (GError) error = NULL;
  GInputStream *stream;

  begin_open (fixture);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_EVENT, 1, "{\"event\": \"opened\"}");
  stream = finish_open (fixture, &error);
  g_assert_no_error (error);
  return stream;
}

/* Reads to the end, which the guest tells of in @reply. */
static gssize
read_all (PeerFixture *fixture, GInputStream *stream, const char *reply, GError **error)
{
  char bytes[64];
  gsize n = 0;

  peer_send_data (fixture->peer, 1, ASB_CHANNEL_OUTPUT, "bytes");
  peer_send_end (fixture->peer, 1, ASB_CHANNEL_OUTPUT);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, reply);
  return g_input_stream_read_all (stream, bytes, sizeof bytes, &n, NULL, error) ? (gssize)n : -1;
}

/* The guest knows no such call. */
static void
refuse (PeerFixture *fixture, guint32 call)
{
  g_autoptr (GError) error = NULL;

  peer_send_text (fixture->peer, ASB_FRAME_REPLY, call,
                  "{\"error\": {\"code\": \"unsupported_call\", \"message\": \"Unknown\"}}");
  g_assert_null (finish_open (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
}

static void
test_open_arguments (PeerFixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "a", "b/\xff", NULL };

  begin_open (fixture);
  peer_expect_arguments (fixture->peer, "file.pack", "{\"path\": \"/d\", \"format\": \"tar\"}");
  refuse (fixture, 1);
  g_object_set (fixture->request, "names", names, "format", ASB_ARCHIVE_FORMAT_TAR_GZIP,
                "max-members", (guint64)1, "max-bytes", (guint64)2, "max-file-bytes", (guint64)3,
                NULL);
  begin_open (fixture);
  peer_expect_arguments (fixture->peer, "file.pack",
                         "{\"path\": \"/d\", \"format\": \"tar.gz\", \"names\": [\"a\","
                         " {\"b64\": \"Yi//\"}], \"max_members\": 1, \"max_bytes\": 2,"
                         " \"max_file_bytes\": 3}");
  refuse (fixture, 2);
}

static void
test_open (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GInputStream) stream = open_stream (fixture);
  g_autoptr (GError) error = NULL;
  AsbArchiveResult *result;

  g_assert_null (asb_archive_result_get_for_stream (stream));
  g_assert_cmpint (read_all (fixture, stream,
                             "{\"result\": {" PACKED
                             ", \"errors\": [{\"path\": \"p\\u001b\", \"code\":"
                             " \"not_regular_file\", \"message\": \"It is a FIFO\\n\"}, {\"path\":"
                             " {\"b64\": \"/w==\"}, \"code\": \"x\", \"message\": \"Why\"}],"
                             " \"error_count\": 70}}",
                             &error),
                   ==, 5);
  g_assert_no_error (error);
  result = asb_archive_result_get_for_stream (stream);
  g_assert_nonnull (result);
  g_assert_cmpint (asb_archive_result_get_format (result), ==, ASB_ARCHIVE_FORMAT_TAR);
  g_assert_cmpuint (asb_archive_result_get_n_members (result), ==, 4);
  g_assert_cmpuint (asb_archive_result_get_n_files (result), ==, 2);
  g_assert_cmpuint (asb_archive_result_get_n_directories (result), ==, 1);
  g_assert_cmpuint (asb_archive_result_get_n_links (result), ==, 1);
  g_assert_cmpuint (asb_archive_result_get_n_bytes (result), ==, 10);
  g_assert_cmpuint (asb_archive_result_get_n_archive_bytes (result), ==, 5);
  g_assert_cmpuint (asb_archive_result_get_n_errors (result), ==, 70);
  g_assert_cmpstr (asb_archive_result_get_errors (result)[0], ==,
                   "p\xef\xbf\xbd: It is a FIFO\xef\xbf\xbd");
  g_assert_cmpstr (asb_archive_result_get_errors (result)[1], ==, "\xef\xbf\xbd: Why");
}

static void
test_open_refused (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  begin_open (fixture);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1,
                  "{\"error\": {\"code\": \"not_directory\", \"message\": \"No\"}}");
  g_assert_null (finish_open (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_NOT_DIRECTORY);
}

static void
test_open_breaks_off (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GInputStream) stream = open_stream (fixture);
  g_autoptr (GError) error = NULL;

  g_test_summary ("An archive that is not whole ends in an error");

  g_assert_cmpint (read_all (fixture, stream,
                             "{\"error\": {\"code\": \"too_large\", \"message\": \"Too much\"}}",
                             &error),
                   ==, -1);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE);
  g_assert_null (asb_archive_result_get_for_stream (stream));
}

static void
test_open_wrong (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GInputStream) stream = open_stream (fixture);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (read_all (fixture, stream, data, &error), ==, -1);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

static void
test_incomplete (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (AsbArchiveOptions) nothing = asb_archive_options_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_transport_open_archive (fixture->transport, nothing, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (asb_transport_extract_archive (fixture->transport, nothing, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  asb_archive_options_set_format (fixture->request, ASB_ARCHIVE_FORMAT_ZIP);
  g_assert_null (asb_transport_open_archive (fixture->transport, fixture->request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

/* Into it. */

static GOutputStream *
open_target (PeerFixture *fixture)
{
  g_autoptr (GError) error = NULL;
  GOutputStream *stream
      = asb_transport_extract_archive (fixture->transport, fixture->request, NULL, &error);

  g_assert_no_error (error);
  return stream;
}

static void
test_extract_arguments (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GOutputStream) first = open_target (fixture);
  g_autoptr (GOutputStream) second = NULL;

  peer_expect_arguments (fixture->peer, "file.unpack",
                         "{\"path\": \"/d\", \"conflict\": \"error\"}");
  g_object_set (fixture->request, "conflict", ASB_ARCHIVE_CONFLICT_SKIP, "max-ratio", (guint64)9,
                "max-members", ASB_ARCHIVE_OPTIONS_UNLIMITED, NULL);
  second = open_target (fixture);
  peer_expect_arguments (fixture->peer, "file.unpack",
                         "{\"path\": \"/d\", \"conflict\": \"skip\", \"max_ratio\": 9,"
                         " \"max_members\": 9007199254740991}");
}

static gboolean
close_with (PeerFixture *fixture, GOutputStream *stream, const char *reply, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;

  g_output_stream_close_async (stream, G_PRIORITY_DEFAULT, NULL, pending_cb, &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_skip (fixture->peer, ASB_FRAME_DATA);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, reply);
  result = pending_wait (&fixture->pending);
  return g_output_stream_close_finish (stream, result, error);
}

static void
test_extract (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GOutputStream) stream = open_target (fixture);
  g_autoptr (GError) error = NULL;
  AsbArchiveResult *result;

  g_assert_true (close_with (fixture, stream, UNPACKED, &error));
  g_assert_no_error (error);
  result = g_object_get_data (G_OBJECT (stream), "asb-archive-result");
  g_assert_nonnull (result);
  g_assert_cmpint (asb_archive_result_get_format (result), ==, ASB_ARCHIVE_FORMAT_ZIP);
  g_assert_cmpuint (asb_archive_result_get_n_replaced (result), ==, 6);
  g_assert_cmpuint (asb_archive_result_get_n_skipped (result), ==, 7);
  g_assert_null (asb_archive_result_get_errors (result));
}

static void
test_extract_refused (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GOutputStream) stream = open_target (fixture);
  g_autoptr (GError) error = NULL;

  g_assert_false (close_with (fixture, stream,
                              "{\"error\": {\"code\": \"upload_archive_security_error\","
                              " \"message\": \"It leads out\", \"details\": {\"path\": \"l\"}}}",
                              &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_ARCHIVE_SECURITY);
  g_assert_nonnull (strstr (error->message, "It leads out"));
}

static void
test_extract_wrong (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GOutputStream) stream = open_target (fixture);
  g_autoptr (GError) error = NULL;

  g_assert_false (close_with (fixture, stream, data, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

static void
test_extract_dropped (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GOutputStream) stream = open_target (fixture);

  g_test_summary ("A stream that nobody closes cancels the call, and never ends it");

  peer_skip (fixture->peer, ASB_FRAME_CALL);
  g_clear_object (&stream);
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
}

#define ADD_WITH(name, data, function)                                                             \
  g_test_add ("/guest-archive/" name, PeerFixture, data, set_up, function, peer_fixture_tear_down)
#define ADD(name, function) ADD_WITH (name, NULL, function)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  ADD ("open-arguments", test_open_arguments);
  ADD ("open", test_open);
  ADD ("open-refused", test_open_refused);
  ADD ("open-breaks-off", test_open_breaks_off);
  ADD_WITH ("open-wrong/nothing", "{\"result\": {}}", test_open_wrong);
  ADD_WITH ("open-wrong/no-errors", "{\"result\": {" PACKED "}}", test_open_wrong);
  ADD_WITH ("open-wrong/errors", "{\"result\": {" PACKED ", \"errors\": [1], \"error_count\": 1}}",
            test_open_wrong);
  ADD ("incomplete", test_incomplete);
  ADD ("extract-arguments", test_extract_arguments);
  ADD ("extract", test_extract);
  ADD ("extract-refused", test_extract_refused);
  ADD_WITH ("extract-wrong/format",
            "{\"result\": {\"format\": \"rar\", \"members\": 0, \"files\": 0, \"directories\": 0,"
            " \"links\": 0, \"bytes\": 0, \"archive_bytes\": 0, \"replaced\": 0, \"skipped\": 0}}",
            test_extract_wrong);
  ADD_WITH ("extract-wrong/counts", "{\"result\": {" PACKED ", \"replaced\": -1, \"skipped\": 0}}",
            test_extract_wrong);
  ADD ("extract-dropped", test_extract_dropped);

  return g_test_run ();
}
