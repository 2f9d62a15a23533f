/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-retry.h"

#define FIRST_DELAY 500
#define MAX_DELAY 30000
#define MAX_UNSENT_DELAY 1000
#define GROWTH 3
#define MAX_RETRY_AFTER_SECONDS 60

AsbOpensandboxRetryRule
asb_opensandbox_retry_rule_for_method (const char *method)
{
  static const char *const repeatable[] = { "GET", "HEAD", "PUT", "DELETE", "OPTIONS", NULL };

  return g_strv_contains (repeatable, method) ? ASB_OPENSANDBOX_RETRY_ALWAYS
                                              : ASB_OPENSANDBOX_RETRY_UNSENT;
}

gboolean
asb_opensandbox_retry_is_safe (const char *method)
{
  return g_str_equal (method, "GET") || g_str_equal (method, "HEAD");
}

gboolean
asb_opensandbox_retry_is_passing_status (guint status)
{
  return status == 429 || status == 502 || status == 503;
}

gint64
asb_opensandbox_retry_next_delay (guint *previous, gint64 retry_after_seconds)
{
  guint most = MIN (MAX (*previous, FIRST_DELAY) * GROWTH, MAX_DELAY);

  if (retry_after_seconds > MAX_RETRY_AFTER_SECONDS)
    return -1;
  /* Clients that failed together must not come back together. */
  *previous = (guint)g_random_int_range (FIRST_DELAY, (gint32)most + 1);
  return retry_after_seconds < 0 ? *previous : MAX (retry_after_seconds * 1000, FIRST_DELAY / 2);
}

gint64
asb_opensandbox_retry_next_unsent_delay (void)
{
  return g_random_int_range (FIRST_DELAY, MAX_UNSENT_DELAY + 1);
}
