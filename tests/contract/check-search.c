/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every transport that searches files, or watches them, keeps to. */

#include "checks.h"

#include <string.h>

#define PATIENCE_SECONDS 60

static gboolean
write_text (Check *check, const char *path, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbFileInfo) info
      = asb_backend_write_file (check->backend, path, bytes, NULL, NULL, &error);

  return check_no_error (check, __FILE__, __LINE__, error);
}

static gboolean
open_tree (Check *check, const char *needed)
{
  return check_open_backend_for (check, needed) && write_text (check, "tree/one.c", "alpha\nbeta\n")
         && write_text (check, "tree/deep/two.c", "gamma\nBeta (2)\n")
         && write_text (check, "tree/three.h", "nothing\n");
}

static int
compare_text (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *)a, *(const char *const *)b);
}

/* The names of what was found, without their folders, in order. */
static char *
join_names (AsbSearchResult *result)
{
  GListModel *items = asb_search_result_get_items (result);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (items, i);
      const char *path = ASB_IS_TEXT_MATCH (item) ? asb_text_match_get_path (ASB_TEXT_MATCH (item))
                                                  : asb_file_info_get_path (ASB_FILE_INFO (item));

      g_ptr_array_add (names, g_path_get_basename (path));
    }
  g_ptr_array_sort (names, compare_text);
  g_ptr_array_add (names, NULL);
  return g_strjoinv (" ", (char **)names->pdata);
}

static void
check_found (Check *check, const char *pattern, const char *expected)
{
  g_autoptr (AsbFileSearch) search = asb_file_search_new ();
  g_autoptr (AsbSearchResult) result = NULL;
  g_autofree char *names = NULL;
  g_autoptr (GError) error = NULL;

  asb_file_search_set_path (search, "tree");
  asb_file_search_set_pattern (search, pattern);
  asb_file_search_set_flags (search, ASB_SEARCH_FLAGS_FILES);
  result = asb_backend_find_files (check->backend, search, NULL, &error);
  CHECK_NO_ERROR (check, error);
  names = join_names (result);
  CHECK_TEXT (check, names, expected);
  CHECK (check, asb_search_result_get_n_errors (result) == 0);
}

static void
finds_files (Check *check)
{
  if (!open_tree (check, ASB_CAPABILITY_FILE_SEARCH))
    return;
  check_found (check, "**/*.c", "one.c two.c");
  check_found (check, "{one,three}.*", "one.c three.h");
  check_found (check, "[!o]*.c", "two.c");
}

/* A pattern that leads out of the folder is refused, not followed. */
static void
refuses_patterns (Check *check)
{
  g_autoptr (AsbFileSearch) search = asb_file_search_new ();
  g_autoptr (AsbSearchResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_tree (check, ASB_CAPABILITY_FILE_SEARCH))
    return;
  asb_file_search_set_path (search, "tree");
  asb_file_search_set_pattern (search, "../*");
  result = asb_backend_find_files (check->backend, search, NULL, &error);
  CHECK (check, result == NULL);
  CHECK (check, error && error->domain == ASB_ERROR);
}

static void
check_text_found (Check *check, const char *text, AsbSearchFlags flags, const char *expected)
{
  g_autoptr (AsbFileSearch) search = asb_file_search_new ();
  g_autoptr (AsbSearchResult) result = NULL;
  g_autofree char *names = NULL;
  g_autoptr (GError) error = NULL;

  asb_file_search_set_path (search, "tree");
  asb_file_search_set_text (search, text);
  asb_file_search_set_flags (search, flags);
  result = asb_backend_search_text (check->backend, search, NULL, &error);
  CHECK_NO_ERROR (check, error);
  names = join_names (result);
  CHECK_TEXT (check, names, expected);
}

static void
finds_text (Check *check)
{
  if (!open_tree (check, ASB_CAPABILITY_TEXT_SEARCH))
    return;
  check_text_found (check, "beta", ASB_SEARCH_FLAGS_NONE, "one.c");
  check_text_found (check, "beta", ASB_SEARCH_FLAGS_IGNORE_CASE, "one.c two.c");
  check_text_found (check, "(2)", ASB_SEARCH_FLAGS_NONE, "two.c");
  check_text_found (check, "^[bB]eta", ASB_SEARCH_FLAGS_REGEX, "one.c two.c");
}

/* What is waited for, and whether it has come. */
typedef struct
{
  const char *name;
  AsbFileEventKind kind;
  gboolean seen;
  gboolean has_ended;
} Sighting;

static void
changed_cb (AsbFileWatch *watch, AsbFileEvent *event, gpointer user_data)
{
  Sighting *sighting = user_data;
  g_autofree char *name = g_path_get_basename (asb_file_event_get_path (event));

  if (asb_file_event_get_kind (event) == sighting->kind && g_str_equal (name, sighting->name))
    sighting->seen = TRUE;
}

static void
ended_cb (AsbFileWatch *watch, gpointer user_data)
{
  ((Sighting *)user_data)->has_ended = TRUE;
}

static gboolean
give_up_cb (gpointer user_data)
{
  ((Sighting *)user_data)->has_ended = TRUE;
  return G_SOURCE_REMOVE;
}

static void
await_sighting (Sighting *sighting)
{
  GMainContext *context = g_main_context_get_thread_default ();
  g_autoptr (GSource) patience = g_timeout_source_new_seconds (PATIENCE_SECONDS);

  g_source_set_callback (patience, give_up_cb, sighting, NULL);
  g_source_attach (patience, context);
  while (!sighting->seen && !sighting->has_ended)
    g_main_context_iteration (context, TRUE);
  g_source_destroy (patience);
}

static void
watches_files (Check *check)
{
  Sighting sighting = { "new", ASB_FILE_EVENT_KIND_CREATED };
  g_autoptr (AsbFileWatch) watch = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_tree (check, ASB_CAPABILITY_FILE_WATCH))
    return;
  watch = asb_backend_watch_files (check->backend, "tree", ASB_FILE_FLAGS_RECURSIVE, NULL, &error);
  CHECK_NO_ERROR (check, error);
  g_signal_connect (watch, "changed", G_CALLBACK (changed_cb), &sighting);
  g_signal_connect (watch, "ended", G_CALLBACK (ended_cb), &sighting);
  asb_backend_make_directory (check->backend, "tree/deep/new", NULL, &error);
  if (check_no_error (check, __FILE__, __LINE__, error))
    await_sighting (&sighting);
  g_signal_handlers_disconnect_by_data (watch, &sighting);
  asb_file_watch_close (watch);
  CHECK_GOES_ON (check);
  CHECK (check, sighting.seen);
}

void
check_search (Check *check)
{
  check_run (check, "search/files", finds_files);
  check_run (check, "search/patterns", refuses_patterns);
  check_run (check, "search/text", finds_text);
  check_run (check, "watch/created", watches_files);
}
