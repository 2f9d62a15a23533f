/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads a stream to its end, piece by piece, in the thread-default main context. */

#pragma once

#include <gio/gio.h>

#include "asb-enums.h"

typedef struct
{
  void (*data) (gpointer user_data, AsbOutputStream which, GBytes *bytes);
  /* Whole characters only. Not called, and nothing decoded, while this says nobody listens. */
  gboolean (*wants_text) (gpointer user_data, AsbOutputStream which);
  void (*text) (gpointer user_data, AsbOutputStream which, const char *text);
  /* Once, after everything else. */
  void (*end) (gpointer user_data, AsbOutputStream which);
} AsbOutputPumpFuncs;

void asb_output_pump_start (GInputStream *stream, AsbOutputStream which,
                            const AsbOutputPumpFuncs *funcs, gpointer user_data);
