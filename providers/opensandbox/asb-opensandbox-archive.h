/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the threads have in common in which archives are read by the guest's sources. */

#pragma once

#include <asb.h>

#define ASB_OPENSANDBOX_ARCHIVE_BLOCK (64 * 1024)

/* Where the archive comes from. */
typedef struct
{
  GInputStream *stream;
  GCancellable *closed;
  char block[ASB_OPENSANDBOX_ARCHIVE_BLOCK];
} AsbOpensandboxArchiveSource;

void asb_opensandbox_archive_source_init (AsbOpensandboxArchiveSource *self, AsbPipe *pipe,
                                          GCancellable *closed);
void asb_opensandbox_archive_source_clear (AsbOpensandboxArchiveSource *self);

/* More of it, good until the next call; NULL at the end, or with @error set unless it is set
 * already. */
const guint8 *asb_opensandbox_archive_source_read (AsbOpensandboxArchiveSource *self, gsize *size,
                                                   GError **error);

/* Runs @function in a thread where names are bytes, whatever the locale of the program.
 * Returns: (transfer full) */
GThread *asb_opensandbox_archive_run (const char *name, void (*function) (gpointer data),
                                      gpointer data);

/* A bound of the caller's for the guest's sources, @usual where it is 0. */
gint64 asb_opensandbox_archive_bound (guint64 bound, gint64 usual);
