/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>
#include "asb-enums.h"
#include "asb-file-event.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_FILE_WATCH (asb_file_watch_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbFileWatch, asb_file_watch, ASB, FILE_WATCH, GObject)

ASB_AVAILABLE_IN_1_0
const char *asb_file_watch_get_path (AsbFileWatch *self);
ASB_AVAILABLE_IN_1_0
AsbFileWatchState asb_file_watch_get_state (AsbFileWatch *self);
ASB_AVAILABLE_IN_1_0
GError *asb_file_watch_dup_error (AsbFileWatch *self) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
void asb_file_watch_close (AsbFileWatch *self);

G_END_DECLS
