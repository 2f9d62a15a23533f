/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] One file that is written: a place is made beside it, the bytes are uploaded there, and it is
 * moved into place if all is as it should be. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-execd.h"

typedef struct _AsbOpensandboxWriting AsbOpensandboxWriting;

typedef struct
{
  const char *path;
  const char *expected_hash; /* NULL: any */
  int mode;                  /* −1: as it was, 0644 for a new file */
  AsbFileFlags flags;
  guint64 n_replaced; /* for what is told of it */
} AsbOpensandboxWritingRules;

/* The place is there, or @error. */
typedef void (*AsbOpensandboxWritingReady) (AsbOpensandboxWriting *writing, const GError *error,
                                            gpointer data);

/* The file is there (@info), or not. The writing is gone afterwards. */
typedef void (*AsbOpensandboxWritingDone) (AsbFileInfo *info, const GError *error, gpointer data);

/* @callback is called once; after an error there is no writing any more. */
void asb_opensandbox_writing_prepare (AsbOpensandboxExecd *execd,
                                      const AsbOpensandboxWritingRules *rules,
                                      AsbOpensandboxWritingReady callback, gpointer data);

/* Uploads what @content has and puts it in place. @size: −1 where it is not known. When @pipe, the
 * other end of @content, is aborted meanwhile, nothing happens to the file. */
void asb_opensandbox_writing_upload (AsbOpensandboxWriting *self, GInputStream *content,
                                     gint64 size, AsbPipe *pipe, AsbOpensandboxWritingDone callback,
                                     gpointer data);
