/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-activity-gate-private.h"
#include "asb-backend.h"
#include "asb-closure-private.h"
#include "asb-keep-alive-private.h"
#include "asb-recorder-private.h"
#include "asb-upload-targets-private.h"
#include "asb-work-rules-private.h"

struct _AsbBackend
{
  GObject parent_instance;

  AsbProvider *provider;
  AsbTransport *transport; /* atomic */
  GPtrArray *past_transports;
  gboolean guest_is_placed; /* by the library: it can be asked for again */
  char *no_guest;           /* why not, where the provider's own transport stands in for it */
  char *no_history;         /* why not, where work goes on without */
  guint reconnect_seconds;
  AsbHistoryStore *store;
  AsbHistoryConfig *history_config;
  gboolean owns_store;
  AsbKeepAlive *keep_alive; /* (nullable) */
  AsbRecorder *recorder;    /* (nullable): nothing is recorded */
  AsbActivityGate *gate;
  AsbWorkRules *rules;
  AsbUploadTargets *upload_targets;
  guint drain_timeout_ms;
  AsbSandboxRef *ref;
  char *workdir;
  AsbCommandResultConfig *result_config;

  gboolean created; /* by this backend: only then may closing delete */
  AsbCleanupPolicy cleanup;
  gint64 cleanup_ttl_seconds;
  AsbClosure *close_coordinator;

  int pause; /* atomic, an AsbPauseState */

  GMutex mutex;
  gboolean deleted;              /* the sandbox is known to be gone */
  GMainContext *restart_context; /* where another guest is asked for; NULL: none is */
  GPtrArray *restart_waiting;    /* GTask: those who want one, too */
};

#define ASB_BACKEND_SANDBOX_ID(self) (asb_sandbox_ref_get_sandbox_id ((self)->ref))
