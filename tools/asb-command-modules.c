/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-json.h"
#include "tool-message.h"
#include "tool-table.h"

static struct
{
  gboolean json;
} options;

/* What is known of one, after it was opened: only then can be said whether it can be used. */
typedef struct
{
  const char *kind;
  char *name;
  char *file;
  GError *error;
} Module;

static void
module_free (gpointer data)
{
  Module *module = data;

  g_free (module->name);
  g_free (module->file);
  g_clear_error (&module->error);
  g_free (module);
}

static void
add_providers (AsbRegistry *registry, GPtrArray *modules)
{
  g_auto (GStrv) names = asb_registry_list_providers (registry);

  for (gsize i = 0; names[i]; i++)
    {
      Module *module = g_new0 (Module, 1);
      g_autoptr (AsbProvider) provider
          = asb_registry_create_provider (registry, names[i], NULL, &module->error);

      module->kind = "provider";
      module->name = g_strdup (names[i]);
      module->file = asb_registry_find_provider_module (registry, names[i]);
      g_ptr_array_add (modules, module);
    }
}

static void
add_history_stores (AsbRegistry *registry, GPtrArray *modules)
{
  g_auto (GStrv) names = asb_registry_list_history_stores (registry);

  for (gsize i = 0; names[i]; i++)
    {
      Module *module = g_new0 (Module, 1);
      g_autoptr (AsbHistoryStore) store
          = asb_registry_create_history_store (registry, names[i], NULL, &module->error);

      module->kind = "history store";
      module->name = g_strdup (names[i]);
      module->file = asb_registry_find_history_store_module (registry, names[i]);
      g_ptr_array_add (modules, module);
    }
}

static int
print_json (GPtrArray *modules)
{
  ToolJson *json = tool_json_new ();

  tool_json_begin_array (json, NULL);
  for (guint i = 0; i < modules->len; i++)
    {
      Module *module = modules->pdata[i];

      tool_json_begin_object (json, NULL);
      tool_json_add_text (json, "kind", module->kind);
      tool_json_add_text (json, "name", module->name);
      tool_json_add_text (json, "file", module->file);
      tool_json_add_text (json, "error", module->error ? module->error->message : NULL);
      tool_json_end_object (json);
    }
  tool_json_end_array (json);
  return tool_json_print (json);
}

static int
print_table (GPtrArray *modules)
{
  static const char *const titles[] = { "KIND", "NAME", "STATE", "FILE", NULL };
  ToolTable *table = tool_table_new (titles);
  int status;

  for (guint i = 0; i < modules->len; i++)
    {
      Module *module = modules->pdata[i];
      const char *const cells[]
          = { module->kind, module->name, module->error ? "unusable" : "ok", module->file };

      tool_table_add_row (table, cells);
    }
  status = tool_table_print (table);
  for (guint i = 0; i < modules->len; i++)
    if (((Module *)modules->pdata[i])->error)
      tool_message_error (((Module *)modules->pdata[i])->error);
  return status;
}

static gboolean
are_usable (GPtrArray *modules)
{
  for (guint i = 0; i < modules->len; i++)
    if (((Module *)modules->pdata[i])->error)
      return FALSE;
  return TRUE;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  AsbRegistry *registry = asb_registry_get_default ();
  g_autoptr (GPtrArray) modules = g_ptr_array_new_with_free_func (module_free);
  int status;

  add_providers (registry, modules);
  add_history_stores (registry, modules);
  status = options.json ? print_json (modules) : print_table (modules);
  return status == 0 && !are_usable (modules) ? TOOL_EXIT_FAILED : status;
}

static const ToolOption option_entries[] = {
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb modules", "Shows what there is, and whether it can be used." },
  { "ASB_MODULE_PATH=./build asb modules", "Looks in ./build first." },
  { NULL },
};

const ToolCommand tool_command_modules = {
  .name = "modules",
  .summary = "list the providers and history stores there are",
  .description = "Lists providers and history stores, with the files of their modules. Each is "
                 "opened, and one that cannot be used is told with the reason; the exit status is "
                 "then not 0.\n\n"
                 "Modules are looked for in the folders of ASB_MODULE_PATH, and then in that of "
                 "the library. Of two with one name the first is taken.",
  .options = option_entries,
  .examples = examples,
  .run = run,
};
