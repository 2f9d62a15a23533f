/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a command ended, by its last event or by what its status says. */

#pragma once

#include "asb-opensandbox-events.h"

typedef struct
{
  gboolean has_exit_status;
  int exit_status;
  int term_signal; /* 0: none, or not known */
  gboolean failed; /* by some signal */
  char *message;   /* what was said when it did not even start, or else is not understood */
} AsbOpensandboxCommandEnd;

void asb_opensandbox_command_end_clear (AsbOpensandboxCommandEnd *self);

/* Looks at completions and errors, and at nothing else. */
void asb_opensandbox_command_end_take (AsbOpensandboxCommandEnd *self, AsbOpensandboxEvent *event);

/* @object is the reply to a question for the status. *@running says that there is no end yet. */
gboolean asb_opensandbox_command_end_parse_status (AsbOpensandboxCommandEnd *self,
                                                   JsonObject *object, gboolean *running,
                                                   GError **error);

/* The number of the signal in “signal: killed”; 0 for none. */
int asb_opensandbox_command_end_parse_signal (const char *text);
