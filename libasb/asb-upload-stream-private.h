/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files of an upload as a tar, made while it is read. What it says of a file is what was found
 * when it was looked at: one that is another by now ends it, or is left out before it begins. */

#pragma once

#include "asb-upload-scan-private.h"

#define ASB_TYPE_UPLOAD_STREAM (asb_upload_stream_get_type ())

G_DECLARE_FINAL_TYPE (AsbUploadStream, asb_upload_stream, ASB, UPLOAD_STREAM, GInputStream)

/* @scan and @sent must outlive it, and @scan is not to be changed meanwhile. @name: (nullable): how
 * the only file is called; @skips_failed: files that fail before they begin are left out. @sent is
 * filled in.
 */
GInputStream *asb_upload_stream_new (const AsbUploadScan *scan, const char *name,
                                     gboolean skips_failed, AsbUploadSent *sent);
