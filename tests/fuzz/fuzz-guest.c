/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The guest's side of connections. The input is a list of things that happen: clients come, say
 * frames or bytes and go, helper processes answer, lie and die, time passes, memory ends. Whatever
 * it is, the broker keeps to the protocol, ends within the time it promises, and leaves no memory
 * and no descriptor behind. */

#include "fuzz.h"

#include "asb-wire-json.h"
#include "guest-world.h"
#include "stand-ins.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_CLIENTS 4
#define MAX_VISITORS 20
#define MAX_CALL 256
#define TURNS_BETWEEN 2
#define MILLISECOND INT64_C (1000000)

/* What everything together may take to end, and some turns more. */
#define END_STEP (50 * MILLISECOND)
#define MAX_END_TURNS 42

typedef struct
{
  bool is_used;
  bool is_replied;
  bool is_ended[ASB_N_CHANNELS];
  uint64_t received[ASB_N_CHANNELS];
  uint64_t credited[ASB_N_CHANNELS];
} ClientCall;

typedef struct
{
  int fd;
  int half_open_fd; /* of the connection before, which looks alive; −1: none */
  FrameReader reader;
  uint64_t sent;     /* the last number */
  uint64_t received; /* likewise */
  uint64_t seen;     /* what has a number up to this comes again */
  bool is_greeted;
  bool is_over;
  bool is_reading;
  bool is_strange; /* it said what cannot be followed here */
  bool is_resuming;
  json_t *hello; /* of the guest; kept when the connection is gone */
  ClientCall calls[MAX_CALL];
} Client;

static FuzzInput input;
static Client clients[MAX_CLIENTS];
static int visitors[MAX_VISITORS]; /* by WebSockets; what they are told is not looked at here */
static bool is_ending;
static unsigned n_turns_to_end;
static unsigned turns_to_jump; /* until time passes; 0: it does not */

static Client *
take_client (void)
{
  return &clients[fuzz_take_byte (&input) % MAX_CLIENTS];
}

/* What the broker says. */

static void
check_json (const AsbFrameHeader *header, const uint8_t *payload)
{
  const char *reason;
  json_t *json = asb_wire_json_parse (payload, header->length, &reason);

  FUZZ_CHECK (json != NULL);
  if (header->type == ASB_FRAME_REPLY)
    FUZZ_CHECK (!json_is_object (json_object_get (json, "result"))
                != !json_is_object (json_object_get (json, "error")));
  if (header->type == ASB_FRAME_GOODBYE)
    FUZZ_CHECK (json_is_string (json_object_get (json, "code"))
                && json_is_string (json_object_get (json, "message")));
  json_decref (json);
}

static void
check_call (ClientCall *call, const AsbFrameHeader *header)
{
  unsigned channel = header->channel;

  switch (header->type)
    {
    case ASB_FRAME_REPLY:
      FUZZ_CHECK (!call->is_replied);
      call->is_replied = true;
      break;
    case ASB_FRAME_EVENT:
      FUZZ_CHECK (!call->is_replied);
      break;
    case ASB_FRAME_DATA:
      FUZZ_CHECK (channel != ASB_CHANNEL_INPUT && !call->is_ended[channel]);
      call->received[channel] += header->length;
      FUZZ_CHECK (call->received[channel] <= call->credited[channel] + ASB_FRAME_WINDOW);
      call->is_ended[channel] = header->flags & ASB_FRAME_FLAG_FIN;
      break;
    default:
      FUZZ_CHECK (channel == ASB_CHANNEL_INPUT);
    }
}

static void
check_numbered (Client *client, const AsbFrameHeader *header)
{
  FUZZ_CHECK (header->sequence == client->received + 1);
  FUZZ_CHECK (header->type != ASB_FRAME_CALL && header->type != ASB_FRAME_CANCEL);
  client->received++;
}

/* The numbers go on in a session that is resumed, and begin anew in another. */
static void
greeted (Client *client, const AsbFrameHeader *header, const uint8_t *payload)
{
  const char *reason;
  json_t *hello = asb_wire_json_parse (payload, header->length, &reason);
  json_t *resumed = json_object_get (hello, "resumed");

  FUZZ_CHECK (client->is_resuming || !resumed);
  client->is_greeted = true;
  if (client->is_resuming && !resumed)
    {
      client->received = 0;
      client->seen = 0;
      client->sent = 0;
      memset (client->calls, 0, sizeof client->calls);
    }
  else if (resumed)
    client->sent = (uint64_t)json_integer_value (json_object_get (resumed, "received"));
  json_decref (client->hello);
  client->hello = hello;
}

static void
check_frame (Client *client, const AsbFrameHeader *header, const uint8_t *payload)
{
  FUZZ_CHECK (!client->is_over);
  FUZZ_CHECK (client->is_greeted || header->type == ASB_FRAME_HELLO
              || header->type == ASB_FRAME_GOODBYE);
  FUZZ_CHECK (!client->is_greeted || header->type != ASB_FRAME_HELLO);
  if (header->type == ASB_FRAME_GOODBYE)
    client->is_over = true;
  if (header->type == ASB_FRAME_HELLO || header->type == ASB_FRAME_GOODBYE
      || header->type == ASB_FRAME_REPLY || header->type == ASB_FRAME_EVENT)
    check_json (header, payload);
  if (header->type == ASB_FRAME_HELLO)
    greeted (client, header, payload);
  if (asb_frame_type_is_numbered (header->type))
    check_numbered (client, header);
  if (asb_frame_type_is_numbered (header->type) && header->sequence <= client->seen)
    return;
  if (header->call > 0 && !client->is_strange)
    {
      FUZZ_CHECK (header->call < MAX_CALL);
      check_call (&client->calls[header->call], header);
    }
}

static void
disconnect (Client *client)
{
  if (client->fd >= 0)
    close (client->fd);
  if (client->half_open_fd >= 0)
    close (client->half_open_fd);
  client->fd = client->half_open_fd = -1;
  frame_reader_clear (&client->reader);
}

static void
leave (Client *client)
{
  disconnect (client);
  json_decref (client->hello);
  *client = (Client){ .fd = -1, .half_open_fd = -1 };
}

static void
read_client (Client *client)
{
  AsbFrameHeader header;
  const uint8_t *payload;
  const char *reason;
  AsbFrameStatus status;
  FrameReaderStatus filled = FRAME_READER_DATA;

  while (client->fd >= 0 && client->is_reading && filled == FRAME_READER_DATA)
    {
      filled = frame_reader_fill (&client->reader, client->fd);
      while ((status = frame_reader_next (&client->reader, &header, &payload, &reason))
             == ASB_FRAME_OK)
        check_frame (client, &header, payload);
      FUZZ_CHECK (status == ASB_FRAME_NEED_MORE);
    }
  if (filled == FRAME_READER_CLOSED)
    disconnect (client);
}

/* What happens. */

static void
send_bytes (Client *client, const void *bytes, size_t size)
{
  if (client->fd >= 0 && send (client->fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size)
    client->is_strange = true;
}

static void
send_frame (Client *client, AsbFrameHeader *header, const void *payload)
{
  uint8_t bytes[ASB_FRAME_HEADER_SIZE + UINT16_MAX];

  if (asb_frame_type_is_numbered (header->type))
    header->sequence = ++client->sent;
  asb_frame_header_write (header, bytes);
  memcpy (bytes + ASB_FRAME_HEADER_SIZE, payload, header->length);
  send_bytes (client, bytes, ASB_FRAME_HEADER_SIZE + header->length);
}

static void
connect_client (Client *client, bool greet)
{
  static const char hello[] = "{\"major\":1,\"minor\":0,\"linger_ms\":60000}";
  AsbFrameHeader header = { .type = ASB_FRAME_HELLO, .length = sizeof hello - 1 };

  leave (client);
  *client = (Client){ .fd = world_connect (), .half_open_fd = -1, .is_reading = true };
  if (greet && client->fd >= 0)
    send_frame (client, &header, hello);
}

static void
note_sent (Client *client, const AsbFrameHeader *header, const uint8_t *payload)
{
  ClientCall *call = &client->calls[header->call];
  uint64_t count;

  if (header->type == ASB_FRAME_CALL)
    {
      /* What comes then may be of either call. */
      client->is_strange = client->is_strange || call->is_used;
      call->is_used = true;
    }
  if (header->type != ASB_FRAME_CREDIT || header->length != 8 || header->channel >= ASB_N_CHANNELS)
    return;
  count = asb_frame_count_read (payload);
  if (count > call->credited[header->channel])
    call->credited[header->channel] = count;
}

static void
client_frame (void)
{
  Client *client = take_client ();
  AsbFrameHeader header = { 0 };
  const uint8_t *payload;
  size_t size;

  header.type = fuzz_take_byte (&input) % (ASB_FRAME_GOODBYE + 2);
  header.flags = fuzz_take_byte (&input);
  header.channel = fuzz_take_byte (&input);
  header.call = fuzz_take_byte (&input);
  payload = fuzz_take_bytes (&input, &size);
  header.length = (uint32_t)size;
  note_sent (client, &header, payload);
  send_frame (client, &header, payload);
}

static void
client_bytes (void)
{
  Client *client = take_client ();
  size_t size;
  const uint8_t *bytes = fuzz_take_bytes (&input, &size);

  client->is_strange = true;
  send_bytes (client, bytes, size);
}

static void
client_comes (void)
{
  Client *client = take_client ();

  connect_client (client, fuzz_take_byte (&input) % 8 != 0);
}

static void
client_goes (void)
{
  disconnect (take_client ());
}

/* With the connection it had closed, or still there, at once or later, and with what it knows or a
 * bit beside it. */
static void
client_resumes (void)
{
  Client *client = take_client ();
  uint8_t how = fuzz_take_byte (&input);
  uint64_t received = client->received + (how & 0x10 ? 1 : 0) - (how & 0x20 ? 1 : 0);
  AsbFrameHeader header = { .type = ASB_FRAME_HELLO };
  json_t *session = json_object_get (client->hello, "session");
  json_t *hello = json_pack (
      "{s:i, s:i, s:i, s:{s:O*, s:O*, s:O*, s:I}}", "major", 1, "minor", 0, "linger_ms",
      how & 1 ? 60000 : 0, "resume", "session", json_object_get (session, "id"), "secret",
      json_object_get (session, how & 8 ? "id" : "secret"), "boot_id",
      json_object_get (client->hello, "boot_id"), "received", (json_int_t)received);
  char *text = json_dumps (hello, 0);
  int old_fd = client->fd;

  if (received < client->received)
    {
      client->seen = client->received;
      client->received = received;
    }
  frame_reader_clear (&client->reader);
  /* What it says is true for all that the guest knows. */
  client->is_strange = client->is_strange || received != client->received;
  client->received = received;
  client->fd = world_connect ();
  client->is_greeted = client->is_over = false;
  client->is_resuming = client->is_reading = true;
  if (old_fd >= 0 && how & 2)
    close (old_fd);
  header.length = (uint32_t)strlen (text);
  send_frame (client, &header, text);
  /* So that timers of the old connection run out in the turn in which it is taken over. */
  if (how & 4)
    turns_to_jump = 1u + (how >> 6);
  if (client->half_open_fd >= 0)
    close (client->half_open_fd);
  client->half_open_fd = how & 2 ? -1 : old_fd;
  free (text);
  json_decref (hello);
}

static void
client_reads (void)
{
  Client *client = take_client ();

  client->is_reading = fuzz_take_byte (&input) & 1;
}

static void
client_acknowledges (void)
{
  Client *client = take_client ();
  AsbFrameHeader header = { .type = ASB_FRAME_ACK, .length = 8 };
  uint8_t payload[8];

  asb_frame_count_write (client->received + fuzz_take_byte (&input) / 200, payload);
  send_frame (client, &header, payload);
}

static int *
take_visitor (void)
{
  return &visitors[fuzz_take_byte (&input) % MAX_VISITORS];
}

static void
leave_visitor (int *visitor)
{
  if (*visitor >= 0)
    close (*visitor);
  *visitor = -1;
}

static void
read_visitor (int *visitor)
{
  uint8_t bytes[4096];
  ssize_t n = 1;

  while (*visitor >= 0 && n > 0)
    n = read (*visitor, bytes, sizeof bytes);
  if (n == 0)
    leave_visitor (visitor);
}

static void
visitor_comes (void)
{
  int *visitor = take_visitor ();

  leave_visitor (visitor);
  *visitor = world_visit ();
}

static void
visitor_sends (void)
{
  int *visitor = take_visitor ();
  size_t size;
  const uint8_t *bytes = fuzz_take_bytes (&input, &size);

  if (*visitor >= 0 && send (*visitor, bytes, size, MSG_NOSIGNAL) < 0)
    leave_visitor (visitor);
}

static void
visitor_goes (void)
{
  leave_visitor (take_visitor ());
}

static void
helper_says (void)
{
  Helper *helper = world_helper (fuzz_take_byte (&input));
  SupervisorMessage message = { .realtime.tv_sec = 1700000000, .monotonic = stand_ins.now };

  message.kind = (SupervisorMessageKind)(fuzz_take_byte (&input) % (SUPERVISOR_GAVE_UP + 2));
  message.stage = (SupervisorStage)(fuzz_take_byte (&input) % (SUPERVISOR_STAGE_USER + 1));
  message.value = fuzz_take_short (&input);
  message.detail = message.value - 1;
  message.last = fuzz_take_byte (&input) & 1;
  if (helper)
    helper_say (helper, &message);
}

static void
helper_sends (void)
{
  Helper *helper = world_helper (fuzz_take_byte (&input));
  AsbFrameHeader header = { .sequence = 1 };
  const uint8_t *payload;
  size_t size;

  header.type = fuzz_take_byte (&input) % (ASB_FRAME_CREDIT + 1);
  header.flags = fuzz_take_byte (&input) & ASB_FRAME_FLAG_FIN;
  header.channel = fuzz_take_byte (&input);
  payload = fuzz_take_bytes (&input, &size);
  header.length = (uint32_t)size;
  if (!asb_frame_type_is_numbered (header.type))
    header.sequence = 0;
  if (!helper)
    return;
  header.call = helper->last_call;
  helper_send (helper, &header, payload);
}

static void
helper_sends_bytes (void)
{
  Helper *helper = world_helper (fuzz_take_byte (&input));
  size_t size;
  const uint8_t *bytes = fuzz_take_bytes (&input, &size);

  /* The fields of a message of supervisors are believed: they are of the guest itself. */
  if (helper && helper->kind == HELPER_SUPERVISOR && size >= sizeof (SupervisorMessage))
    size = sizeof (SupervisorMessage) - 1;
  if (helper)
    helper_send_bytes (helper, bytes, size);
}

static void
command_prints (void)
{
  Helper *helper = world_helper (fuzz_take_byte (&input));
  unsigned stream = fuzz_take_byte (&input) % 4;
  unsigned times = fuzz_take_short (&input) % 1024;
  size_t size;
  const uint8_t *bytes = fuzz_take_bytes (&input, &size);

  for (unsigned i = 0; helper && stream < 3 && i < times; i++)
    helper_print (helper, stream, bytes, size);
}

static void
command_closes (void)
{
  Helper *helper = world_helper (fuzz_take_byte (&input));
  unsigned stream = fuzz_take_byte (&input) % SUPERVISOR_N_DESCRIPTORS;

  if (helper)
    helper_close_stream (helper, stream);
}

/* With something on its lips, which the broker may see before or after it is told of the death. */
static void
helper_dies (void)
{
  Helper *helper = world_helper (fuzz_take_byte (&input));
  uint8_t when = fuzz_take_byte (&input) % 3;
  AsbFrameHeader header = { .type = ASB_FRAME_REPLY, .sequence = 1 };
  size_t size;
  const uint8_t *payload = fuzz_take_bytes (&input, &size);

  if (!helper)
    return;
  if (when == 1)
    world_signal (SIGCHLD);
  header.length = (uint32_t)size;
  header.call = helper->last_call;
  if (size > 0 && helper->kind != HELPER_SUPERVISOR)
    helper_send (helper, &header, payload);
  helper_end (helper);
  if (when == 2)
    world_signal (SIGCHLD);
}

static void
children_are_reaped (void)
{
  world_signal (SIGCHLD);
}

static void
time_passes (void)
{
  stand_ins.now += fuzz_take_short (&input) * 10 * MILLISECOND;
}

static void
forks_fail (void)
{
  world.forks_fail = fuzz_take_byte (&input) & 1;
}

static void
helpers_fall_silent (void)
{
  world.helpers_are_silent = fuzz_take_byte (&input) & 1;
}

static void
memory_ends (void)
{
  stand_ins.failing_allocation = fuzz_take_byte (&input) + 1u;
}

static void
nothing (void)
{
}

static void (*const HAPPENINGS[]) (void) = {
  nothing,        client_frame,        client_bytes, client_comes,        client_goes,
  client_reads,   client_acknowledges, helper_says,  helper_sends,        helper_sends_bytes,
  command_prints, command_closes,      helper_dies,  children_are_reaped, time_passes,
  forks_fail,     helpers_fall_silent, memory_ends,  client_resumes,      visitor_comes,
  visitor_sends,  visitor_goes,
};

/* The end. */

static void
begin_to_end (void)
{
  is_ending = true;
  broker_stop (world.broker, NULL);
}

static void
go_on_ending (void)
{
  FUZZ_CHECK (++n_turns_to_end <= MAX_END_TURNS * (TURNS_BETWEEN + 1));
  if (n_turns_to_end % (TURNS_BETWEEN + 1) == 0)
    stand_ins.now += END_STEP;
}

static void
step (void)
{
  for (size_t i = 0; i < MAX_CLIENTS; i++)
    read_client (&clients[i]);
  for (size_t i = 0; i < MAX_VISITORS; i++)
    read_visitor (&visitors[i]);
  if (is_ending)
    go_on_ending ();
  else if (world.n_turns % (TURNS_BETWEEN + 1) != 0)
    return;
  else if (fuzz_left (&input) == 0)
    begin_to_end ();
  else
    HAPPENINGS[fuzz_take_byte (&input) % (sizeof HAPPENINGS / sizeof *HAPPENINGS)]();
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  unsigned n_descriptors = world_count_descriptors ();

  input = (FuzzInput){ data, data + size };
  is_ending = false;
  n_turns_to_end = 0;
  turns_to_jump = 0;
  for (size_t i = 0; i < MAX_CLIENTS; i++)
    clients[i] = (Client){ .fd = -1, .half_open_fd = -1 };
  for (size_t i = 0; i < MAX_VISITORS; i++)
    visitors[i] = -1;
  world_run (step);
  for (size_t i = 0; i < MAX_VISITORS; i++)
    leave_visitor (&visitors[i]);
  for (size_t i = 0; i < MAX_CLIENTS; i++)
    leave (&clients[i]);
  FUZZ_CHECK (world_count_descriptors () == n_descriptors);
  return 0;
}
