/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-operation.h"
#include "asb-resource-limits.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_COMMAND_SPEC (asb_command_spec_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbCommandSpec, asb_command_spec, ASB, COMMAND_SPEC, GObject)

ASB_AVAILABLE_IN_1_0
AsbCommandSpec *asb_command_spec_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *const *asb_command_spec_get_argv (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_argv (AsbCommandSpec *self, const char *const *argv);
ASB_AVAILABLE_IN_1_0
const char *asb_command_spec_get_shell (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_shell (AsbCommandSpec *self, const char *shell);
ASB_AVAILABLE_IN_1_0
const char *asb_command_spec_get_cwd (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_cwd (AsbCommandSpec *self, const char *cwd);
ASB_AVAILABLE_IN_1_0
const char *const *asb_command_spec_get_environment (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_environment (AsbCommandSpec *self, const char *const *environment);
ASB_AVAILABLE_IN_1_0
const char *const *asb_command_spec_get_unset_environment (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_unset_environment (AsbCommandSpec *self,
                                             const char *const *unset_environment);
ASB_AVAILABLE_IN_1_0
AsbCommandFlags asb_command_spec_get_flags (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_flags (AsbCommandSpec *self, AsbCommandFlags flags);
ASB_AVAILABLE_IN_1_0
guint64 asb_command_spec_get_timeout_ms (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_timeout_ms (AsbCommandSpec *self, guint64 timeout_ms);
ASB_AVAILABLE_IN_1_0
AsbResourceLimits *asb_command_spec_get_limits (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_limits (AsbCommandSpec *self, AsbResourceLimits *limits);
ASB_AVAILABLE_IN_1_0
gint64 asb_command_spec_get_uid (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_uid (AsbCommandSpec *self, gint64 uid);
ASB_AVAILABLE_IN_1_0
gint64 asb_command_spec_get_gid (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_gid (AsbCommandSpec *self, gint64 gid);
ASB_AVAILABLE_IN_1_0
gboolean asb_command_spec_get_tty (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_tty (AsbCommandSpec *self, gboolean tty);
ASB_AVAILABLE_IN_1_0
guint asb_command_spec_get_columns (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_columns (AsbCommandSpec *self, guint columns);
ASB_AVAILABLE_IN_1_0
guint asb_command_spec_get_rows (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_rows (AsbCommandSpec *self, guint rows);
ASB_AVAILABLE_IN_1_0
gboolean asb_command_spec_get_exact_output (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_exact_output (AsbCommandSpec *self, gboolean exact_output);
ASB_AVAILABLE_IN_1_0
AsbOperation *asb_command_spec_get_operation (AsbCommandSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_command_spec_set_operation (AsbCommandSpec *self, AsbOperation *operation);
ASB_AVAILABLE_IN_1_0
AsbCommandSpec *asb_command_spec_new_argv (const char *const *argv) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
AsbCommandSpec *asb_command_spec_new_shell (const char *shell) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
