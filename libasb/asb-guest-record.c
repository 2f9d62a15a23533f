/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-record-private.h"

#include "asb-error.h"
#include "asb-guest-error-private.h"
#include "asb-guest-json-private.h"
#include "asb-wire-variant-private.h"

static void
set_string (json_t *object, const char *name, const char *value)
{
  if (value)
    json_object_set_new (object, name, json_string (value));
}

static gboolean
set_variant (json_t *object, const char *name, GVariant *variant, GError **error)
{
  json_t *value;

  if (!variant)
    return TRUE;
  value = asb_wire_variant_to_json (variant, error);
  if (!value)
    {
      g_prefix_error (error, "Could not record the operation: ");
      return FALSE;
    }
  json_object_set_new (object, name, value);
  return TRUE;
}

static json_t *
actor_new (AsbOperation *operation)
{
  const char *type = asb_operation_get_actor_type (operation);
  json_t *actor = json_object ();

  set_string (actor, "actor_type", type ? type : "system");
  set_string (actor, "actor_id", asb_operation_get_actor_id (operation));
  set_string (actor, "thread_id", asb_operation_get_thread_id (operation));
  set_string (actor, "run_id", asb_operation_get_run_id (operation));
  set_string (actor, "correlation_id", asb_operation_get_correlation_id (operation));
  return actor;
}

json_t *
asb_guest_record_new (AsbOperation *operation, GError **error)
{
  g_autoptr (json_t) record = json_object ();
  GVariant *request = asb_operation_get_request (operation);

  set_string (record, "event_id", asb_operation_get_event_id (operation));
  set_string (record, "operation_type", asb_operation_get_operation_type (operation));
  json_object_set_new (record, "required", json_boolean (asb_operation_get_required (operation)));
  json_object_set_new (record, "actor", actor_new (operation));
  json_object_set_new (record, "request", json_object ());
  if (!set_variant (record, "request", request, error)
      || !set_variant (record, "command", asb_operation_get_command (operation), error)
      || !set_variant (record, "file_operation", asb_operation_get_file_operation (operation),
                       error))
    return NULL;
  return g_steal_pointer (&record);
}

static char *
dup_failure (const json_t *record)
{
  const char *message;

  if (!asb_guest_json_has (record, "message")
      || !asb_guest_json_get_string (record, "message", G_MAXSIZE, &message, NULL))
    return g_strdup ("The guest could not keep the record");
  return asb_guest_message_dup (message);
}

gboolean
asb_guest_record_parse (const json_t *reply, char **message, GError **error)
{
  const json_t *record;
  const char *state;

  *message = NULL;
  if (!asb_guest_json_has (reply, "record"))
    *message = g_strdup ("The guest did not say whether it kept the record");
  else if (!asb_guest_json_get_object (reply, "record", &record, error)
           || !asb_guest_json_get_string (record, "state", G_MAXSIZE, &state, error))
    return FALSE;
  else if (g_str_equal (state, "failed"))
    *message = dup_failure (record);
  else if (!g_str_equal (state, "complete"))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                           "“state” of the record is neither “complete” nor “failed”");
      return FALSE;
    }
  return TRUE;
}
