/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "call-kinds.h"

#include <string.h>

static const CallKind UNKNOWN = { .name = "" };

static const CallKind *
find (const CallKind *kinds, const char *name)
{
  for (; kinds->name; kinds++)
    if (strcmp (kinds->name, name) == 0)
      return kinds;
  return NULL;
}

const CallKind *
call_kind_find (const char *name, bool record_only)
{
  const CallKind *const tables[] = { GUEST_KINDS, HISTORY_KINDS,   COMMAND_KINDS, FILE_KINDS,
                                     JOB_KINDS,   JOB_START_KINDS, DOOR_KINDS,    EXPIRY_KINDS };
  size_t n = record_only ? 2 : sizeof tables / sizeof *tables;

  if (!name
      || (record_only
          && (strcmp (name, "history.record") == 0 || strcmp (name, "history.cleanup") == 0)))
    return &UNKNOWN;
  for (size_t i = 0; i < n; i++)
    {
      const CallKind *kind = find (tables[i], name);

      if (kind)
        return kind;
    }
  return &UNKNOWN;
}
