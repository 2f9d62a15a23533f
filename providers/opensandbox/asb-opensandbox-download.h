/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] The bytes of a file, on their way into a pipe, no faster than they are taken out of it. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-execd.h"

typedef struct _AsbOpensandboxDownload AsbOpensandboxDownload;

/* Once, behind the last byte, or the first thing that goes wrong; the pipe is finished with it. */
typedef void (*AsbOpensandboxDownloadDone) (const GError *error, gpointer data);

/* The first @size bytes of the regular file @path, which is one that
 * asb_opensandbox_shell_is_plain_path () likes: less is an error. */
void asb_opensandbox_download_to_pipe (AsbOpensandboxExecd *execd, const char *path, guint64 size,
                                       AsbPipe *pipe, AsbOpensandboxDownloadDone done,
                                       gpointer data);

/* Up to @length bytes (−1: all) from @offset on; less than @due is an error. Errors call it @name.
 * @opened (nullable) is
 * called when bytes begin to come, before @done unless that brings an error. */
void asb_opensandbox_download_open (AsbOpensandboxExecd *execd, const char *path, const char *name,
                                    guint64 offset, gint64 length, guint64 due, AsbPipe *pipe,
                                    void (*opened) (gpointer data), AsbOpensandboxDownloadDone done,
                                    gpointer data);
