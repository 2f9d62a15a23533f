/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] One request that is answered by events: a command, or code. */

#pragma once

#include "asb-opensandbox-events.h"
#include "asb-opensandbox-execd.h"

typedef struct _AsbOpensandboxRun AsbOpensandboxRun;

typedef struct
{
  /* Each event, in the order they came. It may pause. Not of pings. */
  void (*event) (AsbOpensandboxRun *run, AsbOpensandboxEvent *event, gpointer data);
  /* Once, after the event that ends it (@error is NULL), or when none will come: the request was
   * refused (began is FALSE), or the stream broke off or ended before its time. */
  void (*done) (AsbOpensandboxRun *run, const GError *error, gpointer data);
} AsbOpensandboxRunHandlers;

typedef enum
{
  /* An error or the completion is the last event. */
  ASB_OPENSANDBOX_RUN_COMMAND,
  /* After an error the completion comes, or the end. */
  ASB_OPENSANDBOX_RUN_CODE
} AsbOpensandboxRunKind;

/* Takes @request. @handlers are called, with @data, until “done” has been, or it is forgotten. */
AsbOpensandboxRun *asb_opensandbox_run_start (AsbOpensandboxExecd *execd,
                                              AsbOpensandboxRequest *request,
                                              AsbOpensandboxRunKind kind,
                                              const AsbOpensandboxRunHandlers *handlers,
                                              gpointer data);
void asb_opensandbox_run_unref (AsbOpensandboxRun *self);

/* No handler is called any more. What runs in the sandbox runs on. */
void asb_opensandbox_run_forget (AsbOpensandboxRun *self);

/* Nothing more is read until it is resumed; the handlers are not called from here. */
void asb_opensandbox_run_pause (AsbOpensandboxRun *self);
void asb_opensandbox_run_resume (AsbOpensandboxRun *self);

/* What “done” told, for somebody who asked for @what: “make the directory”. Where the events broke
 * off it is unknown whether that was done. Returns: (transfer full) */
GError *asb_opensandbox_run_describe (AsbOpensandboxRun *self, const char *what,
                                      const GError *error);

/* For tests, before the first one: after how much silence it is asked whether the sandbox is
 * paused.
 */
void asb_opensandbox_run_set_silence (guint milliseconds);

/* What “init” said: the id of the command. NULL before. */
const char *asb_opensandbox_run_get_id (AsbOpensandboxRun *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxRun, asb_opensandbox_run_unref)
