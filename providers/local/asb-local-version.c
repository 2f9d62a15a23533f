/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-version.h"

#include <asb.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"
#include "asb-local-process.h"

#define PATIENCE_MILLISECONDS 10000
#define MAX_SIZE 200

/* A file in memory that cannot grow. */
static int
open_output (void)
{
  int fd = memfd_create ("asb-local-version", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  if (fd >= 0 && ftruncate (fd, MAX_SIZE) == 0
      && fcntl (fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0)
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

/* Runs in the new process: only what is safe after fork (). */
static void
begin_session_cb (gpointer user_data)
{
  setsid ();
}

/* With all that it has started. Returns: whether it ended by itself */
static gboolean
end_process (GPid pid, int *status)
{
  int process = asb_local_process_open (pid);
  gboolean ended = process >= 0 && asb_local_process_wait (process, PATIENCE_MILLISECONDS);

  kill (-pid, SIGKILL);
  while (waitpid (pid, status, 0) < 0 && errno == EINTR)
    ;
  if (process >= 0)
    close (process);
  return ended;
}

static char *
read_line (int output)
{
  char content[MAX_SIZE + 1] = "";

  if (pread (output, content, MAX_SIZE, 0) < 0)
    return g_strdup ("");
  content[strcspn (content, "\n")] = '\0';
  return g_utf8_make_valid (content, -1);
}

static void
set_ended (const char *program, int status, const char *line, GError **error)
{
  g_autofree char *ended = WIFSIGNALED (status)
                               ? g_strdup_printf ("was ended by signal %d", WTERMSIG (status))
                               : g_strdup_printf ("exited with status %d", WEXITSTATUS (status));

  g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE, "“%s --version” %s%s%s", program,
               ended, *line ? ": " : "", line);
}

static char *
ask (const char *program, int output, GError **error)
{
  const char *argv[] = { program, "--version", NULL };
  const char *environment[] = { NULL };
  g_autofree char *line = NULL;
  gboolean ended;
  int status = 0;
  GPid pid;

  if (!g_spawn_async_with_fds ("/", (char **)argv, (char **)environment, G_SPAWN_DO_NOT_REAP_CHILD,
                               begin_session_cb, NULL, &pid, -1, output, output, error))
    return NULL;
  ended = end_process (pid, &status);
  line = read_line (output);
  if (ended && status == 0)
    return g_steal_pointer (&line);
  if (ended)
    set_ended (program, status, line, error);
  else
    g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE,
                 "“%s --version” did not end within %d seconds", program,
                 PATIENCE_MILLISECONDS / 1000);
  return NULL;
}

char *
asb_local_ask_version (const char *program, GError **error)
{
  int output = open_output ();
  char *line;

  if (output < 0)
    {
      asb_local_set_failure (error, errno, "make a file in memory");
      return NULL;
    }
  line = ask (program, output, error);
  close (output);
  return line;
}
