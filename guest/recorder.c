/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "recorder.h"

#include "asb-wire-json.h"
#include "historian.h"
#include "history-error.h"
#include "link.h"
#include "memory-shortage.h"
#include "process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* A historian that answers nothing for so long (stopped, or its disk hangs) is given up, since
 * commands wait for it. */
#define PATIENCE (INT64_C (30000) * LOOP_MILLISECOND)

typedef struct
{
  List link;
  uint32_t number;
  const RecorderCallbacks *callbacks; /* NULL: forgotten */
  void *data;
  bool answered;
  json_t *opens; /* the call, when it opens the history */
  bool is_repeated;
} Request;

struct Recorder
{
  Loop *loop;
  const char *history_dir;
  Link *historian;
  pid_t pid;
  bool has_answered;
  bool lost_patience;
  uint64_t kills;  /* for lack of memory, before it began */
  const char *end; /* of the last one: why */
  unsigned long session;
  uint32_t last_number;
  List requests;
  LoopTimer patience;
  json_t *open_call; /* what opened the history, or may yet, for the next historian */
  unsigned n_opening;
};

static void historian_frame (void *data, const AsbFrameHeader *header, const uint8_t *payload);
static void historian_closed (void *data);

static const LinkCallbacks LINK_CALLBACKS = { historian_frame, historian_closed };

static int
run_historian (int socket_fd, void *data)
{
  return historian_main (socket_fd, data);
}

static void
start_historian (Recorder *recorder)
{
  int fd;
  pid_t pid = process_fork ("asb-historian", SOCK_STREAM, run_historian,
                            (void *)recorder->history_dir, NULL, 0, &fd);

  if (pid < 0)
    return;
  recorder->session++;
  recorder->pid = pid;
  recorder->has_answered = false;
  recorder->lost_patience = false;
  recorder->kills = memory_shortage_count_kills ();
  recorder->historian = link_new (recorder->loop, fd, &LINK_CALLBACKS, recorder);
}

/* One that has been waited for has no number any more; what it said last may still be read. */
static void
kill_historian (const Recorder *recorder)
{
  if (recorder->pid > 0)
    kill (recorder->pid, SIGKILL);
}

static void
lose_patience (void *data)
{
  Recorder *recorder = data;

  recorder->lost_patience = true;
  kill_historian (recorder);
}

/* Requests with output may wait for the client as long as they like. */
static bool
is_urgent (const Request *request)
{
  return !request->answered && (!request->callbacks || !request->callbacks->output);
}

static void
watch (Recorder *recorder)
{
  loop_timer_stop (&recorder->patience);
  LIST_FOREACH (node, &recorder->requests)
    {
      if (is_urgent (LIST_ITEM (node, Request, link)))
        {
          loop_timer_start (recorder->loop, &recorder->patience, PATIENCE);
          return;
        }
    }
}

static void
request_free (Recorder *recorder, Request *request)
{
  if (request->opens && !request->answered)
    recorder->n_opening--;
  list_remove (&request->link);
  json_decref (request->opens);
  free (request);
}

static Request *
find_request (const Recorder *recorder, uint32_t number)
{
  LIST_FOREACH (node, &recorder->requests)
    {
      Request *request = LIST_ITEM (node, Request, link);

      if (request->number == number)
        return request;
    }
  return NULL;
}

/* The storage may let the next operation in; who asks for what cannot be asked for has asked for
 * nothing. */
static bool
may_succeed_later (const Request *request, json_t *reply)
{
  static const char *const CODES[]
      = { HISTORY_UNAVAILABLE, HISTORY_DATABASE_ERROR, HISTORY_STORAGE_EXHAUSTED };
  json_t *error = json_object_get (reply, "error");
  const char *code = json_string_value (json_object_get (error, "code"));

  if (json_is_true (json_object_get (json_object_get (request->opens, "args"), "existing")))
    return false;
  for (size_t i = 0; code && i < sizeof CODES / sizeof CODES[0]; i++)
    if (strcmp (code, CODES[i]) == 0)
      return true;
  return false;
}

static void
note_opening (Recorder *recorder, Request *request, json_t *reply)
{
  recorder->n_opening--;
  if (json_object_get (reply, "result") || may_succeed_later (request, reply))
    {
      json_decref (recorder->open_call);
      recorder->open_call = json_incref (request->opens);
    }
  else if (request->opens == recorder->open_call)
    {
      /* It was open, and the new historian could not open it again. */
      json_decref (recorder->open_call);
      recorder->open_call = NULL;
    }
}

/* @reply is NULL when the historian has ended. */
static void
answer (Recorder *recorder, Request *request, json_t *reply)
{
  const RecorderCallbacks *callbacks = request->callbacks;
  void *data = request->data;

  if (request->opens && reply)
    note_opening (recorder, request, reply);
  else if (request->opens)
    recorder->n_opening--;
  request->answered = true;
  if (!callbacks || !callbacks->stop || !reply)
    request_free (recorder, request);
  if (callbacks)
    callbacks->reply (data, reply);
}

static void
receive_reply (Recorder *recorder, Request *request, const AsbFrameHeader *header,
               const uint8_t *payload)
{
  const char *reason;
  json_t *reply = asb_wire_json_parse (payload, header->length, &reason);

  if (!reply)
    {
      kill_historian (recorder);
      return;
    }
  answer (recorder, request, reply);
  json_decref (reply);
}

static void
historian_frame (void *data, const AsbFrameHeader *header, const uint8_t *payload)
{
  Recorder *recorder = data;
  Request *request = find_request (recorder, header->call);

  recorder->has_answered = true;
  if (!request)
    return;
  if (header->type == ASB_FRAME_REPLY && !request->answered)
    receive_reply (recorder, request, header, payload);
  else if (header->type == ASB_FRAME_DATA && request->callbacks && request->callbacks->output)
    request->callbacks->output (request->data, payload, header->length);
  else if (header->type == ASB_FRAME_STOP && request->callbacks && request->callbacks->stop)
    request->callbacks->stop (request->data, header->channel);
  watch (recorder);
}

/* To open what may be open already does nothing, so the next historian can be asked the same: who
 * comes just when one was killed hears nothing of that. */
static bool
repeat (Recorder *recorder, Request *request)
{
  if (!recorder->historian || !request->opens || request->answered || request->is_repeated)
    return false;
  request->is_repeated = true;
  return link_send_json (recorder->historian, ASB_FRAME_CALL, request->number, request->opens);
}

static void
fail_requests (Recorder *recorder, List *failed)
{
  while (!list_is_empty (failed))
    {
      Request *request = LIST_ITEM (failed->next, Request, link);

      if (request->answered)
        request_free (recorder, request);
      else
        answer (recorder, request, NULL);
    }
}

static uint32_t
send_request (Recorder *recorder, json_t *call, const RecorderCallbacks *callbacks, void *data)
{
  const char *name = json_string_value (json_object_get (call, "call"));
  Request *request = calloc (1, sizeof *request);

  recorder->last_number = recorder->last_number % UINT32_MAX + 1;
  if (!request
      || !link_send_json (recorder->historian, ASB_FRAME_CALL, recorder->last_number, call))
    {
      free (request);
      return 0;
    }
  request->number = recorder->last_number;
  request->callbacks = callbacks;
  request->data = data;
  if (name && strcmp (name, "history.open") == 0)
    {
      request->opens = json_incref (call);
      recorder->n_opening++;
    }
  list_append (&recorder->requests, &request->link);
  watch (recorder);
  return request->number;
}

static void
restart_historian (Recorder *recorder)
{
  start_historian (recorder);
  if (recorder->historian && recorder->open_call)
    send_request (recorder, recorder->open_call, NULL, NULL);
}

/* Has the next historian do what may be done again, and fails the rest. */
static void
hand_over (Recorder *recorder, List *requests)
{
  LIST_FOREACH (node, requests)
    {
      if (repeat (recorder, LIST_ITEM (node, Request, link)))
        {
          list_remove (node);
          list_append (&recorder->requests, node);
        }
    }
  fail_requests (recorder, requests);
}

static const char *
explain_end (const Recorder *recorder)
{
  if (memory_shortage_count_kills () > recorder->kills)
    return "; the kernel has ended processes of the sandbox for lack of memory: it needs more";
  if (recorder->lost_patience)
    return "; it was stuck for 30 seconds, as where the sandbox has too little memory or its disk "
           "hangs";
  return "";
}

static void
historian_closed (void *data)
{
  Recorder *recorder = data;
  bool worked = recorder->has_answered;
  List requests;

  recorder->end = explain_end (recorder);
  kill_historian (recorder);
  link_free (recorder->historian);
  recorder->historian = NULL;
  recorder->pid = 0;
  /* What is asked from now on, also by callbacks, is for the next historian. */
  list_init (&requests);
  LIST_FOREACH (node, &recorder->requests)
    {
      list_remove (node);
      list_append (&requests, node);
    }
  /* One that ends at once would do so for ever; the next request tries again. */
  if (worked)
    restart_historian (recorder);
  hand_over (recorder, &requests);
  watch (recorder);
}

Recorder *
recorder_new (Loop *loop, const char *history_dir)
{
  Recorder *recorder = calloc (1, sizeof *recorder);

  if (!recorder)
    return NULL;
  recorder->loop = loop;
  recorder->history_dir = history_dir;
  list_init (&recorder->requests);
  loop_timer_init (&recorder->patience, lose_patience, recorder);
  loop_timer_count_running (&recorder->patience);
  start_historian (recorder);
  return recorder;
}

void
recorder_free (Recorder *recorder)
{
  loop_timer_stop (&recorder->patience);
  link_free (recorder->historian);
  /* It ends then, unless a command has stopped it. */
  if (recorder->pid > 0)
    kill (recorder->pid, SIGCONT);
  LIST_FOREACH (node, &recorder->requests)
    request_free (recorder, LIST_ITEM (node, Request, link));
  json_decref (recorder->open_call);
  free (recorder);
}

uint32_t
recorder_call (Recorder *recorder, json_t *call, const RecorderCallbacks *callbacks, void *data)
{
  if (!recorder->historian)
    restart_historian (recorder);
  return recorder->historian && call ? send_request (recorder, call, callbacks, data) : 0;
}

void
recorder_forget (Recorder *recorder, uint32_t number)
{
  Request *request = find_request (recorder, number);

  if (!request)
    return;
  request->callbacks = NULL;
  if (request->answered)
    request_free (recorder, request);
}

bool
recorder_is_open (const Recorder *recorder)
{
  return recorder->open_call || recorder->n_opening > 0;
}

const char *
recorder_why_ended (const Recorder *recorder)
{
  return recorder->end ? recorder->end : "";
}

unsigned long
recorder_session (const Recorder *recorder)
{
  return recorder->session;
}

void
recorder_flush (Recorder *recorder)
{
  if (recorder->historian)
    link_flush (recorder->historian);
}

size_t
recorder_queued (const Recorder *recorder)
{
  return recorder->historian ? link_queued (recorder->historian) : 0;
}

void
recorder_send (Recorder *recorder, const AsbFrameHeader *header, const void *payload)
{
  if (recorder->historian)
    link_send (recorder->historian, header, payload);
}

void
recorder_send_credit (Recorder *recorder, uint32_t number, uint64_t count)
{
  if (recorder->historian)
    link_send_credit (recorder->historian, number, ASB_CHANNEL_OUTPUT, count);
}

void
recorder_reaped (Recorder *recorder, pid_t pid)
{
  if (recorder->pid == pid)
    recorder->pid = 0;
}

pid_t
recorder_pid (const Recorder *recorder)
{
  return recorder->pid;
}
