/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Members of the dictionaries applications give, which scripting languages write with whatever
 * integer type comes first. All leave *@value as it is when there is no such member, and fail with
 * %ASB_ERROR_INVALID_ARGUMENT when it has another type. */

#pragma once

#include <gio/gio.h>

gboolean asb_mock_variant_get_string (GVariant *dict, const char *key, char **value,
                                      GError **error);
gboolean asb_mock_variant_get_integer (GVariant *dict, const char *key, gint64 minimum,
                                       gint64 maximum, gint64 *value, GError **error);
gboolean asb_mock_variant_get_boolean (GVariant *dict, const char *key, gboolean *value,
                                       GError **error);
/* A string or an “ay”. */
gboolean asb_mock_variant_get_bytes (GVariant *dict, const char *key, GBytes **value,
                                     GError **error);

/* Whether all members are among @known, a list that ends with NULL. */
gboolean asb_mock_variant_check_keys (GVariant *dict, const char *const *known, GError **error);
