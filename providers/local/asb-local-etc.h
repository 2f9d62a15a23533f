/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The /etc of a sandbox: what programs need to work, and nothing that tells of the host's users,
 * keys or names. */

#pragma once

#include "asb-local-arguments.h"

typedef struct
{
  const char *hostname;
  const char *shell;
  unsigned uid;
  unsigned gid;
  gboolean host_network;
} AsbLocalEtc;

gboolean asb_local_etc_add (AsbLocalArguments *arguments, const AsbLocalEtc *etc, GError **error);
