/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The making of a backend: what its steps share, each of which goes on with the next one. They take
 * the task of the public call, whose data is an AsbCreation. */

#pragma once

#include "asb-backend-private.h"

/* Everything made on the way. What is still here when a step fails is undone. */
typedef struct
{
  AsbBackendOptions *options;
  AsbProvider *provider;
  AsbSandboxRef *ref;
  AsbSandboxState state;
  char *workdir; /* NULL: that of the options */
  gboolean created;
  gint64 occurred_at;
  gint64 began_at; /* the same, monotonic */
  AsbKeepAlivePlan plan;
  GDateTime *expires_at;
  AsbTransport *transport;
  gboolean guest_is_placed;
  char *no_guest;
  char *no_history;
  AsbHistoryStore *store;
  gboolean owns_store;
  gboolean store_was_opened;
  GError *store_error;
  gboolean import_is_pending;
  gboolean waits_for_import;
  GError *import_error;
  gboolean workdir_is_made;
  gboolean workdir_is_pending;
  guint n_workdir_attempts;
  gboolean waits_for_workdir;
  GError *workdir_error;
  AsbRecorder *recorder;
  AsbWorkRules *rules;
  guint n_attempts;
  gboolean is_left_behind; /* the sandbox, which could not be deleted */
  GError *error;           /* while it is undone */
} AsbCreation;

/* For the data of the task. */
void asb_creation_free (gpointer creation);

gboolean asb_creation_is_new (AsbCreation *creation);

/* Undoes everything and answers with @error, which it takes. */
void asb_creation_fail (GTask *task, GError *error);
/* The same for what makes the task fail between two steps: a cancellation. */
gboolean asb_creation_fail_if_cancelled (GTask *task);

/* Returns: (transfer full) */
AsbHistoryConfig *asb_creation_dup_history_config (AsbBackendOptions *options);
/* Makes the store, which is not opened yet; there need not be one. */
gboolean asb_creation_find_store (AsbCreation *creation, GError **error);

/* The steps, once there is a sandbox. */
void asb_creation_open_transport (GTask *task);
void asb_creation_open_store (GTask *task);
void asb_creation_finish (GTask *task);

/* Of a creation that failed: the sandbox that it made and could not delete. Returns: whether there
 * is one; @provider and @sandbox_id: (transfer none), as long as @result */
gboolean asb_creation_left_behind (GAsyncResult *result, AsbProvider **provider,
                                   const char **sandbox_id);
