/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-place.h"

#include <asb.h>
#include <string.h>

#include "asb-opensandbox-script.h"
#include "asb-opensandbox-shell.h"

void
asb_opensandbox_place_begin (AsbOpensandboxPlace *self)
{
  asb_opensandbox_place_clear (self);
  self->token = asb_opensandbox_shell_new_token ();
}

void
asb_opensandbox_place_clear (AsbOpensandboxPlace *self)
{
  g_clear_pointer (&self->token, g_free);
  g_clear_pointer (&self->target, g_free);
}

static gboolean
is_absolute (GBytes *path)
{
  gsize size;
  const char *bytes = g_bytes_get_data (path, &size);

  return size > 0 && bytes[0] == '/' && !memchr (bytes, '\0', size);
}

gboolean
asb_opensandbox_place_take (AsbOpensandboxPlace *self, char **lines, const char *verb,
                            const char *shown, GError **error)
{
  g_autoptr (GBytes) target = NULL;

  target = lines[0] ? asb_opensandbox_script_decode (lines, 1, NULL, error) : NULL;
  if (lines[0] && !target)
    return FALSE;
  if (!target || !is_absolute (target))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "The sandbox did not say where to %s “%s”",
                   verb, shown);
      return FALSE;
    }
  self->by_link = strcmp (lines[0], "link") == 0;
  self->target = g_strndup (g_bytes_get_data (target, NULL), g_bytes_get_size (target));
  return TRUE;
}

char *
asb_opensandbox_place_dup_remote (const AsbOpensandboxPlace *self, const char *directory)
{
  return self->by_link ? g_strdup_printf ("/tmp/.asb-%s/d", self->token) : g_strdup (directory);
}
