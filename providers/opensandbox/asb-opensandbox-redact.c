/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-redact.h"

#include <asb.h>
#include <string.h>

/* Shorter values are words rather than secrets, and would tear holes into every text. */
#define MIN_SECRET 6
#define HIDDEN "\342\200\246"

/* A text that was cut may have been cut in the middle of it, which looks like what is hidden. */
static void
hide_beginnings (GString *text, const char *secret)
{
  const char *cut;

  for (gsize at = 0; (cut = strstr (text->str + at, HIDDEN)) != NULL;)
    {
      gsize position = (gsize)(cut - text->str);
      gsize length = MIN (strlen (secret), position);

      while (length >= MIN_SECRET && memcmp (cut - length, secret, length) != 0)
        length--;
      length = length >= MIN_SECRET ? length : 0;
      g_string_erase (text, (gssize)(position - length), (gssize)length);
      at = position - length + strlen (HIDDEN);
    }
}

static void
hide (GString *text, const char *secret)
{
  if (!secret || strlen (secret) < MIN_SECRET)
    return;
  g_string_replace (text, secret, HIDDEN, 0);
  hide_beginnings (text, secret);
}

static void
hide_values (GString *text, GHashTable *headers)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, headers);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const char *secret = strchr (value, ' ');

      hide (text, value);
      /* “Bearer …” */
      if (secret)
        hide (text, secret + 1);
    }
}

char *
asb_opensandbox_redact (const char *text, AsbOpensandboxSettings *settings,
                        AsbOpensandboxEndpoint *endpoint)
{
  g_autoptr (GString) result = g_string_new (text);

  hide (result, settings->api_key);
  hide (result, settings->execd_token);
  hide_values (result, settings->headers);
  if (endpoint)
    hide_values (result, endpoint->headers);
  return g_string_free (g_steal_pointer (&result), FALSE);
}

static void
redact_info (AsbErrorInfo *info, AsbOpensandboxSettings *settings, AsbOpensandboxEndpoint *endpoint)
{
  const char *code = asb_error_info_get_provider_error_code (info);
  const char *request_id = asb_error_info_get_provider_request_id (info);
  g_autofree char *plain_code = code ? asb_opensandbox_redact (code, settings, endpoint) : NULL;
  g_autofree char *plain_id
      = request_id ? asb_opensandbox_redact (request_id, settings, endpoint) : NULL;
  GVariantDict details;

  if (g_strcmp0 (code, plain_code) != 0)
    {
      g_variant_dict_init (&details, asb_error_info_get_details (info));
      g_variant_dict_insert (&details, "provider_error_code", "s", plain_code);
      asb_error_info_set_details (info, g_variant_dict_end (&details));
      asb_error_info_set_provider_error_code (info, plain_code);
    }
  asb_error_info_set_provider_request_id (info, plain_id);
}

GError *
asb_opensandbox_redact_error (GError *error, AsbOpensandboxSettings *settings,
                              AsbOpensandboxEndpoint *endpoint)
{
  AsbErrorInfo *info = asb_error_get_info (error);
  g_autofree char *message = asb_opensandbox_redact (error->message, settings, endpoint);

  if (info)
    redact_info (info, settings, endpoint);
  g_free (error->message);
  error->message = g_steal_pointer (&message);
  return error;
}
