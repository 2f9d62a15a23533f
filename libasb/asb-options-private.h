/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Objects made from options by name, as programs, key files and scripts give them. */

#pragma once

#include <gio/gio.h>

/* Makes an object of @type, whose properties are @options (an a{sv}, or NULL; “_” and “-” are the
 * same). An option that is no writable property, or whose value does not fit, is refused by name.
 * @owner says in messages whose options they are, as in “provider “local””. If the type is
 * GInitable it is initialised, without blocking work. Returns: (transfer full) (nullable) */
gpointer asb_options_new_object (GType type, const char *owner, GVariant *options, GError **error);
