/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Answers of tasks that the core made: it wants objects, bytes and variants in a GValue. */

#pragma once

#include <gio/gio.h>

/* Take what they answer with. */
void asb_opensandbox_answer_object (GTask *task, gpointer object);
void asb_opensandbox_answer_bytes (GTask *task, GBytes *bytes);
void asb_opensandbox_answer_variant (GTask *task, GVariant *variant);
