/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] One archive that is unpacked in a sandbox by a shell: a place is made beside where it goes,
 * the files are uploaded there while the archive comes, and all of it is put in place. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-execd.h"
#include "asb-opensandbox-unpacker.h"

typedef struct _AsbOpensandboxUnpacking AsbOpensandboxUnpacking;

typedef struct
{
  const char *path;
  AsbArchiveConflict conflict;
  AsbOpensandboxBounds bounds;
} AsbOpensandboxUnpackingRules;

/* The place is there, or @error. */
typedef void (*AsbOpensandboxUnpackingReady) (AsbOpensandboxUnpacking *unpacking,
                                              const GError *error, gpointer data);

/* It is unpacked (@result), or not. The unpacking is gone afterwards. */
typedef void (*AsbOpensandboxUnpackingDone) (AsbArchiveResult *result, const GError *error,
                                             gpointer data);

/* @callback is called once; after an error there is no unpacking any more. */
void asb_opensandbox_unpacking_prepare (AsbOpensandboxExecd *execd,
                                        const AsbOpensandboxUnpackingRules *rules,
                                        AsbOpensandboxUnpackingReady callback, gpointer data);

/* Unpacks what is written to @pipe. When that is aborted meanwhile, nothing happens. */
void asb_opensandbox_unpacking_run (AsbOpensandboxUnpacking *self, AsbPipe *pipe,
                                    AsbOpensandboxUnpackingDone callback, gpointer data);
