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

#define ASB_TYPE_JOB (asb_job_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbJob, asb_job, ASB, JOB, GObject)

ASB_AVAILABLE_IN_1_0
const char *asb_job_get_id (AsbJob *self);
ASB_AVAILABLE_IN_1_0
const char *asb_job_get_name (AsbJob *self);
ASB_AVAILABLE_IN_1_0
const char *asb_job_get_command (AsbJob *self);
ASB_AVAILABLE_IN_1_0
int asb_job_get_pid (AsbJob *self);
ASB_AVAILABLE_IN_1_0
AsbCommandState asb_job_get_state (AsbJob *self);
ASB_AVAILABLE_IN_1_0
GDateTime *asb_job_get_started_at (AsbJob *self);
ASB_AVAILABLE_IN_1_0
AsbCommandResult *asb_job_get_result (AsbJob *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_job_get_stdout_total (AsbJob *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_job_get_stderr_total (AsbJob *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_job_get_stdout_first (AsbJob *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_job_get_stderr_first (AsbJob *self);
ASB_AVAILABLE_IN_1_0
const char *asb_job_get_output_error (AsbJob *self);
ASB_AVAILABLE_IN_1_0
const char *asb_job_get_record_error (AsbJob *self);

ASB_AVAILABLE_IN_1_0
GInputStream *asb_job_open_output (AsbJob *self, AsbOutputStream stream, gint64 offset,
                                   gboolean follow, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_job_open_output_async (AsbJob *self, AsbOutputStream stream, gint64 offset,
                                gboolean follow, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_job_open_output_finish (AsbJob *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
AsbCommandResult *asb_job_wait (AsbJob *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_job_wait_async (AsbJob *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                         gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbCommandResult *asb_job_wait_finish (AsbJob *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_job_send_signal (AsbJob *self, int signal_number, GCancellable *cancellable,
                              GError **error);
ASB_AVAILABLE_IN_1_0
void asb_job_send_signal_async (AsbJob *self, int signal_number, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_job_send_signal_finish (AsbJob *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
AsbCommandResult *asb_job_stop (AsbJob *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_job_stop_async (AsbJob *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                         gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbCommandResult *asb_job_stop_finish (AsbJob *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_job_remove (AsbJob *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_job_remove_async (AsbJob *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                           gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_job_remove_finish (AsbJob *self, GAsyncResult *result, GError **error);

G_END_DECLS
