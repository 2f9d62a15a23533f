/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writes the operations of one backend into its history store: one batch at a time, in the order
 * they were handed over. */

#pragma once

#include "asb-history-store.h"
#include "asb-operation.h"

#define ASB_TYPE_RECORDER (asb_recorder_get_type ())

G_DECLARE_FINAL_TYPE (AsbRecorder, asb_recorder, ASB, RECORDER, GObject)

/* How an operation ended, for its record. Variants may be floating or NULL. */
typedef struct
{
  const char *status;
  GVariant *result;
  GVariant *command;
  GVariant *file_operation;
  GVariant *output; /* an aa{sv} of chunks */
} AsbOutcome;

AsbRecorder *asb_recorder_new (AsbHistoryStore *store, AsbHistoryConsistency consistency,
                               const char *agent_name);

gboolean asb_recorder_get_records_in_place (AsbRecorder *self);
gboolean asb_recorder_get_strict (AsbRecorder *self);

/* While the store cannot be reached, which is known, batches are kept and count as written. After
 * that they are written first. */
void asb_recorder_set_suspended (AsbRecorder *self, gboolean suspended);

/* A new operation, with a new id and the actor of this backend. Floating variants are taken.
 * Returns: (transfer full) */
AsbOperation *asb_recorder_new_operation (AsbRecorder *self, const char *operation_type,
                                          GVariant *request, GVariant *command,
                                          GVariant *file_operation);

/* Records that an operation starts. Fails only where the operation has to be refused for it. */
void asb_recorder_start_async (AsbRecorder *self, AsbOperation *operation,
                               GAsyncReadyCallback callback, gpointer user_data);
gboolean asb_recorder_start_finish (AsbRecorder *self, GAsyncResult *result, GError **error);

/* Records how it ended. The operation itself is done: whoever calls this only wants to know about
 * the record. */
void asb_recorder_complete_async (AsbRecorder *self, AsbOperation *operation,
                                  const AsbOutcome *outcome, GAsyncReadyCallback callback,
                                  gpointer user_data);
gboolean asb_recorder_complete_finish (AsbRecorder *self, GAsyncResult *result, GError **error);

/* The records of an operation that began before there was a store; @occurred_at: real time in
 * microseconds. */
void asb_recorder_import_async (AsbRecorder *self, AsbOperation *operation, gint64 occurred_at,
                                const AsbOutcome *outcome, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data);
gboolean asb_recorder_import_finish (AsbRecorder *self, GAsyncResult *result, GError **error);

/* The a{sv} that tells of an error in a record. Returns: floating */
GVariant *asb_recorder_describe_error (const GError *error);
const char *asb_recorder_status_of_error (const GError *error);
