/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the database says of itself: history_meta. */

#pragma once

#include "history-store.h"

/* All of it, {key: value}; NULL on errors. */
json_t *history_meta_read (HistoryDatabase *database, HistoryError *error);

/* Whether the database belongs to this sandbox, or to none yet. */
bool history_meta_matches (const json_t *meta, const HistoryIdentity *identity);

/* Takes over the identity of a database that was opened for what it is. */
bool history_meta_adopt_identity (HistoryStore *store, const json_t *meta, HistoryError *error);

/* Takes over the configuration and its revision. */
void history_meta_adopt_config (HistoryStore *store, const json_t *meta);

/* Writes what is due at each opening, and the configuration the first time; @meta is brought up to
 * date. */
bool history_meta_write (HistoryStore *store, json_t *meta, HistoryError *error);

void history_identity_clear (HistoryIdentity *identity);

/* {"provider_key", "sandbox_id", "sandbox_instance_id", "sandbox_name"?} */
json_t *history_identity_to_json (const HistoryIdentity *identity);
