/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One sandbox of the mock: its files, its state, and the commands that run in it. From any thread.
 */

#pragma once

#include <asb.h>

#include "asb-mock-files.h"

typedef struct _AsbMockSandbox AsbMockSandbox;

AsbMockSandbox *asb_mock_sandbox_new (AsbSandboxSpec *spec, const char *provider_key);
AsbMockSandbox *asb_mock_sandbox_ref (AsbMockSandbox *self);
void asb_mock_sandbox_unref (AsbMockSandbox *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbMockSandbox, asb_mock_sandbox_unref)

const char *asb_mock_sandbox_get_id (AsbMockSandbox *self);
const char *asb_mock_sandbox_get_idempotency_key (AsbMockSandbox *self); /* (nullable) */
const char *asb_mock_sandbox_get_workdir (AsbMockSandbox *self);

/* Returns: (transfer full) */
AsbSandboxInfo *asb_mock_sandbox_describe (AsbMockSandbox *self);

/* FALSE with %ASB_ERROR_SANDBOX_STATE when it is in another state than @from. */
gboolean asb_mock_sandbox_change_state (AsbMockSandbox *self, AsbSandboxState from,
                                        AsbSandboxState to, GError **error);
/* @seconds: from now on */
void asb_mock_sandbox_renew (AsbMockSandbox *self, gint64 seconds);
/* Returns: (transfer full): a copy */
AsbNetworkPolicy *asb_mock_sandbox_dup_policy (AsbMockSandbox *self);
void asb_mock_sandbox_set_policy (AsbMockSandbox *self, AsbNetworkPolicy *policy);
/* @changes: an a{sms} */
void asb_mock_sandbox_patch_metadata (AsbMockSandbox *self, GVariant *changes);
/* Ends everything that runs. */
void asb_mock_sandbox_delete (AsbMockSandbox *self);

/* Takes the lock of the files. NULL, without the lock, when the sandbox does not run. */
AsbMockFiles *asb_mock_sandbox_lock_files (AsbMockSandbox *self, GError **error);
void asb_mock_sandbox_unlock_files (AsbMockSandbox *self);

/* @process is an AsbMockProcess, held until it has ended. FALSE when the sandbox does not run. */
gboolean asb_mock_sandbox_add_process (AsbMockSandbox *self, GObject *process, GError **error);
void asb_mock_sandbox_remove_process (AsbMockSandbox *self, GObject *process);
/* Returns: (transfer full): of those that run */
GPtrArray *asb_mock_sandbox_get_processes (AsbMockSandbox *self);
