/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The thread that reads what a tar of the sandbox packed, and packs it as the guest would have:
 * under clean names, without owners, and without what may not be in it. */

#pragma once

#include <asb.h>

/* Of what is left out so much is told, all is counted. */
#define ASB_OPENSANDBOX_PACKER_MAX_ERRORS 64

typedef struct _AsbOpensandboxPacker AsbOpensandboxPacker;

typedef struct
{
  const char *path; /* of the folder, for messages */
  gboolean gzip;
  guint64 members; /* 0: no bound, as below */
  guint64 bytes;
  guint64 file_bytes;
  GCancellable *closed; /* cancelled with the transport */
  GPtrArray *errors;    /* char *, of what tar left out already */
  guint64 n_errors;
} AsbOpensandboxPackerRules;

/* Reads the tar from @from, to its end or until nobody takes from @to any more. Then @stream, which
 * takes from it and may be gone, has the result in its data, and the packer is gone. */
void asb_opensandbox_packer_start (const AsbOpensandboxPackerRules *rules, AsbPipe *from,
                                   AsbPipe *to, GInputStream *stream);
