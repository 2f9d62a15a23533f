/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "serve.h"

#include "broker.h"
#include "descriptors.h"
#include "environment.h"
#include "process.h"
#include "socket-path.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool
complain (const char *what, const char *about, const char *cause)
{
  fprintf (stderr, "asb-guest: Could not %s “%s”: %s\n", what, about, cause);
  return false;
}

static bool
check_descriptor (int fd, const char *option)
{
  if (fd < 0 || fcntl (fd, F_GETFD) >= 0)
    return true;
  return complain ("use the descriptor of", option, strerrordesc_np (errno));
}

static bool
check_descriptors (const ServeOptions *options)
{
  if (!check_descriptor (options->listen_fd, "--listen-fd")
      || !check_descriptor (options->liveness_fd, "--liveness-fd")
      || !check_descriptor (options->environment_fd, "--environment-fd"))
    return false;
  if (options->listen_fd >= 0 && !descriptor_is_listening (options->listen_fd))
    return complain ("use the descriptor of", "--listen-fd", "It is not a listening socket");
  return true;
}

static bool
close_inherited (const ServeOptions *options, int ready_fd)
{
  int kept[] = { options->listen_fd, options->liveness_fd, options->environment_fd, ready_fd };

  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (kept[i] >= 0)
      descriptor_set_cloexec (kept[i]);
  descriptors_close_except (kept, sizeof kept / sizeof *kept);
  return descriptors_open_standard ();
}

static bool
load_environment (Environment *environment, const ServeOptions *options)
{
  const char *reason;
  bool done = environment_load (environment, environ, options->environment_fd, &reason);

  if (options->environment_fd >= 0)
    close (options->environment_fd);
  return done ? true : complain ("read the environment of", "--environment-fd", reason);
}

static int
run (const ServeOptions *options, int listen_fd, int ready_fd, const Environment *environment,
     const ProcessState *process)
{
  BrokerOptions broker = { .listen_fd = listen_fd,
                           .liveness_fd = options->liveness_fd,
                           .history_dir = options->history_dir,
                           .record_only = options->record_only,
                           .environment = environment,
                           .process = process,
                           .command_limits = options->command_limits };

  if (ready_fd >= 0)
    close (ready_fd);
  return broker_run (&broker);
}

static int
serve_with (const ServeOptions *options, int ready_fd, const Environment *environment,
            const ProcessState *process)
{
  SocketPath path = { 0 };
  int listen_fd = options->listen_fd;
  int status;

  if (listen_fd < 0)
    {
      SocketPathStatus bound = socket_path_bind (&path, options->socket_path, &listen_fd);

      if (bound == SOCKET_PATH_TAKEN)
        return 0;
      if (bound == SOCKET_PATH_FAILED)
        {
          complain ("listen at", options->socket_path, strerrordesc_np (errno));
          return 1;
        }
    }
  status = run (options, listen_fd, ready_fd, environment, process);
  socket_path_release (&path);
  return status;
}

int
serve (const ServeOptions *options, int ready_fd)
{
  ProcessState process;
  Environment environment = { 0 };
  int status = 1;

  process_harden (&process);
  if (check_descriptors (options) && close_inherited (options, ready_fd)
      && load_environment (&environment, options))
    status = serve_with (options, ready_fd, &environment, &process);
  environment_clear (&environment);
  return status;
}
