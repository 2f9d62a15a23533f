/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-mock-transport.h"

#include "asb-mock-call.h"
#include "asb-mock-process.h"
#include "asb-mock-stream.h"

struct _AsbMockTransport
{
  GObject parent_instance;

  AsbMockProvider *provider;
  AsbMockSandbox *sandbox;
  int is_closed; /* atomic */
};

enum
{
  PROP_0,
  PROP_STATE
};

static void asb_mock_transport_iface_init (AsbTransportInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbMockTransport, asb_mock_transport, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_TRANSPORT,
                                                      asb_mock_transport_iface_init))

static AsbTransportState
asb_mock_transport_get_state (AsbTransport *transport)
{
  return g_atomic_int_get (&ASB_MOCK_TRANSPORT (transport)->is_closed)
             ? ASB_TRANSPORT_STATE_CLOSED
             : ASB_TRANSPORT_STATE_CONNECTED;
}

/* FALSE if it was closed already. */
static gboolean
close_once (AsbMockTransport *self)
{
  if (!g_atomic_int_compare_and_exchange (&self->is_closed, FALSE, TRUE))
    return FALSE;
  asb_mock_provider_transport_closed (self->provider);
  return TRUE;
}

static void
asb_mock_transport_finalize (GObject *object)
{
  AsbMockTransport *self = ASB_MOCK_TRANSPORT (object);

  close_once (self);
  g_clear_pointer (&self->sandbox, asb_mock_sandbox_unref);
  g_clear_object (&self->provider);

  G_OBJECT_CLASS (asb_mock_transport_parent_class)->finalize (object);
}

static void
asb_mock_transport_get_property (GObject *object, guint property_id, GValue *value,
                                 GParamSpec *pspec)
{
  if (property_id == PROP_STATE)
    g_value_set_enum (value, (int)asb_mock_transport_get_state (ASB_TRANSPORT (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
}

static void
asb_mock_transport_class_init (AsbMockTransportClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_mock_transport_finalize;
  object_class->get_property = asb_mock_transport_get_property;
  g_object_class_override_property (object_class, PROP_STATE, "state");
}

static void
asb_mock_transport_init (AsbMockTransport *self)
{
}

AsbMockTransport *
asb_mock_transport_new (AsbMockProvider *provider, AsbMockSandbox *sandbox)
{
  AsbMockTransport *self = g_object_new (ASB_TYPE_MOCK_TRANSPORT, NULL);

  self->provider = g_object_ref (provider);
  self->sandbox = asb_mock_sandbox_ref (sandbox);
  asb_mock_provider_transport_opened (provider);
  return self;
}

AsbCapabilities *
asb_mock_transport_list_capabilities (void)
{
  static const char *const native[]
      = { ASB_CAPABILITY_FILESYSTEM,       ASB_CAPABILITY_BINARY_FILES,
          ASB_CAPABILITY_ATOMIC_RENAME,    ASB_CAPABILITY_COMMAND_EXECUTION,
          ASB_CAPABILITY_STREAMING_OUTPUT, ASB_CAPABILITY_COMMAND_STDIN,
          ASB_CAPABILITY_EXACT_OUTPUT };
  AsbCapabilities *capabilities = asb_capabilities_new ();
  g_autoptr (AsbCapability) file_hash = NULL;
  g_autoptr (GHashTable) limits = g_hash_table_new (g_str_hash, g_str_equal);

  for (gsize i = 0; i < G_N_ELEMENTS (native); i++)
    asb_capabilities_add (capabilities, native[i], ASB_CAPABILITY_SUPPORT_NATIVE, "mock", NULL);
  g_hash_table_insert (limits, (gpointer) "algorithm", (gpointer) "sha256");
  file_hash
      = g_object_new (ASB_TYPE_CAPABILITY, "name", ASB_CAPABILITY_FILE_HASH, "support",
                      ASB_CAPABILITY_SUPPORT_NATIVE, "source", "mock", "limits", limits, NULL);
  asb_capabilities_add_capability (capabilities, file_hash);
  asb_capabilities_add (capabilities, ASB_CAPABILITY_SANDBOX_HISTORY,
                        ASB_CAPABILITY_SUPPORT_UNAVAILABLE, "mock",
                        "no guest runs in the sandboxes of the mock");
  asb_capabilities_add (capabilities, ASB_CAPABILITY_BULK_UPLOAD,
                        ASB_CAPABILITY_SUPPORT_UNAVAILABLE, "mock", NULL);
  return capabilities;
}

static AsbCapabilities *
asb_mock_transport_get_capabilities (AsbTransport *transport)
{
  return asb_mock_transport_list_capabilities ();
}

/* Every operation starts here. */

static void
run_call (AsbTransport *transport, const char *operation, gpointer argument, GType type,
          AsbMockPerform perform, GTask *task)
{
  AsbMockTransport *self = ASB_MOCK_TRANSPORT (transport);

  if (g_atomic_int_get (&self->is_closed))
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_CLOSED, "The transport is closed");
  else
    asb_mock_call_run (asb_mock_call_new (self->provider, operation,
                                          asb_mock_sandbox_get_id (self->sandbox), argument, type,
                                          perform, task));
}

static AsbMockTransport *
transport_of (AsbMockCall *call)
{
  return ASB_MOCK_TRANSPORT (g_task_get_source_object (call->task));
}

static gboolean
perform_start_command (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockTransport *self = transport_of (call);
  AsbMockProcess *process = asb_mock_process_start (
      self->provider, self->sandbox, ASB_COMMAND_SPEC (call->argument), call->break_after, error);

  if (process)
    asb_mock_answer_object (answer, process);
  return process != NULL;
}

static void
asb_mock_transport_start_command (AsbTransport *transport, AsbCommandSpec *spec, GTask *task)
{
  run_call (transport, "start_command", spec, ASB_TYPE_PROCESS, perform_start_command, task);
}

/* Files. */

typedef gboolean (*AsbMockFileFunction) (AsbMockFiles *files, const char *path, AsbMockCall *call,
                                         GValue *answer, GError **error);

/* @function runs with the files locked. */
static gboolean
with_files (AsbMockCall *call, GValue *answer, GError **error, AsbMockFileFunction function)
{
  AsbMockSandbox *sandbox = transport_of (call)->sandbox;
  const char *given = asb_file_request_get_path (ASB_FILE_REQUEST (call->argument));
  g_autofree char *path
      = asb_mock_files_resolve (asb_mock_sandbox_get_workdir (sandbox), given, error);
  AsbMockFiles *files = path ? asb_mock_sandbox_lock_files (sandbox, error) : NULL;
  gboolean done;

  if (!files)
    return FALSE;
  done = function (files, path, call, answer, error);
  asb_mock_sandbox_unlock_files (sandbox);
  return done;
}

static gboolean
answer_or_fail (GValue *answer, gpointer object)
{
  if (object)
    asb_mock_answer_object (answer, object);
  return object != NULL;
}

static gboolean
query_file (AsbMockFiles *files, const char *path, AsbMockCall *call, GValue *answer,
            GError **error)
{
  return answer_or_fail (answer, asb_mock_files_query (files, path, error));
}

static gboolean
list_files (AsbMockFiles *files, const char *path, AsbMockCall *call, GValue *answer,
            GError **error)
{
  return answer_or_fail (answer, asb_mock_files_list (files, path, error));
}

static GBytes *
read_bytes (AsbMockFiles *files, const char *path, AsbMockCall *call, GError **error)
{
  AsbFileRequest *request = ASB_FILE_REQUEST (call->argument);

  return asb_mock_files_read (files, path, asb_file_request_get_offset (request),
                              asb_file_request_get_length (request), error);
}

static gboolean
read_file (AsbMockFiles *files, const char *path, AsbMockCall *call, GValue *answer, GError **error)
{
  GBytes *bytes;

  if (call->break_after >= 0)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED,
                   "The stream broke off after %" G_GINT64_FORMAT " bytes", call->break_after);
      return FALSE;
    }
  bytes = read_bytes (files, path, call, error);
  if (bytes)
    asb_mock_answer_bytes (answer, bytes);
  return bytes != NULL;
}

static gboolean
open_read (AsbMockFiles *files, const char *path, AsbMockCall *call, GValue *answer, GError **error)
{
  g_autoptr (GBytes) bytes = read_bytes (files, path, call, error);
  g_autoptr (AsbMockPipe) pipe = NULL;

  if (!bytes)
    return FALSE;
  pipe = asb_mock_pipe_new (0);
  if (call->break_after >= 0)
    asb_mock_pipe_break (pipe, (guint64)call->break_after);
  asb_mock_pipe_put (pipe, bytes);
  asb_mock_pipe_finish (pipe, NULL);
  asb_mock_answer_object (answer, asb_mock_input_stream_new (pipe));
  return TRUE;
}

static gboolean
write_file (AsbMockFiles *files, const char *path, AsbMockCall *call, GValue *answer,
            GError **error)
{
  AsbFileRequest *request = ASB_FILE_REQUEST (call->argument);
  g_autoptr (GBytes) empty = g_bytes_new_static ("", 0);
  GBytes *contents = asb_file_request_get_contents (request);

  return answer_or_fail (
      answer, asb_mock_files_write (files, path, request, contents ? contents : empty, error));
}

/* Writing by a stream: all of it waits in a pipe until the stream is closed. */

typedef struct
{
  AsbMockSandbox *sandbox;
  AsbFileRequest *request;
  char *path;
  gint64 break_after;
} AsbMockWriting;

static void
writing_free (gpointer data)
{
  AsbMockWriting *writing = data;

  asb_mock_sandbox_unref (writing->sandbox);
  g_clear_object (&writing->request);
  g_clear_pointer (&writing->path, g_free);
  g_free (writing);
}

static GBytes *
take_all (AsbMockPipe *pipe)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();
  guint8 buffer[4096];
  gssize size;

  asb_mock_pipe_finish (pipe, NULL);
  while ((size = asb_mock_pipe_read (pipe, buffer, sizeof buffer, FALSE, NULL, NULL)) > 0)
    g_byte_array_append (all, buffer, (guint)size);
  return g_byte_array_free_to_bytes (g_steal_pointer (&all));
}

static gboolean
writing_closed_cb (AsbMockPipe *pipe, gboolean dropped, gpointer data, GError **error)
{
  AsbMockWriting *writing = data;
  g_autoptr (GBytes) contents = NULL;
  g_autoptr (AsbFileInfo) info = NULL;
  AsbMockFiles *files;

  if (dropped)
    return TRUE;
  if (writing->break_after >= 0 && asb_mock_pipe_get_total (pipe) >= (guint64)writing->break_after)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED,
                   "The stream broke off after %" G_GINT64_FORMAT " bytes", writing->break_after);
      return FALSE;
    }
  contents = take_all (pipe);
  files = asb_mock_sandbox_lock_files (writing->sandbox, error);
  if (!files)
    return FALSE;
  info = asb_mock_files_write (files, writing->path, writing->request, contents, error);
  asb_mock_sandbox_unlock_files (writing->sandbox);
  return info != NULL;
}

static gboolean
open_write (AsbMockFiles *files, const char *path, AsbMockCall *call, GValue *answer,
            GError **error)
{
  AsbFileRequest *request = ASB_FILE_REQUEST (call->argument);
  g_autoptr (AsbMockPipe) pipe = NULL;
  AsbMockWriting *writing;

  if (!asb_mock_files_may_write (files, path, request, error))
    return FALSE;
  pipe = asb_mock_pipe_new (0);
  writing = g_new0 (AsbMockWriting, 1);
  writing->sandbox = asb_mock_sandbox_ref (transport_of (call)->sandbox);
  writing->request = g_object_ref (request);
  writing->path = g_strdup (path);
  writing->break_after = call->break_after;
  asb_mock_answer_object (
      answer, asb_mock_output_stream_new (pipe, writing_closed_cb, writing, writing_free));
  return TRUE;
}

static gboolean
make_directory (AsbMockFiles *files, const char *path, AsbMockCall *call, GValue *answer,
                GError **error)
{
  gboolean made;

  if (!asb_mock_files_make_directory (files, path, ASB_FILE_REQUEST (call->argument), &made, error))
    return FALSE;
  asb_mock_answer_boolean (answer, made);
  return TRUE;
}

static gboolean
delete_file (AsbMockFiles *files, const char *path, AsbMockCall *call, GValue *answer,
             GError **error)
{
  AsbFileFlags flags = asb_file_request_get_flags (ASB_FILE_REQUEST (call->argument));

  if (!asb_mock_files_delete (files, path, (flags & ASB_FILE_FLAGS_RECURSIVE) != 0, error))
    return FALSE;
  asb_mock_answer_boolean (answer, TRUE);
  return TRUE;
}

static gboolean
move_file (AsbMockFiles *files, const char *path, AsbMockCall *call, GValue *answer, GError **error)
{
  AsbFileRequest *request = ASB_FILE_REQUEST (call->argument);
  gboolean overwrite = (asb_file_request_get_flags (request) & ASB_FILE_FLAGS_OVERWRITE) != 0;
  const char *workdir = asb_mock_sandbox_get_workdir (transport_of (call)->sandbox);
  g_autofree char *new_path
      = asb_mock_files_resolve (workdir, asb_file_request_get_new_path (request), error);

  if (!new_path || !asb_mock_files_move (files, path, new_path, overwrite, error))
    return FALSE;
  asb_mock_answer_boolean (answer, TRUE);
  return TRUE;
}

#define DEFINE_FILE_OPERATION(name, type)                                                          \
  static gboolean perform_##name (AsbMockCall *call, GValue *answer, GError **error)               \
  {                                                                                                \
    return with_files (call, answer, error, name);                                                 \
  }                                                                                                \
                                                                                                   \
  static void asb_mock_transport_##name (AsbTransport *transport, AsbFileRequest *request,         \
                                         GTask *task)                                              \
  {                                                                                                \
    run_call (transport, #name, request, type, perform_##name, task);                              \
  }

/* clang-format off */
DEFINE_FILE_OPERATION (query_file, ASB_TYPE_FILE_INFO)
DEFINE_FILE_OPERATION (list_files, G_TYPE_LIST_MODEL)
DEFINE_FILE_OPERATION (read_file, G_TYPE_BYTES)
DEFINE_FILE_OPERATION (open_read, G_TYPE_INPUT_STREAM)
DEFINE_FILE_OPERATION (write_file, ASB_TYPE_FILE_INFO)
DEFINE_FILE_OPERATION (open_write, G_TYPE_OUTPUT_STREAM)
DEFINE_FILE_OPERATION (make_directory, G_TYPE_BOOLEAN)
DEFINE_FILE_OPERATION (delete_file, G_TYPE_BOOLEAN)
DEFINE_FILE_OPERATION (move_file, G_TYPE_BOOLEAN)
/* clang-format on */

/* Closing. */

static gboolean
perform_close (AsbMockCall *call, GValue *answer, GError **error)
{
  AsbMockTransport *self = transport_of (call);

  if (close_once (self))
    g_object_notify (G_OBJECT (self), "state");
  asb_mock_answer_boolean (answer, TRUE);
  return TRUE;
}

static void
asb_mock_transport_close (AsbTransport *transport, GTask *task)
{
  AsbMockTransport *self = ASB_MOCK_TRANSPORT (transport);

  if (g_atomic_int_get (&self->is_closed))
    g_task_return_boolean (task, TRUE);
  else
    run_call (transport, "close", NULL, G_TYPE_BOOLEAN, perform_close, task);
}

static void
asb_mock_transport_iface_init (AsbTransportInterface *iface)
{
  iface->get_capabilities = asb_mock_transport_get_capabilities;
  iface->get_state = asb_mock_transport_get_state;
  iface->start_command = asb_mock_transport_start_command;
  iface->query_file = asb_mock_transport_query_file;
  iface->list_files = asb_mock_transport_list_files;
  iface->read_file = asb_mock_transport_read_file;
  iface->open_read = asb_mock_transport_open_read;
  iface->write_file = asb_mock_transport_write_file;
  iface->open_write = asb_mock_transport_open_write;
  iface->make_directory = asb_mock_transport_make_directory;
  iface->delete_file = asb_mock_transport_delete_file;
  iface->move_file = asb_mock_transport_move_file;
  iface->close = asb_mock_transport_close;
}
