/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "token-list.h"

#include "secret.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
token_list_clear (TokenList *self)
{
  free (self->tokens);
  *self = (TokenList){ 0 };
}

bool
token_is_valid (const char *token, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (token[i] <= ' ' || token[i] > '~')
      return false;
  return size >= TOKEN_MIN_SIZE && size <= TOKEN_MAX_SIZE;
}

static bool
is_there (const TokenList *self, const char *token)
{
  for (size_t i = 0; i < self->n_tokens; i++)
    if (strcmp (self->tokens[i], token) == 0)
      return true;
  return false;
}

bool
token_list_add (TokenList *self, const char *token)
{
  if (is_there (self, token))
    return true;
  if (!self->tokens)
    self->tokens = calloc (TOKEN_LIST_LENGTH, sizeof *self->tokens);
  if (!self->tokens)
    return false;
  snprintf (self->tokens[self->next], sizeof *self->tokens, "%s", token);
  self->next = (self->next + 1) % TOKEN_LIST_LENGTH;
  if (self->n_tokens < TOKEN_LIST_LENGTH)
    self->n_tokens++;
  return true;
}

bool
token_list_has (const TokenList *self, const json_t *given)
{
  bool found = false;

  for (size_t i = 0; i < self->n_tokens; i++)
    found |= secret_is (self->tokens[i], given);
  return found;
}
