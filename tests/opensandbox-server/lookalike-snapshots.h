/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

typedef struct
{
  char *id;
  char *sandbox_id;
  char *name;
  char *folder;
  JsonObject *image; /* of the sandbox it was taken of */
  gboolean copied;   /* it may be held all the same */
  gboolean ready;
  gboolean failed;
  gboolean deleting; /* it was refused, and stays so */
  Lookalike *lookalike;
  GDateTime *created_at;
  GDateTime *transition_at;
} LookalikeSnapshot;

void lookalike_snapshot_unref (LookalikeSnapshot *self);

G_END_DECLS
