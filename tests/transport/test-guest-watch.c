/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a guest says of files that are watched, also one that lies. */

#include "asb-file-watch-private.h"
#include "peer.h"

#include <string.h>

typedef struct
{
  GPtrArray *events;
  gboolean ended;
  AsbFileWatch *closes; /* (nullable): at the first event */
} Heard;

static void
changed_cb (AsbFileWatch *watch, AsbFileEvent *event, gpointer user_data)
{
  Heard *heard = user_data;

  g_ptr_array_add (heard->events, g_object_ref (event));
  if (heard->closes)
    asb_file_watch_close (heard->closes);
}

static void
ended_cb (AsbFileWatch *watch, gpointer user_data)
{
  Heard *heard = user_data;

  g_assert_false (heard->ended);
  heard->ended = TRUE;
}

static AsbFileWatch *
listen_to (GInputStream *stream, Heard *heard)
{
  g_autoptr (GError) error = NULL;
  AsbFileWatch *watch = asb_file_watch_new ("/d", stream, g_main_context_default (), &error);

  g_assert_no_error (error);
  heard->events = g_ptr_array_new_with_free_func (g_object_unref);
  g_signal_connect (watch, "changed", G_CALLBACK (changed_cb), heard);
  g_signal_connect (watch, "ended", G_CALLBACK (ended_cb), heard);
  asb_file_watch_start (watch);
  return watch;
}

static AsbFileWatch *
listen_to_text (const char *text, Heard *heard)
{
  g_autoptr (GInputStream) stream
      = g_memory_input_stream_new_from_data (text, (gssize)strlen (text), NULL);

  return listen_to (stream, heard);
}

static void
run_to_end (Heard *heard)
{
  while (!heard->ended)
    g_main_context_iteration (NULL, TRUE);
}

static AsbFileEvent *
get_event (Heard *heard, guint i, AsbFileEventKind kind)
{
  AsbFileEvent *event;

  g_assert_cmpuint (i, <, heard->events->len);
  event = heard->events->pdata[i];
  g_assert_cmpint (asb_file_event_get_kind (event), ==, kind);
  return event;
}

static void
test_events (void)
{
  Heard heard = { NULL };
  g_autoptr (AsbFileWatch) watch = listen_to_text (
      "{\"event\": \"created\", \"path\": {\"b64\": \"L2Qv/w==\"}, \"is_directory\": true}\n"
      "{\"event\": \"changed\", \"path\": \"/d/a\", \"is_directory\": false, \"closed\": true}\n"
      "{\"event\": \"moved\", \"path\": \"/d/a\", \"to\": \"/d/b\", \"is_directory\": false}\n"
      "{\"event\": \"of tomorrow\", \"path\": 5}\n"
      "{\"event\": \"unwatched\", \"path\": \"/d/c\", \"code\": \"x\", \"message\": \"No\\r\"}\n"
      "{\"event\": \"overflow\"}\n"
      "{\"event\": \"gone\", \"path\": \"/d\"}\n",
      &heard);
  AsbFileEvent *event;

  run_to_end (&heard);
  g_assert_cmpint (asb_file_watch_get_state (watch), ==, ASB_FILE_WATCH_STATE_GONE);
  g_assert_null (asb_file_watch_dup_error (watch));
  g_assert_cmpuint (heard.events->len, ==, 5);
  event = get_event (&heard, 0, ASB_FILE_EVENT_KIND_CREATED);
  g_assert_cmpstr (asb_file_event_get_path (event), ==, "/d/\377");
  g_assert_true (asb_file_event_get_is_directory (event));
  event = get_event (&heard, 1, ASB_FILE_EVENT_KIND_CHANGED);
  g_assert_true (asb_file_event_get_is_closed (event));
  event = get_event (&heard, 2, ASB_FILE_EVENT_KIND_MOVED);
  g_assert_cmpstr (asb_file_event_get_new_path (event), ==, "/d/b");
  event = get_event (&heard, 3, ASB_FILE_EVENT_KIND_UNWATCHED);
  g_assert_cmpstr (asb_file_event_get_message (event), ==, "No\xef\xbf\xbd");
  event = get_event (&heard, 4, ASB_FILE_EVENT_KIND_OVERFLOW);
  g_assert_null (asb_file_event_get_path (event));
  g_ptr_array_unref (heard.events);
}

#define CREATED "{\"event\": \"created\", \"path\": \"/d/a\", \"is_directory\": false}\n"

static void
test_lies (gconstpointer data)
{
  g_autofree char *text = g_strconcat (CREATED, data, NULL);
  g_autoptr (GError) error = NULL;
  Heard heard = { NULL };
  g_autoptr (AsbFileWatch) watch = listen_to_text (text, &heard);

  run_to_end (&heard);
  g_assert_cmpuint (heard.events->len, ==, 1);
  g_assert_cmpint (asb_file_watch_get_state (watch), ==, ASB_FILE_WATCH_STATE_FAILED);
  error = asb_file_watch_dup_error (watch);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_ptr_array_unref (heard.events);
}

static const struct
{
  const char *name;
  const char *line;
} LIES[] = {
  { "nothing-more", "" },
  { "no-end", "{\"event\": \"overflow\"}" },
  { "no-json", "created\n" },
  { "no-event", "{\"path\": \"/d/a\"}\n" },
  { "event-is-a-number", "{\"event\": 1}\n" },
  { "no-path", "{\"event\": \"created\", \"is_directory\": false}\n" },
  { "relative", "{\"event\": \"created\", \"path\": \"d/a\", \"is_directory\": false}\n" },
  { "empty", "{\"event\": \"created\", \"path\": \"\", \"is_directory\": false}\n" },
  { "odd-base64",
    "{\"event\": \"created\", \"path\": {\"b64\": \"?\"}, \"is_directory\": false}\n" },
  { "directory-is-a-number",
    "{\"event\": \"created\", \"path\": \"/d/a\", \"is_directory\": 0}\n" },
  { "moved-nowhere", "{\"event\": \"moved\", \"path\": \"/d/a\", \"is_directory\": false}\n" },
  { "closed-is-text", "{\"event\": \"changed\", \"path\": \"/d/a\", \"is_directory\": false,"
                      " \"closed\": \"yes\"}\n" },
  { "no-message", "{\"event\": \"unwatched\", \"path\": \"/d/a\", \"code\": \"x\"}\n" },
};

static void
test_long_line (void)
{
  g_autofree char *padding = g_strnfill (300000, ' ');

  g_test_summary ("A line that does not end is not kept for ever");

  test_lies (padding);
}

static void
test_closed_by_handler (void)
{
  Heard heard = { NULL };
  g_autoptr (AsbFileWatch) watch = listen_to_text (CREATED CREATED CREATED, &heard);

  heard.closes = watch;
  run_to_end (&heard);
  g_assert_cmpuint (heard.events->len, ==, 1);
  g_assert_cmpint (asb_file_watch_get_state (watch), ==, ASB_FILE_WATCH_STATE_CLOSED);
  g_ptr_array_unref (heard.events);
}

/* Over a transport. */

typedef struct
{
  Peer *peer;
  AsbTransport *transport;
  GInputStream *stream;
  Heard heard;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  Pending pending = { 0 };

  fixture->peer = peer_new ();
  fixture->transport = peer_open (fixture->peer);
  asb_transport_open_call_async (fixture->transport, "file.watch", NULL, NULL, pending_cb,
                                 &pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  /* Nothing has happened so far. */
  peer_send_text (fixture->peer, ASB_FRAME_EVENT, 1,
                  "{\"event\": \"watching\", \"directories\": 1}");
  result = pending_wait (&pending);
  fixture->stream = asb_transport_open_call_finish (fixture->transport, result, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_clear_object (&fixture->stream);
  g_clear_pointer (&fixture->heard.events, g_ptr_array_unref);
  g_clear_object (&fixture->transport);
  peer_free (fixture->peer);
}

/* Nobody but the watch has the stream from here on. */
static AsbFileWatch *
listen_to_peer (Fixture *fixture)
{
  AsbFileWatch *watch = listen_to (fixture->stream, &fixture->heard);

  g_clear_object (&fixture->stream);
  return watch;
}

static void
test_overflow_at_the_end (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbFileWatch) watch = listen_to_peer (fixture);

  peer_send_end (fixture->peer, 1, ASB_CHANNEL_OUTPUT);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1,
                  "{\"result\": {\"reason\": \"gone\", \"overflow\": true}}");
  run_to_end (&fixture->heard);
  get_event (&fixture->heard, 0, ASB_FILE_EVENT_KIND_OVERFLOW);
  g_assert_cmpint (asb_file_watch_get_state (watch), ==, ASB_FILE_WATCH_STATE_GONE);
}

static void
test_lost_connection (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbFileWatch) watch = listen_to_peer (fixture);
  g_autoptr (GError) error = NULL;

  peer_close (fixture->peer);
  run_to_end (&fixture->heard);
  g_assert_cmpint (asb_file_watch_get_state (watch), ==, ASB_FILE_WATCH_STATE_FAILED);
  error = asb_file_watch_dup_error (watch);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

static void
test_close (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbFileWatch) watch = listen_to_peer (fixture);

  asb_file_watch_close (watch);
  /* The guest hears of it although the context does not run. */
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  run_to_end (&fixture->heard);
  g_assert_cmpint (asb_file_watch_get_state (watch), ==, ASB_FILE_WATCH_STATE_CLOSED);
}

static void
test_drop (Fixture *fixture, gconstpointer data)
{
  AsbFileWatch *watch = listen_to_peer (fixture);

  g_assert_finalize_object (watch);
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  g_assert_false (fixture->heard.ended);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/guest-watch/events", test_events);
  for (gsize i = 0; i < G_N_ELEMENTS (LIES); i++)
    {
      g_autofree char *path = g_strdup_printf ("/guest-watch/lies/%s", LIES[i].name);

      g_test_add_data_func (path, LIES[i].line, test_lies);
    }
  g_test_add_func ("/guest-watch/lies/long-line", test_long_line);
  g_test_add_func ("/guest-watch/closed-by-handler", test_closed_by_handler);
  g_test_add ("/guest-watch/overflow-at-the-end", Fixture, NULL, set_up, test_overflow_at_the_end,
              tear_down);
  g_test_add ("/guest-watch/lost-connection", Fixture, NULL, set_up, test_lost_connection,
              tear_down);
  g_test_add ("/guest-watch/close", Fixture, NULL, set_up, test_close, tear_down);
  g_test_add ("/guest-watch/drop", Fixture, NULL, set_up, test_drop, tear_down);

  return g_test_run ();
}
