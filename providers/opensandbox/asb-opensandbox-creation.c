/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-creation.h"

AsbOpensandboxCreation *
asb_opensandbox_creation_new (void)
{
  AsbOpensandboxCreation *self = g_new0 (AsbOpensandboxCreation, 1);

  g_ref_count_init (&self->references);
  self->waiting = g_ptr_array_new_with_free_func (g_object_unref);
  return self;
}

AsbOpensandboxCreation *
asb_opensandbox_creation_ref (AsbOpensandboxCreation *self)
{
  g_ref_count_inc (&self->references);
  return self;
}

void
asb_opensandbox_creation_unref (AsbOpensandboxCreation *self)
{
  if (!g_ref_count_dec (&self->references))
    return;
  g_clear_pointer (&self->waiting, g_ptr_array_unref);
  g_free (self->sandbox_id);
  g_free (self->instance_id);
  g_free (self);
}
