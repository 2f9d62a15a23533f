/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Searches: what is asked, what is made of the answer, and what is not believed. */

#include "peer.h"

#include <string.h>

#include "asb-guest-transport-private.h"

static void
set_up (PeerFixture *fixture, gconstpointer data)
{
  peer_fixture_init (fixture, g_object_new (ASB_TYPE_FILE_SEARCH, "path", "/d", NULL));
}

static void
begin_find (PeerFixture *fixture)
{
  asb_transport_find_files_async (fixture->transport, fixture->request, NULL, pending_cb,
                                  &fixture->pending);
}

static AsbSearchResult *
finish_find (PeerFixture *fixture, GError **error)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->pending);

  return asb_transport_find_files_finish (fixture->transport, result, error);
}

static void
begin_text (PeerFixture *fixture)
{
  asb_transport_search_text_async (fixture->transport, fixture->request, NULL, pending_cb,
                                   &fixture->pending);
}

static AsbSearchResult *
finish_text (PeerFixture *fixture, GError **error)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->pending);

  return asb_transport_search_text_finish (fixture->transport, result, error);
}

static void
answer (PeerFixture *fixture, const char *lines, const char *reply)
{
  peer_send_data (fixture->peer, 1, 1, lines);
  peer_send_end (fixture->peer, 1, 1);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, reply);
}

static void
test_walk (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSearchResult) result = NULL;
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Without a pattern the tree is walked; what was found is a list");

  begin_find (fixture);
  peer_expect_arguments (fixture->peer, "file.walk",
                         "{\"path\": \"/d\", \"hidden\": true, \"max_results\": 10000}");
  answer (fixture, PEER_ENTRY "\n",
          "{\"result\": {\"count\": 1, \"errors\": [{\"path\": \"/d/g\", \"code\": \"io_error\","
          " \"message\": \"Could not \\u001b[31m\"}], \"error_count\": 70, \"cut\": \"time\"}}");
  result = finish_find (fixture, &error);
  g_assert_no_error (error);
  g_assert_true (g_list_model_get_item_type (G_LIST_MODEL (result)) == ASB_TYPE_FILE_INFO);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (result)), ==, 1);
  info = g_list_model_get_item (G_LIST_MODEL (result), 0);
  peer_check_entry (info);
  g_assert_cmpint (asb_search_result_get_cut (result), ==, ASB_SEARCH_CUT_TIME);
  g_assert_cmpuint (asb_search_result_get_n_errors (result), ==, 70);
  g_assert_cmpstr (asb_search_result_get_errors (result)[0], ==, "Could not \xef\xbf\xbd[31m");
  g_assert_null (asb_search_result_get_errors (result)[1]);
}

static void
test_glob (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSearchResult) result = NULL;

  g_test_summary ("Everything that was asked for is asked for");

  g_object_set (fixture->request, "pattern", "\xff*", "max-depth", 3, "max-results", 7,
                "time-limit-ms", 9, "flags",
                ASB_SEARCH_FLAGS_IGNORE_CASE | ASB_SEARCH_FLAGS_NO_HIDDEN | ASB_SEARCH_FLAGS_FILES,
                NULL);
  begin_find (fixture);
  peer_expect_arguments (fixture->peer, "file.glob",
                         "{\"path\": \"/d\", \"hidden\": false, \"max_results\": 7, \"max_depth\":"
                         " 3, \"time_limit_ms\": 9, \"pattern\": {\"b64\": \"/yo=\"},"
                         " \"ignore_case\": true, \"kinds\": [\"file\"]}");
  answer (fixture, "",
          "{\"result\": {\"count\": 0, \"errors\": [], \"error_count\": 0, \"cut\": \"results\"}}");
  result = finish_find (fixture, NULL);
  g_assert_cmpint (asb_search_result_get_cut (result), ==, ASB_SEARCH_CUT_RESULTS);
}

static void
test_text (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSearchResult) result = NULL;
  g_autoptr (AsbTextMatch) first = NULL;
  g_autoptr (AsbTextMatch) second = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gsize size;

  g_test_summary ("Lines are bytes, and are shown as text");

  g_object_set (fixture->request, "text", "a+", "pattern", "*.c", "context-lines", 1, "flags",
                ASB_SEARCH_FLAGS_REGEX, NULL);
  begin_text (fixture);
  peer_expect_arguments (fixture->peer, "file.grep",
                         "{\"path\": \"/d\", \"hidden\": true, \"max_results\": 10000, \"text\":"
                         " \"a+\", \"regex\": true, \"include\": [\"*.c\"], \"context_lines\": 1}");
  answer (fixture,
          "{\"path\": \"/d/f\", \"line\": 4, \"column\": 0, \"text\": \"before\", \"context\": "
          "true}\n"
          "{\"path\": \"/d/f\", \"line\": 5, \"column\": 9, \"text\": {\"b64\": \"YQD/\"},"
          " \"from\": 7, \"truncated\": true}\n",
          "{\"result\": {\"count\": 1, \"files\": 3, \"binary\": 2, \"errors\": [],"
          " \"error_count\": 0}}");
  result = finish_text (fixture, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_search_result_get_n_files (result), ==, 3);
  g_assert_cmpuint (asb_search_result_get_n_binary (result), ==, 2);
  first = g_list_model_get_item (G_LIST_MODEL (result), 0);
  second = g_list_model_get_item (G_LIST_MODEL (result), 1);
  g_assert_true (asb_text_match_get_context (first));
  g_assert_false (asb_text_match_get_context (second));
  g_assert_true (asb_text_match_get_truncated (second));
  g_assert_cmpuint (asb_text_match_get_line_number (second), ==, 5);
  g_assert_cmpuint (asb_text_match_get_column (second), ==, 9);
  g_assert_cmpuint (asb_text_match_get_offset (second), ==, 7);
  g_assert_cmpmem (g_bytes_get_data (asb_text_match_get_bytes (second), &size), 3, "a\0\xff", 3);
  text = asb_text_match_dup_text (second);
  g_assert_true (g_utf8_validate (text, -1, NULL));
}

static void
test_no_path (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  asb_file_search_set_path (fixture->request, NULL);
  g_assert_null (asb_transport_find_files (fixture->transport, fixture->request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (asb_transport_search_text (fixture->transport, fixture->request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

static void
test_refused (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  begin_find (fixture);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  answer (fixture, "",
          "{\"error\": {\"code\": \"invalid_argument\", \"message\": \"The pattern\"}}");
  g_assert_null (finish_find (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

#define LINE_AT(path, rest) "{\"path\": \"" path "\", \"line\": 1, \"column\": 0" rest "}\n"

static void
test_too_many_beside (PeerFixture *fixture, gconstpointer data)
{
  const guint max_entries = asb_guest_max_entries;
  g_autoptr (AsbSearchResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("More than can be kept fails the search, and the connection stays");

  asb_guest_max_entries = 2;
  g_object_set (fixture->request, "text", "x", "context-lines", 3, NULL);
  begin_text (fixture);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_data (fixture->peer, 1, 1,
                  LINE_AT ("/d/f", ", \"text\": \"a\", \"context\": true")
                      LINE_AT ("/d/f", ", \"text\": \"b\", \"context\": true")
                          LINE_AT ("/d/f", ", \"text\": \"x\""));
  g_assert_null (finish_text (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE);
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
  g_assert_cmpint (asb_transport_get_state (fixture->transport), ==, ASB_TRANSPORT_STATE_CONNECTED);
  asb_guest_max_entries = max_entries;
}

typedef struct
{
  const char *name;
  gboolean is_text;
  const char *lines;
  const char *result;
} Wrong;

#define ENTRY_AT(path, name)                                                                       \
  "{\"name\": \"" name "\", \"path\": \"" path "\", \"kind\": \"file\", \"size\": 5, \"mode\": "   \
  "420, \"uid\": 1, \"gid\": 2, \"mtime\": {\"sec\": 3, \"nsec\": 4000}}\n"
#define COUNT(n) "{\"count\": " n ", \"errors\": [], \"error_count\": 0}"

static const Wrong wrongs[] = {
  { "elsewhere", FALSE, ENTRY_AT ("/e/f", "f"), COUNT ("1") },
  { "beside", FALSE, ENTRY_AT ("/dd/f", "f"), COUNT ("1") },
  { "other-name", FALSE, ENTRY_AT ("/d/f", "g"), COUNT ("1") },
  { "too-many", FALSE, ENTRY_AT ("/d/a", "a") ENTRY_AT ("/d/b", "b") ENTRY_AT ("/d/c", "c"),
    COUNT ("3") },
  { "count", FALSE, ENTRY_AT ("/d/a", "a"), COUNT ("2") },
  { "no-line", FALSE, "{\"name\"", COUNT ("0") },
  { "cut", FALSE, "", "{\"count\": 0, \"errors\": [], \"error_count\": 0, \"cut\": \"mood\"}" },
  { "errors", FALSE, "", "{\"count\": 0, \"errors\": [1], \"error_count\": 1}" },
  { "text-elsewhere", TRUE, LINE_AT ("/e", ", \"text\": \"x\""), COUNT ("1") },
  { "no-text", TRUE, LINE_AT ("/d/f", ""), COUNT ("1") },
  { "text-base64", TRUE, LINE_AT ("/d/f", ", \"text\": {\"b64\": \"!\"}"), COUNT ("1") },
  { "text-line", TRUE, "{\"path\": \"/d/f\", \"line\": 0, \"column\": 0, \"text\": \"x\"}\n",
    COUNT ("1") },
  { "text-many-beside", TRUE,
    LINE_AT ("/d/f", ", \"text\": \"x\", \"context\": true")
        LINE_AT ("/d/f", ", \"text\": \"x\", \"context\": true")
            LINE_AT ("/d/f", ", \"text\": \"x\", \"context\": true"),
    COUNT ("0") },
  { "text-count", TRUE, LINE_AT ("/d/f", ", \"text\": \"x\", \"context\": true"), COUNT ("1") },
};

static void
test_wrong (PeerFixture *fixture, gconstpointer data)
{
  const Wrong *wrong = data;
  g_autofree char *reply = g_strdup_printf ("{\"result\": %s}", wrong->result);
  g_autoptr (GError) error = NULL;

  g_test_summary ("What makes no sense ends the connection");

  asb_file_search_set_max_results (fixture->request, 2);
  asb_file_search_set_text (fixture->request, "x");
  if (wrong->is_text)
    begin_text (fixture);
  else
    begin_find (fixture);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  answer (fixture, wrong->lines, reply);
  g_assert_null (wrong->is_text ? finish_text (fixture, &error) : finish_find (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

#define ADD(name, function, data)                                                                  \
  g_test_add ("/guest-search/" name, PeerFixture, data, set_up, function, peer_fixture_tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  ADD ("walk", test_walk, NULL);
  ADD ("glob", test_glob, NULL);
  ADD ("text", test_text, NULL);
  ADD ("no-path", test_no_path, NULL);
  ADD ("refused", test_refused, NULL);
  ADD ("too-many-beside", test_too_many_beside, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (wrongs); i++)
    {
      g_autofree char *path = g_strdup_printf ("/guest-search/wrong/%s", wrongs[i].name);

      g_test_add (path, PeerFixture, &wrongs[i], set_up, test_wrong, peer_fixture_tear_down);
    }
  return g_test_run ();
}
