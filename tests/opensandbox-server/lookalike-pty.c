/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-pty.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lookalike-execd.h"
#include "lookalike-paths.h"
#include "lookalike-process.h"
#include "lookalike-sandbox.h"

#define AT_ONCE 32768
#define OPCODE_STDOUT 0x01
#define OPCODE_STDERR 0x02

typedef struct
{
  LookalikePty *pty;
  guint8 opcode;
  int fd;
  gboolean late; /* what there is will be read in a moment */
  GSource *source;
} Output;

struct _LookalikePty
{
  LookalikeSandbox *sandbox; /* not owned: it owns us */
  char *id;
  char *cwd;
  char *command;
  LookalikeReplay replay;
  LookalikeProcess *process;
  gboolean terminal;
  gboolean held;
  Output outputs[2];
  int input_fd;
  GByteArray *input;
  GSource *input_source;
  const LookalikePtyEvents *events;
  gpointer events_data;
  LookalikePtyClient *client;
};

LookalikePty *
lookalike_pty_new (LookalikeSandbox *sandbox, const char *cwd, const char *command)
{
  LookalikePty *self = g_rc_box_new0 (LookalikePty);

  self->sandbox = sandbox;
  self->id = g_uuid_string_random ();
  self->cwd = g_strdup (cwd);
  self->command = g_strdup (command);
  self->input = g_byte_array_new ();
  self->input_fd = -1;
  for (guint i = 0; i < 2; i++)
    self->outputs[i] = (Output){ self, (guint8)(OPCODE_STDOUT + i), -1, FALSE, NULL };
  lookalike_replay_init (&self->replay);
  return self;
}

LookalikePty *
lookalike_pty_ref (LookalikePty *self)
{
  return g_rc_box_acquire (self);
}

static void
drop_source (GSource **source)
{
  if (*source != NULL)
    g_source_destroy (*source);
  g_clear_pointer (source, g_source_unref);
}

static void
close_descriptors (LookalikePty *self)
{
  drop_source (&self->input_source);
  for (guint i = 0; i < 2; i++)
    {
      drop_source (&self->outputs[i].source);
      if (self->outputs[i].fd >= 0)
        close (self->outputs[i].fd);
      if (self->input_fd == self->outputs[i].fd)
        self->input_fd = -1;
      self->outputs[i].fd = -1;
    }
  if (self->input_fd >= 0)
    close (self->input_fd);
  self->input_fd = -1;
  g_byte_array_set_size (self->input, 0);
}

static void
clear (gpointer data)
{
  LookalikePty *self = data;

  close_descriptors (self);
  if (self->process != NULL)
    lookalike_process_forget (self->process);
  g_clear_pointer (&self->process, lookalike_process_unref);
  g_clear_pointer (&self->input, g_byte_array_unref);
  lookalike_replay_clear (&self->replay);
  g_free (self->id);
  g_free (self->cwd);
  g_free (self->command);
}

void
lookalike_pty_unref (LookalikePty *self)
{
  g_rc_box_release_full (self, clear);
}

void
lookalike_pty_remove (LookalikePty *self)
{
  if (self->process != NULL)
    lookalike_process_signal_group (self->process, SIGKILL);
  lookalike_pty_unref (self);
}

const char *
lookalike_pty_get_id (LookalikePty *self)
{
  return self->id;
}

gboolean
lookalike_pty_is_running (LookalikePty *self)
{
  return self->process != NULL;
}

gboolean
lookalike_pty_is_terminal (LookalikePty *self)
{
  return self->terminal;
}

LookalikeReplay *
lookalike_pty_get_replay (LookalikePty *self)
{
  return &self->replay;
}

/* FALSE: there is no more to come. */
static gboolean
read_output (Output *output)
{
  LookalikePty *self = output->pty;
  guint8 buffer[AT_ONCE];
  gssize got = read (output->fd, buffer, sizeof buffer);

  if (got < 0 && (errno == EAGAIN || errno == EINTR))
    return TRUE;
  if (got <= 0)
    return FALSE;
  lookalike_replay_add (&self->replay, buffer, (gsize)got);
  if (self->events != NULL)
    self->events->output (self, output->opcode, buffer, (gsize)got, self->events_data);
  return TRUE;
}

static void watch_output (Output *output);

static gboolean
late_cb (gpointer data)
{
  Output *output = data;
  g_autoptr (LookalikePty) self = lookalike_pty_ref (output->pty);
  gboolean more = read_output (output);

  drop_source (&output->source);
  output->late = FALSE;
  if (more && !self->held)
    watch_output (output);
  return G_SOURCE_REMOVE;
}

/* So that the end of the shell comes before its last words. */
static void
read_later (Output *output)
{
  const LookalikeConfig *config = &output->pty->sandbox->lookalike->config;

  drop_source (&output->source);
  output->late = TRUE;
  output->source = g_timeout_source_new ((guint)MAX (config->tail_ms, 1));
  g_source_set_callback (output->source, late_cb, output, NULL);
  g_source_attach (output->source, NULL);
}

static gboolean
output_cb (gint fd, GIOCondition condition, gpointer data)
{
  Output *output = data;
  g_autoptr (LookalikePty) self = lookalike_pty_ref (output->pty);

  if (self->sandbox->lookalike->config.early_exit)
    {
      read_later (output);
      return G_SOURCE_REMOVE;
    }
  if (read_output (output))
    return output->source != NULL ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
  g_clear_pointer (&output->source, g_source_unref);
  return G_SOURCE_REMOVE;
}

static void
watch_output (Output *output)
{
  if (output->fd < 0 || output->source != NULL)
    return;
  output->source = g_unix_fd_source_new (output->fd, G_IO_IN | G_IO_HUP | G_IO_ERR);
  g_source_set_callback (output->source, (GSourceFunc)(void (*) (void))output_cb, output, NULL);
  g_source_attach (output->source, NULL);
}

static void
take_output (LookalikePty *self, guint index, int fd)
{
  self->outputs[index].fd = fd;
  fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) | O_NONBLOCK);
  watch_output (&self->outputs[index]);
}

void
lookalike_pty_hold_output (LookalikePty *self, gboolean hold)
{
  if (self->held == hold)
    return;
  self->held = hold;
  for (guint i = 0; i < 2; i++)
    if (hold)
      drop_source (&self->outputs[i].source);
    else
      watch_output (&self->outputs[i]);
}

static void
drain (Output *output)
{
  gint64 before;

  if (output->fd < 0)
    return;
  do
    before = output->pty->replay.total;
  while (read_output (output) && output->pty->replay.total > before);
}

static void
tell_end (LookalikePty *self, int exit_code)
{
  if (self->events != NULL)
    self->events->ended (self, exit_code, self->events_data);
}

/* What was said before the end comes before it, unless that is to be as with a real execd, which
 * tells of the end without regard to the rest: that is in the replay, and of a terminal is lost. */
static void
ended_cb (LookalikeProcess *process, gpointer user_data)
{
  g_autoptr (LookalikePty) self = lookalike_pty_ref (user_data);
  int exit_code = process->exit_code;
  gboolean early = self->sandbox->lookalike->config.early_exit;

  g_clear_pointer (&self->process, lookalike_process_unref);
  if (early)
    tell_end (self, exit_code);
  for (guint i = 0; i < 2 && !(early && self->terminal); i++)
    drain (&self->outputs[i]);
  close_descriptors (self);
  self->held = FALSE;
  if (!early)
    tell_end (self, exit_code);
}

static int
open_terminal (LookalikePty *self, int *slave, GError **error)
{
  int master = self->sandbox->lookalike->confined
                   ? lookalike_path_open (self->sandbox, "/dev/ptmx", O_RDWR | O_NOCTTY, 0)
                   : posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct winsize size = { .ws_col = 80, .ws_row = 24 };
  int unlocked = 0;

  if (master >= 0 && ioctl (master, TIOCSPTLCK, &unlocked) == 0
      && ioctl (master, TIOCSWINSZ, &size) == 0
      && (*slave = ioctl (master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC)) >= 0)
    return master;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "pty.StartWithSize: %s",
               g_strerror (errno));
  if (master >= 0)
    close (master);
  return -1;
}

static gboolean
prepare_terminal (LookalikePty *self, LookalikeProcessSpec *spec, int ours[3], GError **error)
{
  int slave;

  ours[0] = open_terminal (self, &slave, error);
  if (ours[0] < 0)
    return FALSE;
  spec->tty = TRUE;
  spec->stdin_fd = slave;
  spec->stdout_fd = fcntl (slave, F_DUPFD_CLOEXEC, 10);
  spec->stderr_fd = fcntl (slave, F_DUPFD_CLOEXEC, 10);
  return TRUE;
}

static gboolean
prepare_pipes (LookalikeProcessSpec *spec, int ours[3], GError **error)
{
  int pipes[3][2];

  for (guint i = 0; i < 3; i++)
    if (!g_unix_open_pipe (pipes[i], FD_CLOEXEC, error))
      return FALSE;
  spec->stdin_fd = pipes[2][0];
  spec->stdout_fd = pipes[0][1];
  spec->stderr_fd = pipes[1][1];
  ours[0] = pipes[0][0];
  ours[1] = pipes[1][0];
  ours[2] = pipes[2][1];
  return TRUE;
}

static void
take_descriptors (LookalikePty *self, const int ours[3])
{
  take_output (self, 0, ours[0]);
  if (self->terminal)
    {
      self->input_fd = ours[0];
      return;
    }
  take_output (self, 1, ours[1]);
  self->input_fd = ours[2];
  fcntl (self->input_fd, F_SETFL, fcntl (self->input_fd, F_GETFL) | O_NONBLOCK);
}

gboolean
lookalike_pty_start (LookalikePty *self, gboolean terminal, GError **error)
{
  const char *argv[] = { "bash", "--norc", "--noprofile", "-c", self->command, NULL };
  int cwd = lookalike_execd_open_cwd (self->sandbox, self->cwd, error);
  LookalikeProcessSpec spec = { .argv = argv,
                                .environment = self->sandbox->environment,
                                .cwd_fd = cwd,
                                .stdin_fd = -1,
                                /* A shell has started execd in the background. */
                                .ignores_interrupt = TRUE,
                                .uid = -1,
                                .gid = -1,
                                .ended = ended_cb,
                                .user_data = self };
  int ours[3] = { -1, -1, -1 };

  if (cwd < 0)
    return FALSE;
  if (self->command == NULL || self->command[0] == '\0')
    argv[3] = NULL;
  self->terminal = terminal;
  if (terminal ? prepare_terminal (self, &spec, ours, error) : prepare_pipes (&spec, ours, error))
    self->process = lookalike_process_start (self->sandbox, &spec, error);
  close (cwd);
  if (self->process != NULL)
    take_descriptors (self, ours);
  for (guint i = 0; i < 3 && self->process == NULL; i++)
    if (ours[i] >= 0)
      close (ours[i]);
  return self->process != NULL;
}

static gboolean
write_cb (gint fd, GIOCondition condition, gpointer data)
{
  LookalikePty *self = data;
  gssize written = write (fd, self->input->data, self->input->len);

  if (written < 0 && (errno == EAGAIN || errno == EINTR))
    return G_SOURCE_CONTINUE;
  g_byte_array_remove_range (self->input, 0, written > 0 ? (guint)written : self->input->len);
  if (self->input->len > 0)
    return G_SOURCE_CONTINUE;
  g_clear_pointer (&self->input_source, g_source_unref);
  return G_SOURCE_REMOVE;
}

void
lookalike_pty_write (LookalikePty *self, const guint8 *bytes, gsize size)
{
  if (self->input_fd < 0 || size == 0)
    return;
  g_byte_array_append (self->input, bytes, (guint)size);
  if (self->input_source != NULL)
    return;
  self->input_source = g_unix_fd_source_new (self->input_fd, G_IO_OUT);
  g_source_set_callback (self->input_source, (GSourceFunc)(void (*) (void))write_cb, self, NULL);
  g_source_attach (self->input_source, NULL);
}

void
lookalike_pty_signal (LookalikePty *self, const char *name)
{
  static const struct
  {
    const char *name;
    int number;
  } signals[] = { { "SIGINT", SIGINT },
                  { "SIGTERM", SIGTERM },
                  { "SIGKILL", SIGKILL },
                  { "SIGQUIT", SIGQUIT },
                  { "SIGHUP", SIGHUP } };

  for (guint i = 0; i < G_N_ELEMENTS (signals) && name != NULL && self->process != NULL; i++)
    if (strcmp (signals[i].name, name) == 0)
      lookalike_process_signal_group (self->process, signals[i].number);
}

void
lookalike_pty_resize (LookalikePty *self, int columns, int rows)
{
  struct winsize size = { .ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows };

  if (self->terminal && self->input_fd >= 0 && columns > 0 && rows > 0)
    ioctl (self->input_fd, TIOCSWINSZ, &size);
}

void
lookalike_pty_set_events (LookalikePty *self, const LookalikePtyEvents *events, gpointer data)
{
  self->events = events;
  self->events_data = data;
}

LookalikePtyClient *
lookalike_pty_get_client (LookalikePty *self)
{
  return self->client;
}

void
lookalike_pty_set_client (LookalikePty *self, LookalikePtyClient *client)
{
  self->client = client;
}
