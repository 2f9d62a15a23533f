/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What commands and jobs share. */

#pragma once

#include "asb-command-result.h"
#include "asb-command-spec.h"
#include "asb-run-private.h"

/* Takes @task. Applies the rules of the backend to a copy of @spec, the request of the run, and
 * begins that, recorded as a command. @context (nullable) is the object data “asb-context” of the
 * request. */
void asb_backend_begin_command (AsbBackend *self, GTask *task, AsbCommandSpec *spec,
                                AsbCommandFlags flags, GMainContext *context,
                                AsbRunPerform perform);

/* Records how one ended that was started by asb_run_return_started (): with @result, or if that is
 * NULL as @error says. */
void asb_backend_record_command_end (AsbRecorder *recorder, AsbOperation *operation,
                                     AsbCommandResult *result, const GError *error,
                                     GAsyncReadyCallback callback, gpointer user_data);
