/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-target.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Never setuid and the like: the contents come from a sandbox. */
#define MODE_MASK 0777

static gboolean
fail (GError **error, const char *path)
{
  const int code = errno;
  g_autofree char *shown = g_filename_display_name (path);

  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "Could not write “%s”: %s", shown,
               g_strerror (code));
  return FALSE;
}

/* The last part of @source, where it can be the name of a file. */
static char *
dup_name (const char *source, GError **error)
{
  g_autofree char *name = g_path_get_basename (source);

  if (!g_str_equal (name, ".") && !g_str_equal (name, "..") && !g_str_equal (name, "/"))
    return g_steal_pointer (&name);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME,
               "“%s” has no name to use here; give the file's name", source);
  return NULL;
}

static gboolean
open_temporary (ToolTarget *self, GError **error)
{
  g_autofree char *directory = g_path_get_dirname (self->path);
  g_autofree char *name = g_path_get_basename (self->path);

  /* A name may be too long for an addition. */
  self->temporary = g_strdup_printf ("%s/.%.64s.XXXXXX", directory, name);
  self->fd = g_mkstemp_full (self->temporary, O_WRONLY | O_CLOEXEC, 0600);
  if (self->fd >= 0)
    return TRUE;
  g_clear_pointer (&self->temporary, g_free);
  return fail (error, self->path);
}

static gboolean
open_as_it_is (ToolTarget *self, const char *path, GError **error)
{
  self->fd = open (path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  return self->fd >= 0 || fail (error, path);
}

gboolean
tool_target_open (ToolTarget *self, const char *path, const char *source, guint mode,
                  GError **error)
{
  struct stat status;
  g_autofree char *name = NULL;
  g_autofree char *inside = NULL;
  char *real;

  self->mode = mode & MODE_MASK;
  if (g_str_has_suffix (path, "/") || (stat (path, &status) == 0 && S_ISDIR (status.st_mode)))
    {
      name = dup_name (source, error);
      if (!name)
        return FALSE;
      path = inside = g_build_filename (path, name, NULL);
    }
  if (stat (path, &status) == 0 && S_ISDIR (status.st_mode))
    {
      errno = EISDIR;
      return fail (error, path);
    }
  if (stat (path, &status) == 0 && !S_ISREG (status.st_mode))
    return open_as_it_is (self, path, error);
  /* Through a link, as it is the file that is to be replaced. */
  real = realpath (path, NULL);
  self->path = g_strdup (real ? real : path);
  free (real);
  return open_temporary (self, error);
}

gboolean
tool_target_commit (ToolTarget *self, GError **error)
{
  if (!self->temporary)
    return TRUE;
  if (fchmod (self->fd, self->mode) != 0 || fsync (self->fd) != 0
      || rename (self->temporary, self->path) != 0)
    return fail (error, self->path);
  g_clear_pointer (&self->temporary, g_free);
  return TRUE;
}

void
tool_target_clear (ToolTarget *self)
{
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
  if (self->temporary)
    unlink (self->temporary);
  g_clear_pointer (&self->temporary, g_free);
  g_clear_pointer (&self->path, g_free);
}
