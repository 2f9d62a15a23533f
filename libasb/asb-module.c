/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-module-private.h"

#include <gmodule.h>
#include <string.h>
#include <sys/auxv.h>

#include "asb-error.h"

#define MAX_NAME 64

static const char *const prefixes[] = {
  [ASB_MODULE_KIND_PROVIDER] = "libasb-provider-",
  [ASB_MODULE_KIND_HISTORY_STORE] = "libasb-history-",
};

static const char *const kind_names[] = {
  [ASB_MODULE_KIND_PROVIDER] = "provider",
  [ASB_MODULE_KIND_HISTORY_STORE] = "history store",
};

gboolean
asb_module_name_is_valid (const char *name)
{
  gsize length = strspn (name, "abcdefghijklmnopqrstuvwxyz0123456789-_");

  return length > 0 && length <= MAX_NAME && name[length] == '\0';
}

GPtrArray *
asb_module_default_paths (void)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  const char *environment = getauxval (AT_SECURE) ? NULL : g_getenv ("ASB_MODULE_PATH");
  g_auto (GStrv) folders
      = g_strsplit (environment ? environment : "", G_SEARCHPATH_SEPARATOR_S, -1);

  for (gsize i = 0; folders[i]; i++)
    if (folders[i][0] != '\0')
      g_ptr_array_add (paths, g_strdup (folders[i]));
  g_ptr_array_add (paths, g_strdup (ASB_MODULE_DIR));
  return paths;
}

char *
asb_module_find_file (AsbModuleKind kind, const char *name, const char *const *paths,
                      GError **error)
{
  g_autofree char *file_name = g_strconcat (prefixes[kind], name, ".so", NULL);
  g_autofree char *searched = NULL;

  for (gsize i = 0; paths[i]; i++)
    {
      g_autofree char *path = g_build_filename (paths[i], file_name, NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }
  searched = g_strjoinv (", ", (char **)paths);
  g_set_error (error, ASB_ERROR, ASB_ERROR_MODULE_NOT_FOUND,
               "There is no %s “%s”: nothing is registered under that name, and no “%s” is in %s",
               kind_names[kind], name, file_name, searched);
  return NULL;
}

static const char *
describe_fault (const AsbModuleDescriptor *descriptor, AsbModuleKind kind, const char *name)
{
  if (descriptor->kind != kind)
    return "its descriptor says it is of another kind";
  if (g_strcmp0 (descriptor->name, name) != 0)
    return "its descriptor has another name than its file";
  if (!descriptor->register_types)
    return "its descriptor has no register function";
  return NULL;
}

static gboolean
check_descriptor (const AsbModuleDescriptor *descriptor, AsbModuleKind kind, const char *name,
                  const char *path, GError **error)
{
  const char *fault;

  /* The version first: another major may have another descriptor. */
  if (descriptor->major != ASB_MAJOR_VERSION || descriptor->minor > ASB_MINOR_VERSION)
    {
      g_set_error (
          error, ASB_ERROR, ASB_ERROR_MODULE_INVALID,
          "Could not use module “%s”: it was built for version %u.%u of the library, this is %d.%d",
          path, descriptor->major, descriptor->minor, ASB_MAJOR_VERSION, ASB_MINOR_VERSION);
      return FALSE;
    }
  fault = describe_fault (descriptor, kind, name);
  if (!fault)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_MODULE_INVALID, "Could not use module “%s”: %s", path,
               fault);
  return FALSE;
}

/* Returns: (nullable): what the module exports */
static const AsbModuleDescriptor *
open_module (AsbModuleKind kind, const char *name, const char *path, GError **error)
{
  GModule *module = g_module_open (path, G_MODULE_BIND_LOCAL);
  gpointer symbol = NULL;

  if (!module)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_MODULE_INVALID, "Could not open module “%s”: %s",
                   path, g_module_error ());
      return NULL;
    }
  if (!g_module_symbol (module, "asb_module", &symbol) || !symbol)
    g_set_error (error, ASB_ERROR, ASB_ERROR_MODULE_INVALID,
                 "Could not use module “%s”: it exports no “asb_module”", path);
  else if (check_descriptor (symbol, kind, name, path, error))
    {
      g_module_make_resident (module);
      return symbol;
    }
  g_module_close (module);
  return NULL;
}

gboolean
asb_module_load (AsbRegistry *registry, AsbModuleKind kind, const char *name,
                 const char *const *paths, char **file, GError **error)
{
  g_autofree char *path = asb_module_find_file (kind, name, paths, error);
  const AsbModuleDescriptor *descriptor = path ? open_module (kind, name, path, error) : NULL;
  g_autoptr (GError) local = NULL;

  if (!descriptor)
    return FALSE;
  if (!descriptor->register_types (registry, &local))
    {
      if (!local)
        local = g_error_new_literal (ASB_ERROR, ASB_ERROR_MODULE_INVALID,
                                     "it failed to register and gave no reason");
      g_propagate_prefixed_error (error, g_steal_pointer (&local),
                                  "Could not use module “%s”: ", path);
      return FALSE;
    }
  *file = g_steal_pointer (&path);
  return TRUE;
}

/* NULL for a file that is no module of @kind. */
static char *
name_of_file (AsbModuleKind kind, const char *file_name)
{
  g_autofree char *name = NULL;

  if (!g_str_has_prefix (file_name, prefixes[kind]) || !g_str_has_suffix (file_name, ".so"))
    return NULL;
  name = g_strndup (file_name + strlen (prefixes[kind]),
                    strlen (file_name) - strlen (prefixes[kind]) - strlen (".so"));
  return asb_module_name_is_valid (name) ? g_steal_pointer (&name) : NULL;
}

GPtrArray *
asb_module_list_names (AsbModuleKind kind, const char *const *paths)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; paths[i]; i++)
    {
      g_autoptr (GDir) dir = g_dir_open (paths[i], 0, NULL);
      const char *file_name;

      while (dir && (file_name = g_dir_read_name (dir)))
        {
          char *name = name_of_file (kind, file_name);

          if (name)
            g_ptr_array_add (names, name);
        }
    }
  return names;
}
