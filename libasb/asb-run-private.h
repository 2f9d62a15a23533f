/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One operation of a backend from the gate to the answer: it is let in, its start recorded, done,
 * its end recorded, and the caller answered. What travels on a transport that records at its other
 * end is recorded there. */

#pragma once

#include "asb-backend-private.h"

typedef struct _AsbRun AsbRun;

typedef void (*AsbRunPerform) (AsbRun *run);

/* Returns: floating */
typedef GVariant *(*AsbRunDescribe) (gpointer answer);

struct _AsbRun
{
  AsbBackend *backend;
  GTask *task; /* the one to answer, see asb-call-private.h */
  const char *operation_type;
  AsbOperation *operation; /* (nullable): not recorded */
  gboolean recorded_here;
  gboolean travels;
  gboolean has_looked;        /* for what became of the sandbox */
  gboolean is_sent_elsewhere; /* once more, since nothing of it had left */
  AsbRunPerform perform;
  GObject *request;   /* (nullable): what goes to the transport */
  AsbSlotQueue *slot; /* (nullable): it has one of these */
  guint n_attempts;
  gint64 began_at; /* monotonic */
  GValue value;
  GError *error;
};

typedef struct
{
  const char *operation_type; /* NULL: it is not recorded */
  gboolean travels;
  gboolean in_steps; /* it is more than one call of the transport, which knows nothing of it */
  GVariant *request; /* floating or NULL */
  GVariant *command; /* floating or NULL */
  GVariant *file_operation; /* floating or NULL */
} AsbRunRecord;

/* Takes @task. If it is cancelled or the backend is closed the task is answered, @perform not
 * called and nothing recorded. @request has a property “operation”, or is NULL. */
void asb_run_begin (AsbBackend *backend, GTask *task, const AsbRunRecord *record, gpointer request,
                    AsbRunPerform perform);

/* Adds to an error what only the backend knows. @operation may be NULL. */
void asb_run_complete_error (AsbBackend *backend, const char *operation_type,
                             AsbOperation *operation, GError *error);

/* A text in a record, null where it is NULL; what is no UTF-8 of it is replaced. Returns: floating
 */
GVariant *asb_run_describe_text (const char *text);

/* Lets go of a variant that nobody took. */
void asb_run_drop_floating (GVariant *variant);

/* Ends the run; exactly one of them, once. @result, floating or NULL, is what the record says. */
void asb_run_return_boolean (AsbRun *run, gboolean value, GVariant *result);
void asb_run_return_object (AsbRun *run, gpointer object, GVariant *result);
void asb_run_return_bytes (AsbRun *run, GBytes *bytes, GVariant *result);
void asb_run_return_variant (AsbRun *run, GVariant *variant, GVariant *result);
void asb_run_return_error (AsbRun *run, GError *error);
/* Ends it with the answer of another call of the library, an object or an error; of one whose
 * _finish does nothing but hand it on. @describe (nullable) says of the object what the record
 * says.
 */
void asb_run_answer (AsbRun *run, GObject *source, GAsyncResult *result, AsbRunDescribe describe);
/* The same where the record says nothing of it; @user_data is the run. */
void asb_run_answer_cb (GObject *source, GAsyncResult *result, gpointer user_data);
/* For a command: the outcome decides the status. Takes @object. */
void asb_run_return_outcome (AsbRun *run, gpointer object, const AsbOutcome *outcome);
/* Answers the caller with @object, which it takes, and leaves the record of the operation to the
 * caller of this. Returns: (transfer full) (nullable): the operation, if it is to be recorded here
 */
AsbOperation *asb_run_return_started (AsbRun *run, gpointer object);
