/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Blocking twins: the asynchronous function on a main context of its own. */

#pragma once

#include <gio/gio.h>

typedef struct _AsbSync AsbSync;

struct _AsbSync
{
  GMainContext *context;
  GAsyncResult *result;
  GMainContext *outer; /* the thread's before, which nobody runs meanwhile */
  AsbSync *below;      /* the twin in whose callback this one runs */
};

void asb_sync_begin (AsbSync *sync);
/* The callback to give, with the AsbSync as user data. */
void asb_sync_ready_cb (GObject *source, GAsyncResult *result, gpointer user_data);
/* Waits. The result is owned by @sync. */
GAsyncResult *asb_sync_wait (AsbSync *sync);
void asb_sync_end (AsbSync *sync);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AsbSync, asb_sync_end)

/* An implementation may answer after the blocking twin that called it has returned, and a twin may
 * begin what it does not wait for. While a context is held somebody runs it: a thread of its own,
 * once the twin does not. */
void asb_sync_hold_context (GMainContext *context);
void asb_sync_release_context (GMainContext *context);
gboolean asb_sync_is_context_held (GMainContext *context);

/* The thread-default main context, without those of the twins this thread is in. To be
 * unreferenced.
 */
GMainContext *asb_sync_ref_public_context (void);

/* Whether @context does not run because this thread is in a blocking twin. */
gboolean asb_sync_blocks_context (GMainContext *context);
