/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-snapshot.h"

#include "tool-sandbox.h"
#include "tool-server.h"

const char *
tool_snapshot_split_name (const char *text, char **provider)
{
  g_autofree char *name = NULL;
  const char *id = tool_sandbox_split_name (text, &name);

  *provider = id == text ? g_strdup (TOOL_SERVER_PROVIDER) : g_steal_pointer (&name);
  return id;
}

AsbProvider *
tool_snapshot_parse (Tool *tool, const char *text, const char **id, GError **error)
{
  g_autofree char *name = NULL;

  *id = tool_snapshot_split_name (text, &name);
  if (**id != '\0')
    return tool_get_provider (tool, name, error);
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "“%s” names no snapshot; see asb snapshot list", text);
  return NULL;
}

AsbSnapshot *
tool_snapshot_get (Tool *tool, AsbProvider *provider, const char *id, GError **error)
{
  g_auto (ToolWait) wait = { 0 };

  asb_provider_get_snapshot_async (provider, id, tool->cancellable, tool_wait_cb, &wait);
  return asb_provider_get_snapshot_finish (provider, tool_wait (&wait), error);
}

char *
tool_snapshot_dup_full_name (AsbProvider *provider, AsbSnapshot *snapshot)
{
  g_autofree char *name = asb_provider_dup_name (provider);

  return g_strconcat (name, ":", asb_snapshot_get_id (snapshot), NULL);
}

void
tool_snapshot_add_json (ToolJson *json, AsbSnapshot *snapshot)
{
  tool_json_begin_object (json, NULL);
  tool_json_add_text (json, "id", asb_snapshot_get_id (snapshot));
  tool_json_add_text (json, "sandbox_id", asb_snapshot_get_sandbox_id (snapshot));
  tool_json_add_text (json, "name", asb_snapshot_get_name (snapshot));
  tool_json_add_enum (json, "state", ASB_TYPE_SNAPSHOT_STATE, asb_snapshot_get_state (snapshot));
  tool_json_add_text (json, "message", asb_snapshot_get_message (snapshot));
  tool_json_add_time (json, "created_at", asb_snapshot_get_created_at (snapshot));
  tool_json_end_object (json);
}

int
tool_snapshot_print_json (AsbSnapshot *snapshot)
{
  ToolJson *json = tool_json_new ();

  tool_snapshot_add_json (json, snapshot);
  return tool_json_print (json);
}
