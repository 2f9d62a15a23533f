/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_SUBPROCESS_STREAM (asb_subprocess_stream_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbSubprocessStream, asb_subprocess_stream, ASB, SUBPROCESS_STREAM, GIOStream)

ASB_AVAILABLE_IN_1_0
GIOStream *asb_subprocess_stream_new (const char *const *wrapper, const char *const *argv,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
GSubprocess *asb_subprocess_stream_get_subprocess (AsbSubprocessStream *self);

G_END_DECLS
