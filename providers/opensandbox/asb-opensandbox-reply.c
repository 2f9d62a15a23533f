/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-reply.h"

#include "asb-opensandbox-headers.h"

#define MAX_REQUEST_ID 128

struct _AsbOpensandboxReply
{
  guint status;
  SoupMessageHeaders *headers;
  GBytes *body;
  GInputStream *stream;
  char *request_id;
};

/* It ends up in errors and logs. */
static char *
dup_request_id (SoupMessageHeaders *headers)
{
  const char *value = soup_message_headers_get_one (headers, ASB_OPENSANDBOX_REQUEST_ID_HEADER);
  g_autofree char *id = NULL;

  if (!value)
    return NULL;
  id = g_strndup (value, MAX_REQUEST_ID);
  for (const char *at = id; *at; at++)
    if (!g_ascii_isgraph (*at))
      return NULL;
  return *id ? g_steal_pointer (&id) : NULL;
}

AsbOpensandboxReply *
asb_opensandbox_reply_new (guint status, SoupMessageHeaders *headers, GBytes *body,
                           GInputStream *stream)
{
  AsbOpensandboxReply *self = g_atomic_rc_box_new0 (AsbOpensandboxReply);

  self->status = status;
  self->headers = headers ? soup_message_headers_ref (headers)
                          : soup_message_headers_new (SOUP_MESSAGE_HEADERS_RESPONSE);
  self->body = body ? g_bytes_ref (body) : g_bytes_new_static ("", 0);
  g_set_object (&self->stream, stream);
  self->request_id = dup_request_id (self->headers);
  return self;
}

static void
reply_clear (gpointer data)
{
  AsbOpensandboxReply *self = data;

  g_clear_pointer (&self->headers, soup_message_headers_unref);
  g_clear_pointer (&self->body, g_bytes_unref);
  g_clear_object (&self->stream);
  g_clear_pointer (&self->request_id, g_free);
}

void
asb_opensandbox_reply_unref (AsbOpensandboxReply *self)
{
  g_atomic_rc_box_release_full (self, reply_clear);
}

guint
asb_opensandbox_reply_get_status (AsbOpensandboxReply *self)
{
  return self->status;
}

SoupMessageHeaders *
asb_opensandbox_reply_get_headers (AsbOpensandboxReply *self)
{
  return self->headers;
}

const char *
asb_opensandbox_reply_get_header (AsbOpensandboxReply *self, const char *name)
{
  return soup_message_headers_get_one (self->headers, name);
}

GBytes *
asb_opensandbox_reply_get_body (AsbOpensandboxReply *self)
{
  return self->body;
}

GInputStream *
asb_opensandbox_reply_get_stream (AsbOpensandboxReply *self)
{
  return self->stream;
}

const char *
asb_opensandbox_reply_get_request_id (AsbOpensandboxReply *self)
{
  return self->request_id;
}
