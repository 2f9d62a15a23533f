/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "websocket-request.h"

#include "asb-wire-json.h"
#include "sha1.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAGIC "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

/* A part of the request. */
typedef struct
{
  const char *at;
  size_t size;
} Slice;

typedef enum
{
  FIELD_HOST,
  FIELD_UPGRADE,
  FIELD_CONNECTION,
  FIELD_VERSION,
  FIELD_KEY,
  FIELD_ORIGIN,
  FIELD_LENGTH,
  FIELD_ENCODING,
  N_FIELDS
} Field;

static const char *const FIELD_NAMES[N_FIELDS] = {
  [FIELD_HOST] = "host",
  [FIELD_UPGRADE] = "upgrade",
  [FIELD_CONNECTION] = "connection",
  [FIELD_VERSION] = "sec-websocket-version",
  [FIELD_KEY] = "sec-websocket-key",
  [FIELD_ORIGIN] = "origin",
  [FIELD_LENGTH] = "content-length",
  [FIELD_ENCODING] = "transfer-encoding",
};

/* What the header lines say. */
typedef struct
{
  unsigned count[N_FIELDS];
  Slice value[N_FIELDS]; /* the last one's */
  bool upgrades;         /* Connection: Upgrade */
  bool to_websocket;     /* Upgrade: websocket */
} Fields;

static bool
equals (Slice slice, const char *text)
{
  return slice.size == strlen (text) && strncasecmp (slice.at, text, slice.size) == 0;
}

static Slice
trim (Slice slice)
{
  while (slice.size > 0 && strchr (" \t", slice.at[0]))
    {
      slice.at++;
      slice.size--;
    }
  while (slice.size > 0 && strchr (" \t", slice.at[slice.size - 1]))
    slice.size--;
  return slice;
}

/* Cuts off what stands before @mark, or all; false when nothing is left. */
static bool
next_part (Slice *rest, char mark, Slice *part)
{
  const char *end;

  if (!rest->at)
    return false;
  end = memchr (rest->at, mark, rest->size);
  *part = *rest;
  if (end)
    {
      part->size = (size_t)(end - rest->at);
      rest->at = end + 1;
      rest->size -= part->size + 1;
    }
  else
    *rest = (Slice){ 0 };
  return true;
}

static bool
list_has (Slice list, const char *text)
{
  Slice part;

  while (next_part (&list, ',', &part))
    if (equals (trim (part), text))
      return true;
  return false;
}

/* Of names (RFC 9110 §5.6.2). */
static bool
is_token (Slice slice)
{
  static const char MARKS[] = "!#$%&'*+-.^_`|~";

  for (size_t i = 0; i < slice.size; i++)
    {
      char c = slice.at[i];

      if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
          && (c == '\0' || !strchr (MARKS, c)))
        return false;
    }
  return slice.size > 0;
}

/* Without control characters, by which two readers could see two requests. */
static bool
is_clean (Slice slice)
{
  for (size_t i = 0; i < slice.size; i++)
    {
      unsigned char c = (unsigned char)slice.at[i];

      if ((c < ' ' && c != '\t') || c == 127)
        return false;
    }
  return true;
}

static bool
is_key (Slice slice)
{
  if (slice.size != WEBSOCKET_KEY_LENGTH || memcmp (slice.at + 22, "==", 2) != 0)
    return false;
  for (size_t i = 0; i < 22; i++)
    {
      char c = slice.at[i];

      if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+'
            || c == '/'))
        return false;
    }
  return true;
}

static int
check_request_line (Slice line)
{
  Slice method;
  Slice path;

  if (!is_clean (line) || !next_part (&line, ' ', &method) || !next_part (&line, ' ', &path)
      || !is_token (method) || path.size == 0 || path.at[0] != '/')
    return 400;
  if (method.size != 3 || memcmp (method.at, "GET", 3) != 0)
    return 405;
  if (line.size != 8 || memcmp (line.at, "HTTP/", 5) != 0)
    return 400;
  return memcmp (line.at, "HTTP/1.1", 8) == 0 ? 0 : 505;
}

static bool
take_field (Slice line, Fields *fields)
{
  Slice name;

  if (!memchr (line.at, ':', line.size) || !is_clean (line) || !next_part (&line, ':', &name)
      || !is_token (name))
    return false;
  for (int i = 0; i < N_FIELDS; i++)
    if (equals (name, FIELD_NAMES[i]))
      {
        fields->count[i]++;
        fields->value[i] = trim (line);
        fields->upgrades |= i == FIELD_CONNECTION && list_has (line, "upgrade");
        fields->to_websocket |= i == FIELD_UPGRADE && list_has (line, "websocket");
      }
  return true;
}

static int
check_fields (const Fields *fields)
{
  bool has_content
      = fields->count[FIELD_ENCODING] > 0
        || (fields->count[FIELD_LENGTH] > 0 && !equals (fields->value[FIELD_LENGTH], "0"));

  if (has_content || fields->count[FIELD_HOST] != 1)
    return 400;
  /* A browser, led here by whatever page it shows. */
  if (fields->count[FIELD_ORIGIN] > 0)
    return 403;
  if (!fields->upgrades || !fields->to_websocket || fields->count[FIELD_VERSION] != 1
      || !equals (fields->value[FIELD_VERSION], "13"))
    return 426;
  return fields->count[FIELD_KEY] == 1 && is_key (fields->value[FIELD_KEY]) ? 101 : 400;
}

/* Lines end with CR and LF; the last of @lines has its own still. */
static int
parse_lines (Slice lines, WebsocketRequest *request)
{
  Fields fields = { 0 };
  Slice line;
  int status = 0;

  for (unsigned n = 0; status == 0 && lines.size > 0 && next_part (&lines, '\n', &line); n++)
    {
      if (n > WEBSOCKET_MAX_HEADERS)
        return 431;
      if (line.size == 0 || line.at[line.size - 1] != '\r')
        return 400;
      line.size--;
      if (n == 0)
        status = check_request_line (line);
      else if (!take_field (line, &fields))
        status = 400;
    }
  if (status == 0)
    status = check_fields (&fields);
  if (status == 101)
    memcpy (request->key, fields.value[FIELD_KEY].at, WEBSOCKET_KEY_LENGTH);
  return status;
}

int
websocket_request_parse (const char *bytes, size_t size, WebsocketRequest *request)
{
  const char *end = memmem (bytes, size, "\r\n\r\n", 4);
  size_t length;

  *request = (WebsocketRequest){ 0 };
  if (!end)
    return size < WEBSOCKET_MAX_REQUEST ? 0 : 431;
  length = (size_t)(end - bytes);
  /* Nothing may follow before the answer has come. */
  if (length + 4 != size)
    return 400;
  return parse_lines ((Slice){ bytes, length + 2 }, request);
}

static const char *
phrase (int status)
{
  switch (status)
    {
    case 403:
      return "Forbidden";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 426:
      return "Upgrade Required";
    case 431:
      return "Request Header Fields Too Large";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Bad Request";
    }
}

static size_t
accept_answer (const WebsocketRequest *request, char answer[WEBSOCKET_MAX_ANSWER])
{
  char text[WEBSOCKET_KEY_LENGTH + sizeof MAGIC];
  uint8_t digest[SHA1_SIZE];
  char *encoded;
  int n = 0;

  snprintf (text, sizeof text, "%s" MAGIC, request->key);
  sha1 (text, strlen (text), digest);
  encoded = asb_wire_base64_encode (digest, sizeof digest);
  if (encoded)
    n = snprintf (answer, WEBSOCKET_MAX_ANSWER,
                  "HTTP/1.1 101 Switching Protocols\r\n"
                  "Upgrade: websocket\r\n"
                  "Connection: Upgrade\r\n"
                  "Sec-WebSocket-Accept: %s\r\n"
                  "\r\n",
                  encoded);
  free (encoded);
  return (size_t)n;
}

size_t
websocket_answer (int status, const WebsocketRequest *request, char answer[WEBSOCKET_MAX_ANSWER])
{
  const char *more = status == 405   ? "Allow: GET\r\n"
                     : status == 426 ? "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                     : "";
  int n;

  if (status == 101)
    return accept_answer (request, answer);
  n = snprintf (answer, WEBSOCKET_MAX_ANSWER,
                "HTTP/1.1 %d %s\r\n"
                "%s"
                "Content-Length: 0\r\n"
                "Connection: close\r\n"
                "\r\n",
                status, phrase (status), more);
  return (size_t)n;
}
