/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>

#include "asb-opensandbox-settings.h"
#include "asb-opensandbox-url.h"

#include <string.h>

static void
test_url_taken (void)
{
  static const struct
  {
    const char *url;
    const char *scheme;
    const char *domain;
  } cases[] = {
    { "127.0.0.1:8080", "http", "127.0.0.1:8080" },
    { "  host ", "http", "host" },
    { "HTTPS://Host:443/", "https", "Host:443" },
    { "[::1]:8080", "http", "[::1]:8080" },
    { "http://b\303\274cher.example", "http", "b\303\274cher.example" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *scheme = NULL;
      g_autofree char *domain = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (asb_opensandbox_url_parse (cases[i].url, &scheme, &domain, &error));
      g_assert_no_error (error);
      g_assert_cmpstr (scheme, ==, cases[i].scheme);
      g_assert_cmpstr (domain, ==, cases[i].domain);
    }
}

static void
test_url_refused (void)
{
  static const char *const cases[] = { "",
                                       "  ",
                                       "ftp://host",
                                       "http://",
                                       "http://user:secret@host",
                                       "secret@host",
                                       "host:port",
                                       "host:99999",
                                       "host:0",
                                       "http://host/v1",
                                       "host?a=secret",
                                       "host#secret",
                                       "ho st",
                                       "http://[::1",
                                       "host:80:90",
                                       "//host",
                                       "http:///",
                                       ":8080",
                                       "host\\secret",
                                       "=",
                                       "http://a=secret:80",
                                       "ho%20st" };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *scheme = NULL;
      g_autofree char *domain = NULL;
      g_autoptr (GError) error = NULL;

      g_test_message ("“%s”", cases[i]);
      g_assert_false (asb_opensandbox_url_parse (cases[i], &scheme, &domain, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_null (strstr (error->message, "secret"));
    }
}

static void
test_loopback (void)
{
  static const char *const near[]
      = { "localhost", "LocalHost", "localhost.", "a.localhost", "127.0.0.1",
          "127.9.9.9", "::1",       "0.0.0.0",    "::",          "::ffff:127.0.0.1" };
  static const char *const far[]
      = { "localhost.example", "mylocalhost", "128.0.0.1", "10.0.0.1", "::2", "::ffff:10.0.0.1", "",
          "127.0.0.1.example" };

  for (gsize i = 0; i < G_N_ELEMENTS (near); i++)
    g_assert_true (asb_opensandbox_url_is_loopback (near[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (far); i++)
    g_assert_false (asb_opensandbox_url_is_loopback (far[i]));
}

static void
check_environment (const char *domain, const char *key, const char *url, const char *expected,
                   const char *expected_key)
{
  g_autoptr (AsbOpensandboxSettings) settings = NULL;
  g_autoptr (GError) error = NULL;

  domain ? g_setenv ("OPEN_SANDBOX_DOMAIN", domain, TRUE) : g_unsetenv ("OPEN_SANDBOX_DOMAIN");
  key ? g_setenv ("OPEN_SANDBOX_API_KEY", key, TRUE) : g_unsetenv ("OPEN_SANDBOX_API_KEY");
  settings = asb_opensandbox_settings_new (url, &error);
  if (!expected)
    {
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, "$OPEN_SANDBOX_"));
      g_assert_null (strstr (error->message, "secret"));
      return;
    }
  g_assert_no_error (error);
  g_assert_cmpstr (settings->domain, ==, expected);
  g_assert_cmpstr (settings->api_key, ==, expected_key);
}

static void
test_environment (void)
{
  check_environment (NULL, NULL, NULL, "localhost:8080", NULL);
  check_environment ("", "", "", "localhost:8080", NULL);
  check_environment ("https://a.example", "key\n", NULL, "a.example", "key");
  check_environment ("a.example", "key", "b.example", "b.example", "key");
  check_environment ("user:secret@a", NULL, NULL, NULL, NULL);
  check_environment (NULL, "secret\001", NULL, NULL, NULL);
  g_unsetenv ("OPEN_SANDBOX_DOMAIN");
  g_unsetenv ("OPEN_SANDBOX_API_KEY");
}

static void
test_milliseconds (void)
{
  g_assert_cmpuint (asb_opensandbox_settings_to_milliseconds (0.0001), ==, 1);
  g_assert_cmpuint (asb_opensandbox_settings_to_milliseconds (30), ==, 30000);
  g_assert_cmpuint (asb_opensandbox_settings_to_milliseconds (31622400), ==, G_MAXINT);
}

static void
test_fingerprint (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxSettings) settings
      = asb_opensandbox_settings_new ("127.0.0.1:8080", &error);
  g_autofree char *fingerprint = NULL;

  g_assert_no_error (error);
  fingerprint = asb_opensandbox_settings_dup_fingerprint (settings);
  g_assert_cmpstr (fingerprint, ==, "d30a576c03187167");
  /* As the Python package computes it where it was given no address. */
  g_clear_pointer (&fingerprint, g_free);
  g_free (settings->domain);
  settings->domain = g_strdup ("");
  fingerprint = asb_opensandbox_settings_dup_fingerprint (settings);
  g_assert_cmpstr (fingerprint, ==, "8c8dac95aa0a16cd");
}

static void
test_provider (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) options = g_variant_ref_sink (g_variant_new_parsed (
      "{'url': <'127.0.0.1:8080'>, 'api-key': <'k'>, 'request_timeout_seconds': <5.0>,"
      " 'headers': <{'X-One': '1'}>, 'max-connections': <uint32 7>, 'transport': <'native'>}"));
  g_autoptr (AsbProvider) provider
      = asb_registry_create_provider (asb_registry_get_default (), "opensandbox", options, &error);
  g_autofree char *name = NULL;
  g_autofree char *key = NULL;
  g_autofree char *fingerprint = NULL;

  g_assert_no_error (error);
  name = asb_provider_dup_name (provider);
  key = asb_provider_dup_key (provider);
  fingerprint = asb_provider_dup_endpoint_fingerprint (provider);
  g_assert_cmpstr (name, ==, "opensandbox");
  g_assert_cmpstr (key, ==, "opensandbox-default");
  g_assert_cmpstr (fingerprint, ==, "d30a576c03187167");
}

static void
test_headers_refused (void)
{
  static const char *const names[]
      = { "Host",    "host",  "Content-Length", "Transfer-Encoding", "Connection",
          "Upgrade", "Range", "If-None-Match",  "Keep-Alive",        "Proxy-Authorization",
          "TE",      "Expect" };

  g_test_summary ("Headers that belong to one connection or one request are refused by name");

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GVariant) options = g_variant_ref_sink (
          g_variant_new_parsed ("{'url': <'host'>, 'headers': <{%s: 'secret'}>}", names[i]));
      g_autoptr (AsbProvider) provider = asb_registry_create_provider (
          asb_registry_get_default (), "opensandbox", options, &error);
      g_autofree char *quoted = g_strdup_printf ("“headers”: header “%s”", names[i]);

      g_assert_null (provider);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, quoted));
      g_assert_null (strstr (error->message, "secret"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/settings/url/taken", test_url_taken);
  g_test_add_func ("/settings/url/refused", test_url_refused);
  g_test_add_func ("/settings/url/loopback", test_loopback);
  g_test_add_func ("/settings/environment", test_environment);
  g_test_add_func ("/settings/milliseconds", test_milliseconds);
  g_test_add_func ("/settings/fingerprint", test_fingerprint);
  g_test_add_func ("/settings/provider", test_provider);
  g_test_add_func ("/settings/headers/refused", test_headers_refused);
  return g_test_run ();
}
