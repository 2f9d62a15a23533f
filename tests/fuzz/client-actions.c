/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "client-actions.h"

#include "fuzz.h"
#include "look.h"

#define MAX_OBJECTS 16
#define PATH "/d/f"

typedef void (*FinishFunc) (Application *self, GObject *source, GAsyncResult *result,
                            GError **error);

typedef struct
{
  Application *application;
  FinishFunc finish;
} Answer;

static void
answer_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autofree Answer *answer = user_data;
  g_autoptr (GError) error = NULL;

  FUZZ_CHECK (answer->application->n_pending > 0);
  answer->application->n_pending--;
  answer->finish (answer->application, source, result, &error);
  FUZZ_CHECK (!error || error->domain == ASB_ERROR || error->domain == G_IO_ERROR);
  FUZZ_CHECK (!error || (error->message && g_utf8_validate (error->message, -1, NULL)));
}

static Answer *
answer_new (Application *self, FinishFunc finish)
{
  Answer *answer = g_new (Answer, 1);

  answer->application = self;
  answer->finish = finish;
  self->n_pending++;
  return answer;
}

static void
keep (GPtrArray *array, gpointer object)
{
  if (object && array->len < MAX_OBJECTS)
    g_ptr_array_add (array, g_object_ref (object));
}

static gpointer
choose (GPtrArray *array, guint number)
{
  return array->len > 0 ? array->pdata[number % array->len] : NULL;
}

void
application_init (Application *self)
{
  *self = (Application){ 0 };
  self->cancellables = g_ptr_array_new_with_free_func (g_object_unref);
  self->processes = g_ptr_array_new_with_free_func (g_object_unref);
  self->inputs = g_ptr_array_new_with_free_func (g_object_unref);
  self->outputs = g_ptr_array_new_with_free_func (g_object_unref);
}

void
application_clear (Application *self)
{
  g_clear_object (&self->transport);
  g_clear_pointer (&self->cancellables, g_ptr_array_unref);
  g_clear_pointer (&self->processes, g_ptr_array_unref);
  g_clear_pointer (&self->inputs, g_ptr_array_unref);
  g_clear_pointer (&self->outputs, g_ptr_array_unref);
}

/* Answers. */

static void
finish_command (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  g_autoptr (AsbProcess) process
      = asb_transport_start_command_finish (ASB_TRANSPORT (source), result, error);
  g_autofree char *id = NULL;

  FUZZ_CHECK (!process == (*error != NULL));
  if (!process)
    return;
  id = asb_process_dup_command_id (process);
  keep (self->processes, process);
  keep (self->outputs, asb_process_get_stdin (process));
  keep (self->inputs, asb_process_get_stdout (process));
  keep (self->inputs, asb_process_get_stderr (process));
}

static void
finish_query (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  g_autoptr (AsbFileInfo) info
      = asb_transport_query_file_finish (ASB_TRANSPORT (source), result, error);

  FUZZ_CHECK (!info == (*error != NULL));
  fuzz_look_at (info);
}

static void
finish_list (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  g_autoptr (GListModel) list
      = asb_transport_list_files_finish (ASB_TRANSPORT (source), result, error);

  FUZZ_CHECK (!list == (*error != NULL));
  for (guint i = 0; list && i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (GObject) info = g_list_model_get_object (list, i);

      fuzz_look_at (info);
    }
}

static void
finish_read_file (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  g_autoptr (GBytes) bytes = asb_transport_read_file_finish (ASB_TRANSPORT (source), result, error);

  FUZZ_CHECK (!bytes == (*error != NULL));
}

static void
finish_open_read (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  g_autoptr (GInputStream) stream
      = asb_transport_open_read_finish (ASB_TRANSPORT (source), result, error);

  FUZZ_CHECK (!stream == (*error != NULL));
  keep (self->inputs, stream);
}

static void
finish_write_file (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  g_autoptr (AsbFileInfo) info
      = asb_transport_write_file_finish (ASB_TRANSPORT (source), result, error);

  FUZZ_CHECK (!info == (*error != NULL));
  fuzz_look_at (info);
}

static void
finish_open_write (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  g_autoptr (GOutputStream) stream
      = asb_transport_open_write_finish (ASB_TRANSPORT (source), result, error);

  FUZZ_CHECK (!stream == (*error != NULL));
  keep (self->outputs, stream);
}

static void
finish_mkdir (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  FUZZ_CHECK (!asb_transport_make_directory_finish (ASB_TRANSPORT (source), result, error)
              || !*error);
}

static void
finish_delete (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  FUZZ_CHECK (asb_transport_delete_file_finish (ASB_TRANSPORT (source), result, error) == !*error);
}

static void
finish_move (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  FUZZ_CHECK (asb_transport_move_file_finish (ASB_TRANSPORT (source), result, error) == !*error);
}

static void
finish_call (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  g_autoptr (GVariant) variant = asb_transport_call_finish (ASB_TRANSPORT (source), result, error);

  FUZZ_CHECK (!variant == (*error != NULL));
  FUZZ_CHECK (!variant || g_variant_is_normal_form (variant));
}

static void
finish_open_call (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  g_autoptr (GInputStream) stream
      = asb_transport_open_call_finish (ASB_TRANSPORT (source), result, error);

  FUZZ_CHECK (!stream == (*error != NULL));
  keep (self->inputs, stream);
}

static void
finish_close (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  FUZZ_CHECK (asb_transport_close_finish (ASB_TRANSPORT (source), result, error) == !*error);
}

/* Questions. */

static AsbOperation *
operation_new (const char *type)
{
  return g_object_new (ASB_TYPE_OPERATION, "event-id", "e1", "operation-type", type, "required",
                       TRUE, "actor-type", "agent", NULL);
}

static void
start_command (Application *self, guint flags, GCancellable *cancellable)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("cat");
  g_autoptr (AsbOperation) operation = operation_new ("command.execute");

  asb_command_spec_set_flags (spec, flags & 0xF);
  if (flags & 0x10)
    asb_command_spec_set_operation (spec, operation);
  asb_transport_start_command_async (self->transport, spec, cancellable, answer_cb,
                                     answer_new (self, finish_command));
}

static AsbFileRequest *
request_new (guint flags, GBytes *bytes)
{
  AsbFileRequest *request = asb_file_request_new_for_path (PATH);
  g_autoptr (AsbOperation) operation = operation_new ("file.read");

  asb_file_request_set_new_path (request, "/d/g");
  asb_file_request_set_contents (request, bytes);
  if (flags & 0x10)
    asb_file_request_set_operation (request, operation);
  if (flags & 0x20)
    asb_file_request_set_offset (request, 2);
  if (flags & 0x40)
    asb_file_request_set_length (request, 4);
  return request;
}

typedef void (*StartFunc) (AsbTransport *transport, AsbFileRequest *request,
                           GCancellable *cancellable, GAsyncReadyCallback callback,
                           gpointer user_data);

static const struct
{
  StartFunc start;
  FinishFunc finish;
} FILE_ACTIONS[] = {
  { asb_transport_query_file_async, finish_query },
  { asb_transport_list_files_async, finish_list },
  { asb_transport_read_file_async, finish_read_file },
  { asb_transport_open_read_async, finish_open_read },
  { asb_transport_write_file_async, finish_write_file },
  { asb_transport_open_write_async, finish_open_write },
  { asb_transport_make_directory_async, finish_mkdir },
  { asb_transport_delete_file_async, finish_delete },
  { asb_transport_move_file_async, finish_move },
};

void
application_start (Application *self, guint kind, guint flags, GBytes *bytes)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (AsbFileRequest) request = request_new (flags, bytes);
  AsbTransport *transport = self->transport;

  kind %= N_ACTION_KINDS + 1;
  keep (self->cancellables, cancellable);
  if (kind < G_N_ELEMENTS (FILE_ACTIONS))
    FILE_ACTIONS[kind].start (transport, request, cancellable, answer_cb,
                              answer_new (self, FILE_ACTIONS[kind].finish));
  else if (kind == 9)
    start_command (self, flags, cancellable);
  else if (kind == 10)
    asb_transport_call_async (transport, "history.status", NULL, cancellable, answer_cb,
                              answer_new (self, finish_call));
  else if (kind == 11)
    asb_transport_open_call_async (transport, "history.query", NULL, cancellable, answer_cb,
                                   answer_new (self, finish_open_call));
  else
    asb_transport_close_async (transport, NULL, answer_cb, answer_new (self, finish_close));
}

/* Afterwards. */

void
application_cancel (Application *self, guint number)
{
  GCancellable *cancellable = choose (self->cancellables, number);

  if (cancellable)
    g_cancellable_cancel (cancellable);
}

static void
finish_read (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  g_autoptr (GBytes) bytes
      = g_input_stream_read_bytes_finish (G_INPUT_STREAM (source), result, error);

  FUZZ_CHECK (!bytes == (*error != NULL));
}

void
application_read (Application *self, guint number, gsize size)
{
  GInputStream *stream = choose (self->inputs, number);

  if (stream && !g_input_stream_has_pending (stream))
    g_input_stream_read_bytes_async (stream, size, G_PRIORITY_DEFAULT, NULL, answer_cb,
                                     answer_new (self, finish_read));
}

static void
finish_write (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  gssize n = g_output_stream_write_bytes_finish (G_OUTPUT_STREAM (source), result, error);

  FUZZ_CHECK ((n < 0) == (*error != NULL));
}

void
application_write (Application *self, guint number, GBytes *bytes)
{
  GOutputStream *stream = choose (self->outputs, number);

  if (stream && g_bytes_get_size (bytes) > 0 && !g_output_stream_has_pending (stream))
    g_output_stream_write_bytes_async (stream, bytes, G_PRIORITY_DEFAULT, NULL, answer_cb,
                                       answer_new (self, finish_write));
}

static void
finish_close_input (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  FUZZ_CHECK (g_input_stream_close_finish (G_INPUT_STREAM (source), result, error) == !*error);
}

void
application_close_input (Application *self, guint number)
{
  GInputStream *stream = choose (self->inputs, number);

  if (stream && !g_input_stream_has_pending (stream))
    g_input_stream_close_async (stream, G_PRIORITY_DEFAULT, NULL, answer_cb,
                                answer_new (self, finish_close_input));
}

static void
finish_close_output (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  FUZZ_CHECK (g_output_stream_close_finish (G_OUTPUT_STREAM (source), result, error) == !*error);
}

void
application_close_output (Application *self, guint number)
{
  GOutputStream *stream = choose (self->outputs, number);

  if (stream && !g_output_stream_has_pending (stream))
    g_output_stream_close_async (stream, G_PRIORITY_DEFAULT, NULL, answer_cb,
                                 answer_new (self, finish_close_output));
}

void
application_drop (Application *self, guint number)
{
  GPtrArray *arrays[] = { self->inputs, self->outputs, self->processes, self->cancellables };
  GPtrArray *array = arrays[number % G_N_ELEMENTS (arrays)];

  if (array->len > 0)
    g_ptr_array_remove_index (array, number / G_N_ELEMENTS (arrays) % array->len);
}

static void
finish_wait (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  g_autoptr (AsbCommandResult) command_result
      = asb_process_wait_finish (ASB_PROCESS (source), result, error);

  FUZZ_CHECK (!command_result == (*error != NULL));
  fuzz_look_at (command_result);
}

static void
finish_signal (Application *self, GObject *source, GAsyncResult *result, GError **error)
{
  FUZZ_CHECK (!asb_process_send_signal_finish (ASB_PROCESS (source), result, error) || !*error);
}

void
application_use_process (Application *self, guint number, guint use)
{
  AsbProcess *process = choose (self->processes, number);

  if (process && use % 3 == 0)
    asb_process_wait_async (process, NULL, answer_cb, answer_new (self, finish_wait));
  else if (process && use % 3 == 1)
    asb_process_send_signal_async (process, 15, NULL, answer_cb, answer_new (self, finish_signal));
  else if (process)
    asb_process_force_exit (process);
}
