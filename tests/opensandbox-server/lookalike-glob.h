/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* One name against "*", "?", "[…]", "{a,b}"; "**" is "*" in a name. */
gboolean lookalike_glob_matches (const char *pattern, const char *name);
gboolean lookalike_glob_is_valid (const char *pattern);

G_END_DECLS
