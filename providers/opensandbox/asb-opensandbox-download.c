/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-download.h"

#include <string.h>

#include "asb-opensandbox-cancel.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-headers.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-shell.h"
#include "asb-opensandbox-standstill.h"
#include "asb-opensandbox-thread.h"

#define READ_AT_ONCE (64 * 1024)

/* What execd says is the length of a directory. */
#define ABSURD_LENGTH (G_GINT64_CONSTANT (1) << 62)

struct _AsbOpensandboxDownload
{
  AsbOpensandboxExecd *execd;
  char *path;
  char *name; /* (nullable): what it is called in errors, which the server's words are in, too */
  guint64 offset;
  gint64 left;       /* −1: all that comes */
  gboolean is_known; /* that there is so much */
  guint64 skip;
  guint64 due;     /* of what is said to be there, what has not come yet */
  guint64 taken;   /* of the file, from the offset on */
  GError *missing; /* that the end has not come, while it is asked whether it is still there */
  gint64 expected; /* of the body; −1: not said */
  AsbPipe *pipe;
  GInputStream *stream;
  AsbOpensandboxStandstill *standstill;
  GBytes *rest;
  GSource *room;
  AsbOpensandboxCancelWatch *closed;
  void (*opened) (gpointer data);
  AsbOpensandboxDownloadDone done;
  gpointer data;
};

static void read_more (AsbOpensandboxDownload *self);

static void
finish (AsbOpensandboxDownload *self, const GError *error)
{
  if (error)
    asb_pipe_finish_error (self->pipe, error);
  else
    asb_pipe_finish (self->pipe);
  self->done (error, self->data);
  if (self->stream)
    g_input_stream_close_async (self->stream, G_PRIORITY_DEFAULT, NULL, NULL, NULL);
  g_clear_object (&self->stream);
  g_clear_pointer (&self->standstill, asb_opensandbox_standstill_free);
  g_clear_object (&self->execd);
  g_clear_pointer (&self->pipe, asb_pipe_unref);
  g_clear_pointer (&self->rest, g_bytes_unref);
  g_clear_error (&self->missing);
  asb_opensandbox_thread_clear_timer (&self->room);
  asb_opensandbox_cancel_unwatch (&self->closed);
  g_free (self->name);
  g_free (self->path);
  g_free (self);
}

/* @error: NULL only when the transport is closed. */
static void
fail (AsbOpensandboxDownload *self, const GError *error)
{
  g_autoptr (GError) told = NULL;

  if (asb_opensandbox_execd_is_closed (self->execd))
    told = g_error_new_literal (ASB_ERROR, ASB_ERROR_CLOSED, "The transport is closed");
  else
    told = g_error_copy (error);
  if (self->name)
    told = asb_opensandbox_error_rename (g_steal_pointer (&told), self->path, self->name);
  finish (self, told);
}

/* A file whose end has not come may have lost it meanwhile. Or all of it has come, and only what
 * should have stood behind has not. */

static gboolean
read_size (AsbOpensandboxScriptResult *now, guint64 *size)
{
  return now && now->exit_status == 0 && now->lines[0]
         && g_ascii_string_to_unsigned (now->lines[0], 10, 0, G_MAXINT64, size, NULL);
}

static gboolean
is_whole (AsbOpensandboxDownload *self, guint64 size)
{
  return self->left <= 0 && self->due == 0 && self->expected <= 0
         && size == self->offset + self->taken;
}

static void
measured_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxDownload *self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxScriptResult) now
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, NULL);
  guint64 size = G_MAXUINT64;

  if (read_size (now, &size) && is_whole (self, size))
    {
      finish (self, NULL);
      return;
    }
  if (size <= self->offset + self->taken)
    error = g_error_new (ASB_ERROR, ASB_ERROR_CONCURRENT_MODIFICATION,
                         "“%s” became shorter while it was read", self->path);
  else
    error = g_steal_pointer (&self->missing);
  fail (self, error);
}

/* Takes @error. */
static void
fail_short (AsbOpensandboxDownload *self, GError *error)
{
  const char *const arguments[] = { self->path, NULL };

  self->missing = error;
  asb_opensandbox_script_ask_async (
      self->execd, "stat -L -c %s \"$1\"", arguments, "look at the file",
      asb_opensandbox_execd_get_cancellable (self->execd), measured_cb, self);
}

/* Nothing more comes. */
static void
end (AsbOpensandboxDownload *self)
{
  GError *error = NULL;

  if (self->is_known && self->left > 0)
    error = g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                         "“%s” ended %" G_GINT64_FORMAT " bytes before its end", self->path,
                         self->left);
  else if (self->due > 0)
    error = g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                         "“%s” ended %" G_GUINT64_FORMAT " bytes before its end", self->path,
                         self->due);
  if (error)
    fail_short (self, error);
  else
    finish (self, NULL);
}

static void push_rest (AsbOpensandboxDownload *self);

static gboolean
room_cb (gpointer user_data)
{
  AsbOpensandboxDownload *self = user_data;

  asb_opensandbox_thread_clear_timer (&self->room);
  push_rest (self);
  return G_SOURCE_REMOVE;
}

static void
push_rest (AsbOpensandboxDownload *self)
{
  g_autoptr (GBytes) bytes = g_steal_pointer (&self->rest);
  gsize size = g_bytes_get_size (bytes);
  gsize pushed = asb_pipe_push (self->pipe, g_bytes_get_data (bytes, NULL), size);

  if (asb_pipe_is_stopped (self->pipe) || (pushed == size && self->left == 0))
    {
      finish (self, NULL);
      return;
    }
  if (pushed == size)
    {
      read_more (self);
      return;
    }
  self->rest = g_bytes_new_from_bytes (bytes, pushed, size - pushed);
  self->room = asb_pipe_create_source (self->pipe, ASB_PIPE_CONDITION_WRITABLE);
  g_source_set_callback (self->room, room_cb, self, NULL);
  g_source_attach (self->room, asb_opensandbox_thread_get_context ());
}

/* A server that does not know ranges sends all of it. */
static GBytes *
cut (AsbOpensandboxDownload *self, GBytes *bytes)
{
  gsize size = g_bytes_get_size (bytes);
  gsize skipped = (gsize)MIN (self->skip, size);
  gsize kept = size - skipped;

  self->skip -= skipped;
  if (self->left >= 0)
    {
      kept = MIN (kept, (guint64)self->left);
      self->left -= (gint64)kept;
    }
  self->due -= MIN (self->due, kept);
  self->taken += kept;
  return g_bytes_new_from_bytes (bytes, skipped, kept);
}

/* What has begun to come was broken off, whatever the server is to blame for. */
static GError *
new_cut (AsbOpensandboxDownload *self, const GError *cause)
{
  GError *error;

  if (cause->domain != ASB_ERROR)
    return g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED, "“%s” broke off before its end: %s",
                        self->path, cause->message);
  error = g_error_copy (cause);
  if (error->code == ASB_ERROR_PROVIDER)
    error->code = ASB_ERROR_INTERRUPTED;
  return error;
}

/* Why there will be no more, although there should be; NULL: there may be. */
static GError *
new_break (AsbOpensandboxDownload *self, const GError *cause, gsize size)
{
  const GError *standstill = asb_opensandbox_standstill_get_error (self->standstill);

  if (cause && standstill)
    return g_error_new (standstill->domain, standstill->code, "“%s” broke off before its end: %s",
                        self->path, standstill->message);
  if (cause)
    return new_cut (self, cause);
  if (size == 0 && self->expected > 0)
    return g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                        "“%s” broke off %" G_GINT64_FORMAT " bytes before its end", self->path,
                        self->expected);
  return NULL;
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxDownload *self = user_data;
  g_autoptr (GError) cause = NULL;
  g_autoptr (GBytes) bytes
      = g_input_stream_read_bytes_finish (G_INPUT_STREAM (source), result, &cause);
  gsize size = bytes ? g_bytes_get_size (bytes) : 0;
  g_autoptr (GError) error = NULL;

  asb_opensandbox_standstill_end (self->standstill);
  error = new_break (self, cause, size);
  if (error && asb_opensandbox_standstill_get_error (self->standstill))
    fail (self, error);
  else if (error)
    fail_short (self, g_steal_pointer (&error));
  else if (size == 0)
    end (self);
  else
    {
      if (self->expected >= 0)
        self->expected = MAX (self->expected - (gint64)size, 0);
      self->rest = cut (self, bytes);
      push_rest (self);
    }
}

static void
read_more (AsbOpensandboxDownload *self)
{
  asb_opensandbox_standstill_begin (self->standstill);
  g_input_stream_read_bytes_async (self->stream, READ_AT_ONCE, G_PRIORITY_DEFAULT,
                                   asb_opensandbox_standstill_get_cancellable (self->standstill),
                                   read_cb, self);
}

/* execd says of every file that it is bytes, and how it is called. */
static gboolean
is_page (AsbOpensandboxReply *reply)
{
  const char *type = asb_opensandbox_reply_get_header (reply, "Content-Type");

  return type && g_ascii_strncasecmp (type, "text/html", strlen ("text/html")) == 0
         && !asb_opensandbox_reply_get_header (reply, "Content-Disposition");
}

static gboolean
check_head (AsbOpensandboxDownload *self, AsbOpensandboxReply *reply, GError **error)
{
  SoupMessageHeaders *headers = asb_opensandbox_reply_get_headers (reply);
  gint64 start = -1;
  gint64 end;
  gint64 total;

  if (is_page (reply))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                   "Could not read “%s”: a page came instead of it, as from a proxy in between",
                   self->path);
      return FALSE;
    }
  self->expected = -1;
  if (soup_message_headers_get_encoding (headers) == SOUP_ENCODING_CONTENT_LENGTH)
    self->expected = soup_message_headers_get_content_length (headers);
  if (self->expected >= ABSURD_LENGTH)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_IS_DIRECTORY, "Could not read “%s”: Is a directory",
                   self->path);
      return FALSE;
    }
  if (asb_opensandbox_reply_get_status (reply) != SOUP_STATUS_PARTIAL_CONTENT)
    {
      self->skip = self->offset;
      return TRUE;
    }
  if (!asb_opensandbox_headers_parse_content_range (
          asb_opensandbox_reply_get_header (reply, "Content-Range"), &start, &end, &total)
      || start < 0 || (guint64)start != self->offset)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                   "execd sent another part of “%s” than the one it was asked for", self->path);
      return FALSE;
    }
  return TRUE;
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxDownload *self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_open_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);
  gboolean is_behind
      = error
        && asb_opensandbox_error_get_status (error) == SOUP_STATUS_REQUESTED_RANGE_NOT_SATISFIABLE;

  if (reply)
    {
      self->stream = g_object_ref (asb_opensandbox_reply_get_stream (reply));
      check_head (self, reply, &error);
    }
  if (error && !is_behind)
    {
      fail (self, error);
      return;
    }
  if (self->opened)
    self->opened (self->data);
  if (is_behind)
    end (self);
  else
    read_more (self);
}

static AsbOpensandboxRequest *
new_request (AsbOpensandboxDownload *self)
{
  g_autofree char *shown = asb_opensandbox_shell_show_path (self->path);
  g_autofree char *what = g_strdup_printf ("read “%s”", shown);
  AsbOpensandboxRequest *request
      = asb_opensandbox_execd_new_request (self->execd, "GET", "/files/download", what);
  g_autofree char *range = NULL;

  asb_opensandbox_request_add_query (request, "path", self->path);
  if (self->left >= 0)
    range = g_strdup_printf ("bytes=%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT, self->offset,
                             self->offset + (guint64)self->left - 1);
  else if (self->offset > 0)
    range = g_strdup_printf ("bytes=%" G_GUINT64_FORMAT "-", self->offset);
  if (range)
    asb_opensandbox_request_add_header (request, "Range", range);
  return request;
}

static AsbOpensandboxDownload *
new_download (AsbOpensandboxExecd *execd, const char *path, guint64 offset, gint64 length,
              AsbPipe *pipe, AsbOpensandboxDownloadDone done, gpointer data)
{
  AsbOpensandboxDownload *self = g_new0 (AsbOpensandboxDownload, 1);

  self->execd = g_object_ref (execd);
  self->standstill = asb_opensandbox_standstill_new_idle (execd);
  self->path = g_strdup (path);
  self->offset = offset;
  self->left = length;
  self->pipe = asb_pipe_ref (pipe);
  self->done = done;
  self->data = data;
  return self;
}

/* Whoever reads may never make room. */
static void
closed_cb (gpointer data)
{
  AsbOpensandboxDownload *self = data;

  if (self->room)
    fail (self, NULL);
}

static void
start (AsbOpensandboxDownload *self)
{
  AsbOpensandboxExecd *execd = self->execd;
  g_autoptr (AsbOpensandboxRequest) request = NULL;

  if (self->left == 0)
    {
      if (self->opened)
        self->opened (self->data);
      finish (self, NULL);
      return;
    }
  self->closed = asb_opensandbox_cancel_watch (asb_opensandbox_execd_get_cancellable (execd),
                                               closed_cb, self);
  request = new_request (self);
  asb_opensandbox_client_open_async (asb_opensandbox_execd_get_client (execd), request,
                                     asb_opensandbox_execd_get_cancellable (execd), opened_cb,
                                     self);
}

void
asb_opensandbox_download_open (AsbOpensandboxExecd *execd, const char *path, const char *name,
                               guint64 offset, gint64 length, guint64 due, AsbPipe *pipe,
                               void (*opened) (gpointer data), AsbOpensandboxDownloadDone done,
                               gpointer data)
{
  AsbOpensandboxDownload *self = new_download (execd, path, offset, length, pipe, done, data);

  self->name = asb_opensandbox_shell_show_path (name);
  self->due = due;
  self->opened = opened;
  start (self);
}

void
asb_opensandbox_download_to_pipe (AsbOpensandboxExecd *execd, const char *path, guint64 size,
                                  AsbPipe *pipe, AsbOpensandboxDownloadDone done, gpointer data)
{
  AsbOpensandboxDownload *self = new_download (execd, path, 0, (gint64)size, pipe, done, data);

  self->is_known = TRUE;
  start (self);
}
