/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-pty-session.h"

#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-guest-script.h"
#include "asb-opensandbox-pty-frame.h"
#include "asb-opensandbox-thread.h"

#define STDIN 0

#define MAX_ERRORS 4096

struct _AsbOpensandboxPtySession
{
  AsbOpensandboxExecd *execd;
  AsbOpensandboxSite *site;
  char *id;
  char *program;
  gboolean is_deleted;

  AsbOpensandboxGuestNews news;
  GString *line;   /* of standard error, that has begun */
  GString *errors; /* the last of it */
  int exit_code;
  gboolean has_exited;
  GError *failure; /* what execd complains of */
};

AsbOpensandboxPtySession *
asb_opensandbox_pty_session_new (AsbOpensandboxExecd *execd, AsbOpensandboxSite *site,
                                 const char *id, const char *program)
{
  AsbOpensandboxPtySession *self = g_new0 (AsbOpensandboxPtySession, 1);

  self->execd = g_object_ref (execd);
  self->site = asb_opensandbox_site_ref (site);
  self->id = g_strdup (id);
  self->program = g_strdup (program);
  self->line = g_string_new (NULL);
  self->errors = g_string_new (NULL);
  return self;
}

const char *
asb_opensandbox_pty_session_get_id (AsbOpensandboxPtySession *self)
{
  return self->id;
}

typedef struct
{
  AsbOpensandboxExecd *execd;
  char *id;
} Deletion;

static void
deleted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  if (!reply)
    g_debug ("A PTY session was not taken down: %s", error->message);
}

static void
delete_in_thread (gpointer data)
{
  g_autofree Deletion *deletion = data;
  g_autofree char *id = deletion->id;
  g_autoptr (AsbOpensandboxExecd) execd = deletion->execd;
  g_autofree char *segment = g_uri_escape_string (id, NULL, FALSE);
  g_autofree char *path = g_strdup_printf ("/pty/%s", segment);
  g_autoptr (AsbOpensandboxRequest) request
      = asb_opensandbox_execd_new_request (execd, "DELETE", path, "take the PTY session down");

  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (execd), request, NULL,
                                     deleted_cb, NULL);
}

static void
take_down (AsbOpensandboxPtySession *self)
{
  Deletion *deletion;

  if (self->is_deleted)
    return;
  self->is_deleted = TRUE;
  deletion = g_new (Deletion, 1);
  deletion->execd = g_object_ref (self->execd);
  deletion->id = g_strdup (self->id);
  asb_opensandbox_thread_post (delete_in_thread, deletion);
}

void
asb_opensandbox_pty_session_free (gpointer data)
{
  AsbOpensandboxPtySession *self = data;

  take_down (self);
  asb_opensandbox_guest_news_clear (&self->news);
  g_string_free (self->line, TRUE);
  g_string_free (self->errors, TRUE);
  g_clear_error (&self->failure);
  g_clear_object (&self->execd);
  asb_opensandbox_site_unref (self->site);
  g_free (self->program);
  g_free (self->id);
  g_free (self);
}

/* Standard error. */

static void
take_line (AsbOpensandboxPtySession *self, AsbOpensandboxWebsocketLink *link)
{
  if (self->news.state == ASB_OPENSANDBOX_GUEST_NONE
      && asb_opensandbox_guest_news_parse (&self->news, self->line->str, self->line->len))
    {
      asb_opensandbox_site_set_architecture (self->site, self->news.architecture);
      if (self->news.state == ASB_OPENSANDBOX_GUEST_READY)
        asb_opensandbox_websocket_link_set_ready (link);
      else if (self->news.state > ASB_OPENSANDBOX_GUEST_READY)
        asb_opensandbox_websocket_link_drop (link, NULL);
    }
  else
    {
      g_string_append_len (self->errors, self->line->str, (gssize)self->line->len);
      g_string_append_c (self->errors, '\n');
      if (self->errors->len > MAX_ERRORS)
        g_string_erase (self->errors, 0, (gssize)(self->errors->len - MAX_ERRORS));
    }
  g_string_truncate (self->line, 0);
}

static void
take_errors (AsbOpensandboxPtySession *self, AsbOpensandboxWebsocketLink *link, const guint8 *bytes,
             gsize size)
{
  for (gsize i = 0; i < size; i++)
    if (bytes[i] == '\n' || self->line->len >= MAX_ERRORS)
      take_line (self, link);
    else
      g_string_append_c (self->line, (char)bytes[i]);
}

/* Messages. */

static void
take_failure (AsbOpensandboxPtySession *self, const AsbOpensandboxPtyFrame *frame)
{
  if (!self->failure)
    self->failure = g_error_new (
        ASB_ERROR, frame->did_not_start ? ASB_ERROR_GUEST_UNAVAILABLE : ASB_ERROR_INTERRUPTED,
        "execd's PTY failed%s%s", *frame->words ? ": " : "", frame->words);
}

static gboolean
take_frame (AsbOpensandboxPtySession *self, AsbOpensandboxWebsocketLink *link,
            const AsbOpensandboxPtyFrame *frame)
{
  if (frame->type == ASB_OPENSANDBOX_PTY_FRAME_STDOUT)
    asb_opensandbox_websocket_link_deliver (link, frame->bytes, frame->size);
  else if (frame->type == ASB_OPENSANDBOX_PTY_FRAME_STDERR)
    take_errors (self, link, frame->bytes, frame->size);
  else if (frame->type == ASB_OPENSANDBOX_PTY_FRAME_ERROR)
    take_failure (self, frame);
  else if (frame->type == ASB_OPENSANDBOX_PTY_FRAME_EXIT)
    {
      self->has_exited = TRUE;
      self->exit_code = frame->exit_code;
    }
  /* Before “connected” comes what was printed before we were there: nothing, since it is started by
   * our coming. */
  return frame->type != ASB_OPENSANDBOX_PTY_FRAME_REPLAY || frame->size == 0;
}

static gboolean
receive (gpointer data, AsbOpensandboxWebsocketLink *link, SoupWebsocketDataType type,
         GBytes *message, GError **error)
{
  g_auto (AsbOpensandboxPtyFrame) frame = { 0 };

  if (!asb_opensandbox_pty_frame_parse (&frame, type == SOUP_WEBSOCKET_DATA_TEXT, message, error))
    return FALSE;
  if (take_frame (data, link, &frame))
    return TRUE;
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                       "execd's PTY replays what a new session cannot have printed");
  return FALSE;
}

static GError *
new_exit_error (AsbOpensandboxPtySession *self)
{
  g_autofree char *shown
      = asb_opensandbox_error_dup_text (self->errors->str, self->errors->len, MAX_ERRORS);

  return g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                      "The program in the sandbox ended with status %d%s%s", self->exit_code,
                      *shown ? ": " : "", shown);
}

static void
ended (gpointer data, GError **error)
{
  AsbOpensandboxPtySession *self = data;
  GError *better = NULL;

  take_down (self);
  if (self->news.state > ASB_OPENSANDBOX_GUEST_READY)
    better = asb_opensandbox_guest_news_to_error (&self->news, self->program, self->errors->str);
  else if (self->failure)
    better = g_steal_pointer (&self->failure);
  else if (self->has_exited
           && (self->exit_code != 0 || self->news.state != ASB_OPENSANDBOX_GUEST_READY))
    better = new_exit_error (self);
  if (!better)
    return;
  g_clear_error (error);
  *error = better;
}

const AsbOpensandboxWebsocketKind asb_opensandbox_pty_session_kind = {
  .prefix = { STDIN },
  .prefix_size = 1,
  .receive = receive,
  .ended = ended,
  .free = asb_opensandbox_pty_session_free,
};
