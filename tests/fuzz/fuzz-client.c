/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The client's side of a connection. The input is what a hostile guest says, and what the
 * application does meanwhile. Whatever it is, the library keeps to the protocol, answers everything
 * it was asked once, does not spin, and leaves no memory and no descriptor behind.
 *
 * The I/O thread of the library and the application share this thread and its main context. */

#include "fuzz.h"

#include <asb.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "asb-frame.h"
#include "asb-guest-transport-private.h"
#include "asb-io-thread-private.h"
#include "asb-wire-json.h"
#include "client-actions.h"

#define MAX_TURNS 5000
#define MAX_CALLS 256
#define MAX_DESCRIPTORS 256
#define HELLO                                                                                      \
  "{\"major\":1,\"minor\":0,\"features\":[\"commands\",\"files\",\"history\"],"                    \
  "\"version\":\"1.0.0\",\"arch\":\"x86_64\",\"boot_id\":\"b\",\"uid\":0,\"gid\":0,"               \
  "\"home\":\"/root\",\"clock\":{\"sec\":1,\"nsec\":2},"                                           \
  "\"session\":{\"id\":\"i\",\"secret\":\"s\"}}"

/* Under these names the linker finds what the library calls. */
GMainContext *__wrap_asb_io_thread_get_context (void);
void __wrap_asb_io_thread_post (AsbIoFunc function, gpointer data);

static FuzzInput input;
static Application application;
static int ours;
static guint64 sent;     /* the last number */
static guint64 received; /* likewise */
static guint64 highest;  /* of all connections */
static gboolean is_back; /* and nothing with a number has come since */
static guint n_reopenings;
static gboolean is_opening;
static gboolean is_over; /* GOODBYE has come */
static GByteArray *unparsed;
static guint64 credited[MAX_CALLS];
static guint64 fed[MAX_CALLS];

/* The thread. */

GMainContext *
__wrap_asb_io_thread_get_context (void)
{
  return g_main_context_default ();
}

typedef struct
{
  AsbIoFunc function;
  gpointer data;
} Message;

static gboolean
run_message (gpointer user_data)
{
  g_autofree Message *message = user_data;

  message->function (message->data);
  return G_SOURCE_REMOVE;
}

void
__wrap_asb_io_thread_post (AsbIoFunc function, gpointer data)
{
  Message *message = g_new (Message, 1);

  message->function = function;
  message->data = data;
  g_idle_add_full (G_PRIORITY_DEFAULT, run_message, message, NULL);
}

static void
iterate (void)
{
  guint n = 0;

  while (g_main_context_iteration (NULL, FALSE))
    FUZZ_CHECK (++n < MAX_TURNS);
}

/* What the library says. */

/* Whether it is none of those that are said again because of what a HELLO told. */
static gboolean
check_number (guint64 sequence)
{
  gboolean is_new = sequence == highest + 1;

  FUZZ_CHECK (is_back ? sequence <= highest + 1 : sequence == received + 1);
  is_back = FALSE;
  received = sequence;
  highest = MAX (highest, sequence);
  return is_new;
}

static void
check_client_frame (const AsbFrameHeader *header, const guint8 *payload)
{
  const char *reason;
  json_t *json;
  gboolean is_new = FALSE;

  FUZZ_CHECK (!is_over);
  FUZZ_CHECK (header->type != ASB_FRAME_REPLY && header->type != ASB_FRAME_EVENT);
  if (asb_frame_type_is_numbered (header->type))
    is_new = check_number (header->sequence);
  if (header->type == ASB_FRAME_ACK)
    FUZZ_CHECK (asb_frame_count_read (payload) <= sent);
  if (header->type == ASB_FRAME_DATA && header->call < MAX_CALLS && is_new)
    {
      fed[header->call] += header->length;
      FUZZ_CHECK (header->channel == ASB_CHANNEL_INPUT
                  && fed[header->call] <= credited[header->call] + ASB_FRAME_WINDOW);
    }
  is_over = header->type == ASB_FRAME_GOODBYE;
  if (header->type != ASB_FRAME_CALL && header->type != ASB_FRAME_HELLO
      && header->type != ASB_FRAME_GOODBYE)
    return;
  json = asb_wire_json_parse (payload, header->length, &reason);
  FUZZ_CHECK (json != NULL);
  json_decref (json);
}

static void
parse_received (void)
{
  AsbFrameHeader header;
  const char *reason;
  AsbFrameStatus status;

  while ((status = asb_frame_parse (unparsed->data, unparsed->len, &header, &reason))
         == ASB_FRAME_OK)
    {
      check_client_frame (&header, unparsed->data + ASB_FRAME_HEADER_SIZE);
      g_byte_array_remove_range (unparsed, 0, ASB_FRAME_HEADER_SIZE + header.length);
    }
  FUZZ_CHECK (status == ASB_FRAME_NEED_MORE);
}

static void
receive (void)
{
  guint8 bytes[65536];
  ssize_t n;

  while (ours >= 0 && (n = recv (ours, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
    {
      g_byte_array_append (unparsed, bytes, (guint)n);
      parse_received ();
    }
}

/* What the guest says. */

static void
send_bytes (const void *bytes, gsize size)
{
  if (ours >= 0 && send (ours, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)size)
    shutdown (ours, SHUT_WR);
}

static void
send_frame (AsbFrameHeader *header, const void *payload)
{
  g_autofree guint8 *bytes = g_malloc (ASB_FRAME_HEADER_SIZE + header->length);

  if (asb_frame_type_is_numbered (header->type))
    header->sequence = ++sent;
  asb_frame_header_write (header, bytes);
  memcpy (bytes + ASB_FRAME_HEADER_SIZE, payload, header->length);
  send_bytes (bytes, ASB_FRAME_HEADER_SIZE + header->length);
}

static void
guest_frame (void)
{
  AsbFrameHeader header = { 0 };
  const guint8 *payload;
  gsize size;
  guint64 count;

  header.type = fuzz_take_byte (&input) % (ASB_FRAME_GOODBYE + 2);
  header.flags = fuzz_take_byte (&input);
  header.channel = fuzz_take_byte (&input);
  header.call = fuzz_take_byte (&input);
  payload = fuzz_take_bytes (&input, &size);
  header.length = (guint32)size;
  if (header.type == ASB_FRAME_CREDIT && size == 8 && header.channel == ASB_CHANNEL_INPUT)
    {
      count = asb_frame_count_read (payload);
      credited[header.call] = MAX (credited[header.call], count);
    }
  send_frame (&header, payload);
}

static void
guest_bytes (void)
{
  gsize size;
  const guint8 *bytes = fuzz_take_bytes (&input, &size);

  /* They may have been credit for anything, or the numbers may not go on from here. */
  sent = G_MAXUINT64 >> 1;
  for (gsize i = 0; i < MAX_CALLS; i++)
    credited[i] = G_MAXUINT64 >> 1;
  send_bytes (bytes, size);
}

static void
guest_hello (void)
{
  AsbFrameHeader header = { .type = ASB_FRAME_HELLO, .length = sizeof HELLO - 1 };

  send_frame (&header, HELLO);
}

static void
guest_goes (void)
{
  if (ours >= 0)
    close (ours);
  ours = -1;
}

static void
guest_falls_silent (void)
{
  if (ours >= 0)
    shutdown (ours, SHUT_WR);
}

/* What the application does. */

static GBytes *
take_gbytes (void)
{
  gsize size;
  const guint8 *bytes = fuzz_take_bytes (&input, &size);

  return g_bytes_new (bytes, size);
}

static void
start (void)
{
  guint kind = fuzz_take_byte (&input);
  guint flags = fuzz_take_byte (&input);
  g_autoptr (GBytes) bytes = take_gbytes ();

  if (application.transport)
    application_start (&application, kind, flags, bytes);
}

static void
cancel (void)
{
  application_cancel (&application, fuzz_take_byte (&input));
}

static void
read_stream (void)
{
  guint number = fuzz_take_byte (&input);

  application_read (&application, number, fuzz_take_short (&input) + 1u);
}

static void
write_stream (void)
{
  guint number = fuzz_take_byte (&input);
  g_autoptr (GBytes) bytes = take_gbytes ();

  application_write (&application, number, bytes);
}

static void
close_input (void)
{
  application_close_input (&application, fuzz_take_byte (&input));
}

static void
close_output (void)
{
  application_close_output (&application, fuzz_take_byte (&input));
}

static void
drop (void)
{
  application_drop (&application, fuzz_take_byte (&input));
}

static void
use_process (void)
{
  guint number = fuzz_take_byte (&input);

  application_use_process (&application, number, fuzz_take_byte (&input));
}

/* The connection breaks, and another one is made when the library asks for it. */
static void
guest_breaks (void)
{
  guest_goes ();
  n_reopenings++;
}

static void (*const HAPPENINGS[]) (void) = {
  guest_frame,  guest_bytes, guest_hello, guest_goes,   guest_falls_silent,
  start,        cancel,      read_stream, write_stream, close_input,
  close_output, drop,        use_process, guest_breaks,
};

/* A life. */

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  AsbGuestTransport *transport = asb_guest_transport_new_finish (result, &error);

  FUZZ_CHECK (is_opening && !transport == (error != NULL));
  is_opening = FALSE;
  application.transport = transport ? ASB_TRANSPORT (transport) : NULL;
}

static GIOStream *
new_stream (void)
{
  g_autoptr (GSocket) socket = NULL;
  int ends[2];

  FUZZ_CHECK (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  ours = ends[0];
  socket = g_socket_new_from_fd (ends[1], NULL);
  return G_IO_STREAM (g_socket_connection_factory_create_connection (socket));
}

static void
open_again (gpointer data, GCancellable *cancellable, AsbGuestStreamFunc answer,
            gpointer answer_data)
{
  if (n_reopenings == 0)
    {
      answer (answer_data, NULL,
              g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED, "It is gone"));
      return;
    }
  n_reopenings--;
  if (ours >= 0)
    close (ours);
  g_byte_array_set_size (unparsed, 0);
  is_over = FALSE;
  is_back = TRUE;
  answer (answer_data, new_stream (), NULL);
}

static void
open_transport (void)
{
  AsbGuestReopening reopening = { .open = open_again, .limit = 60 * G_TIME_SPAN_SECOND };
  g_autoptr (GIOStream) stream = new_stream ();

  is_opening = TRUE;
  asb_guest_transport_open_async (stream, NULL, &reopening, g_main_context_default (), NULL,
                                  opened_cb, NULL);
}

static void
run (void)
{
  while (fuzz_left (&input) > 0)
    {
      HAPPENINGS[fuzz_take_byte (&input) % G_N_ELEMENTS (HAPPENINGS)]();
      iterate ();
      receive ();
    }
}

/* The guest is gone, and with it every reason to wait, but for one that may come back later. */
static void
end (void)
{
  guest_goes ();
  iterate ();
  if (application.transport
      && asb_transport_get_state (application.transport) == ASB_TRANSPORT_STATE_INTERRUPTED)
    asb_transport_close_async (application.transport, NULL, NULL, NULL);
  iterate ();
  guest_goes ();
  FUZZ_CHECK (!is_opening && application.n_pending == 0);
  application_clear (&application);
  iterate ();
}

static guint
count_descriptors (void)
{
  guint n = 0;

  for (int fd = 0; fd < MAX_DESCRIPTORS; fd++)
    n += fcntl (fd, F_GETFD) >= 0;
  return n;
}

static void
live (const uint8_t *data, size_t size)
{
  input = (FuzzInput){ data, data + size };
  sent = 0;
  received = 0;
  highest = 0;
  is_back = FALSE;
  n_reopenings = 0;
  is_over = FALSE;
  memset (credited, 0, sizeof credited);
  memset (fed, 0, sizeof fed);
  unparsed = g_byte_array_new ();
  application_init (&application);
  open_transport ();
  iterate ();
  run ();
  end ();
  g_byte_array_unref (unparsed);
}

/* Warnings end the process in a way that libFuzzer keeps the input of. */
static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer user_data)
{
  g_log_writer_default (level & ~(guint)G_LOG_FLAG_FATAL, fields, n_fields, NULL);
  if (level & (G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR))
    abort ();
  return G_LOG_WRITER_HANDLED;
}

/* What GLib opens and makes once. */
static void
warm_up (void)
{
  static gboolean is_warm;

  if (is_warm)
    return;
  is_warm = TRUE;
  g_log_set_writer_func (write_log, NULL, NULL);
  live ((const uint8_t *)"", 0);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  guint n_descriptors;

  warm_up ();
  n_descriptors = count_descriptors ();
  live (data, size);
  FUZZ_CHECK (count_descriptors () == n_descriptors);
  return 0;
}
