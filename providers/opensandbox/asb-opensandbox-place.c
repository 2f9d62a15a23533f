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

gboolean
asb_opensandbox_place_take (AsbOpensandboxPlace *self, char **lines, const char *verb,
                            const char *shown, GError **error)
{
  g_autoptr (GBytes) target = NULL;

  if (!lines[0])
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "The sandbox did not say where to %s “%s”",
                   verb, shown);
      return FALSE;
    }
  target = asb_opensandbox_script_decode (lines, 1, NULL, error);
  if (!target)
    return FALSE;
  self->by_link = strcmp (lines[0], "link") == 0;
  self->target = g_strndup (g_bytes_get_data (target, NULL), g_bytes_get_size (target));
  return TRUE;
}

char *
asb_opensandbox_place_dup_remote (const AsbOpensandboxPlace *self, const char *directory)
{
  return self->by_link ? g_strdup_printf ("/tmp/.asb-%s/d", self->token) : g_strdup (directory);
}
