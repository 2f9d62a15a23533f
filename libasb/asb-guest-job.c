/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-transport-private.h"

#include "asb-call-private.h"
#include "asb-guest-command-private.h"
#include "asb-guest-json-private.h"
#include "asb-wire-variant-private.h"

static gboolean
convert_status (const json_t *result, GTask *task, GError **error)
{
  GVariant *status = asb_wire_variant_from_json (result, error);

  if (!status)
    return FALSE;
  asb_task_return_variant (task, status);
  return TRUE;
}

void
asb_guest_start_job (AsbTransport *transport, AsbCommandSpec *spec, const char *name, GTask *task)
{
  GError *error = NULL;
  json_t *arguments = asb_guest_command_arguments (spec, &error);
  AsbGuestCall *call = NULL;

  if (arguments)
    {
      if (name)
        json_object_set_new (arguments, "name", asb_guest_json_text (name));
      call = asb_guest_task_call_new ("job.start", arguments, asb_command_spec_get_operation (spec),
                                      task, convert_status, &error);
    }
  if (call)
    asb_guest_call_set_subject (call, spec);
  asb_guest_transport_submit (transport, call, task, error);
}
