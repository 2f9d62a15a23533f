/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-mock-provider.h"

#define ASB_TYPE_MOCK_TRANSPORT (asb_mock_transport_get_type ())
G_DECLARE_FINAL_TYPE (AsbMockTransport, asb_mock_transport, ASB, MOCK_TRANSPORT, GObject)

AsbMockTransport *asb_mock_transport_new (AsbMockProvider *provider, AsbMockSandbox *sandbox);

/* What the mock can do inside a sandbox. Returns: (transfer full) */
AsbCapabilities *asb_mock_transport_list_capabilities (void);
