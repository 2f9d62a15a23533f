/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Keeps a sandbox that ends by itself from ending while it is worked with, by renewing it. */

#pragma once

#include "asb-backend-options.h"

/* What is known of a sandbox, and when it is to be renewed. Times are those of
 * g_get_monotonic_time (). */
typedef struct
{
  gint64 window;      /* how long it lives after each renewal */
  gboolean always;    /* it is to live as long as the backend; otherwise that long after its use */
  guint n_running;    /* operations */
  gint64 used_at;     /* when the last one ended; 0: none since the last renewal */
  gint64 renewed_at;  /* when the last renewal began that was done */
  gint64 expires_at;  /* as far as known */
  guint n_failures;   /* since then */
  gint64 failed_at;   /* the last of them */
  gboolean is_asking; /* a renewal is on its way */
  guint n_holders;    /* who renew it themselves, or end it */
  gboolean is_paused;
  gboolean is_over;
} AsbKeepAliveState;

#define ASB_KEEP_ALIVE_NEVER G_MAXINT64

/* When to renew next, maybe in the past. */
gint64 asb_keep_alive_next (const AsbKeepAliveState *state);

/* What the options mean for a sandbox of that provider. */
typedef struct
{
  AsbTtlMode mode; /* what the provider is told at creation */
  gint64 seconds;
  gboolean renews;
  gboolean always;
} AsbKeepAlivePlan;

/* Fails with ASB_ERROR_INVALID_ARGUMENT for a time the provider does not take. */
gboolean asb_keep_alive_plan (AsbProvider *provider, AsbBackendOptions *options,
                              AsbKeepAlivePlan *plan, GError **error);

typedef struct _AsbKeepAlive AsbKeepAlive;

/* @began_at: when the creation began, or the looking. Of a sandbox that was there before the
 * provider has said when it ends, @expires_at (nullable). NULL if there is nothing to do. */
AsbKeepAlive *asb_keep_alive_new (AsbProvider *provider, const char *sandbox_id,
                                  const AsbKeepAlivePlan *plan, gint64 began_at, gboolean created,
                                  GDateTime *expires_at);
void asb_keep_alive_unref (AsbKeepAlive *self);

/* All of these from any thread, and with NULL for a sandbox that is not kept alive. */

/* An operation begins, or has ended. */
void asb_keep_alive_begin (AsbKeepAlive *self);
void asb_keep_alive_end (AsbKeepAlive *self);
/* As long as @object (nullable), a stream, is there, an operation runs. */
void asb_keep_alive_hold_for (AsbKeepAlive *self, gpointer object);
void asb_keep_alive_set_paused (AsbKeepAlive *self, gboolean paused);
/* For good. */
void asb_keep_alive_stop (AsbKeepAlive *self);

/* Somebody renews the sandbox, or ends it: done when no renewal is on its way, and none begins
 * until asb_keep_alive_release (). There, @seconds are those it was renewed for at @began_at; 0 if
 * it was not. */
void asb_keep_alive_hold_async (AsbKeepAlive *self, GAsyncReadyCallback callback,
                                gpointer user_data);
/* Cancels the one that is on its way, where nobody minds whether it is done. */
void asb_keep_alive_cancel (AsbKeepAlive *self);
void asb_keep_alive_release (AsbKeepAlive *self, gint64 began_at, gint64 seconds);

/* For tests: how many microseconds a second has from now on. */
void asb_keep_alive_set_second (gint64 microseconds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbKeepAlive, asb_keep_alive_unref)
