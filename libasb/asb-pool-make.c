/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-pool-private.h"

#include "asb-call-private.h"
#include "asb-creation-private.h"
#include "asb-error-private.h"

/* Making one, for the pool or for who cannot wait for it: created, and prepared. */

typedef struct
{
  AsbPoolCore *pool;
  AsbClosure *preparer; /* (nullable) */
  AsbBackend *backend;
} Making;

static void
making_free (gpointer data)
{
  Making *making = data;

  g_clear_pointer (&making->preparer, asb_closure_unref);
  g_clear_object (&making->backend);
  g_clear_pointer (&making->pool, asb_pool_core_unref);
  g_free (making);
}

static void
prepared_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  Making *making = g_task_get_task_data (task);
  GError *error = NULL;

  if (asb_call_finish_boolean (source, result, &error))
    {
      g_task_return_pointer (task, g_steal_pointer (&making->backend), g_object_unref);
      return;
    }
  g_mutex_lock (&making->pool->mutex);
  asb_pool_add_ending (making->pool, g_steal_pointer (&making->backend), NULL);
  g_mutex_unlock (&making->pool->mutex);
  g_task_return_error (task, error);
}

static void
prepare (GTask *task)
{
  static const AsbCallKind kind = { .operation = "prepare the sandbox", .is_deed = TRUE };
  Making *making = g_task_get_task_data (task);
  g_autoptr (GTask) inner
      = asb_call_begin (making->backend, &kind, G_TYPE_BOOLEAN, g_task_get_cancellable (task),
                        prepared_cb, g_object_ref (task), prepare);

  ((AsbPoolPreparer)making->preparer->function) (making->backend, inner,
                                                 making->preparer->user_data);
}

static void
note_leftover (AsbPoolCore *self, GAsyncResult *result)
{
  AsbProvider *provider;
  const char *sandbox_id;

  if (!asb_creation_left_behind (result, &provider, &sandbox_id))
    return;
  g_mutex_lock (&self->mutex);
  asb_pool_add_leftover (self, provider, sandbox_id);
  g_mutex_unlock (&self->mutex);
}

static void
created_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  Making *making = g_task_get_task_data (task);
  GError *error = NULL;

  making->backend = asb_create_backend_finish (result, &error);
  if (!making->backend)
    {
      note_leftover (making->pool, result);
      g_task_return_error (task, error);
    }
  else if (making->preparer)
    prepare (task);
  else
    g_task_return_pointer (task, g_steal_pointer (&making->backend), g_object_unref);
}

void
asb_pool_make_async (AsbPoolCore *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                     gpointer user_data)
{
  GTask *task = g_task_new (NULL, cancellable, callback, user_data);
  Making *making = g_new0 (Making, 1);
  g_autoptr (AsbBackendOptions) recipe = NULL;

  g_task_set_source_tag (task, asb_pool_make_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, making, making_free);
  making->pool = asb_pool_core_ref (self);
  g_mutex_lock (&self->mutex);
  recipe = g_object_ref (self->recipe);
  making->preparer = self->preparer ? asb_closure_ref (self->preparer) : NULL;
  g_mutex_unlock (&self->mutex);
  asb_create_backend_async (recipe, cancellable, created_cb, task);
}

AsbBackend *
asb_pool_make_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
