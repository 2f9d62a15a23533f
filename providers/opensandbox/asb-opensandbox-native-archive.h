/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Archives through execd: what the guest would do in the sandbox is done here, and the files
 * travel by uploads. */

#pragma once

#include <asb.h>

void asb_opensandbox_native_open_archive (AsbTransport *transport, AsbArchiveOptions *options,
                                          GTask *task);
void asb_opensandbox_native_extract_archive (AsbTransport *transport, AsbArchiveOptions *options,
                                             GTask *task);
