/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-run.h"

#include <asb.h>
#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-standstill.h"
#include "asb-opensandbox-thread.h"

#define READ_AT_ONCE (64 * 1024)
#define MAX_ID 128

/* execd says something every 3 seconds, unless its sandbox is paused. */
#define SILENCE_MS 60000
#define SILENCE "execd has said nothing for 60 seconds"

struct _AsbOpensandboxRun
{
  AsbOpensandboxExecd *execd;
  AsbOpensandboxRunKind kind;
  const AsbOpensandboxRunHandlers *handlers; /* NULL when it is over or forgotten */
  gpointer data;

  GInputStream *stream; /* NULL before the reply, and when it is over */
  AsbOpensandboxEvents *events;
  GCancellable *cancellable; /* that of the standstill */
  char *id;
  gboolean begun;
  gboolean paused;
  gboolean reading;
  gboolean ended; /* nothing more will be read */
  gboolean is_final;
  gboolean scheduled;
  GError *error; /* why the reading ended */
  AsbOpensandboxStandstill *standstill;
};

static guint silence_ms = SILENCE_MS;

static void work (AsbOpensandboxRun *self);

static AsbOpensandboxRun *
run_ref (AsbOpensandboxRun *self)
{
  return g_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  AsbOpensandboxRun *self = data;

  g_clear_pointer (&self->standstill, asb_opensandbox_standstill_free);
  g_clear_object (&self->execd);
  g_clear_object (&self->stream);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->events, asb_opensandbox_events_free);
  g_free (self->id);
  g_clear_error (&self->error);
}

void
asb_opensandbox_run_unref (AsbOpensandboxRun *self)
{
  g_rc_box_release_full (self, clear);
}

/* execd keeps in files what is printed, and runs nothing where it cannot make them. */
static const struct
{
  const char *words;
  AsbError code;
  const char *advice;
} NO_FILES[] = {
  { "read-only file system", ASB_ERROR_READ_ONLY, "that is read-only; it must not be" },
  { "no space left on device", ASB_ERROR_NO_SPACE, "that is full; make room there" },
  { "permission denied", ASB_ERROR_PERMISSION_DENIED, "it may not write there; allow it" },
};

/* NULL: it is for no such reason. */
static GError *
new_no_files (const GError *error)
{
  if (!g_error_matches (error, ASB_ERROR, ASB_ERROR_PROVIDER)
      || (!strstr (error->message, "failed to get stdlog descriptor")
          && !strstr (error->message, "failed to get combined output descriptor")))
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (NO_FILES); i++)
    if (strstr (error->message, NO_FILES[i].words))
      {
        GError *told = g_error_copy (error);

        told->code = (int)NO_FILES[i].code;
        g_free (told->message);
        told->message = g_strdup_printf ("Nothing can be run in the sandbox, nor its files be "
                                         "looked at: execd keeps in /tmp what commands print, and "
                                         "%s",
                                         NO_FILES[i].advice);
        return told;
      }
  return NULL;
}

static void
finish (AsbOpensandboxRun *self, const GError *cause)
{
  const AsbOpensandboxRunHandlers *handlers = g_steal_pointer (&self->handlers);
  g_autoptr (GError) no_files = cause ? new_no_files (cause) : NULL;
  const GError *error = no_files ? no_files : cause;

  if (!error && self->stream)
    asb_opensandbox_execd_drop_stream (self->execd, g_steal_pointer (&self->stream));
  else
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->stream);
  if (handlers)
    handlers->done (self, error, self->data);
}

static gboolean
is_final (AsbOpensandboxRun *self, AsbOpensandboxEventType type)
{
  return type == ASB_OPENSANDBOX_EVENT_COMPLETE
         || (type == ASB_OPENSANDBOX_EVENT_ERROR && self->kind == ASB_OPENSANDBOX_RUN_COMMAND);
}

static void
take_id (AsbOpensandboxRun *self, AsbOpensandboxEvent *event)
{
  if (self->id || event->text->len == 0 || event->text->len > MAX_ID)
    return;
  for (gsize i = 0; i < event->text->len; i++)
    if (!g_ascii_isalnum (event->text->str[i]) && !strchr ("-_.", event->text->str[i]))
      return;
  self->id = g_strdup (event->text->str);
}

static void
handle (AsbOpensandboxRun *self, AsbOpensandboxEvent *event)
{
  if (event->type == ASB_OPENSANDBOX_EVENT_PING || event->type == ASB_OPENSANDBOX_EVENT_OTHER)
    return;
  if (event->type == ASB_OPENSANDBOX_EVENT_INIT)
    take_id (self, event);
  if (event->type == ASB_OPENSANDBOX_EVENT_FAILURE)
    {
      g_clear_error (&self->error);
      self->error = g_error_new (ASB_ERROR, ASB_ERROR_PROVIDER, "execd failed: %s (%s)",
                                 event->value, event->name);
    }
  if (self->handlers->event)
    self->handlers->event (self, event, self->data);
  self->is_final = is_final (self, event->type);
}

/* A broken line says nothing of what was done, whatever it says of the server. */
static GError *
new_broken (AsbOpensandboxRun *self, const GError *cause)
{
  const GError *silence = asb_opensandbox_standstill_get_error (self->standstill);

  if (silence)
    return g_error_copy (silence);
  if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return g_error_copy (cause);
  return g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED, "the events broke off before their end: %s",
                      cause->message);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AsbOpensandboxRun) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes
      = g_input_stream_read_bytes_finish (G_INPUT_STREAM (source), result, &error);
  gsize size = 0;
  gconstpointer data = bytes ? g_bytes_get_data (bytes, &size) : NULL;

  self->reading = FALSE;
  asb_opensandbox_standstill_end (self->standstill);
  if (size > 0)
    asb_opensandbox_events_push (self->events, data, size);
  else
    {
      self->ended = TRUE;
      if (!error)
        asb_opensandbox_events_end (self->events);
      else if (!self->error)
        self->error = new_broken (self, error);
    }
  work (self);
}

/* Without an event that ends it the outcome is unknown. */
static void
finish_early (AsbOpensandboxRun *self)
{
  g_autoptr (GError) error = NULL;

  if (self->error && self->error->domain == ASB_ERROR)
    error = g_error_copy (self->error);
  else
    error = g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                         "the events broke off before their end: %s",
                         self->error ? self->error->message : "the stream ended");
  finish (self, error);
}

static void
read_more (AsbOpensandboxRun *self)
{
  if (self->reading)
    return;
  self->reading = TRUE;
  asb_opensandbox_standstill_begin (self->standstill);
  g_input_stream_read_bytes_async (self->stream, READ_AT_ONCE, G_PRIORITY_DEFAULT,
                                   self->cancellable, read_cb, run_ref (self));
}

static void
work (AsbOpensandboxRun *self)
{
  g_autoptr (AsbOpensandboxRun) held = run_ref (self);
  g_autoptr (GError) error = NULL;

  while (self->handlers && !self->paused && !self->is_final)
    {
      g_auto (AsbOpensandboxEvent) event = { 0 };

      if (!asb_opensandbox_events_next (self->events, &event, &error))
        break;
      handle (self, &event);
    }
  if (!self->handlers || (self->paused && !self->is_final))
    return;
  if (self->is_final)
    finish (self, NULL);
  else if (error)
    finish (self, error);
  else if (self->ended && self->kind == ASB_OPENSANDBOX_RUN_CODE && !self->error)
    finish (self, NULL);
  else if (self->ended)
    finish_early (self);
  else
    read_more (self);
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AsbOpensandboxRun) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_open_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  if (!self->handlers)
    return;
  if (!reply)
    {
      finish (self, error);
      return;
    }
  self->begun = TRUE;
  self->stream = g_object_ref (asb_opensandbox_reply_get_stream (reply));
  work (self);
}

AsbOpensandboxRun *
asb_opensandbox_run_start (AsbOpensandboxExecd *execd, AsbOpensandboxRequest *request,
                           AsbOpensandboxRunKind kind, const AsbOpensandboxRunHandlers *handlers,
                           gpointer data)
{
  AsbOpensandboxRun *self = g_rc_box_new0 (AsbOpensandboxRun);

  self->execd = g_object_ref (execd);
  self->kind = kind;
  self->handlers = handlers;
  self->data = data;
  self->events = asb_opensandbox_events_new ();
  self->standstill = asb_opensandbox_standstill_new (execd, silence_ms, SILENCE);
  self->cancellable = g_object_ref (asb_opensandbox_standstill_get_cancellable (self->standstill));
  asb_opensandbox_client_open_async (asb_opensandbox_execd_get_client (execd), request,
                                     self->cancellable, opened_cb, run_ref (self));
  asb_opensandbox_request_unref (request);
  return self;
}

void
asb_opensandbox_run_forget (AsbOpensandboxRun *self)
{
  self->handlers = NULL;
  g_cancellable_cancel (self->cancellable);
}

void
asb_opensandbox_run_pause (AsbOpensandboxRun *self)
{
  self->paused = TRUE;
}

static void
resume_cb (gpointer data)
{
  g_autoptr (AsbOpensandboxRun) self = data;

  self->scheduled = FALSE;
  if (self->begun)
    work (self);
}

void
asb_opensandbox_run_resume (AsbOpensandboxRun *self)
{
  self->paused = FALSE;
  if (self->scheduled)
    return;
  self->scheduled = TRUE;
  asb_opensandbox_thread_post (resume_cb, run_ref (self));
}

/* A request that was refused says itself what it was for. */
GError *
asb_opensandbox_run_describe (AsbOpensandboxRun *self, const char *what, const GError *error)
{
  if (!self->begun || !g_error_matches (error, ASB_ERROR, ASB_ERROR_INTERRUPTED))
    return g_error_copy (error);
  return asb_opensandbox_error_mark_unknown (
      g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED, "Could not %s: %s", what, error->message));
}

const char *
asb_opensandbox_run_get_id (AsbOpensandboxRun *self)
{
  return self->id;
}

void
asb_opensandbox_run_set_silence (guint milliseconds)
{
  silence_ms = milliseconds;
}
