/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <glib.h>

#include "asb-version.h"

G_BEGIN_DECLS

ASB_AVAILABLE_IN_1_0
char *asb_uuid_v7_new (void) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
