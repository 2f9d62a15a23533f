/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-transport-private.h"

typedef struct
{
  GTask *task;
  AsbGuestConvertFunc convert;
} TaskCall;

static gboolean
task_call_result (AsbGuestCall *call, gpointer data, const json_t *result, GError **error)
{
  TaskCall *self = data;

  return self->convert (result, self->task, error);
}

static void
task_call_failed (AsbGuestCall *call, gpointer data, const GError *error)
{
  TaskCall *self = data;

  g_task_return_error (self->task, g_error_copy (error));
}

static void
task_call_free (gpointer data)
{
  TaskCall *self = data;

  g_object_unref (self->task);
  g_free (self);
}

static const AsbGuestCallKind task_call_kind = {
  .result = task_call_result,
  .failed = task_call_failed,
  .free = task_call_free,
};

AsbGuestCall *
asb_guest_task_call_new (const char *name, json_t *arguments, AsbOperation *operation, GTask *task,
                         AsbGuestConvertFunc convert, GError **error)
{
  TaskCall *self = g_new (TaskCall, 1);

  self->task = g_object_ref (task);
  self->convert = convert;
  return asb_guest_call_new (name, arguments, operation, &task_call_kind, self, error);
}
