/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] What ends an exchange before its time: the caller's cancellable, which may be cancelled in
 * any thread, the deadline, and reasons found on the way. It cancels the attempt that runs, so that
 * libsoup never sees a cancellable of other threads. */

#pragma once

#include "asb-opensandbox-cancel.h"

typedef enum
{
  ASB_OPENSANDBOX_ABORT_NONE,
  ASB_OPENSANDBOX_ABORT_CANCELLED,
  ASB_OPENSANDBOX_ABORT_TIMED_OUT,
  ASB_OPENSANDBOX_ABORT_STALE,     /* the connection was idle for too long */
  ASB_OPENSANDBOX_ABORT_NO_TLS,    /* there is no answer to a TLS handshake */
  ASB_OPENSANDBOX_ABORT_UNTRUSTED, /* the certificate is not accepted */
  ASB_OPENSANDBOX_ABORT_REFUSED,   /* the head says it all, the body is not wanted */
  ASB_OPENSANDBOX_ABORT_FLOODED,   /* informational replies without end */
  ASB_OPENSANDBOX_ABORT_STATE      /* the sandbox is in no state to answer */
} AsbOpensandboxAbort;

/* Called after the attempt was cancelled for a reason that is final. */
typedef void (*AsbOpensandboxGuardFunc) (gpointer data);

typedef struct
{
  AsbOpensandboxAbort reason; /* of the attempt's end */
  AsbOpensandboxAbort final;  /* of the end of all */
  GCancellable *attempt;      /* NULL between attempts */
  guint timeout;              /* milliseconds; 0: none */
  gint64 started;             /* monotonic */
  GSource *deadline;
  AsbOpensandboxCancelWatch *cancelled;
  AsbOpensandboxGuardFunc function;
  gpointer data;
} AsbOpensandboxGuard;

void asb_opensandbox_guard_start (AsbOpensandboxGuard *self, GCancellable *cancellable,
                                  guint timeout, AsbOpensandboxGuardFunc function, gpointer data);
void asb_opensandbox_guard_stop (AsbOpensandboxGuard *self);

/* A new attempt begins: a cancellable for it, cancelled already if there must not be another one.
 * Returns: (transfer none) */
GCancellable *asb_opensandbox_guard_begin (AsbOpensandboxGuard *self);

/* Ends the attempt that runs, for a reason that another attempt may not have. */
void asb_opensandbox_guard_abort (AsbOpensandboxGuard *self, AsbOpensandboxAbort reason);

/* Whether @milliseconds more fit before the deadline. */
gboolean asb_opensandbox_guard_has_time (AsbOpensandboxGuard *self, gint64 milliseconds);
