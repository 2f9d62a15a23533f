/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The record of one call, as the broker sees it: it tells the historian and remembers how that
 * went. */

#pragma once

#include "failure.h"
#include "list.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Recorder Recorder;

typedef enum
{
  RECORD_NONE,
  RECORD_STARTING,
  RECORD_ACTIVE,
  RECORD_FINISHING,
  RECORD_ENDED
} RecordState;

typedef struct
{
  List link;
  Recorder *recorder;
  RecordState state;
  bool required;
  uint32_t start;        /* number of the call that opened it */
  unsigned long session; /* of the historian that was told so */
  unsigned stopped;      /* channels the historian takes no more of, a bit each */
  bool output_lost;
  json_t *result; /* {"state", "message"?} */
  Failure failure;
  void (*done) (void *data);
  void *data;
} Record;

/* Commits the start, then calls @done with @data: record_is_failed () says how it went. May call it
 * at once. */
void record_start (Record *record, Recorder *recorder, json_t *envelope, bool required,
                   void (*done) (void *data), void *data);
bool record_is_failed (const Record *record);

/* Never waits: what the historian cannot take is lost, and the record says so in the end. */
void record_output (Record *record, unsigned channel, const void *bytes, size_t size);

/* Commits the end; members of @finish as docs and historian.h have them. May call @done at once. */
void record_finish (Record *record, json_t *finish, void (*done) (void *data), void *data);

/* What the client is told of it; NULL when no record was asked for. A new reference. */
json_t *record_to_json (const Record *record);

/* The same while only the start is recorded. */
json_t *record_start_to_json (const Record *record);
void record_clear (Record *record);
