/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib-object.h>

/* Looks at all there is to see of @object, which may be NULL. */
void fuzz_look_at (gpointer object);
