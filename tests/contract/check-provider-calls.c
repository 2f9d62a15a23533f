/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How calls of a provider behave: asynchronous, cancelled, from many threads, outliving it. */

#include "checks.h"

#define N_THREADS 8

static void
asynchronous (Check *check)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (GAsyncResult) created = NULL;
  g_autoptr (GAsyncResult) deleted = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_provider_create_sandbox_async (check->provider, spec, NULL, check_ready_cb, &created);
  CHECK (check, created == NULL);
  /* What was asked for is what is made, whatever becomes of the specification. */
  asb_sandbox_spec_set_name (spec, "changed-too-late");
  info = asb_provider_create_sandbox_finish (check->provider, check_wait (&created), &error);
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE))
    {
      check_skip (check, error->message);
      return;
    }
  CHECK_NO_ERROR (check, error);
  g_ptr_array_add (check->created, g_strdup (check_id (info)));
  CHECK_TEXT (check, asb_sandbox_info_get_name (info), NULL);
  asb_provider_delete_sandbox_async (check->provider, check_id (info), NULL, check_ready_cb,
                                     &deleted);
  CHECK (check, deleted == NULL);
  CHECK (check,
         asb_provider_delete_sandbox_finish (check->provider, check_wait (&deleted), &error));
}

/* How many are left of this run; lists are not everybody's. */
static void
check_none_left (Check *check)
{
  g_autoptr (AsbSandboxFilter) filter = check_new_filter (check);
  g_autoptr (GListModel) infos = NULL;
  g_autoptr (GError) error = NULL;

  infos = asb_provider_list_sandboxes (check->provider, filter, NULL, &error);
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY))
    return;
  CHECK_NO_ERROR (check, error);
  CHECK_COUNT (check, g_list_model_get_n_items (infos), 0);
}

static void
cancelled_before (Check *check)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  info = asb_provider_create_sandbox (check->provider, spec, cancellable, &error);
  CHECK_ERROR (check, error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  check_none_left (check);
}

static gboolean
cancel_cb (gpointer user_data)
{
  g_cancellable_cancel (user_data);
  return G_SOURCE_REMOVE;
}

/* Either it came too late, and there is a sandbox, or there is none. */
static void
cancel_after (Check *check, guint milliseconds)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_provider_create_sandbox_async (check->provider, spec, cancellable, check_ready_cb, &result);
  g_timeout_add_full (G_PRIORITY_HIGH, milliseconds, cancel_cb, g_object_ref (cancellable),
                      g_object_unref);
  info = asb_provider_create_sandbox_finish (check->provider, check_wait (&result), &error);
  while (!g_cancellable_is_cancelled (cancellable))
    g_main_context_iteration (NULL, TRUE);
  if (info)
    check_delete (check, check_id (info));
  else if (g_error_matches (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE))
    check_skip (check, error->message);
  else
    CHECK_ERROR (check, error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  CHECK_GOES_ON (check);
  check_none_left (check);
}

static void
cancelled_during (Check *check)
{
  static const guint moments[] = { 0, 1, 2, 3, 5, 8, 13, 21 };

  for (gsize i = 0; i < G_N_ELEMENTS (moments); i++)
    {
      cancel_after (check, moments[i]);
      CHECK_GOES_ON (check);
    }
}

/* In another thread: a provider and a specification of the run; answers an id or an error. */
typedef struct
{
  AsbProvider *provider;
  AsbSandboxSpec *spec;
  char *id;
  GError *error;
} Work;

static gpointer
work_thread (gpointer data)
{
  Work *work = data;
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (AsbSandboxInfo) got = NULL;

  info = asb_provider_create_sandbox (work->provider, work->spec, NULL, &work->error);
  if (!info)
    return NULL;
  work->id = g_strdup (check_id (info));
  got = asb_provider_get_sandbox (work->provider, work->id, NULL, &work->error);
  return NULL;
}

static void
take_work (Check *check, Work *work, GHashTable *ids)
{
  g_autofree char *id = work->id;
  g_autoptr (GError) error = work->error;

  if (id)
    g_ptr_array_add (check->created, g_strdup (id));
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE))
    {
      check_skip (check, error->message);
      return;
    }
  CHECK_NO_ERROR (check, error);
  CHECK (check, g_hash_table_add (ids, g_steal_pointer (&id)));
}

static void
many_threads (Check *check)
{
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  Work work[N_THREADS] = { 0 };
  GThread *threads[N_THREADS];

  if (check->one_thread)
    {
      check_skip (check, "it shall be called from one thread only");
      return;
    }
  for (int i = 0; i < N_THREADS; i++)
    {
      work[i].provider = check->provider;
      work[i].spec = spec;
      threads[i] = g_thread_new ("work", work_thread, &work[i]);
    }
  for (int i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  for (int i = 0; i < N_THREADS; i++)
    take_work (check, &work[i], ids);
  if (g_hash_table_size (ids) == 0 && !check->skipped)
    {
      check_say (
          "It answers in no thread but that of the main loop, as all in JavaScript does: tell "
          "the check that by its flag ONE_THREAD");
      /* What comes next need not wait for what is let go of in that thread only. */
      check->one_thread = TRUE;
    }
}

typedef struct
{
  GMutex mutex;
  GCond cond;
  gboolean gone;
} Watch;

static void
gone_cb (gpointer data, GObject *where_it_was)
{
  Watch *watch = data;

  g_mutex_lock (&watch->mutex);
  watch->gone = TRUE;
  g_cond_signal (&watch->cond);
  g_mutex_unlock (&watch->mutex);
}

/* The thread that did the last call may let go of its task a moment after it has answered. */
static gboolean
wait_until_gone (Watch *watch)
{
  gint64 limit = g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND;
  gboolean gone;

  g_mutex_lock (&watch->mutex);
  while (!watch->gone && g_cond_wait_until (&watch->cond, &watch->mutex, limit))
    ;
  gone = watch->gone;
  g_mutex_unlock (&watch->mutex);
  return gone;
}

/* A call keeps what it needs. Whether it is let go of afterwards cannot be said of a script's
 * object, which its garbage collector keeps. */
static void
dropped (Check *check)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GObject) source = NULL;
  g_autoptr (GError) error = NULL;
  AsbProvider *provider = check_new_provider (check, &error);
  static Watch watch;

  CHECK_NO_ERROR (check, error);
  watch.gone = FALSE;
  g_object_weak_ref (G_OBJECT (provider), gone_cb, &watch);
  asb_provider_create_sandbox_async (provider, spec, NULL, check_ready_cb, &result);
  g_object_unref (provider);
  source = g_async_result_get_source_object (check_wait (&result));
  CHECK (check, source == (GObject *)provider);
  info = asb_provider_create_sandbox_finish (provider, result, &error);
  if (info)
    asb_provider_delete_sandbox (provider, check_id (info), NULL, NULL);
  g_clear_object (&result);
  if (check->one_thread)
    g_object_weak_unref (G_OBJECT (provider), gone_cb, &watch);
  g_clear_object (&source);
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE))
    {
      check_skip (check, error->message);
      return;
    }
  CHECK_NO_ERROR (check, error);
  CHECK (check, check->one_thread || wait_until_gone (&watch));
}

void
check_provider_calls (Check *check)
{
  check_run (check, "provider/calls/asynchronous", asynchronous);
  check_run (check, "provider/calls/cancelled-before", cancelled_before);
  check_run (check, "provider/calls/cancelled-during", cancelled_during);
  check_run (check, "provider/calls/many-threads", many_threads);
  check_run (check, "provider/calls/dropped", dropped);
}
