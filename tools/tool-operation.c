/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-operation.h"

#include <string.h>

#include "tool-table.h"
#include "tool-text.h"

/* Returns: (transfer full) (nullable): a member of a dictionary, out of its wrappings */
static GVariant *
look_up (GVariant *dictionary, const char *name)
{
  GVariant *value;

  if (!dictionary || !g_variant_is_of_type (dictionary, G_VARIANT_TYPE_VARDICT))
    return NULL;
  value = g_variant_lookup_value (dictionary, name, NULL);
  while (value
         && (g_variant_is_of_type (value, G_VARIANT_TYPE_MAYBE)
             || g_variant_is_of_type (value, G_VARIANT_TYPE_VARIANT)))
    {
      g_autoptr (GVariant) wrapping = value;

      value = g_variant_n_children (wrapping) > 0 ? g_variant_get_child_value (wrapping, 0) : NULL;
    }
  return value;
}

static gboolean
look_up_integer (GVariant *dictionary, const char *name, gint64 *result)
{
  g_autoptr (GVariant) value = look_up (dictionary, name);

  if (!value)
    return FALSE;
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_INT64:
      *result = g_variant_get_int64 (value);
      return TRUE;
    case G_VARIANT_CLASS_UINT64:
      *result = (gint64)MIN (g_variant_get_uint64 (value), (guint64)G_MAXINT64);
      return TRUE;
    case G_VARIANT_CLASS_INT32:
      *result = g_variant_get_int32 (value);
      return TRUE;
    case G_VARIANT_CLASS_UINT32:
      *result = g_variant_get_uint32 (value);
      return TRUE;
    default:
      return FALSE;
    }
}

/* Returns: (transfer full) (nullable): text, or bytes made readable */
static char *
look_up_text (GVariant *dictionary, const char *name)
{
  g_autoptr (GVariant) value = look_up (dictionary, name);
  const char *bytes;
  gsize length = 0;

  if (!value)
    return NULL;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return g_variant_dup_string (value, NULL);
  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_BYTESTRING))
    return NULL;
  bytes = g_variant_get_fixed_array (value, &length, 1);
  return tool_text_dup_printable (bytes ? bytes : "", (gssize)length);
}

gboolean
tool_operation_is_command (AsbHistoryOperation *operation)
{
  return g_strcmp0 (asb_history_operation_get_operation_type (operation), "command.execute") == 0;
}

static char *
dup_command_outcome (AsbHistoryOperation *operation)
{
  GVariant *result = asb_history_operation_get_result (operation);
  gint64 number;

  if (look_up_integer (result, "signal", &number) && number > 0)
    return g_strdup_printf ("signal %d (%s)", (int)number, strsignal ((int)number));
  if (look_up_integer (result, "exit_code", &number)
      || look_up_integer (asb_history_operation_get_command (operation), "exit_code", &number))
    return g_strdup_printf ("exit %" G_GINT64_FORMAT, number);
  return NULL;
}

char *
tool_operation_dup_outcome (AsbHistoryOperation *operation)
{
  const AsbOperationStatus status = asb_history_operation_get_status (operation);
  char *outcome = NULL;

  if (tool_operation_is_command (operation)
      && (status == ASB_OPERATION_STATUS_SUCCEEDED || status == ASB_OPERATION_STATUS_FAILED))
    outcome = dup_command_outcome (operation);
  if (outcome)
    return outcome;
  if (status == ASB_OPERATION_STATUS_STARTED)
    return g_strdup ("running");
  return g_strdup (tool_enum_get_nick (ASB_TYPE_OPERATION_STATUS, status));
}

char *
tool_operation_dup_subject (AsbHistoryOperation *operation)
{
  GVariant *request = asb_history_operation_get_request (operation);
  char *subject = look_up_text (asb_history_operation_get_command (operation), "command");

  if (!subject)
    subject = look_up_text (request, "command");
  if (!subject)
    subject = look_up_text (asb_history_operation_get_file_operation (operation), "path");
  if (!subject)
    subject = look_up_text (request, "path");
  if (!subject)
    subject = look_up_text (request, "workdir");
  return subject ? subject : g_strdup ("");
}

/* How much a command printed, how large a file is. Returns: (nullable) */
static char *
dup_sizes (AsbHistoryOperation *operation)
{
  GVariant *result = asb_history_operation_get_result (operation);
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  g_autofree char *state = NULL;
  gint64 size;

  if (!tool_operation_is_command (operation))
    return look_up_integer (result, "size", &size) || look_up_integer (result, "bytes", &size)
               ? tool_text_dup_size (size)
               : NULL;
  if (look_up_integer (result, "stdout_total_bytes", &size))
    first = tool_text_dup_size (size);
  if (look_up_integer (result, "stderr_total_bytes", &size))
    second = tool_text_dup_size (size);
  if (!first || !second)
    return NULL;
  state = look_up_text (result, "history_storage_state");
  return g_strdup_printf ("out %s, err %s%s", first, second,
                          g_strcmp0 (state, "complete") == 0 ? "" : ", not all kept");
}

/* Of what nobody saw the end of nobody knows how long it took, either. */
static gboolean
has_duration (AsbHistoryOperation *operation)
{
  return asb_history_operation_get_completed_at (operation)
         && asb_history_operation_get_duration_ms (operation) >= 0;
}

char *
tool_operation_dup_duration (AsbHistoryOperation *operation)
{
  const gint64 milliseconds = asb_history_operation_get_duration_ms (operation);

  if (!has_duration (operation))
    return NULL;
  if (milliseconds < 1000)
    return g_strdup_printf ("%" G_GINT64_FORMAT " ms", milliseconds);
  return tool_text_dup_duration (milliseconds * 1000);
}

static void
add_actor (ToolJson *json, AsbHistoryOperation *operation)
{
  tool_json_begin_object (json, "actor");
  tool_json_add_text (json, "actor_type", asb_history_operation_get_actor_type (operation));
  tool_json_add_text (json, "actor_id", asb_history_operation_get_actor_id (operation));
  tool_json_add_text (json, "thread_id", asb_history_operation_get_thread_id (operation));
  tool_json_add_text (json, "run_id", asb_history_operation_get_run_id (operation));
  tool_json_add_text (json, "correlation_id", asb_history_operation_get_correlation_id (operation));
  tool_json_end_object (json);
}

void
tool_operation_add_json (ToolJson *json, AsbHistoryOperation *operation)
{
  tool_json_begin_object (json, NULL);
  tool_json_add_integer (json, "seq", asb_history_operation_get_seq (operation));
  tool_json_add_text (json, "event_id", asb_history_operation_get_event_id (operation));
  tool_json_add_text (json, "operation_type", asb_history_operation_get_operation_type (operation));
  tool_json_add_enum (json, "status", ASB_TYPE_OPERATION_STATUS,
                      asb_history_operation_get_status (operation));
  tool_json_add_text (json, "source", asb_history_operation_get_source (operation));
  add_actor (json, operation);
  tool_json_add_text (json, "occurred_at", asb_history_operation_get_occurred_at (operation));
  tool_json_add_text (json, "completed_at", asb_history_operation_get_completed_at (operation));
  if (has_duration (operation))
    tool_json_add_integer (json, "duration_ms", asb_history_operation_get_duration_ms (operation));
  else
    tool_json_add_null (json, "duration_ms");
  tool_json_add_variant (json, "request", asb_history_operation_get_request (operation));
  tool_json_add_variant (json, "result", asb_history_operation_get_result (operation));
  tool_json_add_variant (json, "command", asb_history_operation_get_command (operation));
  tool_json_add_variant (json, "file_operation",
                         asb_history_operation_get_file_operation (operation));
  tool_json_end_object (json);
}

static void
add_row (ToolTable *table, AsbHistoryOperation *operation)
{
  g_autofree char *seq
      = g_strdup_printf ("%" G_GINT64_FORMAT, asb_history_operation_get_seq (operation));
  g_autofree char *outcome = tool_operation_dup_outcome (operation);
  g_autofree char *duration = tool_operation_dup_duration (operation);
  g_autofree char *sizes = dup_sizes (operation);
  g_autofree char *subject = tool_operation_dup_subject (operation);
  const char *const cells[] = { seq,
                                asb_history_operation_get_operation_type (operation),
                                outcome,
                                duration,
                                sizes ? sizes : "",
                                subject };

  tool_table_add_row (table, cells);
}

char *
tool_operations_dup_table (GPtrArray *operations, guint columns, gboolean bold)
{
  static const char *const titles[]
      = { ">EVENT", "OPERATION", "OUTCOME", ">TOOK", "SIZE", "SUBJECT", NULL };
  ToolTable *table = tool_table_new (titles);

  for (guint i = 0; i < operations->len; i++)
    add_row (table, operations->pdata[i]);
  return tool_table_free_to_text (table, columns, bold);
}
