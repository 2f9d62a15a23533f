/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-error.h"

#include <libsoup/soup.h>

#include "asb-opensandbox-json.h"

#define MAX_TEXT 512

char *
asb_opensandbox_error_dup_text (const char *text, gsize size, gsize max_bytes)
{
  g_autofree char *valid = g_utf8_make_valid (text, (gssize)MIN (size, max_bytes));

  for (char *at = valid; *at; at++)
    if ((guchar)*at < 0x20 || *at == 0x7f)
      *at = ' ';
  return g_strstrip (g_steal_pointer (&valid));
}

static int
code_for_status (guint status, const char *code)
{
  if (g_strcmp0 (code, "FILE_NOT_FOUND") == 0)
    return ASB_ERROR_FILE_NOT_FOUND;
  return status == SOUP_STATUS_NOT_FOUND ? ASB_ERROR_SANDBOX_NOT_FOUND : ASB_ERROR_PROVIDER;
}

GError *
asb_opensandbox_error_from_reply (AsbOpensandboxReply *reply, const char *what)
{
  guint status = asb_opensandbox_reply_get_status (reply);
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  g_autofree char *message = NULL;
  g_autoptr (JsonObject) object = asb_opensandbox_json_parse_object (
      asb_opensandbox_reply_get_body (reply), "an error", NULL);
  const char *code = NULL;
  const char *text = NULL;
  GVariantDict details;

  if (object)
    {
      asb_opensandbox_json_get_string (object, "code", FALSE, &code, NULL);
      asb_opensandbox_json_get_string (object, "message", FALSE, &text, NULL);
    }
  message = g_strdup_printf ("Could not %s: %s (HTTP %u %s)", what, text ? text : "no reason given",
                             status, soup_status_get_phrase (status));
  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert (&details, "status_code", "u", status);
  if (code)
    g_variant_dict_insert (&details, "provider_error_code", "s", code);
  asb_error_info_set_details (info, g_variant_dict_end (&details));
  asb_error_info_set_provider_error_code (info, code);
  asb_error_info_set_provider_request_id (info, asb_opensandbox_reply_get_request_id (reply));
  asb_error_info_set_retryable (info, status == 408 || status == 429 || status >= 500);
  return asb_error_new_with_info (code_for_status (status, code), message, info);
}

GError *
asb_opensandbox_error_from_transport (const GError *cause, AsbOpensandboxEndpoint *endpoint,
                                      const char *what)
{
  g_autoptr (AsbErrorInfo) info = NULL;
  g_autofree char *message = NULL;

  if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED) || cause->domain == ASB_ERROR)
    return g_error_copy (cause);
  info = asb_error_info_new ();
  asb_error_info_set_retryable (info, TRUE);
  message = g_strdup_printf ("Could not %s: %s", what, cause->message);
  return asb_error_new_with_info (ASB_ERROR_PROVIDER, message, info);
}

guint
asb_opensandbox_error_get_status (const GError *error)
{
  AsbErrorInfo *info = asb_error_get_info (error);
  GVariant *details = info ? asb_error_info_get_details (info) : NULL;
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
asb_opensandbox_error_was_not_sent (const GError *error)
{
  AsbErrorInfo *info = asb_error_get_info (error);
  GVariant *details = info ? asb_error_info_get_details (info) : NULL;
  gboolean not_sent = FALSE;

  if (details)
    g_variant_lookup (details, "not_sent", "b", &not_sent);
  return not_sent;
}
