/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a command ended, by its last event or by what its status says. */

#pragma once

#include "asb-opensandbox-events.h"

/* With this ends what cannot tell that it begins, before it does. */
#define ASB_OPENSANDBOX_COMMAND_UNHEARD 125

typedef struct
{
  gboolean has_exit_status;
  int exit_status;
  int term_signal; /* 0: none, or not known */
  gboolean failed; /* by some signal */
  char *message;   /* what was said when it did not even start, or else is not understood */
} AsbOpensandboxCommandEnd;

void asb_opensandbox_command_end_clear (AsbOpensandboxCommandEnd *self);

/* Why what should have told that it begins did not; NULL: it is not that. Returns: (transfer full)
 * (nullable) */
GError *asb_opensandbox_command_end_new_unheard (const AsbOpensandboxCommandEnd *self,
                                                 const char *what);

/* Looks at completions and errors, and at nothing else. */
void asb_opensandbox_command_end_take (AsbOpensandboxCommandEnd *self, AsbOpensandboxEvent *event);

/* @object is the reply to a question for the status. *@running says that there is no end yet. */
gboolean asb_opensandbox_command_end_parse_status (AsbOpensandboxCommandEnd *self,
                                                   JsonObject *object, gboolean *running,
                                                   GError **error);

/* The number of the signal in “signal: killed”; 0 for none. */
int asb_opensandbox_command_end_parse_signal (const char *text);
