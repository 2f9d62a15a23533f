/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A stream that is as long as was announced: a shorter one is an error, since the server would wait
 * for the rest, and of a longer one the rest is left out. */

#pragma once

#include <gio/gio.h>

#define ASB_TYPE_OPENSANDBOX_MEASURED (asb_opensandbox_measured_get_type ())
G_DECLARE_FINAL_TYPE (AsbOpensandboxMeasured, asb_opensandbox_measured, ASB, OPENSANDBOX_MEASURED,
                      GFilterInputStream)

GInputStream *asb_opensandbox_measured_new (GInputStream *stream, guint64 size);
