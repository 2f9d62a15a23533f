/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-visit.h"

AsbOpensandboxVisit *
asb_opensandbox_visit_new (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                           AsbStreamSpec *spec)
{
  AsbOpensandboxVisit *self = g_new0 (AsbOpensandboxVisit, 1);
  const char *const *argv = asb_stream_spec_get_argv (spec);

  self->lifecycle = g_object_ref (lifecycle);
  self->sandbox_id = g_strdup (sandbox_id);
  self->spec = g_object_ref (spec);
  self->argv = argv ? g_strdupv ((char **)argv) : g_new0 (char *, 1);
  self->token = g_strdup (asb_stream_spec_get_token (spec));
  if (asb_stream_spec_get_program (spec))
    self->program = g_bytes_ref (asb_stream_spec_get_program (spec));
  return self;
}

void
asb_opensandbox_visit_free (AsbOpensandboxVisit *self)
{
  g_clear_pointer (&self->site, asb_opensandbox_site_unref);
  g_clear_pointer (&self->endpoint, asb_opensandbox_endpoint_unref);
  g_clear_object (&self->execd);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->spec);
  g_clear_object (&self->lifecycle);
  g_strfreev (self->argv);
  g_free (self->no_websocket);
  g_free (self->sandbox_id);
  g_free (self->token);
  g_free (self->place);
  g_clear_pointer (&self->program, g_bytes_unref);
  g_free (self);
}

gboolean
asb_opensandbox_visit_is_to_guest (AsbOpensandboxVisit *self)
{
  g_autofree char *name = self->argv[0] ? g_path_get_basename (self->argv[0]) : NULL;

  return name && self->token && g_str_has_prefix (name, "asb-guest") && self->argv[0][0] == '/'
         && g_strcmp0 (self->argv[1], "connect") == 0 && !self->argv[2];
}
