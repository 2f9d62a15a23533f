/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] Bounds how long nothing may come while something is waited for. A sandbox that is paused is
 * waited for as long as it is. */

#pragma once

#include "asb-opensandbox-execd.h"

typedef struct _AsbOpensandboxStandstill AsbOpensandboxStandstill;

/* Something of @execd is waited for, by an operation that heeds the cancellable of this, and not
 * for longer than @milliseconds in one piece. @words: what is said then, and stays where it is. */
AsbOpensandboxStandstill *asb_opensandbox_standstill_new (AsbOpensandboxExecd *execd,
                                                          guint milliseconds, const char *words);
/* As long as the option “idle-timeout-seconds” says. */
AsbOpensandboxStandstill *asb_opensandbox_standstill_new_idle (AsbOpensandboxExecd *execd);
void asb_opensandbox_standstill_free (AsbOpensandboxStandstill *self);

/* Cancelled when it has taken too long, and when the transport is closed. Returns: (transfer none)
 */
GCancellable *asb_opensandbox_standstill_get_cancellable (AsbOpensandboxStandstill *self);

void asb_opensandbox_standstill_begin (AsbOpensandboxStandstill *self);
/* It came. */
void asb_opensandbox_standstill_end (AsbOpensandboxStandstill *self);

/* Why it was given up. Returns: (transfer none) (nullable): NULL if it was not */
const GError *asb_opensandbox_standstill_get_error (AsbOpensandboxStandstill *self);
