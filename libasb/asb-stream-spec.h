/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_STREAM_SPEC (asb_stream_spec_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbStreamSpec, asb_stream_spec, ASB, STREAM_SPEC, GObject)

ASB_AVAILABLE_IN_1_0
AsbStreamSpec *asb_stream_spec_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *const *asb_stream_spec_get_argv (AsbStreamSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_stream_spec_set_argv (AsbStreamSpec *self, const char *const *argv);
ASB_AVAILABLE_IN_1_0
GBytes *asb_stream_spec_get_program (AsbStreamSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_stream_spec_set_program (AsbStreamSpec *self, GBytes *program);
ASB_AVAILABLE_IN_1_0
gboolean asb_stream_spec_get_record_only (AsbStreamSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_stream_spec_set_record_only (AsbStreamSpec *self, gboolean record_only);
ASB_AVAILABLE_IN_1_0
const char *asb_stream_spec_get_token (AsbStreamSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_stream_spec_set_token (AsbStreamSpec *self, const char *token);
ASB_AVAILABLE_IN_1_0
const char *asb_stream_spec_get_way (AsbStreamSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_stream_spec_set_way (AsbStreamSpec *self, const char *way);
ASB_AVAILABLE_IN_1_0
const char *asb_stream_spec_get_way_reason (AsbStreamSpec *self);
ASB_AVAILABLE_IN_1_0
void asb_stream_spec_set_way_reason (AsbStreamSpec *self, const char *way_reason);

G_END_DECLS
