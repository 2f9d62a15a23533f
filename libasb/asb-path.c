/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-path-private.h"

#include <string.h>

#include "asb-error.h"

static gboolean
append_segments (GString *absolute, const char *path)
{
  g_auto (GStrv) segments = g_strsplit (path, "/", -1);

  for (gsize i = 0; segments[i]; i++)
    {
      if (g_str_equal (segments[i], ".."))
        return FALSE;
      if (segments[i][0] == '\0' || g_str_equal (segments[i], "."))
        continue;
      g_string_append_c (absolute, '/');
      g_string_append (absolute, segments[i]);
    }
  return TRUE;
}

char *
asb_path_resolve (const char *workdir, const char *path, GError **error)
{
  g_autoptr (GString) absolute = g_string_new (NULL);
  g_autofree char *shown = g_filename_display_name (path);

  if (path[0] == '\0')
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "A path must not be empty");
      return NULL;
    }
  if ((path[0] != '/' && !append_segments (absolute, workdir)) || !append_segments (absolute, path))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "Path “%s” must not contain “..”",
                   shown);
      return NULL;
    }
  if (absolute->len == 0)
    g_string_append_c (absolute, '/');
  return g_string_free (g_steal_pointer (&absolute), FALSE);
}

GVariant *
asb_path_to_variant (const char *path)
{
  if (g_utf8_validate (path, -1, NULL))
    return g_variant_new_string (path);
  return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, path, strlen (path), 1);
}
