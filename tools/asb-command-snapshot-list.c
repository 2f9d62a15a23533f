/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-message.h"
#include "tool-sandbox.h"
#include "tool-server.h"
#include "tool-snapshot.h"
#include "tool-table.h"
#include "tool-text.h"

#define PAGE_SIZE 200

static struct
{
  const char *provider;
  const char *sandbox;
  gboolean json;
} options;

/* What sandbox, if any, and which provider. The sandbox may be gone: its ID is taken as it is. */
static AsbProvider *
set_up (Tool *tool, AsbSnapshotFilter *filter, GError **error)
{
  g_autofree char *name = NULL;
  const char *id;

  if (!options.sandbox)
    return tool_get_provider (tool, options.provider ? options.provider : TOOL_SERVER_PROVIDER,
                              error);
  id = tool_snapshot_split_name (options.sandbox, &name);
  asb_snapshot_filter_set_sandbox_id (filter, id);
  return tool_get_provider (tool, options.provider ? options.provider : name, error);
}

static gboolean
add_page (Tool *tool, AsbProvider *provider, AsbSnapshotFilter *filter, GPtrArray *snapshots,
          gboolean *more, GError **error)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (GListModel) page = NULL;

  asb_provider_list_snapshots_async (provider, filter, tool->cancellable, tool_wait_cb, &wait);
  page = asb_provider_list_snapshots_finish (provider, tool_wait (&wait), error);
  if (!page)
    return FALSE;
  for (guint i = 0; i < g_list_model_get_n_items (page); i++)
    g_ptr_array_add (snapshots, g_list_model_get_item (page, i));
  *more = g_list_model_get_n_items (page) >= PAGE_SIZE;
  return TRUE;
}

static GPtrArray *
list (Tool *tool, GError **error)
{
  g_autoptr (AsbSnapshotFilter) filter = asb_snapshot_filter_new ();
  g_autoptr (GPtrArray) snapshots = g_ptr_array_new_with_free_func (g_object_unref);
  AsbProvider *provider = set_up (tool, filter, error);
  gboolean more = TRUE;

  if (!provider)
    return NULL;
  asb_snapshot_filter_set_page_size (filter, PAGE_SIZE);
  for (guint page = 1; more; page++)
    {
      asb_snapshot_filter_set_page (filter, page);
      if (!add_page (tool, provider, filter, snapshots, &more, error))
        return NULL;
    }
  return g_steal_pointer (&snapshots);
}

static int
print_json (GPtrArray *snapshots)
{
  ToolJson *json = tool_json_new ();

  tool_json_begin_array (json, NULL);
  for (guint i = 0; i < snapshots->len; i++)
    tool_snapshot_add_json (json, snapshots->pdata[i]);
  tool_json_end_array (json);
  return tool_json_print (json);
}

static int
print_table (GPtrArray *snapshots)
{
  static const char *const titles[] = { "NAME", "ID", "STATE", "AGE", "SANDBOX", NULL };
  ToolTable *table = tool_table_new (titles);

  for (guint i = 0; i < snapshots->len; i++)
    {
      AsbSnapshot *snapshot = snapshots->pdata[i];
      g_autofree char *age = tool_text_dup_age (asb_snapshot_get_created_at (snapshot));
      const char *const cells[]
          = { asb_snapshot_get_name (snapshot), asb_snapshot_get_id (snapshot),
              tool_enum_get_nick (ASB_TYPE_SNAPSHOT_STATE, asb_snapshot_get_state (snapshot)), age,
              asb_snapshot_get_sandbox_id (snapshot) };

      tool_table_add_row (table, cells);
    }
  return tool_table_print (table);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) snapshots = list (tool, &error);

  if (snapshots)
    return options.json ? print_json (snapshots) : print_table (snapshots);
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static const ToolOption option_entries[] = {
  { "sandbox", '\0', TOOL_OPTION_TEXT, &options.sandbox, "ID",
    "lists only those of the sandbox with this whole ID, which may be gone",
    TOOL_COMPLETE_SANDBOX },
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { "provider", '\0', TOOL_OPTION_TEXT, &options.provider, "NAME",
    "lists those of this provider; opensandbox if not given, since local ones have none",
    TOOL_COMPLETE_PROVIDER },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb snapshot list", "Shows what there is, and in which state." },
  { "asb snapshot list --json | jq -r '.[] | select(.state == \"ready\").id'",
    "Prints the IDs of those that are ready, for a script." },
  { NULL, NULL },
};

const ToolCommand tool_command_snapshot_list = {
  .name = "snapshot list",
  .summary = "list snapshots",
  .description = "Lists the snapshots that a provider keeps.",
  .options = option_entries,
  .examples = examples,
  .run = run,
};
