/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The broker: the process that clients talk to. It owns the event loop and all that hangs on it. */

#pragma once

#include "command-limits.h"
#include "environment.h"
#include "list.h"
#include "loop.h"
#include "process.h"
#include "token-list.h"

#include <jansson.h>
#include <stdbool.h>

#define BROKER_MAX_CONNECTIONS 64
#define BROKER_ID_SIZE 33

typedef struct Recorder Recorder;
typedef struct WorkerPool WorkerPool;
typedef struct Listener Listener;
typedef struct WebsocketDoor WebsocketDoor;
typedef struct Call Call;

typedef struct
{
  int listen_fd;
  bool checks_peers;    /* who connects to listen_fd must be of this user, or root */
  int liveness_fd;      /* -1: none */
  int removal_fd;       /* -1: none */
  int64_t expire_after; /* milliseconds; 0: never */
  const char *history_dir;
  bool record_only;
  bool listens; /* for WebSockets, at @port; 0: a free one */
  unsigned port;
  const char *token; /* one that opens as well; NULL: none */
  const Environment *environment;
  const ProcessState *process;
  CommandLimits command_limits; /* no command may take more */

  /* Called once, when clients can connect. @door: what those need who come by a WebSocket; NULL:
   * there is none. */
  void (*ready) (void *data, json_t *door);
  void *data;
} BrokerOptions;

typedef enum
{
  STOP_NOT,
  STOP_ENDING_WORK,
  STOP_CLOSING_HISTORY,
  STOP_REPLYING
} StopStage;

#define BROKER_MAX_SPARES 16

/* Supervisors that wait for commands. */
typedef struct
{
  struct
  {
    pid_t pid;
    int fd;
  } items[BROKER_MAX_SPARES];
  size_t n;
  LoopTask task;
  LoopTimer timer;
  LoopTimer delay;
} SpareSupervisors;

typedef struct
{
  const BrokerOptions *options;
  Loop *loop;
  Recorder *recorder;
  WorkerPool *workers;
  Listener *listener;
  WebsocketDoor *door;        /* NULL: no WebSockets */
  char token[BROKER_ID_SIZE]; /* for who has none of their own */
  TokenList tokens;           /* all that open, this one apart */
  List openings;              /* of WebSockets */
  unsigned n_openings;
  int nothing_fd; /* always at its end */
  SpareSupervisors spares;
  LoopTimer orphans_timer;
  int64_t orphans_interval;
  int64_t next_crowd; /* when one may be killed again */
  LoopTimer helpers_timer;
  unsigned n_continued; /* looks in a row at which a helper was stopped */
  char boot_id[BROKER_ID_SIZE];
  List connections;
  List sessions;
  unsigned n_connections;
  List commands;
  uint64_t n_commands_started;
  List jobs; /* all, and those that have ended */
  List ended_jobs;
  size_t n_jobs;
  int64_t last_job;     /* the number given last */
  List calls;           /* all that are open, also those whose session is over */
  size_t requests_size; /* of what they were asked with */
  int signal_fd;
  LoopSource *signal_source;
  LoopSource *liveness_source;
  LoopSource *removal_source;
  bool is_removed; /* all that the sandbox had on the disk */
  bool is_draining;
  int expiry_fd; /* while there is its source */
  LoopSource *expiry_source;
  StopStage stop_stage;
  LoopTimer stop_timer;
  LoopTask stop_task;
  Call *stop_call; /* guest.shutdown, to be answered at the very end */
} Broker;

/* Serves until it is told to end; the exit status. */
int broker_run (const BrokerOptions *options);

/* Random hexadecimal digits. */
void broker_random_id (char id[BROKER_ID_SIZE]);

/* Ends all commands and calls, completes the record and quits. @call is answered then unless it is
 * NULL. */
void broker_stop (Broker *broker, Call *call);

/* Takes no new sessions any more, and stops when the last has ended and nothing is left to do. */
void broker_drain (Broker *broker);

/* Something that a stop, or draining, waits for may be over. */
void broker_stop_check (Broker *broker);
