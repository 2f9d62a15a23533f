/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the shell of a sandbox says of the guest, or anybody else in its place: a line about it, and
 * then its standard error. */

#include "fuzz.h"

#include <asb.h>

#include "asb-opensandbox-guest-script.h"

#define MAX_ERROR 2048

static void
check_error (const GError *error, AsbOpensandboxGuestState state)
{
  FUZZ_CHECK (error->domain == ASB_ERROR);
  FUZZ_CHECK (error->code == ASB_ERROR_COMMAND_NOT_FOUND
              || error->code == ASB_ERROR_GUEST_UNAVAILABLE);
  FUZZ_CHECK ((error->code == ASB_ERROR_COMMAND_NOT_FOUND)
              == (state == ASB_OPENSANDBOX_GUEST_MISSING));
  FUZZ_CHECK (strlen (error->message) <= MAX_ERROR);
  FUZZ_CHECK (g_utf8_validate (error->message, -1, NULL));
  for (const char *at = error->message; *at; at = g_utf8_next_char (at))
    FUZZ_CHECK (!g_unichar_iscntrl (g_utf8_get_char (at)));
}

static void
check_place (const GError *error)
{
  AsbErrorInfo *info = asb_error_get_info (error);
  const char *path = NULL;

  FUZZ_CHECK (info && asb_error_info_get_details (info));
  FUZZ_CHECK (g_variant_lookup (asb_error_info_get_details (info), "guest_path", "&s", &path));
  FUZZ_CHECK (path[0] == '/');
  FUZZ_CHECK (g_str_has_suffix (path, "/bin/asb-guest-0"));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_auto (AsbOpensandboxGuestNews) news = { 0 };
  g_autoptr (GError) error = NULL;
  const char *line = (const char *)data;
  const char *end = memchr (data, '\n', size);
  gsize length = end ? (gsize)(end - line) : size;
  g_autofree char *errors = end ? g_strndup (end + 1, size - length - 1) : NULL;
  gboolean is_news = asb_opensandbox_guest_news_parse (&news, line, length);

  FUZZ_CHECK (is_news == (news.state != ASB_OPENSANDBOX_GUEST_NONE));
  FUZZ_CHECK ((news.state == ASB_OPENSANDBOX_GUEST_LISTENS) == (news.port > 0));
  FUZZ_CHECK (news.port <= G_MAXUINT16);
  error = asb_opensandbox_guest_news_to_error (&news, "/.agent-history/bin/asb-guest-0", errors);
  if (error)
    check_error (error, news.state);
  else
    FUZZ_CHECK (news.state == ASB_OPENSANDBOX_GUEST_LISTENS
                || news.state == ASB_OPENSANDBOX_GUEST_READY);
  if (news.state == ASB_OPENSANDBOX_GUEST_MISSING)
    check_place (error);
  return 0;
}
