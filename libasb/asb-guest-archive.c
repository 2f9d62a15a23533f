/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-archive-private.h"

#include "asb-enum-types.h"
#include "asb-error.h"
#include "asb-guest-error-private.h"
#include "asb-guest-json-private.h"
#include "asb-wire-json.h"

#define MAX_ERRORS 64
#define MAX_MESSAGE 4096
#define MAX_PATH (64 * 1024)
#define MAX_WORD 16

/* The words of the protocol, by the values of the enumerations. */
static const char *const FORMATS[] = { "tar", "tar.gz", "zip" };
static const char *const CONFLICTS[] = { "error", "overwrite", "skip", "if_changed" };

static void
set_bound (json_t *arguments, const char *name, guint64 bound)
{
  if (bound > 0)
    json_object_set_new (arguments, name, json_integer ((json_int_t)bound));
}

json_t *
asb_guest_archive_arguments (AsbArchiveOptions *options, AsbGuestArchiveKind kind, GError **error)
{
  const char *path = asb_archive_options_get_path (options);
  const char *const *names = asb_archive_options_get_names (options);
  AsbArchiveFormat format = asb_archive_options_get_format (options);
  json_t *arguments;

  if (!path || (kind == ASB_GUEST_ARCHIVE_PACKED && format == ASB_ARCHIVE_FORMAT_ZIP))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           path ? "A folder can be packed into a tar, not into a zip"
                                : "The archive has no folder");
      return NULL;
    }
  arguments = json_pack ("{s:o}", "path", asb_guest_json_text (path));
  if (kind == ASB_GUEST_ARCHIVE_UNPACKED)
    json_object_set_new (arguments, "conflict",
                         json_string (CONFLICTS[asb_archive_options_get_conflict (options)]));
  else
    json_object_set_new (arguments, "format", json_string (FORMATS[format]));
  if (kind == ASB_GUEST_ARCHIVE_PACKED && names)
    json_object_set_new (arguments, "names", asb_guest_json_texts (names));
  set_bound (arguments, "max_members", asb_archive_options_get_max_members (options));
  set_bound (arguments, "max_bytes", asb_archive_options_get_max_bytes (options));
  set_bound (arguments, "max_file_bytes", asb_archive_options_get_max_file_bytes (options));
  set_bound (arguments, "max_ratio", asb_archive_options_get_max_ratio (options));
  return arguments;
}

static gboolean
parse_format (const json_t *result, AsbArchiveFormat *format, GError **error)
{
  const char *word;

  if (!asb_guest_json_get_string (result, "format", MAX_WORD, &word, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (FORMATS); i++)
    if (g_str_equal (FORMATS[i], word))
      {
        *format = i;
        return TRUE;
      }
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "“format” is not one of its words");
  return FALSE;
}

/* “PATH: What is the matter” */
static char *
describe_error (const json_t *item, GError **error)
{
  g_autofree char *path = NULL;
  g_autofree char *shown = NULL;
  g_autofree char *line = NULL;
  const char *message;

  if (!asb_guest_json_get_text (item, "path", MAX_PATH, &path, error)
      || !asb_guest_json_get_string (item, "message", MAX_MESSAGE, &message, error))
    return NULL;
  shown = g_utf8_make_valid (path, -1);
  line = g_strdup_printf ("%s: %s", shown, message);
  return asb_guest_message_dup (line);
}

static char **
parse_errors (const json_t *result, GError **error)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const json_t *errors;

  if (!asb_guest_json_get_array (result, "errors", MAX_ERRORS, &errors, error))
    return NULL;
  for (gsize i = 0; i < json_array_size (errors); i++)
    {
      g_autofree char *text = describe_error (json_array_get (errors, i), error);

      if (!text)
        return NULL;
      g_strv_builder_add (builder, text);
    }
  return g_strv_builder_end (builder);
}

/* What the guest counts, and what it is called here. */
typedef struct
{
  const char *name;
  const char *property;
} Count;

static const Count COUNTS[] = {
  { "members", "n-members" }, { "files", "n-files" }, { "directories", "n-directories" },
  { "links", "n-links" },     { "bytes", "n-bytes" }, { "archive_bytes", "n-archive-bytes" },
};
static const Count PACKED_COUNTS[] = { { "error_count", "n-errors" } };
static const Count UNPACKED_COUNTS[] = { { "replaced", "n-replaced" }, { "skipped", "n-skipped" } };

#define MAX_PROPERTIES 16

typedef struct
{
  const char *names[MAX_PROPERTIES];
  GValue values[MAX_PROPERTIES];
  guint n;
} Properties;

static void
properties_clear (Properties *properties)
{
  for (guint i = 0; i < properties->n; i++)
    g_value_unset (&properties->values[i]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Properties, properties_clear)

static GValue *
add_property (Properties *properties, const char *name, GType type)
{
  properties->names[properties->n] = name;
  return g_value_init (&properties->values[properties->n++], type);
}

static gboolean
add_counts (Properties *properties, const json_t *result, const Count *counts, guint n_counts,
            GError **error)
{
  for (guint i = 0; i < n_counts; i++)
    {
      gint64 count;

      if (!asb_guest_json_get_integer (result, counts[i].name, 0, ASB_WIRE_MAX_INTEGER, &count,
                                       error))
        return FALSE;
      g_value_set_uint64 (add_property (properties, counts[i].property, G_TYPE_UINT64), count);
    }
  return TRUE;
}

static gboolean
add_errors (Properties *properties, const json_t *result, GError **error)
{
  char **errors = parse_errors (result, error);

  if (!errors)
    return FALSE;
  g_value_take_boxed (add_property (properties, "errors", G_TYPE_STRV), errors);
  return add_counts (properties, result, PACKED_COUNTS, G_N_ELEMENTS (PACKED_COUNTS), error);
}

AsbArchiveResult *
asb_guest_archive_result_new (const json_t *result, AsbGuestArchiveKind kind, GError **error)
{
  g_auto (Properties) properties = { .n = 0 };
  AsbArchiveFormat format;

  if (!parse_format (result, &format, error)
      || !add_counts (&properties, result, COUNTS, G_N_ELEMENTS (COUNTS), error))
    return NULL;
  if (kind == ASB_GUEST_ARCHIVE_PACKED ? !add_errors (&properties, result, error)
                                       : !add_counts (&properties, result, UNPACKED_COUNTS,
                                                      G_N_ELEMENTS (UNPACKED_COUNTS), error))
    return NULL;
  g_value_set_enum (add_property (&properties, "format", ASB_TYPE_ARCHIVE_FORMAT), format);
  return ASB_ARCHIVE_RESULT (g_object_new_with_properties (ASB_TYPE_ARCHIVE_RESULT, properties.n,
                                                           properties.names, properties.values));
}
