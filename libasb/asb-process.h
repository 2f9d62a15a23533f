/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>
#include "asb-command-result.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_PROCESS (asb_process_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_INTERFACE (AsbProcess, asb_process, ASB, PROCESS, GObject)

struct _AsbProcessInterface
{
  GTypeInterface g_iface;

  /*< public >*/
  char *(*dup_command_id) (AsbProcess *self);
  GOutputStream *(*get_stdin) (AsbProcess *self);
  GInputStream *(*get_stdout) (AsbProcess *self);
  GInputStream *(*get_stderr) (AsbProcess *self);
  void (*force_exit) (AsbProcess *self);
  void (*wait) (AsbProcess *self, GTask *task);
  void (*send_signal) (AsbProcess *self, int signal_number, GTask *task);
  void (*resize) (AsbProcess *self, guint columns, guint rows, GTask *task);

  /*< private >*/
  gpointer _reserved[7];
};

ASB_AVAILABLE_IN_1_0
char *asb_process_dup_command_id (AsbProcess *self) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
GOutputStream *asb_process_get_stdin (AsbProcess *self);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_process_get_stdout (AsbProcess *self);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_process_get_stderr (AsbProcess *self);
ASB_AVAILABLE_IN_1_0
void asb_process_force_exit (AsbProcess *self);

ASB_AVAILABLE_IN_1_0
AsbCommandResult *asb_process_wait (AsbProcess *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_process_wait_async (AsbProcess *self, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbCommandResult *asb_process_wait_finish (AsbProcess *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_process_send_signal (AsbProcess *self, int signal_number, GCancellable *cancellable,
                                  GError **error);
ASB_AVAILABLE_IN_1_0
void asb_process_send_signal_async (AsbProcess *self, int signal_number, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_process_send_signal_finish (AsbProcess *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_process_resize (AsbProcess *self, guint columns, guint rows, GCancellable *cancellable,
                             GError **error);
ASB_AVAILABLE_IN_1_0
void asb_process_resize_async (AsbProcess *self, guint columns, guint rows,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_process_resize_finish (AsbProcess *self, GAsyncResult *result, GError **error);

G_END_DECLS
