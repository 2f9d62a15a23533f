/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-limits.h"

#include <string.h>

#include "tool-text.h"

#define MAX_NUMBER G_GUINT64_CONSTANT (9007199254740991)

typedef gboolean (*ParseNumber) (const char *text, guint64 *number);

static gboolean
parse_count (const char *text, guint64 *number)
{
  return g_ascii_string_to_unsigned (text, 10, 1, MAX_NUMBER, number, NULL);
}

static gboolean
parse_size (const char *text, guint64 *number)
{
  static const char units[] = "KMGT";
  const gsize length = strlen (text);
  const char *unit = length > 0 ? strchr (units, g_ascii_toupper (text[length - 1])) : NULL;
  g_autofree char *digits = g_strndup (text, unit ? length - 1 : length);
  const guint shift = unit ? 10 * (guint)(unit - units + 1) : 0;

  if (!parse_count (digits, number) || *number > MAX_NUMBER >> shift)
    return FALSE;
  *number <<= shift;
  return TRUE;
}

static gboolean
parse_seconds (const char *text, guint64 *number)
{
  if (!tool_text_parse_duration (text, number, NULL))
    return FALSE;
  *number = (*number + 999) / 1000;
  return *number > 0;
}

static const struct
{
  const char *name;
  const char *property;
  ParseNumber parse;
} known[] = {
  { "memory", "memory-bytes", parse_size },  { "file-size", "file-size-bytes", parse_size },
  { "cpu", "cpu-seconds", parse_seconds },   { "files", "open-files", parse_count },
  { "processes", "processes", parse_count },
};

static gboolean
set_one (AsbResourceLimits *limits, const char *text, GError **error)
{
  const gsize length = strcspn (text, "=");
  guint64 number;

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (strlen (known[i].name) == length && strncmp (known[i].name, text, length) == 0)
      {
        if (text[length] == '=' && known[i].parse (text + length + 1, &number))
          {
            g_object_set (limits, known[i].property, number, NULL);
            return TRUE;
          }
        g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                     "“%s” is no limit of %s; give for example --limit %s=%s", text, known[i].name,
                     known[i].name, known[i].parse == parse_size ? "512M" : "100");
        return FALSE;
      }
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "There is no limit “%.*s”; there are memory, file-size, cpu, files and processes",
               (int)length, text);
  return FALSE;
}

static gboolean
set_all (AsbResourceLimits *limits, GPtrArray *texts, GError **error)
{
  for (guint i = 0; texts && i < texts->len; i++)
    if (!set_one (limits, g_ptr_array_index (texts, i), error))
      return FALSE;
  return TRUE;
}

gboolean
tool_limits_set (AsbBackendOptions *options, GPtrArray *texts, GError **error)
{
  g_autoptr (AsbResourceLimits) limits = asb_resource_limits_new ();

  if (!set_all (limits, texts, error))
    return FALSE;
  if (texts)
    asb_backend_options_set_limits (options, limits);
  return TRUE;
}

gboolean
tool_limits_set_command (AsbCommandSpec *spec, GPtrArray *texts, GError **error)
{
  g_autoptr (AsbResourceLimits) limits = asb_resource_limits_new ();

  if (!set_all (limits, texts, error))
    return FALSE;
  if (texts)
    asb_command_spec_set_limits (spec, limits);
  return TRUE;
}

void
tool_limits_foreach (AsbResourceLimits *limits, ToolLimitFunc func, gpointer user_data)
{
  guint64 number;

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    {
      g_object_get (limits, known[i].property, &number, NULL);
      func (known[i].name, number, user_data);
    }
}
