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

/* The bytes looked into. What stands before @from is seen by what looks back, and nothing begins
 * there. */
typedef struct
{
  const char *bytes;
  size_t size;
  size_t from;
  bool is_continued; /* the line does not begin with them */
  bool is_cut;       /* and does not end with them */
} TextSpan;

TextOutcome text_pattern_find (TextPattern *pattern, const TextSpan *span, size_t *start);

/* For large amounts: whether it cannot be in the bytes at all, which is quick to see for a text. */
bool text_pattern_is_absent (const TextPattern *pattern, const char *bytes, size_t size);
