/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* jansson by other names: its header and that of json-glib exclude each other. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct json_t Twin;

typedef enum
{
  TWIN_OBJECT,
  TWIN_ARRAY,
  TWIN_STRING,
  TWIN_INTEGER,
  TWIN_REAL,
  TWIN_BOOLEAN,
  TWIN_NULL
} TwinKind;

Twin *twin_parse (const char *text, size_t size);
void twin_free (Twin *twin);

TwinKind twin_kind (const Twin *twin);
bool twin_boolean (const Twin *twin);
int64_t twin_integer (const Twin *twin);
double twin_real (const Twin *twin);
const char *twin_string (const Twin *twin);
size_t twin_size (const Twin *twin);
const Twin *twin_item (const Twin *twin, size_t index);
const Twin *twin_member (const Twin *twin, const char *name);
