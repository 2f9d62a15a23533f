/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One operation on a file, on its way from the caller's thread to the thread of the module: what
 * the request said when it was made. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-execd.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-thread.h"

typedef struct
{
  AsbOpensandboxExecd *execd;
  char *path;
  char *new_path;
  char *expected_hash;
  GBytes *contents;
  AsbFileFlags flags;
  int mode;
  gint64 uid;
  gint64 gid;
  guint64 offset;
  gint64 length;
  gpointer state; /* of the operation, while it works */
  GDestroyNotify free_state;
} AsbOpensandboxNativeCall;

/* The caller's thread. Runs @function in the module's, unless the request is none or the transport
 * closed, which is answered here. */
void asb_opensandbox_native_call_run (AsbTransport *transport, AsbFileRequest *request, GTask *task,
                                      AsbOpensandboxTaskFunc function);

/* [io] */
AsbOpensandboxNativeCall *asb_opensandbox_native_call_get (GTask *task);
gboolean asb_opensandbox_native_call_has (GTask *task, AsbFileFlags flag);

/* [io] Runs a script for the task, which travels to @callback as its data, with a reference. */
void asb_opensandbox_native_call_script (GTask *task, const char *text,
                                         const char *const *arguments, const char *what,
                                         GAsyncReadyCallback callback);

/* [io] The same for one that only looks and may be run again. */
void asb_opensandbox_native_call_ask (GTask *task, const char *text, const char *const *arguments,
                                      const char *what, GAsyncReadyCallback callback);

/* [io] In such a callback. NULL when the task has been answered with an error, also for another
 * exit status than 0. Returns: (transfer full) (nullable) */
AsbOpensandboxScriptResult *asb_opensandbox_native_call_finish (GTask *task, GAsyncResult *result);

/* Any thread. Whether it is an absolute path without “..”; answers @task if not. */
gboolean asb_opensandbox_native_call_check_path (const char *path, GTask *task);

/* Without empty segments and “.”. Returns: (transfer full) */
char *asb_opensandbox_native_call_clean (const char *path);
