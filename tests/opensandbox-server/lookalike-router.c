/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-router.h"

#include <string.h>

static gboolean
fits (const char *pattern, char **parts)
{
  g_auto (GStrv) wanted = g_strsplit (pattern, "/", -1);
  guint i;

  for (i = 0; wanted[i] != NULL; i++)
    {
      if (strcmp (wanted[i], "*") == 0)
        return TRUE;
      if (parts[i] == NULL)
        return FALSE;
      if (strcmp (wanted[i], ":") == 0 ? parts[i][0] == '\0' : strcmp (wanted[i], parts[i]) != 0)
        return FALSE;
    }
  return parts[i] == NULL;
}

const LookalikeRoute *
lookalike_router_find (LookalikeRequest *request, const LookalikeRoute *routes, guint n_routes,
                       guint skip, char **allowed)
{
  g_autoptr (GString) methods = g_string_new (NULL);
  const LookalikeRoute *first = NULL;

  *allowed = NULL;
  for (guint i = 0; i < n_routes; i++)
    {
      if ((routes[i].newer && request->lookalike->config.old)
          || !fits (routes[i].pattern, request->segments + skip))
        continue;
      if (strcmp (routes[i].method, request->method) == 0)
        return &routes[i];
      /* Only the first function that the path would lead to is asked for its methods. */
      if (first == NULL)
        first = &routes[i];
      if (routes[i].handler != first->handler || strcmp (routes[i].pattern, first->pattern) != 0)
        continue;
      g_string_append_printf (methods, "%s%s", methods->len > 0 ? ", " : "", routes[i].method);
    }
  if (methods->len > 0)
    *allowed = g_string_free (g_steal_pointer (&methods), FALSE);
  return NULL;
}
