/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "lookalike-endpoints.h"
#include "lookalike-proxy.h"
#include "lookalike-sandbox.h"

#define UUID_LENGTH 36

/* Where a request wants to go. */
typedef struct
{
  char *id;
  guint64 port;
  char *expires; /* base 36, or NULL */
  char *signature;
  guint skip; /* parts of the path that said so */
} Address;

static void
address_clear (Address *self)
{
  g_free (self->id);
  g_free (self->expires);
  g_free (self->signature);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Address, address_clear)

static void
append_number (GByteArray *bytes, gsize number)
{
  guint32 big_endian = GUINT32_TO_BE ((guint32)number);

  g_byte_array_append (bytes, (const guint8 *)&big_endian, sizeof big_endian);
}

char *
lookalike_gateway_print_expiry (guint64 expires)
{
  g_autoptr (GString) text = g_string_new (NULL);

  do
    {
      g_string_prepend_c (text, "0123456789abcdefghijklmnopqrstuvwxyz"[expires % 36]);
      expires /= 36;
    }
  while (expires > 0);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
lookalike_gateway_sign (Lookalike *lookalike, const char *id, guint port, const char *expires)
{
  gsize length = 0;
  g_autofree guchar *secret = NULL;
  g_autofree char *canonical = g_strdup_printf ("v1\nshort\n%s\n%u\n%s\n", id, port, expires);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *digest = NULL;

  if (lookalike->config.signing_key == NULL)
    return NULL;
  secret = g_base64_decode (lookalike->config.signing_key, &length);
  append_number (bytes, length);
  g_byte_array_append (bytes, secret, (guint)length);
  append_number (bytes, strlen (canonical));
  g_byte_array_append (bytes, (const guint8 *)canonical, (guint)strlen (canonical));
  digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, bytes->data, bytes->len);
  return g_strdup_printf ("%.8s%c", digest, LOOKALIKE_SIGNING_KEY_ID);
}

/* ID-PORT or ID-PORT-EXPIRES-SIGNATURE */
static gboolean
parse_name (Address *address, const char *name)
{
  g_auto (GStrv) parts = NULL;

  if (strlen (name) <= UUID_LENGTH || name[UUID_LENGTH] != '-')
    return FALSE;
  address->id = g_strndup (name, UUID_LENGTH);
  parts = g_strsplit (name + UUID_LENGTH + 1, "-", -1);
  if (g_strv_length (parts) == 3)
    {
      address->expires = g_strdup (parts[1]);
      address->signature = g_strdup (parts[2]);
    }
  return g_ascii_string_to_unsigned (parts[0], 10, 1, 65535, &address->port, NULL);
}

static gboolean
parse_path (Address *address, LookalikeRequest *request)
{
  char **parts = request->segments;

  if (g_strv_length (parts) < 2
      || !g_ascii_string_to_unsigned (parts[1], 10, 1, 65535, &address->port, NULL))
    return FALSE;
  address->id = g_strdup (parts[0]);
  address->skip = 2;
  /* Only a signature has this shape, and only a sandbox with secure access asks for one. */
  if (g_strv_length (parts) >= 4 && strlen (parts[3]) == 9
      && parts[3][8] == LOOKALIKE_SIGNING_KEY_ID)
    {
      address->expires = g_strdup (parts[2]);
      address->signature = g_strdup (parts[3]);
      address->skip = 4;
    }
  return TRUE;
}

static gboolean
parse (Address *address, LookalikeRequest *request)
{
  const char *header = lookalike_request_get_header (request, "OpenSandbox-Ingress-To");
  const char *host = lookalike_request_get_header (request, "Host");
  g_autofree char *label = NULL;

  if (header != NULL)
    return parse_name (address, header);
  label = g_strndup (host != NULL ? host : "", strcspn (host != NULL ? host : "", ".:"));
  if (strlen (label) > UUID_LENGTH)
    return parse_name (address, label);
  return parse_path (address, request);
}

static gboolean
may_enter (LookalikeRequest *request, LookalikeSandbox *sandbox, const Address *address)
{
  const char *given = lookalike_request_get_header (request, "OpenSandbox-Secure-Access");
  g_autofree char *right = NULL;

  if (address->signature != NULL)
    {
      guint64 expires = g_ascii_strtoull (address->expires, NULL, 36);

      right = lookalike_gateway_sign (request->lookalike, sandbox->id, (guint)address->port,
                                      address->expires);
      return g_strcmp0 (right, address->signature) == 0
             && expires > (guint64)(g_get_real_time () / G_USEC_PER_SEC);
    }
  return sandbox->secure_access == NULL || g_strcmp0 (given, sandbox->secure_access) == 0;
}

void
lookalike_gateway_handle (LookalikeRequest *request)
{
  g_auto (Address) address = { 0 };
  LookalikeProxyRoute route = { .style = LOOKALIKE_PROXY_GATEWAY };
  LookalikeSandbox *sandbox = NULL;

  if (parse (&address, request))
    sandbox = g_hash_table_lookup (request->lookalike->sandboxes, address.id);
  if (sandbox == NULL)
    {
      lookalike_request_reply (request, SOUP_STATUS_NOT_FOUND, "text/plain; charset=utf-8",
                               "OpenSandbox Ingress: sandbox not found\n", -1);
      return;
    }
  if (!may_enter (request, sandbox, &address))
    {
      lookalike_request_reply (request, SOUP_STATUS_UNAUTHORIZED, "text/plain; charset=utf-8",
                               "OpenSandbox Ingress: unauthorized\n", -1);
      return;
    }
  request->sandbox = lookalike_sandbox_ref (sandbox);
  lookalike_sandbox_touch (sandbox);
  route.port = lookalike_sandbox_map_port (sandbox, (guint)address.port);
  route.name = g_strdup (address.id);
  route.target = lookalike_proxy_make_target (request, address.skip);
  lookalike_proxy_pass (request, route);
}
