/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is to go wrong: rules that name an operation and which call of it. From any thread. */

#pragma once

#include <asb.h>

typedef enum
{
  ASB_MOCK_FAULT_NONE,
  ASB_MOCK_FAULT_FAIL,       /* the answer is an error */
  ASB_MOCK_FAULT_DELAY,      /* the answer comes later */
  ASB_MOCK_FAULT_HOLD,       /* the answer comes when somebody says so, or never */
  ASB_MOCK_FAULT_DROP,       /* the task is let go without an answer */
  ASB_MOCK_FAULT_WRONG_TYPE, /* the answer is an object of a type nobody wants */
  ASB_MOCK_FAULT_EMPTY,      /* the answer is of the right type, and empty */
  ASB_MOCK_FAULT_BREAK       /* half an answer: a stream breaks off */
} AsbMockFaultKind;

/* What goes wrong in one call. */
typedef struct
{
  AsbMockFaultKind kind;
  gboolean done; /* the operation is done all the same: only its answer is not as it should be */
  guint delay_ms;
  gint64 after_bytes;
  GError *error; /* (nullable): what to fail with */
} AsbMockFault;

void asb_mock_fault_clear (AsbMockFault *fault);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AsbMockFault, asb_mock_fault_clear)

typedef struct _AsbMockFaults AsbMockFaults;

AsbMockFaults *asb_mock_faults_new (void);
void asb_mock_faults_free (AsbMockFaults *self);

/* @rule: an a{sv}, see README.md. */
gboolean asb_mock_faults_add (AsbMockFaults *self, GVariant *rule, GError **error);
void asb_mock_faults_remove_all (AsbMockFaults *self);
/* Returns: (transfer full): the rules, an aa{sv} */
GVariant *asb_mock_faults_to_variant (AsbMockFaults *self);

/* Counts a call of @operation and tells what goes wrong in it. */
void asb_mock_faults_count (AsbMockFaults *self, const char *operation, AsbMockFault *fault);
/* Returns: (transfer full): an a{st}: how often each operation was called */
GVariant *asb_mock_faults_get_counts (AsbMockFaults *self);
