/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <stdlib.h>
#include <unistd.h>

/* Becomes the Python script that drives this program, which finds it by the environment variable.
 */
static inline int
drive (const char *variable, const char *script)
{
  char self[4096];
  ssize_t length = readlink ("/proc/self/exe", self, sizeof self - 1);

  if (length < 0)
    return 2;
  self[length] = '\0';
  setenv (variable, self, 1);
  execl ("/usr/bin/python3", "python3", "-B", script, (char *)NULL);
  return 2;
}
