/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file operations of the native transport. */

#pragma once

#include <asb.h>

void asb_opensandbox_native_files_init (AsbTransportInterface *iface);
