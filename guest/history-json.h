/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* JSON as the record holds it, and arguments as they are read from it. */

#pragma once

#include "history-error.h"
#include "history-memory.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_MAX_INTEGER 9007199254740991LL

/* Appends @json in canonical form: keys sorted, no spaces, non-ASCII as it is, numbers as Python
 * writes them. */
void history_json_append (HistoryBuffer *buffer, const json_t *json);

/* The canonical form as a string, to be freed with free (). */
char *history_json_canonical (const json_t *json);

/* A string of bytes that may be no valid text. */
json_t *history_json_text (const char *text);

/* A text argument: the string itself, or NULL where it is absent or null and not @required. Not
 * valid when empty or longer than @max_characters. */
bool history_json_get_text (const json_t *object, const char *name, bool required,
                            size_t max_characters, const char **text, HistoryError *error);

/* An integer argument; *@value keeps what it has where the member is absent. */
bool history_json_get_integer (const json_t *object, const char *name, int64_t minimum,
                               int64_t maximum, int64_t *value, HistoryError *error);

/* An object argument, or NULL where it is absent or null and not @required. */
bool history_json_get_object (const json_t *object, const char *name, bool required,
                              const json_t **value, HistoryError *error);

/* A text that may hold any bytes: valid UTF-8 for a TEXT column, and the bytes where they are
 * something else. */
typedef struct
{
  char *text;
  char *raw;
  size_t raw_size;
} HistoryText;

bool history_json_get_bytes (const json_t *object, const char *name, HistoryText *text,
                             HistoryError *error);
void history_text_clear (HistoryText *text);
