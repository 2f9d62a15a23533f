/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-command.h"

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-cancel.h"
#include "asb-opensandbox-thread.h"

#define PIPE_CAPACITY (256 * 1024)

/* execd itself takes three seconds from TERM to KILL. */
#define HARD_STOP_MS 1000

typedef struct
{
  AsbOpensandboxCommand *command;
  GTask *task;
  AsbOpensandboxCancelWatch *cancelled;
} Waiter;

static void
waiter_free (Waiter *waiter)
{
  asb_opensandbox_cancel_unwatch (&waiter->cancelled);
  asb_opensandbox_command_unref (waiter->command);
  g_object_unref (waiter->task);
  g_free (waiter);
}

static gboolean
has_flag (AsbCommandSpec *spec, AsbCommandFlags flag)
{
  return (asb_command_spec_get_flags (spec) & flag) != 0;
}

AsbOpensandboxCommand *
asb_opensandbox_command_new (AsbOpensandboxExecd *execd, AsbCommandSpec *spec,
                             const AsbOpensandboxCommandKind *kind, gpointer data)
{
  AsbOpensandboxCommand *self = g_new0 (AsbOpensandboxCommand, 1);

  g_atomic_ref_count_init (&self->references);
  g_mutex_init (&self->lock);
  g_queue_init (&self->waiting);
  self->kind = kind;
  self->data = data;
  self->execd = g_object_ref (execd);
  self->spec = g_object_ref (spec);
  if (has_flag (spec, ASB_COMMAND_FLAGS_STDIN_PIPE))
    self->input = asb_pipe_new (PIPE_CAPACITY);
  if (!has_flag (spec, ASB_COMMAND_FLAGS_STDOUT_SILENCE))
    self->output = asb_pipe_new (PIPE_CAPACITY);
  if (!asb_command_spec_get_tty (spec)
      && !has_flag (spec, ASB_COMMAND_FLAGS_STDERR_SILENCE | ASB_COMMAND_FLAGS_STDERR_MERGE))
    self->errors = asb_pipe_new (PIPE_CAPACITY);
  return self;
}

AsbOpensandboxCommand *
asb_opensandbox_command_ref (AsbOpensandboxCommand *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

/* The timers hold a reference: they are gone. */
static void
command_free (gpointer data)
{
  AsbOpensandboxCommand *self = data;

  if (self->kind->free_data)
    self->kind->free_data (self->data);
  g_clear_object (&self->execd);
  g_clear_object (&self->spec);
  g_clear_pointer (&self->input, asb_pipe_unref);
  g_clear_pointer (&self->output, asb_pipe_unref);
  g_clear_pointer (&self->errors, asb_pipe_unref);
  g_clear_pointer (&self->started_at, g_date_time_unref);
  g_clear_object (&self->result);
  g_clear_error (&self->error);
  g_free (self->id);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* What a way keeps, its connection too, belongs to the thread of the module, and whoever lets go
 * last may be in another one. */
void
asb_opensandbox_command_unref (AsbOpensandboxCommand *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  if (asb_opensandbox_thread_is_current ())
    command_free (self);
  else
    asb_opensandbox_thread_post (command_free, self);
}

gboolean
asb_opensandbox_command_is_over (AsbOpensandboxCommand *self)
{
  gboolean over;

  g_mutex_lock (&self->lock);
  over = self->over;
  g_mutex_unlock (&self->lock);
  return over;
}

static GSource *
add_timer (AsbOpensandboxCommand *self, guint milliseconds, GSourceFunc function)
{
  GSource *source = asb_opensandbox_thread_add_timer (milliseconds, function, NULL);

  g_source_set_callback (source, function, asb_opensandbox_command_ref (self),
                         (GDestroyNotify)asb_opensandbox_command_unref);
  return source;
}

static gboolean
hard_stop_cb (gpointer user_data)
{
  AsbOpensandboxCommand *self = user_data;

  if (!asb_opensandbox_command_is_over (self))
    self->kind->stop (self, TRUE);
  return G_SOURCE_REMOVE;
}

void
asb_opensandbox_command_stop (AsbOpensandboxCommand *self)
{
  if (asb_opensandbox_command_is_over (self) || self->hard_stop)
    return;
  if (!self->timed_out)
    self->cancelled = TRUE;
  self->hard_stop = add_timer (self, HARD_STOP_MS, hard_stop_cb);
  self->kind->stop (self, FALSE);
}

static gboolean
deadline_cb (gpointer user_data)
{
  AsbOpensandboxCommand *self = user_data;

  if (asb_opensandbox_command_is_over (self))
    return G_SOURCE_REMOVE;
  if (!self->cancelled)
    self->timed_out = TRUE;
  asb_opensandbox_command_stop (self);
  return G_SOURCE_REMOVE;
}

void
asb_opensandbox_command_set_started (AsbOpensandboxCommand *self, const char *id)
{
  guint64 timeout_ms = asb_command_spec_get_timeout_ms (self->spec);

  self->started = TRUE;
  self->id = g_strdup (id);
  self->started_monotonic = g_get_monotonic_time ();
  self->started_at = g_date_time_new_now_utc ();
  if (timeout_ms > 0 && timeout_ms < G_MAXUINT)
    self->deadline = add_timer (self, (guint)timeout_ms, deadline_cb);
}

static AsbCommandState
state_of (AsbOpensandboxCommand *self, const AsbOpensandboxCommandEnd *end)
{
  if (self->timed_out)
    return ASB_COMMAND_STATE_TIMEOUT;
  if (self->cancelled)
    return ASB_COMMAND_STATE_CANCELLED;
  if (!end->has_exit_status && end->term_signal == 0 && !end->failed)
    return ASB_COMMAND_STATE_UNKNOWN;
  return end->has_exit_status && end->exit_status == 0 ? ASB_COMMAND_STATE_SUCCEEDED
                                                       : ASB_COMMAND_STATE_FAILED;
}

static AsbCommandResult *
result_new (AsbOpensandboxCommand *self, const AsbOpensandboxCommandEnd *end)
{
  gint64 duration = g_get_monotonic_time () - self->started_monotonic;
  g_autoptr (GDateTime) ended_at = g_date_time_add (self->started_at, duration);

  return g_object_new (ASB_TYPE_COMMAND_RESULT, "command-id", self->id, "state",
                       state_of (self, end), "has-exit-status", end->has_exit_status, "exit-status",
                       end->exit_status, "term-signal", end->term_signal, "stdout-total",
                       self->output_total, "stderr-total", self->errors_total, "exact", self->exact,
                       "duration-us", duration, "started-at", self->started_at, "ended-at",
                       ended_at, NULL);
}

/* FALSE when it is not over. */
static gboolean
answer (AsbOpensandboxCommand *self, GTask *task)
{
  g_autoptr (AsbCommandResult) result = NULL;
  GError *error = NULL;
  gboolean over;

  g_mutex_lock (&self->lock);
  over = self->over;
  g_set_object (&result, self->result);
  error = self->error ? g_error_copy (self->error) : NULL;
  g_mutex_unlock (&self->lock);
  if (over && error)
    g_task_return_error (task, error);
  else if (over)
    asb_opensandbox_answer_object (task, g_steal_pointer (&result));
  return over;
}

static void
end (AsbOpensandboxCommand *self, AsbCommandResult *result, const GError *error)
{
  Waiter *waiter;

  g_mutex_lock (&self->lock);
  self->over = TRUE;
  self->result = result;
  self->error = error ? g_error_copy (error) : NULL;
  g_mutex_unlock (&self->lock);
  asb_opensandbox_thread_clear_timer (&self->deadline);
  asb_opensandbox_thread_clear_timer (&self->hard_stop);
  while ((waiter = g_queue_pop_head (&self->waiting)))
    {
      answer (self, waiter->task);
      waiter_free (waiter);
    }
}

void
asb_opensandbox_command_set_end (AsbOpensandboxCommand *self, const AsbOpensandboxCommandEnd *how)
{
  g_autoptr (AsbOpensandboxCommand) held = asb_opensandbox_command_ref (self);

  if (!asb_opensandbox_command_is_over (self))
    end (self, result_new (self, how), NULL);
}

void
asb_opensandbox_command_set_unknown (AsbOpensandboxCommand *self, const GError *error)
{
  g_autoptr (AsbOpensandboxCommand) held = asb_opensandbox_command_ref (self);

  if (!asb_opensandbox_command_is_over (self))
    end (self, NULL, error);
}

static void
wait_cancelled_cb (gpointer user_data)
{
  Waiter *waiter = user_data;

  g_queue_remove (&waiter->command->waiting, waiter);
  g_task_return_new_error (waiter->task, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                           "Operation was cancelled");
  waiter_free (waiter);
}

static void
wait_in_thread (gpointer data)
{
  Waiter *waiter = data;

  if (answer (waiter->command, waiter->task))
    {
      waiter_free (waiter);
      return;
    }
  g_queue_push_tail (&waiter->command->waiting, waiter);
  waiter->cancelled = asb_opensandbox_cancel_watch (g_task_get_cancellable (waiter->task),
                                                    wait_cancelled_cb, waiter);
}

void
asb_opensandbox_command_wait (AsbOpensandboxCommand *self, GTask *task)
{
  Waiter *waiter;

  if (answer (self, task))
    return;
  waiter = g_new0 (Waiter, 1);
  waiter->command = asb_opensandbox_command_ref (self);
  waiter->task = g_object_ref (task);
  asb_opensandbox_thread_post (wait_in_thread, waiter);
}
