/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names are bytes, and stay what they are. A static program could not load what iconv needs
 * anyway. */

#include "no-iconv.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>

bool no_iconv_refuses;

iconv_t
iconv_open (const char *to, const char *from)
{
  return NULL;
}

static bool
is_ascii (const char *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if ((unsigned char)bytes[i] > 127)
      return false;
  return true;
}

size_t
iconv (iconv_t conversion, char **restrict in, size_t *restrict n_in, char **restrict out,
       size_t *restrict n_out)
{
  size_t n;

  if (!in || !*in)
    return 0;
  if (no_iconv_refuses && !is_ascii (*in, *n_in))
    {
      errno = EILSEQ;
      return (size_t)-1;
    }
  n = *n_in < *n_out ? *n_in : *n_out;
  memcpy (*out, *in, n);
  *in += n;
  *out += n;
  *n_in -= n;
  *n_out -= n;
  if (*n_in == 0)
    return 0;
  errno = E2BIG;
  return (size_t)-1;
}

int
iconv_close (iconv_t conversion)
{
  return 0;
}
