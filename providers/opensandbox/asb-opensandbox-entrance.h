/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* open_stream: which way leads into a sandbox. The settings may say; otherwise the best that is
 * open, and the stream's specification is told which, and why no better one. */

#pragma once

#include "asb-opensandbox-lifecycle.h"

/* The caller's thread. */
void asb_opensandbox_entrance_open_stream (AsbOpensandboxLifecycle *lifecycle,
                                           const char *sandbox_id, AsbStreamSpec *spec,
                                           GTask *task);
