/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The beginning of a connection. */

#include "peer.h"

#include <string.h>

#include "asb-guest-connection-private.h"

typedef struct
{
  Peer *peer;
  Pending pending;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->peer = peer_new ();
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_clear_pointer (&fixture->peer, peer_free);
}

static void
begin (Fixture *fixture, const char *token, GCancellable *cancellable)
{
  asb_guest_transport_new_async (fixture->peer->stream, token, cancellable, pending_cb,
                                 &fixture->pending);
  g_clear_object (&fixture->peer->stream);
}

static AsbGuestTransport *
finish (Fixture *fixture, GError **error)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->pending);

  return asb_guest_transport_new_finish (result, error);
}

static void
test_said (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbGuestTransport) transport = NULL;
  g_autoptr (AsbCapabilities) capabilities = NULL;
  g_autoptr (PeerFrame) hello = NULL;
  g_autoptr (GError) error = NULL;

  begin (fixture, "sesame", NULL);
  hello = peer_expect (fixture->peer, ASB_FRAME_HELLO);
  g_assert_cmpint (json_integer_value (json_object_get (hello->json, "major")), ==, 1);
  g_assert_cmpint (json_integer_value (json_object_get (hello->json, "minor")), ==, 0);
  g_assert_true (json_is_array (json_object_get (hello->json, "features")));
  g_assert_cmpstr (json_string_value (json_object_get (hello->json, "token")), ==, "sesame");
  peer_send_text (fixture->peer, ASB_FRAME_HELLO, 0, PEER_HELLO);

  transport = finish (fixture, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (asb_guest_transport_get_boot_id (transport), ==, "b1");
  g_assert_cmpstr (asb_guest_transport_get_arch (transport), ==, "x86_64");
  g_assert_cmpstr (asb_guest_transport_get_version (transport), ==, "1.0.0");
  g_assert_cmpint (asb_transport_get_state (ASB_TRANSPORT (transport)), ==,
                   ASB_TRANSPORT_STATE_CONNECTED);
  capabilities = asb_transport_get_capabilities (ASB_TRANSPORT (transport));
  g_assert_true (asb_capabilities_supports (capabilities, ASB_CAPABILITY_COMMAND_STDIN));
  g_assert_true (asb_capabilities_supports (capabilities, ASB_CAPABILITY_FILE_HASH));
  g_assert_true (asb_capabilities_supports (capabilities, ASB_CAPABILITY_SANDBOX_HISTORY));
}

static void
test_no_token (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PeerFrame) hello = NULL;

  begin (fixture, NULL, NULL);
  hello = peer_expect (fixture->peer, ASB_FRAME_HELLO);
  g_assert_null (json_object_get (hello->json, "token"));
  peer_close (fixture->peer);
  g_assert_null (finish (fixture, NULL));
}

static json_t *
hello_new (void)
{
  json_t *hello = json_loads (PEER_HELLO, 0, NULL);

  g_assert_nonnull (hello);
  return hello;
}

static void
send_json (Fixture *fixture, AsbFrameType type, json_t *json)
{
  char *text = json_dumps (json, JSON_COMPACT);

  peer_send_text (fixture->peer, type, 0, text);
  free (text);
}

static void
test_less_features (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbGuestTransport) transport = NULL;
  g_autoptr (AsbCapabilities) capabilities = NULL;
  g_autoptr (json_t) hello = hello_new ();

  begin (fixture, NULL, NULL);
  json_object_set_new (hello, "features", json_pack ("[s, s]", "history", "telepathy"));
  json_object_set_new (hello, "minor", json_integer (7));
  json_object_set_new (hello, "news", json_true ());
  peer_skip (fixture->peer, ASB_FRAME_HELLO);
  send_json (fixture, ASB_FRAME_HELLO, hello);
  transport = finish (fixture, NULL);
  g_assert_nonnull (transport);
  capabilities = asb_transport_get_capabilities (ASB_TRANSPORT (transport));
  g_assert_false (asb_capabilities_supports (capabilities, ASB_CAPABILITY_COMMAND_EXECUTION));
  g_assert_false (asb_capabilities_supports (capabilities, ASB_CAPABILITY_FILESYSTEM));
  g_assert_true (asb_capabilities_supports (capabilities, ASB_CAPABILITY_SANDBOX_HISTORY));
}

static void
test_other_version (Fixture *fixture, gconstpointer data)
{
  g_autoptr (json_t) hello = hello_new ();
  g_autoptr (GError) error = NULL;

  begin (fixture, NULL, NULL);
  json_object_set_new (hello, "major", json_integer (2));
  peer_skip (fixture->peer, ASB_FRAME_HELLO);
  send_json (fixture, ASB_FRAME_HELLO, hello);
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, "version 2"));
  peer_expect_goodbye (fixture->peer, "unsupported_version");
}

/* Every member is missed, and none may be of another type. */
static void
test_wrong_member (gconstpointer data)
{
  const char *name = data;

  for (int missing = 0; missing < 2; missing++)
    {
      Fixture fixture = { peer_new () };
      g_autoptr (json_t) hello = hello_new ();
      g_autoptr (GError) error = NULL;

      begin (&fixture, NULL, NULL);
      g_assert_nonnull (json_object_get (hello, name));
      if (missing)
        json_object_del (hello, name);
      else
        json_object_set_new (hello, name, json_pack ("[[f]]", 0.5));
      peer_skip (fixture.peer, ASB_FRAME_HELLO);
      send_json (&fixture, ASB_FRAME_HELLO, hello);
      g_assert_null (finish (&fixture, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
      g_assert_nonnull (strstr (error->message, name));
      peer_expect_goodbye (fixture.peer, "protocol_error");
      peer_free (fixture.peer);
    }
}

typedef struct
{
  const char *name;
  AsbFrameType type;
  const char *payload;
} Beginning;

/* Anything but a HELLO that makes sense. */
static const Beginning BEGINNINGS[] = {
  { "ping", ASB_FRAME_PING, "" },
  { "ack", ASB_FRAME_ACK, "\0\0\0\0\0\0\0\0" },
  { "reply", ASB_FRAME_REPLY, "{}" },
  { "data", ASB_FRAME_DATA, "x" },
  { "call", ASB_FRAME_CALL, "{\"call\": \"guest.shutdown\"}" },
  { "no-json", ASB_FRAME_HELLO, "hello" },
  { "empty", ASB_FRAME_HELLO, "" },
  { "array", ASB_FRAME_HELLO, "[]" },
  { "number-as-name", ASB_FRAME_HELLO, "{\"major\": 1, \"features\": [1]}" },
  { "goodbye-without-code", ASB_FRAME_GOODBYE, "{\"message\": \"Off\"}" },
  { "goodbye-no-json", ASB_FRAME_GOODBYE, "off" },
};

static void
test_beginning (gconstpointer data)
{
  const Beginning *beginning = data;
  Fixture fixture = { peer_new () };
  g_autoptr (GError) error = NULL;
  gboolean counted = beginning->type == ASB_FRAME_ACK;
  guint32 call = asb_frame_type_is_numbered (beginning->type) ? 1 : 0;

  begin (&fixture, NULL, NULL);
  peer_skip (fixture.peer, ASB_FRAME_HELLO);
  peer_send (fixture.peer, beginning->type, call, 0, 0, beginning->payload,
             counted ? 8 : strlen (beginning->payload));
  g_assert_null (finish (&fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  peer_expect_goodbye (fixture.peer, "protocol_error");
  peer_free (fixture.peer);
}

/* Bytes that are no frame at all. */
static void
test_noise (Fixture *fixture, gconstpointer data)
{
  static const char noise[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
  g_autoptr (GError) error = NULL;

  begin (fixture, NULL, NULL);
  peer_skip (fixture->peer, ASB_FRAME_HELLO);
  peer_send_bytes (fixture->peer, noise, strlen (noise));
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

typedef struct
{
  const char *code;
  int expected;
} Refusal;

static const Refusal REFUSALS[] = {
  { "unsupported_version", ASB_ERROR_GUEST_UNAVAILABLE },
  { "draining", ASB_ERROR_GUEST_UNAVAILABLE },
  { "access_denied", ASB_ERROR_PERMISSION_DENIED },
  { "too_many_connections", ASB_ERROR_TOO_MANY_REQUESTS },
  { "protocol_error", ASB_ERROR_GUEST_UNAVAILABLE },
  { "something_else", ASB_ERROR_GUEST_UNAVAILABLE },
};

static void
test_refusal (gconstpointer data)
{
  const Refusal *refusal = data;
  Fixture fixture = { peer_new () };
  g_autofree char *goodbye
      = g_strdup_printf ("{\"code\": \"%s\", \"message\": \"No\\u001b[2J\"}", refusal->code);
  g_autoptr (GError) error = NULL;

  begin (&fixture, NULL, NULL);
  peer_skip (fixture.peer, ASB_FRAME_HELLO);
  peer_send_text (fixture.peer, ASB_FRAME_GOODBYE, 0, goodbye);
  g_assert_null (finish (&fixture, &error));
  g_assert_error (error, ASB_ERROR, refusal->expected);
  /* What a terminal would obey is taken out. */
  g_assert_nonnull (strstr (error->message, "No\357\277\275[2J"));
  /* The guest has said which version it is, and this side does. */
  g_assert_true (g_str_equal (refusal->code, "unsupported_version")
                 == (strstr (error->message, ", and libasb ") != NULL));
  peer_expect_end (fixture.peer);
  peer_free (fixture.peer);
}

/* The stream ends after each number of bytes of the HELLO. */
static void
test_cut (void)
{
  gsize size = ASB_FRAME_HEADER_SIZE + strlen (PEER_HELLO);

  for (gsize cut = 0; cut < size; cut++)
    {
      Fixture fixture = { peer_new () };
      g_autoptr (GBytes) hello = peer_frame_new (fixture.peer, ASB_FRAME_HELLO, 0, 0, 0, PEER_HELLO,
                                                 strlen (PEER_HELLO));
      g_autoptr (GError) error = NULL;

      begin (&fixture, NULL, NULL);
      peer_send_bytes (fixture.peer, g_bytes_get_data (hello, NULL), cut);
      peer_close (fixture.peer);
      g_assert_null (finish (&fixture, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE);
      peer_free (fixture.peer);
    }
}

static void
test_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  gboolean before = GPOINTER_TO_INT (data);

  if (before)
    g_cancellable_cancel (cancellable);
  begin (fixture, NULL, cancellable);
  if (!before)
    {
      peer_skip (fixture->peer, ASB_FRAME_HELLO);
      g_cancellable_cancel (cancellable);
    }
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
opened_cb (AsbGuestConnection *connection, const GError *error, gpointer data)
{
  g_async_queue_push (data, g_error_copy (error));
}

static void
test_timeout (Fixture *fixture, gconstpointer data)
{
  AsbGuestTimeouts timeouts = asb_guest_default_timeouts;
  g_autoptr (GAsyncQueue) answers = g_async_queue_new ();
  g_autoptr (AsbGuestConnection) connection = NULL;
  g_autoptr (GError) error = NULL;

  timeouts.hello = 0;
  connection = asb_guest_connection_new (fixture->peer->stream, &timeouts);
  asb_guest_connection_open (connection, NULL, opened_cb, answers);
  error = g_async_queue_pop (answers);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
}

static gpointer
greet (gpointer data)
{
  peer_hello (data);
  return NULL;
}

static void
test_blocking (Fixture *fixture, gconstpointer data)
{
  GThread *thread = g_thread_new ("peer", greet, fixture->peer);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbGuestTransport) transport
      = asb_guest_transport_new (fixture->peer->stream, NULL, NULL, &error);

  g_assert_no_error (error);
  g_thread_join (thread);
  g_clear_object (&transport);
  peer_expect_goodbye (fixture->peer, "closed");
}

/* A transport that nobody takes is closed. */
static void
test_forgotten (Fixture *fixture, gconstpointer data)
{
  begin (fixture, NULL, NULL);
  peer_hello (fixture->peer);
  g_object_unref (pending_wait (&fixture->pending));
  peer_expect_goodbye (fixture->peer, "closed");
}

/* By a binding, or g_object_new (). */
static void
test_made_bare (void)
{
  g_autoptr (AsbTransport) transport = g_object_new (ASB_TYPE_GUEST_TRANSPORT, NULL);
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("true");
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/x");
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (AsbCapabilities) capabilities = asb_transport_get_capabilities (transport);
  g_autoptr (GError) error = NULL;

  g_test_summary ("One that was never opened is closed");

  g_assert_cmpint (asb_transport_get_state (transport), ==, ASB_TRANSPORT_STATE_CLOSED);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (capabilities)), ==, 0);
  process = asb_transport_start_command (transport, spec, NULL, &error);
  g_assert_null (process);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
  g_clear_error (&error);
  info = asb_transport_query_file (transport, request, NULL, &error);
  g_assert_null (info);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
  g_clear_error (&error);
  g_assert_true (asb_transport_close (transport, NULL, &error));
}

int
main (int argc, char **argv)
{
  static const char *const members[]
      = { "major", "minor", "features", "version", "arch",   "boot_id",
          "uid",   "gid",   "home",     "clock",   "session" };

  g_test_init (&argc, &argv, NULL);

#define ADD(path, function, data)                                                                  \
  g_test_add ("/guest-hello/" path, Fixture, data, set_up, function, tear_down)
  ADD ("said", test_said, NULL);
  ADD ("no-token", test_no_token, NULL);
  ADD ("less-features", test_less_features, NULL);
  ADD ("other-version", test_other_version, NULL);
  ADD ("noise", test_noise, NULL);
  ADD ("cancelled/before", test_cancelled, GINT_TO_POINTER (TRUE));
  ADD ("cancelled/during", test_cancelled, GINT_TO_POINTER (FALSE));
  ADD ("timeout", test_timeout, NULL);
  ADD ("blocking", test_blocking, NULL);
  ADD ("forgotten", test_forgotten, NULL);
#undef ADD
  g_test_add_func ("/guest-hello/cut", test_cut);
  g_test_add_func ("/guest-hello/made-bare", test_made_bare);
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    {
      g_autofree char *path = g_strdup_printf ("/guest-hello/wrong-member/%s", members[i]);

      g_test_add_data_func (path, members[i], test_wrong_member);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (BEGINNINGS); i++)
    {
      g_autofree char *path = g_strdup_printf ("/guest-hello/beginning/%s", BEGINNINGS[i].name);

      g_test_add_data_func (path, &BEGINNINGS[i], test_beginning);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (REFUSALS); i++)
    {
      g_autofree char *path = g_strdup_printf ("/guest-hello/refusal/%s", REFUSALS[i].code);

      g_test_add_data_func (path, &REFUSALS[i], test_refusal);
    }

  return g_test_run ();
}
