/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is looked for in a line: a text, or a regular expression of PCRE2. Neither takes for ever:
 * an expression that tries too much gives up, and that is told. */

#pragma once

#include "failure.h"

#include <stdbool.h>
#include <stddef.h>

#define TEXT_PATTERN_MAX_SIZE 65536

typedef struct TextPattern TextPattern;

typedef enum
{
  TEXT_FOUND,
  TEXT_NOT_FOUND,
  TEXT_GAVE_UP
} TextOutcome;

typedef struct
{
  bool regex;
  bool ignore_case;
} TextPatternOptions;

/* NULL with @failure set when @text cannot be looked for. */
TextPattern *text_pattern_new (const char *text, TextPatternOptions options, Failure *failure);
void text_pattern_free (TextPattern *pattern);

/* Looks for it in the @size bytes of a line, from @from on. */
TextOutcome text_pattern_find (TextPattern *pattern, const char *line, size_t size, size_t from,
                               size_t *start, size_t *end);

/* For large amounts: whether it cannot be in the bytes at all, which is quick to see for a text. */
bool text_pattern_is_absent (const TextPattern *pattern, const char *bytes, size_t size);
