/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>
#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_FILE_EVENT (asb_file_event_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbFileEvent, asb_file_event, ASB, FILE_EVENT, GObject)

ASB_AVAILABLE_IN_1_0
AsbFileEventKind asb_file_event_get_kind (AsbFileEvent *self);
ASB_AVAILABLE_IN_1_0
const char *asb_file_event_get_path (AsbFileEvent *self);
ASB_AVAILABLE_IN_1_0
const char *asb_file_event_get_new_path (AsbFileEvent *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_file_event_get_is_directory (AsbFileEvent *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_file_event_get_is_closed (AsbFileEvent *self);
ASB_AVAILABLE_IN_1_0
const char *asb_file_event_get_message (AsbFileEvent *self);

G_END_DECLS
