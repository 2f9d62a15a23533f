/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-native.h"

#include <string.h>

/* Searches through execd alone: what is found is what the guest finds, in its order. */

typedef AsbTestNative Fixture;

static const char make_tree[]
    = "mkdir -p /t/b/.h /t/a '/t/a b' && cd /t && printf 'one\\ntwo Two\\nthree\\n' >a/x.c && "
      "printf 'two' >b/y.txt && printf 'two\\0' >b/bin && printf 'TWO\\n' >b/.h/z.c && "
      "printf 'x\\ntwo\\ny\\n' >\"$(printf 'a b/n\\nl\\377.c')\" && ln -s a/x.c l && mkfifo p";

static void
set_up (Fixture *fixture, gconstpointer image)
{
  g_autoptr (AsbCommandSpec) command = asb_command_spec_new_shell (make_tree);
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_native_open (fixture, NULL, image);
  process = asb_transport_start_command (fixture->transport, command, NULL, &error);
  g_assert_no_error (error);
  result = asb_process_wait (process, NULL, &error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 0);
}

static void
tear_down (Fixture *fixture, gconstpointer image)
{
  asb_test_native_close (fixture);
}

static void
check_found (Fixture *fixture, const char *pattern, AsbSearchFlags flags, guint max_depth,
             guint max_results, const char *expected, AsbSearchCut cut)
{
  g_autoptr (AsbFileSearch) search
      = g_object_new (ASB_TYPE_FILE_SEARCH, "path", "/t", "pattern", pattern, "flags", flags,
                      "max-depth", max_depth, "max-results", max_results, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSearchResult) result
      = asb_transport_find_files (fixture->transport, search, NULL, &error);
  g_autoptr (GString) told = g_string_new (NULL);
  GListModel *items;

  g_assert_no_error (error);
  items = asb_search_result_get_items (result);
  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (AsbFileInfo) info = g_list_model_get_item (items, i);

      g_string_append_printf (told, "%s|", asb_file_info_get_path (info) + 3);
    }
  g_assert_cmpstr (told->str, ==, expected);
  g_assert_cmpint (asb_search_result_get_cut (result), ==, cut);
}

static void
test_find (Fixture *fixture, gconstpointer image)
{
  g_autoptr (AsbFileSearch) wrong
      = g_object_new (ASB_TYPE_FILE_SEARCH, "path", "/t", "pattern", "[a", NULL);
  g_autoptr (AsbFileSearch) missing = g_object_new (ASB_TYPE_FILE_SEARCH, "path", "/none", NULL);
  g_autoptr (AsbSearchResult) none = NULL;
  g_autoptr (GError) error = NULL;

  check_found (fixture, NULL, ASB_SEARCH_FLAGS_NONE, 0, 100,
               "a|a b|b|l|p|a/x.c|a b/n\nl\377.c|b/.h|b/bin|b/y.txt|b/.h/z.c|", 0);
  check_found (fixture, NULL, ASB_SEARCH_FLAGS_NONE, 1, 100, "a|a b|b|l|p|", 0);
  check_found (fixture, "*.c", ASB_SEARCH_FLAGS_NONE, 0, 100, "a/x.c|a b/n\nl\377.c|b/.h/z.c|", 0);
  check_found (fixture, "b/**", ASB_SEARCH_FLAGS_FILES | ASB_SEARCH_FLAGS_NO_HIDDEN, 0, 100,
               "b/bin|b/y.txt|", 0);
  check_found (fixture, "*/", ASB_SEARCH_FLAGS_NONE, 0, 100, "a|a b|b|b/.h|", 0);
  check_found (fixture, "*.C", ASB_SEARCH_FLAGS_IGNORE_CASE, 0, 2, "a/x.c|a b/n\nl\377.c|",
               ASB_SEARCH_CUT_RESULTS);

  none = asb_transport_find_files (fixture->transport, wrong, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  none = asb_transport_find_files (fixture->transport, missing, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_FILE_NOT_FOUND);
}

static char *
describe_matches (AsbSearchResult *result)
{
  g_autoptr (GString) told = g_string_new (NULL);
  GListModel *items = asb_search_result_get_items (result);

  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (AsbTextMatch) match = g_list_model_get_item (items, i);
      g_autofree char *text = asb_text_match_dup_text (match);

      g_string_append_printf (told, "%s:%u:%u%s%s|", asb_text_match_get_path (match) + 3,
                              (guint)asb_text_match_get_line_number (match),
                              asb_text_match_get_column (match),
                              asb_text_match_get_context (match) ? "-" : ":", text);
    }
  return g_string_free (g_steal_pointer (&told), FALSE);
}

static void
check_text (Fixture *fixture, const char *path, const char *text, AsbSearchFlags flags,
            guint context_lines, const char *expected, guint n_binary)
{
  g_autoptr (AsbFileSearch) search
      = g_object_new (ASB_TYPE_FILE_SEARCH, "path", path, "text", text, "flags", flags,
                      "context-lines", context_lines, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSearchResult) result
      = asb_transport_search_text (fixture->transport, search, NULL, &error);
  g_autofree char *told = NULL;

  g_assert_no_error (error);
  told = describe_matches (result);
  g_assert_cmpstr (told, ==, expected);
  g_assert_cmpuint (asb_search_result_get_n_binary (result), ==, n_binary);
}

static void
test_text (Fixture *fixture, gconstpointer image)
{
  g_autoptr (AsbFileSearch) wrong = g_object_new (ASB_TYPE_FILE_SEARCH, "path", "/t", "text", "(",
                                                  "flags", ASB_SEARCH_FLAGS_REGEX, NULL);
  g_autoptr (AsbSearchResult) none = NULL;
  g_autoptr (GError) error = NULL;

  check_text (fixture, "/t", "two", ASB_SEARCH_FLAGS_NONE, 0,
              "a/x.c:2:0:two Two|a b/n\nl\377.c:2:0:two|b/y.txt:1:0:two|", 1);
  check_text (fixture, "/t", "two", ASB_SEARCH_FLAGS_IGNORE_CASE | ASB_SEARCH_FLAGS_NO_HIDDEN, 0,
              "a/x.c:2:0:two Two|a b/n\nl\377.c:2:0:two|b/y.txt:1:0:two|", 1);
  check_text (fixture, "/t/a/x.c", "^T|\\bTwo$", ASB_SEARCH_FLAGS_REGEX, 1,
              "a/x.c:1:0-one|a/x.c:2:4:two Two|a/x.c:3:0-three|", 0);
  none = asb_transport_search_text (fixture->transport, wrong, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

static void
add (const char *name, void (*function) (Fixture *fixture, gconstpointer image))
{
  static const char *const images[] = { "python:3.12", "busybox" };

  for (gsize i = 0; i < G_N_ELEMENTS (images); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/opensandbox/native/search/%s/%s", name, i == 0 ? "bash" : "busybox");

      g_test_add (path, Fixture, images[i], set_up, function, tear_down);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("find", test_find);
  add ("text", test_text);
  return g_test_run ();
}
