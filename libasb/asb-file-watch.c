/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-file-watch-private.h"

#include "asb-enum-types.h"
#include "asb-error.h"
#include "asb-guest-json-private.h"
#include "asb-guest-lines-private.h"
#include "asb-property-private.h"
#include "asb-timer-private.h"
#include "asb-weak-private.h"

#define PIECE_SIZE (64 * 1024)
#define MAX_WORD 256

/**
 * AsbFileWatch:
 *
 * Tells what changes in a directory of a sandbox, or of a file, as long as it is not closed or
 * dropped. [method@Backend.watch_files] makes one.
 *
 * Its signals are given in the main context that was the thread-default one of the call that made
 * it, which is to run. Of what is not taken in time events are dropped, and that is told: then look
 * at everything anew.
 *
 * Since: 1.0
 */

struct _AsbFileWatch
{
  GObject parent_instance;

  char *path;
  GMainContext *context;
  GSource *source;
  GCancellable *cancellable;

  /* Where events come from; only used by who runs the context, but for the stream. */
  AsbGuestLines lines;
  gboolean is_gone;

  GMutex mutex;
  GInputStream *stream; /* until the end */
  AsbFileWatchState state;
  GError *error;
};

enum
{
  PROP_0,
  PROP_PATH,
  PROP_STATE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

enum
{
  SIGNAL_CHANGED,
  SIGNAL_ENDED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AsbFileWatch, asb_file_watch, G_TYPE_OBJECT)

/* The end. */

/* Only the first counts. Takes @error. The guest stops watching once the stream is closed. */
static void
settle (AsbFileWatch *self, AsbFileWatchState state, GError *error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_autoptr (GError) owned = error;

  if (self->state != ASB_FILE_WATCH_STATE_ACTIVE || !self->stream)
    return;
  self->state = state;
  self->error = g_steal_pointer (&owned);
  g_input_stream_close (self->stream, NULL, NULL);
  g_clear_object (&self->stream);
}

static void
asb_file_watch_finalize (GObject *object)
{
  AsbFileWatch *self = ASB_FILE_WATCH (object);

  settle (self, ASB_FILE_WATCH_STATE_CLOSED, NULL);
  asb_source_clear (&self->source);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->context, g_main_context_unref);
  asb_guest_lines_clear (&self->lines);
  g_mutex_clear (&self->mutex);
  g_clear_error (&self->error);
  g_clear_pointer (&self->path, g_free);

  G_OBJECT_CLASS (asb_file_watch_parent_class)->finalize (object);
}

static void
asb_file_watch_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbFileWatch *self = ASB_FILE_WATCH (object);

  switch (property_id)
    {
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_STATE:
      g_value_set_enum (value, asb_file_watch_get_state (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
install_properties (GObjectClass *object_class)
{
  /**
   * AsbFileWatch:path:
   *
   * The absolute path of what is watched, bytes without NUL.
   *
   * Since: 1.0
   */
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, ASB_PARAM_READABLE);

  /**
   * AsbFileWatch:state: (getter get_state)
   *
   * Whether it goes on, and if not, why.
   *
   * Since: 1.0
   */
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, ASB_TYPE_FILE_WATCH_STATE,
                                              ASB_FILE_WATCH_STATE_ACTIVE, ASB_PARAM_READABLE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_file_watch_class_init (AsbFileWatchClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_file_watch_finalize;
  object_class->get_property = asb_file_watch_get_property;
  install_properties (object_class);

  /**
   * AsbFileWatch::changed:
   * @self: the watch
   * @event: what has happened
   *
   * Something has happened. None comes after [method@FileWatch.close] was called from a handler, or
   * in the thread that runs the context.
   *
   * Since: 1.0
   */
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", ASB_TYPE_FILE_WATCH, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 1, ASB_TYPE_FILE_EVENT);

  /**
   * AsbFileWatch::ended:
   * @self: the watch
   *
   * It tells nothing any more; [property@FileWatch:state] says why. A watch that is dropped does
   * not say so.
   *
   * Since: 1.0
   */
  signals[SIGNAL_ENDED] = g_signal_new ("ended", ASB_TYPE_FILE_WATCH, G_SIGNAL_RUN_LAST, 0, NULL,
                                        NULL, NULL, G_TYPE_NONE, 0);
}

static void
asb_file_watch_init (AsbFileWatch *self)
{
  g_mutex_init (&self->mutex);
  asb_guest_lines_init (&self->lines);
  self->cancellable = g_cancellable_new ();
}

/* Reading. */

static void
tell (AsbFileWatch *self, AsbFileEvent *event)
{
  if (asb_file_watch_get_state (self) == ASB_FILE_WATCH_STATE_ACTIVE)
    g_signal_emit (self, signals[SIGNAL_CHANGED], 0, event);
}

static gboolean
take_line (gpointer data, const json_t *line, GError **error)
{
  AsbFileWatch *self = data;
  const char *name;
  g_autoptr (GError) local = NULL;
  g_autoptr (AsbFileEvent) event = NULL;

  if (asb_guest_json_get_string (line, "event", MAX_WORD, &name, NULL)
      && g_str_equal (name, "gone"))
    {
      self->is_gone = TRUE;
      return TRUE;
    }
  event = asb_file_event_new_from_json (line, &local);
  if (event)
    tell (self, event);
  if (!local)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/* @result (nullable): what the call has said at its end. */
static void
take_result (AsbFileWatch *self, GVariant *result)
{
  const char *reason = "";
  gboolean overflow = FALSE;

  if (result)
    {
      g_variant_lookup (result, "reason", "&s", &reason);
      g_variant_lookup (result, "overflow", "b", &overflow);
    }
  if (overflow)
    {
      g_autoptr (AsbFileEvent) event = asb_file_event_new_overflow ();

      tell (self, event);
    }
  if (self->is_gone || g_str_equal (reason, "gone"))
    settle (self, ASB_FILE_WATCH_STATE_GONE, NULL);
  else
    settle (self, ASB_FILE_WATCH_STATE_FAILED,
            g_error_new (ASB_ERROR, ASB_ERROR_PROTOCOL, "The watching of “%s” ended for no reason",
                         self->path));
}

static void
take_end (AsbFileWatch *self, GVariant *result)
{
  if (asb_guest_lines_is_whole (&self->lines))
    take_result (self, result);
  else
    settle (self, ASB_FILE_WATCH_STATE_FAILED,
            g_error_new_literal (ASB_ERROR, ASB_ERROR_PROTOCOL,
                                 "The last event of a watch has no end"));
}

/* −1 with @error set, or without when somebody has closed it. */
static gssize
read_some (AsbFileWatch *self, guint8 *bytes, GVariant **result, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GVariant *variant;
  gssize size;

  if (!self->stream)
    return -1;
  size = g_pollable_input_stream_read_nonblocking (G_POLLABLE_INPUT_STREAM (self->stream), bytes,
                                                   PIECE_SIZE, NULL, error);
  variant = g_object_get_data (G_OBJECT (self->stream), "asb-result");
  *result = size == 0 && variant ? g_variant_ref (variant) : NULL;
  return size;
}

static void
read_events (AsbFileWatch *self)
{
  g_autofree guint8 *bytes = g_malloc (PIECE_SIZE);
  g_autoptr (GVariant) result = NULL;
  GError *error = NULL;
  gssize size = read_some (self, bytes, &result, &error);

  if (size > 0)
    asb_guest_lines_add (&self->lines, bytes, (gsize)size, take_line, self, &error);
  else if (size == 0)
    take_end (self, result);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK))
    g_clear_error (&error);
  if (error)
    settle (self, ASB_FILE_WATCH_STATE_FAILED, error);
}

static gboolean
readable_cb (GObject *stream, gpointer user_data)
{
  g_autoptr (AsbFileWatch) self = g_weak_ref_get (user_data);

  if (!self)
    return G_SOURCE_REMOVE;
  read_events (self);
  if (asb_file_watch_get_state (self) == ASB_FILE_WATCH_STATE_ACTIVE)
    return G_SOURCE_CONTINUE;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
  g_signal_emit (self, signals[SIGNAL_ENDED], 0);
  return G_SOURCE_REMOVE;
}

AsbFileWatch *
asb_file_watch_new (const char *path, GInputStream *stream, GMainContext *context, GError **error)
{
  AsbFileWatch *self;

  if (!G_IS_POLLABLE_INPUT_STREAM (stream)
      || !g_pollable_input_stream_can_poll (G_POLLABLE_INPUT_STREAM (stream)))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                   "%s cannot be waited for, so “%s” cannot be watched",
                   G_OBJECT_TYPE_NAME (stream), path);
      return NULL;
    }
  self = g_object_new (ASB_TYPE_FILE_WATCH, NULL);
  self->path = g_strdup (path);
  self->stream = g_object_ref (stream);
  self->context = g_main_context_ref (context);
  return self;
}

void
asb_file_watch_start (AsbFileWatch *self)
{
  self->source = g_pollable_input_stream_create_source (G_POLLABLE_INPUT_STREAM (self->stream),
                                                        self->cancellable);
  g_source_set_static_name (self->source, "AsbFileWatch");
  g_source_set_callback (self->source, G_SOURCE_FUNC (readable_cb), asb_weak_new (self),
                         asb_weak_free);
  g_source_attach (self->source, self->context);
}

/**
 * asb_file_watch_get_path:
 * @self: a [class@FileWatch]
 *
 * Gets [property@FileWatch:path].
 *
 * Returns: (transfer none) (nullable) (type filename): the absolute path of what is watched
 *
 * Since: 1.0
 */
const char *
asb_file_watch_get_path (AsbFileWatch *self)
{
  g_return_val_if_fail (ASB_IS_FILE_WATCH (self), NULL);

  return self->path;
}

/**
 * asb_file_watch_get_state:
 * @self: a [class@FileWatch]
 *
 * Gets [property@FileWatch:state].
 *
 * Returns: whether it goes on, and if not, why
 *
 * Since: 1.0
 */
AsbFileWatchState
asb_file_watch_get_state (AsbFileWatch *self)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_val_if_fail (ASB_IS_FILE_WATCH (self), ASB_FILE_WATCH_STATE_CLOSED);

  locker = g_mutex_locker_new (&self->mutex);
  return self->state;
}

/**
 * asb_file_watch_dup_error:
 * @self: a [class@FileWatch]
 *
 * Says why a watch broke off: %ASB_ERROR_INTERRUPTED with the connection, %ASB_ERROR_PROTOCOL for
 * what cannot be understood. Watch anew, and look at everything.
 *
 * Returns: (transfer full) (nullable): the error; %NULL unless the state is
 * %ASB_FILE_WATCH_STATE_FAILED
 *
 * Since: 1.0
 */
GError *
asb_file_watch_dup_error (AsbFileWatch *self)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_val_if_fail (ASB_IS_FILE_WATCH (self), NULL);

  locker = g_mutex_locker_new (&self->mutex);
  return self->error ? g_error_copy (self->error) : NULL;
}

/**
 * asb_file_watch_close:
 * @self: a [class@FileWatch]
 *
 * Ends the watching, from any thread; does nothing when it has ended. The guest is told without
 * waiting for it. [signal@FileWatch::ended] follows in the main context.
 *
 * Since: 1.0
 */
void
asb_file_watch_close (AsbFileWatch *self)
{
  g_return_if_fail (ASB_IS_FILE_WATCH (self));

  settle (self, ASB_FILE_WATCH_STATE_CLOSED, NULL);
  g_cancellable_cancel (self->cancellable);
}
