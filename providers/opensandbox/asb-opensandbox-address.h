/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The address of a port, for programs. */

#pragma once

#include "asb-opensandbox-call.h"

/* [io] call: sandbox_id, port, number (seconds since 1970 until when it is signed; 0: not signed).
 * Answered with an AsbEndpoint. */
void asb_opensandbox_address_get (GTask *task);
