/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The broker of the guest in this process, and around it a world that the fuzz target plays: its
 * clients, its helper processes (historian, supervisors, file workers), its signals, its clock. */

#pragma once

#include "broker.h"
#include "frames.h"
#include "supervisor.h"

#include <stdbool.h>
#include <stdint.h>

#define WORLD_MAX_HELPERS 64
#define WORLD_MAX_UNANSWERED 1024
#define WORLD_TOKEN "a-token-for-fuzzing"

typedef enum
{
  HELPER_HISTORIAN,
  HELPER_SUPERVISOR,
  HELPER_WORKER
} HelperKind;

typedef struct
{
  HelperKind kind;
  pid_t pid;
  int fd; /* −1: it has ended */
  bool is_waited_for;
  FrameReader reader;
  uint32_t last_call;
  int command_fds[SUPERVISOR_MAX_DESCRIPTORS];
} Helper;

typedef struct
{
  Broker *broker;
  bool is_listening;
  int driver_fd; /* always readable */
  int door_fd;   /* of the way to WebSockets, once there is one */
  int signal_fd; /* what is written there the broker reads as signals */
  unsigned n_turns;

  Helper helpers[WORLD_MAX_HELPERS];
  unsigned n_helpers;
  bool forks_fail;
  bool helpers_are_silent; /* else they answer as the real ones would */

  /* What the broker leaves to the end of its process. */
  int left_fds[2];
  void *unanswered[WORLD_MAX_UNANSWERED];
  unsigned n_unanswered;
} World;

extern World world;

/* Serves until it is told to end. @step is called in each turn of the loop, after what was ready
 * before has been served. */
void world_run (void (*step) (void));

/* A connection to the broker; −1 when it takes none. */
int world_connect (void);

/* The same by the way that leads to WebSockets. */
int world_visit (void);

/* A helper by a number that need not fit; NULL when there is none. */
Helper *world_helper (unsigned number);

/* A supervisor, or a helper that speaks frames. */
void helper_say (Helper *helper, const SupervisorMessage *message);
void helper_send (Helper *helper, const AsbFrameHeader *header, const void *payload);
void helper_send_bytes (Helper *helper, const void *bytes, size_t size);
void helper_print (Helper *helper, unsigned stream, const void *bytes, size_t size);
void helper_close_stream (Helper *helper, unsigned stream);
void helper_end (Helper *helper);

void world_signal (uint32_t number);

/* How many of the descriptors below some number are open. */
unsigned world_count_descriptors (void);
