/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "serve.h"

#include "ask.h"
#include "asb-wire-json.h"
#include "broker.h"
#include "descriptors.h"
#include "environment.h"
#include "process.h"
#include "socket-path.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Who waits for the guest to be ready. */
typedef struct
{
  const ServeOptions *options;
  bool in_background;
  int fd; /* where they read; −1: nowhere */
} Waiting;

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
      || !check_descriptor (options->removal_fd, "--removal-fd")
      || !check_descriptor (options->environment_fd, "--environment-fd")
      || !check_descriptor (options->token_fd, "--token-fd")
      || !check_descriptor (options->ready_fd, "--ready-fd"))
    return false;
  if (options->listen_fd >= 0 && !descriptor_is_listening (options->listen_fd))
    return complain ("use the descriptor of", "--listen-fd", "It is not a listening socket");
  return true;
}

static bool
close_inherited (const Waiting *waiting, const ProcessState *process)
{
  const ServeOptions *options = waiting->options;
  int kept[]
      = { options->listen_fd, options->liveness_fd, options->removal_fd, options->environment_fd,
          options->token_fd,  options->ready_fd,    waiting->fd,         process->oom_score_fd };

  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (kept[i] > STDERR_FILENO)
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

/* One line of printable characters without spaces, from a descriptor. */
static bool
load_token (const ServeOptions *options, char token[TOKEN_MAX_SIZE + 2])
{
  size_t size = 0;
  ssize_t n;

  if (options->token_fd < 0)
    return true;
  do
    {
      n = read (options->token_fd, token + size, TOKEN_MAX_SIZE + 1 - size);
      if (n > 0)
        size += (size_t)n;
    }
  while ((n > 0 && size <= TOKEN_MAX_SIZE) || (n < 0 && errno == EINTR));
  close (options->token_fd);
  if (size > 0 && token[size - 1] == '\n')
    size--;
  token[size] = '\0';
  if (n < 0 || !token_is_valid (token, size))
    return complain ("read the token of", "--token-fd",
                     n < 0 ? strerrordesc_np (errno)
                           : "It is not of 16 to 128 printable characters");
  return true;
}

/* The program that started us waits for it to be at its end. */
static void
let_go_of (int standard_fd)
{
  int fd = open ("/dev/null", O_RDWR | O_NOCTTY | O_CLOEXEC);

  if (fd >= 0)
    dup2 (fd, standard_fd);
  if (fd > standard_fd)
    close (fd);
}

/* Standard output must not be what our helper processes have as theirs. */
static void
find_who_waits (Waiting *waiting)
{
  if (waiting->in_background)
    waiting->fd = STDERR_FILENO;
  else if (waiting->options->listens)
    {
      waiting->fd = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
      let_go_of (STDOUT_FILENO);
    }
}

static void
tell_ready (int fd)
{
  char ready = SERVE_IS_READY;

  if (fd < 0)
    return;
  if (write (fd, &ready, 1) < 0)
    complain ("write to the descriptor of", "--ready-fd", strerrordesc_np (errno));
  close (fd);
}

static void
announce (void *data, json_t *door)
{
  Waiting *waiting = data;
  char *line = asb_wire_json_dump (door);

  tell_ready (waiting->options->ready_fd);

  if (waiting->in_background)
    {
      dprintf (waiting->fd, "%c%s%s", SERVE_IS_READY, line ? line : "", "\n");
      let_go_of (waiting->fd);
    }
  else if (line && waiting->fd >= 0)
    {
      if (dprintf (waiting->fd, "%s\n", line) < 0)
        fprintf (stderr, "asb-guest: Could not write to standard output: %s\n",
                 strerrordesc_np (errno));
      close (waiting->fd);
    }
  waiting->fd = -1;
  free (line);
}

static int
run (Waiting *waiting, int listen_fd, const char *token, const Environment *environment,
     const ProcessState *process)
{
  const ServeOptions *options = waiting->options;
  BrokerOptions broker = { .listen_fd = listen_fd,
                           .liveness_fd = options->liveness_fd,
                           .removal_fd = options->removal_fd,
                           .expire_after = options->expire_after,
                           .history_dir = options->history_dir,
                           .record_only = options->record_only,
                           .checks_peers = options->listen_fd < 0,
                           .listens = options->listens,
                           .port = options->port,
                           .token = options->token_fd >= 0 ? token : NULL,
                           .environment = environment,
                           .process = process,
                           .command_limits = options->command_limits,
                           .ready = announce,
                           .data = waiting };

  return broker_run (&broker);
}

/* Another serves there, and shall listen for us too. */
static int
leave_it_to_another (Waiting *waiting, const char *token)
{
  const ServeOptions *options = waiting->options;
  char problem[ASK_PROBLEM_SIZE];
  json_t *args;
  json_t *door;

  if (!options->listens)
    {
      announce (waiting, NULL);
      return 0;
    }
  args = json_pack ("{s:i, s:s*}", "port", (int)options->port, "token",
                    options->token_fd >= 0 ? token : NULL);
  door = ask_guest (options->socket_path, "guest.listen", args, problem);
  json_decref (args);
  if (door)
    announce (waiting, door);
  else
    complain ("have the guest listen that serves at", options->socket_path, problem);
  json_decref (door);
  return door ? 0 : 1;
}

static int
serve_with (Waiting *waiting, const char *token, const Environment *environment,
            const ProcessState *process)
{
  const ServeOptions *options = waiting->options;
  SocketPath path = { 0 };
  int listen_fd = options->listen_fd;
  int status;

  if (listen_fd < 0)
    {
      SocketPathStatus bound = socket_path_bind (&path, options->socket_path, &listen_fd);

      if (bound == SOCKET_PATH_TAKEN)
        return leave_it_to_another (waiting, token);
      if (bound == SOCKET_PATH_FAILED)
        {
          complain ("listen at", options->socket_path,
                    path.problem ? path.problem : strerrordesc_np (errno));
          return 1;
        }
    }
  if (options->listen_fd < 0)
    ask_older_to_drain (options->socket_path);
  status = run (waiting, listen_fd, token, environment, process);
  socket_path_release (&path);
  return status;
}

int
serve (const ServeOptions *options, bool in_background)
{
  Waiting waiting = { .options = options, .in_background = in_background, .fd = -1 };
  ProcessState process;
  Environment environment = { 0 };
  char token[TOKEN_MAX_SIZE + 2];
  int status = 1;

  process_harden (&process);
  if (!check_descriptors (options))
    return 1;
  find_who_waits (&waiting);
  if (close_inherited (&waiting, &process) && load_environment (&environment, options)
      && load_token (options, token))
    status = serve_with (&waiting, token, &environment, &process);
  environment_clear (&environment);
  return status;
}
