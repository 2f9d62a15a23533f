/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program in a sandbox, the leader of a process group. */

#pragma once

#include "lookalike.h"

G_BEGIN_DECLS

typedef struct _LookalikeProcess LookalikeProcess;

typedef void (*LookalikeEndedFunc) (LookalikeProcess *process, gpointer user_data);

typedef struct
{
  const char *const *argv;
  char **environment;
  int cwd_fd; /* -1: the root; not taken */
  int stdin_fd;
  int stdout_fd;
  int stderr_fd; /* the three are taken; -1: /dev/null */
  gboolean tty;
  gboolean ignores_interrupt; /* SIGINT, from the beginning */
  gint64 uid;                 /* -1: as execd */
  gint64 gid;
  LookalikeEndedFunc ended;
  gpointer user_data;
} LookalikeProcessSpec;

struct _LookalikeProcess
{
  GSubprocess *helper;
  int holder; /* of its sandbox */
  int pid;
  gboolean ended;
  int exit_code; /* -1 for a signal, as Go has it */
  int signal;
  LookalikeEndedFunc ended_func;
  gpointer user_data;
};

/* NULL when the program cannot be run: the error is Go's words for it. */
LookalikeProcess *lookalike_process_start (LookalikeSandbox *sandbox,
                                           const LookalikeProcessSpec *spec, GError **error);
void lookalike_process_unref (LookalikeProcess *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LookalikeProcess, lookalike_process_unref)

/* Nobody is called any more. */
void lookalike_process_forget (LookalikeProcess *self);

void lookalike_process_signal_group (LookalikeProcess *self, int signal_number);
void lookalike_process_signal_leader (LookalikeProcess *self, int signal_number);
gboolean lookalike_process_group_lives (LookalikeProcess *self);

/* "exit status 3", "signal: killed" */
char *lookalike_process_describe_end (LookalikeProcess *self);

G_END_DECLS
