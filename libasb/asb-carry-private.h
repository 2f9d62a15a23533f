/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that a stream gives, carried to another one whose closing puts it in place: all of it, or
 * nothing. */

#pragma once

#include <gio/gio.h>

/* Either may be NULL. */
typedef struct
{
  /* Is shown each piece before it goes on. */
  void (*look) (gpointer data, gconstpointer bytes, gsize size);
  /* Whether it may be put in place when it has come to an end; @error otherwise. */
  gboolean (*check) (gpointer data, GError **error);
} AsbCarryFuncs;

/* @output: (nullable): what is read is only looked at. @data is to live until it is done. */
void asb_carry_async (GInputStream *input, GOutputStream *output, const AsbCarryFuncs *funcs,
                      gpointer data, GCancellable *cancellable, GAsyncReadyCallback callback,
                      gpointer user_data);
gboolean asb_carry_finish (GAsyncResult *result, GError **error);
