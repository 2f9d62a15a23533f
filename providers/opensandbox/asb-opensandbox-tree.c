/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-tree.h"

#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-file-info.h"
#include "asb-opensandbox-guest-text.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-shell.h"

#define MAX_TOLD_ERRORS 64
#define MAX_ERROR_TEXT 300
#define MAX_PATTERNS 16

/* $1 the path, $2 how deep or nothing, $3 seconds or nothing, $4 a name nobody has. The names, then
 * what is known of each with the name behind it, then complaints; a file is told by its own line.
 */
#define TELL                                                                                       \
  "[ -e \"$1\" ] || { stat -L \"$1\" >/dev/null; exit 1; }\n"                                      \
  "if ! [ -d \"$1\" ]; then echo file; stat -L -c '" ASB_OPENSANDBOX_STAT_FORMAT                   \
  "' \"$1\"; exit; fi\n"                                                                           \
  "t=/tmp/.asb-$4-$$\n"                                                                            \
  "mkdir -m 700 $t || exit\n"                                                                      \
  "trap \"asb_end; rm -rf $t\" EXIT\n"                                                             \
  "cd \"$1\" || exit\n"                                                                            \
  "w=\n"                                                                                           \
  "[ -z \"$3\" ] || ! command -v timeout >/dev/null || w=\"timeout $3\"\n"                         \
  "d=\n"                                                                                           \
  "[ -z \"$2\" ] || d=\"-maxdepth $2\"\n"                                                          \
  "c=whole\n"                                                                                      \
  "if [ \"$1\" = / ]; then\n"                                                                      \
  "  $w find . -mindepth 1 $d '(' -path './proc/*' -o -path './sys/*' ')' -prune -o -print0\n"     \
  "else $w find . -mindepth 1 $d -print0\n"                                                        \
  "fi >$t/n 2>$t/e\n"                                                                              \
  "case $? in 124|143) c=cut ;; esac\n"                                                            \
  "xargs -0 -r stat -c '" ASB_OPENSANDBOX_STAT_FORMAT "/%n' <$t/n >$t/s 2>/dev/null\n"             \
  "echo $c\n"                                                                                      \
  "for i in n s e; do base64 $t/$i; echo .; done\n"

typedef struct
{
  char *path;
  AsbOpensandboxGlob *globs[MAX_PATTERNS];
  guint n_globs;
  AsbSearchFlags flags;
} Rules;

static void
rules_free (gpointer data)
{
  Rules *self = data;

  for (guint i = 0; i < self->n_globs; i++)
    asb_opensandbox_glob_free (self->globs[i]);
  g_free (self->path);
  g_free (self);
}

void
asb_opensandbox_tree_free (AsbOpensandboxTree *self)
{
  g_ptr_array_unref (self->entries);
  g_ptr_array_unref (self->errors);
  g_free (self);
}

void
asb_opensandbox_tree_add_error (AsbOpensandboxTree *self, char *message)
{
  self->n_errors++;
  if (self->errors->len < MAX_TOLD_ERRORS)
    g_ptr_array_add (self->errors, g_utf8_make_valid (message, -1));
  g_free (message);
}

/* What is wanted. @relative is without “./”. */
static gboolean
is_hidden (const char *relative)
{
  return *relative == '.' || strstr (relative, "/.");
}

static gboolean
is_wanted (Rules *rules, const char *relative, AsbFileInfo *info)
{
  AsbFileKind kind = asb_file_info_get_kind (info);

  if ((rules->flags & ASB_SEARCH_FLAGS_NO_HIDDEN) && is_hidden (relative))
    return FALSE;
  if ((rules->flags & ASB_SEARCH_FLAGS_FILES) && kind != ASB_FILE_KIND_FILE)
    return FALSE;
  for (guint i = 0; i < rules->n_globs; i++)
    if (asb_opensandbox_glob_match (rules->globs[i], relative, kind == ASB_FILE_KIND_DIRECTORY))
      return TRUE;
  return rules->n_globs == 0;
}

/* First all of a directory, then what is in the directories in it. */
static int
compare_paths (gconstpointer a, gconstpointer b)
{
  const char *first = asb_file_info_get_path (*(AsbFileInfo *const *)a);
  const char *second = asb_file_info_get_path (*(AsbFileInfo *const *)b);
  gsize start = 0;
  const char *first_end;
  const char *second_end;
  gsize size;
  int order;

  for (gsize i = 0; first[i] && first[i] == second[i]; i++)
    if (first[i] == '/')
      start = i + 1;
  first_end = strchr (first + start, '/');
  second_end = strchr (second + start, '/');
  if (!first_end != !second_end)
    return first_end ? 1 : -1;
  if (!first_end)
    return strcmp (first + start, second + start);
  size = (gsize)MIN (first_end - first, second_end - second) - start;
  order = memcmp (first + start, second + start, size);
  return order != 0 ? order : (int)((first_end - first) - (second_end - second));
}

/* The line at @stats that ends with @name; NULL when that has gone away meanwhile. */
static char *
take_line (const char *name, gsize name_size, const char **stats, const char *end)
{
  const char *slash = memchr (*stats, '/', (gsize)(end - *stats));
  char *line;

  if (!slash || (gsize)(end - slash) < name_size + 2 || memcmp (slash + 1, name, name_size) != 0
      || slash[1 + name_size] != '\n')
    return NULL;
  line = g_strndup (*stats, (gsize)(slash - *stats));
  *stats = slash + 1 + name_size + 1;
  return line;
}

static gboolean
take_entries (AsbOpensandboxTree *tree, Rules *rules, GBytes *names, GBytes *stats, GError **error)
{
  gsize size;
  const char *at = g_bytes_get_data (names, &size);
  const char *end = at + size;
  const char *stat_at = g_bytes_get_data (stats, &size);
  const char *stat_end = stat_at + size;
  const char *base = strcmp (rules->path, "/") == 0 ? "" : rules->path;

  while (at < end)
    {
      const char *nul = memchr (at, 0, (gsize)(end - at));
      g_autofree char *line = NULL;
      g_autofree char *path = NULL;
      g_autoptr (AsbFileInfo) info = NULL;

      /* A name that was cut off with the time. */
      if (!nul)
        break;
      line = take_line (at, (gsize)(nul - at), &stat_at, stat_end);
      if (line && nul - at > 2)
        {
          path = g_strconcat (base, at + 1, NULL);
          info = asb_opensandbox_file_info_parse (line, path, NULL, error);
          if (!info)
            return FALSE;
          if (is_wanted (rules, at + 2, info))
            g_ptr_array_add (tree->entries, g_steal_pointer (&info));
        }
      at = nul + 1;
    }
  g_ptr_array_sort (tree->entries, compare_paths);
  return TRUE;
}

static void
take_errors (AsbOpensandboxTree *tree, GBytes *bytes)
{
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (gsize i = 0; lines[i]; i++)
    if (*lines[i] && !strstr (lines[i], "No such file or directory"))
      asb_opensandbox_tree_add_error (
          tree, asb_opensandbox_error_dup_text (lines[i], strlen (lines[i]), MAX_ERROR_TEXT));
}

static gboolean
take_directory (AsbOpensandboxTree *tree, Rules *rules, char **lines, GError **error)
{
  guint at = 1;
  g_autoptr (GBytes) names = asb_opensandbox_script_decode (lines, at, &at, error);
  g_autoptr (GBytes) stats = names ? asb_opensandbox_script_decode (lines, at, &at, error) : NULL;
  g_autoptr (GBytes) errors = stats ? asb_opensandbox_script_decode (lines, at, &at, error) : NULL;

  if (!errors || !take_entries (tree, rules, names, stats, error))
    return FALSE;
  take_errors (tree, errors);
  tree->is_cut = strcmp (lines[0], "cut") == 0;
  return TRUE;
}

static gboolean
take_file (AsbOpensandboxTree *tree, Rules *rules, const char *line, GError **error)
{
  AsbFileInfo *info = asb_opensandbox_file_info_parse (line, rules->path, NULL, error);

  if (info)
    g_ptr_array_add (tree->entries, info);
  return info != NULL;
}

static AsbOpensandboxTree *
parse (Rules *rules, char **lines, GError **error)
{
  g_autoptr (AsbOpensandboxTree) tree = g_new0 (AsbOpensandboxTree, 1);
  gboolean taken = FALSE;

  tree->entries = g_ptr_array_new_with_free_func (g_object_unref);
  tree->errors = g_ptr_array_new_with_free_func (g_free);
  if (!lines[0])
    g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                         "The sandbox said nothing of what is in the directory");
  else if (strcmp (lines[0], "file") == 0)
    taken = take_file (tree, rules, lines[1], error);
  else
    taken = take_directory (tree, rules, lines, error);
  return taken ? g_steal_pointer (&tree) : NULL;
}

AsbOpensandboxTree *
asb_opensandbox_tree_parse (const char *path, char **lines, GError **error)
{
  Rules rules = { .path = (char *)path };

  return parse (&rules, lines, error);
}

static void
told_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Rules *rules = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_script_run_finish_well (
      ASB_OPENSANDBOX_EXECD (source), result, NULL, &error);
  AsbOpensandboxTree *tree = done ? parse (rules, done->lines, &error) : NULL;

  if (tree)
    g_task_return_pointer (task, tree, (GDestroyNotify)asb_opensandbox_tree_free);
  else
    g_task_return_error (task, error);
}

static gboolean
parse_patterns (Rules *self, char **patterns, GError **error)
{
  gboolean ignore_case = (self->flags & ASB_SEARCH_FLAGS_IGNORE_CASE) != 0;

  for (gsize i = 0; patterns && patterns[i] && i < MAX_PATTERNS; i++)
    {
      self->globs[i] = asb_opensandbox_glob_new (patterns[i], ignore_case, error);
      if (!self->globs[i])
        return FALSE;
      self->n_globs++;
    }
  return TRUE;
}

void
asb_opensandbox_tree_list_async (AsbOpensandboxExecd *execd, const AsbOpensandboxTreeRules *rules,
                                 GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (execd, NULL, callback, user_data);
  Rules *self = g_new0 (Rules, 1);
  g_autofree char *token = asb_opensandbox_shell_new_token ();
  g_autofree char *depth
      = rules->max_depth > 0 ? g_strdup_printf ("%u", rules->max_depth) : g_strdup ("");
  g_autofree char *seconds = rules->time_limit_ms > 0
                                 ? g_strdup_printf ("%u", (rules->time_limit_ms + 999) / 1000)
                                 : g_strdup ("");
  const char *const arguments[] = { rules->path, depth, seconds, token, NULL };
  g_autofree char *what = asb_opensandbox_script_dup_what ("search", rules->path);
  GError *error = NULL;

  g_task_set_source_tag (task, asb_opensandbox_tree_list_async);
  g_task_set_task_data (task, self, rules_free);
  self->path = g_strdup (rules->path);
  self->flags = rules->flags;
  if (parse_patterns (self, rules->patterns, &error))
    asb_opensandbox_script_ask_async (execd, TELL, arguments, what, NULL, told_cb,
                                      g_steal_pointer (&task));
  else
    g_task_return_error (task, error);
}

AsbOpensandboxTree *
asb_opensandbox_tree_list_finish (AsbOpensandboxExecd *execd, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, execd), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
