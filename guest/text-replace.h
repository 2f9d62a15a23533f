/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Replacing one text by another in the content of a file. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct
{
  const char *bytes;
  size_t size;
} Text;

/* Whether each line of @content ends with CRLF, and there is one. */
bool text_has_crlf (Text content);

/* A copy in which LF that stands alone is CRLF; NULL when memory is short. */
char *text_to_crlf (Text text, size_t *size);

/* How often @old is in @content, one behind the other. */
int64_t text_count (Text content, Text old);

/* The content with each @old, of which there are @count, replaced. NULL when memory is short. */
char *text_replace (Text content, Text old, Text new_text, int64_t count, size_t *size);
