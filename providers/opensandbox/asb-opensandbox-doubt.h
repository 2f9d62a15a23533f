/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] Whether a sandbox that is silent can answer at all: one that somebody has paused never does,
 * and its server knows. It is asked after a second, and again whenever the silence has lasted twice
 * as long. */

#pragma once

#include "asb-opensandbox-client.h"

/* Takes @verdict, the error to give. Called once at the most, and never after the doubt was ended.
 */
typedef void (*AsbOpensandboxDoubtFunc) (gpointer data, GError *verdict);

typedef struct _AsbOpensandboxDoubt AsbOpensandboxDoubt;

/* @request is what was asked of the sandbox. */
AsbOpensandboxDoubt *asb_opensandbox_doubt_begin (AsbOpensandboxClient *client,
                                                  AsbOpensandboxRequest *request,
                                                  AsbOpensandboxDoubtFunc function, gpointer data);
void asb_opensandbox_doubt_end (AsbOpensandboxDoubt *self);
