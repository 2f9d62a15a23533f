/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What errors are made of replies that refuse, and of JSON that is none. */

#include <asb.h>
#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-request.h"

typedef struct
{
  guint status;
  const char *type;
  const char *body;
  AsbError code;
  gboolean is_retryable;
  const char *server_code;
  const char *text; /* after “Could not do the test: ” */
} Refusal;

static const Refusal refusals[] = {
  { 404, "application/json",
    "{\"code\":\"DOCKER::SANDBOX_NOT_FOUND\",\"message\":\"Sandbox sb not found\"}",
    ASB_ERROR_SANDBOX_NOT_FOUND, FALSE, "DOCKER::SANDBOX_NOT_FOUND",
    "Sandbox sb not found (HTTP 404, DOCKER::SANDBOX_NOT_FOUND); it was deleted, its time was up, "
    "or "
    "there never was one" },
  { 409, "application/json",
    "{\"code\":\"DOCKER::SANDBOX_NOT_RUNNING\",\"message\":\"It is paused\"}",
    ASB_ERROR_SANDBOX_STATE, FALSE, "DOCKER::SANDBOX_NOT_RUNNING",
    "It is paused (HTTP 409, DOCKER::SANDBOX_NOT_RUNNING)" },
  { 409, "application/json", "{\"code\":\"KUBERNETES::INVALID_STATE\",\"message\":\"no\"}",
    ASB_ERROR_SANDBOX_STATE, FALSE, "KUBERNETES::INVALID_STATE", NULL },
  { 404, "application/json", "{\"code\":\"KUBERNETES::POD_IP_NOT_AVAILABLE\",\"message\":\"no\"}",
    ASB_ERROR_SANDBOX_STATE, TRUE, "KUBERNETES::POD_IP_NOT_AVAILABLE", NULL },
  { 404, "application/json", "{\"code\":\"SNAPSHOT::NOT_FOUND\",\"message\":\"no\"}",
    ASB_ERROR_SNAPSHOT_NOT_FOUND, FALSE, "SNAPSHOT::NOT_FOUND", NULL },
  { 404, "application/json; charset=utf-8",
    "{\"code\":\"FILE_NOT_FOUND\",\"message\":\"file not found\"}", ASB_ERROR_FILE_NOT_FOUND, FALSE,
    "FILE_NOT_FOUND", "file not found (HTTP 404, FILE_NOT_FOUND)" },
  { 400, "application/json", "{\"code\":\"GENERAL::UNKNOWN_ERROR\",\"message\":\"plain text\"}",
    ASB_ERROR_PROVIDER, FALSE, "GENERAL::UNKNOWN_ERROR",
    "plain text (HTTP 400, GENERAL::UNKNOWN_ERROR)" },
  { 422, "application/json",
    "{\"detail\":[{\"type\":\"missing\",\"loc\":[\"body\",\"image\",0],\"msg\":\"Field required\","
    "\"input\":{}}]}",
    ASB_ERROR_PROVIDER, FALSE, NULL, "body.image.0: Field required (HTTP 422)" },
  { 422, "application/json",
    "{\"detail\":[{\"loc\":[\"a\"],\"msg\":\"1\"},{\"loc\":[\"b\"],\"msg\":\"2\"},{\"loc\":[\"c\"],"
    "\"msg\":\"3\"},{\"loc\":[\"d\"],\"msg\":\"4\"}]}",
    ASB_ERROR_PROVIDER, FALSE, NULL, "a: 1; b: 2; c: 3; and 1 more (HTTP 422)" },
  { 422, "application/json", "{\"detail\":[1,null,\"x\",{\"loc\":{},\"msg\":[]}]}",
    ASB_ERROR_PROVIDER, FALSE, NULL, NULL },
  { 404, "application/json", "{\"detail\":\"Not Found\"}", ASB_ERROR_UNSUPPORTED_CAPABILITY, FALSE,
    NULL, "Not Found (HTTP 404); the server is too old for this" },
  { 405, "application/json", "{\"detail\":\"Method Not Allowed\"}",
    ASB_ERROR_UNSUPPORTED_CAPABILITY, FALSE, NULL,
    "Method Not Allowed (HTTP 405); the server is too old for this" },
  { 404, "text/plain", "404 page not found", ASB_ERROR_UNSUPPORTED_CAPABILITY, FALSE, NULL,
    "404 page not found (HTTP 404); the server is too old for this" },
  { 501, "application/json", "{\"code\":\"DIAGNOSTICS_NOT_IMPLEMENTED\",\"message\":\"no\"}",
    ASB_ERROR_UNSUPPORTED_CAPABILITY, FALSE, "DIAGNOSTICS_NOT_IMPLEMENTED", NULL },
  { 400, "application/json", "{\"code\":\"SANDBOX::API_NOT_SUPPORTED\",\"message\":\"no\"}",
    ASB_ERROR_UNSUPPORTED_CAPABILITY, FALSE, "SANDBOX::API_NOT_SUPPORTED", NULL },
  { 400, "application/json", "{\"detail\":{\"code\":\"INNER\",\"message\":\"inner text\"}}",
    ASB_ERROR_PROVIDER, FALSE, "INNER", "inner text (HTTP 400, INNER)" },
  { 404, "application/json", "{\"detail\":\"No sandbox of this name\"}",
    ASB_ERROR_SANDBOX_NOT_FOUND, FALSE, NULL, "No sandbox of this name (HTTP 404)" },
  { 401, "application/json",
    "{\"error\":\"Unauthorized: invalid or missing header X-EXECD-ACCESS-TOKEN\"}",
    ASB_ERROR_PROVIDER, FALSE, NULL,
    "Unauthorized: invalid or missing header X-EXECD-ACCESS-TOKEN (HTTP 401)" },
  { 401, "application/json", "{\"code\":\"INVALID_API_KEY\",\"message\":\"no\"}",
    ASB_ERROR_PROVIDER, FALSE, "INVALID_API_KEY",
    "no (HTTP 401, INVALID_API_KEY); check the API key" },
  /* Where the key is right. */
  { 401, "application/json", "{\"code\":\"MISSING_OR_INVALID_SECURE_ACCESS\",\"message\":\"no\"}",
    ASB_ERROR_PROVIDER, FALSE, "MISSING_OR_INVALID_SECURE_ACCESS",
    "no (HTTP 401, MISSING_OR_INVALID_SECURE_ACCESS)" },
  { 400, "application/json", "{\"code\":\"NOT_SUPPORTED\",\"message\":\"no\"}",
    ASB_ERROR_UNSUPPORTED_CAPABILITY, FALSE, "NOT_SUPPORTED", NULL },
  { 400, "application/json", "{\"code\":\"SANDBOX::UNSUPPORTED_POOL_REF\",\"message\":\"no\"}",
    ASB_ERROR_UNSUPPORTED_CAPABILITY, FALSE, "SANDBOX::UNSUPPORTED_POOL_REF", NULL },
  { 503, "application/json", "{\"code\":\"TENANT_PROVIDER_UNAVAILABLE\",\"message\":\"no\"}",
    ASB_ERROR_PROVIDER, TRUE, "TENANT_PROVIDER_UNAVAILABLE",
    "no (HTTP 503, TENANT_PROVIDER_UNAVAILABLE)" },
  { 504, "application/json", "{\"code\":\"BACKEND_TIMEOUT\",\"message\":\"no\"}",
    ASB_ERROR_PROVIDER, TRUE, "BACKEND_TIMEOUT", NULL },
  { 401, "text/plain", "unauthorized\n", ASB_ERROR_PROVIDER, FALSE, NULL,
    "unauthorized (HTTP 401); check the API key" },
  { 500, "text/plain; charset=utf-8", "Internal Server Error", ASB_ERROR_PROVIDER, TRUE, NULL,
    "Internal Server Error (HTTP 500)" },
  { 500, "application/json",
    "{\"code\":\"RUNTIME_ERROR\",\"message\":\"bad cwd\"}{\"session_id\":\"x\"}",
    ASB_ERROR_PROVIDER, TRUE, "RUNTIME_ERROR", "bad cwd (HTTP 500, RUNTIME_ERROR)" },
  { 502, "text/html", "<html><title>502</title><h1>nginx</h1></html>", ASB_ERROR_PROVIDER, TRUE,
    NULL, "HTTP 502 Bad Gateway, from a proxy in between" },
  { 502, NULL, "  <!DOCTYPE html><p>x", ASB_ERROR_PROVIDER, TRUE, NULL,
    "HTTP 502 Bad Gateway, from a proxy in between" },
  { 503, NULL, "", ASB_ERROR_PROVIDER, TRUE, NULL, "HTTP 503 Service Unavailable" },
  { 502, "text/plain", "Bad Gateway", ASB_ERROR_PROVIDER, TRUE, NULL, "Bad Gateway (HTTP 502)" },
  { 404, "text/html", "<html>nginx</html>", ASB_ERROR_PROVIDER, FALSE, NULL,
    "HTTP 404 Not Found; check the address of the server" },
  { 404, NULL, "", ASB_ERROR_SANDBOX_NOT_FOUND, FALSE, NULL, "HTTP 404 Not Found" },
  { 408, NULL, "", ASB_ERROR_PROVIDER, TRUE, NULL, "HTTP 408 Request Timeout" },
  { 429, "application/json",
    "{\"code\":\"KUBERNETES::POOL_CAPACITY_EXHAUSTED\",\"message\":\"full\"}", ASB_ERROR_PROVIDER,
    TRUE, "KUBERNETES::POOL_CAPACITY_EXHAUSTED", NULL },
  { 400, "application/json", "{\"code\":7,\"message\":[1]}", ASB_ERROR_PROVIDER, FALSE, NULL,
    "HTTP 400 Bad Request" },
  { 400, "application/json", "{\"code\":\"a b\\n\",\"message\":\"x\\ny\\u001b[31m z\"}",
    ASB_ERROR_PROVIDER, FALSE, NULL, "x y [31m z (HTTP 400)" },
  { 400, "application/json", "{\"message\":\"before <html><body>page</body>\"}", ASB_ERROR_PROVIDER,
    FALSE, NULL, "before (HTTP 400)" },
  { 400, "application/json", "{\"message\":\"\\u202egnp.exe \\u2028 x\"}", ASB_ERROR_PROVIDER,
    FALSE, NULL, "gnp.exe x (HTTP 400)" },
  { 400, "application/json", "[1, 2]", ASB_ERROR_PROVIDER, FALSE, NULL, "[1, 2] (HTTP 400)" },
  { 400, "text/plain", "\377\376 bytes", ASB_ERROR_PROVIDER, FALSE, NULL, NULL },
  { 429, NULL, "", ASB_ERROR_PROVIDER, TRUE, NULL, "HTTP 429 Too Many Requests" },
  { 431, NULL, "", ASB_ERROR_PROVIDER, FALSE, NULL, "HTTP 431 Request Header Fields Too Large" },
  { 999, NULL, "x", ASB_ERROR_PROVIDER, TRUE, NULL, NULL },
};

static GError *
make_about (AsbOpensandboxTarget target, guint status, const char *type, const char *body,
            gsize size)
{
  g_autoptr (SoupMessageHeaders) headers = soup_message_headers_new (SOUP_MESSAGE_HEADERS_RESPONSE);
  g_autoptr (GBytes) bytes = g_bytes_new_static (body, size);
  g_autoptr (AsbOpensandboxReply) reply = NULL;

  soup_message_headers_append (headers, "x-request-id", "0123abcd");
  if (type)
    soup_message_headers_append (headers, "content-type", type);
  reply = asb_opensandbox_reply_new (status, headers, bytes, NULL);
  return asb_opensandbox_error_from_reply (reply, target, "do the test");
}

static GError *
make (guint status, const char *type, const char *body, gsize size)
{
  return make_about (ASB_OPENSANDBOX_TARGET_ASPECT, status, type, body, size);
}

static void
check (const Refusal *refusal)
{
  g_autoptr (GError) error
      = make (refusal->status, refusal->type, refusal->body, strlen (refusal->body));
  AsbErrorInfo *info = asb_error_get_info (error);
  g_autofree char *text = g_strdup_printf ("Could not do the test: %s", refusal->text);

  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, (int)refusal->code);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  if (refusal->text)
    g_assert_cmpstr (error->message, ==, text);
  g_assert_cmpstr (asb_error_info_get_provider_error_code (info), ==, refusal->server_code);
  g_assert_cmpstr (asb_error_info_get_provider_request_id (info), ==, "0123abcd");
  g_assert_cmpint (asb_error_info_get_retryable (info), ==, refusal->is_retryable);
  g_assert_cmpuint (asb_opensandbox_error_get_status (error), ==, refusal->status);
  g_assert_false (asb_opensandbox_error_is_outcome_unknown (error));
  g_assert_false (asb_opensandbox_error_was_not_sent (error));
}

static void
test_refusals (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    check (&refusals[i]);
}

static void
test_compressed (void)
{
  static const char bytes[] = "\037\213\010\000\001\002\003\004";
  g_autoptr (SoupMessageHeaders) headers = soup_message_headers_new (SOUP_MESSAGE_HEADERS_RESPONSE);
  g_autoptr (GBytes) body = g_bytes_new_static (bytes, sizeof bytes);
  g_autoptr (AsbOpensandboxReply) reply = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("What was compressed without being asked for is no text");
  soup_message_headers_append (headers, "Content-Encoding", "gzip");
  soup_message_headers_append (headers, "Content-Type", "application/json");
  reply = asb_opensandbox_reply_new (500, headers, body, NULL);
  error = asb_opensandbox_error_from_reply (reply, ASB_OPENSANDBOX_TARGET_OTHER, "do the test");
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_cmpstr (error->message, ==, "Could not do the test: HTTP 500 Internal Server Error");
}

static void
test_unknown_route (void)
{
  const char *route = "{\"detail\":\"Not Found\"}";
  const char *object = "{\"code\":\"DOCKER::SANDBOX_NOT_FOUND\",\"message\":\"x\"}";
  g_autoptr (GError) unknown = make (404, "application/json", route, strlen (route));
  g_autoptr (GError) missing = make (404, "application/json", object, strlen (object));
  g_autoptr (GError) unsupported = make (501, NULL, "", 0);

  g_assert_true (asb_opensandbox_error_is_unknown_route (unknown));
  g_assert_false (asb_opensandbox_error_is_unknown_route (missing));
  g_assert_false (asb_opensandbox_error_is_unknown_route (unsupported));
}

/* What is not there. */

static void
test_missing (void)
{
  static const struct
  {
    const char *body;
    AsbError of_other, of_aspect, of_sandbox;
  } all[] = {
    { "{\"code\":\"DOCKER::SANDBOX_NOT_FOUND\",\"message\":\"x\"}", ASB_ERROR_SANDBOX_NOT_FOUND,
      ASB_ERROR_SANDBOX_NOT_FOUND, ASB_ERROR_SANDBOX_NOT_FOUND },
    { "{\"code\":\"CONTEXT_NOT_FOUND\",\"message\":\"x\"}", ASB_ERROR_PROVIDER, ASB_ERROR_PROVIDER,
      ASB_ERROR_SANDBOX_NOT_FOUND },
    { "{\"code\":\"INVALID_REQUEST_BODY\",\"message\":\"x\"}", ASB_ERROR_PROVIDER,
      ASB_ERROR_PROVIDER, ASB_ERROR_SANDBOX_NOT_FOUND },
    { "{\"code\":\"NEW::THING_NOT_FOUND\",\"message\":\"x\"}", ASB_ERROR_PROVIDER,
      ASB_ERROR_PROVIDER, ASB_ERROR_SANDBOX_NOT_FOUND },
    { "{\"code\":\"GENERAL::UNKNOWN_ERROR\",\"message\":\"x\"}", ASB_ERROR_PROVIDER,
      ASB_ERROR_SANDBOX_NOT_FOUND, ASB_ERROR_SANDBOX_NOT_FOUND },
    { "{\"message\":\"no such thing\"}", ASB_ERROR_PROVIDER, ASB_ERROR_SANDBOX_NOT_FOUND,
      ASB_ERROR_SANDBOX_NOT_FOUND },
    { "", ASB_ERROR_PROVIDER, ASB_ERROR_SANDBOX_NOT_FOUND, ASB_ERROR_SANDBOX_NOT_FOUND },
    { "<html>nginx</html>", ASB_ERROR_PROVIDER, ASB_ERROR_PROVIDER, ASB_ERROR_PROVIDER },
    { "404 page not found", ASB_ERROR_UNSUPPORTED_CAPABILITY, ASB_ERROR_UNSUPPORTED_CAPABILITY,
      ASB_ERROR_UNSUPPORTED_CAPABILITY },
  };

  g_test_summary ("That something is not there does not mean that the sandbox is not");

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    {
      gsize size = strlen (all[i].body);
      g_autoptr (GError) other
          = make_about (ASB_OPENSANDBOX_TARGET_OTHER, 404, NULL, all[i].body, size);
      g_autoptr (GError) aspect
          = make_about (ASB_OPENSANDBOX_TARGET_ASPECT, 404, NULL, all[i].body, size);
      g_autoptr (GError) sandbox
          = make_about (ASB_OPENSANDBOX_TARGET_SANDBOX, 404, NULL, all[i].body, size);

      g_test_message ("%s", all[i].body);
      g_assert_error (other, ASB_ERROR, (int)all[i].of_other);
      g_assert_error (aspect, ASB_ERROR, (int)all[i].of_aspect);
      g_assert_error (sandbox, ASB_ERROR, (int)all[i].of_sandbox);
    }
}

static void
test_targets (void)
{
  static const struct
  {
    const char *path;
    AsbOpensandboxTarget target;
  } all[] = {
    { "/sandboxes", ASB_OPENSANDBOX_TARGET_OTHER },
    { "/sandboxes/", ASB_OPENSANDBOX_TARGET_OTHER },
    { "/sandboxes/sb", ASB_OPENSANDBOX_TARGET_SANDBOX },
    { "/sandboxes/s%2Fb", ASB_OPENSANDBOX_TARGET_SANDBOX },
    { "/sandboxes/sb/pause", ASB_OPENSANDBOX_TARGET_ASPECT },
    { "/sandboxes/sb/endpoints/44772", ASB_OPENSANDBOX_TARGET_ASPECT },
    { "/snapshots/sb", ASB_OPENSANDBOX_TARGET_OTHER },
    { "/pools/p", ASB_OPENSANDBOX_TARGET_OTHER },
  };
  g_autoptr (AsbOpensandboxEndpoint) server
      = asb_opensandbox_endpoint_new ("http://h/v1", NULL, ASB_OPENSANDBOX_ENDPOINT_NONE);
  g_autoptr (AsbOpensandboxEndpoint) execd
      = asb_opensandbox_endpoint_new ("http://h/v1", NULL, ASB_OPENSANDBOX_ENDPOINT_NONE);

  g_test_summary ("A path names a sandbox on the server alone");

  asb_opensandbox_endpoint_set_sandbox (execd, "sb");
  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_autoptr (AsbOpensandboxRequest) request
          = asb_opensandbox_request_new ("GET", server, all[i].path);
      g_autoptr (AsbOpensandboxRequest) inside
          = asb_opensandbox_request_new ("GET", execd, all[i].path);

      g_assert_cmpint (asb_opensandbox_request_get_target (request), ==, all[i].target);
      g_assert_cmpint (asb_opensandbox_request_get_target (inside), ==,
                       ASB_OPENSANDBOX_TARGET_OTHER);
    }
}

/* Texts stay one line of 512 bytes whatever comes. */
static void
check_bounded (GString *body)
{
  g_autoptr (GError) error = make (400, "application/json", body->str, body->len);

  g_assert_cmpuint (strlen (error->message), <=, 512);
  g_assert_null (strpbrk (error->message, "\r\n\t"));
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

static void
test_bounds (void)
{
  g_autoptr (GString) text = g_string_new ("{\"message\":\"");
  g_autoptr (GString) code = g_string_new ("{\"code\":\"");
  g_autoptr (GString) deep = g_string_new (NULL);
  g_autoptr (GString) open = g_string_new (NULL);

  for (guint i = 0; i < 100000; i++)
    {
      g_string_append (text, "\360\237\246\206");
      g_string_append_c (code, 'A');
      g_string_append (deep, "{\"detail\":");
      g_string_append_c (open, '[');
    }
  g_string_append (text, "\"}");
  g_string_append (code, "\"}");
  check_bounded (text);
  check_bounded (code);
  check_bounded (deep);
  check_bounded (open);
}

static void
test_request_ids (void)
{
  static const char *const ids[] = { "a b", "", "\303\244", "a\tb" };
  g_autofree char *long_id = g_strnfill (1000, 'a');
  g_autoptr (SoupMessageHeaders) headers = soup_message_headers_new (SOUP_MESSAGE_HEADERS_RESPONSE);
  g_autoptr (AsbOpensandboxReply) reply = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autoptr (AsbOpensandboxReply) odd = NULL;

      soup_message_headers_replace (headers, "X-Request-ID", ids[i]);
      odd = asb_opensandbox_reply_new (500, headers, NULL, NULL);
      g_assert_null (asb_opensandbox_reply_get_request_id (odd));
    }
  soup_message_headers_replace (headers, "X-Request-ID", long_id);
  reply = asb_opensandbox_reply_new (500, headers, NULL, NULL);
  g_assert_cmpuint (strlen (asb_opensandbox_reply_get_request_id (reply)), ==, 128);
}

/* JSON */

static JsonObject *
parse (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));

  return asb_opensandbox_json_parse_object (bytes, "a thing", error);
}

static void
test_json_refused (void)
{
  static const char *const texts[] = { "",
                                       "[]",
                                       "{",
                                       "{\"a\":1,}",
                                       "{\"a\":01}",
                                       "{a:1}",
                                       "/**/{}",
                                       "{} x",
                                       "nul",
                                       "{\"a\":}",
                                       "\"x\"",
                                       "null",
                                       "{\"a\":NaN}",
                                       "{\"a\":\"\\u0000\"}",
                                       "{\"a\":18446744073709551615}",
                                       "{\"a\":\"\xff\"}" };

  g_autoptr (GBytes) nothing = g_bytes_new (NULL, 0);
  g_autoptr (GError) empty = NULL;

  g_assert_null (asb_opensandbox_json_parse (nothing, "a thing", &empty));
  g_assert_error (empty, ASB_ERROR, ASB_ERROR_PROTOCOL);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (parse (texts[i], &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
      g_assert_nonnull (strstr (error->message, "a thing"));
    }
}

#define WRONG_TYPE(call)                                                                           \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_autoptr (GError) error_ = NULL;                                                              \
    GError **error = &error_;                                                                      \
                                                                                                   \
    g_assert_false (call);                                                                         \
    g_assert_error (error_, ASB_ERROR, ASB_ERROR_PROTOCOL);                                        \
    g_assert_nonnull (strstr (error_->message, "“m”"));                                            \
  }                                                                                                \
  G_STMT_END

static void
check_wrong (const char *value)
{
  g_autofree char *text = g_strdup_printf ("{\"m\":%s}", value);
  g_autoptr (JsonObject) object = parse (text, NULL);
  const char *string;
  gint64 number = 7;
  double real = 7;
  gboolean flag = TRUE;
  JsonObject *inner;
  JsonArray *array;
  GHashTable *map;
  char **strv;
  GDateTime *time;

  g_assert_nonnull (object);
  if (*value != '"')
    WRONG_TYPE (asb_opensandbox_json_get_string (object, "m", FALSE, &string, error));
  if (!g_ascii_isdigit (*value) || strchr (value, '.'))
    WRONG_TYPE (asb_opensandbox_json_get_int (object, "m", FALSE, &number, error));
  if (!g_ascii_isdigit (*value))
    WRONG_TYPE (asb_opensandbox_json_get_double (object, "m", FALSE, &real, error));
  if (*value != 't')
    WRONG_TYPE (asb_opensandbox_json_get_bool (object, "m", FALSE, &flag, error));
  if (*value != '{')
    WRONG_TYPE (asb_opensandbox_json_get_object (object, "m", FALSE, &inner, error));
  if (*value != '[')
    WRONG_TYPE (asb_opensandbox_json_get_array (object, "m", FALSE, &array, error));
  WRONG_TYPE (asb_opensandbox_json_get_string_map (object, "m", FALSE, &map, error));
  WRONG_TYPE (asb_opensandbox_json_get_strv (object, "m", FALSE, &strv, error));
  WRONG_TYPE (asb_opensandbox_json_get_time (object, "m", FALSE, &time, error));
  g_assert_cmpint (number, ==, 7);
  g_assert_cmpfloat (real, ==, 7);
  g_assert_true (flag);
}

static void
test_json_types (void)
{
  static const char *const values[] = { "5", "5.5", "true", "\"x\"", "[1]", "{\"a\":1}" };

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *text = g_strdup_printf ("{\"m\":%s}", values[i]);
      g_autoptr (JsonObject) object = parse (text, NULL);
      gint64 number;

      g_test_message ("%s", values[i]);
      /* What fits is taken, so that the rest can be held against it. */
      g_assert_cmpint (asb_opensandbox_json_get_int (object, "m", TRUE, &number, NULL), ==, i == 0);
      check_wrong (values[i]);
    }
}

static void
test_json_absent (void)
{
  g_autoptr (JsonObject) object = parse ("{\"m\":null}", NULL);
  static const char *const members[] = { "m", "n" };

  for (guint i = 0; i < 2; i++)
    {
      const char *string = "before";
      gint64 number = 7;
      char **strv = (char **)"before";
      GDateTime *time = (GDateTime *)"before";
      g_autoptr (GError) error = NULL;

      g_assert_true (asb_opensandbox_json_get_string (object, members[i], FALSE, &string, &error));
      g_assert_null (string);
      g_assert_true (asb_opensandbox_json_get_int (object, members[i], FALSE, &number, &error));
      g_assert_cmpint (number, ==, 7);
      g_assert_true (asb_opensandbox_json_get_strv (object, members[i], FALSE, &strv, &error));
      g_assert_null (strv);
      g_assert_true (asb_opensandbox_json_get_time (object, members[i], FALSE, &time, &error));
      g_assert_null (time);
      g_assert_no_error (error);
      g_assert_false (asb_opensandbox_json_get_string (object, members[i], TRUE, &string, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
    }
}

static void
test_json_maps (void)
{
  g_autoptr (JsonObject) object
      = parse ("{\"m\":{\"a\":\"1\",\"b\":null},\"s\":[\"x\",\"y\"]}", NULL);
  g_autoptr (GHashTable) map = NULL;
  g_auto (GStrv) strv = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_opensandbox_json_get_string_map (object, "m", TRUE, &map, &error));
  g_assert_cmpuint (g_hash_table_size (map), ==, 1);
  g_assert_cmpstr (g_hash_table_lookup (map, "a"), ==, "1");
  g_assert_true (asb_opensandbox_json_get_strv (object, "s", TRUE, &strv, &error));
  g_assert_cmpuint (g_strv_length (strv), ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/refusals/replies", test_refusals);
  g_test_add_func ("/refusals/compressed", test_compressed);
  g_test_add_func ("/refusals/unknown-route", test_unknown_route);
  g_test_add_func ("/refusals/missing", test_missing);
  g_test_add_func ("/refusals/targets", test_targets);
  g_test_add_func ("/refusals/bounds", test_bounds);
  g_test_add_func ("/refusals/request-ids", test_request_ids);
  g_test_add_func ("/refusals/json/refused", test_json_refused);
  g_test_add_func ("/refusals/json/types", test_json_types);
  g_test_add_func ("/refusals/json/absent", test_json_absent);
  g_test_add_func ("/refusals/json/maps", test_json_maps);
  return g_test_run ();
}
