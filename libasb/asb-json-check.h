/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <glib.h>

#include "asb-version.h"

G_BEGIN_DECLS

/**
 * ASB_JSON_MAX_DEPTH:
 *
 * How deeply arrays and objects may be nested in what asb_json_check() accepts.
 *
 * Since: 1.0
 */
#define ASB_JSON_MAX_DEPTH 64

ASB_AVAILABLE_IN_1_0
gboolean asb_json_check (const char *data, gssize size, GError **error);

G_END_DECLS
