/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-call-private.h"

#include "asb-error-private.h"
#include "asb-history-store.h"
#include "asb-io-thread-private.h"
#include "asb-provider.h"
#include "asb-sync-private.h"
#include "asb-timer-private.h"

/* How long an implementation may take to answer once it was cancelled. */
#define CANCEL_GRACE_MS 10000

typedef struct
{
  gatomicrefcount references;
  const AsbCallKind *kind;
  guint timeout_ms; /* 0: none */
  GType result_type;
  GMainContext *context;
  GTask *outer; /* (nullable): once answered; used in the thread of the call only */
  GCancellable *inner_cancellable;
  gulong chain;
  GSource *deadline;
  GMutex timing; /* while it is said when that is ready */
  gint64 began_at;
  gint64 paused_before; /* for how long its source had been paused then */
  gint64 left;          /* of its time, while its source is paused */
  gboolean is_impatient;
  int dropped; /* atomic: the implementation let go of its task */
} AsbCall;

/* Limits of tests. */

static GMutex limits_mutex;
static GHashTable *limits; /* operation → milliseconds */
static int has_limits;     /* atomic: whether to look at all */

void
asb_call_set_limit (const char *operation, int milliseconds)
{
  const char *key = operation ? operation : "";
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&limits_mutex);

  if (!limits)
    limits = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (milliseconds < 0)
    g_hash_table_remove (limits, key);
  else
    g_hash_table_replace (limits, g_strdup (key), GINT_TO_POINTER (milliseconds));
  g_atomic_int_set (&has_limits, g_hash_table_size (limits) > 0);
}

/* FALSE if nothing was said. */
static gboolean
find_limit (const char *key, guint *milliseconds)
{
  g_autoptr (GMutexLocker) locker = NULL;
  gpointer value;

  if (!g_atomic_int_get (&has_limits))
    return FALSE;
  locker = g_mutex_locker_new (&limits_mutex);
  if (!g_hash_table_lookup_extended (limits, key, NULL, &value))
    return FALSE;
  *milliseconds = (guint)GPOINTER_TO_INT (value);
  return TRUE;
}

/* The call. */

static AsbCall *
asb_call_ref (AsbCall *call)
{
  g_atomic_ref_count_inc (&call->references);
  return call;
}

static void
asb_call_unref (AsbCall *call)
{
  if (!g_atomic_ref_count_dec (&call->references))
    return;
  g_clear_object (&call->inner_cancellable);
  g_clear_pointer (&call->deadline, g_source_unref);
  g_clear_object (&call->outer);
  g_clear_pointer (&call->context, g_main_context_unref);
  g_mutex_clear (&call->timing);
  g_free (call);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbCall, asb_call_unref)

/* Never later than it is already; in any thread. */
static void
make_ready_at (AsbCall *call, gint64 at)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&call->timing);
  gint64 before = g_source_get_ready_time (call->deadline);

  g_source_set_ready_time (call->deadline, before < 0 ? at : MIN (before, at));
}

/* Pauses of a source, and the calls whose time would have been up. */
typedef struct
{
  gatomicrefcount references;
  GMutex mutex;
  gint64 paused_at; /* 0: it is not paused */
  gint64 total;     /* without the pause that goes on */
  GPtrArray *parked;
} AsbCallClock;

static AsbCallClock *
clock_ref (AsbCallClock *clock)
{
  g_atomic_ref_count_inc (&clock->references);
  return clock;
}

static void
clock_unref (gpointer data)
{
  AsbCallClock *clock = data;

  if (!g_atomic_ref_count_dec (&clock->references))
    return;
  g_ptr_array_unref (clock->parked);
  g_mutex_clear (&clock->mutex);
  g_free (clock);
}

static GQuark
clock_quark (void)
{
  return g_quark_from_static_string ("asb-call-clock");
}

/* Must hold the mutex. */
static gint64
get_paused_time (AsbCallClock *clock, gint64 now)
{
  return clock->total + (clock->paused_at > 0 ? now - clock->paused_at : 0);
}

static void
note_beginning (AsbCall *call, gpointer source)
{
  AsbCallClock *clock = source ? g_object_get_qdata (source, clock_quark ()) : NULL;

  call->began_at = g_get_monotonic_time ();
  if (!clock)
    return;
  g_mutex_lock (&clock->mutex);
  call->paused_before = get_paused_time (clock, call->began_at);
  /* Who begins while it is paused does not want to wait for ever. */
  call->is_impatient = clock->paused_at > 0;
  g_mutex_unlock (&clock->mutex);
}

/* A deadline that was met only since the source was paused is none yet. */
static gboolean
is_early (AsbCall *call)
{
  gpointer source = g_task_get_source_object (call->outer);
  AsbCallClock *clock = source ? g_object_get_qdata (source, clock_quark ()) : NULL;
  g_autoptr (GMutexLocker) locker = NULL;
  gint64 now = g_get_monotonic_time ();

  if (!clock || call->is_impatient)
    return FALSE;
  locker = g_mutex_locker_new (&clock->mutex);
  call->left = (gint64)call->timeout_ms * 1000 + get_paused_time (clock, now) - call->paused_before
               - (now - call->began_at);
  if (call->left <= 0)
    return FALSE;
  if (clock->paused_at > 0)
    g_ptr_array_add (clock->parked, asb_call_ref (call));
  else
    make_ready_at (call, now + call->left);
  return TRUE;
}

static AsbCallClock *
get_clock (gpointer source)
{
  static GMutex mutex;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  AsbCallClock *clock = g_object_get_qdata (source, clock_quark ());

  if (clock)
    return clock;
  clock = g_new0 (AsbCallClock, 1);
  g_atomic_ref_count_init (&clock->references);
  g_mutex_init (&clock->mutex);
  clock->parked = g_ptr_array_new_with_free_func ((GDestroyNotify)asb_call_unref);
  g_object_set_qdata_full (source, clock_quark (), clock, clock_unref);
  return clock;
}

void
asb_call_share_pauses (gpointer other, gpointer source)
{
  g_object_set_qdata_full (other, clock_quark (), clock_ref (get_clock (source)), clock_unref);
}

void
asb_call_set_paused (gpointer source, gboolean paused)
{
  AsbCallClock *clock = get_clock (source);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&clock->mutex);
  gint64 now = g_get_monotonic_time ();

  if (paused == (clock->paused_at > 0))
    return;
  clock->total = get_paused_time (clock, now);
  clock->paused_at = paused ? now : 0;
  if (paused)
    return;
  for (guint i = 0; i < clock->parked->len; i++)
    {
      AsbCall *call = clock->parked->pdata[i];

      make_ready_at (call, now + call->left);
    }
  g_ptr_array_set_size (clock->parked, 0);
}

/* Takes the caller's task out of the call: whoever gets it answers it. */
static GTask *
take_outer (AsbCall *call)
{
  GTask *outer = g_steal_pointer (&call->outer);

  if (!outer)
    return NULL;
  /* Not g_cancellable_disconnect (): that waits for the handlers, and an implementation may answer
   * from one. */
  if (call->chain)
    g_signal_handler_disconnect (g_task_get_cancellable (outer), call->chain);
  call->chain = 0;
  if (call->deadline)
    g_source_destroy (call->deadline);
  return outer;
}

static void
value_free (gpointer data)
{
  GValue *value = data;

  g_value_unset (value);
  g_free (value);
}

static gboolean
is_empty (const GValue *value)
{
  if (g_type_is_a (G_VALUE_TYPE (value), G_TYPE_OBJECT))
    return g_value_get_object (value) == NULL;
  if (G_VALUE_HOLDS_VARIANT (value))
    return g_value_get_variant (value) == NULL;
  return G_VALUE_HOLDS_BOXED (value) && g_value_get_boxed (value) == NULL;
}

static void
return_value (AsbCall *call, GTask *outer, GValue *value)
{
  const AsbCallKind *kind = call->kind;
  const char *fault;
  GValue *copy;

  if (!G_VALUE_HOLDS (value, call->result_type))
    {
      g_task_return_new_error (outer, ASB_ERROR, ASB_ERROR_PROTOCOL,
                               "Could not %s: the answer is a %s instead of a %s", kind->operation,
                               G_VALUE_TYPE_NAME (value), g_type_name (call->result_type));
      return;
    }
  if (is_empty (value))
    {
      g_task_return_new_error (outer, ASB_ERROR, ASB_ERROR_PROTOCOL,
                               "Could not %s: the answer is empty", kind->operation);
      return;
    }
  fault = kind->check ? kind->check (value) : NULL;
  if (fault)
    {
      g_task_return_new_error (outer, ASB_ERROR, ASB_ERROR_PROTOCOL, "Could not %s: the answer %s",
                               kind->operation, fault);
      if (kind->discard)
        kind->discard (g_task_get_source_object (outer), value);
      return;
    }
  copy = g_new0 (GValue, 1);
  g_value_init (copy, G_VALUE_TYPE (value));
  g_value_copy (value, copy);
  g_task_return_pointer (outer, copy, value_free);
}

/* Whose fault an error is that does not say it by a code of ours. */
static AsbError
get_code_for_foreign (gpointer source)
{
  if (ASB_IS_PROVIDER (source))
    return ASB_ERROR_PROVIDER;
  return ASB_IS_HISTORY_STORE (source) ? ASB_ERROR_HISTORY_DATABASE : ASB_ERROR_SANDBOX_BACKEND;
}

/* Takes @error. A caller looks at the code, whatever the implementation called, and bindings do not
 * survive a message that is no UTF-8. */
static void
return_error (GTask *outer, GError *error)
{
  AsbError code = get_code_for_foreign (g_task_get_source_object (outer));

  g_task_return_error (outer, asb_error_adopt (error, code));
}

/* What was answered as a value or a pointer looks like another number. */
static void
propagate_boolean (AsbCall *call, GTask *inner, GTask *outer)
{
  GError *error = NULL;
  gboolean done = g_task_propagate_boolean (inner, &error);

  if (outer && error)
    return_error (outer, error);
  else if (outer && done != TRUE && done != FALSE)
    g_task_return_new_error (outer, ASB_ERROR, ASB_ERROR_PROTOCOL,
                             "Could not %s: the answer was not given as a boolean",
                             call->kind->operation);
  else if (outer && !done && call->kind->is_deed)
    g_task_return_new_error (outer, ASB_ERROR, ASB_ERROR_PROTOCOL,
                             "Could not %s: the answer is no, without a reason",
                             call->kind->operation);
  else if (outer)
    g_task_return_boolean (outer, done);
  else
    g_clear_error (&error);
}

static void
propagate (AsbCall *call, GTask *inner, GTask *outer)
{
  g_autoptr (GError) error = NULL;
  g_auto (GValue) value = G_VALUE_INIT;

  if (call->result_type == G_TYPE_BOOLEAN)
    {
      propagate_boolean (call, inner, outer);
      return;
    }

  if (!g_task_propagate_value (inner, &value, &error))
    {
      if (outer && error)
        return_error (outer, g_steal_pointer (&error));
      else if (outer)
        g_task_return_new_error (outer, ASB_ERROR, ASB_ERROR_PROTOCOL,
                                 "Could not %s: the answer was not given as a value",
                                 call->kind->operation);
    }
  else if (outer)
    return_value (call, outer, &value);
  else if (call->kind->discard && G_VALUE_HOLDS (&value, call->result_type))
    call->kind->discard (g_task_get_source_object (inner), &value);
}

static void inner_finalized_cb (gpointer user_data, GObject *where_the_task_was);

static void
inner_answered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbCall *call = user_data;
  g_autoptr (GTask) outer = take_outer (call);

  g_object_weak_unref (G_OBJECT (result), inner_finalized_cb, call);
  propagate (call, G_TASK (result), outer);
  asb_sync_release_context (call->context);
  asb_call_unref (call);
}

/* May run in any thread: a garbage collector's, for example. */
static void
inner_finalized_cb (gpointer user_data, GObject *where_the_task_was)
{
  AsbCall *call = user_data;

  g_atomic_int_set (&call->dropped, TRUE);
  if (call->deadline)
    make_ready_at (call, 0);
  asb_sync_release_context (call->context);
  asb_call_unref (call);
}

static gboolean
deadline_cb (gpointer user_data)
{
  AsbCall *call = user_data;
  g_autoptr (GTask) outer = NULL;

  if (call->outer && !g_cancellable_is_cancelled (call->inner_cancellable)
      && !g_atomic_int_get (&call->dropped) && is_early (call))
    return G_SOURCE_CONTINUE;
  outer = take_outer (call);
  if (!outer)
    return G_SOURCE_REMOVE;
  if (g_cancellable_is_cancelled (call->inner_cancellable))
    g_task_return_new_error (outer, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
  else if (g_atomic_int_get (&call->dropped))
    g_task_return_new_error (outer, ASB_ERROR, ASB_ERROR_INTERNAL,
                             "Could not %s: its task was dropped without an answer",
                             call->kind->operation);
  else
    g_task_return_new_error (outer, ASB_ERROR, ASB_ERROR_TIMED_OUT,
                             "Could not %s: no answer within %g seconds", call->kind->operation,
                             call->timeout_ms / 1000.0);
  g_cancellable_cancel (call->inner_cancellable);
  return G_SOURCE_REMOVE;
}

static void
start_deadline (AsbCall *call)
{
  call->deadline = asb_timer_new ("AsbCall deadline", deadline_cb, asb_call_ref (call),
                                  (GDestroyNotify)asb_call_unref);
  note_beginning (call, g_task_get_source_object (call->outer));
  if (call->timeout_ms > 0)
    make_ready_at (call, call->began_at + (gint64)call->timeout_ms * 1000);
  g_source_attach (call->deadline, call->context);
}

/* In the thread of whoever cancels. */
static void
chain_cb (GCancellable *cancellable, gpointer user_data)
{
  AsbCall *call = user_data;
  guint grace_ms = CANCEL_GRACE_MS;

  g_cancellable_cancel (call->inner_cancellable);
  find_limit ("", &grace_ms);
  if (call->kind->needs_no_grace)
    grace_ms = 0;
  make_ready_at (call, g_get_monotonic_time () + (gint64)grace_ms * 1000);
}

static void
chain_cancellable (AsbCall *call)
{
  GCancellable *cancellable = g_task_get_cancellable (call->outer);

  if (cancellable)
    call->chain = g_cancellable_connect (cancellable, G_CALLBACK (chain_cb), asb_call_ref (call),
                                         (GDestroyNotify)asb_call_unref);
}

/* It would wait for ever. Its implementation finds it cancelled. */
static void
refuse_in_fork (AsbCall *call)
{
  g_autoptr (GTask) outer = take_outer (call);

  g_task_return_new_error (outer, ASB_ERROR, ASB_ERROR_CLOSED,
                           "Could not %s: the threads of libasb run in the process that this one "
                           "was forked from; use it there, or in a program that is started anew",
                           call->kind->operation);
  g_cancellable_cancel (call->inner_cancellable);
}

GTask *
asb_call_begin (gpointer source, const AsbCallKind *kind, GType result_type,
                GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data,
                gpointer tag)
{
  AsbCall *call = g_new0 (AsbCall, 1);
  GTask *inner;

  g_atomic_ref_count_init (&call->references);
  g_mutex_init (&call->timing);
  call->kind = kind;
  call->timeout_ms = kind->timeout_seconds * 1000;
  if (kind->timeout_seconds > 0)
    find_limit (kind->operation, &call->timeout_ms);
  call->result_type = result_type;
  call->context = g_main_context_ref_thread_default ();
  /* Until the implementation has answered: the caller may be told before that. */
  asb_sync_hold_context (call->context);
  call->outer = g_task_new (source, cancellable, callback, user_data);
  g_task_set_source_tag (call->outer, tag);
  g_task_set_check_cancellable (call->outer, FALSE);
  call->inner_cancellable = g_cancellable_new ();

  inner = g_task_new (source, call->inner_cancellable, inner_answered_cb, call);
  g_task_set_source_tag (inner, tag);
  g_task_set_priority (inner, g_task_get_priority (call->outer));
  /* What was done in spite of a cancellation must not get lost: it may have to be undone. */
  g_task_set_check_cancellable (inner, FALSE);
  g_object_weak_ref (G_OBJECT (inner), inner_finalized_cb, call);

  start_deadline (call);
  chain_cancellable (call);
  if (asb_io_thread_is_lost ())
    refuse_in_fork (call);
  return inner;
}

gboolean
asb_call_is_cancelled (GTask *task)
{
  if (!g_task_return_error_if_cancelled (task))
    return FALSE;
  g_object_unref (task);
  return TRUE;
}

/* What people call it: they have chosen a provider by its name, and know nothing of its type. */
static char *
describe_source (GTask *task)
{
  GObject *source = g_task_get_source_object (task);
  g_autofree char *name
      = ASB_IS_PROVIDER (source) ? asb_provider_dup_name (ASB_PROVIDER (source)) : NULL;

  return name ? g_strdup_printf ("Provider “%s”", name) : g_strdup (G_OBJECT_TYPE_NAME (source));
}

void
asb_call_unsupported (GTask *task, const char *what)
{
  g_autofree char *source = describe_source (task);

  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                           "%s does not support “%s”", source, what);
  g_object_unref (task);
}

/* Takes @local. */
static void
hand_over (GError **error, GError *local)
{
  asb_error_info_set_last (local);
  g_propagate_error (error, local);
}

gboolean
asb_task_finish_boolean (GAsyncResult *result, GError **error)
{
  GError *local = NULL;
  gboolean done = g_task_propagate_boolean (G_TASK (result), &local);

  if (local)
    hand_over (error, local);
  return done;
}

gpointer
asb_task_finish_pointer (GAsyncResult *result, GError **error)
{
  GError *local = NULL;
  gpointer value = g_task_propagate_pointer (G_TASK (result), &local);

  if (local)
    hand_over (error, local);
  return value;
}

gboolean
asb_call_finish_boolean (gpointer source, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, source), FALSE);

  return asb_task_finish_boolean (result, error);
}

static gpointer
value_dup_content (const GValue *value)
{
  if (g_type_is_a (G_VALUE_TYPE (value), G_TYPE_OBJECT))
    return g_value_dup_object (value);
  if (G_VALUE_HOLDS (value, G_TYPE_VARIANT))
    return g_value_dup_variant (value);
  return g_value_dup_boxed (value);
}

gpointer
asb_call_finish_pointer (gpointer source, GAsyncResult *result, GError **error)
{
  GValue *value;
  gpointer content;

  g_return_val_if_fail (g_task_is_valid (result, source), NULL);

  value = asb_task_finish_pointer (result, error);
  if (!value)
    return NULL;
  content = value_dup_content (value);
  value_free (value);
  return content;
}

GVariant *
asb_call_finish_variant (gpointer source, GAsyncResult *result, const GVariantType *type,
                         const char *what, GError **error)
{
  g_autoptr (GVariant) answer = asb_call_finish_pointer (source, result, error);
  g_autofree char *wanted = g_variant_type_dup_string (type);

  if (!answer || g_variant_is_of_type (answer, type))
    return g_steal_pointer (&answer);
  hand_over (error, g_error_new (ASB_ERROR, ASB_ERROR_PROVIDER, "%s is of type “%s”, not “%s”",
                                 what, g_variant_get_type_string (answer), wanted));
  return NULL;
}

void
asb_task_return_object (GTask *task, gpointer object)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_OBJECT_TYPE (object));
  g_value_take_object (&value, object);
  g_task_return_value (task, &value);
}

void
asb_task_return_variant (GTask *task, GVariant *variant)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_VARIANT);
  g_value_set_variant (&value, variant);
  g_task_return_value (task, &value);
}

void
asb_task_return_bytes (GTask *task, GBytes *bytes)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_BYTES);
  g_value_take_boxed (&value, bytes);
  g_task_return_value (task, &value);
}
