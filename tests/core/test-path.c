/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>

#include "asb-path-private.h"

typedef struct
{
  const char *path;
  const char *resolved; /* NULL: refused */
} Case;

static const Case cases[] = {
  { "a", "/workspace/a" },
  { "a/b", "/workspace/a/b" },
  { ".", "/workspace" },
  { "./a", "/workspace/a" },
  { "a/./b", "/workspace/a/b" },
  { "a//b", "/workspace/a/b" },
  { "a/", "/workspace/a" },
  { "/", "/" },
  { "//", "/" },
  { "///a", "/a" },
  { "/.", "/" },
  { "/a/b/", "/a/b" },
  { "/./a/././b/.", "/a/b" },
  { "...", "/workspace/..." },
  { "..a", "/workspace/..a" },
  { "a..", "/workspace/a.." },
  { "a/..b/c", "/workspace/a/..b/c" },
  { " ", "/workspace/ " },
  { "~", "/workspace/~" },
  { "-rf", "/workspace/-rf" },
  { "a\nb", "/workspace/a\nb" },
  { "\xff\xfe", "/workspace/\xff\xfe" },
  { "", NULL },
  { "..", NULL },
  { "../a", NULL },
  { "a/..", NULL },
  { "a/../b", NULL },
  { "/..", NULL },
  { "/a/../b", NULL },
  { "/a//..//b", NULL },
};

static void
test_resolve (void)
{
  g_test_summary ("One file has one spelling; what depends on links inside is refused");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *resolved = asb_path_resolve ("/workspace", cases[i].path, &error);

      g_assert_cmpstr (resolved, ==, cases[i].resolved);
      if (cases[i].resolved)
        g_assert_no_error (error);
      else
        g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
    }
}

static void
test_workdir (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *in_root = asb_path_resolve ("/", "a", &error);
  g_autofree char *root = asb_path_resolve ("/", ".", &error);
  g_autofree char *untidy = asb_path_resolve ("//work//./dir/", "a", &error);
  g_autofree char *up = NULL;

  g_test_summary ("The working directory is put in order too");

  g_assert_no_error (error);
  g_assert_cmpstr (in_root, ==, "/a");
  g_assert_cmpstr (root, ==, "/");
  g_assert_cmpstr (untidy, ==, "/work/dir/a");
  up = asb_path_resolve ("/work/..", "a", &error);
  g_assert_null (up);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

static void
test_twice (void)
{
  g_test_summary ("Resolving what was resolved changes nothing");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *again = NULL;

      if (!cases[i].resolved)
        continue;
      again = asb_path_resolve ("/elsewhere", cases[i].resolved, NULL);
      g_assert_cmpstr (again, ==, cases[i].resolved);
    }
}

static void
test_variant (void)
{
  g_autoptr (GVariant) text = g_variant_ref_sink (asb_path_to_variant ("/ä\nb"));
  g_autoptr (GVariant) bytes = g_variant_ref_sink (asb_path_to_variant ("/\xff"));
  g_autoptr (GVariant) empty = g_variant_ref_sink (asb_path_to_variant (""));

  g_test_summary ("A path is a string where it is UTF-8, and its bytes where it is not");

  g_assert_true (g_variant_is_of_type (text, G_VARIANT_TYPE_STRING));
  g_assert_cmpstr (g_variant_get_string (text, NULL), ==, "/ä\nb");
  g_assert_true (g_variant_is_of_type (bytes, G_VARIANT_TYPE_BYTESTRING));
  g_assert_cmpmem (g_variant_get_data (bytes), g_variant_get_size (bytes), "/\xff", 2);
  g_assert_cmpstr (g_variant_get_string (empty, NULL), ==, "");
}

static void
test_message (void)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("The message names the path, and is UTF-8 whatever the path is");

  g_assert_null (asb_path_resolve ("/", "a/../\xff", &error));
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_nonnull (g_strstr_len (error->message, -1, "a/../"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/path/resolve", test_resolve);
  g_test_add_func ("/path/workdir", test_workdir);
  g_test_add_func ("/path/twice", test_twice);
  g_test_add_func ("/path/variant", test_variant);
  g_test_add_func ("/path/message", test_message);
  return g_test_run ();
}
