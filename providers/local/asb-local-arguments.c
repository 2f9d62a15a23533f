/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-arguments.h"

#include <asb.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"
#include "asb-local-source.h"
#include "asb-local-write.h"

static void
close_fd (gpointer data)
{
  close (*(int *)data);
}

AsbLocalArguments *
asb_local_arguments_new (gboolean staged)
{
  AsbLocalArguments *self = g_new0 (AsbLocalArguments, 1);

  self->options = g_byte_array_new ();
  self->fds = g_array_new (FALSE, FALSE, sizeof (int));
  g_array_set_clear_func (self->fds, close_fd);
  self->sources = g_ptr_array_new_with_free_func ((GDestroyNotify)asb_local_source_free);
  self->staged = staged;
  return self;
}

void
asb_local_arguments_free (AsbLocalArguments *self)
{
  g_byte_array_unref (self->options);
  g_array_unref (self->fds);
  g_ptr_array_unref (self->sources);
  g_free (self);
}

static void
add_option (AsbLocalArguments *self, const char *option)
{
  g_byte_array_append (self->options, (const guint8 *)option, (guint)strlen (option) + 1);
}

void
asb_local_arguments_add (AsbLocalArguments *self, ...)
{
  va_list options;
  const char *option;

  va_start (options, self);
  while ((option = va_arg (options, const char *)))
    add_option (self, option);
  va_end (options);
}

int
asb_local_arguments_take_fd (AsbLocalArguments *self, int fd)
{
  g_array_append_val (self->fds, fd);
  return ASB_LOCAL_FIRST_FD + (int)self->fds->len - 1;
}

void
asb_local_arguments_add_fd (AsbLocalArguments *self, const char *option, int fd, const char *value)
{
  char number[16];

  g_snprintf (number, sizeof number, "%d", asb_local_arguments_take_fd (self, fd));
  asb_local_arguments_add (self, option, number, value, NULL);
}

void
asb_local_source_path (guint index, char *buffer, gsize size)
{
  g_snprintf (buffer, size, ASB_LOCAL_SOURCES_FOLDER "/source-%u", index);
}

void
asb_local_arguments_add_source (AsbLocalArguments *self, const char *option, const char *path,
                                const char *target)
{
  char shown[ASB_LOCAL_SOURCE_PATH_SIZE];

  if (!self->staged)
    {
      asb_local_arguments_add (self, option, path, target, NULL);
      return;
    }
  asb_local_source_path (self->sources->len, shown, sizeof shown);
  g_ptr_array_add (self->sources, asb_local_source_new (path));
  asb_local_arguments_add (self, option, shown, target, NULL);
}

void
asb_local_arguments_take_mounts (AsbLocalArguments *self, GPtrArray *mounts)
{
  guint n_before = self->sources->len;

  for (guint i = 0; i < mounts->len; i++)
    {
      AsbLocalSource *source = mounts->pdata[i];
      char shown[ASB_LOCAL_SOURCE_PATH_SIZE];

      asb_local_source_path (n_before + i, shown, sizeof shown);
      if (source->root >= 0)
        source->root += (int)n_before;
      else
        {
          asb_local_arguments_add_parents (self, source->target);
          asb_local_arguments_add (self, "--bind", shown, source->target, NULL);
        }
    }
  g_ptr_array_extend_and_steal (self->sources, g_ptr_array_ref (mounts));
}

void
asb_local_arguments_add_parents (AsbLocalArguments *self, const char *path)
{
  for (const char *end = strchr (path + 1, '/'); end; end = strchr (end + 1, '/'))
    {
      g_autofree char *parent = g_strndup (path, (gsize)(end - path));

      asb_local_arguments_add (self, "--dir", parent, NULL);
    }
}

int
asb_local_memory_file (const void *content, gsize size, GError **error)
{
  int fd = memfd_create ("asb-local", MFD_CLOEXEC);

  if (fd >= 0 && asb_local_write_all (fd, content, size) && lseek (fd, 0, SEEK_SET) == 0)
    return fd;
  asb_local_set_failure (error, errno, "make a file in memory");
  if (fd >= 0)
    close (fd);
  return -1;
}
