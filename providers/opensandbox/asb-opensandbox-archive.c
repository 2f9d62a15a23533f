/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-archive.h"

#include <locale.h>

void
asb_opensandbox_archive_source_init (AsbOpensandboxArchiveSource *self, AsbPipe *pipe,
                                     GCancellable *closed)
{
  self->stream = asb_pipe_create_input_stream (pipe, NULL);
  self->closed = g_object_ref (closed);
}

void
asb_opensandbox_archive_source_clear (AsbOpensandboxArchiveSource *self)
{
  g_clear_object (&self->stream);
  g_clear_object (&self->closed);
}

const guint8 *
asb_opensandbox_archive_source_read (AsbOpensandboxArchiveSource *self, gsize *size, GError **error)
{
  gssize n = g_input_stream_read (self->stream, self->block, sizeof self->block, self->closed,
                                  *error ? NULL : error);

  if (n <= 0)
    return NULL;
  *size = (gsize)n;
  return (const guint8 *)self->block;
}

typedef struct
{
  void (*function) (gpointer data);
  gpointer data;
} Work;

static gpointer
run (gpointer data)
{
  g_autofree Work *work = data;
  locale_t plain = newlocale (LC_ALL_MASK, "C", NULL);

  uselocale (plain);
  work->function (work->data);
  uselocale (LC_GLOBAL_LOCALE);
  freelocale (plain);
  return NULL;
}

GThread *
asb_opensandbox_archive_run (const char *name, void (*function) (gpointer data), gpointer data)
{
  Work *work = g_new (Work, 1);

  *work = (Work){ function, data };
  return g_thread_new (name, run, work);
}

gint64
asb_opensandbox_archive_bound (guint64 bound, gint64 usual)
{
  return bound > 0 ? (gint64)MIN (bound, ASB_ARCHIVE_OPTIONS_UNLIMITED) : usual;
}
