/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-metrics-watch-private.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"
#include "asb-timer-private.h"
#include "asb-weak-private.h"

/* Of what is not taken in time the oldest is dropped: the newest tells most. */
#define MAX_WAITING 64

/**
 * AsbMetricsWatch:
 *
 * Tells what a sandbox takes of the host, as long as it is not closed or dropped.
 * [method@Provider.watch_metrics] makes one.
 *
 * Its signals are given in the main context that was the thread-default one of the call that made
 * it, which is to run. Of samples that are not taken in time the oldest are dropped.
 *
 * For a provider: make one, answer with it, and feed it by [method@MetricsWatch.push] from any
 * thread until [method@MetricsWatch.get_cancellable] is cancelled. Hold it by a weak reference, so
 * that dropping it ends it; then the cancellable is cancelled, too.
 *
 * Since: 1.0
 */

struct _AsbMetricsWatch
{
  GObject parent_instance;

  GCancellable *cancellable;

  GMutex mutex; /* of all below */
  GQueue waiting;
  AsbMetricsWatchState state;
  GError *error;
  GMainContext *context;
  gboolean is_attached;
  GSource *source; /* while there is something to tell */
  gboolean has_ended;
};

enum
{
  PROP_0,
  PROP_STATE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

enum
{
  SIGNAL_SAMPLE,
  SIGNAL_ENDED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AsbMetricsWatch, asb_metrics_watch, G_TYPE_OBJECT)

static void
asb_metrics_watch_finalize (GObject *object)
{
  AsbMetricsWatch *self = ASB_METRICS_WATCH (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_queue_clear_full (&self->waiting, g_object_unref);
  asb_source_clear (&self->source);
  g_clear_pointer (&self->context, g_main_context_unref);
  g_clear_error (&self->error);
  g_mutex_clear (&self->mutex);

  G_OBJECT_CLASS (asb_metrics_watch_parent_class)->finalize (object);
}

static void
asb_metrics_watch_get_property (GObject *object, guint property_id, GValue *value,
                                GParamSpec *pspec)
{
  AsbMetricsWatch *self = ASB_METRICS_WATCH (object);

  switch (property_id)
    {
    case PROP_STATE:
      g_value_set_enum (value, asb_metrics_watch_get_state (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_metrics_watch_class_init (AsbMetricsWatchClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_metrics_watch_finalize;
  object_class->get_property = asb_metrics_watch_get_property;

  /**
   * AsbMetricsWatch:state: (getter get_state)
   *
   * Whether it goes on, and if not, why.
   *
   * Since: 1.0
   */
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, ASB_TYPE_METRICS_WATCH_STATE,
                                              ASB_METRICS_WATCH_STATE_ACTIVE, ASB_PARAM_READABLE);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  /**
   * AsbMetricsWatch::sample:
   * @self: the watch
   * @metrics: what the sandbox took
   *
   * There is a new sample. None comes after [method@MetricsWatch.close] was called from a handler,
   * or in the thread that runs the context.
   *
   * Since: 1.0
   */
  signals[SIGNAL_SAMPLE]
      = g_signal_new ("sample", ASB_TYPE_METRICS_WATCH, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                      G_TYPE_NONE, 1, ASB_TYPE_SANDBOX_METRICS);

  /**
   * AsbMetricsWatch::ended:
   * @self: the watch
   *
   * It tells nothing any more; [property@MetricsWatch:state] says why. A watch that is dropped does
   * not say so.
   *
   * Since: 1.0
   */
  signals[SIGNAL_ENDED] = g_signal_new ("ended", ASB_TYPE_METRICS_WATCH, G_SIGNAL_RUN_LAST, 0, NULL,
                                        NULL, NULL, G_TYPE_NONE, 0);
}

static void
asb_metrics_watch_init (AsbMetricsWatch *self)
{
  g_mutex_init (&self->mutex);
  self->cancellable = g_cancellable_new ();
}

/* Telling. */

/* What comes next: a sample, or that it has ended, or nothing. */
static AsbSandboxMetrics *
take_next (AsbMetricsWatch *self, gboolean *ends)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  AsbSandboxMetrics *next = g_queue_pop_head (&self->waiting);

  *ends = !next && self->state != ASB_METRICS_WATCH_STATE_ACTIVE && !self->has_ended;
  if (*ends)
    self->has_ended = TRUE;
  if (!next)
    g_clear_pointer (&self->source, g_source_unref);
  return next;
}

static gboolean
tell_cb (gpointer user_data)
{
  g_autoptr (AsbMetricsWatch) self = g_weak_ref_get (user_data);
  g_autoptr (AsbSandboxMetrics) metrics = NULL;
  gboolean ends;

  if (!self)
    return G_SOURCE_REMOVE;
  metrics = take_next (self, &ends);
  if (metrics)
    {
      g_signal_emit (self, signals[SIGNAL_SAMPLE], 0, metrics);
      return G_SOURCE_CONTINUE;
    }
  if (ends)
    {
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
      g_signal_emit (self, signals[SIGNAL_ENDED], 0);
    }
  return G_SOURCE_REMOVE;
}

/* Must hold the mutex. */
static void
schedule (AsbMetricsWatch *self)
{
  if (!self->is_attached || self->source)
    return;
  self->source = g_idle_source_new ();
  g_source_set_priority (self->source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (self->source, "AsbMetricsWatch");
  g_source_set_callback (self->source, tell_cb, asb_weak_new (self), asb_weak_free);
  g_source_attach (self->source, self->context);
}

void
asb_metrics_watch_attach (AsbMetricsWatch *self, GMainContext *context)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (self->is_attached)
    return;
  self->is_attached = TRUE;
  self->context = context ? g_main_context_ref (context) : NULL;
  if (!g_queue_is_empty (&self->waiting) || self->state != ASB_METRICS_WATCH_STATE_ACTIVE)
    schedule (self);
}

/* The end. Only the first counts. */
static void
settle (AsbMetricsWatch *self, AsbMetricsWatchState state, const GError *error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (self->state != ASB_METRICS_WATCH_STATE_ACTIVE)
    return;
  self->state = state;
  self->error = error ? g_error_copy (error) : NULL;
  if (state == ASB_METRICS_WATCH_STATE_CLOSED)
    g_queue_clear_full (&self->waiting, g_object_unref);
  schedule (self);
}

/**
 * asb_metrics_watch_new:
 *
 * Makes a watch, for a provider to answer with.
 *
 * Returns: (transfer full): a new [class@MetricsWatch]
 *
 * Since: 1.0
 */
AsbMetricsWatch *
asb_metrics_watch_new (void)
{
  return g_object_new (ASB_TYPE_METRICS_WATCH, NULL);
}

/**
 * asb_metrics_watch_get_state:
 * @self: a [class@MetricsWatch]
 *
 * Gets [property@MetricsWatch:state].
 *
 * Returns: whether it goes on, and if not, why
 *
 * Since: 1.0
 */
AsbMetricsWatchState
asb_metrics_watch_get_state (AsbMetricsWatch *self)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_val_if_fail (ASB_IS_METRICS_WATCH (self), ASB_METRICS_WATCH_STATE_CLOSED);

  locker = g_mutex_locker_new (&self->mutex);
  return self->state;
}

/**
 * asb_metrics_watch_dup_error:
 * @self: a [class@MetricsWatch]
 *
 * Says why a watch broke off, in the words of the provider. Watch anew.
 *
 * Returns: (transfer full) (nullable): the error; %NULL unless the state is
 * %ASB_METRICS_WATCH_STATE_FAILED
 *
 * Since: 1.0
 */
GError *
asb_metrics_watch_dup_error (AsbMetricsWatch *self)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_val_if_fail (ASB_IS_METRICS_WATCH (self), NULL);

  locker = g_mutex_locker_new (&self->mutex);
  return self->error ? g_error_copy (self->error) : NULL;
}

/**
 * asb_metrics_watch_close:
 * @self: a [class@MetricsWatch]
 *
 * Ends the watching, from any thread; does nothing when it has ended. The provider is told without
 * waiting for it. [signal@MetricsWatch::ended] follows in the main context.
 *
 * Since: 1.0
 */
void
asb_metrics_watch_close (AsbMetricsWatch *self)
{
  g_return_if_fail (ASB_IS_METRICS_WATCH (self));

  settle (self, ASB_METRICS_WATCH_STATE_CLOSED, NULL);
  g_cancellable_cancel (self->cancellable);
}

/**
 * asb_metrics_watch_get_cancellable:
 * @self: a [class@MetricsWatch]
 *
 * For providers: gets what is cancelled, in any thread, once nobody wants to know any more.
 *
 * Returns: (transfer none): the cancellable
 *
 * Since: 1.0
 */
GCancellable *
asb_metrics_watch_get_cancellable (AsbMetricsWatch *self)
{
  g_return_val_if_fail (ASB_IS_METRICS_WATCH (self), NULL);

  return self->cancellable;
}

/**
 * asb_metrics_watch_push:
 * @self: a [class@MetricsWatch]
 * @metrics: what the sandbox takes
 *
 * For providers: tells a sample, from any thread. Does nothing when the watch has ended.
 *
 * Since: 1.0
 */
void
asb_metrics_watch_push (AsbMetricsWatch *self, AsbSandboxMetrics *metrics)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_if_fail (ASB_IS_METRICS_WATCH (self));
  g_return_if_fail (ASB_IS_SANDBOX_METRICS (metrics));

  locker = g_mutex_locker_new (&self->mutex);
  if (self->state != ASB_METRICS_WATCH_STATE_ACTIVE)
    return;
  g_queue_push_tail (&self->waiting, g_object_ref (metrics));
  if (self->waiting.length > MAX_WAITING)
    g_object_unref (g_queue_pop_head (&self->waiting));
  schedule (self);
}

/**
 * asb_metrics_watch_end:
 * @self: a [class@MetricsWatch]
 *
 * For providers: tells that the sandbox is gone, from any thread. What was told before is still
 * delivered. Does nothing when the watch has ended.
 *
 * Since: 1.0
 */
void
asb_metrics_watch_end (AsbMetricsWatch *self)
{
  g_return_if_fail (ASB_IS_METRICS_WATCH (self));

  settle (self, ASB_METRICS_WATCH_STATE_GONE, NULL);
}

/**
 * asb_metrics_watch_fail:
 * @self: a [class@MetricsWatch]
 * @error: why it breaks off
 *
 * For providers: tells that no more samples come, from any thread. What was told before is still
 * delivered. Does nothing when the watch has ended.
 *
 * Since: 1.0
 */
void
asb_metrics_watch_fail (AsbMetricsWatch *self, const GError *error)
{
  g_return_if_fail (ASB_IS_METRICS_WATCH (self));
  g_return_if_fail (error != NULL);

  settle (self, ASB_METRICS_WATCH_STATE_FAILED, error);
}
