/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] Writing a file, from bytes, from a stream, or by an edit. */

#pragma once

#include "asb-opensandbox-native-call.h"

void asb_opensandbox_native_write_file (GTask *task);
void asb_opensandbox_native_open_write (GTask *task);

/* The caller's thread. */
void asb_opensandbox_native_edit_file (AsbTransport *transport, AsbFileEdit *edit, GTask *task);
