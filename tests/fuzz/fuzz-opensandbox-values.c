/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Small texts of OpenSandbox servers and their users: times, numbers and dates of headers, ranges,
 * addresses. The first byte says which it is. */

#include "fuzz.h"

#include <asb.h>

#include "asb-opensandbox-headers.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-proxy.h"
#include "asb-opensandbox-settings.h"
#include "asb-opensandbox-url.h"

/* 2026-03-01T10:00:00Z */
#define NOW (G_GINT64_CONSTANT (1772359200) * G_USEC_PER_SEC)

static void
check_time (const char *text)
{
  g_autoptr (GDateTime) time = asb_opensandbox_json_parse_time (text);
  g_autoptr (GDateTime) again = NULL;
  g_autofree char *printed = NULL;

  if (!time)
    return;
  printed = g_date_time_format_iso8601 (time);
  again = asb_opensandbox_json_parse_time (printed);
  FUZZ_CHECK (again && g_date_time_equal (time, again));
  FUZZ_CHECK (g_date_time_get_utc_offset (time) == 0);
}

static void
check_headers (const char *text)
{
  gint64 seconds = asb_opensandbox_headers_parse_retry_after (text, NOW);
  gint64 date = asb_opensandbox_headers_parse_date (text);
  gint64 start;
  gint64 end;
  gint64 total;

  FUZZ_CHECK (seconds >= -1);
  FUZZ_CHECK (date >= -1);
  if (!asb_opensandbox_headers_parse_content_range (text, &start, &end, &total))
    return;
  FUZZ_CHECK (start >= 0 || (start == -1 && end == -1 && total >= 0));
  FUZZ_CHECK (start <= end && (total == -1 || end < total));
}

static void
check_url (const char *text)
{
  g_autofree char *scheme = NULL;
  g_autofree char *domain = NULL;
  g_autofree char *again_scheme = NULL;
  g_autofree char *again_domain = NULL;
  g_autofree char *full = NULL;
  g_autoptr (GError) error = NULL;

  if (!asb_opensandbox_url_parse (text, &scheme, &domain, &error))
    {
      FUZZ_CHECK (g_error_matches (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT));
      FUZZ_CHECK (!scheme && !domain);
      return;
    }
  FUZZ_CHECK (!error);
  FUZZ_CHECK (g_str_equal (scheme, "http") || g_str_equal (scheme, "https"));
  FUZZ_CHECK (*domain && !strpbrk (domain, "/?#@ \r\n\t\\"));
  full = g_strdup_printf ("%s://%s", scheme, domain);
  FUZZ_CHECK (asb_opensandbox_url_parse (full, &again_scheme, &again_domain, NULL));
  FUZZ_CHECK (g_str_equal (scheme, again_scheme) && g_str_equal (domain, again_domain));
}

static void
check_names (const char *text)
{
  gboolean is_name = asb_opensandbox_headers_is_name (text);
  gboolean is_value = asb_opensandbox_headers_is_value (text);

  FUZZ_CHECK (!is_name || is_value);
  FUZZ_CHECK (!is_value || !strpbrk (text, "\r\n"));
  FUZZ_CHECK (!is_name || !strpbrk (text, " :\t\r\n"));
  asb_opensandbox_url_is_loopback (text);
  asb_opensandbox_proxy_check_uri (text, NULL);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, data + size };
  uint8_t choice = fuzz_take_byte (&input);
  g_autofree char *text = g_strndup ((const char *)input.at, fuzz_left (&input));

  switch (choice & 3)
    {
    case 0:
      check_time (text);
      break;
    case 1:
      check_headers (text);
      break;
    case 2:
      check_url (text);
      break;
    default:
      check_names (text);
    }
  return 0;
}
