/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A call of a client, from its CALL to its REPLY and the last FIN: its channels, its record, its
 * outcome. It outlives its session when its work does. */

#pragma once

#include "asb-frame.h"
#include "broker.h"
#include "failure.h"
#include "frames.h"
#include "record.h"
#include "session.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Job Job;

/* What one name of docs/guest-protocol.md §4 does. Members that are NULL do nothing. */
typedef struct
{
  const char *name;
  bool is_recorded; /* may carry a record */
  bool is_search;   /* may keep a file worker busy for long */
  bool is_watch;    /* has a file worker as long as the client likes */
  bool cleans_up;   /* may take long to undo what it has done when it is cancelled */

  /* The channels, a bit each, that end with a FIN of ours, whatever comes of the call. */
  unsigned (*feeds) (json_t *args);

  /* Looks at the arguments and gets ready, while the start is being recorded. May set
   * call->failure, which then becomes the outcome. */
  void (*prepare) (Call *call);

  /* Begins, to end with call_finish (). */
  void (*start) (Call *call);

  /* Undoes prepare; start will not come. */
  void (*abandon) (Call *call);

  /* To end as soon as it can, after start. */
  void (*cancel) (Call *call);

  /* Something new is in the inlet. */
  void (*input) (Call *call);

  /* call_room () of the channel has grown. */
  void (*room) (Call *call, unsigned channel);

  /* The client takes no more of the channel. */
  void (*stop) (Call *call, unsigned channel);

  /* The session is over: nobody reads, nobody writes, nobody will cancel. */
  void (*lost) (Call *call);

  /* It is over, its record too: call->reply says how, whether it was sent or not. */
  void (*replied) (Call *call);
} CallKind;

/* A channel from the guest to the client. */
typedef struct
{
  bool fed; /* FIN will come */
  bool ending;
  bool ended; /* FIN was sent */
  bool stopped;
  uint64_t sent;
  uint64_t credited;
  FrameQueue waiting; /* for credit */
  size_t offset;      /* of the payload of the first of them */
} Outlet;

/* The channel from the client to the guest. */
typedef struct
{
  bool open;
  bool ended; /* FIN has come */
  bool stopped;
  uint64_t received;
  uint64_t credited;
  FrameQueue waiting;
} Inlet;

struct Call
{
  List link;        /* of the session */
  List broker_link; /* of all calls */
  Broker *broker;
  Session *session; /* NULL when it is lost */
  uint32_t number;
  const CallKind *kind;
  json_t *args;
  size_t size; /* of the request in memory */
  Outlet outlets[ASB_N_CHANNELS];
  Inlet inlet;
  Record record;
  Failure failure;
  bool prepared;
  bool record_answered;
  bool started;
  bool cancelled;
  bool finished;
  bool replied;
  void *operation; /* of the kind, until call_finish () */
  Job *job;        /* that the call runs; NULL: none */
  json_t *reply;
  LoopTask free_task;
};

/* How a call ended, for the client and for the record. */
typedef struct
{
  json_t *result; /* NULL: it failed */
  Failure failure;
  const char *status; /* of the record: "succeeded"… */
  json_t *recorded;   /* the result the record keeps; NULL: none */
  json_t *details;    /* more members of "record.finish" */
} Outcome;

/* Begins what @request asks for; false when memory is short. */
bool call_begin (Session *session, uint32_t number, json_t *request);

void call_cancel (Call *call);

/* Forgets all calls, at the very end. */
void call_free_all (Broker *broker);

/* From the session. What is returned says which rule of the protocol was broken, or is NULL. */
const char *call_receive (Call *call, const AsbFrameHeader *header, const uint8_t *payload);

/* The session can take more numbered frames. */
void call_pump (Call *call);

/* The session is over; the call may be freed by this. */
void call_lose (Call *call);

/* For the kinds. */

void call_event (Call *call, json_t *event);

/* Replies with @result at once and lets go of the session: what the call does goes on, as if that
 * were over. No channel may be fed. */
void call_detach (Call *call, json_t *result);

/* The client may send DATA on channel 0. */
void call_open_inlet (Call *call);

/* How many bytes may be sent now, so that nothing waits in memory. A channel that nobody listens to
 * takes anything. */
size_t call_room (const Call *call, unsigned channel);
bool call_is_heard (const Call *call, unsigned channel);

/* Sends the payload of @frame, which is taken; what there is no room for waits in memory. NULL, for
 * want of memory, ends the session. */
void call_send (Call *call, unsigned channel, OutFrame *frame);
void call_end_channel (Call *call, unsigned channel);

/* @count bytes have been consumed since the start of the call. */
void call_credit_input (Call *call, uint64_t count);
void call_stop_input (Call *call);

/* @outcome is taken. The operation is let go of. */
void call_finish (Call *call, Outcome *outcome);
void call_fail (Call *call, Failure *failure);
void call_outcome_failed (Outcome *outcome, Failure *failure);
