/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The thread that reads an archive on its way into a sandbox: it looks at each member as the guest
 * would, and uploads the files while they come. Nothing is unpacked by that; the lists it leaves
 * there say how to. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-shipment.h"

typedef struct _AsbOpensandboxUnpacker AsbOpensandboxUnpacker;

/* What an archive may hold; 0 for what is usual. */
typedef struct
{
  guint64 members;
  guint64 bytes;
  guint64 file_bytes;
  guint64 ratio;
} AsbOpensandboxBounds;

/* Where it goes. */
typedef struct
{
  const char *path;     /* the folder, for messages */
  const char *staging;  /* as execd is told, with the folders “t” … */
  const char *token;    /* … which is called “.asb-TOKEN”, and “f” in it */
  gboolean is_new;      /* whether the folder comes to be */
  GCancellable *closed; /* cancelled with the transport */
} AsbOpensandboxUnpackerPlace;

/* [io] when the thread is through; @error (nullable) says why not all is there. */
typedef void (*AsbOpensandboxUnpackerDone) (const GError *error, gpointer data);

/* [io] @pipe: the archive. @execd is used until it is done. */
AsbOpensandboxUnpacker *asb_opensandbox_unpacker_start (AsbOpensandboxExecd *execd, AsbPipe *pipe,
                                                        const AsbOpensandboxUnpackerPlace *place,
                                                        const AsbOpensandboxBounds *bounds,
                                                        AsbOpensandboxUnpackerDone done,
                                                        gpointer data);

/* Once it is done. */
void asb_opensandbox_unpacker_free (AsbOpensandboxUnpacker *self);

/* Once it is done well: what there is, of which so many took somebody's place or were left out.
 * Returns: (transfer full) */
AsbArchiveResult *asb_opensandbox_unpacker_new_result (AsbOpensandboxUnpacker *self,
                                                       guint64 n_replaced, guint64 n_skipped);

/* The name of what the lists call @number; NULL if nothing is. */
const char *asb_opensandbox_unpacker_get_name (AsbOpensandboxUnpacker *self, guint64 number);
