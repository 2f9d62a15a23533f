/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define PCRE2_CODE_UNIT_WIDTH 8

#include "text-pattern.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#define MATCH_LIMIT 200000
#define DEPTH_LIMIT 5000
#define HEAP_LIMIT 8192 /* KiB */

struct TextPattern
{
  /* A text whose case counts. */
  char *text;
  size_t size;

  /* Everything else. */
  pcre2_code *code;
  pcre2_match_context *context;
  pcre2_match_data *data;
};

static void
describe (int error, size_t offset, Failure *failure)
{
  char message[160];

  pcre2_get_error_message (error, (PCRE2_UCHAR *)message, sizeof message);
  failure_set (failure, FAILURE_INVALID_ARGUMENT,
               "The regular expression makes no sense at byte %zu: %s", offset, message);
}

/* Bytes that are no UTF-8 match nothing, and what surrounds them does. */
static bool
compile (TextPattern *pattern, const char *text, TextPatternOptions options, Failure *failure)
{
  uint32_t flags = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
  size_t offset = 0;
  int error = 0;

  if (!options.regex)
    flags |= PCRE2_LITERAL;
  if (options.ignore_case)
    flags |= PCRE2_CASELESS;
  if (!options.regex)
    flags &= ~(uint32_t)PCRE2_NEVER_BACKSLASH_C;
  pattern->code
      = pcre2_compile ((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, flags, &error, &offset, NULL);
  if (!pattern->code)
    {
      describe (error, offset, failure);
      return false;
    }
  pattern->context = pcre2_match_context_create (NULL);
  pattern->data = pcre2_match_data_create_from_pattern (pattern->code, NULL);
  if (!pattern->context || !pattern->data)
    return failure_set (failure, FAILURE_INTERNAL, "There is not enough memory");
  pcre2_set_match_limit (pattern->context, MATCH_LIMIT);
  pcre2_set_depth_limit (pattern->context, DEPTH_LIMIT);
  pcre2_set_heap_limit (pattern->context, HEAP_LIMIT);
  return true;
}

static bool
keep_text (TextPattern *pattern, const char *text, Failure *failure)
{
  pattern->text = strdup (text);
  pattern->size = strlen (text);
  return pattern->text || failure_set (failure, FAILURE_INTERNAL, "There is not enough memory");
}

TextPattern *
text_pattern_new (const char *text, TextPatternOptions options, Failure *failure)
{
  TextPattern *pattern = calloc (1, sizeof *pattern);
  bool done;

  if (!pattern)
    failure_set (failure, FAILURE_INTERNAL, "There is not enough memory");
  else if (*text == '\0')
    failure_set (failure, FAILURE_INVALID_ARGUMENT, "There is nothing to look for");
  else if (strlen (text) > TEXT_PATTERN_MAX_SIZE)
    failure_set (failure, FAILURE_INVALID_ARGUMENT,
                 "What is looked for is longer than 65,536 bytes");
  else if (!options.regex && strchr (text, '\n'))
    failure_set (
        failure, FAILURE_INVALID_ARGUMENT,
        "What is looked for has a line break, which is in no line: look for one line of it");
  else
    {
      done = options.regex || options.ignore_case ? compile (pattern, text, options, failure)
                                                  : keep_text (pattern, text, failure);
      if (done)
        return pattern;
    }
  text_pattern_free (pattern);
  return NULL;
}

void
text_pattern_free (TextPattern *pattern)
{
  if (!pattern)
    return;
  free (pattern->text);
  pcre2_match_data_free (pattern->data);
  pcre2_match_context_free (pattern->context);
  pcre2_code_free (pattern->code);
  free (pattern);
}

static TextOutcome
find_text (const TextPattern *pattern, const TextSpan *span, size_t *start)
{
  const char *found
      = memmem (span->bytes + span->from, span->size - span->from, pattern->text, pattern->size);

  if (!found)
    return TEXT_NOT_FOUND;
  *start = (size_t)(found - span->bytes);
  return TEXT_FOUND;
}

TextOutcome
text_pattern_find (TextPattern *pattern, const TextSpan *span, size_t *start)
{
  uint32_t options = (span->is_continued ? PCRE2_NOTBOL : 0) | (span->is_cut ? PCRE2_NOTEOL : 0);
  int n;

  if (pattern->text)
    return find_text (pattern, span, start);
  n = pcre2_match (pattern->code, (PCRE2_SPTR)span->bytes, span->size, span->from, options,
                   pattern->data, pattern->context);
  if (n == PCRE2_ERROR_NOMATCH)
    return TEXT_NOT_FOUND;
  if (n < 0)
    return TEXT_GAVE_UP;
  *start = pcre2_get_ovector_pointer (pattern->data)[0];
  return TEXT_FOUND;
}

bool
text_pattern_is_absent (const TextPattern *pattern, const char *bytes, size_t size)
{
  return pattern->text && !memmem (bytes, size, pattern->text, pattern->size);
}
