/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Texts that must be valid UTF-8 without NUL, whatever bytes they come from. */

#pragma once

#include <stddef.h>

/* A copy in which each broken sequence, and each NUL, is one U+FFFD, as Python's errors="replace"
 * does it. To be freed with free (); @length may be NULL. */
char *history_text_replace (const void *bytes, size_t size, size_t *length);

/* How many characters (code points) valid UTF-8 has. */
size_t history_text_length (const char *text, size_t size);
