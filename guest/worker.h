/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file worker: a process that does one call of files after the other, and may take its time. It
 * speaks frames with the broker: CALL {"call", "args", "recorded"} and REPLY {"result",
 * "recorded"?} or {"error"}, DATA, CREDIT, STOP and CANCEL as a client would send them, and EVENT
 * {"lock": text}, which the broker answers with an EVENT when nobody else has that lock, and
 * {"stalled": n} when it waits for the client, having heard n frames of the call. */

#pragma once

#include "failure.h"
#include "frames.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For process_fork () with SOCK_STREAM; @data is the path of the history directory. */
int worker_main (int socket_fd, void *data);

typedef struct
{
  int socket_fd;
  const char *history_dir;
  FrameReader reader;
  bool closed; /* the broker is gone */

  /* Of the call. */
  uint32_t call;
  json_t *args;
  bool recorded; /* the record wants to know more */
  bool cancelled;
  bool stopped; /* nobody takes more of channel 1 */
  bool heard;   /* something of the call, since worker_wait_for () returned */
  bool has_lock;
  bool awaits_client;
  bool has_stalled; /* and said so */
  bool input_ended;
  uint64_t n_heard; /* frames of the call */
  uint64_t sent;
  uint64_t credited;
  uint64_t consumed;
  uint64_t consumed_told;
  const uint8_t *input;
  size_t input_size;
  FrameQueue ahead;   /* of the input, heard while something else was waited for */
  OutFrame *received; /* of them, the one that @input is of */
  FrameQueue held;    /* goes with the first frame that is not held */
  unsigned n_held;
  bool holds;
} FileWorker;

typedef struct
{
  json_t *result;
  json_t *recorded; /* NULL: nothing to keep */
} FileResult;

/* For the calls. What returns false because the call has been cancelled sets no failure. */

/* Looks whether the call has been cancelled, without waiting. */
bool worker_goes_on (FileWorker *worker);

/* The same after @fd has something to be read, the broker has said something, or @timeout
 * milliseconds are over (-1: never). */
bool worker_wait_for (FileWorker *worker, int fd, int timeout);

/* How many bytes of channel 1 can be sent without waiting. */
size_t worker_room (const FileWorker *worker);

/* Sends bytes of channel 1 and waits for credit. False when it was stopped or cancelled. */
bool worker_send (FileWorker *worker, const void *bytes, size_t size);

/* Waits for bytes of channel 0, which are good until the next call. NULL at the end of them, or
 * when the call was cancelled. */
const uint8_t *worker_receive (FileWorker *worker, size_t *size);

void worker_send_event (FileWorker *worker, json_t *event);

/* What is sent from now on waits, and goes in one piece with what is sent after worker_let_go (),
 * as the reply is. Nothing that takes time may come between. */
void worker_hold (FileWorker *worker);
void worker_let_go (FileWorker *worker);

/* Waits until nobody else holds the lock of that name, which is free again after the call. */
bool worker_lock (FileWorker *worker, const char *name);
