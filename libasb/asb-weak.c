/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-weak-private.h"

GWeakRef *
asb_weak_new (gpointer object)
{
  GWeakRef *self = g_new (GWeakRef, 1);

  g_weak_ref_init (self, object);
  return self;
}

void
asb_weak_free (gpointer weak)
{
  g_weak_ref_clear (weak);
  g_free (weak);
}
