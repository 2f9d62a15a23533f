/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-mock-faults.h"
#include "asb-mock-sandbox.h"
#include "asb-mock-script.h"
#include "asb-mock-services.h"

#define ASB_TYPE_MOCK_PROVIDER (asb_mock_provider_get_type ())
G_DECLARE_FINAL_TYPE (AsbMockProvider, asb_mock_provider, ASB, MOCK_PROVIDER, GObject)

AsbMockServices *asb_mock_provider_get_services (AsbMockProvider *self);
/* Returns: (transfer full) (nullable) */
AsbMockSandbox *asb_mock_provider_find_sandbox (AsbMockProvider *self, const char *sandbox_id,
                                                GError **error);

AsbMockFaults *asb_mock_provider_get_faults (AsbMockProvider *self);

/* Returns: (transfer full): what a command does */
AsbMockScript *asb_mock_provider_find_script (AsbMockProvider *self, const char *text,
                                              const char *cwd);

/* Counts the transports that are open. */
void asb_mock_provider_transport_opened (AsbMockProvider *self);
void asb_mock_provider_transport_closed (AsbMockProvider *self);

/* Calls that are held back. @call is an AsbMockCall and taken. */
void asb_mock_provider_hold (AsbMockProvider *self, gpointer call);

/* Tells the application of a call. */
void asb_mock_provider_emit_called (AsbMockProvider *self, const char *operation,
                                    const char *sandbox_id);
