/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the database says of itself: history_meta. */

#pragma once

#include "history-store.h"

/* The value of a key, to be freed, or NULL where there is none. */
bool history_meta_get (HistoryDatabase *database, const char *key, char **value,
                       HistoryError *error);
bool history_meta_set (HistoryDatabase *database, const char *key, const char *value,
                       HistoryError *error);

/* Whether the database belongs to the sandbox of the store, or to none yet. */
bool history_meta_check_identity (HistoryStore *store, bool *matches, HistoryError *error);

/* Takes over the identity of a database that was opened for what it is. */
bool history_meta_adopt_identity (HistoryStore *store, HistoryError *error);

/* Writes what is due at each opening, and the configuration the first time; later it is read. */
bool history_meta_initialize (HistoryStore *store, HistoryError *error);

/* Only reads the configuration. */
bool history_meta_read_config (HistoryStore *store, HistoryError *error);

void history_identity_clear (HistoryIdentity *identity);

/* {"provider_key", "sandbox_id", "sandbox_instance_id", "sandbox_name"?} */
json_t *history_identity_to_json (const HistoryIdentity *identity);
