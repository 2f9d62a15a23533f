/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What clients brought along to prove themselves with when they come by a WebSocket. Those that
 * came first make room when there are too many. */

#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define TOKEN_MIN_SIZE 16
#define TOKEN_MAX_SIZE 128
#define TOKEN_LIST_LENGTH 256

typedef struct
{
  char (*tokens)[TOKEN_MAX_SIZE + 1];
  size_t n_tokens;
  size_t next; /* the one to make room */
} TokenList;

void token_list_clear (TokenList *self);

/* 16 to 128 printable characters without spaces. */
bool token_is_valid (const char *token, size_t size);

/* False when memory is short. */
bool token_list_add (TokenList *self, const char *token);

/* Whether @given is one of them. It takes as long whichever it is. */
bool token_list_has (const TokenList *self, const json_t *given);
