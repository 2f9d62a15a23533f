/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-mock-process.h"

#include "asb-cancel-source-private.h"
#include "asb-mock-call.h"
#include "asb-mock-stream.h"

#include <signal.h>

#define COPY_CAPACITY (64 * 1024)

struct _AsbMockProcess
{
  GObject parent_instance;

  GWeakRef provider;
  AsbMockSandbox *sandbox;
  char *id;
  char *text;
  AsbMockScript *script;
  GDateTime *started_at;
  gint64 started;   /* monotonic, in microseconds */
  gint64 script_at; /* when the script ends it; 0: by itself it does not */
  gint64 timeout_at;

  AsbMockPipe *input;
  AsbMockPipe *output;
  AsbMockPipe *errors;
  GOutputStream *stdin_stream;
  GInputStream *stdout_stream;
  GInputStream *stderr_stream;

  GMutex mutex;
  gboolean is_over;
  AsbCommandResult *result;
  GError *error;
  GPtrArray *waiting; /* AsbMockWaiter */
};

/* How it ends. */
typedef struct
{
  AsbCommandState state;
  gboolean has_exit_status;
  int exit_status;
  int term_signal;
} AsbMockEnd;

typedef struct
{
  GTask *task;
  GSource *timer;
  GSource *cancelled;
} AsbMockWaiter;

static void asb_mock_process_iface_init (AsbProcessInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbMockProcess, asb_mock_process, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_PROCESS,
                                                      asb_mock_process_iface_init))

static void
clear_source (GSource **source)
{
  if (*source)
    g_source_destroy (*source);
  g_clear_pointer (source, g_source_unref);
}

static void
waiter_free (gpointer data)
{
  AsbMockWaiter *waiter = data;

  clear_source (&waiter->timer);
  clear_source (&waiter->cancelled);
  g_clear_object (&waiter->task);
  g_free (waiter);
}

static void
asb_mock_process_finalize (GObject *object)
{
  AsbMockProcess *self = ASB_MOCK_PROCESS (object);

  g_clear_object (&self->stdin_stream);
  g_clear_object (&self->stdout_stream);
  g_clear_object (&self->stderr_stream);
  g_clear_pointer (&self->input, asb_mock_pipe_unref);
  g_clear_pointer (&self->output, asb_mock_pipe_unref);
  g_clear_pointer (&self->errors, asb_mock_pipe_unref);
  g_clear_pointer (&self->waiting, g_ptr_array_unref);
  g_clear_object (&self->result);
  g_clear_error (&self->error);
  g_clear_pointer (&self->script, asb_mock_script_free);
  g_clear_pointer (&self->started_at, g_date_time_unref);
  g_clear_pointer (&self->text, g_free);
  g_clear_pointer (&self->id, g_free);
  g_clear_pointer (&self->sandbox, asb_mock_sandbox_unref);
  g_weak_ref_clear (&self->provider);
  g_mutex_clear (&self->mutex);

  G_OBJECT_CLASS (asb_mock_process_parent_class)->finalize (object);
}

static void
asb_mock_process_class_init (AsbMockProcessClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_mock_process_finalize;
}

static void
asb_mock_process_init (AsbMockProcess *self)
{
  g_mutex_init (&self->mutex);
  g_weak_ref_init (&self->provider, NULL);
  self->waiting = g_ptr_array_new_with_free_func (waiter_free);
}

const char *
asb_mock_process_get_text (AsbMockProcess *self)
{
  return self->text;
}

/* The end. */

static guint64
total_of (AsbMockPipe *pipe)
{
  return pipe ? asb_mock_pipe_get_total (pipe) : 0;
}

static AsbCommandResult *
new_result (AsbMockProcess *self, const AsbMockEnd *end)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();

  return g_object_new (ASB_TYPE_COMMAND_RESULT, "command-id", self->id, "state", end->state,
                       "has-exit-status", end->has_exit_status, "exit-status", end->exit_status,
                       "term-signal", end->term_signal, "stdout-total", total_of (self->output),
                       "stderr-total", total_of (self->errors), "exact", TRUE, "duration-us",
                       g_get_monotonic_time () - self->started, "started-at", self->started_at,
                       "ended-at", now, NULL);
}

/* Takes what there is to return. */
static void
answer_waiters (AsbMockProcess *self, GPtrArray *waiting)
{
  for (guint i = 0; i < waiting->len; i++)
    {
      AsbMockWaiter *waiter = waiting->pdata[i];
      g_auto (GValue) value = G_VALUE_INIT;

      if (self->error)
        {
          g_task_return_error (waiter->task, g_error_copy (self->error));
          continue;
        }
      g_value_init (&value, ASB_TYPE_COMMAND_RESULT);
      g_value_set_object (&value, self->result);
      g_task_return_value (waiter->task, &value);
    }
}

static void
finish_pipes (AsbMockProcess *self)
{
  asb_mock_pipe_finish (self->output, self->error);
  if (self->errors)
    asb_mock_pipe_finish (self->errors, self->error);
  if (self->input)
    asb_mock_pipe_finish (self->input, self->error);
}

/* The first end is the one that counts. @end is NULL for one that nobody knows. */
static void
end_process (AsbMockProcess *self, const AsbMockEnd *end)
{
  g_autoptr (AsbMockProcess) held = g_object_ref (self);
  g_autoptr (GPtrArray) waiting = NULL;
  g_autoptr (AsbCommandResult) result = end ? new_result (self, end) : NULL;

  g_mutex_lock (&self->mutex);
  if (self->is_over)
    {
      g_mutex_unlock (&self->mutex);
      return;
    }
  self->is_over = TRUE;
  self->result = g_steal_pointer (&result);
  if (!end)
    self->error = g_error_new_literal (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                                       "The connection to the command was lost");
  waiting = g_steal_pointer (&self->waiting);
  g_mutex_unlock (&self->mutex);

  finish_pipes (self);
  asb_mock_sandbox_remove_process (self->sandbox, G_OBJECT (self));
  answer_waiters (self, waiting);
}

static void
end_by_signal (AsbMockProcess *self, AsbCommandState state, int signal_number)
{
  AsbMockEnd end = { .state = state, .term_signal = signal_number };

  end_process (self, &end);
}

void
asb_mock_process_finish (AsbMockProcess *self)
{
  AsbMockEnd end = { .state = ASB_COMMAND_STATE_SUCCEEDED, .has_exit_status = TRUE };

  if (self->script->term_signal)
    {
      end_by_signal (self, ASB_COMMAND_STATE_FAILED, self->script->term_signal);
      return;
    }
  end.exit_status = self->script->exit_code;
  if (end.exit_status != 0)
    end.state = ASB_COMMAND_STATE_FAILED;
  end_process (self, &end);
}

void
asb_mock_process_interrupt (AsbMockProcess *self)
{
  end_process (self, NULL);
}

static void
time_up (AsbMockProcess *self)
{
  if (self->timeout_at && (!self->script_at || self->timeout_at < self->script_at))
    end_by_signal (self, ASB_COMMAND_STATE_TIMEOUT, 0);
  else
    asb_mock_process_finish (self);
}

static void
pipe_time_up (GObject *owner)
{
  time_up (ASB_MOCK_PROCESS (owner));
}

/* 0: not by the passing of time. */
static gint64
end_time (AsbMockProcess *self)
{
  if (!self->timeout_at || !self->script_at)
    return MAX (self->timeout_at, self->script_at);
  return MIN (self->timeout_at, self->script_at);
}

/* Waiting. */

static gboolean
take_waiter (AsbMockProcess *self, GTask *task)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  for (guint i = 0; self->waiting && i < self->waiting->len; i++)
    if (((AsbMockWaiter *)self->waiting->pdata[i])->task == task)
      {
        g_ptr_array_remove_index_fast (self->waiting, i);
        return TRUE;
      }
  return FALSE;
}

static gboolean
waiter_cancelled_cb (gpointer user_data)
{
  GTask *task = user_data;

  if (take_waiter (ASB_MOCK_PROCESS (g_task_get_source_object (task)), task))
    g_task_return_error_if_cancelled (task);
  return G_SOURCE_REMOVE;
}

static gboolean
waiter_time_cb (gpointer user_data)
{
  time_up (ASB_MOCK_PROCESS (user_data));
  return G_SOURCE_REMOVE;
}

static AsbMockWaiter *
new_waiter (AsbMockProcess *self, GTask *task)
{
  AsbMockWaiter *waiter = g_new0 (AsbMockWaiter, 1);
  GCancellable *cancellable = g_task_get_cancellable (task);
  gint64 end_at = end_time (self);

  waiter->task = g_object_ref (task);
  if (end_at)
    {
      waiter->timer = g_timeout_source_new (0);
      g_source_set_ready_time (waiter->timer, end_at);
      g_source_set_callback (waiter->timer, waiter_time_cb, g_object_ref (self), g_object_unref);
    }
  if (cancellable)
    {
      waiter->cancelled = asb_cancel_source_new (cancellable);
      g_source_set_callback (waiter->cancelled, waiter_cancelled_cb, g_object_ref (task),
                             g_object_unref);
    }
  return waiter;
}

static gboolean
perform_wait (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockProcess *self = ASB_MOCK_PROCESS (call->argument);
  GMainContext *context = g_task_get_context (call->task);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  AsbMockWaiter *waiter;

  if (self->error)
    {
      g_propagate_error (error, g_error_copy (self->error));
      return FALSE;
    }
  if (self->result)
    {
      asb_mock_answer_object (answer, g_object_ref (self->result));
      return TRUE;
    }
  waiter = new_waiter (self, call->task);
  g_ptr_array_add (self->waiting, waiter);
  if (waiter->timer)
    g_source_attach (waiter->timer, context);
  if (waiter->cancelled)
    g_source_attach (waiter->cancelled, context);
  return TRUE;
}

static void
run_call (AsbMockProcess *self, const char *operation, GType type, AsbMockPerform perform,
          gint64 number, GTask *task)
{
  g_autoptr (AsbMockProvider) provider = g_weak_ref_get (&self->provider);
  AsbMockCall *call = asb_mock_call_new (
      provider, operation, asb_mock_sandbox_get_id (self->sandbox), self, type, perform, task);

  call->number = number;
  asb_mock_call_run (call);
}

static void
asb_mock_process_wait (AsbProcess *process, GTask *task)
{
  run_call (ASB_MOCK_PROCESS (process), "wait", ASB_TYPE_COMMAND_RESULT, perform_wait, 0, task);
}

/* Signals. */

static gboolean
is_ignored (int signal_number)
{
  return signal_number == SIGCHLD || signal_number == SIGCONT || signal_number == SIGURG
         || signal_number == SIGWINCH || signal_number == SIGSTOP || signal_number == SIGTSTP;
}

static gboolean
perform_send_signal (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockProcess *self = ASB_MOCK_PROCESS (call->argument);
  gboolean is_over;

  g_mutex_lock (&self->mutex);
  is_over = self->is_over;
  g_mutex_unlock (&self->mutex);
  if (!is_over && !is_ignored ((int)call->number))
    end_by_signal (self, ASB_COMMAND_STATE_FAILED, (int)call->number);
  asb_mock_answer_boolean (answer, !is_over);
  return TRUE;
}

static void
asb_mock_process_send_signal (AsbProcess *process, int signal_number, GTask *task)
{
  run_call (ASB_MOCK_PROCESS (process), "send_signal", G_TYPE_BOOLEAN, perform_send_signal,
            signal_number, task);
}

static void
asb_mock_process_force_exit (AsbProcess *process)
{
  end_by_signal (ASB_MOCK_PROCESS (process), ASB_COMMAND_STATE_CANCELLED, SIGTERM);
}

static char *
asb_mock_process_dup_command_id (AsbProcess *process)
{
  return g_strdup (ASB_MOCK_PROCESS (process)->id);
}

static GOutputStream *
asb_mock_process_get_stdin (AsbProcess *process)
{
  return ASB_MOCK_PROCESS (process)->stdin_stream;
}

static GInputStream *
asb_mock_process_get_stdout (AsbProcess *process)
{
  return ASB_MOCK_PROCESS (process)->stdout_stream;
}

static GInputStream *
asb_mock_process_get_stderr (AsbProcess *process)
{
  return ASB_MOCK_PROCESS (process)->stderr_stream;
}

static void
asb_mock_process_iface_init (AsbProcessInterface *iface)
{
  iface->dup_command_id = asb_mock_process_dup_command_id;
  iface->get_stdin = asb_mock_process_get_stdin;
  iface->get_stdout = asb_mock_process_get_stdout;
  iface->get_stderr = asb_mock_process_get_stderr;
  iface->force_exit = asb_mock_process_force_exit;
  iface->wait = asb_mock_process_wait;
  iface->send_signal = asb_mock_process_send_signal;
}

/* Starting. */

/* A copying command ends when it has seen the end of its input. The stream holds the command. */
static gboolean
stdin_closed_cb (AsbMockPipe *pipe, gboolean dropped, gpointer data, GError **error)
{
  g_autoptr (AsbMockProcess) self = g_weak_ref_get (data);

  if (self && self->script->copies)
    asb_mock_process_finish (self);
  return TRUE;
}

static void
weak_ref_free (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

static void
open_stdin (AsbMockProcess *self)
{
  GWeakRef *weak = g_new0 (GWeakRef, 1);

  g_weak_ref_init (weak, self);
  if (self->script->copies)
    self->input = asb_mock_pipe_ref (self->output);
  else
    {
      self->input = asb_mock_pipe_new (0);
      asb_mock_pipe_discard (self->input);
    }
  self->stdin_stream
      = asb_mock_output_stream_new (self->input, stdin_closed_cb, weak, weak_ref_free);
}

static void
open_stdout (AsbMockProcess *self, AsbCommandFlags flags, gint64 break_after)
{
  self->output = asb_mock_pipe_new (self->script->copies ? COPY_CAPACITY : 0);
  if (break_after >= 0)
    asb_mock_pipe_break (self->output, (guint64)break_after);
  if (flags & ASB_COMMAND_FLAGS_STDOUT_SILENCE)
    asb_mock_pipe_discard (self->output);
  else
    self->stdout_stream = asb_mock_input_stream_new (self->output);
  asb_mock_pipe_put (self->output, self->script->stdout_bytes);
}

static void
open_stderr (AsbMockProcess *self, AsbCommandFlags flags)
{
  if (flags & ASB_COMMAND_FLAGS_STDERR_MERGE)
    {
      asb_mock_pipe_put (self->output, self->script->stderr_bytes);
      return;
    }
  self->errors = asb_mock_pipe_new (0);
  if (flags & ASB_COMMAND_FLAGS_STDERR_SILENCE)
    asb_mock_pipe_discard (self->errors);
  else
    self->stderr_stream = asb_mock_input_stream_new (self->errors);
  asb_mock_pipe_put (self->errors, self->script->stderr_bytes);
}

static void
set_times (AsbMockProcess *self, AsbCommandSpec *spec)
{
  gint64 timeout_ms = (gint64)MIN (asb_command_spec_get_timeout_ms (spec), (guint64)G_MAXINT);

  self->started_at = g_date_time_new_now_utc ();
  self->started = g_get_monotonic_time ();
  if (self->script->delay_ms > 0 && !self->script->hold)
    self->script_at = self->started + (gint64)self->script->delay_ms * 1000;
  if (timeout_ms > 0)
    self->timeout_at = self->started + timeout_ms * 1000;
}

/* Those who read know when it ends, as those who wait do. */
static void
tell_pipes_of_end (AsbMockProcess *self)
{
  gint64 end_at = end_time (self);

  if (!end_at)
    return;
  asb_mock_pipe_set_end (self->output, end_at, pipe_time_up, G_OBJECT (self));
  if (self->errors)
    asb_mock_pipe_set_end (self->errors, end_at, pipe_time_up, G_OBJECT (self));
}

static gboolean
runs_on (AsbMockProcess *self)
{
  return self->script->hold || self->script_at || (self->script->copies && self->stdin_stream);
}

AsbMockProcess *
asb_mock_process_start (AsbMockProvider *provider, AsbMockSandbox *sandbox, AsbCommandSpec *spec,
                        gint64 break_after, GError **error)
{
  const char *workdir = asb_mock_sandbox_get_workdir (sandbox);
  const char *cwd = asb_command_spec_get_cwd (spec);
  AsbCommandFlags flags = asb_command_spec_get_flags (spec);
  g_autoptr (AsbMockProcess) self = g_object_new (ASB_TYPE_MOCK_PROCESS, NULL);

  g_weak_ref_set (&self->provider, provider);
  self->sandbox = asb_mock_sandbox_ref (sandbox);
  self->id = asb_uuid_v7_new ();
  self->text = asb_mock_command_text (spec);
  self->script = asb_mock_provider_find_script (provider, self->text, cwd ? cwd : workdir);
  set_times (self, spec);
  open_stdout (self, flags, break_after);
  open_stderr (self, flags);
  if (flags & ASB_COMMAND_FLAGS_STDIN_PIPE)
    open_stdin (self);
  if (!asb_mock_sandbox_add_process (sandbox, G_OBJECT (self), error))
    return NULL;

  if (break_after >= 0)
    asb_mock_process_interrupt (self);
  else if (runs_on (self))
    tell_pipes_of_end (self);
  else
    asb_mock_process_finish (self);
  return g_steal_pointer (&self);
}
