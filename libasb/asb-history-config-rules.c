/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-history-config.h"

#include "asb-error-private.h"

#define KIB G_GINT64_CONSTANT (1024)
#define MIB (1024 * KIB)
#define NO_MAXIMUM G_MAXINT64

typedef enum
{
  RULE_INTEGER,
  RULE_DAYS, /* 0 stands for no limit, which is stored as null */
  RULE_SECONDS,
  RULE_BOOLEAN,
  RULE_WORD
} RuleKind;

/* A setting as it is stored. Its property has the same name with dashes. */
typedef struct
{
  const char *name;
  RuleKind kind;
  gint64 minimum;
  gint64 maximum;
  const char *const *words;
} Rule;

static const char *const OVERFLOW_POLICIES[]
    = { "delete_oldest", "stop_recording", "fail_operation", NULL };
static const char *const COMPRESSIONS[] = { "identity", "zlib", "gzip", NULL };

static const Rule RULES[] = {
  { "capture_stderr", RULE_BOOLEAN },
  { "capture_stdout", RULE_BOOLEAN },
  { "cleanup_interval_operations", RULE_INTEGER, 1, 10000 },
  { "cleanup_min_interval_seconds", RULE_INTEGER, 0, 86400 },
  { "cleanup_on_connect", RULE_BOOLEAN },
  { "compression", RULE_WORD, .words = COMPRESSIONS },
  { "compression_level", RULE_INTEGER, 1, 9 },
  { "compression_min_bytes", RULE_INTEGER, 0, NO_MAXIMUM },
  { "consumer_active_ttl_days", RULE_INTEGER, 1, 3650 },
  { "helper_envelope_max_bytes", RULE_INTEGER, 64 * KIB, 16 * MIB },
  { "helper_query_max_bytes", RULE_INTEGER, 64 * KIB, 32 * MIB },
  { "max_database_bytes", RULE_INTEGER, 4 * MIB, NO_MAXIMUM },
  { "max_operation_output_bytes", RULE_INTEGER, 1, NO_MAXIMUM },
  { "output_chunk_bytes", RULE_INTEGER, 4 * KIB, 256 * KIB },
  { "output_flush_bytes", RULE_INTEGER, 1, MIB },
  { "output_flush_interval_ms", RULE_INTEGER, 0, 5000 },
  { "output_queue_max_bytes", RULE_INTEGER, 4 * KIB, 64 * MIB },
  { "output_queue_max_chunks", RULE_INTEGER, 1, 4096 },
  { "output_write_timeout_seconds", RULE_SECONDS, 0, 300 },
  { "overflow_policy", RULE_WORD, .words = OVERFLOW_POLICIES },
  { "sqlite_busy_timeout_ms", RULE_INTEGER, 100, 60000 },
  { "sqlite_cache_bytes", RULE_INTEGER, MIB, 64 * MIB },
  { "stale_started_after_seconds", RULE_INTEGER, 30, 86400 },
  { "ttl_days", RULE_DAYS, 1, NO_MAXIMUM },
};

/* Settings that are bounded by another one. */
typedef struct
{
  const char *name;
  const char *bound;
  gboolean may_be_equal;
} Relation;

static const Relation RELATIONS[] = {
  { "max_operation_output_bytes", "max_database_bytes", FALSE },
  { "output_chunk_bytes", "output_queue_max_bytes", TRUE },
  { "output_flush_bytes", "output_queue_max_bytes", TRUE },
};

static void
get_value (AsbHistoryConfig *self, const char *name, GValue *value)
{
  g_autofree char *property = g_strdelimit (g_strdup (name), "_", '-');

  g_object_get_property (G_OBJECT (self), property, value);
}

static gint64
get_integer (AsbHistoryConfig *self, const char *name)
{
  g_auto (GValue) value = G_VALUE_INIT;

  get_value (self, name, &value);
  return g_value_get_int64 (&value);
}

static gboolean G_GNUC_PRINTF (2, 3) refuse (GError **error, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_HISTORY_CONFIG_VALIDATION, message);
  return FALSE;
}

static gboolean
check_integer (const Rule *rule, gint64 value, GError **error)
{
  if (rule->kind == RULE_DAYS && value == 0)
    return TRUE;
  if (value < rule->minimum && rule->maximum == NO_MAXIMUM)
    return refuse (error,
                   "The history setting “%s” must be at least %" G_GINT64_FORMAT
                   "%s, and is %" G_GINT64_FORMAT,
                   rule->name, rule->minimum, rule->kind == RULE_DAYS ? ", or 0 for ever" : "",
                   value);
  if (value < rule->minimum || value > rule->maximum)
    return refuse (error,
                   "The history setting “%s” must be from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                   ", and is %" G_GINT64_FORMAT,
                   rule->name, rule->minimum, rule->maximum, value);
  return TRUE;
}

/* Written so that a number that is none is refused. */
static gboolean
check_seconds (const Rule *rule, double value, GError **error)
{
  if (value > (double)rule->minimum && value <= (double)rule->maximum)
    return TRUE;
  return refuse (error,
                 "The history setting “%s” must be more than %" G_GINT64_FORMAT
                 " and at most %" G_GINT64_FORMAT ", and is %g",
                 rule->name, rule->minimum, rule->maximum, value);
}

static gboolean
check_word (const Rule *rule, const char *value, GError **error)
{
  g_autofree char *words = g_strjoinv ("”, “", (char **)rule->words);

  if (value && g_strv_contains (rule->words, value))
    return TRUE;
  return refuse (error, "The history setting “%s” must be one of “%s”, and is “%s”", rule->name,
                 words, value ? value : "");
}

static gboolean
check_rule (AsbHistoryConfig *self, const Rule *rule, GError **error)
{
  g_auto (GValue) value = G_VALUE_INIT;

  get_value (self, rule->name, &value);
  switch (rule->kind)
    {
    case RULE_SECONDS:
      return check_seconds (rule, g_value_get_double (&value), error);
    case RULE_WORD:
      return check_word (rule, g_value_get_string (&value), error);
    case RULE_BOOLEAN:
      return TRUE;
    default:
      return check_integer (rule, g_value_get_int64 (&value), error);
    }
}

static gboolean
check_relation (AsbHistoryConfig *self, const Relation *relation, GError **error)
{
  gint64 value = get_integer (self, relation->name);
  gint64 bound = get_integer (self, relation->bound);

  if (value < bound || (value == bound && relation->may_be_equal))
    return TRUE;
  return refuse (error,
                 "The history setting “%s” must be %s “%s”, %" G_GINT64_FORMAT
                 ", and is %" G_GINT64_FORMAT,
                 relation->name, relation->may_be_equal ? "at most" : "less than", relation->bound,
                 bound, value);
}

static gboolean
check_all (AsbHistoryConfig *self, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (RULES); i++)
    if (!check_rule (self, &RULES[i], error))
      return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (RELATIONS); i++)
    if (!check_relation (self, &RELATIONS[i], error))
      return FALSE;
  return TRUE;
}

/**
 * asb_history_config_validate:
 * @self: a [class@HistoryConfig]
 * @error: return location for an error
 *
 * Checks that every setting is in its range. The first that is not is
 * %ASB_ERROR_HISTORY_CONFIG_VALIDATION, with its name and its range in the message.
 *
 * Returns: whether all are
 *
 * Since: 1.0
 */
gboolean
asb_history_config_validate (AsbHistoryConfig *self, GError **error)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), FALSE);

  return check_all (self, error) || asb_error_info_note (error);
}

static GVariant *
to_variant (const Rule *rule, const GValue *value)
{
  switch (rule->kind)
    {
    case RULE_SECONDS:
      return g_variant_new_double (g_value_get_double (value));
    case RULE_WORD:
      return g_variant_new_string (g_value_get_string (value));
    case RULE_BOOLEAN:
      return g_variant_new_boolean (g_value_get_boolean (value));
    case RULE_DAYS:
      if (g_value_get_int64 (value) == 0)
        return g_variant_new_maybe (G_VARIANT_TYPE_VARIANT, NULL);
      return g_variant_new_int64 (g_value_get_int64 (value));
    default:
      return g_variant_new_int64 (g_value_get_int64 (value));
    }
}

/**
 * asb_history_config_to_variant:
 * @self: a [class@HistoryConfig] that is valid
 *
 * Gets the 24 settings that are stored with a record, by their names there, for example
 * `max_database_bytes`. A limit that there is not is an empty `mv`.
 *
 * Returns: (transfer full): the settings, an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_history_config_to_variant (AsbHistoryConfig *self)
{
  GVariantBuilder builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE_VARDICT);

  g_return_val_if_fail (ASB_IS_HISTORY_CONFIG (self), NULL);
  g_return_val_if_fail (asb_history_config_validate (self, NULL), NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (RULES); i++)
    {
      g_auto (GValue) value = G_VALUE_INIT;

      get_value (self, RULES[i].name, &value);
      g_variant_builder_add (&builder, "{sv}", RULES[i].name, to_variant (&RULES[i], &value));
    }
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}
