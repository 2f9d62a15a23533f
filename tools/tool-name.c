/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-name.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "tool-sandbox.h"

/* Such a name would be one that nobody sees how to write; servers take it off. */
static gboolean
has_blank_end (const char *name)
{
  const char *last = name + strlen (name);

  last = g_utf8_find_prev_char (name, last);
  return g_unichar_isspace (g_utf8_get_char (name))
         || (last && g_unichar_isspace (g_utf8_get_char (last)));
}

gboolean
tool_name_check (const char *name, GError **error)
{
  const char *reason = NULL;

  if (name && strchr (name, ':'))
    reason = ": what is before a colon names a provider";
  else if (name && has_blank_end (name))
    reason = ": it begins or ends with a blank";
  else if (!name || *name)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "“%s” cannot name a sandbox%s", name,
               reason ? reason : "");
  return FALSE;
}

static void
lock_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  if (TEMP_FAILURE_RETRY (flock (GPOINTER_TO_INT (task_data), LOCK_EX)) == 0)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_new_error (task, G_IO_ERROR, g_io_error_from_errno (errno),
                             "Could not wait for others that name a sandbox: %s",
                             g_strerror (errno));
}

/* Others may hold it as long as their provider makes a sandbox, and asb can be interrupted
 * meanwhile; then the thread goes on with the file until asb ends. */
static gboolean
lock (Tool *tool, int fd, GError **error)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (GTask) task = g_task_new (NULL, tool->cancellable, tool_wait_cb, &wait);

  g_task_set_return_on_cancel (task, TRUE);
  g_task_set_task_data (task, GINT_TO_POINTER (fd), NULL);
  g_task_run_in_thread (task, lock_in_thread);
  return g_task_propagate_boolean (G_TASK (tool_wait (&wait)), error);
}

/* Where no file can be made only the race between two that name at once is open. */
static int
open_lock (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), "asb", NULL);
  g_autofree char *path = g_build_filename (folder, "names.lock", NULL);

  g_mkdir_with_parents (folder, 0700);
  return open (path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
}

static gboolean
check_free (Tool *tool, AsbProvider *provider, const char *name, GError **error)
{
  g_autoptr (GPtrArray) infos = tool_sandbox_list (tool, provider, TOOL_SANDBOX_LIVE, error);

  for (guint i = 0; infos && i < infos->len; i++)
    if (g_strcmp0 (asb_sandbox_info_get_name (infos->pdata[i]), name) == 0)
      {
        g_autofree char *full_name = tool_sandbox_dup_full_name (infos->pdata[i]);

        g_set_error (error, ASB_ERROR, ASB_ERROR_ALREADY_EXISTS,
                     "There is a sandbox “%s” already, %s; give another name, or asb rm %s first",
                     name, full_name, full_name);
        return FALSE;
      }
  return infos != NULL;
}

gboolean
tool_name_claim (Tool *tool, AsbProvider *provider, const char *name, ToolNameClaim *claim,
                 GError **error)
{
  const int fd = open_lock ();

  if (fd >= 0 && !lock (tool, fd, error))
    return FALSE;
  claim->fd = fd;
  return check_free (tool, provider, name, error);
}

void
tool_name_release (ToolNameClaim *claim)
{
  if (claim->fd < 0)
    return;
  flock (claim->fd, LOCK_UN);
  close (claim->fd);
  claim->fd = -1;
}
