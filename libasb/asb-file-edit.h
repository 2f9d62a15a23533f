/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-operation.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_FILE_EDIT (asb_file_edit_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbFileEdit, asb_file_edit, ASB, FILE_EDIT, GObject)

ASB_AVAILABLE_IN_1_0
AsbFileEdit *asb_file_edit_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *asb_file_edit_get_path (AsbFileEdit *self);
ASB_AVAILABLE_IN_1_0
void asb_file_edit_set_path (AsbFileEdit *self, const char *path);
ASB_AVAILABLE_IN_1_0
const char *asb_file_edit_get_old_text (AsbFileEdit *self);
ASB_AVAILABLE_IN_1_0
void asb_file_edit_set_old_text (AsbFileEdit *self, const char *old_text);
ASB_AVAILABLE_IN_1_0
const char *asb_file_edit_get_new_text (AsbFileEdit *self);
ASB_AVAILABLE_IN_1_0
void asb_file_edit_set_new_text (AsbFileEdit *self, const char *new_text);
ASB_AVAILABLE_IN_1_0
gboolean asb_file_edit_get_replace_all (AsbFileEdit *self);
ASB_AVAILABLE_IN_1_0
void asb_file_edit_set_replace_all (AsbFileEdit *self, gboolean replace_all);
ASB_AVAILABLE_IN_1_0
guint asb_file_edit_get_expected_count (AsbFileEdit *self);
ASB_AVAILABLE_IN_1_0
void asb_file_edit_set_expected_count (AsbFileEdit *self, guint expected_count);
ASB_AVAILABLE_IN_1_0
const char *asb_file_edit_get_expected_hash (AsbFileEdit *self);
ASB_AVAILABLE_IN_1_0
void asb_file_edit_set_expected_hash (AsbFileEdit *self, const char *expected_hash);
ASB_AVAILABLE_IN_1_0
AsbOperation *asb_file_edit_get_operation (AsbFileEdit *self);
ASB_AVAILABLE_IN_1_0
void asb_file_edit_set_operation (AsbFileEdit *self, AsbOperation *operation);

G_END_DECLS
