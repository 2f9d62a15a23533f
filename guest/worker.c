/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "worker.h"

#include "asb-wire-json.h"
#include "file-operations.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* As many frames are held back at most. */
#define MAX_HELD 4

/* A client that lets a worker wait so long may do so for ever. */
#define STALL_MILLISECONDS 100

static const struct
{
  const char *name;
  bool (*run) (FileWorker *worker, FileResult *result, Failure *failure);
} OPERATIONS[] = {
  { "file.stat", file_stat },
  { "file.list", file_list },
  { "file.walk", file_walk },
  { "file.glob", file_glob },
  { "file.grep", file_grep },
  { "file.watch", file_watch },
  { "file.read", file_read },
  { "file.read_lines", file_read_lines },
  { "file.set_attributes", file_set_attributes },
  { "file.write", file_write },
  { "file.edit", file_edit },
  { "file.mkdir", file_mkdir },
  { "file.delete", file_delete },
  { "file.move", file_move },
  { "file.unpack", file_unpack },
  { "file.pack", file_pack },
};

static void
skip (struct iovec *vectors, int n_vectors, size_t written)
{
  for (int i = 0; i < n_vectors; i++)
    {
      size_t part = written < vectors[i].iov_len ? written : vectors[i].iov_len;

      vectors[i].iov_base = (uint8_t *)vectors[i].iov_base + part;
      vectors[i].iov_len -= part;
      written -= part;
    }
}

static void
write_all (FileWorker *worker, struct iovec *vectors, int n_vectors)
{
  size_t left = 0;

  for (int i = 0; i < n_vectors; i++)
    left += vectors[i].iov_len;
  while (!worker->closed && left > 0)
    {
      ssize_t n = writev (worker->socket_fd, vectors, n_vectors);

      if (n >= 0)
        {
          skip (vectors, n_vectors, (size_t)n);
          left -= (size_t)n;
        }
      else if (errno != EINTR)
        worker->closed = true;
    }
}

/* False when there is no memory for it: then it has to go at once, after what is held. */
static bool
hold (FileWorker *worker, const AsbFrameHeader *header, const void *payload)
{
  OutFrame *frame = worker->n_held < MAX_HELD ? out_frame_new (header, payload) : NULL;

  if (!frame)
    return false;
  frame_queue_push (&worker->held, frame);
  worker->n_held++;
  return true;
}

static void
send_frame (FileWorker *worker, uint8_t type, unsigned channel, const void *payload, size_t length)
{
  AsbFrameHeader header = { .length = (uint32_t)length,
                            .type = type,
                            .channel = (uint16_t)channel,
                            .call = worker->call,
                            .sequence = asb_frame_type_is_numbered (type) };
  uint8_t bytes[ASB_FRAME_HEADER_SIZE];
  struct iovec vectors[MAX_HELD + 2];
  int n;

  if (worker->holds && hold (worker, &header, payload))
    return;
  n = out_frame_gather (worker->held.first, 0, SIZE_MAX, vectors, MAX_HELD);
  asb_frame_header_write (&header, bytes);
  vectors[n++] = (struct iovec){ bytes, sizeof bytes };
  vectors[n++] = (struct iovec){ (void *)payload, length };
  write_all (worker, vectors, n);
  frame_queue_clear (&worker->held);
  worker->n_held = 0;
}

void
worker_hold (FileWorker *worker)
{
  worker->holds = true;
}

void
worker_let_go (FileWorker *worker)
{
  worker->holds = false;
}

static bool
send_json (FileWorker *worker, uint8_t type, json_t *json)
{
  char *text = asb_wire_json_dump (json);
  size_t length = text ? strlen (text) : 0;
  bool fits = text && length <= ASB_FRAME_MAX_CONTROL;

  if (fits)
    send_frame (worker, type, 0, text, length);
  free (text);
  return fits;
}

/* The broker counts what it tells of a call. */
static void
note_heard (FileWorker *worker, const AsbFrameHeader *header)
{
  worker->n_heard += header->call == worker->call;
  worker->has_stalled = false;
}

static void
take_frame (FileWorker *worker, const AsbFrameHeader *header, const uint8_t *payload)
{
  uint64_t count;

  worker->heard = true;
  switch (header->type)
    {
    case ASB_FRAME_CANCEL:
      worker->cancelled = true;
      break;
    case ASB_FRAME_STOP:
      worker->stopped = true;
      break;
    case ASB_FRAME_EVENT:
      worker->has_lock = true;
      break;
    case ASB_FRAME_CREDIT:
      count = asb_frame_count_read (payload);
      if (count > worker->credited && count <= worker->sent)
        worker->credited = count;
      break;
    case ASB_FRAME_DATA:
      worker->input = payload;
      worker->input_size = header->length;
      worker->input_ended = (header->flags & ASB_FRAME_FLAG_FIN) != 0;
      break;
    default:
      break;
    }
}

/* Input that nobody waits for yet. */
static void
keep_ahead (FileWorker *worker, const AsbFrameHeader *header, const uint8_t *payload)
{
  OutFrame *frame = out_frame_new (header, payload);

  if (frame)
    frame_queue_push (&worker->ahead, frame);
  else
    worker->closed = true;
}

/* Says that it waits for the client, once that has lasted: others may work meanwhile. */
static void
tell_stalled (FileWorker *worker)
{
  struct pollfd polled = { .fd = worker->socket_fd, .events = POLLIN };

  if (worker->has_stalled || poll (&polled, 1, STALL_MILLISECONDS) != 0)
    return;
  worker->has_stalled = true;
  worker_send_event (worker, json_pack ("{s:I}", "stalled", (json_int_t)worker->n_heard));
}

/* Waits for a frame; false when the broker is gone. */
static bool
read_frame (FileWorker *worker, AsbFrameHeader *header, const uint8_t **payload)
{
  const char *reason;

  while (!worker->closed)
    {
      AsbFrameStatus status = frame_reader_next (&worker->reader, header, payload, &reason);

      if (status == ASB_FRAME_OK)
        return true;
      if (status != ASB_FRAME_INVALID && worker->awaits_client)
        tell_stalled (worker);
      if (status == ASB_FRAME_INVALID
          || frame_reader_fill (&worker->reader, worker->socket_fd) == FRAME_READER_CLOSED)
        worker->closed = true;
    }
  return false;
}

static bool
is_cancelled (const FileWorker *worker)
{
  return worker->closed || worker->cancelled;
}

/* Waits for one more frame of the call; false when there is no point in going on. */
static bool
wait_for_frame (FileWorker *worker)
{
  AsbFrameHeader header;
  const uint8_t *payload;

  if (is_cancelled (worker) || !read_frame (worker, &header, &payload))
    return false;
  note_heard (worker, &header);
  if (header.call == worker->call)
    take_frame (worker, &header, payload);
  return !is_cancelled (worker);
}

static bool
wait_for_client (FileWorker *worker)
{
  bool goes_on;

  worker->awaits_client = true;
  goes_on = wait_for_frame (worker);
  worker->awaits_client = false;
  return goes_on;
}

bool
worker_goes_on (FileWorker *worker)
{
  struct pollfd polled = { .fd = worker->socket_fd, .events = POLLIN };
  AsbFrameHeader header;
  const uint8_t *payload;
  const char *reason;

  while (!is_cancelled (worker))
    {
      if (frame_reader_next (&worker->reader, &header, &payload, &reason) == ASB_FRAME_OK)
        {
          note_heard (worker, &header);
          if (header.call == worker->call && header.type == ASB_FRAME_DATA)
            keep_ahead (worker, &header, payload);
          else if (header.call == worker->call)
            take_frame (worker, &header, payload);
        }
      else if (poll (&polled, 1, 0) <= 0)
        return true;
      else if (frame_reader_fill (&worker->reader, worker->socket_fd) == FRAME_READER_CLOSED)
        worker->closed = true;
    }
  return false;
}

bool
worker_wait_for (FileWorker *worker, int fd, int timeout)
{
  struct pollfd polled[2]
      = { { .fd = worker->socket_fd, .events = POLLIN }, { .fd = fd, .events = POLLIN } };

  if (!worker_goes_on (worker))
    return false;
  /* What was heard before, while something was sent, will not come again. */
  if (!worker->heard && poll (polled, 2, timeout) > 0 && polled[0].revents != 0
      && frame_reader_fill (&worker->reader, worker->socket_fd) == FRAME_READER_CLOSED)
    worker->closed = true;
  worker_goes_on (worker);
  worker->heard = false;
  return !is_cancelled (worker);
}

size_t
worker_room (const FileWorker *worker)
{
  return (size_t)(ASB_FRAME_WINDOW - (worker->sent - worker->credited));
}

bool
worker_send (FileWorker *worker, const void *bytes, size_t size)
{
  const uint8_t *at = bytes;

  while (size > 0)
    {
      uint64_t room = ASB_FRAME_WINDOW - (worker->sent - worker->credited);
      size_t part = size < ASB_FRAME_MAX_DATA ? size : ASB_FRAME_MAX_DATA;

      if (worker->stopped || is_cancelled (worker))
        return false;
      if (room == 0)
        {
          wait_for_client (worker);
          continue;
        }
      part = part < room ? part : (size_t)room;
      send_frame (worker, ASB_FRAME_DATA, ASB_CHANNEL_OUTPUT, at, part);
      worker->sent += part;
      at += part;
      size -= part;
    }
  return worker_goes_on (worker) && !worker->stopped;
}

static void
tell_consumed (FileWorker *worker)
{
  uint8_t payload[8];

  if (worker->consumed - worker->consumed_told < ASB_FRAME_CREDIT_STEP)
    return;
  worker->consumed_told = worker->consumed;
  asb_frame_count_write (worker->consumed, payload);
  send_frame (worker, ASB_FRAME_CREDIT, ASB_CHANNEL_INPUT, payload, sizeof payload);
}

static void
take_from_ahead (FileWorker *worker)
{
  free (worker->received);
  worker->received = frame_queue_pop (&worker->ahead);
  if (worker->received)
    take_frame (worker, &worker->received->header, out_frame_payload (worker->received));
}

const uint8_t *
worker_receive (FileWorker *worker, size_t *size)
{
  tell_consumed (worker);
  worker->input = NULL;
  take_from_ahead (worker);
  while (!worker->input && !worker->input_ended)
    if (!wait_for_client (worker))
      return NULL;
  *size = worker->input_size;
  worker->consumed += worker->input ? worker->input_size : 0;
  return worker->input;
}

void
worker_send_event (FileWorker *worker, json_t *event)
{
  send_json (worker, ASB_FRAME_EVENT, event);
  json_decref (event);
}

bool
worker_lock (FileWorker *worker, const char *name)
{
  worker->has_lock = false;
  worker_send_event (worker, json_pack ("{s:s}", "lock", name));
  while (!worker->has_lock)
    if (!wait_for_frame (worker))
      return false;
  return true;
}

static bool
run (FileWorker *worker, const char *name, FileResult *result, Failure *failure)
{
  for (size_t i = 0; name && i < sizeof OPERATIONS / sizeof *OPERATIONS; i++)
    if (strcmp (name, OPERATIONS[i].name) == 0)
      return OPERATIONS[i].run (worker, result, failure);
  return failure_set (failure, FAILURE_UNSUPPORTED_CALL, "The file worker does not know the call");
}

static void
answer (FileWorker *worker, bool done, FileResult *result, Failure *failure)
{
  json_t *reply;

  worker_let_go (worker);
  if (!done && !failure->code)
    failure_set (failure, FAILURE_CANCELLED, "The call was cancelled");
  if (done && !result->result)
    failure_set (failure, FAILURE_INTERNAL, "There is not enough memory");
  if (failure->code)
    reply = json_pack ("{s:o}", "error", failure_to_json (failure));
  else
    reply = json_pack ("{s:O, s:O*}", "result", result->result, "recorded", result->recorded);
  if (!send_json (worker, ASB_FRAME_REPLY, reply))
    worker->closed = true;
  json_decref (reply);
  json_decref (result->result);
  json_decref (result->recorded);
  failure_clear (failure);
}

static void
serve_call (FileWorker *worker, const AsbFrameHeader *header, json_t *request)
{
  FileResult result = { 0 };
  Failure failure = { 0 };
  bool done;

  *worker = (FileWorker){ .socket_fd = worker->socket_fd,
                          .history_dir = worker->history_dir,
                          .reader = worker->reader,
                          .call = header->call,
                          .args = json_object_get (request, "args"),
                          .recorded = json_is_true (json_object_get (request, "recorded")) };
  done = run (worker, json_string_value (json_object_get (request, "call")), &result, &failure);
  frame_queue_clear (&worker->ahead);
  free (worker->received);
  answer (worker, done, &result, &failure);
}

int
worker_main (int socket_fd, void *data)
{
  FileWorker worker = { .socket_fd = socket_fd, .history_dir = data };
  AsbFrameHeader header;
  const uint8_t *payload;
  const char *reason;

  /* Modes are given in full. */
  umask (0);
  while (read_frame (&worker, &header, &payload))
    {
      json_t *request = header.type == ASB_FRAME_CALL
                            ? asb_wire_json_parse (payload, header.length, &reason)
                            : NULL;

      if (request)
        serve_call (&worker, &header, request);
      json_decref (request);
    }
  frame_reader_clear (&worker.reader);
  return 0;
}
