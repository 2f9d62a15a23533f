/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-listing.h"

#include "tool-json.h"
#include "tool-table.h"
#include "tool-text.h"

static int
print_json (GPtrArray *infos)
{
  ToolJson *json = tool_json_new ();

  tool_json_begin_array (json, NULL);
  for (guint i = 0; i < infos->len; i++)
    tool_sandbox_add_json (json, NULL, infos->pdata[i]);
  tool_json_end_array (json);
  return tool_json_print (json);
}

static ToolTable *
new_table (GPtrArray *infos)
{
  static const char *const titles[] = { "NAME", "ID", "STATE", "AGE", "IMAGE", NULL };
  ToolTable *table = tool_table_new (titles);
  const guint length = tool_sandbox_get_short_length (infos);

  for (guint i = 0; i < infos->len; i++)
    {
      AsbSandboxInfo *info = infos->pdata[i];
      g_autofree char *id = g_strndup (tool_sandbox_get_id (info), length);
      g_autofree char *age = tool_text_dup_age (asb_sandbox_info_get_created_at (info));
      const char *const cells[]
          = { asb_sandbox_info_get_name (info), id, tool_sandbox_get_state (info), age,
              asb_sandbox_info_get_image (info) };

      tool_table_add_row (table, cells);
    }
  return table;
}

int
tool_listing_print (GPtrArray *infos, gboolean json)
{
  return json ? print_json (infos) : tool_table_print (new_table (infos));
}

char *
tool_listing_dup_table (GPtrArray *infos, guint columns)
{
  return tool_table_free_to_text (new_table (infos), columns, FALSE);
}
