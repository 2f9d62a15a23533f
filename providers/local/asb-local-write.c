/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-write.h"

#include <errno.h>
#include <unistd.h>

gboolean
asb_local_write_all (int fd, const void *content, gsize size)
{
  const char *at = content;

  while (size > 0)
    {
      gssize written = TEMP_FAILURE_RETRY (write (fd, at, size));

      if (written < 0)
        return FALSE;
      at += written;
      size -= (gsize)written;
    }
  return TRUE;
}
