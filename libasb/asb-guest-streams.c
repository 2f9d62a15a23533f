/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-transport-private.h"

#include <string.h>

#include "asb-call-private.h"
#include "asb-error.h"
#include "asb-archive-result-private.h"
#include "asb-guest-archive-private.h"
#include "asb-guest-file-private.h"
#include "asb-guest-json-private.h"
#include "asb-pipe-stream-private.h"
#include "asb-wire-variant-private.h"

/* The calls whose answer is a stream: the task is answered when the guest has begun, the stream
 * when it has done. */

#define RESULT_KEY "asb-result"
#define FILE_INFO_KEY "asb-file-info"
#define MAX_NAME_LENGTH 128

typedef struct
{
  GTask *task; /* until it is answered */
  GObject *transport;
  AsbPipe *pipe;
  GWeakRef stream; /* which may be gone before the call is over */
} StreamCall;

static StreamCall *
stream_call_new (GTask *task)
{
  StreamCall *self = g_new0 (StreamCall, 1);

  self->task = g_object_ref (task);
  self->transport = g_object_ref (g_task_get_source_object (task));
  g_weak_ref_init (&self->stream, NULL);
  return self;
}

static void
stream_call_free (gpointer data)
{
  StreamCall *self = data;

  g_clear_object (&self->task);
  g_clear_object (&self->transport);
  g_clear_pointer (&self->pipe, asb_pipe_unref);
  g_weak_ref_clear (&self->stream);
  g_free (self);
}

/* From here on only the stream keeps the transport alive. */
static void
return_stream (StreamCall *self, AsbGuestCall *call, gpointer stream)
{
  g_autoptr (GTask) task = g_steal_pointer (&self->task);

  g_weak_ref_set (&self->stream, stream);
  g_clear_object (&self->transport);
  asb_guest_call_forget_cancellable (call);
  asb_task_return_object (task, stream);
}

static void
set_data (StreamCall *self, const char *key, gpointer data, GDestroyNotify destroy)
{
  g_autoptr (GObject) stream = g_weak_ref_get (&self->stream);

  if (stream)
    g_object_set_data_full (stream, key, data, destroy);
  else
    destroy (data);
}

/* The end of a call that was cancelled before it had an answer. */
static void
return_cancelled (StreamCall *self)
{
  g_autoptr (GTask) task = g_steal_pointer (&self->task);

  g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
}

static void
stream_call_failed (AsbGuestCall *call, gpointer data, const GError *error)
{
  StreamCall *self = data;
  g_autoptr (GTask) task = g_steal_pointer (&self->task);

  if (task)
    g_task_return_error (task, g_error_copy (error));
}

/* Reading. */

/* A call that is being cancelled is answered by its REPLY. The @info (nullable) is on the stream
 * before anybody has it. */
static void
return_input (StreamCall *self, AsbGuestCall *call, AsbFileInfo *info)
{
  GInputStream *stream;

  if (!self->task)
    return;
  if (call->cancelled)
    {
      asb_guest_call_refuse_output (call);
      return;
    }
  stream = asb_pipe_input_stream_new (self->pipe, self->transport);
  if (info)
    g_object_set_data_full (G_OBJECT (stream), FILE_INFO_KEY, g_object_ref (info), g_object_unref);
  return_stream (self, call, stream);
}

static gboolean
set_result (StreamCall *self, const json_t *result, GError **error)
{
  GVariant *variant = asb_wire_variant_from_json (result, error);

  if (!variant)
    return FALSE;
  set_data (self, RESULT_KEY, g_variant_ref_sink (variant), (GDestroyNotify)g_variant_unref);
  return TRUE;
}

static gboolean
input_result (AsbGuestCall *call, gpointer data, const json_t *result, GError **error)
{
  StreamCall *self = data;

  return_input (self, call, NULL);
  if (!self->task)
    return set_result (self, result, error);
  return_cancelled (self);
  return TRUE;
}

static gboolean
read_opened (AsbGuestCall *call, gpointer data, const json_t *event, GError **error)
{
  StreamCall *self = data;
  g_autoptr (AsbFileInfo) info = NULL;
  const json_t *entry;

  if (!asb_guest_json_get_object (event, "entry", &entry, error))
    return FALSE;
  info = asb_guest_file_info_new (entry, ASB_GUEST_ENTRY_ALONE, NULL, error);
  if (!info)
    return FALSE;
  return_input (self, call, info);
  return TRUE;
}

static const AsbGuestCallKind read_kind = {
  .opening = "opened",
  .opened = read_opened,
  .result = input_result,
  .failed = stream_call_failed,
  .free = stream_call_free,
};

static void
service_begun (AsbGuestCall *call, gpointer data)
{
  return_input (data, call, NULL);
}

static const AsbGuestCallKind service_kind = {
  .begun = service_begun,
  .result = input_result,
  .failed = stream_call_failed,
  .free = stream_call_free,
};

static void
submit_input (AsbTransport *transport, const char *name, json_t *arguments, AsbOperation *operation,
              gpointer subject, const AsbGuestCallKind *kind, GTask *task)
{
  StreamCall *self = stream_call_new (task);
  GError *error = NULL;
  AsbGuestCall *call = asb_guest_call_new (name, arguments, operation, kind, self, &error);

  if (call)
    {
      asb_guest_call_set_subject (call, subject);
      self->pipe = asb_pipe_ref (asb_guest_call_add_pipe (call, ASB_CHANNEL_OUTPUT));
      call->end_with_reply = TRUE;
    }
  asb_guest_transport_submit (transport, call, task, error);
}

void
asb_guest_open_read (AsbTransport *transport, AsbFileRequest *request, GTask *task)
{
  GError *error = NULL;
  json_t *arguments = asb_guest_file_read_arguments (request, &error);

  if (arguments)
    submit_input (transport, "file.read", arguments, asb_file_request_get_operation (request),
                  request, &read_kind, task);
  else
    asb_guest_transport_submit (transport, NULL, task, error);
}

/* Writing. */

static void
write_queued (AsbGuestCall *call, gpointer data)
{
  StreamCall *self = data;

  return_stream (self, call,
                 asb_pipe_output_stream_new (self->pipe, ASB_PIPE_CLOSE_COMMITS, self->transport));
}

static gboolean
write_result (AsbGuestCall *call, gpointer data, const json_t *result, GError **error)
{
  const json_t *entry;
  AsbFileInfo *info;

  if (!asb_guest_json_get_object (result, "entry", &entry, error))
    return FALSE;
  info = asb_guest_file_info_new (entry, ASB_GUEST_ENTRY_ALONE, result, error);
  if (!info)
    return FALSE;
  set_data (data, FILE_INFO_KEY, info, g_object_unref);
  return TRUE;
}

static const AsbGuestCallKind write_kind = {
  .queued = write_queued,
  .result = write_result,
  .failed = stream_call_failed,
  .free = stream_call_free,
};

static void
submit_output (AsbTransport *transport, const char *name, json_t *arguments,
               AsbOperation *operation, gpointer subject, const AsbGuestCallKind *kind, GTask *task)
{
  StreamCall *self = stream_call_new (task);
  GError *error = NULL;
  AsbGuestCall *call = asb_guest_call_new (name, arguments, operation, kind, self, &error);

  if (call)
    {
      asb_guest_call_set_subject (call, subject);
      self->pipe = asb_pipe_ref (asb_guest_call_add_pipe (call, ASB_CHANNEL_INPUT));
    }
  asb_guest_transport_submit (transport, call, task, error);
}

void
asb_guest_open_write (AsbTransport *transport, AsbFileRequest *request, GTask *task)
{
  GError *error = NULL;
  json_t *arguments = asb_guest_file_write_arguments (request, &error);

  if (!arguments)
    {
      asb_guest_transport_submit (transport, NULL, task, error);
      return;
    }
  submit_output (transport, "file.write", arguments, asb_file_request_get_operation (request),
                 request, &write_kind, task);
}

/* Archives. */

static gboolean
set_archive_result (StreamCall *self, AsbGuestArchiveKind kind, const json_t *result,
                    GError **error)
{
  AsbArchiveResult *archive = asb_guest_archive_result_new (result, kind, error);

  if (!archive)
    return FALSE;
  set_data (self, ASB_ARCHIVE_RESULT_KEY, archive, g_object_unref);
  return TRUE;
}

static gboolean
pack_opened (AsbGuestCall *call, gpointer data, const json_t *event, GError **error)
{
  return_input (data, call, NULL);
  return TRUE;
}

static gboolean
pack_result (AsbGuestCall *call, gpointer data, const json_t *result, GError **error)
{
  StreamCall *self = data;

  return_input (self, call, NULL);
  if (!self->task)
    return set_archive_result (self, ASB_GUEST_ARCHIVE_PACKED, result, error);
  return_cancelled (self);
  return TRUE;
}

static const AsbGuestCallKind pack_kind = {
  .opening = "opened",
  .opened = pack_opened,
  .result = pack_result,
  .failed = stream_call_failed,
  .free = stream_call_free,
};

void
asb_guest_open_archive (AsbTransport *transport, AsbArchiveOptions *options, GTask *task)
{
  GError *error = NULL;
  json_t *arguments = asb_guest_archive_arguments (options, ASB_GUEST_ARCHIVE_PACKED, &error);

  if (arguments)
    submit_input (transport, "file.pack", arguments, asb_archive_options_get_operation (options),
                  options, &pack_kind, task);
  else
    asb_guest_transport_submit (transport, NULL, task, error);
}

static gboolean
unpack_result (AsbGuestCall *call, gpointer data, const json_t *result, GError **error)
{
  return set_archive_result (data, ASB_GUEST_ARCHIVE_UNPACKED, result, error);
}

static const AsbGuestCallKind unpack_kind = {
  .queued = write_queued,
  .result = unpack_result,
  .failed = stream_call_failed,
  .free = stream_call_free,
};

void
asb_guest_extract_archive (AsbTransport *transport, AsbArchiveOptions *options, GTask *task)
{
  GError *error = NULL;
  json_t *arguments = asb_guest_archive_arguments (options, ASB_GUEST_ARCHIVE_UNPACKED, &error);

  if (arguments)
    submit_output (transport, "file.unpack", arguments, asb_archive_options_get_operation (options),
                   options, &unpack_kind, task);
  else
    asb_guest_transport_submit (transport, NULL, task, error);
}

/* Services. */

static json_t *
service_arguments (const char *name, GVariant *arguments, GError **error)
{
  json_t *json;

  if (strlen (name) > MAX_NAME_LENGTH || !g_utf8_validate (name, -1, NULL))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "The name of the call is too long or not UTF-8");
      return NULL;
    }
  json = arguments ? asb_wire_variant_to_json (arguments, error) : json_object ();
  if (!json || json_is_object (json))
    return json;
  json_decref (json);
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "The arguments of “%s” are not a dictionary", name);
  return NULL;
}

static gboolean
convert_service (const json_t *result, GTask *task, GError **error)
{
  GVariant *variant = asb_wire_variant_from_json (result, error);

  if (!variant)
    return FALSE;
  asb_task_return_variant (task, variant);
  return TRUE;
}

/* A call of a service that has a channel is answered all the same, without what the channel
 * brings. */
void
asb_guest_call_service (AsbTransport *transport, const char *name, GVariant *arguments, GTask *task)
{
  GError *error = NULL;
  json_t *json = service_arguments (name, arguments, &error);
  AsbGuestCall *call = NULL;

  if (json)
    call = asb_guest_task_call_new (name, json, NULL, task, convert_service, &error);
  if (call)
    {
      asb_guest_call_set_channel (call, ASB_CHANNEL_OUTPUT, ASB_GUEST_CHANNEL_UNWANTED);
      asb_guest_call_set_channel (call, ASB_CHANNEL_ERRORS, ASB_GUEST_CHANNEL_UNWANTED);
    }
  asb_guest_transport_submit (transport, call, task, error);
}

void
asb_guest_open_service (AsbTransport *transport, const char *name, GVariant *arguments, GTask *task)
{
  GError *error = NULL;
  json_t *json = service_arguments (name, arguments, &error);

  if (json)
    submit_input (transport, name, json, NULL, NULL, &service_kind, task);
  else
    asb_guest_transport_submit (transport, NULL, task, error);
}
