/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-path.h"

#include <limits.h>
#include <string.h>

/* What is the host's, the kernel's or the library's. */
static const char *const taken[] = {
  "/.agent-history", "/.asb-guest", "/bin",  "/boot", "/dev", "/etc", "/lib",     "/lib32",
  "/lib64",          "/libx32",     "/proc", "/sbin", "/sys", "/usr", "/var/run", "/var/tmp",
};

/* What has something of the sandbox's own in it. */
static const char *const parents[] = { "", "/home", "/run", "/var" };

char *
asb_local_path_normalize (const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  g_autoptr (GString) normal = g_string_new (NULL);

  if (path[0] != '/' || strlen (path) >= PATH_MAX)
    return NULL;
  for (gsize i = 0; parts[i]; i++)
    {
      if (strcmp (parts[i], "..") == 0 || strlen (parts[i]) > NAME_MAX)
        return NULL;
      if (parts[i][0] != '\0' && strcmp (parts[i], ".") != 0)
        g_string_append_printf (normal, "/%s", parts[i]);
    }
  return g_string_free (g_steal_pointer (&normal), FALSE);
}

const char *
asb_local_path_below (const char *path, const char *prefix)
{
  gsize length = strlen (prefix);

  if (strncmp (path, prefix, length) != 0)
    return NULL;
  if (path[length] == '\0')
    return path + length;
  return path[length] == '/' ? path + length + 1 : NULL;
}

gboolean
asb_local_path_is_taken (const char *path)
{
  for (gsize i = 0; i < G_N_ELEMENTS (taken); i++)
    if (asb_local_path_below (path, taken[i]))
      return TRUE;
  return path[0] == '\0';
}

gboolean
asb_local_path_holds_ours (const char *path)
{
  for (gsize i = 0; i < G_N_ELEMENTS (parents); i++)
    if (strcmp (path, parents[i]) == 0)
      return TRUE;
  return FALSE;
}
