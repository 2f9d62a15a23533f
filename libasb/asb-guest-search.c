/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-transport-private.h"

#include <string.h>

#include "asb-call-private.h"
#include "asb-error.h"
#include "asb-guest-error-private.h"
#include "asb-guest-file-private.h"
#include "asb-guest-json-private.h"
#include "asb-guest-lines-private.h"
#include "asb-wire-json.h"

/* Searches in the tree of a sandbox: files by their paths, and text in files. What comes is bounded
 * by what was asked for, and lies where it was asked for, whatever the guest says. */

#define MAX_ERRORS 64
#define MAX_MESSAGE 4096
#define MAX_PATH (64 * 1024)

typedef struct _Search Search;

struct _Search
{
  GTask *task;
  char *path;
  guint max_results; /* matches; what stands beside them comes on top */
  guint64 max_items;
  GType item_type;
  AsbGuestLineFunc add;
  GPtrArray *items;
  guint n_matches;
  AsbGuestLines lines;
};

static gboolean
is_wrong (const char *what, GError **error)
{
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL, what);
  return FALSE;
}

/* Whether @path lies in the tree that is searched, or is the file that is. */
static gboolean
check_place (const Search *self, const char *path, GError **error)
{
  gsize length = g_str_equal (self->path, "/") ? 0 : strlen (self->path);

  if (strncmp (path, self->path, length) == 0 && (path[length] == '/' || path[length] == '\0'))
    return TRUE;
  return is_wrong ("“path” does not lie where it was searched", error);
}

static gboolean
count_item (Search *self, gboolean is_match, GError **error)
{
  self->n_matches += is_match;
  if (self->items->len >= self->max_items || self->n_matches > self->max_results)
    return is_wrong ("there are more results than were asked for", error);
  if (self->items->len < asb_guest_max_entries)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE,
               "Could not keep what was found: it is more than %u lines, ask for fewer results or "
               "less around them",
               asb_guest_max_entries);
  return FALSE;
}

static gboolean
add_entry (gpointer data, const json_t *line, GError **error)
{
  Search *self = data;
  g_autoptr (AsbFileInfo) info
      = asb_guest_file_info_new (line, ASB_GUEST_ENTRY_OF_LIST, NULL, error);

  if (!info || !check_place (self, asb_file_info_get_path (info), error)
      || !count_item (self, TRUE, error))
    return FALSE;
  g_ptr_array_add (self->items, g_steal_pointer (&info));
  return TRUE;
}

/* A line of a file, which may hold any bytes. */
static GBytes *
parse_bytes (const json_t *line, GError **error)
{
  const json_t *text = json_object_get (line, "text");
  const json_t *encoded = json_object_get (text, "b64");
  gsize size = 0;
  void *bytes = NULL;
  GBytes *copy;

  if (json_is_string (text))
    return g_bytes_new (json_string_value (text), json_string_length (text));
  if (json_is_string (encoded))
    bytes
        = asb_wire_base64_decode (json_string_value (encoded), json_string_length (encoded), &size);
  if (!bytes)
    {
      is_wrong ("“text” is missing or no text", error);
      return NULL;
    }
  copy = g_bytes_new (bytes, size);
  free (bytes);
  return copy;
}

static gboolean
parse_flag (const json_t *line, const char *name, gboolean *value, GError **error)
{
  *value = FALSE;
  return !asb_guest_json_has (line, name) || asb_guest_json_get_boolean (line, name, value, error);
}

/* 0 where nothing is said. */
static gboolean
parse_count (const json_t *object, const char *name, gint64 *count, GError **error)
{
  *count = 0;
  return !asb_guest_json_has (object, name)
         || asb_guest_json_get_integer (object, name, 0, ASB_WIRE_MAX_INTEGER, count, error);
}

static gboolean
add_match (gpointer data, const json_t *line, GError **error)
{
  Search *self = data;
  g_autofree char *path = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gboolean truncated;
  gboolean context;
  gint64 number;
  gint64 column;
  gint64 offset;

  if (!asb_guest_json_get_text (line, "path", MAX_PATH, &path, error)
      || !check_place (self, path, error)
      || !asb_guest_json_get_integer (line, "line", 1, ASB_WIRE_MAX_INTEGER, &number, error)
      || !asb_guest_json_get_integer (line, "column", 0, G_MAXUINT32, &column, error)
      || !parse_count (line, "from", &offset, error)
      || !parse_flag (line, "truncated", &truncated, error)
      || !parse_flag (line, "context", &context, error) || !count_item (self, !context, error))
    return FALSE;
  bytes = parse_bytes (line, error);
  if (!bytes)
    return FALSE;
  g_ptr_array_add (self->items,
                   g_object_new (ASB_TYPE_TEXT_MATCH, "path", path, "line-number", (guint64)number,
                                 "column", (guint)column, "offset", (guint64)offset, "bytes", bytes,
                                 "truncated", truncated, "context", context, NULL));
  return TRUE;
}

static gboolean
search_received (AsbGuestCall *call, gpointer data, const guint8 *bytes, gsize size, GError **error)
{
  Search *self = data;

  return asb_guest_lines_add (&self->lines, bytes, size, self->add, self, error);
}

static gboolean
parse_cut (const json_t *result, AsbSearchCut *cut, GError **error)
{
  const char *word;

  *cut = ASB_SEARCH_CUT_NONE;
  if (!asb_guest_json_has (result, "cut"))
    return TRUE;
  if (!asb_guest_json_get_string (result, "cut", G_MAXSIZE, &word, error))
    return FALSE;
  if (g_str_equal (word, "results"))
    *cut = ASB_SEARCH_CUT_RESULTS;
  else if (g_str_equal (word, "time"))
    *cut = ASB_SEARCH_CUT_TIME;
  else
    return is_wrong ("“cut” is not one of its words", error);
  return TRUE;
}

static GStrv
parse_errors (const json_t *result, GError **error)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const json_t *errors;
  const char *message;

  if (!asb_guest_json_get_array (result, "errors", MAX_ERRORS, &errors, error))
    return NULL;
  for (gsize i = 0; i < json_array_size (errors); i++)
    {
      g_autofree char *line = NULL;

      if (!asb_guest_json_get_string (json_array_get (errors, i), "message", MAX_MESSAGE, &message,
                                      error))
        return NULL;
      line = asb_guest_message_dup (message);
      g_strv_builder_add (builder, line);
    }
  return g_strv_builder_end (builder);
}

static gboolean
search_result (AsbGuestCall *call, gpointer data, const json_t *result, GError **error)
{
  Search *self = data;
  g_autoptr (GListStore) items = g_list_store_new (self->item_type);
  g_auto (GStrv) errors = NULL;
  AsbSearchCut cut;
  gint64 count;
  gint64 n_errors;
  gint64 n_files;
  gint64 n_binary;

  if (!asb_guest_json_get_integer (result, "count", 0, ASB_WIRE_MAX_INTEGER, &count, error)
      || !asb_guest_json_get_integer (result, "error_count", 0, ASB_WIRE_MAX_INTEGER, &n_errors,
                                      error)
      || !parse_cut (result, &cut, error) || !parse_count (result, "files", &n_files, error)
      || !parse_count (result, "binary", &n_binary, error))
    return FALSE;
  if (!asb_guest_lines_is_whole (&self->lines) || count != self->n_matches)
    return is_wrong ("“count” is not how many results came", error);
  errors = parse_errors (result, error);
  if (!errors)
    return FALSE;
  g_list_store_splice (items, 0, 0, self->items->pdata, self->items->len);
  asb_task_return_object (self->task,
                          g_object_new (ASB_TYPE_SEARCH_RESULT, "items", items, "cut", cut,
                                        "errors", errors, "n-errors", (guint64)n_errors, "n-files",
                                        (guint64)n_files, "n-binary", (guint64)n_binary, NULL));
  return TRUE;
}

static void
search_failed (AsbGuestCall *call, gpointer data, const GError *error)
{
  Search *self = data;

  g_task_return_error (self->task, g_error_copy (error));
}

static void
search_free (gpointer data)
{
  Search *self = data;

  g_object_unref (self->task);
  g_ptr_array_unref (self->items);
  asb_guest_lines_clear (&self->lines);
  g_free (self->path);
  g_free (self);
}

static const AsbGuestCallKind search_kind = {
  .received = search_received,
  .result = search_result,
  .failed = search_failed,
  .free = search_free,
};

/* The arguments that all searches share. */
static json_t *
arguments_new (AsbFileSearch *search, GError **error)
{
  const char *path = asb_file_search_get_path (search);
  guint max_depth = asb_file_search_get_max_depth (search);
  guint time_limit = asb_file_search_get_time_limit_ms (search);
  json_t *arguments;

  if (!path || *path != '/')
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "The search has no absolute path");
      return NULL;
    }
  arguments = json_pack ("{s:o, s:b, s:I}", "path", asb_guest_json_text (path), "hidden",
                         !(asb_file_search_get_flags (search) & ASB_SEARCH_FLAGS_NO_HIDDEN),
                         "max_results", (json_int_t)asb_file_search_get_max_results (search));
  if (max_depth > 0)
    json_object_set_new (arguments, "max_depth", json_integer (max_depth));
  if (time_limit > 0)
    json_object_set_new (arguments, "time_limit_ms", json_integer (time_limit));
  return arguments;
}

static void
start (AsbTransport *transport, const char *name, json_t *arguments, AsbFileSearch *search,
       Search *self)
{
  GError *error = NULL;
  AsbGuestCall *call = asb_guest_call_new (name, arguments, asb_file_search_get_operation (search),
                                           &search_kind, self, &error);
  g_autoptr (GTask) task = g_object_ref (self->task);

  if (call)
    {
      asb_guest_call_set_subject (call, search);
      asb_guest_call_set_channel (call, ASB_CHANNEL_OUTPUT, ASB_GUEST_CHANNEL_SINK);
    }
  asb_guest_transport_submit (transport, call, task, error);
}

static Search *
search_new (AsbFileSearch *search, GTask *task)
{
  Search *self = g_new0 (Search, 1);

  self->task = g_object_ref (task);
  self->path = g_strdup (asb_file_search_get_path (search));
  self->max_results = asb_file_search_get_max_results (search);
  self->max_items = self->max_results;
  self->items = g_ptr_array_new_with_free_func (g_object_unref);
  asb_guest_lines_init (&self->lines);
  return self;
}

static void
set_ignore_case (json_t *arguments, AsbFileSearch *search)
{
  if (asb_file_search_get_flags (search) & ASB_SEARCH_FLAGS_IGNORE_CASE)
    json_object_set_new (arguments, "ignore_case", json_true ());
}

void
asb_guest_find_files (AsbTransport *transport, AsbFileSearch *search, GTask *task)
{
  const char *pattern = asb_file_search_get_pattern (search);
  GError *error = NULL;
  json_t *arguments = arguments_new (search, &error);
  Search *self;

  if (!arguments)
    {
      asb_guest_transport_submit (transport, NULL, task, error);
      return;
    }
  if (pattern)
    {
      json_object_set_new (arguments, "pattern", asb_guest_json_text (pattern));
      set_ignore_case (arguments, search);
    }
  if (asb_file_search_get_flags (search) & ASB_SEARCH_FLAGS_FILES)
    json_object_set_new (arguments, "kinds", json_pack ("[s]", "file"));
  self = search_new (search, task);
  self->item_type = ASB_TYPE_FILE_INFO;
  self->add = add_entry;
  start (transport, pattern ? "file.glob" : "file.walk", arguments, search, self);
}

void
asb_guest_search_text (AsbTransport *transport, AsbFileSearch *search, GTask *task)
{
  const char *pattern = asb_file_search_get_pattern (search);
  const char *text = asb_file_search_get_text (search);
  guint context_lines = asb_file_search_get_context_lines (search);
  GError *error = NULL;
  json_t *arguments = arguments_new (search, &error);
  Search *self;

  if (!arguments)
    {
      asb_guest_transport_submit (transport, NULL, task, error);
      return;
    }
  json_object_set_new (arguments, "text", asb_guest_json_text (text ? text : ""));
  json_object_set_new (arguments, "regex",
                       json_boolean (asb_file_search_get_flags (search) & ASB_SEARCH_FLAGS_REGEX));
  set_ignore_case (arguments, search);
  if (pattern)
    json_object_set_new (arguments, "include", json_pack ("[o]", asb_guest_json_text (pattern)));
  if (context_lines > 0)
    json_object_set_new (arguments, "context_lines", json_integer (context_lines));
  self = search_new (search, task);
  self->item_type = ASB_TYPE_TEXT_MATCH;
  self->add = add_match;
  self->max_items *= 1 + 2 * (guint64)context_lines;
  start (transport, "file.grep", arguments, search, self);
}
