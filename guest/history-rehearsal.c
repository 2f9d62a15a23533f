/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-rehearsal.h"

#include "history-database.h"
#include "history-schema.h"

void
history_rehearse (void)
{
  HistoryDatabase database;
  HistoryError ignored;

  if (!history_database_connect (&database, ":memory:", NULL, &ignored))
    return;
  if (history_database_begin (&database, &ignored) && history_schema_create (&database, &ignored))
    history_database_commit (&database, &ignored);
  history_database_disconnect (&database, false);
}
