/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-mock-provider.h"

#define ASB_TYPE_MOCK_PROCESS (asb_mock_process_get_type ())
G_DECLARE_FINAL_TYPE (AsbMockProcess, asb_mock_process, ASB, MOCK_PROCESS, GObject)

/* Starts it. @break_after: bytes after which standard output breaks off and the end becomes
 * unknown, −1 for never. Returns: (transfer full) (nullable) */
AsbMockProcess *asb_mock_process_start (AsbMockProvider *provider, AsbMockSandbox *sandbox,
                                        AsbCommandSpec *spec, gint64 break_after, GError **error);

const char *asb_mock_process_get_text (AsbMockProcess *self);

/* Ends a command that is held, as its script says. */
void asb_mock_process_finish (AsbMockProcess *self);
/* The connection is lost: nobody will ever know how it ended. */
void asb_mock_process_interrupt (AsbMockProcess *self);
