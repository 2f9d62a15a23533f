/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-request.h"

#include <string.h>

#include "asb-opensandbox-headers.h"

#define SANDBOXES "/sandboxes/"
#define JSON_TYPE_NAME "application/json"
#define DEFAULT_TIMEOUT -1

struct _AsbOpensandboxRequest
{
  const char *method; /* interned */
  AsbOpensandboxEndpoint *endpoint;
  char *path;
  GString *query;
  GHashTable *headers;
  char *content_type;
  GBytes *body;
  GInputStream *stream;
  gint64 stream_size;
  gint64 timeout;
  gsize max_reply;
  AsbOpensandboxRetryRule retry;
  gboolean is_once;
  AsbOpensandboxWrittenFunc written_func;
  gpointer written_data;
  char *what;
  char *sandbox_id;
};

AsbOpensandboxRequest *
asb_opensandbox_request_new (const char *method, AsbOpensandboxEndpoint *endpoint, const char *path)
{
  AsbOpensandboxRequest *self = g_atomic_rc_box_new0 (AsbOpensandboxRequest);

  self->method = g_intern_string (method);
  self->endpoint = asb_opensandbox_endpoint_ref (endpoint);
  self->path = g_strdup (path);
  self->query = g_string_new (NULL);
  self->headers = asb_opensandbox_headers_new ();
  self->timeout = DEFAULT_TIMEOUT;
  self->max_reply = ASB_OPENSANDBOX_MAX_REPLY;
  self->retry = asb_opensandbox_retry_rule_for_method (method);
  return self;
}

AsbOpensandboxRequest *
asb_opensandbox_request_ref (AsbOpensandboxRequest *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
request_clear (gpointer data)
{
  AsbOpensandboxRequest *self = data;

  g_clear_pointer (&self->endpoint, asb_opensandbox_endpoint_unref);
  g_clear_pointer (&self->path, g_free);
  g_string_free (self->query, TRUE);
  g_clear_pointer (&self->headers, g_hash_table_unref);
  g_clear_pointer (&self->content_type, g_free);
  g_clear_pointer (&self->body, g_bytes_unref);
  g_clear_object (&self->stream);
  g_clear_pointer (&self->what, g_free);
  g_clear_pointer (&self->sandbox_id, g_free);
}

void
asb_opensandbox_request_unref (AsbOpensandboxRequest *self)
{
  g_atomic_rc_box_release_full (self, request_clear);
}

void
asb_opensandbox_request_add_query (AsbOpensandboxRequest *self, const char *name, const char *value)
{
  g_string_append_c (self->query, self->query->len == 0 ? '?' : '&');
  g_string_append_uri_escaped (self->query, name, NULL, FALSE);
  g_string_append_c (self->query, '=');
  g_string_append_uri_escaped (self->query, value, NULL, FALSE);
}

void
asb_opensandbox_request_set_json (AsbOpensandboxRequest *self, JsonNode *body)
{
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  gsize size;
  char *text;
  g_autoptr (GBytes) bytes = NULL;

  json_generator_set_root (generator, body);
  text = json_generator_to_data (generator, &size);
  bytes = g_bytes_new_take (text, size);
  asb_opensandbox_request_set_body (self, JSON_TYPE_NAME, bytes);
}

void
asb_opensandbox_request_set_body (AsbOpensandboxRequest *self, const char *content_type,
                                  GBytes *body)
{
  g_free (self->content_type);
  self->content_type = g_strdup (content_type);
  g_clear_pointer (&self->body, g_bytes_unref);
  self->body = g_bytes_ref (body);
  g_clear_object (&self->stream);
}

void
asb_opensandbox_request_set_stream (AsbOpensandboxRequest *self, const char *content_type,
                                    GInputStream *body, gint64 size)
{
  g_free (self->content_type);
  self->content_type = g_strdup (content_type);
  g_clear_pointer (&self->body, g_bytes_unref);
  g_set_object (&self->stream, body);
  self->stream_size = size;
}

void
asb_opensandbox_request_add_header (AsbOpensandboxRequest *self, const char *name,
                                    const char *value)
{
  g_hash_table_replace (self->headers, g_strdup (name), g_strdup (value));
}

void
asb_opensandbox_request_set_timeout (AsbOpensandboxRequest *self, guint milliseconds)
{
  self->timeout = milliseconds;
}

void
asb_opensandbox_request_set_max_reply (AsbOpensandboxRequest *self, gsize bytes)
{
  self->max_reply = bytes;
}

void
asb_opensandbox_request_set_retry (AsbOpensandboxRequest *self, gboolean retry)
{
  self->retry = retry ? ASB_OPENSANDBOX_RETRY_ALWAYS : ASB_OPENSANDBOX_RETRY_NEVER;
}

void
asb_opensandbox_request_set_once (AsbOpensandboxRequest *self)
{
  self->retry = ASB_OPENSANDBOX_RETRY_NEVER;
  self->is_once = TRUE;
}

void
asb_opensandbox_request_set_written_func (AsbOpensandboxRequest *self,
                                          AsbOpensandboxWrittenFunc func, gpointer data)
{
  self->written_func = func;
  self->written_data = data;
}

void
asb_opensandbox_request_written (AsbOpensandboxRequest *self)
{
  if (self->written_func)
    self->written_func (self->written_data);
}

void
asb_opensandbox_request_set_what (AsbOpensandboxRequest *self, const char *what)
{
  g_free (self->what);
  self->what = g_strdup (what);
}

void
asb_opensandbox_request_set_sandbox (AsbOpensandboxRequest *self, const char *sandbox_id)
{
  g_free (self->sandbox_id);
  self->sandbox_id = g_strdup (sandbox_id);
}

const char *
asb_opensandbox_request_get_method (AsbOpensandboxRequest *self)
{
  return self->method;
}

AsbOpensandboxEndpoint *
asb_opensandbox_request_get_endpoint (AsbOpensandboxRequest *self)
{
  return self->endpoint;
}

const char *
asb_opensandbox_request_get_what (AsbOpensandboxRequest *self)
{
  return self->what ? self->what : "get an answer";
}

AsbOpensandboxTarget
asb_opensandbox_request_get_target (AsbOpensandboxRequest *self)
{
  const char *id = self->path + strlen (SANDBOXES);

  /* Behind one that leads into a sandbox paths mean what they like there. */
  if (self->endpoint->sandbox_id || !g_str_has_prefix (self->path, SANDBOXES) || *id == '\0')
    return ASB_OPENSANDBOX_TARGET_OTHER;
  return strchr (id, '/') ? ASB_OPENSANDBOX_TARGET_ASPECT : ASB_OPENSANDBOX_TARGET_SANDBOX;
}

const char *
asb_opensandbox_request_get_sandbox (AsbOpensandboxRequest *self)
{
  return self->sandbox_id ? self->sandbox_id : self->endpoint->sandbox_id;
}

const char *
asb_opensandbox_request_get_content_type (AsbOpensandboxRequest *self)
{
  return self->content_type;
}

GBytes *
asb_opensandbox_request_get_body (AsbOpensandboxRequest *self)
{
  return self->body;
}

GInputStream *
asb_opensandbox_request_get_stream (AsbOpensandboxRequest *self)
{
  return self->stream;
}

gint64
asb_opensandbox_request_get_stream_size (AsbOpensandboxRequest *self)
{
  return self->stream_size;
}

GHashTable *
asb_opensandbox_request_get_headers (AsbOpensandboxRequest *self)
{
  return self->headers;
}

gsize
asb_opensandbox_request_get_max_reply (AsbOpensandboxRequest *self)
{
  return self->max_reply;
}

AsbOpensandboxRetryRule
asb_opensandbox_request_get_retry (AsbOpensandboxRequest *self)
{
  return self->retry;
}

gboolean
asb_opensandbox_request_get_once (AsbOpensandboxRequest *self)
{
  return self->is_once;
}

gint64
asb_opensandbox_request_get_timeout (AsbOpensandboxRequest *self)
{
  return self->timeout;
}

char *
asb_opensandbox_request_dup_url (AsbOpensandboxRequest *self)
{
  return g_strconcat (self->endpoint->base, self->path, self->query->str, NULL);
}
