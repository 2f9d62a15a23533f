/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* User data of callbacks that do not keep their object: g_weak_ref_get () says whether it is there
 * yet. */

#pragma once

#include <glib-object.h>

/* Returns: (transfer full) */
GWeakRef *asb_weak_new (gpointer object);

/* A GDestroyNotify. */
void asb_weak_free (gpointer weak);
