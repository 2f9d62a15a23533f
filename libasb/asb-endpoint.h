/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_ENDPOINT (asb_endpoint_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbEndpoint, asb_endpoint, ASB, ENDPOINT, GObject)

ASB_AVAILABLE_IN_1_0
AsbEndpoint *asb_endpoint_new (guint port, const char *uri,
                               GHashTable *headers) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
guint asb_endpoint_get_port (AsbEndpoint *self);
ASB_AVAILABLE_IN_1_0
const char *asb_endpoint_get_uri (AsbEndpoint *self);
ASB_AVAILABLE_IN_1_0
GHashTable *asb_endpoint_get_headers (AsbEndpoint *self);

G_END_DECLS
