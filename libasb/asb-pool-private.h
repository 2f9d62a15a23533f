/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A pool without its object, which it outlives while something is left to do. Its own work is done
 * in one main context, that of a thread of its own where nothing speaks against that; calls do
 * theirs where they were called. */

#pragma once

#include "asb-backend-private.h"
#include "asb-closure-private.h"
#include "asb-enums.h"
#include "asb-pool.h"
#include "asb-worker-private.h"

/* One that is ready. */
typedef struct
{
  AsbBackend *backend;
  AsbTransport *watched;
  gulong watch;
  gint64 since; /* monotonic */
} AsbPoolIdle;

/* A call that ends sandboxes, and waits for that. */
typedef struct
{
  gatomicrefcount references;
  guint n_ended;
} AsbPoolSweep;

/* One that is to be ended, until it has. */
typedef struct
{
  AsbProvider *provider;
  char *sandbox_id;
  AsbBackend *backend; /* (nullable): only its sandbox is left */
  gboolean is_running;
  GMainContext *context; /* while it is running: where */
  AsbPoolSweep *sweep;   /* (nullable): who has it ended now; otherwise the pool */
  AsbPoolSweep *tried;   /* (nullable): for whom it failed last */
  guint n_failures;
  gint64 retry_at;
  GError *error;
} AsbPoolEnding;

typedef struct
{
  gatomicrefcount references;
  AsbBackendOptions *options;
  GMainContext *owner; /* where the pool was made, and is told of */
  GThread *home;       /* that made it */
  GWeakRef pool;

  GMutex mutex; /* of all below */
  AsbPoolState state;
  gboolean is_abandoned; /* its object has gone */
  gboolean is_told;      /* its object is about to look what has changed */
  AsbClosure *preparer;
  AsbProvider *provider;
  AsbBackendOptions *recipe; /* the options with that provider */
  gint64 ttl_seconds;        /* sandboxes end by themselves so long after that was said; 0: not */
  guint drain_ms;
  guint max_idle;
  guint warmup_concurrency;
  gint64 idle_timeout;
  guint degraded_threshold;
  guint max_acquire_retries;

  AsbWorker *worker; /* (nullable) */
  GMainContext *context;
  GSource *timer;

  GQueue idle;      /* AsbPoolIdle, the oldest first */
  guint n_checking; /* taken from there, and maybe put back */
  guint n_creating;
  GCancellable *creating;
  GPtrArray *acquires; /* GTask */
  GQueue endings;      /* AsbPoolEnding */
  guint n_ending;      /* of these: that are running */
  GPtrArray *waiting;  /* GSource: to be ready when something has changed */

  guint failure_count;
  guint n_pauses; /* since it is degraded */
  gint64 paused_until;
  GError *last_error;
} AsbPoolCore;

/* The core. */

AsbPoolCore *asb_pool_core_new (AsbBackendOptions *options, gpointer pool);
AsbPoolCore *asb_pool_core_ref (AsbPoolCore *self);
void asb_pool_core_unref (AsbPoolCore *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbPoolCore, asb_pool_core_unref)

/* Returns: (transfer none) */
AsbPoolCore *asb_pool_get_core (AsbPool *self);
/* In the context of the owner: tells of what has changed. */
void asb_pool_tell (AsbPool *self);

/* Must hold the mutex: something has changed that others may wait for, or want to know. */
void asb_pool_core_changed (AsbPoolCore *self);

/* Must hold the mutex. Takes @backend, which is of use or put back; the latter at the front. */
void asb_pool_core_add_idle (AsbPoolCore *self, AsbBackend *backend, gint64 since,
                             gboolean at_front);
/* Must hold the mutex. Returns: (transfer full) (nullable): the backend of the oldest one that can
 * be reached now, which is counted as being checked. Those that are no more are ended. */
AsbBackend *asb_pool_core_take_idle (AsbPoolCore *self, gint64 *since);
/* Must hold the mutex: the oldest of those that are ready, of which there is one, is to be ended.
 */
void asb_pool_core_end_oldest (AsbPoolCore *self);
/* Must hold the mutex: those that nobody can use any more. Returns: when to look again; 0: never */
gint64 asb_pool_core_prune (AsbPoolCore *self, gint64 now);

/* For tests: how many microseconds a second has from now on. */
void asb_pool_set_second (gint64 microseconds);
gint64 asb_pool_get_second (void);

/* The options. */

/* Whether a pool can be made of them. */
gboolean asb_pool_check_options (AsbBackendOptions *options, GError **error);
/* The same for what depends on the provider. @ttl_seconds: how long sandboxes live unless somebody
 * says it again; 0 where nobody has to. */
gboolean asb_pool_check_provider (AsbBackendOptions *options, AsbProvider *provider,
                                  gint64 *ttl_seconds, GError **error);
/* Whether nothing in them speaks against other threads. */
gboolean asb_pool_takes_threads (AsbBackendOptions *options, AsbProvider *provider);

/* The pool's own work. */

/* Must hold the mutex. */
gboolean asb_pool_begin_work (AsbPoolCore *self, GError **error);

/* Makes one, as the pool does it. */
void asb_pool_make_async (AsbPoolCore *self, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer user_data);
AsbBackend *asb_pool_make_finish (GAsyncResult *result, GError **error);

/* Ending. */

/* Must hold the mutex. Takes @backend. */
void asb_pool_add_ending (AsbPoolCore *self, AsbBackend *backend, AsbPoolSweep *sweep);
/* The same of a sandbox that nobody has a backend for. */
void asb_pool_add_leftover (AsbPoolCore *self, AsbProvider *provider, const char *sandbox_id);
/* Must hold the mutex. Returns: (transfer none) (nullable): one to be ended now in @context, which
 * counts as running. @sweep (nullable): on whose behalf; @next: when there will be one, 0 for
 * never */
AsbPoolEnding *asb_pool_take_ending (AsbPoolCore *self, AsbPoolSweep *sweep, GMainContext *context,
                                     gint64 now, gint64 *next);
/* Ends it, here. */
void asb_pool_run_ending (AsbPoolCore *self, AsbPoolEnding *ending);
/* Must hold the mutex. Lets the pool itself do what is left of it. */
void asb_pool_give_back_endings (AsbPoolCore *self, AsbPoolSweep *sweep);
/* The pool's object is gone: what it has is ended in the background. */
void asb_pool_abandon (AsbPoolCore *self);

AsbPoolSweep *asb_pool_sweep_new (void);
AsbPoolSweep *asb_pool_sweep_ref (AsbPoolSweep *self);
void asb_pool_sweep_unref (AsbPoolSweep *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbPoolSweep, asb_pool_sweep_unref)

/* Must hold the mutex: a call has to make way. Returns: (transfer full) (nullable): to be cancelled
 * without the mutex */
GCancellable *asb_pool_evict (GTask *acquire);
