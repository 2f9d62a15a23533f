/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-settings.h"

#include <asb.h>

#include "asb-opensandbox-headers.h"
#include "asb-opensandbox-proxy.h"
#include "asb-opensandbox-url.h"

#define DOMAIN_VARIABLE "OPEN_SANDBOX_DOMAIN"
#define KEY_VARIABLE "OPEN_SANDBOX_API_KEY"
#define DEFAULT_DOMAIN "localhost:8080"
#define FINGERPRINT_DIGITS 16

static const char *
get_variable (const char *name)
{
  const char *value = g_getenv (name);

  return value && *value ? value : NULL;
}

/* Says which setting it is, and never what it holds. */
static gboolean
replace_secret (char **field, const char *secret, const char *what, GError **error)
{
  g_autofree char *text = NULL;

  if (!secret)
    return TRUE;
  text = g_strstrip (g_strdup (secret));
  if (!asb_opensandbox_headers_is_value (text) || !g_str_is_ascii (text))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "%s cannot be sent in a header: there are characters in it that are not "
                   "printable ASCII",
                   what);
      return FALSE;
    }
  if (*text == '\0')
    return TRUE;
  g_free (*field);
  *field = g_steal_pointer (&text);
  return TRUE;
}

AsbOpensandboxSettings *
asb_opensandbox_settings_new (const char *url, GError **error)
{
  g_autoptr (AsbOpensandboxSettings) self = g_atomic_rc_box_new0 (AsbOpensandboxSettings);
  const char *address = url && *url ? url : get_variable (DOMAIN_VARIABLE);

  self->headers = asb_opensandbox_headers_new ();
  self->request_timeout_seconds = ASB_OPENSANDBOX_DEFAULT_REQUEST_TIMEOUT;
  self->ready_timeout_seconds = ASB_OPENSANDBOX_DEFAULT_READY_TIMEOUT;
  self->idle_timeout_seconds = ASB_OPENSANDBOX_DEFAULT_IDLE_TIMEOUT;
  self->max_connections = ASB_OPENSANDBOX_DEFAULT_MAX_CONNECTIONS;
  self->max_connections_per_host = ASB_OPENSANDBOX_DEFAULT_MAX_CONNECTIONS_PER_HOST;
  self->keep_alive_seconds = ASB_OPENSANDBOX_DEFAULT_KEEP_ALIVE_SECONDS;
  if (!asb_opensandbox_url_parse (address ? address : DEFAULT_DOMAIN, &self->scheme, &self->domain,
                                  error))
    {
      if (address && address != url)
        g_prefix_error (error, "$%s: ", DOMAIN_VARIABLE);
      return NULL;
    }
  if (!replace_secret (&self->api_key, get_variable (KEY_VARIABLE), "$" KEY_VARIABLE, error))
    return NULL;
  return g_steal_pointer (&self);
}

AsbOpensandboxSettings *
asb_opensandbox_settings_ref (AsbOpensandboxSettings *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
settings_clear (gpointer data)
{
  AsbOpensandboxSettings *self = data;

  g_clear_pointer (&self->scheme, g_free);
  g_clear_pointer (&self->domain, g_free);
  g_clear_pointer (&self->api_key, g_free);
  g_clear_pointer (&self->execd_token, g_free);
  g_clear_pointer (&self->headers, g_hash_table_unref);
  g_clear_pointer (&self->proxy_uri, g_free);
  g_clear_object (&self->tls_database);
}

void
asb_opensandbox_settings_unref (AsbOpensandboxSettings *self)
{
  g_atomic_rc_box_release_full (self, settings_clear);
}

gboolean
asb_opensandbox_settings_set_key (AsbOpensandboxSettings *self, const char *key, GError **error)
{
  return replace_secret (&self->api_key, key, "The API key", error);
}

gboolean
asb_opensandbox_settings_set_execd_token (AsbOpensandboxSettings *self, const char *token,
                                          GError **error)
{
  return replace_secret (&self->execd_token, token, "The access token of execd", error);
}

/* Where that is said which the header was to say. */
static const char *
get_other_option (const char *name)
{
  if (asb_opensandbox_headers_equal_name (name, "Host"))
    return "; the server is named by option “url”";
  if (asb_opensandbox_headers_equal_name (name, "Proxy-Authorization"))
    return "; the login at a proxy is part of option “proxy”";
  return "";
}

static gboolean
check_header (const char *name, const char *value, GError **error)
{
  if (!asb_opensandbox_headers_is_name (name))
    g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                         "Option “headers”: a name of a header is made of ASCII letters, digits "
                         "and “-”");
  else if (!asb_opensandbox_headers_is_settable (name))
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "Option “headers”: header “%s” belongs to the connection and cannot be set", name);
  else if (!asb_opensandbox_headers_is_for_all (name))
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "Option “headers”: header “%s” cannot be set for all requests, since it means "
                 "something else in each%s",
                 name, get_other_option (name));
  else if (!asb_opensandbox_headers_is_value (value))
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "Option “headers”: the value of header “%s” begins or ends with a space, or "
                 "holds control characters",
                 name);
  else
    return TRUE;
  return FALSE;
}

static gboolean
set_header (AsbOpensandboxSettings *self, const char *name, const char *value, GError **error)
{
  if (!check_header (name, value, error))
    return FALSE;
  /* Those two do not go to everybody. An option of their own counts more. */
  if (asb_opensandbox_headers_equal_name (name, ASB_OPENSANDBOX_KEY_HEADER))
    return asb_opensandbox_settings_set_key (self, value, error);
  if (asb_opensandbox_headers_equal_name (name, ASB_OPENSANDBOX_EXECD_TOKEN_HEADER))
    return asb_opensandbox_settings_set_execd_token (self, value, error);
  g_hash_table_replace (self->headers, g_strdup (name), g_strdup (value));
  return TRUE;
}

gboolean
asb_opensandbox_settings_set_headers (AsbOpensandboxSettings *self, GVariant *headers,
                                      GError **error)
{
  GVariantIter iter;
  const char *name;
  const char *value;

  if (!headers)
    return TRUE;
  g_variant_iter_init (&iter, headers);
  while (g_variant_iter_next (&iter, "{&s&s}", &name, &value))
    if (!set_header (self, name, value, error))
      return FALSE;
  return TRUE;
}

gboolean
asb_opensandbox_settings_set_proxy (AsbOpensandboxSettings *self, const char *uri, GError **error)
{
  if (!uri || *uri == '\0')
    return TRUE;
  if (!asb_opensandbox_proxy_check_uri (uri, error))
    return FALSE;
  g_free (self->proxy_uri);
  self->proxy_uri = g_strdup (uri);
  return TRUE;
}

/* A backend would take a file without a certificate for one that trusts nobody. */
static gboolean
holds_certificates (const char *path, GError **error)
{
  g_autolist (GTlsCertificate) certificates = NULL;
  g_autoptr (GError) cause = NULL;

  certificates = g_tls_certificate_list_new_from_file (path, &cause);
  if (certificates)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "Option “tls-ca-file”: no certificates in “%s”: %s", path,
               cause ? cause->message : "it is no PEM file of certificates");
  return FALSE;
}

gboolean
asb_opensandbox_settings_set_tls_ca_file (AsbOpensandboxSettings *self, const char *path,
                                          GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autofree char *full_path = NULL;

  if (!path || *path == '\0')
    return TRUE;
  if (!g_tls_backend_supports_tls (g_tls_backend_get_default ()))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE,
                           "Option “tls-ca-file”: GLib has no TLS here; install "
                           "glib-networking");
      return FALSE;
    }
  /* GnuTLS takes no other. */
  full_path = g_canonicalize_filename (path, NULL);
  if (!holds_certificates (full_path, error))
    return FALSE;
  g_clear_object (&self->tls_database);
  self->tls_database = G_TLS_DATABASE (g_tls_file_database_new (full_path, &cause));
  if (self->tls_database)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "Option “tls-ca-file”: could not read “%s”: %s", path, cause->message);
  return FALSE;
}

gboolean
asb_opensandbox_settings_set_transport (AsbOpensandboxSettings *self, const char *name,
                                        GError **error)
{
  /* In the order of the enumeration. */
  static const char *const names[] = { "auto", "guest", "websocket", "pty", "native", NULL };

  if (!name)
    return TRUE;
  for (guint i = 0; names[i]; i++)
    if (g_str_equal (name, names[i]))
      {
        self->transport = (AsbOpensandboxTransportChoice)i;
        return TRUE;
      }
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "There is no transport “%s”; there are “auto”, “guest”, “websocket”, “pty” and "
               "“native”",
               name);
  return FALSE;
}

guint
asb_opensandbox_settings_to_milliseconds (double seconds)
{
  return (guint)CLAMP (seconds * 1000.0, 1.0, (double)G_MAXINT);
}

char *
asb_opensandbox_settings_dup_fingerprint (AsbOpensandboxSettings *self)
{
  g_autofree char *text = g_strdup_printf ("%s://%s", self->scheme, self->domain);
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);

  return g_strndup (digest, FINGERPRINT_DIGITS);
}
