/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SQLite can load extensions, which a static program cannot and the guest must not. Without these a
 * dynamic loader would be linked in. */

#include <dlfcn.h>
#include <stddef.h>

void *
dlopen (const char *file, int mode)
{
  return NULL;
}

void *
dlsym (void *restrict handle, const char *restrict name)
{
  return NULL;
}

int
dlclose (void *handle)
{
  return -1;
}

char *
dlerror (void)
{
  static char text[] = "Nothing can be loaded into this program";

  return text;
}
