/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <glib-object.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_RESOURCE_LIMITS (asb_resource_limits_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbResourceLimits, asb_resource_limits, ASB, RESOURCE_LIMITS, GObject)

ASB_AVAILABLE_IN_1_0
AsbResourceLimits *asb_resource_limits_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
guint64 asb_resource_limits_get_cpu_seconds (AsbResourceLimits *self);
ASB_AVAILABLE_IN_1_0
void asb_resource_limits_set_cpu_seconds (AsbResourceLimits *self, guint64 cpu_seconds);
ASB_AVAILABLE_IN_1_0
guint64 asb_resource_limits_get_memory_bytes (AsbResourceLimits *self);
ASB_AVAILABLE_IN_1_0
void asb_resource_limits_set_memory_bytes (AsbResourceLimits *self, guint64 memory_bytes);
ASB_AVAILABLE_IN_1_0
guint64 asb_resource_limits_get_file_size_bytes (AsbResourceLimits *self);
ASB_AVAILABLE_IN_1_0
void asb_resource_limits_set_file_size_bytes (AsbResourceLimits *self, guint64 file_size_bytes);
ASB_AVAILABLE_IN_1_0
guint64 asb_resource_limits_get_open_files (AsbResourceLimits *self);
ASB_AVAILABLE_IN_1_0
void asb_resource_limits_set_open_files (AsbResourceLimits *self, guint64 open_files);
ASB_AVAILABLE_IN_1_0
guint64 asb_resource_limits_get_processes (AsbResourceLimits *self);
ASB_AVAILABLE_IN_1_0
void asb_resource_limits_set_processes (AsbResourceLimits *self, guint64 processes);

G_END_DECLS
