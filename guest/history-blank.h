/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An empty record, made while nobody waits: whoever begins one then has it in one write, and never
 * half of it. Making it is also the first use of most of the code, which is what is slow about it.
 */

#pragma once

#include "history-error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  unsigned char *bytes; /* NULL: there is none */
  size_t length;
} HistoryBlank;

void history_blank_make (HistoryBlank *blank);

/* Makes it the file @path, whole or not at all; what is there already stays. */
bool history_blank_place (const HistoryBlank *blank, const char *path);

void history_blank_clear (HistoryBlank *blank);
