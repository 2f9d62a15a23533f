/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The end of an operation. */

#pragma once

#include "history-output.h"

/* Takes the arguments of "record.finish" if they are valid; the operation ends now. */
bool history_finish_accept (HistoryOperation *operation, json_t *arguments, HistoryError *error);

/* Writes what waits of the output and the outcome. */
bool history_finish_write (HistoryOperation *operation, HistoryStore *store,
                           HistoryOutputStep *step, HistoryError *error);

/* {"state", "message"?}, once it is committed. */
json_t *history_finish_describe (const HistoryOperation *operation);
