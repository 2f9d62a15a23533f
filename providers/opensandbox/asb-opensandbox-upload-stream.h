/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The body of an upload to execd: what is said of one file, and its bytes from a stream that can be
 * polled, framed as multipart/form-data on the way. They are counted and hashed. */

#pragma once

#include <gio/gio.h>

#define ASB_TYPE_OPENSANDBOX_UPLOAD_STREAM (asb_opensandbox_upload_stream_get_type ())
G_DECLARE_FINAL_TYPE (AsbOpensandboxUploadStream, asb_opensandbox_upload_stream, ASB,
                      OPENSANDBOX_UPLOAD_STREAM, GInputStream)

/* @mode: permission bits, at least 1. @size: of @content, −1 where it is not known. */
AsbOpensandboxUploadStream *asb_opensandbox_upload_stream_new (const char *path, guint mode,
                                                               GInputStream *content, gint64 size);

/* What comes before the bytes of one file of several, with mode 0 for none, and of the @first
 * without an end of a line before it. Returns: (transfer full) */
char *asb_opensandbox_upload_stream_frame (const char *boundary, gboolean first, const char *path,
                                           guint mode);

/* The content type. Returns: (transfer full) */
char *asb_opensandbox_upload_stream_type (const char *boundary);

/* Returns: (transfer full): the content type, with the boundary */
char *asb_opensandbox_upload_stream_dup_type (AsbOpensandboxUploadStream *self);

/* Of the whole body; −1 where it is not known. */
gint64 asb_opensandbox_upload_stream_get_size (AsbOpensandboxUploadStream *self);

/* Once the end was read: how many bytes @content had, and their SHA-256. */
guint64 asb_opensandbox_upload_stream_get_total (AsbOpensandboxUploadStream *self);
const char *asb_opensandbox_upload_stream_get_hash (AsbOpensandboxUploadStream *self);
