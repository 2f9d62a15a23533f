/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-url.h"

#include <asb.h>
#include <gio/gio.h>
#include <string.h>

#define DEFAULT_SCHEME "http"

/* No error repeats the address: who writes a password in it must not find it in a log. */
static gboolean
refuse (GError **error, const char *why)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "The address of the OpenSandbox server cannot be used: %s. It looks like "
               "“host:8080” or “https://host”",
               why);
  return FALSE;
}

static gboolean
check_text (const char *text, GError **error)
{
  if (*text == '\0')
    return refuse (error, "it is empty");
  if (!g_utf8_validate (text, -1, NULL))
    return refuse (error, "it is not valid UTF-8");
  for (const char *at = text; *at; at++)
    if ((guchar)*at <= 0x20 || *at == 0x7f || *at == '\\')
      return refuse (error, "there is a space, a control character or a backslash in it");
  return TRUE;
}

static gboolean
check_rest (const char *rest, GError **error)
{
  if (strchr (rest, '#'))
    return refuse (error, "there is a fragment in it, after “#”");
  if (strchr (rest, '?'))
    return refuse (error, "there is a query in it, after “?”");
  if (*rest != '\0' && strcmp (rest, "/") != 0)
    return refuse (error, "there is a path in it; name the server only");
  return TRUE;
}

gboolean
asb_opensandbox_url_is_host (const char *host)
{
  if (!host)
    return FALSE;
  for (const char *at = host; *at; at++)
    if (!g_ascii_isalnum (*at) && !strchr ("-._:%", *at) && (guchar)*at < 0x80)
      return FALSE;
  return *host != '\0';
}

static gboolean
check_domain (const char *scheme, const char *domain, GError **error)
{
  g_autofree char *text = g_strdup_printf ("%s://%s/", scheme, domain);
  g_autoptr (GUri) uri = NULL;
  int port;

  if (strchr (domain, '@'))
    return refuse (error, "there is a user name or a password in it");
  uri = g_uri_parse (text, G_URI_FLAGS_NONE, NULL);
  if (!uri)
    return refuse (error, "its host or its port is none");
  port = g_uri_get_port (uri);
  if (!g_uri_get_host (uri) || *g_uri_get_host (uri) == '\0')
    return refuse (error, "there is no host in it");
  if (!asb_opensandbox_url_is_host (g_uri_get_host (uri)))
    return refuse (error, "there are characters in its host that no host has");
  if (port == 0)
    return refuse (error, "its port is 0");
  return TRUE;
}

gboolean
asb_opensandbox_url_parse (const char *url, char **scheme, char **domain, GError **error)
{
  g_autofree char *text = g_strstrip (g_strdup (url ? url : ""));
  const char *separator;
  const char *authority;
  g_autofree char *found_scheme = NULL;
  g_autofree char *found_domain = NULL;

  if (!check_text (text, error))
    return FALSE;
  separator = strstr (text, "://");
  found_scheme = separator ? g_ascii_strdown (text, separator - text) : g_strdup (DEFAULT_SCHEME);
  if (strcmp (found_scheme, "http") != 0 && strcmp (found_scheme, "https") != 0)
    return refuse (error, "its scheme is neither http nor https");
  authority = separator ? separator + 3 : text;
  found_domain = g_strndup (authority, strcspn (authority, "/?#"));
  if (!check_domain (found_scheme, found_domain, error)
      || !check_rest (authority + strlen (found_domain), error))
    return FALSE;
  *scheme = g_steal_pointer (&found_scheme);
  *domain = g_steal_pointer (&found_domain);
  return TRUE;
}

static int
port_of (GUri *uri)
{
  int port = g_uri_get_port (uri);

  if (port > 0)
    return port;
  return g_strcmp0 (g_uri_get_scheme (uri), "https") == 0 ? 443 : 80;
}

gboolean
asb_opensandbox_url_same_origin (GUri *first, GUri *second)
{
  return g_ascii_strcasecmp (g_uri_get_scheme (first), g_uri_get_scheme (second)) == 0
         && g_uri_get_host (first) && g_uri_get_host (second)
         && g_ascii_strcasecmp (g_uri_get_host (first), g_uri_get_host (second)) == 0
         && port_of (first) == port_of (second);
}

static gboolean
is_loopback_address (const char *host)
{
  static const guint8 mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (host);
  const guint8 *bytes;

  if (!address)
    return FALSE;
  /* The unspecified address reaches this machine too. */
  if (g_inet_address_get_is_loopback (address) || g_inet_address_get_is_any (address))
    return TRUE;
  bytes = g_inet_address_to_bytes (address);
  return g_inet_address_get_family (address) == G_SOCKET_FAMILY_IPV6
         && memcmp (bytes, mapped, sizeof mapped) == 0 && bytes[12] == 127;
}

gboolean
asb_opensandbox_url_is_redirect (guint status)
{
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

gboolean
asb_opensandbox_url_is_loopback (const char *host)
{
  g_autofree char *name = g_ascii_strdown (host, -1);

  if (g_str_has_suffix (name, "."))
    name[strlen (name) - 1] = '\0';
  return strcmp (name, "localhost") == 0 || g_str_has_suffix (name, ".localhost")
         || is_loopback_address (name);
}

char *
asb_opensandbox_url_dup_plain (GUri *uri)
{
  return g_uri_join (G_URI_FLAGS_NONE, g_uri_get_scheme (uri), NULL, g_uri_get_host (uri),
                     g_uri_get_port (uri), g_uri_get_path (uri), NULL, NULL);
}

char *
asb_opensandbox_url_dup_origin (GUri *uri)
{
  gboolean is_https = g_str_equal (g_uri_get_scheme (uri), "https");
  int port = g_uri_get_port (uri);

  return g_uri_join (G_URI_FLAGS_NONE, g_uri_get_scheme (uri), NULL, g_uri_get_host (uri),
                     port == (is_https ? 443 : 80) ? -1 : port, "", NULL, NULL);
}
