/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which operations may be deleted, and their deletion. */

#pragma once

#include "history-database.h"

/* The highest change that was ever deleted stands in history_meta under this key. */
#define HISTORY_DELETED_KEY "asb_deleted_change_seq"

#define HISTORY_MAX_EXPUNGED 64

/* An operation that may be deleted. */
typedef struct
{
  int64_t seq;

  /* The last of its changes. */
  int64_t change_seq;
} HistoryExpungible;

/* Finds the oldest that have ended, after @after and up to @last, before @cutoff (NULL: whenever),
 * with changes up to @protected_seq alone. Their number, up to HISTORY_MAX_EXPUNGED, or −1. */
int history_expunge_find (HistoryDatabase *database, int64_t after, int64_t last,
                          const char *cutoff, int64_t protected_seq, HistoryExpungible *found,
                          HistoryError *error);

/* Deletes one, in a transaction. *@n_changes grows by its changes. */
bool history_expunge_one (HistoryDatabase *database, const HistoryExpungible *operation,
                          int64_t *n_changes, HistoryError *error);

/* Remembers up to where changes were deleted. */
bool history_expunge_note (HistoryDatabase *database, int64_t change_seq, HistoryError *error);

/* The newest operation that may be deleted to make room: all but the last. */
bool history_expunge_last (HistoryDatabase *database, int64_t *seq, HistoryError *error);

/* Up to which change all have read who were heard of since @since; INT64_MAX if there are none. */
bool history_expunge_protected (HistoryDatabase *database, const char *since, int64_t *seq,
                                HistoryError *error);
