/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-error.h"

#include <libsoup/soup.h>
#include <string.h>

#include "asb-opensandbox-headers.h"
#include "asb-opensandbox-url.h"

#define MAX_TEXT 512
#define DIRECT_HINT                                                                                \
  "; if sandboxes cannot be reached from this machine, have the server pass it on "                \
  "(“use-server-proxy”)"

/* Servers say the same of all three. */
#define GONE_HINT "; it was deleted, its time was up, or there never was one"

/* Codes */

typedef struct
{
  const char *part; /* of the server's code */
  AsbError code;
  gboolean is_retryable;
} CodeRule;

/* The first that fits counts. */
static const CodeRule code_rules[] = {
  { "FILE_NOT_FOUND", ASB_ERROR_FILE_NOT_FOUND, FALSE },
  { "SANDBOX_NOT_FOUND", ASB_ERROR_SANDBOX_NOT_FOUND, FALSE },
  { "SNAPSHOT::NOT_FOUND", ASB_ERROR_SNAPSHOT_NOT_FOUND, FALSE },
  { "POOL_NOT_FOUND", ASB_ERROR_PROVIDER, FALSE },
  { "TEMPLATE_NOT_FOUND", ASB_ERROR_PROVIDER, FALSE },
  { "PVC_NOT_FOUND", ASB_ERROR_PROVIDER, FALSE },
  { "POD_IP_NOT_AVAILABLE", ASB_ERROR_SANDBOX_STATE, TRUE },
  { "SANDBOX_NOT_RUNNING", ASB_ERROR_SANDBOX_STATE, FALSE },
  { "SANDBOX_NOT_PAUSED", ASB_ERROR_SANDBOX_STATE, FALSE },
  { "KUBERNETES::INVALID_STATE", ASB_ERROR_SANDBOX_STATE, FALSE },
  { "INVALID_SOURCE_STATE", ASB_ERROR_SANDBOX_STATE, FALSE },
  { "NOT_IMPLEMENTED", ASB_ERROR_UNSUPPORTED_CAPABILITY, FALSE },
  { "NOT_SUPPORTED", ASB_ERROR_UNSUPPORTED_CAPABILITY, FALSE },
  { "UNSUPPORTED_RUNTIME", ASB_ERROR_UNSUPPORTED_CAPABILITY, FALSE },
  { "UNSUPPORTED_POOL_REF", ASB_ERROR_UNSUPPORTED_CAPABILITY, FALSE },
};

static gboolean
is_retryable_status (guint status)
{
  return status == 408 || status == 429 || (status >= 500 && status != 501);
}

static const CodeRule *
find_rule (const char *code)
{
  for (gsize i = 0; code && i < G_N_ELEMENTS (code_rules); i++)
    if (g_str_has_suffix (code, code_rules[i].part))
      return &code_rules[i];
  return NULL;
}

static gboolean
means_sandbox (AsbOpensandboxTarget target, AsbOpensandboxErrorBody *body)
{
  /* A page comes from something in between that knows no sandboxes. */
  if (body->is_page || target == ASB_OPENSANDBOX_TARGET_OTHER)
    return FALSE;
  return target == ASB_OPENSANDBOX_TARGET_SANDBOX || !body->code
         || g_str_has_suffix (body->code, "::UNKNOWN_ERROR");
}

static AsbError
code_for_status (guint status, AsbOpensandboxTarget target, AsbOpensandboxErrorBody *body)
{
  if (status == SOUP_STATUS_NOT_IMPLEMENTED || (status == 404 && body->lacks_route)
      || status == SOUP_STATUS_METHOD_NOT_ALLOWED)
    return ASB_ERROR_UNSUPPORTED_CAPABILITY;
  if (status == 404 && means_sandbox (target, body))
    return ASB_ERROR_SANDBOX_NOT_FOUND;
  return ASB_ERROR_PROVIDER;
}

/* Texts */

/* “HTTP 409, DOCKER::SANDBOX_NOT_RUNNING” */
static char *
dup_source (guint status, const char *code)
{
  return code ? g_strdup_printf ("HTTP %u, %s", status, code) : g_strdup_printf ("HTTP %u", status);
}

/* Docker's words for a registry that asks for a login, or wants another one. */
static gboolean
is_registry_refusal (AsbOpensandboxErrorBody *body)
{
  static const char *const words[]
      = { "no basic auth credentials", "unauthorized", "authentication required", "access denied" };

  if (!body->text || !body->code || !g_str_has_suffix (body->code, "IMAGE_PULL_FAILED"))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (body->text, words[i]))
      return TRUE;
  return FALSE;
}

static const char *
get_hint (guint status, AsbOpensandboxErrorBody *body)
{
  if (is_registry_refusal (body))
    return "; check the login for the registry of the image";
  if (status == 401 && g_strcmp0 (body->code, "MISSING_OR_INVALID_SECURE_ACCESS") == 0)
    return "";
  /* What execd asks for names itself. */
  if (status == 401 && !(body->text && strstr (body->text, "X-EXECD-ACCESS-TOKEN")))
    return "; check the API key";
  if (status == 407)
    return "; write “http://user:password@host:port” in option “proxy”";
  if ((status == 400 || status == 404) && body->is_page)
    return "; check the address of the server";
  if (status == 404 && body->code && g_str_has_suffix (body->code, "::SANDBOX_NOT_FOUND"))
    return GONE_HINT;
  if (body->lacks_route)
    return "; the server is too old for this";
  if (body->is_page)
    return ", from a proxy in between";
  return "";
}

/* Balancers answer with some that libsoup has no words for. */
static const char *
get_phrase (guint status)
{
  static const struct
  {
    guint status;
    const char *phrase;
  } others[] = {
    { 421, "Misdirected Request" },
    { 425, "Too Early" },
    { 428, "Precondition Required" },
    { 429, "Too Many Requests" },
    { 431, "Request Header Fields Too Large" },
    { 451, "Unavailable For Legal Reasons" },
    { 508, "Loop Detected" },
    { 511, "Network Authentication Required" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (others[i].status == status)
      return others[i].phrase;
  return soup_status_get_phrase (status);
}

static char *
dup_message (const char *what, guint status, AsbOpensandboxErrorBody *body)
{
  g_autofree char *source = dup_source (status, body->code);
  g_autofree char *message = NULL;

  if (body->text)
    message = g_strdup_printf ("Could not %s: %s (%s)%s", what, body->text, source,
                               get_hint (status, body));
  else
    message = g_strdup_printf ("Could not %s: %s %s%s", what, source, get_phrase (status),
                               get_hint (status, body));
  return asb_opensandbox_error_dup_text (message, strlen (message), MAX_TEXT);
}

/* Replies */

static GVariant *
make_details (guint status, const char *code, gint64 retry_after)
{
  GVariantDict details;

  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert (&details, "status_code", "u", status);
  g_variant_dict_insert (&details, "source_exception", "s", "sandboxapiexception");
  if (code)
    g_variant_dict_insert (&details, "provider_error_code", "s", code);
  if (retry_after >= 0)
    g_variant_dict_insert (&details, "retry_after_seconds", "x", retry_after);
  return g_variant_dict_end (&details);
}

/* A date in it is one of the server's clock. */
static gint64
get_retry_after (AsbOpensandboxReply *reply)
{
  gint64 now
      = asb_opensandbox_headers_parse_date (asb_opensandbox_reply_get_header (reply, "Date"));

  return asb_opensandbox_headers_parse_retry_after (
      asb_opensandbox_reply_get_header (reply, "Retry-After"), now < 0 ? g_get_real_time () : now);
}

/* Nothing of what is compressed can be shown. */
static GBytes *
ref_readable_body (AsbOpensandboxReply *reply)
{
  const char *encoding = asb_opensandbox_reply_get_header (reply, "Content-Encoding");

  return encoding && g_ascii_strcasecmp (encoding, "identity") != 0
             ? g_bytes_new (NULL, 0)
             : g_bytes_ref (asb_opensandbox_reply_get_body (reply));
}

GError *
asb_opensandbox_error_from_reply (AsbOpensandboxReply *reply, AsbOpensandboxTarget target,
                                  const char *what)
{
  guint status = asb_opensandbox_reply_get_status (reply);
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  g_autoptr (GBytes) shown = ref_readable_body (reply);
  g_autoptr (AsbOpensandboxErrorBody) body = asb_opensandbox_error_body_parse (
      shown, asb_opensandbox_reply_get_header (reply, "Content-Type"));
  const CodeRule *rule = find_rule (body->code);
  g_autofree char *message = dup_message (what, status, body);
  gint64 retry_after = get_retry_after (reply);

  asb_error_info_set_details (info, make_details (status, body->code, retry_after));
  asb_error_info_set_provider_error_code (info, body->code);
  asb_error_info_set_provider_request_id (info, asb_opensandbox_reply_get_request_id (reply));
  asb_error_info_set_retryable (info, rule ? rule->is_retryable || is_retryable_status (status)
                                           : is_retryable_status (status));
  return asb_error_new_with_info ((int)(rule ? rule->code : code_for_status (status, target, body)),
                                  message, info);
}

GError *
asb_opensandbox_error_redirected (guint status, GUri *from, GUri *to, const char *what)
{
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  g_autofree char *place = NULL;
  g_autofree char *message = NULL;
  g_autofree char *line = NULL;

  /* Nothing but the origin: the rest may be a secret that was sent along. */
  if (to && g_uri_get_host (to))
    place = asb_opensandbox_url_dup_origin (to);
  if (to && asb_opensandbox_url_same_origin (from, to))
    message
        = g_strdup_printf ("Could not %s: the server redirects to another path (HTTP %u), which "
                           "is not followed here",
                           what, status);
  else
    message = g_strdup_printf (
        "Could not %s: the server redirects to %s%s%s (HTTP %u), which is not followed; check the "
        "address of the server, http or https",
        what, place ? "“" : "", place ? place : "nowhere", place ? "”" : "", status);
  asb_error_info_set_details (info, make_details (status, NULL, -1));
  line = asb_opensandbox_error_dup_text (message, strlen (message), MAX_TEXT);
  return asb_error_new_with_info (ASB_ERROR_PROVIDER, line, info);
}

/* Connections */

static gboolean
is_network_error (const GError *error)
{
  if (error->domain == G_RESOLVER_ERROR)
    return error->code == G_RESOLVER_ERROR_TEMPORARY_FAILURE;
  if (error->domain != G_IO_ERROR)
    return FALSE;
  switch (error->code)
    {
    case G_IO_ERROR_CONNECTION_REFUSED:
    case G_IO_ERROR_CONNECTION_CLOSED:
    case G_IO_ERROR_HOST_UNREACHABLE:
    case G_IO_ERROR_NETWORK_UNREACHABLE:
    case G_IO_ERROR_PARTIAL_INPUT:
    case G_IO_ERROR_PROXY_FAILED:
    case G_IO_ERROR_TIMED_OUT:
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
asb_opensandbox_error_is_passing (const GError *error)
{
  AsbErrorInfo *info = asb_error_get_info (error);

  return info ? asb_error_info_get_retryable (info) : is_network_error (error);
}

static char *
dup_origin (AsbOpensandboxEndpoint *endpoint)
{
  g_autoptr (GUri) uri = g_uri_parse (endpoint->base, SOUP_HTTP_URI_FLAGS, NULL);

  return uri && g_uri_get_host (uri) ? asb_opensandbox_url_dup_origin (uri)
                                     : g_strdup ("the server");
}

/* Whether the way into a sandbox itself is what does not work. */
static gboolean
is_unreachable (const GError *cause)
{
  return cause->domain == G_RESOLVER_ERROR
         || (cause->domain == G_IO_ERROR
             && (cause->code == G_IO_ERROR_CONNECTION_REFUSED
                 || cause->code == G_IO_ERROR_HOST_UNREACHABLE
                 || cause->code == G_IO_ERROR_NETWORK_UNREACHABLE
                 || cause->code == G_IO_ERROR_TIMED_OUT));
}

static const char *
get_transport_hint (const GError *cause, AsbOpensandboxEndpoint *endpoint)
{
  if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_PROXY_NEED_AUTH)
      || g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_PROXY_AUTH_FAILED))
    return "; write “http://user:password@host:port” in option “proxy”";
  if (endpoint->flags & ASB_OPENSANDBOX_ENDPOINT_DIRECT && is_unreachable (cause))
    return DIRECT_HINT;
  return "";
}

static AsbError
code_for_cause (const GError *cause)
{
  if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_TIMED_OUT))
    return ASB_ERROR_TIMED_OUT;
  if (cause->domain == SOUP_SESSION_ERROR || cause->domain == SOUP_WEBSOCKET_ERROR)
    return ASB_ERROR_PROTOCOL;
  return ASB_ERROR_PROVIDER;
}

static GError *
make_error (AsbError code, const char *message, gboolean is_retryable, const char *exception)
{
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  g_autofree char *text = asb_opensandbox_error_dup_text (message, strlen (message), MAX_TEXT);
  GVariantDict details;

  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert (&details, "source_exception", "s", exception);
  asb_error_info_set_details (info, g_variant_dict_end (&details));
  asb_error_info_set_retryable (info, is_retryable);
  return asb_error_new_with_info ((int)code, text, info);
}

GError *
asb_opensandbox_error_from_transport (const GError *cause, AsbOpensandboxEndpoint *endpoint,
                                      const char *what)
{
  g_autofree char *origin = NULL;
  g_autofree char *message = NULL;

  if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED) || cause->domain == ASB_ERROR)
    return g_error_copy (cause);
  origin = dup_origin (endpoint);
  message = g_strdup_printf ("Could not %s: %s: %s%s", what, origin, cause->message,
                             get_transport_hint (cause, endpoint));
  return make_error (code_for_cause (cause), message, is_network_error (cause),
                     "sandboxconnectionexception");
}

static gboolean
is_secure (AsbOpensandboxEndpoint *endpoint)
{
  return g_str_has_prefix (endpoint->base, "https:");
}

/* Endpoints are as the server says. */
static const char *
get_scheme_hint (AsbOpensandboxEndpoint *endpoint)
{
  if (endpoint->flags & ASB_OPENSANDBOX_ENDPOINT_DIRECT)
    return "";
  return is_secure (endpoint)
             ? "; if the server speaks plain HTTP, its address begins with “http://”"
             : "; if the server speaks TLS, its address begins with “https://”";
}

static gboolean
looks_like_other_scheme (const GError *cause, AsbOpensandboxEndpoint *endpoint)
{
  if (is_secure (endpoint))
    return cause->domain == G_TLS_ERROR && cause->code != G_TLS_ERROR_BAD_CERTIFICATE
           && cause->code != G_TLS_ERROR_CERTIFICATE_REQUIRED
           && cause->code != G_TLS_ERROR_UNAVAILABLE;
  return g_error_matches (cause, SOUP_SESSION_ERROR, SOUP_SESSION_ERROR_PARSING)
         || g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CONNECTION_CLOSED)
         || g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT);
}

GError *
asb_opensandbox_error_suspect_scheme (GError *error, AsbOpensandboxEndpoint *endpoint)
{
  g_autofree char *message = error->message;

  error->message = g_strconcat (
      message, looks_like_other_scheme (error, endpoint) ? get_scheme_hint (endpoint) : "", NULL);
  return error;
}

GError *
asb_opensandbox_error_no_tls (AsbOpensandboxEndpoint *endpoint, const char *what,
                              guint milliseconds)
{
  g_autofree char *origin = dup_origin (endpoint);
  g_autofree char *message = g_strdup_printf (
      "Could not %s: %s did not agree on TLS within %g second%s%s", what, origin,
      milliseconds / 1000.0, milliseconds == 1000 ? "" : "s", get_scheme_hint (endpoint));

  return make_error (ASB_ERROR_TIMED_OUT, message, TRUE, "sandboxtimeoutexception");
}

GError *
asb_opensandbox_error_timed_out (AsbOpensandboxEndpoint *endpoint, const char *what,
                                 guint milliseconds)
{
  g_autofree char *origin = dup_origin (endpoint);
  gboolean is_direct = endpoint->flags & ASB_OPENSANDBOX_ENDPOINT_DIRECT;
  g_autofree char *message = g_strdup_printf (
      "Could not %s: no answer from %s within %g second%s%s", what, origin, milliseconds / 1000.0,
      milliseconds == 1000 ? "" : "s", is_direct ? DIRECT_HINT : "");

  return make_error (ASB_ERROR_TIMED_OUT, message, TRUE, "sandboxtimeoutexception");
}

/* Sandboxes that are gone */

GError *
asb_opensandbox_error_specify (GError *error, AsbError code, const char *fate)
{
  g_autoptr (GString) message = g_string_new (error->message);

  if (g_str_has_suffix (message->str, GONE_HINT))
    g_string_truncate (message, message->len - strlen (GONE_HINT));
  g_string_append_printf (message, "; %s", fate);
  error->code = (int)code;
  g_free (error->message);
  error->message = g_string_free (g_steal_pointer (&message), FALSE);
  return error;
}

gboolean
asb_opensandbox_error_is_gone (const GError *error)
{
  return g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND)
         || g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_DELETED)
         || g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_EXPIRED);
}

/* Outcomes */

GError *
asb_opensandbox_error_mark_unknown (GError *error)
{
  g_autoptr (GError) cause = error;
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  AsbErrorInfo *known = asb_error_get_info (cause);
  g_autofree char *message = g_strdup_printf ("%s; whether it was done is unknown", cause->message);
  GVariantDict details;

  if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return g_steal_pointer (&cause);
  g_variant_dict_init (&details, known ? asb_error_info_get_details (known) : NULL);
  g_variant_dict_insert (&details, "outcome_unknown", "b", TRUE);
  asb_error_info_set_details (info, g_variant_dict_end (&details));
  if (known)
    asb_error_info_set_provider_request_id (info, asb_error_info_get_provider_request_id (known));
  return asb_error_new_with_info (g_error_matches (cause, ASB_ERROR, ASB_ERROR_TIMED_OUT)
                                      ? ASB_ERROR_TIMED_OUT
                                      : ASB_ERROR_INTERRUPTED,
                                  message, info);
}

static GVariant *
get_details (const GError *error)
{
  AsbErrorInfo *info = asb_error_get_info (error);

  return info ? asb_error_info_get_details (info) : NULL;
}

static gboolean
get_flag (const GError *error, const char *name)
{
  GVariant *details = get_details (error);
  gboolean flag = FALSE;

  if (details)
    g_variant_lookup (details, name, "b", &flag);
  return flag;
}

gboolean
asb_opensandbox_error_is_outcome_unknown (const GError *error)
{
  return get_flag (error, "outcome_unknown");
}

GError *
asb_opensandbox_error_rename (GError *error, const char *path, const char *name)
{
  g_autoptr (GString) message = NULL;

  if (!strstr (error->message, path))
    return error;
  message = g_string_new (error->message);
  g_string_replace (message, path, name, 0);
  g_free (error->message);
  error->message = g_string_free (g_steal_pointer (&message), FALSE);
  return error;
}

static GError *
set_flag (GError *error, const char *name)
{
  AsbErrorInfo *info = asb_error_get_info (error);
  GVariantDict details;

  if (!info)
    return error;
  g_variant_dict_init (&details, asb_error_info_get_details (info));
  g_variant_dict_insert (&details, name, "b", TRUE);
  asb_error_info_set_details (info, g_variant_dict_end (&details));
  return error;
}

GError *
asb_opensandbox_error_mark_not_sent (GError *error)
{
  return set_flag (error, "not_sent");
}

GError *
asb_opensandbox_error_note_unknown (GError *error)
{
  return set_flag (error, "outcome_unknown");
}

gboolean
asb_opensandbox_error_was_not_sent (const GError *error)
{
  return get_flag (error, "not_sent");
}

GError *
asb_opensandbox_error_note_repeated (GError *error)
{
  return set_flag (error, "repeated");
}

gboolean
asb_opensandbox_error_is_repeated (const GError *error)
{
  return get_flag (error, "repeated");
}

gboolean
asb_opensandbox_error_is_deleted_before (const GError *error)
{
  return asb_opensandbox_error_is_repeated (error)
         && asb_opensandbox_error_get_status (error) == SOUP_STATUS_NOT_FOUND
         && !asb_opensandbox_error_is_unknown_route (error);
}

guint
asb_opensandbox_error_get_status (const GError *error)
{
  GVariant *details = get_details (error);
  guint status = 0;

  if (details)
    g_variant_lookup (details, "status_code", "u", &status);
  return status;
}

gboolean
asb_opensandbox_error_is_unknown_route (const GError *error)
{
  guint status = asb_opensandbox_error_get_status (error);

  return g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY)
         && (status == SOUP_STATUS_NOT_FOUND || status == SOUP_STATUS_METHOD_NOT_ALLOWED);
}

gboolean
asb_opensandbox_error_is_no_way (const GError *error)
{
  AsbErrorInfo *info = error->domain == ASB_ERROR ? asb_error_get_info (error) : NULL;
  const char *code = info ? asb_error_info_get_provider_error_code (info) : NULL;

  return code
         && (g_str_has_suffix (code, "ENDPOINT_UNAVAILABLE")
             || g_str_equal (code, "BACKEND_CONNECTION_FAILED"));
}

GError *
asb_opensandbox_error_suspect_execd (GError *error)
{
  g_autofree char *told = g_steal_pointer (&error->message);

  error->message = g_strdup_printf (
      "%s; the server says that the sandbox runs, but execd, through which all goes, does not: it "
      "may have been killed for lack of memory: make a sandbox with more of the resource “memory”",
      told);
  return error;
}
