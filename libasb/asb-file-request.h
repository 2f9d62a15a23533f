/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-operation.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_FILE_REQUEST (asb_file_request_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbFileRequest, asb_file_request, ASB, FILE_REQUEST, GObject)

ASB_AVAILABLE_IN_1_0
AsbFileRequest *asb_file_request_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *asb_file_request_get_path (AsbFileRequest *self);
ASB_AVAILABLE_IN_1_0
void asb_file_request_set_path (AsbFileRequest *self, const char *path);
ASB_AVAILABLE_IN_1_0
const char *asb_file_request_get_new_path (AsbFileRequest *self);
ASB_AVAILABLE_IN_1_0
void asb_file_request_set_new_path (AsbFileRequest *self, const char *new_path);
ASB_AVAILABLE_IN_1_0
GBytes *asb_file_request_get_contents (AsbFileRequest *self);
ASB_AVAILABLE_IN_1_0
void asb_file_request_set_contents (AsbFileRequest *self, GBytes *contents);
ASB_AVAILABLE_IN_1_0
const char *asb_file_request_get_expected_hash (AsbFileRequest *self);
ASB_AVAILABLE_IN_1_0
void asb_file_request_set_expected_hash (AsbFileRequest *self, const char *expected_hash);
ASB_AVAILABLE_IN_1_0
int asb_file_request_get_mode (AsbFileRequest *self);
ASB_AVAILABLE_IN_1_0
void asb_file_request_set_mode (AsbFileRequest *self, int mode);
ASB_AVAILABLE_IN_1_0
guint64 asb_file_request_get_offset (AsbFileRequest *self);
ASB_AVAILABLE_IN_1_0
void asb_file_request_set_offset (AsbFileRequest *self, guint64 offset);
ASB_AVAILABLE_IN_1_0
gint64 asb_file_request_get_length (AsbFileRequest *self);
ASB_AVAILABLE_IN_1_0
void asb_file_request_set_length (AsbFileRequest *self, gint64 length);
ASB_AVAILABLE_IN_1_0
gint64 asb_file_request_get_uid (AsbFileRequest *self);
ASB_AVAILABLE_IN_1_0
void asb_file_request_set_uid (AsbFileRequest *self, gint64 uid);
ASB_AVAILABLE_IN_1_0
gint64 asb_file_request_get_gid (AsbFileRequest *self);
ASB_AVAILABLE_IN_1_0
void asb_file_request_set_gid (AsbFileRequest *self, gint64 gid);
ASB_AVAILABLE_IN_1_0
AsbFileFlags asb_file_request_get_flags (AsbFileRequest *self);
ASB_AVAILABLE_IN_1_0
void asb_file_request_set_flags (AsbFileRequest *self, AsbFileFlags flags);
ASB_AVAILABLE_IN_1_0
AsbOperation *asb_file_request_get_operation (AsbFileRequest *self);
ASB_AVAILABLE_IN_1_0
void asb_file_request_set_operation (AsbFileRequest *self, AsbOperation *operation);
ASB_AVAILABLE_IN_1_0
AsbFileRequest *asb_file_request_new_for_path (const char *path) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
