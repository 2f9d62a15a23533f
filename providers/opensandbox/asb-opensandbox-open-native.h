/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The provider's own transport into a sandbox. */

#pragma once

#include "asb-opensandbox-call.h"

/* [io] */
void asb_opensandbox_open_native (GTask *task);
