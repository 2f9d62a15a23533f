/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The name of a sandbox that stays: it serves instead of the ID, so it must be the only one. */

#pragma once

#include "tool.h"

/* From tool_name_claim() on nobody else claims a name. */
typedef struct
{
  int fd; /* -1: no claim */
} ToolNameClaim;

#define TOOL_NAME_CLAIM_INIT                                                                       \
  {                                                                                                \
    -1                                                                                             \
  }

/* Whether a sandbox can be given that name, %NULL for none. */
gboolean tool_name_check (const char *name, GError **error);
/* Fails if a sandbox of @provider that is there has the name. */
gboolean tool_name_claim (Tool *tool, AsbProvider *provider, const char *name, ToolNameClaim *claim,
                          GError **error);
void tool_name_release (ToolNameClaim *claim);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolNameClaim, tool_name_release)
