/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "peer.h"

#include "asb-guest-transport-private.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static GIOStream *
new_pair (int *ours)
{
  g_autoptr (GSocket) socket = NULL;
  g_autoptr (GError) error = NULL;
  int ends[2];

  g_assert_no_errno (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
  socket = g_socket_new_from_fd (ends[0], &error);
  g_assert_no_error (error);
  *ours = ends[1];
  return G_IO_STREAM (g_socket_connection_factory_create_connection (socket));
}

static void
close_end (gpointer data)
{
  close (GPOINTER_TO_INT (data));
}

Peer *
peer_new (void)
{
  Peer *self = g_new0 (Peer, 1);

  self->stream = new_pair (&self->fd);
  self->kept = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  self->streams = g_async_queue_new_full (close_end);
  self->sendable = -1;
  self->receivable = -1;
  return self;
}

void
peer_close (Peer *self)
{
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
}

void
peer_free (Peer *self)
{
  peer_close (self);
  g_clear_object (&self->stream);
  g_ptr_array_unref (self->kept);
  g_clear_pointer (&self->credit, g_bytes_unref);
  g_async_queue_unref (self->streams);
  g_free (self);
}

void
peer_frame_free (PeerFrame *frame)
{
  g_bytes_unref (frame->payload);
  json_decref (frame->json);
  g_free (frame);
}

GBytes *
peer_frame_new (Peer *self, AsbFrameType type, guint32 call, guint16 channel, guint8 flags,
                gconstpointer payload, gsize size)
{
  AsbFrameHeader header
      = { .length = (guint32)size, .type = type, .flags = flags, .channel = channel, .call = call };
  guint8 *bytes = g_malloc (ASB_FRAME_HEADER_SIZE + size);
  GBytes *frame;

  if (asb_frame_type_is_numbered (type))
    header.sequence = ++self->sent;
  asb_frame_header_write (&header, bytes);
  if (size > 0)
    memcpy (bytes + ASB_FRAME_HEADER_SIZE, payload, size);
  frame = g_bytes_new_take (bytes, ASB_FRAME_HEADER_SIZE + size);
  if (header.sequence > 0)
    g_ptr_array_add (self->kept, g_bytes_ref (frame));
  if (type == ASB_FRAME_CREDIT)
    {
      g_clear_pointer (&self->credit, g_bytes_unref);
      self->credit = g_bytes_ref (frame);
    }
  return frame;
}

/* The library may have gone already. */
static void
send_all (Peer *self, gconstpointer bytes, gsize size)
{
  const guint8 *at = bytes;

  while (size > 0)
    {
      ssize_t n = send (self->fd, at, size, MSG_NOSIGNAL);

      if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
        return;
      g_assert_no_errno (n);
      at += n;
      size -= (gsize)n;
    }
}

/* What is lost this way is said again with what is kept. */
void
peer_send_bytes (Peer *self, gconstpointer bytes, gsize size)
{
  if (self->sendable < 0 || (gsize)self->sendable >= size)
    {
      send_all (self, bytes, size);
      self->sendable -= self->sendable < 0 ? 0 : (gssize)size;
      return;
    }
  send_all (self, bytes, (gsize)self->sendable);
  peer_break (self);
  peer_take_stream (self);
  peer_resume (self, peer_expect_resume (self));
}

void
peer_send (Peer *self, AsbFrameType type, guint32 call, guint16 channel, guint8 flags,
           gconstpointer payload, gsize size)
{
  g_autoptr (GBytes) frame = peer_frame_new (self, type, call, channel, flags, payload, size);

  peer_send_bytes (self, g_bytes_get_data (frame, NULL), g_bytes_get_size (frame));
}

void
peer_send_text (Peer *self, AsbFrameType type, guint32 call, const char *json)
{
  peer_send (self, type, call, 0, 0, json, strlen (json));
}

void
peer_send_data (Peer *self, guint32 call, guint16 channel, const char *data)
{
  peer_send (self, ASB_FRAME_DATA, call, channel, 0, data, strlen (data));
}

void
peer_send_end (Peer *self, guint32 call, guint16 channel)
{
  peer_send (self, ASB_FRAME_DATA, call, channel, ASB_FRAME_FLAG_FIN, NULL, 0);
}

void
peer_send_count (Peer *self, AsbFrameType type, guint32 call, guint16 channel, guint64 count)
{
  guint8 payload[8];

  asb_frame_count_write (count, payload);
  peer_send (self, type, call, channel, 0, payload, sizeof payload);
}

/* FALSE at the end of the stream. */
static gboolean
read_all (Peer *self, guint8 *bytes, gsize size)
{
  while (size > 0)
    {
      gsize wanted = self->receivable < 0 ? size : MIN (size, (gsize)self->receivable);
      ssize_t n = wanted > 0 ? read (self->fd, bytes, wanted) : 0;

      if (n == 0 || (n < 0 && errno == ECONNRESET))
        return FALSE;
      g_assert_no_errno (n);
      bytes += n;
      size -= (gsize)n;
      self->receivable -= self->receivable < 0 ? 0 : n;
    }
  return TRUE;
}

/* What was read of a frame is lost with its connection. */
static void
read_frame (Peer *self, guint8 *bytes, AsbFrameHeader *header, gboolean *ended)
{
  const char *reason = NULL;

  *ended = !read_all (self, bytes, ASB_FRAME_HEADER_SIZE);
  if (!*ended)
    {
      g_assert_cmpint (asb_frame_parse (bytes, ASB_FRAME_HEADER_SIZE, header, &reason), !=,
                       ASB_FRAME_INVALID);
      *ended = !read_all (self, bytes + ASB_FRAME_HEADER_SIZE, header->length);
    }
  if (!*ended || self->receivable != 0)
    return;
  peer_break (self);
  peer_take_stream (self);
  peer_resume (self, peer_expect_resume (self));
  read_frame (self, bytes, header, ended);
}

static void
check_number (Peer *self, const AsbFrameHeader *header)
{
  if (asb_frame_type_is_numbered (header->type))
    g_assert_cmpuint (header->sequence, ==, ++self->received);
}

PeerFrame *
peer_receive (Peer *self)
{
  g_autofree guint8 *bytes = g_malloc (ASB_FRAME_HEADER_SIZE + ASB_FRAME_MAX_CONTROL);
  PeerFrame *frame;
  AsbFrameHeader header;
  gboolean ended;

  read_frame (self, bytes, &header, &ended);
  if (ended)
    return NULL;
  check_number (self, &header);

  frame = g_new0 (PeerFrame, 1);
  frame->header = header;
  frame->payload = g_bytes_new (bytes + ASB_FRAME_HEADER_SIZE, header.length);
  if (header.type == ASB_FRAME_CALL || header.type == ASB_FRAME_HELLO
      || header.type == ASB_FRAME_GOODBYE)
    {
      frame->json
          = json_loadb ((const char *)bytes + ASB_FRAME_HEADER_SIZE, header.length, 0, NULL);
      g_assert_nonnull (frame->json);
    }
  return frame;
}

/* What may come at any time: PING when the machine is so slow that the line was silent. */
static gboolean
is_beside_the_point (Peer *self, const PeerFrame *frame, AsbFrameType expected)
{
  if (frame->header.type == expected)
    return FALSE;
  if (frame->header.type == ASB_FRAME_PING)
    peer_send (self, ASB_FRAME_PONG, 0, 0, 0, NULL, 0);
  return frame->header.type == ASB_FRAME_ACK || frame->header.type == ASB_FRAME_PING;
}

PeerFrame *
peer_expect (Peer *self, AsbFrameType type)
{
  PeerFrame *frame = peer_receive (self);

  while (frame && is_beside_the_point (self, frame, type))
    {
      peer_frame_free (frame);
      frame = peer_receive (self);
    }
  g_assert_nonnull (frame);
  g_assert_cmpint (frame->header.type, ==, type);
  return frame;
}

void
peer_skip (Peer *self, AsbFrameType type)
{
  peer_frame_free (peer_expect (self, type));
}

PeerFrame *
peer_expect_call (Peer *self, const char *name)
{
  PeerFrame *frame = peer_expect (self, ASB_FRAME_CALL);

  g_assert_cmpstr (json_string_value (json_object_get (frame->json, "call")), ==, name);
  return frame;
}

void
peer_expect_end (Peer *self)
{
  PeerFrame *frame;

  while ((frame = peer_receive (self)))
    {
      g_assert_cmpint (frame->header.type, ==, ASB_FRAME_ACK);
      peer_frame_free (frame);
    }
}

void
peer_expect_goodbye (Peer *self, const char *code)
{
  g_autoptr (PeerFrame) frame = peer_expect (self, ASB_FRAME_GOODBYE);

  g_assert_cmpstr (json_string_value (json_object_get (frame->json, "code")), ==, code);
  g_assert_true (json_is_string (json_object_get (frame->json, "message")));
  peer_expect_end (self);
}

void
peer_hello (Peer *self)
{
  peer_skip (self, ASB_FRAME_HELLO);
  peer_send_text (self, ASB_FRAME_HELLO, 0, PEER_HELLO);
}

AsbProcess *
peer_start_command (Peer *self, AsbTransport *transport, AsbCommandFlags flags)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("cat");
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  Pending pending = { 0 };
  AsbProcess *process;

  asb_command_spec_set_flags (spec, flags);
  asb_transport_start_command_async (transport, spec, NULL, pending_cb, &pending);
  peer_frame_free (peer_expect_call (self, "command.start"));
  peer_send_text (self, ASB_FRAME_EVENT, 1, PEER_STARTED);
  result = pending_wait (&pending);
  process = asb_transport_start_command_finish (transport, result, &error);
  g_assert_no_error (error);
  return process;
}

AsbTransport *
peer_open (Peer *self)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  Pending pending = { 0 };
  AsbGuestTransport *transport;

  asb_guest_transport_new_async (self->stream, NULL, NULL, pending_cb, &pending);
  g_clear_object (&self->stream);
  peer_hello (self);
  result = pending_wait (&pending);
  transport = asb_guest_transport_new_finish (result, &error);
  g_assert_no_error (error);
  return ASB_TRANSPORT (transport);
}

/* Coming back. */

GIOStream *
peer_new_stream (Peer *self)
{
  int ours;
  GIOStream *stream = new_pair (&ours);

  g_async_queue_push (self->streams, GINT_TO_POINTER (ours));
  return self->wrap ? self->wrap (stream) : stream;
}

static void
open_again (gpointer data, GCancellable *cancellable, AsbGuestStreamFunc answer,
            gpointer answer_data)
{
  answer (answer_data, peer_new_stream (data), NULL);
}

AsbTransport *
peer_open_resumable (Peer *self, gint64 limit)
{
  AsbGuestReopening reopening = { .open = open_again, .data = self, .limit = limit };
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  Pending pending = { 0 };
  AsbGuestTransport *transport;

  asb_guest_transport_open_async (self->stream, NULL, &reopening, g_main_context_default (), NULL,
                                  pending_cb, &pending);
  g_clear_object (&self->stream);
  peer_hello (self);
  result = pending_wait (&pending);
  transport = asb_guest_transport_new_finish (result, &error);
  g_assert_no_error (error);
  return ASB_TRANSPORT (transport);
}

void
peer_break (Peer *self)
{
  peer_close (self);
  self->sendable = -1;
  self->receivable = -1;
}

void
peer_take_stream (Peer *self)
{
  g_assert_cmpint (self->fd, <, 0);
  self->fd = GPOINTER_TO_INT (g_async_queue_pop (self->streams));
}

guint64
peer_expect_resume (Peer *self)
{
  g_autoptr (PeerFrame) frame = peer_expect (self, ASB_FRAME_HELLO);
  const json_t *resume = json_object_get (frame->json, "resume");

  g_assert_cmpstr (json_string_value (json_object_get (resume, "session")), ==, "i");
  g_assert_cmpstr (json_string_value (json_object_get (resume, "secret")), ==, "s");
  g_assert_cmpstr (json_string_value (json_object_get (resume, "boot_id")), ==, "b1");
  g_assert_true (json_is_integer (json_object_get (resume, "received")));
  return (guint64)json_integer_value (json_object_get (resume, "received"));
}

void
peer_resume (Peer *self, guint64 received)
{
  json_t *hello = json_loads (PEER_HELLO, 0, NULL);
  char *text;

  g_assert_cmpuint (received, <=, self->sent);
  self->n_resumed++;
  json_object_set_new (hello, "resumed",
                       json_pack ("{s:I}", "received", (json_int_t)self->received));
  text = json_dumps (hello, 0);
  peer_send_text (self, ASB_FRAME_HELLO, 0, text);
  free (text);
  json_decref (hello);
  for (guint64 i = received; i < self->kept->len; i++)
    {
      GBytes *frame = self->kept->pdata[i];

      send_all (self, g_bytes_get_data (frame, NULL), g_bytes_get_size (frame));
    }
  if (self->credit)
    send_all (self, g_bytes_get_data (self->credit, NULL), g_bytes_get_size (self->credit));
}

void
pending_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Pending *self = user_data;

  g_assert_null (self->result);
  self->result = g_object_ref (result);
}

GAsyncResult *
pending_wait (Pending *self)
{
  while (!self->result)
    g_main_context_iteration (NULL, TRUE);
  return g_steal_pointer (&self->result);
}

gboolean
pending_is_done (Pending *self)
{
  while (g_main_context_iteration (NULL, FALSE))
    ;
  return self->result != NULL;
}

void
peer_expect_arguments (Peer *self, const char *call, const char *expected)
{
  g_autoptr (PeerFrame) frame = peer_expect_call (self, call);
  g_autoptr (json_t) json = json_loads (expected, 0, NULL);
  const json_t *arguments = json_object_get (frame->json, "args");
  char *text = json_dumps (arguments, JSON_COMPACT | JSON_SORT_KEYS);

  g_assert_nonnull (json);
  g_test_message ("%s", text);
  g_assert_true (json_equal (arguments, json));
  free (text);
}

void
peer_check_entry (AsbFileInfo *info)
{
  GDateTime *modified_at = asb_file_info_get_modified_at (info);

  g_assert_cmpstr (asb_file_info_get_path (info), ==, "/d/f");
  g_assert_cmpint (asb_file_info_get_kind (info), ==, ASB_FILE_KIND_FILE);
  g_assert_cmpuint (asb_file_info_get_size (info), ==, 5);
  g_assert_cmpuint (asb_file_info_get_mode (info), ==, 0644);
  g_assert_cmpuint (asb_file_info_get_uid (info), ==, 1);
  g_assert_cmpuint (asb_file_info_get_gid (info), ==, 2);
  g_assert_cmpint (g_date_time_to_unix (modified_at), ==, 3);
  g_assert_cmpint (g_date_time_get_microsecond (modified_at), ==, 4);
}

void
peer_fixture_init (PeerFixture *fixture, gpointer request)
{
  fixture->peer = peer_new ();
  fixture->transport = peer_open (fixture->peer);
  fixture->request = request;
}

void
peer_fixture_set_up_file (PeerFixture *fixture, gconstpointer data)
{
  peer_fixture_init (fixture, asb_file_request_new_for_path ("/d/f"));
}

void
peer_fixture_tear_down (PeerFixture *fixture, gconstpointer data)
{
  g_clear_object (&fixture->request);
  g_clear_object (&fixture->transport);
  g_clear_pointer (&fixture->peer, peer_free);
}

void
peer_fixture_reply (PeerFixture *fixture, const char *json)
{
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, json);
}
