/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether there is a server, of which version, and whether it takes the key. */

#pragma once

#include "asb-opensandbox-call.h"

/* [io] Answered with the findings, an aa{sv}. */
void asb_opensandbox_doctor_visit (GTask *task);
