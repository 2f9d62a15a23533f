/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_COMMAND_RESULT_CONFIG (asb_command_result_config_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbCommandResultConfig, asb_command_result_config, ASB, COMMAND_RESULT_CONFIG,
                      GObject)

ASB_AVAILABLE_IN_1_0
AsbCommandResultConfig *asb_command_result_config_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
guint64 asb_command_result_config_get_max_stdout_bytes (AsbCommandResultConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_command_result_config_set_max_stdout_bytes (AsbCommandResultConfig *self,
                                                     guint64 max_stdout_bytes);
ASB_AVAILABLE_IN_1_0
guint64 asb_command_result_config_get_max_stderr_bytes (AsbCommandResultConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_command_result_config_set_max_stderr_bytes (AsbCommandResultConfig *self,
                                                     guint64 max_stderr_bytes);
ASB_AVAILABLE_IN_1_0
guint64 asb_command_result_config_get_preserve_tail_bytes (AsbCommandResultConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_command_result_config_set_preserve_tail_bytes (AsbCommandResultConfig *self,
                                                        guint64 preserve_tail_bytes);

G_END_DECLS
