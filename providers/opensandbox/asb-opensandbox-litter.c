/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-litter.h"

#include "asb-opensandbox-script.h"
#include "asb-opensandbox-thread.h"

#define LITTER_KEY "asb-opensandbox-litter"
#define WHAT "delete what was kept of the output"

/* Whoever runs one command after another has asked for the next one by then, which a server that
 * does one thing at a time would otherwise keep waiting. */
#define DELAY_MS 10

/* So many paths fit in the address of a request. */
#define MAX_FOLDERS 32

typedef struct
{
  AsbOpensandboxExecd *execd;
  GPtrArray *folders; /* ends with NULL when it is due */
  GSource *timer;
  gboolean is_held;
} Litter;

static void
release (gpointer data)
{
  Litter *self = data;

  if (self->is_held)
    asb_opensandbox_execd_release (self->execd);
  self->is_held = FALSE;
}

static void
litter_free (Litter *self)
{
  release (self);
  g_object_unref (self->execd);
  g_ptr_array_unref (self->folders);
  g_free (self);
}

static void
removed_by_script_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, NULL);

  litter_free (user_data);
}

static void
removed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Litter *self = user_data;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, NULL);
  g_autoptr (AsbOpensandboxExecd) beside = NULL;

  if (reply)
    {
      litter_free (self);
      return;
    }
  /* It may have been closed meanwhile, and no script runs there then. */
  beside = asb_opensandbox_execd_new_beside (self->execd);
  asb_opensandbox_script_run_async (beside, "rm -rf \"$@\"",
                                    (const char *const *)self->folders->pdata, WHAT, NULL,
                                    removed_by_script_cb, self);
}

static void
clear_away (Litter *self)
{
  g_autoptr (AsbOpensandboxRequest) request
      = asb_opensandbox_execd_new_request (self->execd, "DELETE", "/directories", WHAT);

  asb_opensandbox_thread_clear_timer (&self->timer);
  g_object_set_data (G_OBJECT (self->execd), LITTER_KEY, NULL);
  for (guint i = 0; i < self->folders->len; i++)
    asb_opensandbox_request_add_query (request, "path", g_ptr_array_index (self->folders, i));
  g_ptr_array_add (self->folders, NULL);
  /* The answer is nobody's to wait for. */
  asb_opensandbox_request_set_written_func (request, release, self);
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (self->execd), request, NULL,
                                     removed_cb, self);
}

static gboolean
due_cb (gpointer data)
{
  clear_away (data);
  return G_SOURCE_REMOVE;
}

static Litter *
litter_new (AsbOpensandboxExecd *execd)
{
  Litter *self = g_new0 (Litter, 1);

  self->execd = g_object_ref (execd);
  self->folders = g_ptr_array_new_with_free_func (g_free);
  self->timer = asb_opensandbox_thread_add_timer (DELAY_MS, due_cb, self);
  self->is_held = TRUE;
  asb_opensandbox_execd_hold (execd);
  return self;
}

void
asb_opensandbox_litter_add (AsbOpensandboxExecd *execd, const char *folder)
{
  Litter *self = g_object_get_data (G_OBJECT (execd), LITTER_KEY);

  if (!self)
    {
      self = litter_new (execd);
      g_object_set_data (G_OBJECT (execd), LITTER_KEY, self);
    }
  g_ptr_array_add (self->folders, g_strdup (folder));
  if (self->folders->len >= MAX_FOLDERS)
    clear_away (self);
}

/* At once. */

static void
script_done_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  g_autoptr (AsbOpensandboxExecd) execd = g_object_ref (g_task_get_source_object (task));
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, NULL);

  g_task_return_boolean (task, done && done->exit_status == 0);
  asb_opensandbox_execd_release (execd);
}

void
asb_opensandbox_litter_remove_async (AsbOpensandboxExecd *execd, const char *text,
                                     const char *const *arguments, GAsyncReadyCallback callback,
                                     gpointer user_data)
{
  GTask *task = g_task_new (execd, NULL, callback, user_data);
  g_autoptr (AsbOpensandboxExecd) beside = asb_opensandbox_execd_new_beside (execd);

  g_task_set_source_tag (task, asb_opensandbox_litter_remove_async);
  asb_opensandbox_execd_hold (execd);
  asb_opensandbox_script_ask_async (beside, text, arguments, "delete what was left", NULL,
                                    script_done_cb, task);
}

gboolean
asb_opensandbox_litter_remove_finish (AsbOpensandboxExecd *execd, GAsyncResult *result)
{
  g_return_val_if_fail (g_task_is_valid (result, execd), FALSE);

  return g_task_propagate_boolean (G_TASK (result), NULL);
}
