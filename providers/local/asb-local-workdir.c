/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-workdir.h"

#include <asb.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"
#include "asb-local-make.h"
#include "asb-local-path.h"
#include "asb-local-user.h"

static const struct
{
  const char *mount;
  const char *folder;
} usual[] = {
  { "/workspace", ASB_LOCAL_FOLDER_WORKSPACE },
  { "/home/agent", ASB_LOCAL_FOLDER_HOME },
  { "/tmp", ASB_LOCAL_FOLDER_TMP },
};

AsbLocalWorkdir *
asb_local_workdir_parse (const char *path, GError **error)
{
  g_autoptr (AsbLocalWorkdir) self = g_new0 (AsbLocalWorkdir, 1);

  self->path = asb_local_path_normalize (path);
  if (!self->path)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "Working directory “%s” is not an absolute path without “..”", path);
      return NULL;
    }
  if (asb_local_path_is_taken (self->path))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_WORKING_DIRECTORY,
                   "Working directory “%s” cannot be made writable in a local sandbox, take one "
                   "below “/workspace”",
                   path);
      return NULL;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (usual) && !self->mount; i++)
    {
      self->below = g_strdup (asb_local_path_below (self->path, usual[i].mount));
      self->folder = usual[i].folder;
      self->mount = self->below ? g_strdup (usual[i].mount) : NULL;
    }
  if (!self->mount)
    {
      self->folder = ASB_LOCAL_FOLDER_WORKDIR;
      self->mount = g_strdup (self->path);
      self->below = g_strdup ("");
    }
  return g_steal_pointer (&self);
}

void
asb_local_workdir_set_covered (AsbLocalWorkdir *self, const char *target)
{
  g_free (self->mount);
  self->mount = g_strdup (target);
  self->folder = NULL;
}

void
asb_local_workdir_free (AsbLocalWorkdir *self)
{
  g_free (self->path);
  g_free (self->mount);
  g_free (self->below);
  g_free (self);
}

gboolean
asb_local_workdir_is_elsewhere (const AsbLocalWorkdir *self)
{
  return g_strcmp0 (self->folder, ASB_LOCAL_FOLDER_WORKDIR) == 0;
}

/* Returns: the directory @name of @parent, made if missing, or -1. */
static int
enter (int parent, const char *name)
{
  if (asb_local_make_folder (parent, name, 0755) ? !asb_local_user_give (parent, name)
                                                 : errno != EEXIST)
    return -1;
  return openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Where something has run out the path is not to blame. */
static void
set_not_made (const AsbLocalWorkdir *self, int reason, GError **error)
{
  if (reason == EMFILE || reason == ENFILE || reason == ENOMEM || reason == ENOSPC
      || reason == EDQUOT)
    asb_local_set_failure (error, reason, "make working directory “%s”", self->path);
  else
    g_set_error (error, ASB_ERROR, ASB_ERROR_WORKING_DIRECTORY,
                 "Could not make working directory “%s”: %s", self->path, g_strerror (reason));
}

gboolean
asb_local_workdir_make (const AsbLocalWorkdir *self, int state_fd, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (self->below, "/", -1);
  int fd = enter (state_fd, self->folder);

  for (gsize i = 0; fd >= 0 && parts[i]; i++)
    {
      int next = enter (fd, parts[i]);
      int reason = errno;

      close (fd);
      fd = next;
      errno = reason;
    }
  if (fd < 0)
    {
      set_not_made (self, errno, error);
      return FALSE;
    }
  close (fd);
  return TRUE;
}
