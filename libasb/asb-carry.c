/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-carry-private.h"

#define BUFFER_SIZE (64 * 1024)

typedef struct
{
  GInputStream *input;
  GOutputStream *output; /* (nullable) */
  const AsbCarryFuncs *funcs;
  gpointer data;
  GError *error; /* why it is not put in place */
  char buffer[BUFFER_SIZE];
} Carry;

static void
carry_free (gpointer data)
{
  Carry *carry = data;

  g_clear_object (&carry->input);
  g_clear_object (&carry->output);
  g_clear_error (&carry->error);
  g_free (carry);
}

/* Takes @task and @error. */
static void
answer (GTask *task, GError *error)
{
  if (error)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
  g_object_unref (task);
}

/* What failed first is told. */
static void
closed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Carry *carry = g_task_get_task_data (user_data);
  g_autoptr (GError) error = NULL;

  g_output_stream_close_finish (G_OUTPUT_STREAM (source), result, &error);
  answer (user_data, carry->error ? g_steal_pointer (&carry->error) : g_steal_pointer (&error));
}

/* A cancelled closing leaves everything as it was. Takes @error. */
static void
end (GTask *task, GError *error)
{
  Carry *carry = g_task_get_task_data (task);
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();

  if (!error && carry->funcs->check)
    carry->funcs->check (carry->data, &error);
  if (!carry->output)
    {
      answer (task, error);
      return;
    }
  carry->error = error;
  g_cancellable_cancel (cancelled);
  g_output_stream_close_async (carry->output, G_PRIORITY_DEFAULT,
                               error ? cancelled : g_task_get_cancellable (task), closed_cb, task);
}

static void read_some (GTask *task);

static void
written_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;

  if (g_output_stream_write_all_finish (G_OUTPUT_STREAM (source), result, NULL, &error))
    read_some (user_data);
  else
    end (user_data, error);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Carry *carry = g_task_get_task_data (task);
  GError *error = NULL;
  gssize n = g_input_stream_read_finish (G_INPUT_STREAM (source), result, &error);

  if (n <= 0)
    {
      end (task, error);
      return;
    }
  if (carry->funcs->look)
    carry->funcs->look (carry->data, carry->buffer, (gsize)n);
  if (carry->output)
    g_output_stream_write_all_async (carry->output, carry->buffer, (gsize)n, G_PRIORITY_DEFAULT,
                                     g_task_get_cancellable (task), written_cb, task);
  else
    read_some (task);
}

static void
read_some (GTask *task)
{
  Carry *carry = g_task_get_task_data (task);

  g_input_stream_read_async (carry->input, carry->buffer, BUFFER_SIZE, G_PRIORITY_DEFAULT,
                             g_task_get_cancellable (task), read_cb, task);
}

void
asb_carry_async (GInputStream *input, GOutputStream *output, const AsbCarryFuncs *funcs,
                 gpointer data, GCancellable *cancellable, GAsyncReadyCallback callback,
                 gpointer user_data)
{
  GTask *task = g_task_new (input, cancellable, callback, user_data);
  Carry *carry = g_new0 (Carry, 1);

  carry->input = g_object_ref (input);
  carry->output = output ? g_object_ref (output) : NULL;
  carry->funcs = funcs;
  carry->data = data;
  g_task_set_source_tag (task, asb_carry_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, carry, carry_free);
  read_some (task);
}

gboolean
asb_carry_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
