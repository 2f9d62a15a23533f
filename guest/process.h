/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The processes of the guest itself. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What the guest started with and what its commands get back. */
typedef struct
{
  int oom_score_adj;
  int oom_score_fd; /* our own file of it, -1 if it cannot be written */
  mode_t umask;
  size_t max_files;  /* soft limit of open files */
  bool is_first;     /* the broker is, in its namespace */
  bool may_stop_all; /* what it can reach is in a namespace, and no process of the machine */
} ProcessState;

/* Hides the process from others of its user, takes the highest limit of open files, and has writing
 * where nobody reads or nothing fits fail instead of ending it. */
void process_harden (ProcessState *state);

/* Makes the process what the guest had been before, for the sake of what it will start. */
void process_soften (const ProcessState *state);

/* Asks for turns at the processor that are short and come soon in return, however many others wait
 * for theirs (Linux 6.12). What is forked has turns like any other. */
void process_take_short_turns (void);

/* Asks for turns before all others, which takes rights that few guests have; whether they were
 * granted. What is forked has turns like any other. */
bool process_take_precedence (void);

/* What is forked from now on shall end before us when memory is short, or no longer so. */
void process_offer_to_oom_killer (const ProcessState *state, bool offered);

/* A helper process in a session of its own: runs @main with one end of a new socket of @type
 * (SOCK_STREAM…) and ends with what it returns. Of the other descriptors only 0, 1, 2 and the
 * @n_kept in @kept stay open. The other end goes to *@socket_fd, not blocking. -1 with errno set
 * when there is no room for another process. */
pid_t process_fork (const char *name, int type, int (*helper_main) (int socket_fd, void *data),
                    void *data, const int *kept, size_t n_kept, int *socket_fd);
