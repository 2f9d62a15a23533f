/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-guest.h"

#include <asb.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"
#include "asb-local-greeting.h"
#include "asb-local-launch.h"
#include "asb-local-limits.h"
#include "asb-local-process.h"
#include "asb-local-readiness.h"
#include "asb-local-removal.h"
#include "asb-local-scope.h"
#include "asb-local-status.h"
#include "asb-local-user.h"

#define SOCKET_NAME "guest.socket"
#define ENVIRONMENT_NAME "environment"
#define CONNECT_SECONDS 10
#define START_SECONDS 30
#define OLD_START_SECONDS 3
#define FORCE_MILLISECONDS 10000

/* By the descriptor of the folder: a path of any length fits into an address this way. */
static struct sockaddr_un
socket_address (AsbLocalFolder *folder)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };

  g_snprintf (address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder->fd,
              SOCKET_NAME);
  return address;
}

static int
connect_fd (AsbLocalFolder *folder)
{
  struct sockaddr_un address = socket_address (folder);
  struct timeval limit = { .tv_sec = CONNECT_SECONDS };
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int reason;

  if (fd < 0)
    return -1;
  /* It waits when the guest has too many callers to greet. */
  setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (connect (fd, (struct sockaddr *)&address, sizeof address) == 0)
    return fd;
  reason = errno;
  close (fd);
  errno = reason;
  return -1;
}

gboolean
asb_local_guest_is_listening (AsbLocalFolder *folder)
{
  int fd = connect_fd (folder);

  if (fd < 0)
    return errno == EAGAIN;
  close (fd);
  return TRUE;
}

GIOStream *
asb_local_guest_connect (AsbLocalFolder *folder, GError **error)
{
  int fd = connect_fd (folder);
  g_autoptr (GSocket) connected = NULL;

  if (fd < 0 && (errno == ENOENT || errno == ECONNREFUSED))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED, "Nobody listens");
  else if (fd < 0)
    asb_local_set_failure (error, errno, "connect to sandbox “%s”", folder->id);
  if (fd < 0)
    return NULL;
  connected = g_socket_new_from_fd (fd, error);
  if (!connected)
    {
      close (fd);
      return NULL;
    }
  return G_IO_STREAM (g_socket_connection_factory_create_connection (connected));
}

static int
listen_fd (AsbLocalFolder *folder, GError **error)
{
  struct sockaddr_un address = socket_address (folder);
  int fd;

  unlinkat (folder->fd, SOCKET_NAME, 0);
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  /* A socket that is bound has the mode it had before, or less of it. */
  if (fd >= 0 && fchmod (fd, 0600) == 0
      && bind (fd, (struct sockaddr *)&address, sizeof address) == 0
      && fchmodat (folder->fd, SOCKET_NAME, 0600, 0) == 0 && listen (fd, SOMAXCONN) == 0)
    return fd;
  asb_local_set_failure (error, errno, "listen in “%s”", folder->path);
  if (fd >= 0)
    close (fd);
  return -1;
}

gboolean
asb_local_guest_is_frozen (AsbLocalFolder *folder)
{
  int process = asb_local_status_open_process (folder);
  gboolean frozen = process >= 0 && asb_local_process_is_stopped (process);

  if (process >= 0)
    close (process);
  return frozen;
}

gboolean
asb_local_guest_check_frozen (AsbLocalFolder *folder, GError **error)
{
  if (!asb_local_guest_is_frozen (folder))
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE,
               "Sandbox “%s” is paused, its guest was stopped by a signal: resume it, or delete it",
               folder->id);
  return FALSE;
}

gboolean
asb_local_guest_resume (AsbLocalFolder *folder, GError **error)
{
  int process = asb_local_status_open_process (folder);
  gboolean frozen = process >= 0 && asb_local_process_is_stopped (process);

  if (frozen && asb_local_process_signal (process, SIGCONT))
    frozen = asb_local_process_is_stopped (process);
  if (process >= 0)
    close (process);
  if (frozen)
    g_set_error (
        error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE,
        "Could not resume sandbox “%s”, its guest is held by a debugger: let that go of it",
        folder->id);
  return !frozen;
}

gboolean
asb_local_guest_set_expiry (AsbLocalFolder *folder, gint64 milliseconds, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (GIOStream) stream = asb_local_guest_connect (folder, &cause);

  if (stream && asb_local_tell_expiry (stream, milliseconds, CONNECT_SECONDS, &cause))
    return TRUE;
  /* The next one is told when it is started. */
  if (!asb_local_guest_is_listening (folder))
    return TRUE;
  g_propagate_prefixed_error (error, g_steal_pointer (&cause),
                              "Could not renew sandbox “%s”: ", folder->id);
  return FALSE;
}

static void
ask_to_end (AsbLocalFolder *folder, guint seconds, const AsbLocalMeanwhile *meanwhile)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GIOStream) stream = asb_local_guest_connect (folder, &error);

  if (stream && !asb_local_ask_to_end (stream, seconds, meanwhile, &error))
    g_debug ("Sandbox %s did not end when asked: %s", folder->id, error->message);
}

/* A signal from outside of its namespace is an order to it, and reaches it sooner than a call. */
static gboolean
end_process (int process, guint seconds, const AsbLocalMeanwhile *meanwhile)
{
  gboolean is_told = seconds > 0 && asb_local_process_signal (process, SIGTERM);

  if (is_told && meanwhile)
    meanwhile->run (meanwhile->data);
  if (is_told && asb_local_process_wait (process, (int)seconds * 1000))
    return TRUE;
  /* Its whole process namespace goes with it. */
  asb_local_process_signal (process, SIGKILL);
  return asb_local_process_wait (process, FORCE_MILLISECONDS);
}

gboolean
asb_local_guest_end (AsbLocalFolder *folder, guint seconds, const AsbLocalMeanwhile *meanwhile,
                     GError **error)
{
  int process = asb_local_status_open_process (folder);
  gboolean ended;

  if (process >= 0)
    {
      ended = end_process (process, seconds, meanwhile);
      close (process);
    }
  else
    {
      if (seconds > 0)
        ask_to_end (folder, seconds, meanwhile);
      ended = !asb_local_guest_is_listening (folder);
    }
  if (!ended)
    g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER,
                 "Could not end sandbox “%s”: its processes "
                 "do not end",
                 folder->id);
  return ended;
}

static int
take_status (AsbLocalFolder *folder, GError **error)
{
  int status = asb_local_status_open (folder);

  if (status >= 0 && asb_local_status_lock (status))
    return status;
  /* A guest that listens no more has not quite ended, or never will by itself. */
  if (status >= 0 && asb_local_status_is_locked (status)
      && asb_local_guest_end (folder, OLD_START_SECONDS, NULL, NULL)
      && fcntl (status, F_OFD_SETLKW, &(struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET })
             == 0
      && ftruncate (status, 0) == 0)
    return status;
  asb_local_set_failure (error, errno, "start sandbox “%s”, an earlier start has not ended",
                         folder->id);
  if (status >= 0)
    close (status);
  return -1;
}

typedef struct
{
  GPtrArray *command; /* of owned strings */
  AsbLocalArguments *arguments;
} Preparation;

static void
add_command_fd (Preparation *preparation, const char *option, int fd)
{
  g_ptr_array_add (preparation->command, g_strdup (option));
  g_ptr_array_add (preparation->command, g_strdup_printf ("%d", asb_local_arguments_take_fd (
                                                                    preparation->arguments, fd)));
}

/* What is owned ends with its owner, and closing a watch takes the kernel longer than to end. */
static void
add_removal (Preparation *preparation, AsbLocalFolder *folder)
{
  int watch = asb_local_removal_watch (folder);

  if (watch >= 0)
    add_command_fd (preparation, "--removal-fd", watch);
}

static gboolean
add_command (Preparation *preparation, AsbLocalFolder *folder, const AsbLocalInside *inside,
             int *ready, GError **error)
{
  GPtrArray *command = preparation->command;
  int listening = listen_fd (folder, error);
  int theirs;
  int environment;

  if (listening < 0)
    return FALSE;
  g_ptr_array_add (command, g_strdup (ASB_LOCAL_GUEST_INSIDE));
  g_ptr_array_add (command, g_strdup ("serve"));
  add_command_fd (preparation, "--listen-fd", listening);
  *ready = asb_local_readiness_open (&theirs, error);
  if (*ready < 0)
    return FALSE;
  add_command_fd (preparation, "--ready-fd", theirs);
  g_ptr_array_add (command, g_strdup ("--history-dir"));
  g_ptr_array_add (command, g_strdup (ASB_LOCAL_HISTORY_INSIDE));
  if (!inside->workdir)
    {
      g_ptr_array_add (command, g_strdup ("--record-only"));
      return TRUE;
    }
  if (inside->expire_after > 0)
    {
      g_ptr_array_add (command, g_strdup ("--expire-after"));
      g_ptr_array_add (command, g_strdup_printf ("%" G_GINT64_FORMAT, inside->expire_after));
    }
  asb_local_limits_add_options (inside->limits, command);
  environment = openat (folder->fd, ENVIRONMENT_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (environment >= 0)
    add_command_fd (preparation, "--environment-fd", environment);
  return TRUE;
}

static AsbLocalLaunch *
launch_in_scope (AsbLocalFolder *folder, const char *bubblewrap, const AsbLocalInside *inside,
                 Preparation *preparation, GCancellable *cancellable, GError **error)
{
  g_autoptr (AsbLocalScope) scope
      = asb_local_scope_new (inside->bus, preparation->arguments, error);
  g_autoptr (AsbLocalLaunch) started = NULL;

  if (!scope)
    return NULL;
  started = asb_local_launch (bubblewrap, preparation->arguments,
                              (const char *const *)preparation->command->pdata, error);
  if (!started
      || asb_local_scope_enter (scope, started, folder->id, inside->limits, cancellable, error))
    return g_steal_pointer (&started);
  asb_local_launch_end (started, TRUE);
  return NULL;
}

static AsbLocalLaunch *
launch (AsbLocalFolder *folder, const char *bubblewrap, const AsbLocalInside *inside, int liveness,
        int *ready, GCancellable *cancellable, GError **error)
{
  gboolean staged = asb_local_user_differs () || (inside->mounts && inside->mounts->len > 0);
  g_autoptr (AsbLocalArguments) arguments = asb_local_arguments_new (staged);
  g_autoptr (GPtrArray) command = g_ptr_array_new_with_free_func (g_free);
  Preparation preparation = { command, arguments };
  int status;

  if (liveness >= 0)
    liveness = asb_local_arguments_take_fd (arguments, liveness);
  status = take_status (folder, error);
  if (status < 0)
    return NULL;
  asb_local_arguments_add_fd (arguments, "--json-status-fd", status, NULL);
  if (!add_command (&preparation, folder, inside, ready, error)
      || !asb_local_inside_add (arguments, inside, error))
    return NULL;
  if (liveness >= 0)
    {
      g_ptr_array_add (command, g_strdup ("--liveness-fd"));
      g_ptr_array_add (command, g_strdup_printf ("%d", liveness));
    }
  else
    add_removal (&preparation, folder);
  g_ptr_array_add (command, NULL);
  if (inside->bus)
    return launch_in_scope (folder, bubblewrap, inside, &preparation, cancellable, error);
  return asb_local_launch (bubblewrap, arguments, (const char *const *)command->pdata, error);
}

static gboolean
wait_until_ready (AsbLocalLaunch *started, int ready, const AsbLocalMeanwhile *meanwhile,
                  GCancellable *cancellable, GError **error)
{
  if (meanwhile)
    meanwhile->run (meanwhile->data);
  return asb_local_readiness_wait (ready, asb_local_launch_get_process (started), START_SECONDS,
                                   cancellable, error);
}

gboolean
asb_local_guest_start (AsbLocalFolder *folder, const char *bubblewrap, const AsbLocalInside *inside,
                       int liveness, const AsbLocalMeanwhile *meanwhile, GCancellable *cancellable,
                       GError **error)
{
  int ready = -1;
  g_autoptr (AsbLocalLaunch) started
      = launch (folder, bubblewrap, inside, liveness, &ready, cancellable, error);
  g_autoptr (GError) cause = NULL;
  gboolean is_ready = started && wait_until_ready (started, ready, meanwhile, cancellable, &cause);
  gboolean died;
  int status;

  if (ready >= 0)
    close (ready);
  if (is_ready)
    asb_local_status_note_process (folder);
  if (is_ready || !started)
    return is_ready;
  /* One that was not ready has nothing to complete. */
  died = g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CLOSED)
         || !asb_local_guest_is_listening (folder);
  asb_local_guest_end (folder, 0, NULL, NULL);
  status = asb_local_launch_end (started, !died);
  if (died && !g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_autofree char *output = asb_local_launch_dup_output (started);

      asb_local_set_start_failure (error, output, status);
    }
  else
    g_propagate_prefixed_error (error, g_steal_pointer (&cause), "Could not start the sandbox: ");
  return FALSE;
}
