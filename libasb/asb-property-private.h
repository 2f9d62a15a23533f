/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the setters of plain properties share. Each of the functions puts a copy of @value, or a
 * reference, in *@field and tells whether that changed it. */

#pragma once

#include <gio/gio.h>

#define ASB_PARAM_READWRITE (G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS)
#define ASB_PARAM_CONSTRUCT_ONLY                                                                   \
  (G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS)
#define ASB_PARAM_READABLE (G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS)

gboolean asb_property_replace_string (char **field, const char *value);
gboolean asb_property_replace_strv (char ***field, const char *const *value);
gboolean asb_property_replace_bytes (GBytes **field, GBytes *value);
gboolean asb_property_replace_map (GHashTable **field, GHashTable *value);
gboolean asb_property_replace_variant (GVariant **field, GVariant *value);
/* Puts the items of @value (may be NULL), which must be of the type of those of @list, there. */
gboolean asb_property_replace_items (GListStore *list, GListModel *value);

/* Gives @to all that @from, of the same class, has. */
void asb_property_copy_all (gpointer from, gpointer to);
