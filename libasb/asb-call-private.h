/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What stands between a public operation and the virtual function that does it. The caller's task
 * is not the one the implementation answers: in between the core keeps the deadline, answers for an
 * implementation that dropped its task, and checks the type of the result. */

#pragma once

#include <gio/gio.h>

/* Undoes a result that came after the caller had been answered, or that cannot be used. */
typedef void (*AsbCallDiscard) (gpointer source, const GValue *result);

/* Returns: (nullable): what is wrong with a result of the right type: “names no sandbox” */
typedef const char *(*AsbCallCheck) (const GValue *result);

typedef struct
{
  const char *operation;   /* for people: "create the sandbox" */
  guint timeout_seconds;   /* 0: none */
  AsbCallDiscard discard;  /* may be NULL */
  gboolean needs_no_grace; /* whoever cancels does not wait for an answer, which would not matter */
  AsbCallCheck check;      /* may be NULL */
  gboolean is_deed;        /* FALSE without an error is none of its answers */
} AsbCallKind;

/* @result_type: G_TYPE_BOOLEAN, or what the value of the implementation's task must hold.
 * Returns: (transfer full): the task to hand to the implementation. */
GTask *asb_call_begin (gpointer source, const AsbCallKind *kind, GType result_type,
                       GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data,
                       gpointer tag);

/* Answers the task of a call that was cancelled before it began: no implementation needs to look.
 */
gboolean asb_call_is_cancelled (GTask *task);

/* For a virtual function that is not there: answers the task. */
void asb_call_unsupported (GTask *task, const char *what);

/* What a public _finish does with a plain task: its error is noted for asb_error_info_get_last ().
 */
gboolean asb_task_finish_boolean (GAsyncResult *result, GError **error);
gpointer asb_task_finish_pointer (GAsyncResult *result, GError **error);

gboolean asb_call_finish_boolean (gpointer source, GAsyncResult *result, GError **error);
gpointer asb_call_finish_pointer (gpointer source, GAsyncResult *result, GError **error);
/* An answer of another type is an error, which begins with @what: “Could not …: its answer”. */
GVariant *asb_call_finish_variant (gpointer source, GAsyncResult *result, const GVariantType *type,
                                   const char *what, GError **error);

/* Whether what @source stands for cannot answer for a while, which is known: deadlines of its calls
 * that have begun do not come nearer meanwhile. From any thread. */
void asb_call_set_paused (gpointer source, gboolean paused);
/* From now on @other is paused whenever @source is. */
void asb_call_share_pauses (gpointer other, gpointer source);

/* Shorter limits, for tests. Calls with the words @operation that have a limit and begin from now
 * on wait for @milliseconds instead of what their kind says; −1 takes that back. For a cancelled
 * call of any operation, until it must have answered: the operation NULL. */
void asb_call_set_limit (const char *operation, int milliseconds);

/* Answers a task with an object, variant or boxed value, and takes it. */
void asb_task_return_object (GTask *task, gpointer object);
void asb_task_return_variant (GTask *task, GVariant *variant);
void asb_task_return_bytes (GTask *task, GBytes *bytes);
