/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-file.h"

#include "tool-json.h"

static void
add_json (ToolJson *json, AsbFileInfo *info)
{
  g_autofree char *name = asb_file_info_dup_name (info);

  tool_json_begin_object (json, NULL);
  tool_json_add_text (json, "name", name);
  tool_json_add_text (json, "path", asb_file_info_get_path (info));
  tool_json_add_enum (json, "kind", ASB_TYPE_FILE_KIND, asb_file_info_get_kind (info));
  tool_json_add_integer (json, "size", (gint64)asb_file_info_get_size (info));
  tool_json_add_integer (json, "mode", asb_file_info_get_mode (info));
  tool_json_add_integer (json, "uid", asb_file_info_get_uid (info));
  tool_json_add_integer (json, "gid", asb_file_info_get_gid (info));
  tool_json_add_time (json, "modified_at", asb_file_info_get_modified_at (info));
  tool_json_add_text (json, "target", asb_file_info_get_target (info));
  tool_json_end_object (json);
}

int
tool_files_print_json (GListModel *infos)
{
  ToolJson *json = tool_json_new ();

  tool_json_begin_array (json, NULL);
  for (guint i = 0; i < g_list_model_get_n_items (infos); i++)
    {
      g_autoptr (AsbFileInfo) info = g_list_model_get_item (infos, i);

      add_json (json, info);
    }
  tool_json_end_array (json);
  return tool_json_print (json);
}
