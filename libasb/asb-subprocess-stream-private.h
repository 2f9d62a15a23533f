/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-program-watch-private.h"
#include "asb-subprocess-stream.h"

/* Returns: (transfer none): who knows how the program ended */
AsbProgramWatch *asb_subprocess_stream_get_watch (AsbSubprocessStream *self);
