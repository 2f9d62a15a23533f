/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-seccomp.h"

#include <asb.h>

#include "asb-local-arguments.h"

#ifdef HAVE_BUILT_FILTERS

#include "asb-local-filters.h"

static GBytes *
get_filter (gboolean writes_through)
{
  return writes_through
             ? g_bytes_new_static (filter_of_writing_through, sizeof filter_of_writing_through)
             : g_bytes_new_static (usual_filter, sizeof usual_filter);
}

#else

#include "asb-local-filter.h"

/* Returns: NULL if there is no memory, now or then. */
static GBytes *
get_filter (gboolean writes_through)
{
  static gsize filters[2];
  gsize *filter = &filters[writes_through ? 1 : 0];

  if (g_once_init_enter (filter))
    {
      GBytes *made = asb_local_filter_make (writes_through);

      g_once_init_leave (filter, made ? GPOINTER_TO_SIZE (made) : G_MAXSIZE);
    }
  return *filter == G_MAXSIZE ? NULL : g_bytes_ref (GSIZE_TO_POINTER (*filter));
}

#endif

int
asb_local_seccomp_open (gboolean writes_through, GError **error)
{
  g_autoptr (GBytes) filter = get_filter (writes_through);

  if (filter)
    return asb_local_memory_file (g_bytes_get_data (filter, NULL), g_bytes_get_size (filter),
                                  error);
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROVIDER,
                       "Could not make the filter of system calls: Out of memory or descriptors");
  return -1;
}
