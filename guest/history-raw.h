/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Texts that are not UTF-8: replacement characters in the tables of everybody, the bytes in ours.
 */

#pragma once

#include "history-database.h"
#include "history-json.h"

#include <jansson.h>

/* A copy of @object in which each member that is a text of other bytes is a string. */
json_t *history_raw_replace (const json_t *object);

/* Keeps the bytes of such members of @object, as fields "SECTION.member". */
bool history_raw_write_members (HistoryDatabase *database, const char *event_id,
                                const char *section, const json_t *object, HistoryError *error);

/* Keeps the bytes of @text if it has any. */
bool history_raw_write (HistoryDatabase *database, const char *event_id, const char *field,
                        const HistoryText *text, HistoryError *error);

/* Puts the bytes back into @operation, {"SECTION": {"member": …}}. */
bool history_raw_restore (HistoryDatabase *database, const char *event_id, json_t *operation,
                          HistoryError *error);
