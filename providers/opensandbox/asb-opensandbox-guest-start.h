/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] Has the guest listen in the sandbox, starting it if it does not run yet. */

#pragma once

#include "asb-opensandbox-guest-script.h"
#include "asb-opensandbox-visit.h"

/* The site learns where it listens. ASB_ERROR_COMMAND_NOT_FOUND: it is not there, and the visit
 * learns where there is a place for it; ASB_ERROR_GUEST_UNAVAILABLE: it cannot run. @arrival
 * (nullable) is put there before. */
void asb_opensandbox_guest_start_async (AsbOpensandboxVisit *visit,
                                        const AsbOpensandboxArrival *arrival,
                                        GAsyncReadyCallback callback, gpointer user_data);
gboolean asb_opensandbox_guest_start_finish (GAsyncResult *result, GError **error);
