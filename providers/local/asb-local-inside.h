/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a sandbox looks like from inside, as options of bubblewrap. */

#pragma once

#include <asb.h>

#include "asb-local-arguments.h"
#include "asb-local-workdir.h"

#define ASB_LOCAL_GUEST_INSIDE "/.asb-guest"
#define ASB_LOCAL_HISTORY_INSIDE "/.agent-history"
#define ASB_LOCAL_FOLDER_HISTORY "history"

typedef struct
{
  const char *folder; /* of the host: its state */
  const char *guest;  /* of the host */
  const char *hostname;
  const AsbLocalWorkdir *workdir; /* NULL: only the record, and nothing to work with */
  gint64 expire_after;            /* milliseconds; 0: never */
  GPtrArray *mounts;              /* AsbLocalSource; taken. NULL: none */
  gboolean host_network;
  AsbResourceLimits *limits; /* NULL with the record only */
  const char *bus;           /* NULL: no scope of systemd is wanted, or can be had */
} AsbLocalInside;

gboolean asb_local_inside_add (AsbLocalArguments *arguments, const AsbLocalInside *inside,
                               GError **error);
