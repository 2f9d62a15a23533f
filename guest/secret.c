/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "secret.h"

#include <string.h>

bool
secret_is (const char *secret, const json_t *given)
{
  const char *text = json_string_value (given);
  size_t length = strlen (secret);
  unsigned char difference = 0;

  if (!text || json_string_length (given) != length)
    return false;
  for (size_t i = 0; i < length; i++)
    difference |= (unsigned char)((unsigned char)text[i] ^ (unsigned char)secret[i]);
  return difference == 0;
}
