/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Replies of OpenSandbox servers that refuse: whatever the body, the error is one line of text that
 * can be shown. The first byte says the status and the type of the body. */

#include "fuzz.h"

#include <asb.h>

#include "asb-opensandbox-early.h"
#include "asb-opensandbox-error.h"

#define MAX_MESSAGE 512

static const guint statuses[]
    = { 400, 401, 403, 404, 405, 407, 408, 409, 413, 422, 429, 500, 501, 502, 503, 599 };
static const char *const types[] = { "application/json", "text/plain", "text/html", NULL };

static void
check_line (const char *text, gsize most)
{
  FUZZ_CHECK (strlen (text) <= most);
  FUZZ_CHECK (g_utf8_validate (text, -1, NULL));
  for (const char *at = text; *at; at = g_utf8_next_char (at))
    {
      gunichar character = g_utf8_get_char (at);

      FUZZ_CHECK (!g_unichar_iscntrl (character));
      FUZZ_CHECK (g_unichar_type (character) != G_UNICODE_FORMAT);
      FUZZ_CHECK (g_unichar_type (character) != G_UNICODE_LINE_SEPARATOR);
    }
}

static void
check_error (const GError *error, guint status)
{
  AsbErrorInfo *info = asb_error_get_info (error);
  const char *code = asb_error_info_get_provider_error_code (info);
  g_autofree char *lower = g_ascii_strdown (error->message, -1);

  FUZZ_CHECK (error->domain == ASB_ERROR && asb_error_code_to_string (error->code) != NULL);
  FUZZ_CHECK (g_str_has_prefix (error->message, "Could not do the test: "));
  FUZZ_CHECK (!strstr (lower, "<html") && !strstr (lower, "<!doctype"));
  check_line (error->message, MAX_MESSAGE);
  FUZZ_CHECK (asb_opensandbox_error_get_status (error) == status);
  FUZZ_CHECK (!asb_opensandbox_error_is_unknown_route (error)
              || error->code == ASB_ERROR_UNSUPPORTED_CAPABILITY);
  if (code)
    check_line (code, 96);
}

/* The same as it comes before a request was sent whole. */
static void
check_early (const uint8_t *bytes, gsize size)
{
  g_autoptr (AsbOpensandboxReply) reply
      = size > 0 ? asb_opensandbox_early_parse ((const char *)bytes, size) : NULL;
  g_autoptr (GError) error = NULL;

  if (!reply)
    return;
  FUZZ_CHECK (asb_opensandbox_reply_get_status (reply) >= 400);
  FUZZ_CHECK (g_bytes_get_size (asb_opensandbox_reply_get_body (reply)) <= size);
  error = asb_opensandbox_error_from_reply (reply, ASB_OPENSANDBOX_TARGET_ASPECT, "do the test");
  check_error (error, asb_opensandbox_reply_get_status (reply));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, data + size };
  uint8_t choice = fuzz_take_byte (&input);
  guint status = statuses[choice & 15];
  const char *type = types[choice >> 4 & 3];
  g_autoptr (GBytes) body = g_bytes_new_static (input.at, fuzz_left (&input));
  g_autoptr (SoupMessageHeaders) headers = soup_message_headers_new (SOUP_MESSAGE_HEADERS_RESPONSE);
  g_autoptr (AsbOpensandboxReply) reply = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text
      = asb_opensandbox_error_dup_text ((const char *)input.at, fuzz_left (&input), choice);

  check_line (text, choice);
  check_early (input.at, fuzz_left (&input));
  if (type)
    soup_message_headers_append (headers, "Content-Type", type);
  reply = asb_opensandbox_reply_new (status, headers, body, NULL);
  error
      = asb_opensandbox_error_from_reply (reply, (AsbOpensandboxTarget)(status % 3), "do the test");
  check_error (error, status);
  error = asb_opensandbox_error_mark_unknown (g_steal_pointer (&error));
  FUZZ_CHECK (asb_opensandbox_error_is_outcome_unknown (error));
  return 0;
}
