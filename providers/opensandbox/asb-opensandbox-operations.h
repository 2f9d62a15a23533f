/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The functions of the provider that are about sandboxes as a whole. */

#pragma once

#include <asb.h>

void asb_opensandbox_operations_install (AsbProviderInterface *iface);
