/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* JSON of users as values for the library. Not as what the guest says is read there
 * (asb-wire-variant.c): no object stands for bytes, and an array of texts or of objects has a type
 * of its own, as a programmer would have given it. */

#pragma once

#include <gio/gio.h>

/* @what: where it comes from, for errors. Returns: (transfer full): the members of a JSON object,
 * an a{sv} */
GVariant *tool_value_parse_object (const char *text, gsize size, const char *what, GError **error);
/* Returns: (transfer full): what @text means as JSON, or @text itself where it is none */
GVariant *tool_value_parse (const char *text);
