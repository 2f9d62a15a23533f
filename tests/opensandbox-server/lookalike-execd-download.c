/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lookalike-execd.h"
#include "lookalike-files.h"
#include "lookalike-paths.h"
#include "lookalike-range.h"
#include "lookalike-sandbox.h"

#define PIECE 65536

typedef struct
{
  LookalikeRequest *request;
  int fd;
  gint64 position;
  gint64 left;
} Download;

static void
download_free (Download *download)
{
  close (download->fd);
  g_signal_handlers_disconnect_by_data (download->request->message, download);
  lookalike_request_unref (download->request);
  g_free (download);
}

static void
send_next (Download *download)
{
  gsize wanted = (gsize)MIN (download->left, PIECE);
  g_autofree guint8 *buffer = g_malloc (MAX (wanted, 1));
  gssize got = pread (download->fd, buffer, wanted, download->position);
  g_autoptr (GBytes) piece = NULL;

  if (got <= 0)
    {
      lookalike_request_abort (download->request, FALSE);
      return;
    }
  download->position += got;
  download->left -= got;
  piece = g_bytes_new_take (g_steal_pointer (&buffer), (gsize)got);
  lookalike_request_send (download->request, piece);
}

static void
wrote_chunk_cb (SoupServerMessage *message, Download *download)
{
  if (download->left > 0)
    send_next (download);
}

static void
finished_cb (SoupServerMessage *message, Download *download)
{
  download_free (download);
}

static void
stream (LookalikeRequest *request, guint status, int fd, gint64 start, gint64 length)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (request->message);
  Download *download;

  if (request->file_end > 0)
    length = CLAMP (request->file_end - start, 0, length);
  if (length == 0)
    {
      close (fd);
      lookalike_request_reply (request, status, "application/octet-stream", "", 0);
      return;
    }
  download = g_new0 (Download, 1);
  download->request = lookalike_request_ref (request);
  download->fd = fd;
  download->position = start;
  download->left = length;
  soup_message_headers_replace (headers, "Content-Type", "application/octet-stream");
  soup_message_headers_set_content_length (headers, length);
  g_signal_connect (request->message, "wrote-chunk", G_CALLBACK (wrote_chunk_cb), download);
  g_signal_connect (request->message, "finished", G_CALLBACK (finished_cb), download);
  lookalike_request_start_stream (request, status);
  send_next (download);
}

/* It promises more than it sends, and hangs up. */
static void
reply_short (LookalikeRequest *request, const char *status, gint64 promised, const char *body)
{
  const char *disposition = soup_message_headers_get_one (
      soup_server_message_get_response_headers (request->message), "Content-Disposition");
  g_autofree char *answer = g_strdup_printf (
      "HTTP/1.1 %s\r\nContent-Type: "
      "application/octet-stream\r\nContent-Disposition: %s\r\n"
      "Content-Length: %" G_GINT64_FORMAT "\r\n\r\n%.*s",
      status, disposition, promised, (int)MIN (promised, (gint64)strlen (body)), body);

  lookalike_request_reply_raw (request, answer, strlen (answer));
}

static gboolean
is_printable (const char *name)
{
  for (; *name != '\0'; name++)
    if (!g_ascii_isprint (*name))
      return FALSE;
  return TRUE;
}

static void
set_disposition (SoupMessageHeaders *headers, const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *value = NULL;

  if (is_printable (name))
    value = g_strdup_printf ("attachment; filename=\"%s\"", name);
  else
    {
      g_autofree char *escaped = g_uri_escape_string (name, "$&+=:@", FALSE);

      value
          = g_strdup_printf ("attachment; filename=\"%s\"; filename*=UTF-8''%s", escaped, escaped);
    }
  soup_message_headers_replace (headers, "Content-Disposition", value);
}

static gint64
get_time (LookalikeRequest *request, const char *name)
{
  const char *text = lookalike_request_get_header (request, name);
  g_autoptr (GDateTime) time = text != NULL ? soup_date_time_new_from_http_string (text) : NULL;

  return time != NULL ? g_date_time_to_unix (time) : -1;
}

/* execd gives files no tags: any is that of another. */
static gboolean
is_any (const char *tags)
{
  return tags != NULL && strchr (tags, '*') != NULL;
}

/* What a condition of the request makes of it: 200, 304 or 412. */
static guint
check_conditions (LookalikeRequest *request, const struct stat *info)
{
  const char *match = lookalike_request_get_header (request, "If-Match");
  const char *none_match = lookalike_request_get_header (request, "If-None-Match");
  gint64 unmodified = get_time (request, "If-Unmodified-Since");

  if (match != NULL ? !is_any (match) : unmodified >= 0 && info->st_mtime > unmodified)
    return SOUP_STATUS_PRECONDITION_FAILED;
  if (none_match != NULL)
    return is_any (none_match) ? SOUP_STATUS_NOT_MODIFIED : SOUP_STATUS_OK;
  return info->st_mtime <= get_time (request, "If-Modified-Since") ? SOUP_STATUS_NOT_MODIFIED
                                                                   : SOUP_STATUS_OK;
}

static void
refuse_range (LookalikeRequest *request, gint64 size)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (request->message);
  g_autofree char *range = g_strdup_printf ("bytes */%" G_GINT64_FORMAT, size);

  soup_message_headers_remove (headers, "Last-Modified");
  soup_message_headers_replace (headers, "Content-Range", range);
  lookalike_request_reply (request, SOUP_STATUS_REQUESTED_RANGE_NOT_SATISFIABLE,
                           "text/plain; charset=utf-8", "invalid range: failed to overlap\n", -1);
}

static void
send_range (LookalikeRequest *request, int fd, gint64 size, gint64 start, gint64 length)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (request->message);
  g_autofree char *range
      = g_strdup_printf ("bytes %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, start,
                         start + length - 1, size);

  soup_message_headers_replace (headers, "Content-Range", range);
  stream (request, SOUP_STATUS_PARTIAL_CONTENT, fd, start, length);
}

/* Bytes of the lines from @first (from 1) on, at most @count of them (0: all).
 */
static void
find_lines (int fd, gint64 size, gint64 first, gint64 count, gint64 *start, gint64 *length)
{
  guint8 buffer[PIECE];
  gint64 line = 1, position = 0, end = size;
  gssize got;

  *start = first <= 1 ? 0 : size;
  while (end == size && (got = pread (fd, buffer, sizeof buffer, position)) > 0)
    {
      for (gssize i = 0; i < got && end == size; i++)
        {
          if (buffer[i] != '\n')
            continue;
          line++;
          if (line == first)
            *start = position + i + 1;
          if (count > 0 && line - MAX (first, 1) == count)
            end = position + i + 1;
        }
      position += got;
    }
  *length = MAX (end - *start, 0);
}

static gint64
get_number (LookalikeRequest *request, const char *name)
{
  g_autofree char *text = lookalike_request_get_query (request, name);
  gint64 number = 0;

  if (text == NULL || !g_ascii_string_to_signed (text, 10, 0, G_MAXINT64, &number, NULL))
    return 0;
  return number;
}

/* The lines that were asked for, or all. */
static void
send_lines (LookalikeRequest *request, int fd, gint64 size)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (request->message);
  gint64 first = get_number (request, "offset"), count = get_number (request, "limit");
  gint64 start = 0, length = size;

  if ((first > 0 || count > 0) && !request->lookalike->config.old)
    find_lines (fd, size, first, count, &start, &length);
  else
    soup_message_headers_replace (headers, "Accept-Ranges", "bytes");
  stream (request, SOUP_STATUS_OK, fd, start, length);
}

/* What Go's own file server makes of it: execd leaves to it what names no
 * range. */
static void
serve (LookalikeRequest *request, int fd, const struct stat *info, LookalikeRange range)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (request->message);
  g_autoptr (GDateTime) modified = g_date_time_new_from_unix_utc (info->st_mtime);
  g_autofree char *date = soup_date_time_to_string (modified, SOUP_DATE_HTTP);
  guint status = check_conditions (request, info);
  gboolean ranges = lookalike_request_get_header (request, "If-Range") == NULL
                    || get_time (request, "If-Range") == info->st_mtime;

  soup_message_headers_replace (headers, "Last-Modified", date);
  if (status == SOUP_STATUS_OK && range == LOOKALIKE_RANGE_END && ranges)
    {
      soup_message_headers_replace (headers, "Accept-Ranges", "bytes");
      send_range (request, fd, info->st_size, info->st_size, 0);
      return;
    }
  if (status == SOUP_STATUS_OK && (range != LOOKALIKE_RANGE_NONE || info->st_size == 0 || !ranges))
    {
      send_lines (request, fd, info->st_size);
      return;
    }
  close (fd);
  if (status == SOUP_STATUS_OK)
    refuse_range (request, info->st_size);
  else
    lookalike_request_reply (
        request, status,
        status == SOUP_STATUS_PRECONDITION_FAILED ? "application/octet-stream" : NULL, NULL, 0);
}

static void
send_file (LookalikeRequest *request, const char *path, int fd, const struct stat *info)
{
  const char *header = lookalike_request_get_header (request, "Range");
  gint64 start = 0, length = 0;
  LookalikeRange range = header != NULL && header[0] != '\0'
                             ? lookalike_range_parse (header, info->st_size, &start, &length)
                             : LOOKALIKE_RANGE_ABSENT;

  set_disposition (soup_server_message_get_response_headers (request->message), path);
  if (range == LOOKALIKE_RANGE_FOUND)
    send_range (request, fd, info->st_size, start, length);
  else if (range != LOOKALIKE_RANGE_MALFORMED)
    serve (request, fd, info, range);
  else
    {
      close (fd);
      reply_short (request, "416 Requested Range Not Satisfiable", info->st_size,
                   "{\"code\":\"UNKNOWN\"}");
    }
}

void
lookalike_execd_download (LookalikeRequest *request)
{
  g_autofree char *asked = lookalike_request_get_query (request, "path");
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  struct stat info;
  int fd;

  if (asked == NULL || asked[0] == '\0')
    {
      lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "MISSING_QUERY",
                              "missing query parameter 'path'");
      return;
    }
  path = lookalike_path_expand (request->sandbox, asked, &error);
  if (path == NULL)
    {
      lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                              "error resolving file path: %s. %s", asked, error->message);
      return;
    }
  fd = lookalike_path_open (request->sandbox, path, O_RDONLY | O_NONBLOCK, 0);
  if (fd < 0 || fstat (fd, &info) < 0)
    lookalike_files_fail (request, "open", path, errno);
  else if (S_ISDIR (info.st_mode))
    {
      close (fd);
      set_disposition (soup_server_message_get_response_headers (request->message), path);
      reply_short (request, "200 OK", G_MAXINT64, "");
    }
  else
    send_file (request, path, fd, &info);
}
