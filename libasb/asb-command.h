/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-command-result.h"
#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_COMMAND (asb_command_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbCommand, asb_command, ASB, COMMAND, GObject)

ASB_AVAILABLE_IN_1_0
const char *asb_command_get_id (AsbCommand *self);
ASB_AVAILABLE_IN_1_0
AsbCommandState asb_command_get_state (AsbCommand *self);
ASB_AVAILABLE_IN_1_0
GOutputStream *asb_command_get_stdin_pipe (AsbCommand *self);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_command_get_stdout_pipe (AsbCommand *self);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_command_get_stderr_pipe (AsbCommand *self);

ASB_AVAILABLE_IN_1_0
gboolean asb_command_wait (AsbCommand *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_command_wait_async (AsbCommand *self, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_command_wait_finish (AsbCommand *self, GAsyncResult *result, GError **error);

ASB_AVAILABLE_IN_1_0
gboolean asb_command_communicate (AsbCommand *self, GBytes *stdin_bytes, GCancellable *cancellable,
                                  GBytes **stdout_bytes, GBytes **stderr_bytes, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_command_communicate_async (AsbCommand *self, GBytes *stdin_bytes,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_command_communicate_finish (AsbCommand *self, GAsyncResult *result,
                                         GBytes **stdout_bytes, GBytes **stderr_bytes,
                                         GError **error);

ASB_AVAILABLE_IN_1_0
gboolean asb_command_send_signal (AsbCommand *self, int signal_number, GCancellable *cancellable,
                                  GError **error);
ASB_AVAILABLE_IN_1_0
void asb_command_send_signal_async (AsbCommand *self, int signal_number, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_command_send_signal_finish (AsbCommand *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_command_resize (AsbCommand *self, guint columns, guint rows, GCancellable *cancellable,
                             GError **error);
ASB_AVAILABLE_IN_1_0
void asb_command_resize_async (AsbCommand *self, guint columns, guint rows,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_command_resize_finish (AsbCommand *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_command_force_exit (AsbCommand *self);

ASB_AVAILABLE_IN_1_0
AsbCommandResult *asb_command_get_result (AsbCommand *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_command_get_successful (AsbCommand *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_command_get_if_exited (AsbCommand *self);
ASB_AVAILABLE_IN_1_0
int asb_command_get_exit_status (AsbCommand *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_command_get_if_signaled (AsbCommand *self);
ASB_AVAILABLE_IN_1_0
int asb_command_get_term_sig (AsbCommand *self);

G_END_DECLS
