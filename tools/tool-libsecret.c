/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-libsecret.h"

#include <asb.h>
#include <gmodule.h>

#define FILE_NAME "libsecret-1.so.0"

static gboolean
set_missing (GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
               "libsecret cannot be used, install its package: %s", g_module_error ());
  return FALSE;
}

static gboolean
find_all (ToolLibsecret *self, GModule *module, GError **error)
{
  const struct
  {
    const char *name;
    gpointer *place;
  } functions[] = {
#define FUNCTION(name) { "secret_" #name, (gpointer *)&self->name },
    TOOL_LIBSECRET_FUNCTIONS (FUNCTION)
#undef FUNCTION
  };

  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
    if (!g_module_symbol (module, functions[i].name, functions[i].place))
      return set_missing (error);
  return TRUE;
}

const ToolLibsecret *
tool_libsecret_load (GError **error)
{
  static ToolLibsecret functions;
  static gboolean is_loaded;
  GModule *module;

  if (is_loaded)
    return &functions;
  module = g_module_open (FILE_NAME, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (!module)
    {
      set_missing (error);
      return NULL;
    }
  /* Its types stay. */
  g_module_make_resident (module);
  is_loaded = find_all (&functions, module, error);
  return is_loaded ? &functions : NULL;
}
