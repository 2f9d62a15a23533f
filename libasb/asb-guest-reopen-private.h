/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Another stream to the guest of a sandbox, from the provider of the first. */

#pragma once

#include "asb-guest-connection-private.h"
#include "asb-provider.h"

/* Fills in @reopening. @spec: what the stream was opened with. @context is where the provider is
 * asked, unless it may be asked in any thread. */
void asb_guest_reopen_init (AsbGuestReopening *reopening, AsbProvider *provider,
                            const char *sandbox_id, AsbStreamSpec *spec, GMainContext *context);
