/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A function of the application with its data, held by several objects. */

#pragma once

#include <glib-object.h>

typedef struct
{
  gatomicrefcount references;
  GCallback function;
  gpointer user_data;
  GDestroyNotify destroy;
} AsbClosure;

AsbClosure *asb_closure_ref (AsbClosure *closure);
void asb_closure_unref (AsbClosure *closure);

/* Puts a new closure in *@field, or NULL for no @function. */
void asb_closure_replace (AsbClosure **field, GCallback function, gpointer user_data,
                          GDestroyNotify destroy);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbClosure, asb_closure_unref)
