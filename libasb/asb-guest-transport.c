/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-transport-private.h"

#include "asb-call-private.h"
#include "asb-cancel-source-private.h"
#include "asb-enum-types.h"
#include "asb-error-private.h"
#include "asb-io-thread-private.h"
#include "asb-property-private.h"
#include "asb-sync-private.h"
#include "asb-timer-private.h"
#include "asb-weak-private.h"

/**
 * AsbGuestTransport:
 *
 * The transport to `asb-guest`, the program of the library inside a sandbox, over a stream of
 * bytes.
 *
 * A provider gives the stream; see `docs/guest-protocol.md` for what is said on it. All connections
 * are kept by one thread of the library, and any thread may call. Answers come in the
 * thread-default main context of the call, [signal@GObject.Object::notify] in that of the thread
 * that made the transport.
 *
 * When the record of a recorded operation on a file is not complete, the reason is the object data
 * `asb-record-error` of its request, a string. The streams of files have the object data
 * `asb-file-info`, a [class@FileInfo]: from the start when reading, once closed when writing; those
 * of archives `asb-archive-result`, an [class@ArchiveResult], when all is read, or once closed.
 *
 * Dropping the last reference closes the transport. Commands in the sandbox run on.
 *
 * Since: 1.0
 */

struct _AsbGuestTransport
{
  GObject parent_instance;

  AsbGuestConnection *connection;
  GMutex mutex;
  GMainContext *context; /* with the mutex: of who has it */
  char *way;
  char *way_reason;
  int state; /* atomic: AsbTransportState */
};

enum
{
  PROP_0,
  PROP_STATE
};

static void asb_guest_transport_iface_init (AsbTransportInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbGuestTransport, asb_guest_transport, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_TRANSPORT,
                                                      asb_guest_transport_iface_init))

static void
asb_guest_transport_finalize (GObject *object)
{
  AsbGuestTransport *self = ASB_GUEST_TRANSPORT (object);

  if (self->connection)
    asb_guest_connection_close (self->connection, NULL);
  g_clear_pointer (&self->connection, asb_guest_connection_unref);
  g_clear_pointer (&self->context, g_main_context_unref);
  g_mutex_clear (&self->mutex);
  g_clear_pointer (&self->way, g_free);
  g_clear_pointer (&self->way_reason, g_free);

  G_OBJECT_CLASS (asb_guest_transport_parent_class)->finalize (object);
}

static void
asb_guest_transport_get_property (GObject *object, guint property_id, GValue *value,
                                  GParamSpec *pspec)
{
  AsbGuestTransport *self = ASB_GUEST_TRANSPORT (object);

  switch (property_id)
    {
    case PROP_STATE:
      g_value_set_enum (value, g_atomic_int_get (&self->state));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static const struct
{
  const char *feature;
  const char *capability;
} CAPABILITIES[] = {
  { "commands", ASB_CAPABILITY_COMMAND_EXECUTION },
  { "commands", ASB_CAPABILITY_STREAMING_OUTPUT },
  { "commands", ASB_CAPABILITY_COMMAND_STDIN },
  { "commands", ASB_CAPABILITY_EXACT_OUTPUT },
  { "files", ASB_CAPABILITY_FILESYSTEM },
  { "files", ASB_CAPABILITY_BINARY_FILES },
  { "files", ASB_CAPABILITY_ATOMIC_RENAME },
  { "files", ASB_CAPABILITY_FILE_HASH },
  { "search", ASB_CAPABILITY_FILE_SEARCH },
  { "grep", ASB_CAPABILITY_TEXT_SEARCH },
  { "edit", ASB_CAPABILITY_FILE_EDIT },
  { "lines", ASB_CAPABILITY_LINE_WINDOWS },
  { "attributes", ASB_CAPABILITY_FILE_ATTRIBUTES },
  { "history", ASB_CAPABILITY_SANDBOX_HISTORY },
  { "history-wait", ASB_CAPABILITY_HISTORY_WAIT },
  { "jobs", ASB_CAPABILITY_BACKGROUND_JOBS },
  { "watch", ASB_CAPABILITY_FILE_WATCH },
  { "archives", ASB_CAPABILITY_ARCHIVES },
  { "uploads", ASB_CAPABILITY_BULK_UPLOAD },
  { "terminals", ASB_CAPABILITY_COMMAND_TERMINAL },
};

static AsbCapabilities *
asb_guest_transport_get_capabilities (AsbTransport *transport)
{
  AsbGuestTransport *self = ASB_GUEST_TRANSPORT (transport);
  const AsbGuestHello *hello = NULL;
  AsbCapabilities *capabilities = asb_capabilities_new ();

  if (!self->connection)
    return capabilities;
  hello = asb_guest_connection_get_hello (self->connection);
  for (gsize i = 0; i < G_N_ELEMENTS (CAPABILITIES); i++)
    if (asb_guest_hello_has_feature (hello, CAPABILITIES[i].feature))
      asb_capabilities_add (capabilities, CAPABILITIES[i].capability, ASB_CAPABILITY_SUPPORT_NATIVE,
                            "guest", NULL);
    else
      asb_capabilities_add (capabilities, CAPABILITIES[i].capability,
                            ASB_CAPABILITY_SUPPORT_UNAVAILABLE, "guest",
                            "The guest in this sandbox does not offer it");
  asb_capabilities_add (capabilities, ASB_CAPABILITY_GUEST, ASB_CAPABILITY_SUPPORT_NATIVE,
                        self->way ? self->way : "guest", self->way_reason);
  return capabilities;
}

void
asb_guest_transport_set_way (AsbGuestTransport *self, const char *way, const char *reason)
{
  asb_property_replace_string (&self->way, way);
  asb_property_replace_string (&self->way_reason, reason);
}

static AsbTransportState
asb_guest_transport_get_state (AsbTransport *transport)
{
  return g_atomic_int_get (&ASB_GUEST_TRANSPORT (transport)->state);
}

static void
asb_guest_transport_close (AsbTransport *transport, GTask *task)
{
  AsbGuestTransport *self = ASB_GUEST_TRANSPORT (transport);

  if (self->connection)
    asb_guest_connection_close (self->connection, task);
  else
    g_task_return_boolean (task, TRUE);
}

static void
asb_guest_transport_iface_init (AsbTransportInterface *iface)
{
  iface->get_capabilities = asb_guest_transport_get_capabilities;
  iface->get_state = asb_guest_transport_get_state;
  iface->start_command = asb_guest_start_command;
  iface->query_file = asb_guest_query_file;
  iface->list_files = asb_guest_list_files;
  iface->read_file = asb_guest_read_file;
  iface->open_read = asb_guest_open_read;
  iface->write_file = asb_guest_write_file;
  iface->open_write = asb_guest_open_write;
  iface->make_directory = asb_guest_make_directory;
  iface->delete_file = asb_guest_delete_file;
  iface->move_file = asb_guest_move_file;
  iface->edit_file = asb_guest_edit_file;
  iface->read_lines = asb_guest_read_lines;
  iface->set_attributes = asb_guest_set_attributes;
  iface->find_files = asb_guest_find_files;
  iface->search_text = asb_guest_search_text;
  iface->open_archive = asb_guest_open_archive;
  iface->extract_archive = asb_guest_extract_archive;
  iface->call = asb_guest_call_service;
  iface->open_call = asb_guest_open_service;
  iface->start_job = asb_guest_start_job;
  iface->close = asb_guest_transport_close;
}

static void
asb_guest_transport_class_init (AsbGuestTransportClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_guest_transport_finalize;
  object_class->get_property = asb_guest_transport_get_property;

  g_object_class_override_property (object_class, PROP_STATE, "state");
}

static void
asb_guest_transport_init (AsbGuestTransport *self)
{
  g_mutex_init (&self->mutex);
  /* One that is not made by its functions never was open. */
  self->state = ASB_TRANSPORT_STATE_CLOSED;
}

AsbGuestConnection *
asb_guest_transport_get_connection (AsbGuestTransport *self)
{
  return self->connection;
}

void
asb_guest_transport_submit (AsbTransport *transport, AsbGuestCall *call, GTask *task, GError *error)
{
  AsbGuestTransport *self = ASB_GUEST_TRANSPORT (transport);

  if (!call)
    {
      g_task_return_error (task, error);
      return;
    }
  /* What the guest has done is told, also to who has cancelled it. */
  g_task_set_check_cancellable (task, FALSE);
  if (!self->connection)
    {
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_CLOSED, "The transport was never opened");
      asb_guest_call_unref (call);
      return;
    }
  asb_guest_call_set_cancellable (call, g_task_get_cancellable (task));
  asb_guest_connection_submit (self->connection, call);
  asb_guest_call_unref (call);
}

/* News. */

/* What has happened, on its way to who wants to know. */
typedef struct
{
  gatomicrefcount references;
  GWeakRef transport;
  AsbTransportState state;
  char *message;
} News;

static News *
news_ref (News *news)
{
  g_atomic_ref_count_inc (&news->references);
  return news;
}

static void
news_unref (gpointer data)
{
  News *news = data;

  if (!g_atomic_ref_count_dec (&news->references))
    return;
  g_weak_ref_clear (&news->transport);
  g_free (news->message);
  g_free (news);
}

static gboolean news_cb (gpointer user_data);

/* Takes @news. */
static void
tell_in_context (AsbGuestTransport *self, News *news)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_autoptr (GSource) source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "AsbGuestTransport state");
  g_source_set_callback (source, news_cb, news, news_unref);
  g_source_attach (source, self->context);
}

/* What was on its way when somebody else got the transport. */
static gboolean
has_moved (AsbGuestTransport *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  return g_source_get_context (g_main_current_source ()) != self->context;
}

static gboolean
news_cb (gpointer user_data)
{
  News *news = user_data;
  g_autoptr (AsbGuestTransport) self = g_weak_ref_get (&news->transport);

  if (!self)
    return G_SOURCE_REMOVE;
  if (has_moved (self))
    {
      tell_in_context (self, news_ref (news));
      return G_SOURCE_REMOVE;
    }
  g_object_notify (G_OBJECT (self), "state");
  if (news->state == ASB_TRANSPORT_STATE_INTERRUPTED)
    g_signal_emit_by_name (self, "interrupted", news->message);
  else if (news->state == ASB_TRANSPORT_STATE_CONNECTED)
    g_signal_emit_by_name (self, "resumed");
  return G_SOURCE_REMOVE;
}

static void
connection_news (gpointer data, AsbTransportState state, const GError *error)
{
  g_autoptr (AsbGuestTransport) self = g_weak_ref_get (data);
  News *news;

  if (!self)
    return;
  g_atomic_int_set (&self->state, state);
  news = g_new0 (News, 1);
  g_atomic_ref_count_init (&news->references);
  g_weak_ref_init (&news->transport, self);
  news->state = state;
  news->message = error ? g_strdup (error->message) : NULL;
  tell_in_context (self, news);
}

void
asb_guest_transport_set_context (AsbGuestTransport *self, GMainContext *context)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  g_clear_pointer (&self->context, g_main_context_unref);
  self->context = g_main_context_ref (context);
}

/* The beginning. */

typedef struct
{
  AsbGuestConnection *connection;
  GMainContext *context;
  char *token;
  GSource *cancelled; /* in the I/O thread */
} Opening;

static void
opening_free (gpointer data)
{
  Opening *opening = data;

  asb_guest_connection_unref (opening->connection);
  g_main_context_unref (opening->context);
  g_free (opening->token);
  g_free (opening);
}

static void
opened_cb (AsbGuestConnection *connection, const GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  Opening *opening = g_task_get_task_data (task);
  AsbGuestTransport *self;

  asb_source_clear (&opening->cancelled);
  if (error)
    {
      g_task_return_error (task, g_error_copy (error));
      return;
    }
  self = g_object_new (ASB_TYPE_GUEST_TRANSPORT, NULL);
  self->connection = asb_guest_connection_ref (connection);
  self->state = ASB_TRANSPORT_STATE_CONNECTED;
  self->context = g_main_context_ref (opening->context);
  asb_guest_connection_set_news_func (connection, connection_news, asb_weak_new (self),
                                      asb_weak_free);
  g_task_return_pointer (task, self, g_object_unref);
}

static gboolean
open_cancelled_cb (gpointer user_data)
{
  Opening *opening = user_data;

  asb_guest_connection_give_up (
      opening->connection,
      g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled"));
  return G_SOURCE_REMOVE;
}

static void
open_in_thread (gpointer data)
{
  GTask *task = data;
  Opening *opening = g_task_get_task_data (task);
  GCancellable *cancellable = g_task_get_cancellable (task);

  if (cancellable)
    {
      opening->cancelled = asb_cancel_source_new (cancellable);
      g_source_set_callback (opening->cancelled, open_cancelled_cb, opening, NULL);
      g_source_attach (opening->cancelled, asb_io_thread_get_context ());
    }
  asb_guest_connection_open (opening->connection, opening->token, opened_cb, task);
}

void
asb_guest_transport_open_async (GIOStream *stream, const char *token,
                                const AsbGuestReopening *reopening, GMainContext *context,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  GTask *task = g_task_new (NULL, cancellable, callback, user_data);
  Opening *opening = g_new0 (Opening, 1);

  g_task_set_source_tag (task, asb_guest_transport_new_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, opening, opening_free);
  opening->connection = asb_guest_connection_new (stream, &asb_guest_default_timeouts);
  if (reopening)
    asb_guest_connection_set_reopening (opening->connection, reopening);
  opening->context = g_main_context_ref (context);
  opening->token = g_strdup (token);
  asb_io_thread_post (open_in_thread, task);
}

/**
 * asb_guest_transport_new_async:
 * @stream: a stream to a guest, which the transport takes over
 * @token: (nullable): what the guest wants to be shown, if it does
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Opens a transport. The stream may be of any kind: sockets, pipes, streams that cannot be polled.
 * The guest has 30 seconds to say hello, then it is %ASB_ERROR_TIMED_OUT; a stream that ends before
 * is %ASB_ERROR_GUEST_UNAVAILABLE, one on which something else is said %ASB_ERROR_PROTOCOL.
 *
 * Since: 1.0
 */
void
asb_guest_transport_new_async (GIOStream *stream, const char *token, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GMainContext) context = g_main_context_ref_thread_default ();

  g_return_if_fail (G_IS_IO_STREAM (stream));

  asb_guest_transport_open_async (stream, token, NULL, context, cancellable, callback, user_data);
}

/**
 * asb_guest_transport_new_finish:
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [func@GuestTransport.new_async].
 *
 * Returns: (transfer full): the transport
 *
 * Since: 1.0
 */
AsbGuestTransport *
asb_guest_transport_new_finish (GAsyncResult *result, GError **error)
{
  g_autoptr (GError) local = NULL;
  AsbGuestTransport *self;

  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  self = g_task_propagate_pointer (G_TASK (result), &local);
  if (self)
    return self;
  asb_error_info_set_last (local);
  g_propagate_error (error, g_steal_pointer (&local));
  return NULL;
}

/**
 * asb_guest_transport_new:
 * @stream: a stream to a guest, which the transport takes over
 * @token: (nullable): what the guest wants to be shown, if it does
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Opens a transport. Blocks; see [func@GuestTransport.new_async].
 *
 * Returns: (transfer full): the transport
 *
 * Since: 1.0
 */
AsbGuestTransport *
asb_guest_transport_new (GIOStream *stream, const char *token, GCancellable *cancellable,
                         GError **error)
{
  g_autoptr (GMainContext) context = g_main_context_ref_thread_default ();
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (G_IS_IO_STREAM (stream), NULL);

  asb_sync_begin (&sync);
  asb_guest_transport_open_async (stream, token, NULL, context, cancellable, asb_sync_ready_cb,
                                  &sync);
  return asb_guest_transport_new_finish (asb_sync_wait (&sync), error);
}

/**
 * asb_guest_transport_get_boot_id:
 * @self: a [class@GuestTransport]
 *
 * Gets what is new each time the guest starts: another one means that all that ran is gone.
 *
 * Returns: (transfer none): the id
 *
 * Since: 1.0
 */
const char *
asb_guest_transport_get_boot_id (AsbGuestTransport *self)
{
  g_return_val_if_fail (ASB_IS_GUEST_TRANSPORT (self), NULL);
  g_return_val_if_fail (self->connection != NULL, NULL);

  return asb_guest_connection_get_hello (self->connection)->boot_id;
}

/**
 * asb_guest_transport_get_arch:
 * @self: a [class@GuestTransport]
 *
 * Gets the kind of processor in the sandbox.
 *
 * Returns: (transfer none): its name, for example `x86_64`
 *
 * Since: 1.0
 */
const char *
asb_guest_transport_get_arch (AsbGuestTransport *self)
{
  g_return_val_if_fail (ASB_IS_GUEST_TRANSPORT (self), NULL);
  g_return_val_if_fail (self->connection != NULL, NULL);

  return asb_guest_connection_get_hello (self->connection)->arch;
}

/**
 * asb_guest_transport_get_version:
 * @self: a [class@GuestTransport]
 *
 * Gets the version of the guest.
 *
 * Returns: (transfer none): the version, for example `1.0.0`
 *
 * Since: 1.0
 */
const char *
asb_guest_transport_get_version (AsbGuestTransport *self)
{
  g_return_val_if_fail (ASB_IS_GUEST_TRANSPORT (self), NULL);
  g_return_val_if_fail (self->connection != NULL, NULL);

  return asb_guest_connection_get_hello (self->connection)->version;
}
