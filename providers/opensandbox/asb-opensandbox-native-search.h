/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Searches of the native transport. The caller's thread. */

#pragma once

#include <asb.h>

void asb_opensandbox_native_find_files (AsbTransport *transport, AsbFileSearch *search,
                                        GTask *task);
void asb_opensandbox_native_search_text (AsbTransport *transport, AsbFileSearch *search,
                                         GTask *task);
