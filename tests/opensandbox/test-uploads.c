/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bodies of requests that are streams. */

#include <string.h>

#include "asb-opensandbox-error.h"
#include "exchange.h"

#define BIG (3 * 1024 * 1024)

static GString *the_body;

static gboolean
take_chunks (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  g_assert_nonnull (strstr (head, "\r\nTransfer-Encoding: chunked\r\n"));
  g_string_assign (the_body, "");
  hostile_connection_read_until (connection, "\r\n0\r\n\r\n", the_body);
  hostile_connection_reply (connection, "200 OK", NULL, "ok");
  return TRUE;
}

/* The data of the chunks. Returns: (transfer full) */
static char *
dup_unchunked (const char *text)
{
  g_autoptr (GString) data = g_string_new (NULL);
  guint64 size;

  while ((size = g_ascii_strtoull (text, (char **)&text, 16)) > 0)
    {
      g_assert_true (g_str_has_prefix (text, "\r\n"));
      g_string_append_len (data, text + 2, (gssize)size);
      text += 2 + size;
      g_assert_true (g_str_has_prefix (text, "\r\n"));
      text += 2;
    }
  return g_string_free (g_steal_pointer (&data), FALSE);
}

static char *
new_text (gsize size)
{
  char *text = g_malloc (size + 1);

  for (gsize i = 0; i < size; i++)
    text[i] = (char)('a' + i % 23);
  text[size] = '\0';
  return text;
}

static void
test_chunked (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (take_chunks, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autofree char *text = new_text (BIG);
  g_autofree char *received = NULL;
  g_autoptr (GInputStream) stream = g_memory_input_stream_new_from_data (text, BIG, NULL);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "POST", "/x");
  g_autoptr (AsbOpensandboxReply) reply = NULL;
  g_autoptr (GError) error = NULL;

  the_body = g_string_new (NULL);
  asb_opensandbox_request_set_stream (request, "application/octet-stream", stream, -1);
  reply = exchange_send (client, request, NULL, &error);
  g_assert_no_error (error);
  received = dup_unchunked (the_body->str);
  g_assert_cmpuint (strlen (received), ==, BIG);
  g_assert_cmpstr (received, ==, text);
  g_string_free (the_body, TRUE);
}

static gboolean
take_length (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  g_assert_nonnull (strstr (head, "\r\nContent-Length: 3145728\r\n"));
  hostile_connection_reply (connection, "200 OK", NULL, "ok");
  return TRUE;
}

static void
test_length (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (take_length, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autofree char *text = new_text (BIG);

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GInputStream) stream = g_memory_input_stream_new_from_data (text, BIG, NULL);
      g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "POST", "/x");
      g_autoptr (AsbOpensandboxReply) reply = NULL;
      g_autoptr (GError) error = NULL;

      asb_opensandbox_request_set_stream (request, "application/octet-stream", stream, BIG);
      reply = exchange_send (client, request, NULL, &error);
      g_assert_no_error (error);
    }
  g_assert_cmpuint (hostile_server_count_connections (server), ==, 1);
}

/* Answers without reading the body, and closes the connection. */
static gboolean
refuse_early (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  hostile_connection_reply (connection, "413 Too Large", "Content-Type: application/json\r\n",
                            "{\"code\":\"TOO_MUCH\",\"message\":\"No more than a megabyte\"}");
  return FALSE;
}

static void
test_refused_early (void)
{
  g_autoptr (HostileServer) server = hostile_server_new_hasty (refuse_early, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autofree char *text = new_text (BIG * 8);

  g_test_summary ("Why a server refuses a body is said, also if it does not read it");
  for (guint i = 0; i < 10; i++)
    {
      g_autoptr (GInputStream) stream = g_memory_input_stream_new_from_data (text, BIG * 8, NULL);
      g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "POST", "/x");
      g_autoptr (GError) error = NULL;

      asb_opensandbox_request_set_stream (request, "application/octet-stream", stream,
                                          i % 2 ? BIG * 8 : -1);
      g_assert_null (exchange_send (client, request, NULL, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
      g_assert_cmpstr (error->message, ==,
                       "Could not do the test: No more than a megabyte (HTTP 413, TOO_MUCH)");
      g_assert_false (asb_opensandbox_error_is_outcome_unknown (error));
    }
}

/* A stream that breaks off, as a file on a disk that fails. */

#define TYPE_BROKEN_STREAM (broken_stream_get_type ())
G_DECLARE_FINAL_TYPE (BrokenStream, broken_stream, BROKEN, STREAM, GInputStream)

struct _BrokenStream
{
  GInputStream parent_instance;

  gsize left;
};

G_DEFINE_FINAL_TYPE (BrokenStream, broken_stream, G_TYPE_INPUT_STREAM)

static gssize
broken_stream_read (GInputStream *stream, void *buffer, gsize count, GCancellable *cancellable,
                    GError **error)
{
  BrokenStream *self = BROKEN_STREAM (stream);
  gsize n_read = MIN (count, self->left);

  if (n_read == 0)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "The disk is on fire");
      return -1;
    }
  memset (buffer, 'x', n_read);
  self->left -= n_read;
  return (gssize)n_read;
}

static void
broken_stream_class_init (BrokenStreamClass *klass)
{
  G_INPUT_STREAM_CLASS (klass)->read_fn = broken_stream_read;
}

static void
broken_stream_init (BrokenStream *self)
{
  self->left = 100000;
}

static gboolean
take_all (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  hostile_connection_wait (connection);
  return FALSE;
}

static void
test_broken (gconstpointer data)
{
  g_autoptr (HostileServer) server = hostile_server_new (take_all, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (GInputStream) stream = g_object_new (TYPE_BROKEN_STREAM, NULL);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "POST", "/x");
  g_autoptr (GError) error = NULL;

  asb_opensandbox_request_set_stream (request, "application/octet-stream", stream,
                                      GPOINTER_TO_INT (data));
  g_assert_null (exchange_send (client, request, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_nonnull (strstr (error->message, "The disk is on fire"));
  g_assert_true (asb_opensandbox_error_is_outcome_unknown (error));
}

static void
test_wrong_length (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (take_all, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (GInputStream) stream = g_memory_input_stream_new_from_data ("abc", 3, NULL);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "POST", "/x");
  g_autoptr (GError) error = NULL;

  g_test_summary ("A file that got shorter does not leave both sides waiting for each other");
  asb_opensandbox_request_set_stream (request, "text/plain", stream, 5);
  g_assert_null (exchange_send (client, request, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_nonnull (strstr (error->message, "ended 2 bytes early"));
}

static gboolean
take_three (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  g_assert_nonnull (strstr (head, "\r\nContent-Length: 3\r\n"));
  hostile_connection_reply (connection, "200 OK", NULL, "ok");
  return TRUE;
}

static void
test_too_long (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (take_three, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GInputStream) stream = g_memory_input_stream_new_from_data ("abcdef", 6, NULL);
      g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "POST", "/x");
      g_autoptr (AsbOpensandboxReply) reply = NULL;
      g_autoptr (GError) error = NULL;

      asb_opensandbox_request_set_stream (request, "text/plain", stream, 3);
      reply = exchange_send (client, request, NULL, &error);
      g_assert_no_error (error);
    }
}

/* What was read of a stream cannot be sent again, whatever the method. */

static gboolean
refuse (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  if (data)
    hostile_connection_reply (connection, "503 Busy", "Retry-After: 0\r\n", "");
  else
    hostile_connection_reset (connection);
  return FALSE;
}

static void
test_not_repeated (gconstpointer data)
{
  g_autoptr (HostileServer) server = hostile_server_new (refuse, (gpointer)data);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (GInputStream) stream = g_memory_input_stream_new_from_data ("abc", 3, NULL);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "PUT", "/x");
  g_autoptr (GError) error = NULL;

  asb_opensandbox_request_set_stream (request, "text/plain", stream, 3);
  g_assert_null (exchange_send (client, request, NULL, &error));
  g_assert_cmpint (error->domain, ==, ASB_ERROR);
  g_assert_cmpuint (hostile_server_count_requests (server), ==, 1);
}

/* Nobody reads what is sent. */
static gboolean
read_nothing (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  hostile_connection_linger (connection, 60000);
  return FALSE;
}

static void
test_stuck (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (read_nothing, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autofree char *text = new_text (BIG * 4);
  g_autoptr (GBytes) body = g_bytes_new_static (text, BIG * 4);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "PATCH", "/x");
  g_autoptr (GInputStream) stream = g_memory_input_stream_new_from_data (text, BIG * 4, NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  asb_opensandbox_request_set_stream (request, "text/plain", stream, -1);
  asb_opensandbox_request_set_timeout (request, 200);
  g_assert_null (exchange_send (client, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_clear_error (&error);

  asb_opensandbox_request_set_body (request, "text/plain", body);
  asb_opensandbox_request_set_timeout (request, 0);
  exchange_cancel_in (cancellable, 200);
  g_assert_null (exchange_send (client, request, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/uploads/chunked", test_chunked);
  g_test_add_func ("/uploads/length", test_length);
  g_test_add_func ("/uploads/refused-early", test_refused_early);
  g_test_add_data_func ("/uploads/broken/chunked", GINT_TO_POINTER (-1), test_broken);
  g_test_add_data_func ("/uploads/broken/length", GINT_TO_POINTER (200000), test_broken);
  g_test_add_func ("/uploads/wrong-length/short", test_wrong_length);
  g_test_add_func ("/uploads/wrong-length/long", test_too_long);
  g_test_add_data_func ("/uploads/not-repeated/reset", NULL, test_not_repeated);
  g_test_add_data_func ("/uploads/not-repeated/busy", GINT_TO_POINTER (1), test_not_repeated);
  g_test_add_func ("/uploads/stuck", test_stuck);
  result = g_test_run ();
  exchange_settle ();
  return result;
}
