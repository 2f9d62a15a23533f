/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-file-search.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbFileSearch:
 *
 * What to look for in the files of a sandbox, and where: for [method@Backend.find_files] and
 * [method@Backend.search_text].
 *
 * Since: 1.0
 */

struct _AsbFileSearch
{
  GObject parent_instance;

  char *path;
  char *pattern;
  char *text;
  AsbSearchFlags flags;
  guint max_depth;
  guint max_results;
  guint context_lines;
  guint time_limit_ms;
  AsbOperation *operation;
};

enum
{
  PROP_0,
  PROP_PATH,
  PROP_PATTERN,
  PROP_TEXT,
  PROP_FLAGS,
  PROP_MAX_DEPTH,
  PROP_MAX_RESULTS,
  PROP_CONTEXT_LINES,
  PROP_TIME_LIMIT_MS,
  PROP_OPERATION,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbFileSearch, asb_file_search, G_TYPE_OBJECT)

static void
asb_file_search_finalize (GObject *object)
{
  AsbFileSearch *self = ASB_FILE_SEARCH (object);

  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->pattern, g_free);
  g_clear_pointer (&self->text, g_free);
  g_clear_object (&self->operation);

  G_OBJECT_CLASS (asb_file_search_parent_class)->finalize (object);
}

static void
asb_file_search_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbFileSearch *self = ASB_FILE_SEARCH (object);

  switch (property_id)
    {
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_PATTERN:
      g_value_set_string (value, self->pattern);
      break;
    case PROP_TEXT:
      g_value_set_string (value, self->text);
      break;
    case PROP_FLAGS:
      g_value_set_flags (value, self->flags);
      break;
    case PROP_MAX_DEPTH:
      g_value_set_uint (value, self->max_depth);
      break;
    case PROP_MAX_RESULTS:
      g_value_set_uint (value, self->max_results);
      break;
    case PROP_CONTEXT_LINES:
      g_value_set_uint (value, self->context_lines);
      break;
    case PROP_TIME_LIMIT_MS:
      g_value_set_uint (value, self->time_limit_ms);
      break;
    case PROP_OPERATION:
      g_value_set_object (value, self->operation);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_file_search_set_property (GObject *object, guint property_id, const GValue *value,
                              GParamSpec *pspec)
{
  AsbFileSearch *self = ASB_FILE_SEARCH (object);

  switch (property_id)
    {
    case PROP_PATH:
      asb_file_search_set_path (self, g_value_get_string (value));
      break;
    case PROP_PATTERN:
      asb_file_search_set_pattern (self, g_value_get_string (value));
      break;
    case PROP_TEXT:
      asb_file_search_set_text (self, g_value_get_string (value));
      break;
    case PROP_FLAGS:
      asb_file_search_set_flags (self, g_value_get_flags (value));
      break;
    case PROP_MAX_DEPTH:
      asb_file_search_set_max_depth (self, g_value_get_uint (value));
      break;
    case PROP_MAX_RESULTS:
      asb_file_search_set_max_results (self, g_value_get_uint (value));
      break;
    case PROP_CONTEXT_LINES:
      asb_file_search_set_context_lines (self, g_value_get_uint (value));
      break;
    case PROP_TIME_LIMIT_MS:
      asb_file_search_set_time_limit_ms (self, g_value_get_uint (value));
      break;
    case PROP_OPERATION:
      asb_file_search_set_operation (self, g_value_get_object (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_file_search_class_init (AsbFileSearchClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_file_search_finalize;
  object_class->get_property = asb_file_search_get_property;
  object_class->set_property = asb_file_search_set_property;

  /**
   * AsbFileSearch:path:
   *
   * The directory in which it begins; absolute for a transport.
   *
   * Since: 1.0
   */
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbFileSearch:pattern:
   *
   * The pattern that paths match, see docs/guest-protocol.md; for a search of text, those of the
   * files to look into. One without a slash is about names, wherever they are; another one about
   * paths from where the search begins. %NULL: everything.
   *
   * Since: 1.0
   */
  properties[PROP_PATTERN] = g_param_spec_string ("pattern", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbFileSearch:text:
   *
   * What to look for in files: this very text within a line, which therefore has no line break, or
   * a regular expression of PCRE2 with %ASB_SEARCH_FLAGS_REGEX.
   *
   * Since: 1.0
   */
  properties[PROP_TEXT] = g_param_spec_string ("text", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbFileSearch:flags:
   *
   * How to search.
   *
   * Since: 1.0
   */
  properties[PROP_FLAGS]
      = g_param_spec_flags ("flags", NULL, NULL, ASB_TYPE_SEARCH_FLAGS, 0, ASB_PARAM_READWRITE);

  /**
   * AsbFileSearch:max-depth:
   *
   * How deep to go; 1: only what is in the directory itself; 0: no limit. At most 4,096.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_DEPTH]
      = g_param_spec_uint ("max-depth", NULL, NULL, 0, 4096, 0, ASB_PARAM_READWRITE);

  /**
   * AsbFileSearch:max-results:
   *
   * How many results there may be. When there are more, [property@SearchResult:cut] says so. 1 to
   * 262,144; the default is 10,000.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_RESULTS]
      = g_param_spec_uint ("max-results", NULL, NULL, 1, 262144, 10000, ASB_PARAM_READWRITE);

  /**
   * AsbFileSearch:context-lines:
   *
   * How many lines before and behind each match to tell, too, 0 to 100.
   *
   * Since: 1.0
   */
  properties[PROP_CONTEXT_LINES]
      = g_param_spec_uint ("context-lines", NULL, NULL, 0, 100, 0, ASB_PARAM_READWRITE);

  /**
   * AsbFileSearch:time-limit-ms:
   *
   * How long to search, in milliseconds; 0: no limit. At most 86,400,000, a day.
   *
   * Since: 1.0
   */
  properties[PROP_TIME_LIMIT_MS]
      = g_param_spec_uint ("time-limit-ms", NULL, NULL, 0, 86400000, 0, ASB_PARAM_READWRITE);

  /**
   * AsbFileSearch:operation:
   *
   * The operation as recorded; set by the backend.
   *
   * Since: 1.0
   */
  properties[PROP_OPERATION]
      = g_param_spec_object ("operation", NULL, NULL, ASB_TYPE_OPERATION, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_file_search_init (AsbFileSearch *self)
{
  self->max_results = 10000;
}

/**
 * asb_file_search_new:
 *
 * Makes a [class@FileSearch] with every property at its default.
 *
 * Returns: (transfer full): a new [class@FileSearch]
 *
 * Since: 1.0
 */
AsbFileSearch *
asb_file_search_new (void)
{
  return g_object_new (ASB_TYPE_FILE_SEARCH, NULL);
}

/**
 * asb_file_search_get_path:
 * @self: a [class@FileSearch]
 *
 * Gets [property@FileSearch:path].
 *
 * Returns: (transfer none) (type filename): the directory in which it begins; absolute for a
 * transport
 *
 * Since: 1.0
 */
const char *
asb_file_search_get_path (AsbFileSearch *self)
{
  g_return_val_if_fail (ASB_IS_FILE_SEARCH (self), NULL);

  return self->path;
}

/**
 * asb_file_search_set_path:
 * @self: a [class@FileSearch]
 * @path: (type filename): the directory in which it begins; absolute for a transport
 *
 * Sets [property@FileSearch:path].
 *
 * Since: 1.0
 */
void
asb_file_search_set_path (AsbFileSearch *self, const char *path)
{
  g_return_if_fail (ASB_IS_FILE_SEARCH (self));

  if (asb_property_replace_string (&self->path, path))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PATH]);
}

/**
 * asb_file_search_get_pattern:
 * @self: a [class@FileSearch]
 *
 * Gets [property@FileSearch:pattern].
 *
 * Returns: (transfer none) (nullable) (type filename): the pattern that paths match; for a search
 * of text, those of the files to look into
 *
 * Since: 1.0
 */
const char *
asb_file_search_get_pattern (AsbFileSearch *self)
{
  g_return_val_if_fail (ASB_IS_FILE_SEARCH (self), NULL);

  return self->pattern;
}

/**
 * asb_file_search_set_pattern:
 * @self: a [class@FileSearch]
 * @pattern: (nullable) (type filename): the pattern that paths match; for a search of text, those
 * of the files to look into
 *
 * Sets [property@FileSearch:pattern].
 *
 * Since: 1.0
 */
void
asb_file_search_set_pattern (AsbFileSearch *self, const char *pattern)
{
  g_return_if_fail (ASB_IS_FILE_SEARCH (self));

  if (asb_property_replace_string (&self->pattern, pattern))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PATTERN]);
}

/**
 * asb_file_search_get_text:
 * @self: a [class@FileSearch]
 *
 * Gets [property@FileSearch:text].
 *
 * Returns: (transfer none) (nullable): what to look for in files
 *
 * Since: 1.0
 */
const char *
asb_file_search_get_text (AsbFileSearch *self)
{
  g_return_val_if_fail (ASB_IS_FILE_SEARCH (self), NULL);

  return self->text;
}

/**
 * asb_file_search_set_text:
 * @self: a [class@FileSearch]
 * @text: (nullable): what to look for in files
 *
 * Sets [property@FileSearch:text].
 *
 * Since: 1.0
 */
void
asb_file_search_set_text (AsbFileSearch *self, const char *text)
{
  g_return_if_fail (ASB_IS_FILE_SEARCH (self));

  if (asb_property_replace_string (&self->text, text))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TEXT]);
}

/**
 * asb_file_search_get_flags:
 * @self: a [class@FileSearch]
 *
 * Gets [property@FileSearch:flags].
 *
 * Returns: how to search
 *
 * Since: 1.0
 */
AsbSearchFlags
asb_file_search_get_flags (AsbFileSearch *self)
{
  g_return_val_if_fail (ASB_IS_FILE_SEARCH (self), 0);

  return self->flags;
}

/**
 * asb_file_search_set_flags:
 * @self: a [class@FileSearch]
 * @flags: how to search
 *
 * Sets [property@FileSearch:flags].
 *
 * Since: 1.0
 */
void
asb_file_search_set_flags (AsbFileSearch *self, AsbSearchFlags flags)
{
  g_return_if_fail (ASB_IS_FILE_SEARCH (self));

  if (self->flags == flags)
    return;
  self->flags = flags;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FLAGS]);
}

/**
 * asb_file_search_get_max_depth:
 * @self: a [class@FileSearch]
 *
 * Gets [property@FileSearch:max-depth].
 *
 * Returns: how deep to go; 1: only what is in the directory itself; 0: no limit
 *
 * Since: 1.0
 */
guint
asb_file_search_get_max_depth (AsbFileSearch *self)
{
  g_return_val_if_fail (ASB_IS_FILE_SEARCH (self), 0);

  return self->max_depth;
}

/**
 * asb_file_search_set_max_depth:
 * @self: a [class@FileSearch]
 * @max_depth: how deep to go; 1: only what is in the directory itself; 0: no limit
 *
 * Sets [property@FileSearch:max-depth].
 *
 * Since: 1.0
 */
void
asb_file_search_set_max_depth (AsbFileSearch *self, guint max_depth)
{
  g_return_if_fail (ASB_IS_FILE_SEARCH (self));

  if (self->max_depth == max_depth)
    return;
  self->max_depth = max_depth;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_DEPTH]);
}

/**
 * asb_file_search_get_max_results:
 * @self: a [class@FileSearch]
 *
 * Gets [property@FileSearch:max-results].
 *
 * Returns: how many results there may be, 1 to 262144
 *
 * Since: 1.0
 */
guint
asb_file_search_get_max_results (AsbFileSearch *self)
{
  g_return_val_if_fail (ASB_IS_FILE_SEARCH (self), 0);

  return self->max_results;
}

/**
 * asb_file_search_set_max_results:
 * @self: a [class@FileSearch]
 * @max_results: how many results there may be, 1 to 262144
 *
 * Sets [property@FileSearch:max-results].
 *
 * Since: 1.0
 */
void
asb_file_search_set_max_results (AsbFileSearch *self, guint max_results)
{
  g_return_if_fail (ASB_IS_FILE_SEARCH (self));

  if (self->max_results == max_results)
    return;
  self->max_results = max_results;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_RESULTS]);
}

/**
 * asb_file_search_get_context_lines:
 * @self: a [class@FileSearch]
 *
 * Gets [property@FileSearch:context-lines].
 *
 * Returns: how many lines before and behind each match to tell, too, 0 to 100
 *
 * Since: 1.0
 */
guint
asb_file_search_get_context_lines (AsbFileSearch *self)
{
  g_return_val_if_fail (ASB_IS_FILE_SEARCH (self), 0);

  return self->context_lines;
}

/**
 * asb_file_search_set_context_lines:
 * @self: a [class@FileSearch]
 * @context_lines: how many lines before and behind each match to tell, too, 0 to 100
 *
 * Sets [property@FileSearch:context-lines].
 *
 * Since: 1.0
 */
void
asb_file_search_set_context_lines (AsbFileSearch *self, guint context_lines)
{
  g_return_if_fail (ASB_IS_FILE_SEARCH (self));

  if (self->context_lines == context_lines)
    return;
  self->context_lines = context_lines;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONTEXT_LINES]);
}

/**
 * asb_file_search_get_time_limit_ms:
 * @self: a [class@FileSearch]
 *
 * Gets [property@FileSearch:time-limit-ms].
 *
 * Returns: how long to search, in milliseconds; 0: no limit
 *
 * Since: 1.0
 */
guint
asb_file_search_get_time_limit_ms (AsbFileSearch *self)
{
  g_return_val_if_fail (ASB_IS_FILE_SEARCH (self), 0);

  return self->time_limit_ms;
}

/**
 * asb_file_search_set_time_limit_ms:
 * @self: a [class@FileSearch]
 * @time_limit_ms: how long to search, in milliseconds; 0: no limit
 *
 * Sets [property@FileSearch:time-limit-ms].
 *
 * Since: 1.0
 */
void
asb_file_search_set_time_limit_ms (AsbFileSearch *self, guint time_limit_ms)
{
  g_return_if_fail (ASB_IS_FILE_SEARCH (self));

  if (self->time_limit_ms == time_limit_ms)
    return;
  self->time_limit_ms = time_limit_ms;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TIME_LIMIT_MS]);
}

/**
 * asb_file_search_get_operation:
 * @self: a [class@FileSearch]
 *
 * Gets [property@FileSearch:operation].
 *
 * Returns: (transfer none) (nullable): the operation as recorded; set by the backend
 *
 * Since: 1.0
 */
AsbOperation *
asb_file_search_get_operation (AsbFileSearch *self)
{
  g_return_val_if_fail (ASB_IS_FILE_SEARCH (self), NULL);

  return self->operation;
}

/**
 * asb_file_search_set_operation:
 * @self: a [class@FileSearch]
 * @operation: (nullable): the operation as recorded; set by the backend
 *
 * Sets [property@FileSearch:operation].
 *
 * Since: 1.0
 */
void
asb_file_search_set_operation (AsbFileSearch *self, AsbOperation *operation)
{
  g_return_if_fail (ASB_IS_FILE_SEARCH (self));

  if (g_set_object (&self->operation, operation))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OPERATION]);
}
