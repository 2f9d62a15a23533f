/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The historian as the broker sees it: a process that may die, and is then started again. */

#pragma once

#include "asb-frame.h"
#include "loop.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RECORDER_MAX_QUEUED_OUTPUT (16 * 1024 * 1024)

typedef struct Recorder Recorder;

typedef struct
{
  /* @reply is borrowed, and NULL when the historian has ended instead. Nothing comes after it. */
  void (*reply) (void *data, json_t *reply);

  /* May be NULL. */
  void (*output) (void *data, const uint8_t *payload, size_t length);

  /* The historian takes no more output on @channel for this call. May be NULL. */
  void (*stop) (void *data, unsigned channel);
} RecorderCallbacks;

/* NULL when memory is short. */
Recorder *recorder_new (Loop *loop, const char *history_dir);
void recorder_free (Recorder *recorder);

/* Sends a CALL; its number, or 0 when there is no historian to send it to or @call is too large. */
uint32_t recorder_call (Recorder *recorder, json_t *call, const RecorderCallbacks *callbacks,
                        void *data);

/* Stops listening to what comes for @number, up to its reply or after it. */
void recorder_forget (Recorder *recorder, uint32_t number);

/* Whether a history is open, or will be when what was sent has been answered. */
bool recorder_is_open (const Recorder *recorder);

/* What there is to say of the end of the last historian, behind “ended before …”; may be “”. */
const char *recorder_why_ended (const Recorder *recorder);

/* Counts the historians: what one was told, the next does not know. */
unsigned long recorder_session (const Recorder *recorder);

/* Sends what waits now, and not at the end of the turn. */
void recorder_flush (Recorder *recorder);
size_t recorder_queued (const Recorder *recorder);
void recorder_send (Recorder *recorder, const AsbFrameHeader *header, const void *payload);
void recorder_send_credit (Recorder *recorder, uint32_t number, uint64_t count);

/* The process; 0 when there is none. */
pid_t recorder_pid (const Recorder *recorder);

/* The process @pid has ended. */
void recorder_reaped (Recorder *recorder, pid_t pid);
