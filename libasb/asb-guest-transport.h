/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include "asb-transport.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_GUEST_TRANSPORT (asb_guest_transport_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbGuestTransport, asb_guest_transport, ASB, GUEST_TRANSPORT, GObject)

ASB_AVAILABLE_IN_1_0
AsbGuestTransport *asb_guest_transport_new (GIOStream *stream, const char *token,
                                            GCancellable *cancellable,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
void asb_guest_transport_new_async (GIOStream *stream, const char *token, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbGuestTransport *asb_guest_transport_new_finish (GAsyncResult *result,
                                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

ASB_AVAILABLE_IN_1_0
const char *asb_guest_transport_get_boot_id (AsbGuestTransport *self);
ASB_AVAILABLE_IN_1_0
const char *asb_guest_transport_get_arch (AsbGuestTransport *self);
ASB_AVAILABLE_IN_1_0
const char *asb_guest_transport_get_version (AsbGuestTransport *self);

G_END_DECLS
