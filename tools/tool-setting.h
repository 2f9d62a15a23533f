/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NAME=VALUE, as options for a provider. */

#pragma once

#include <gio/gio.h>

/* @option: what it was given with, for the error. */
gboolean tool_setting_add (GVariantDict *settings, const char *option, const char *text,
                           GError **error);

/* Whether @text is NAME=VALUE with a NAME. @option and @example are for the error. */
gboolean tool_setting_split (const char *text, const char *option, const char *example, char **name,
                             const char **value, GError **error);
/* Returns: (transfer full): names and values of @texts, each NAME=VALUE */
GHashTable *tool_setting_new_table (GPtrArray *texts, const char *option, const char *example,
                                    GError **error);
