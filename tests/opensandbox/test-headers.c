/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is read of heads, without a server: numbers, dates, ranges, the clock of the other side. */

#include <asb.h>

#include "asb-opensandbox-clock.h"
#include "asb-opensandbox-headers.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-retry.h"
#include "exchange.h"

#define SECOND G_GINT64_CONSTANT (1000000)

/* 2026-03-01T10:00:00Z */
#define MARCH (G_GINT64_CONSTANT (1772359200) * SECOND)

static void
test_date (void)
{
  g_assert_cmpint (asb_opensandbox_headers_parse_date ("Sun, 01 Mar 2026 10:00:00 GMT"), ==, MARCH);
  g_assert_cmpint (asb_opensandbox_headers_parse_date ("Sunday, 01-Mar-26 10:00:00 GMT"), ==,
                   MARCH);
  g_assert_cmpint (asb_opensandbox_headers_parse_date ("Sun Mar  1 10:00:00 2026"), ==, MARCH);
  g_assert_cmpint (asb_opensandbox_headers_parse_date (NULL), ==, -1);
  g_assert_cmpint (asb_opensandbox_headers_parse_date (""), ==, -1);
  g_assert_cmpint (asb_opensandbox_headers_parse_date ("yesterday"), ==, -1);
  g_assert_cmpint (asb_opensandbox_headers_parse_date ("Sun, 99 Mar 2026 10:00:00 GMT"), ==, -1);
}

static void
test_retry_after (void)
{
  static const struct
  {
    const char *value;
    gint64 seconds;
  } cases[] = {
    { NULL, -1 },
    { "", -1 },
    { "0", 0 },
    { "7", 7 },
    { " 7", -1 },
    { "-7", -1 },
    { "7.5", -1 },
    { "0x10", -1 },
    { "soon", -1 },
    { "9223372036854775807", G_MAXINT64 },
    { "9223372036854775808", G_MAXINT64 },
    { "Sun, 01 Mar 2026 10:00:30 GMT", 30 },
    { "Sun, 01 Mar 2026 09:00:00 GMT", 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].value);
      g_assert_cmpint (asb_opensandbox_headers_parse_retry_after (cases[i].value, MARCH), ==,
                       cases[i].seconds);
    }
}

static void
check_range (const char *value, gboolean is_range, gint64 first, gint64 last, gint64 all)
{
  gint64 start;
  gint64 end;
  gint64 total;

  g_test_message ("%s", value);
  g_assert_cmpint (asb_opensandbox_headers_parse_content_range (value, &start, &end, &total), ==,
                   is_range);
  if (!is_range)
    return;
  g_assert_cmpint (start, ==, first);
  g_assert_cmpint (end, ==, last);
  g_assert_cmpint (total, ==, all);
}

static void
test_content_range (void)
{
  check_range ("bytes 0-9/100", TRUE, 0, 9, 100);
  check_range ("Bytes 5-5/6", TRUE, 5, 5, 6);
  check_range ("bytes 0-9/*", TRUE, 0, 9, -1);
  check_range ("bytes */100", TRUE, -1, -1, 100);
  check_range (NULL, FALSE, 0, 0, 0);
  check_range ("bytes */*", FALSE, 0, 0, 0);
  check_range ("bytes 9-0/100", FALSE, 0, 0, 0);
  check_range ("bytes 0-100/100", FALSE, 0, 0, 0);
  check_range ("bytes 0-9", FALSE, 0, 0, 0);
  check_range ("bytes -9/100", FALSE, 0, 0, 0);
  check_range ("bytes 0-/100", FALSE, 0, 0, 0);
  check_range ("lines 0-9/100", FALSE, 0, 0, 0);
  check_range ("bytes 0-9/100 ", FALSE, 0, 0, 0);
  check_range ("bytes 99999999999999999999-1/2", FALSE, 0, 0, 0);
}

static void
test_time (void)
{
  static const struct
  {
    const char *text;
    const char *utc;
  } cases[] = {
    { "2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z" },
    { "2026-03-01t10:00:00z", "2026-03-01T10:00:00Z" },
    { "2026-03-01 10:00:00Z", "2026-03-01T10:00:00Z" },
    { "2026-03-01T10:00:00", "2026-03-01T10:00:00Z" },
    { "2026-03-01T10:00:00.123456Z", "2026-03-01T10:00:00.123456Z" },
    { "2026-03-01T10:00:00.123456789Z", "2026-03-01T10:00:00.123456Z" },
    { "2026-03-01T10:00:00.5Z", "2026-03-01T10:00:00.500000Z" },
    { "2026-03-01T10:00:00.999999999+00:00", "2026-03-01T10:00:00.999999Z" },
    { "2026-03-01T18:00:00+08:00", "2026-03-01T10:00:00Z" },
    { "2026-03-01T18:00:00+0800", "2026-03-01T10:00:00Z" },
    { "2026-02-28T22:30:00-11:30", "2026-03-01T10:00:00Z" },
    { "2026-12-31T23:59:60Z", "2026-12-31T23:59:59Z" },
    { "2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z" },
    { "9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z" },
    { "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z" },
    { "9999-12-31T23:59:59-23:59", NULL },
    { "0001-01-01T00:00:00+23:59", NULL },
    { "0000-01-01T00:00:00Z", NULL },
    { "2026-02-29T00:00:00Z", NULL },
    { "2026-13-01T00:00:00Z", NULL },
    { "2026-03-01T24:00:00Z", NULL },
    { "2026-03-01T10:00:61Z", NULL },
    { "2026-03-01T10:00Z", NULL },
    { "2026-03-01T10:00:00.Z", NULL },
    { "2026-03-01T10:00:00+8", NULL },
    { "2026-03-01T10:00:00+24:00", NULL },
    { "2026-03-01T10:00:00Zx", NULL },
    { "2026-03-01", NULL },
    { "20260301T100000Z", NULL },
    { " 2026-03-01T10:00:00Z", NULL },
    { "", NULL },
    { "1772359200", NULL },
  };

  g_test_summary ("K11: times in all their forms");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GDateTime) time = asb_opensandbox_json_parse_time (cases[i].text);
      g_autofree char *utc = time ? g_date_time_format_iso8601 (time) : NULL;

      g_test_message ("%s", cases[i].text);
      g_assert_cmpstr (utc, ==, cases[i].utc);
    }
}

static void
check_clock (gint64 ahead)
{
  AsbOpensandboxClock clock;
  gint64 now = asb_opensandbox_clock_now ();
  gint64 server;

  asb_opensandbox_clock_init (&clock);
  /* Replies all over a second narrow it down. */
  for (gint64 i = 0; i < 10; i++)
    {
      gint64 sent = now - 20 * SECOND + i * SECOND * 11 / 10;
      gint64 received = sent + SECOND / 50;
      gint64 date = (sent + SECOND / 100 + ahead) / SECOND * SECOND;

      asb_opensandbox_clock_learn (&clock, date, sent, received);
    }
  server = asb_opensandbox_clock_get (&clock) - asb_opensandbox_clock_now ();
  g_assert_cmpint (ABS (server - ahead), <, SECOND / 5);
  asb_opensandbox_clock_clear (&clock);
}

static void
test_clock (void)
{
  g_test_summary ("K11: a server's clock that is ahead or behind");
  check_clock (MARCH);
  check_clock (MARCH + 600 * SECOND + 123456);
  check_clock (MARCH - 600 * SECOND - 1);
}

static void
test_clock_is_set (void)
{
  AsbOpensandboxClock clock;
  gint64 now = asb_opensandbox_clock_now ();
  gint64 server;

  asb_opensandbox_clock_init (&clock);
  g_assert_cmpint (ABS (asb_opensandbox_clock_get (&clock) - g_get_real_time ()), <, 5 * SECOND);
  asb_opensandbox_clock_learn (&clock, MARCH, now, now);
  asb_opensandbox_clock_learn (&clock, MARCH + 3600 * SECOND, now, now);
  server = asb_opensandbox_clock_get (&clock) - asb_opensandbox_clock_now () + now;
  g_assert_cmpint (ABS (server - MARCH - 3600 * SECOND), <=, SECOND);
  asb_opensandbox_clock_clear (&clock);
}

static gboolean
answer_dated (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autoptr (GDateTime) shown = g_date_time_add_seconds (now, GPOINTER_TO_INT (data));
  g_autofree char *date = soup_date_time_to_string (shown, SOUP_DATE_HTTP);
  g_autofree char *headers = g_strdup_printf ("Date: %s\r\n", date);

  hostile_connection_reply (connection, "200 OK", headers, "ok");
  return TRUE;
}

/* What the client thinks the server's clock shows more than ours, in microseconds. */
static gint64
get_difference (int seconds, gboolean is_server_itself)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer_dated, GINT_TO_POINTER (seconds));
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autofree char *base = g_strdup_printf ("http://%s", hostile_server_get_domain (server));
  g_autoptr (AsbOpensandboxEndpoint) sandbox
      = asb_opensandbox_endpoint_new (base, NULL, ASB_OPENSANDBOX_ENDPOINT_NONE);
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_request_new (
      "GET", is_server_itself ? asb_opensandbox_client_get_lifecycle (client) : sandbox, "/x");
  g_autoptr (AsbOpensandboxReply) reply = NULL;
  g_autoptr (GError) error = NULL;

  reply = exchange_send (client, request, NULL, &error);
  g_assert_no_error (error);
  return asb_opensandbox_client_get_server_time (client) - g_get_real_time ();
}

static void
test_clock_of_replies (void)
{
  g_test_summary (
      "K11: what a server's clock shows is taken from its replies, and from no sandbox's");
  g_assert_cmpint (ABS (get_difference (600, TRUE) - 600 * SECOND), <, 3 * SECOND);
  g_assert_cmpint (ABS (get_difference (-600, TRUE) + 600 * SECOND), <, 3 * SECOND);
  g_assert_cmpint (ABS (get_difference (600, FALSE)), <, 3 * SECOND);
}

static void
test_delays (void)
{
  for (guint i = 0; i < 1000; i++)
    {
      guint previous = 0;
      gint64 first = asb_opensandbox_retry_next_delay (&previous, -1);
      gint64 second = asb_opensandbox_retry_next_delay (&previous, -1);
      gint64 third = asb_opensandbox_retry_next_delay (&previous, -1);

      g_assert_cmpint (first, >=, 500);
      g_assert_cmpint (first, <=, 1500);
      g_assert_cmpint (second, >=, 500);
      g_assert_cmpint (second, <=, 4500);
      g_assert_cmpint (third, <=, 13500);
      for (guint j = 0; j < 10; j++)
        g_assert_cmpint (asb_opensandbox_retry_next_delay (&previous, -1), <=, 30000);
      g_assert_cmpint (asb_opensandbox_retry_next_delay (&previous, 60), ==, 60000);
      g_assert_cmpint (asb_opensandbox_retry_next_delay (&previous, 61), ==, -1);
      g_assert_cmpint (asb_opensandbox_retry_next_delay (&previous, G_MAXINT64), ==, -1);
      g_assert_cmpint (asb_opensandbox_retry_next_delay (&previous, 0), >, 0);
      g_assert_cmpint (asb_opensandbox_retry_next_unsent_delay (), >=, 500);
      g_assert_cmpint (asb_opensandbox_retry_next_unsent_delay (), <=, 1000);
    }
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/headers/date", test_date);
  g_test_add_func ("/headers/retry-after", test_retry_after);
  g_test_add_func ("/headers/content-range", test_content_range);
  g_test_add_func ("/headers/time", test_time);
  g_test_add_func ("/headers/clock/ahead-or-behind", test_clock);
  g_test_add_func ("/headers/clock/set", test_clock_is_set);
  g_test_add_func ("/headers/clock/replies", test_clock_of_replies);
  g_test_add_func ("/headers/delays", test_delays);
  result = g_test_run ();
  exchange_settle ();
  return result;
}
