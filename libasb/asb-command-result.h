/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_COMMAND_RESULT (asb_command_result_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbCommandResult, asb_command_result, ASB, COMMAND_RESULT, GObject)

ASB_AVAILABLE_IN_1_0
const char *asb_command_result_get_command_id (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
AsbCommandState asb_command_result_get_state (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_command_result_get_has_exit_status (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
int asb_command_result_get_exit_status (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
int asb_command_result_get_term_signal (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
GBytes *asb_command_result_get_stdout_bytes (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
GBytes *asb_command_result_get_stderr_bytes (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_command_result_get_stdout_total (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_command_result_get_stderr_total (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_command_result_get_stdout_truncated (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_command_result_get_stderr_truncated (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_command_result_get_exact (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
gint64 asb_command_result_get_duration_us (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
GDateTime *asb_command_result_get_started_at (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
GDateTime *asb_command_result_get_ended_at (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
const char *asb_command_result_get_record_error (AsbCommandResult *self);
ASB_AVAILABLE_IN_1_0
char *asb_command_result_dup_stdout_text (AsbCommandResult *self) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
char *asb_command_result_dup_stderr_text (AsbCommandResult *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
