/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Answers of tasks that the core made: it wants objects, bytes and variants in a GValue. */

#pragma once

#include <asb.h>

/* Take what they answer with. */
void asb_opensandbox_answer_object (GTask *task, gpointer object);
void asb_opensandbox_answer_bytes (GTask *task, GBytes *bytes);
void asb_opensandbox_answer_variant (GTask *task, GVariant *variant);

/* What asb_opensandbox_writing_upload () calls, with the task as @data, whose reference it takes.
 */
void asb_opensandbox_answer_written (AsbFileInfo *info, const GError *error, gpointer data);
