/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Windows of lines, and attributes: what is asked, what is made of the answer. */

#include "peer.h"

#include <string.h>

static AsbLineWindow *
read_lines (PeerFixture *fixture, const char *lines, const char *reply, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;

  peer_send_data (fixture->peer, 1, 1, lines);
  peer_send_end (fixture->peer, 1, 1);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, reply);
  result = pending_wait (&fixture->pending);
  return asb_transport_read_lines_finish (fixture->transport, result, error);
}

static void
begin (PeerFixture *fixture)
{
  asb_transport_read_lines_async (fixture->transport, fixture->request, NULL, pending_cb,
                                  &fixture->pending);
}

static void
test_lines (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (AsbLineWindow) window = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  asb_file_request_set_offset (fixture->request, 3);
  asb_file_request_set_length (fixture->request, 2);
  begin (fixture);
  peer_expect_arguments (fixture->peer, "file.read_lines",
                         "{\"path\": \"/d/f\", \"offset\": 3, \"limit\": 2}");
  window = read_lines (fixture, "a\nb\n",
                       "{\"result\": {\"state\": \"lines\", \"lines\": 2, \"bytes\": 4,"
                       " \"more\": true, \"truncated\": false, \"size\": 99}}",
                       &error);
  g_assert_no_error (error);
  text = asb_line_window_dup_text (window);
  g_assert_cmpstr (text, ==, "a\nb\n");
  g_assert_cmpint (asb_line_window_get_state (window), ==, ASB_LINE_STATE_LINES);
  g_assert_cmpuint (asb_line_window_get_n_lines (window), ==, 2);
  g_assert_cmpuint (asb_line_window_get_file_size (window), ==, 99);
  g_assert_cmpint (asb_line_window_get_total_lines (window), ==, -1);
  g_assert_true (asb_line_window_get_more (window));
  g_assert_false (asb_line_window_get_truncated (window));
}

static void
test_all (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (AsbLineWindow) window = NULL;
  g_autoptr (GError) error = NULL;

  begin (fixture);
  peer_expect_arguments (fixture->peer, "file.read_lines", "{\"path\": \"/d/f\"}");
  window
      = read_lines (fixture, "",
                    "{\"result\": {\"state\": \"past_end\", \"lines\": 0, \"bytes\": 0, \"more\":"
                    " false, \"truncated\": false, \"size\": 9, \"total_lines\": 3}}",
                    &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_line_window_get_state (window), ==, ASB_LINE_STATE_PAST_END);
  g_assert_cmpint (asb_line_window_get_total_lines (window), ==, 3);
}

static const char *const wrongs[] = {
  "{\"state\": \"fine\", \"lines\": 1, \"bytes\": 2, \"more\": true, \"truncated\": false, "
  "\"size\": 9}",
  "{\"state\": \"lines\", \"lines\": 1, \"bytes\": 3, \"more\": true, \"truncated\": false, "
  "\"size\": 9}",
  "{\"state\": \"lines\", \"lines\": -1, \"bytes\": 2, \"more\": true, \"truncated\": false, "
  "\"size\": 9}",
  "{\"state\": \"lines\", \"lines\": 1, \"bytes\": 2, \"truncated\": false, \"size\": 9}",
  "{\"state\": \"lines\", \"lines\": 1, \"bytes\": 2, \"more\": true, \"truncated\": false, "
  "\"size\": 9, \"total_lines\": \"many\"}",
};

static void
test_wrong (PeerFixture *fixture, gconstpointer data)
{
  g_autofree char *reply = g_strdup_printf ("{\"result\": %s}", (const char *)data);
  g_autoptr (GError) error = NULL;

  begin (fixture);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  g_assert_null (read_lines (fixture, "a\n", reply, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

/* More than any window holds is not gathered, however the guest keeps to what it was credited. */
static void
test_endless (PeerFixture *fixture, gconstpointer data)
{
  g_autofree guint8 *bytes = g_malloc0 (ASB_FRAME_MAX_DATA);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  guint64 credit = 0;

  begin (fixture);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  for (guint64 total = 0; total <= 16 * 1024 * 1024; total += ASB_FRAME_MAX_DATA)
    {
      while (total + ASB_FRAME_MAX_DATA > credit + ASB_FRAME_WINDOW)
        {
          g_autoptr (PeerFrame) frame = peer_expect (fixture->peer, ASB_FRAME_CREDIT);

          credit = asb_frame_count_read (g_bytes_get_data (frame->payload, NULL));
        }
      peer_send (fixture->peer, ASB_FRAME_DATA, 1, 1, 0, bytes, ASB_FRAME_MAX_DATA);
    }
  result = pending_wait (&fixture->pending);
  g_assert_null (asb_transport_read_lines_finish (fixture->transport, result, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_assert_nonnull (strstr (error->message, "more bytes than were asked for"));
}

static void
test_attributes (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  g_object_set (fixture->request, "mode", 0640, "uid", G_GINT64_CONSTANT (7), "flags",
                ASB_FILE_FLAGS_NOFOLLOW, NULL);
  asb_transport_set_attributes_async (fixture->transport, fixture->request, NULL, pending_cb,
                                      &fixture->pending);
  peer_expect_arguments (fixture->peer, "file.set_attributes",
                         "{\"path\": \"/d/f\", \"follow\": false, \"mode\": 416, \"uid\": 7}");
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, "{\"result\": {\"entry\": " PEER_ENTRY "}}");
  result = pending_wait (&fixture->pending);
  info = asb_transport_set_attributes_finish (fixture->transport, result, &error);
  g_assert_no_error (error);
  peer_check_entry (info);
}

static void
test_no_path (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_transport_read_lines (fixture->transport, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (asb_transport_set_attributes (fixture->transport, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

#define ADD(name, function, data)                                                                  \
  g_test_add ("/guest-window/" name, PeerFixture, data, peer_fixture_set_up_file, function,        \
              peer_fixture_tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  ADD ("lines", test_lines, NULL);
  ADD ("all", test_all, NULL);
  ADD ("endless", test_endless, NULL);
  ADD ("attributes", test_attributes, NULL);
  ADD ("no-path", test_no_path, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (wrongs); i++)
    {
      g_autofree char *path = g_strdup_printf ("/guest-window/wrong/%" G_GSIZE_FORMAT, i);

      g_test_add (path, PeerFixture, wrongs[i], peer_fixture_set_up_file, test_wrong,
                  peer_fixture_tear_down);
    }
  return g_test_run ();
}
