/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What POST /command started. */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

typedef struct _LookalikeCommand LookalikeCommand;

void lookalike_command_unref (LookalikeCommand *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LookalikeCommand, lookalike_command_unref)

/* Calls when the whole group is gone. FALSE: it was not running. */
gboolean lookalike_command_interrupt (LookalikeCommand *self, LookalikeRequest *request);

/* Runs @command and answers with its events; @tail: the stream stays open for the grace time. */
void lookalike_command_run (LookalikeRequest *request, JsonObject *spec, gboolean tail);

G_END_DECLS
