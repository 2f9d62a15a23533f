/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-error.h"

#include "history-json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
history_error_set (HistoryError *error, const char *code, const char *format, ...)
{
  va_list arguments;

  error->code = code;
  error->is_busy = false;
  error->overflow_policy = NULL;
  va_start (arguments, format);
  vsnprintf (error->message, sizeof error->message, format, arguments);
  va_end (arguments);
  return false;
}

bool
history_error_is_storage (const HistoryError *error)
{
  return strcmp (error->code, HISTORY_STORAGE_EXHAUSTED) == 0
         || strcmp (error->code, HISTORY_DATABASE_ERROR) == 0
         || strcmp (error->code, HISTORY_UNAVAILABLE) == 0;
}

json_t *
history_error_to_json (const HistoryError *error)
{
  json_t *json = json_pack ("{s:s, s:o}", "code", error->code, "message",
                            history_json_text (error->message));

  if (error->overflow_policy)
    json_object_set_new (json, "details",
                         json_pack ("{s:s}", "overflow_policy", error->overflow_policy));
  return json;
}
