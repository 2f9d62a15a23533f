/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-closure-private.h"

AsbClosure *
asb_closure_ref (AsbClosure *closure)
{
  g_atomic_ref_count_inc (&closure->references);
  return closure;
}

void
asb_closure_unref (AsbClosure *closure)
{
  if (!g_atomic_ref_count_dec (&closure->references))
    return;
  if (closure->destroy)
    closure->destroy (closure->user_data);
  g_free (closure);
}

void
asb_closure_replace (AsbClosure **field, GCallback function, gpointer user_data,
                     GDestroyNotify destroy)
{
  g_clear_pointer (field, asb_closure_unref);
  if (!function)
    {
      if (destroy)
        destroy (user_data);
      return;
    }
  *field = g_new0 (AsbClosure, 1);
  g_atomic_ref_count_init (&(*field)->references);
  (*field)->function = function;
  (*field)->user_data = user_data;
  (*field)->destroy = destroy;
}
