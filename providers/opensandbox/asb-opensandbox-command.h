/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A command that was started, whichever way: what became of it, who waits for that, its streams. It
 * goes on whether or not its AsbProcess is still there. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-command-end.h"
#include "asb-opensandbox-execd.h"

typedef struct _AsbOpensandboxCommand AsbOpensandboxCommand;

/* How one way does it. All [io]; not called when it is over. */
typedef struct
{
  /* Ask for its end; once, and once more when it takes its time. */
  void (*stop) (AsbOpensandboxCommand *command, gboolean hard);
  void (*send_signal) (AsbOpensandboxCommand *command, int number, GTask *task);
  void (*resize) (AsbOpensandboxCommand *command, guint columns, guint rows, GTask *task);
  GDestroyNotify free_data;
} AsbOpensandboxCommandKind;

/* What is written belongs to the thread of the module, but for what is said to be shared. */
struct _AsbOpensandboxCommand
{
  gatomicrefcount references;
  const AsbOpensandboxCommandKind *kind;
  gpointer data;

  AsbOpensandboxExecd *execd;
  AsbCommandSpec *spec;
  AsbPipe *input; /* the pipes that are not wanted are NULL */
  AsbPipe *output;
  AsbPipe *errors;

  char *id; /* shared: written before there is a process */
  guint64 output_total;
  guint64 errors_total;
  gboolean exact;
  gboolean started;
  gboolean cancelled;
  gboolean timed_out;

  gint64 started_monotonic;
  GDateTime *started_at;
  GSource *deadline;
  GSource *hard_stop;
  GQueue waiting;

  GMutex lock; /* of what follows, which is shared */
  gboolean over;
  AsbCommandResult *result;
  GError *error;
};

/* Takes @data. Its pipes are there as @spec wants them. */
AsbOpensandboxCommand *asb_opensandbox_command_new (AsbOpensandboxExecd *execd,
                                                    AsbCommandSpec *spec,
                                                    const AsbOpensandboxCommandKind *kind,
                                                    gpointer data);
AsbOpensandboxCommand *asb_opensandbox_command_ref (AsbOpensandboxCommand *self);
void asb_opensandbox_command_unref (AsbOpensandboxCommand *self);

/* [io] It runs: its time begins. @id is copied. */
void asb_opensandbox_command_set_started (AsbOpensandboxCommand *self, const char *id);

/* [io] Asks for its end, and again, harder, if it has not come after a second. */
void asb_opensandbox_command_stop (AsbOpensandboxCommand *self);

/* [io] It is over; its pipes are finished by whoever feeds them. */
void asb_opensandbox_command_set_end (AsbOpensandboxCommand *self,
                                      const AsbOpensandboxCommandEnd *end);
void asb_opensandbox_command_set_unknown (AsbOpensandboxCommand *self, const GError *error);
gboolean asb_opensandbox_command_is_over (AsbOpensandboxCommand *self);

/* Any thread. Answers @task when it is over. */
void asb_opensandbox_command_wait (AsbOpensandboxCommand *self, GTask *task);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxCommand, asb_opensandbox_command_unref)
