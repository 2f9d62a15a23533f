/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-early.h"

#include <string.h>

#define MAX_READ (64 * 1024)
#define HEAD_END "\r\n\r\n"

/* A body that is cut, or in chunks, is taken as far as it can be read as text. */
static GBytes *
take_body (SoupMessageHeaders *headers, const char *body, gsize size)
{
  goffset length;

  if (soup_message_headers_get_encoding (headers) != SOUP_ENCODING_CONTENT_LENGTH)
    return g_bytes_new_static ("", 0);
  length = soup_message_headers_get_content_length (headers);
  if (length < 0)
    return g_bytes_new_static ("", 0);
  return g_bytes_new (body, (gsize)MIN ((guint64)length, size));
}

AsbOpensandboxReply *
asb_opensandbox_early_parse (const char *text, gsize size)
{
  g_autofree char *copy = g_strndup (text, size);
  const char *end = strstr (copy, HEAD_END);
  g_autoptr (SoupMessageHeaders) headers = soup_message_headers_new (SOUP_MESSAGE_HEADERS_RESPONSE);
  g_autofree char *phrase = NULL;
  g_autoptr (GBytes) body = NULL;
  SoupHTTPVersion version;
  guint status;
  gsize head_size;

  if (!end)
    return NULL;
  head_size = (gsize)(end - copy) + strlen (HEAD_END);
  /* Up to the empty line, which does not count. */
  if (!soup_headers_parse_response (copy, (int)(head_size - 2), headers, &version, &status, &phrase)
      || status < 400)
    return NULL;
  body = take_body (headers, copy + head_size, strlen (copy + head_size));
  return asb_opensandbox_reply_new (status, headers, body, NULL);
}

AsbOpensandboxReply *
asb_opensandbox_early_read (GIOStream *connection)
{
  GInputStream *input = g_io_stream_get_input_stream (connection);
  g_autofree char *buffer = NULL;
  gsize size = 0;
  gssize n_read;

  if (g_io_stream_is_closed (connection) || !G_IS_POLLABLE_INPUT_STREAM (input))
    return NULL;
  buffer = g_malloc (MAX_READ);
  do
    {
      n_read = g_pollable_input_stream_read_nonblocking (
          G_POLLABLE_INPUT_STREAM (input), buffer + size, MAX_READ - size, NULL, NULL);
      size += n_read > 0 ? (gsize)n_read : 0;
    }
  while (n_read > 0 && size < MAX_READ);
  return size > 0 ? asb_opensandbox_early_parse (buffer, size) : NULL;
}
