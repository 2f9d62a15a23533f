/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One call of an operation of the mock, from the virtual function to the answer, with what was to
 * go wrong in it. */

#pragma once

#include "asb-mock-provider.h"

typedef struct _AsbMockCall AsbMockCall;

/* Does the operation. FALSE with an error set; TRUE with @answer set, or with @answer left alone
 * when the task is answered later by somebody else. */
typedef gboolean (*AsbMockPerform) (AsbMockCall *call, GValue *answer, GError **error);

struct _AsbMockCall
{
  AsbMockProvider *provider;
  GTask *task;
  const char *operation;
  GType type; /* of the answer */
  AsbMockPerform perform;

  char *sandbox_id;  /* (nullable) */
  GObject *argument; /* (nullable): a spec, a filter, a request */
  GVariant *variant; /* (nullable) */
  gint64 number;
  gint64 break_after; /* −1: nothing breaks off */
  gboolean done;      /* the operation is done already */
  GValue answer;      /* if so */
};

/* @provider may be NULL when it is gone: then nothing goes wrong. */
AsbMockCall *asb_mock_call_new (AsbMockProvider *provider, const char *operation,
                                const char *sandbox_id, gpointer argument, GType type,
                                AsbMockPerform perform, GTask *task);
void asb_mock_call_free (AsbMockCall *call);

/* Takes @call. */
void asb_mock_call_run (AsbMockCall *call);
/* Does it and answers; for a call that was held back. */
void asb_mock_call_answer (AsbMockCall *call);

/* What the functions above put in an answer. @object is taken. */
void asb_mock_answer_object (GValue *answer, gpointer object);
void asb_mock_answer_bytes (GValue *answer, GBytes *bytes);
void asb_mock_answer_boolean (GValue *answer, gboolean value);
