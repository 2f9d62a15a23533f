/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Prints the filters of system calls as arrays of C. */

#include "config.h"

#include <stdio.h>

#include "asb-local-filter.h"

static gboolean
print_filter (const char *name, gboolean writes_through)
{
  g_autoptr (GBytes) filter = asb_local_filter_make (writes_through);
  gsize size = 0;
  const guint8 *bytes = filter ? g_bytes_get_data (filter, &size) : NULL;

  printf ("static const guint8 %s[] = {", name);
  for (gsize i = 0; i < size; i++)
    printf ("%s%u,", i % 16 == 0 ? "\n  " : " ", bytes[i]);
  printf ("\n};\n");
  return size > 0;
}

int
main (void)
{
  return print_filter ("usual_filter", FALSE) && print_filter ("filter_of_writing_through", TRUE)
             ? 0
             : 1;
}
