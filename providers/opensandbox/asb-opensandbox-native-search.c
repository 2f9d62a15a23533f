/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-native-search.h"

#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-guest-text.h"
#include "asb-opensandbox-native-call.h"
#include "asb-opensandbox-native-read.h"
#include "asb-opensandbox-native.h"
#include "asb-opensandbox-shell.h"
#include "asb-opensandbox-tree.h"

/* Files are found by what a shell tells of the tree; text in them is looked for here, in files that
 * are fetched many at a time, so that it is found as the guest finds it. */

#define MAX_BATCH_FILES 200
#define MAX_BATCH_NAMES (60 * 1024)
#define MAX_BATCH_BYTES (8 * 1024 * 1024)
#define MAX_FILE_BYTES (64 * 1024 * 1024)

/* $1 a name nobody has, $2 how much there should be; then the files. Says where each ends. */
#define FETCH                                                                                      \
  "t=$1 n=$2\n"                                                                                    \
  "shift 2\n"                                                                                      \
  "umask 077\n"                                                                                    \
  "cat \"$@\" >$t 2>/dev/null\n"                                                                   \
  "if [ $? = 0 ] && [ $(($(wc -c <$t))) = $n ]; then echo same; exit 0; fi\n"                      \
  "echo anew\n"                                                                                    \
  ": >$t\n"                                                                                        \
  "for f; do\n"                                                                                    \
  "  cat \"$f\" >>$t 2>/dev/null && e=0 || e=1\n"                                                  \
  "  echo $e $(($(wc -c <$t)))\n"                                                                  \
  "done\n"

typedef struct
{
  AsbOpensandboxExecd *execd;
  AsbOpensandboxTreeRules rules;
  guint max_results;
  guint context_lines;
  gint64 deadline; /* monotonic, 0: none */
  AsbOpensandboxText *text;
  AsbOpensandboxTree *tree;
  AsbSearchCut cut;

  GPtrArray *matches;
  guint n_matches;
  guint64 n_files;
  guint64 n_binary;
  guint next;  /* of the entries */
  guint first; /* of the batch, which ends at “next” */
  guint64 due; /* what is in it */
  char *temporary;
  guint64 *ends; /* of the files of the batch, in its bytes; G_MAXUINT64: could not be read */
  GBytes *bytes;
} Search;

static void
search_free (gpointer data)
{
  Search *self = data;

  g_clear_object (&self->execd);
  g_free (self->rules.path);
  g_strfreev (self->rules.patterns);
  g_clear_pointer (&self->text, asb_opensandbox_text_free);
  g_clear_pointer (&self->tree, asb_opensandbox_tree_free);
  g_clear_pointer (&self->matches, g_ptr_array_unref);
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_free (self->temporary);
  g_free (self->ends);
  g_free (self);
}

static void
return_result (GTask *task, GPtrArray *items, GType type)
{
  Search *self = g_task_get_task_data (task);
  g_autoptr (GListStore) list = g_list_store_new (type);

  g_ptr_array_add (self->tree->errors, NULL);
  g_list_store_splice (list, 0, 0, items->pdata, items->len);
  asb_opensandbox_answer_object (
      task, g_object_new (ASB_TYPE_SEARCH_RESULT, "items", list, "cut", self->cut, "errors",
                          self->tree->errors->pdata, "n-errors", self->tree->n_errors, "n-files",
                          self->n_files, "n-binary", self->n_binary, NULL));
}

/* NULL when @task has been answered. */
static Search *
search_new (AsbTransport *transport, AsbFileSearch *search, GTask *task)
{
  const char *pattern = asb_file_search_get_pattern (search);
  Search *self;

  if (!asb_opensandbox_native_check (transport, task)
      || !asb_opensandbox_native_call_check_path (asb_file_search_get_path (search), task))
    return NULL;
  self = g_new0 (Search, 1);
  self->execd
      = g_object_ref (asb_opensandbox_native_get_execd (ASB_OPENSANDBOX_NATIVE (transport)));
  self->rules.path = asb_opensandbox_native_call_clean (asb_file_search_get_path (search));
  self->rules.flags = asb_file_search_get_flags (search);
  self->rules.max_depth = asb_file_search_get_max_depth (search);
  self->rules.time_limit_ms = asb_file_search_get_time_limit_ms (search);
  if (pattern)
    {
      self->rules.patterns = g_new0 (char *, 2);
      self->rules.patterns[0] = g_strdup (pattern);
    }
  self->max_results = asb_file_search_get_max_results (search);
  self->context_lines = asb_file_search_get_context_lines (search);
  if (self->rules.time_limit_ms > 0)
    self->deadline = g_get_monotonic_time () + (gint64)self->rules.time_limit_ms * 1000;
  g_task_set_task_data (task, self, search_free);
  return self;
}

/* Finding. */

static void
found_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Search *self = g_task_get_task_data (task);
  GError *error = NULL;

  self->tree = asb_opensandbox_tree_list_finish (self->execd, result, &error);
  if (!self->tree)
    {
      g_task_return_error (task, error);
      return;
    }
  if (self->tree->is_cut)
    self->cut = ASB_SEARCH_CUT_TIME;
  if (self->tree->entries->len > self->max_results)
    {
      self->cut = ASB_SEARCH_CUT_RESULTS;
      g_ptr_array_set_size (self->tree->entries, (int)self->max_results);
    }
  return_result (task, self->tree->entries, ASB_TYPE_FILE_INFO);
}

static void
find_in_thread (GTask *task)
{
  Search *self = g_task_get_task_data (task);

  asb_opensandbox_tree_list_async (self->execd, &self->rules, found_cb, g_object_ref (task));
}

void
asb_opensandbox_native_find_files (AsbTransport *transport, AsbFileSearch *search, GTask *task)
{
  if (search_new (transport, search, task))
    asb_opensandbox_thread_run (task, find_in_thread);
}

/* Searching in the bytes of a batch, in a thread of its own: an expression may take a while. */

typedef struct
{
  Search *search;
  const char *path;
} Place;

static gboolean
claim (gpointer data)
{
  Search *self = ((Place *)data)->search;

  if (self->n_matches == self->max_results)
    {
      self->cut = ASB_SEARCH_CUT_RESULTS;
      return FALSE;
    }
  self->n_matches++;
  return TRUE;
}

static void
tell (const AsbOpensandboxTextLine *line, gpointer data)
{
  Place *place = data;
  g_autoptr (GBytes) bytes = g_bytes_new (line->bytes, line->size);

  g_ptr_array_add (place->search->matches,
                   g_object_new (ASB_TYPE_TEXT_MATCH, "path", place->path, "line-number",
                                 line->number, "column", (guint)line->column, "offset",
                                 (guint64)line->from, "bytes", bytes, "truncated", line->truncated,
                                 "context", line->context, NULL));
}

static gboolean
goes_on (gpointer data)
{
  Search *self = ((Place *)data)->search;

  if (self->deadline == 0 || g_get_monotonic_time () < self->deadline)
    return TRUE;
  self->cut = ASB_SEARCH_CUT_TIME;
  return FALSE;
}

static void
gave_up (gpointer data)
{
  Place *place = data;

  asb_opensandbox_tree_add_error (
      place->search->tree,
      g_strdup_printf ("The regular expression gave up on a line of “%s”: it has too much to try",
                       place->path));
}

/* FALSE when the search has ended. */
static gboolean
search_bytes (Search *self, const char *path, const guint8 *bytes, gsize size)
{
  static const AsbOpensandboxTextHandlers handlers = { claim, tell, goes_on, gave_up };
  Place place = { self, path };
  AsbOpensandboxTextOutcome outcome = asb_opensandbox_text_search (
      self->text, bytes, size, self->context_lines, &handlers, &place);

  self->n_files += outcome == ASB_OPENSANDBOX_TEXT_DONE;
  self->n_binary += outcome == ASB_OPENSANDBOX_TEXT_BINARY;
  if (outcome == ASB_OPENSANDBOX_TEXT_FAILED)
    asb_opensandbox_tree_add_error (self->tree, g_strdup_printf ("Could not search “%s”", path));
  return outcome != ASB_OPENSANDBOX_TEXT_ENDED;
}

static void
search_batch (GTask *inner, gpointer source, gpointer data, GCancellable *cancellable)
{
  Search *self = data;
  gsize size;
  const guint8 *bytes = g_bytes_get_data (self->bytes, &size);
  gsize start = 0;
  gboolean more = TRUE;

  for (guint i = self->first; i < self->next && more; i++)
    {
      const char *path = asb_file_info_get_path (self->tree->entries->pdata[i]);
      guint64 end = self->ends[i - self->first];

      if (end == G_MAXUINT64 || end < start || end > size)
        {
          asb_opensandbox_tree_add_error (self->tree,
                                          g_strdup_printf ("Could not read “%s”", path));
          continue;
        }
      more = search_bytes (self, path, bytes + start, (gsize)end - start);
      start = (gsize)end;
    }
  g_task_return_boolean (inner, more);
}

static void next_batch (GTask *task);

static void
searched_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Search *self = g_task_get_task_data (task);

  g_clear_pointer (&self->bytes, g_bytes_unref);
  if (g_task_propagate_boolean (G_TASK (result), NULL))
    next_batch (task);
  else
    return_result (task, self->matches, ASB_TYPE_TEXT_MATCH);
}

/* Fetching a batch. */

static void
deleted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, NULL);
}

static void
batch_read_cb (GTask *task, GBytes *bytes, AsbFileInfo *info)
{
  Search *self = g_task_get_task_data (task);
  const char *const arguments[] = { self->temporary, NULL };
  g_autoptr (GTask) inner = g_task_new (NULL, NULL, searched_cb, g_object_ref (task));

  g_object_unref (info);
  self->bytes = bytes;
  asb_opensandbox_script_run_async (self->execd, "rm -f \"$1\"", arguments, "delete a copy", NULL,
                                    deleted_cb, NULL);
  g_task_set_task_data (inner, self, NULL);
  g_task_run_in_thread (inner, search_batch);
}

static void
set_ends (Search *self, char **lines)
{
  guint n = self->next - self->first;
  guint64 end = 0;

  g_free (self->ends);
  self->ends = g_new (guint64, n);
  if (g_strcmp0 (lines[0], "same") == 0)
    {
      for (guint i = 0; i < n; i++)
        self->ends[i] = end += asb_file_info_get_size (self->tree->entries->pdata[self->first + i]);
      return;
    }
  for (guint i = 0; i < n; i++)
    {
      const char *line = lines[0] && lines[1 + i] ? lines[1 + i] : NULL;

      if (!line)
        {
          for (; i < n; i++)
            self->ends[i] = G_MAXUINT64;
          return;
        }
      self->ends[i]
          = line[0] == '0' && line[1] == ' ' ? g_ascii_strtoull (line + 2, NULL, 10) : G_MAXUINT64;
    }
}

static void
fetched_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Search *self = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_script_run_finish_well (
      ASB_OPENSANDBOX_EXECD (source), result, NULL, &error);

  if (!done)
    {
      g_task_return_error (task, error);
      return;
    }
  set_ends (self, done->lines);
  /* What has grown by more cannot be read. */
  asb_opensandbox_native_read_gather (task, self->execd, self->temporary, 0,
                                      (gint64)self->due + MAX_BATCH_BYTES, batch_read_cb);
}

/* Larger files are left out, and that is told. */
static gboolean
is_too_large (Search *self, AsbFileInfo *info)
{
  if (asb_file_info_get_size (info) <= MAX_FILE_BYTES)
    return FALSE;
  asb_opensandbox_tree_add_error (
      self->tree, g_strdup_printf ("Could not search “%s”: it is larger than %d MiB",
                                   asb_file_info_get_path (info), MAX_FILE_BYTES / (1024 * 1024)));
  return TRUE;
}

/* As many files as go into one script, and not too much in them. */
static guint64
choose_batch (Search *self, GPtrArray *arguments)
{
  guint64 total = 0;
  gsize n_names = 0;

  self->first = self->next;
  while (self->next < self->tree->entries->len)
    {
      AsbFileInfo *info = self->tree->entries->pdata[self->next];
      const char *path = asb_file_info_get_path (info);

      if (self->next > self->first
          && (total + asb_file_info_get_size (info) > MAX_BATCH_BYTES
              || n_names + 4 * strlen (path) > MAX_BATCH_NAMES
              || self->next - self->first >= MAX_BATCH_FILES))
        break;
      g_ptr_array_add (arguments, (gpointer)path);
      n_names += 4 * strlen (path);
      total += asb_file_info_get_size (info);
      self->next++;
    }
  return total;
}

static void
next_batch (GTask *task)
{
  Search *self = g_task_get_task_data (task);
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autofree char *token = asb_opensandbox_shell_new_token ();
  g_autofree char *total = NULL;
  Place place = { self, "" };

  if (self->next == self->tree->entries->len || !goes_on (&place))
    {
      return_result (task, self->matches, ASB_TYPE_TEXT_MATCH);
      return;
    }
  if (g_task_return_error_if_cancelled (task))
    return;
  g_free (self->temporary);
  self->temporary = g_strdup_printf ("/tmp/.asb-%s", token);
  g_ptr_array_add (arguments, self->temporary);
  g_ptr_array_add (arguments, NULL);
  self->due = choose_batch (self, arguments);
  total = g_strdup_printf ("%" G_GUINT64_FORMAT, self->due);
  arguments->pdata[1] = total;
  g_ptr_array_add (arguments, NULL);
  asb_opensandbox_script_run_async (self->execd, FETCH, (const char *const *)arguments->pdata,
                                    "search the files", NULL, fetched_cb, g_object_ref (task));
}

static void
tree_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Search *self = g_task_get_task_data (task);
  GError *error = NULL;

  self->tree = asb_opensandbox_tree_list_finish (self->execd, result, &error);
  if (!self->tree)
    {
      g_task_return_error (task, error);
      return;
    }
  for (guint i = self->tree->entries->len; i-- > 0;)
    if (asb_file_info_get_kind (self->tree->entries->pdata[i]) != ASB_FILE_KIND_FILE
        || is_too_large (self, self->tree->entries->pdata[i]))
      g_ptr_array_remove_index (self->tree->entries, i);
  if (self->tree->is_cut)
    self->cut = ASB_SEARCH_CUT_TIME;
  self->matches = g_ptr_array_new_with_free_func (g_object_unref);
  next_batch (task);
}

static void
search_in_thread (GTask *task)
{
  Search *self = g_task_get_task_data (task);

  /* Case of the pattern counts: it is the text's that may not. */
  self->rules.flags &= (AsbSearchFlags)~ASB_SEARCH_FLAGS_IGNORE_CASE;
  asb_opensandbox_tree_list_async (self->execd, &self->rules, tree_cb, g_object_ref (task));
}

void
asb_opensandbox_native_search_text (AsbTransport *transport, AsbFileSearch *search, GTask *task)
{
  const char *text = asb_file_search_get_text (search);
  AsbSearchFlags flags = asb_file_search_get_flags (search);
  Search *self = search_new (transport, search, task);
  GError *error = NULL;

  if (!self)
    return;
  if (text)
    self->text = asb_opensandbox_text_new (text, (flags & ASB_SEARCH_FLAGS_REGEX) != 0,
                                           (flags & ASB_SEARCH_FLAGS_IGNORE_CASE) != 0, &error);
  else
    error = g_error_new_literal (ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                                 "What to look for is not said");
  if (self->text)
    asb_opensandbox_thread_run (task, search_in_thread);
  else
    g_task_return_error (task, error);
}
