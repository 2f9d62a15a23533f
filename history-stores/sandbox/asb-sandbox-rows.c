/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-sandbox-rows.h"

const char *
asb_sandbox_row_get_string (GVariant *row, const char *name)
{
  const char *string = NULL;

  g_variant_lookup (row, name, "&s", &string);
  return string;
}

gint64
asb_sandbox_row_get_integer (GVariant *row, const char *name, gint64 fallback)
{
  gint64 integer = fallback;

  g_variant_lookup (row, name, "x", &integer);
  return integer;
}

gboolean
asb_sandbox_row_require_integer (GVariant *row, const char *name, gint64 *value, GError **error)
{
  if (g_variant_lookup (row, name, "x", value) && *value >= 0)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "“%s” of the record is not a number", name);
  return FALSE;
}

static GVariant *
get_dictionary (GVariant *row, const char *name)
{
  return g_variant_lookup_value (row, name, G_VARIANT_TYPE_VARDICT);
}

static gboolean
require_strings (GVariant *row, const char *const *names, GError **error)
{
  for (gsize i = 0; names[i]; i++)
    if (!asb_sandbox_row_get_string (row, names[i]))
      {
        g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "A row of the record has no “%s”",
                     names[i]);
        return FALSE;
      }
  return TRUE;
}

gpointer
asb_sandbox_row_to_change (GVariant *row, GError **error)
{
  static const char *const required[]
      = { "change_id", "event_id", "change_type", "changed_at", NULL };
  gint64 seq;

  if (!require_strings (row, required, error)
      || !asb_sandbox_row_require_integer (row, "source_seq", &seq, error))
    return NULL;
  return g_object_new (ASB_TYPE_HISTORY_CHANGE, "seq", seq, "change-id",
                       asb_sandbox_row_get_string (row, "change_id"), "event-id",
                       asb_sandbox_row_get_string (row, "event_id"), "change-type",
                       asb_sandbox_row_get_string (row, "change_type"), "changed-at",
                       asb_sandbox_row_get_string (row, "changed_at"), "operation-type",
                       asb_sandbox_row_get_string (row, "operation_type"), "status",
                       asb_sandbox_row_get_string (row, "status"), NULL);
}

/* A word that another writer put there is as good as unknown. */
static AsbOperationStatus
parse_status (const char *nick)
{
  g_autoptr (GEnumClass) enum_class = g_type_class_ref (ASB_TYPE_OPERATION_STATUS);
  GEnumValue *value = g_enum_get_value_by_nick (enum_class, nick);

  return value ? (AsbOperationStatus)value->value : ASB_OPERATION_STATUS_UNKNOWN;
}

gpointer
asb_sandbox_row_to_operation (GVariant *row, GError **error)
{
  static const char *const required[]
      = { "event_id", "operation_type", "status", "occurred_at", NULL };
  g_autoptr (GVariant) request = get_dictionary (row, "request");
  g_autoptr (GVariant) result = get_dictionary (row, "result");
  g_autoptr (GVariant) command = get_dictionary (row, "command");
  g_autoptr (GVariant) file_operation = get_dictionary (row, "file_operation");

  if (!require_strings (row, required, error))
    return NULL;
  return g_object_new (
      ASB_TYPE_HISTORY_OPERATION, "seq", asb_sandbox_row_get_integer (row, "seq", 0), "event-id",
      asb_sandbox_row_get_string (row, "event_id"), "operation-type",
      asb_sandbox_row_get_string (row, "operation_type"), "status",
      parse_status (asb_sandbox_row_get_string (row, "status")), "source",
      asb_sandbox_row_get_string (row, "source"), "actor-type",
      asb_sandbox_row_get_string (row, "actor_type"), "actor-id",
      asb_sandbox_row_get_string (row, "actor_id"), "thread-id",
      asb_sandbox_row_get_string (row, "thread_id"), "run-id",
      asb_sandbox_row_get_string (row, "run_id"), "correlation-id",
      asb_sandbox_row_get_string (row, "correlation_id"), "occurred-at",
      asb_sandbox_row_get_string (row, "occurred_at"), "completed-at",
      asb_sandbox_row_get_string (row, "completed_at"), "duration-ms",
      asb_sandbox_row_get_integer (row, "duration_ms", -1), "request", request, "result", result,
      "command", command, "file-operation", file_operation, NULL);
}
