/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-container.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixinputstream.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lookalike-json.h"
#include "lookalike-process.h"

#define STATUS_FD 3
#define READY_FD 4
#define MARK "LOOKALIKE_SANDBOX"

/* A start that has not ended. */
typedef struct
{
  LookalikeSandbox *sandbox;
  LookalikeStartedFunc started;
  gpointer user_data;
  GInputStream *ready;
  int words_fd; /* what bubblewrap complains of */
  char byte[8];
} Start;

static void
start_free (Start *start)
{
  g_clear_object (&start->ready);
  if (start->words_fd >= 0)
    close (start->words_fd);
  lookalike_sandbox_unref (start->sandbox);
  g_free (start);
}

static gboolean
look_at_namespace (int pid, struct stat *info)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/ns/pid", pid);

  return stat (path, info) == 0;
}

/* Whether a process is in there, whoever else had its number before. */
static gboolean
is_inside (LookalikeSandbox *sandbox, int pid)
{
  struct stat own, its;

  return sandbox->namespace_fd >= 0 && fstat (sandbox->namespace_fd, &own) == 0
         && look_at_namespace (pid, &its) && own.st_ino == its.st_ino && own.st_dev == its.st_dev;
}

void
lookalike_container_hurry (LookalikeSandbox *sandbox)
{
  if (is_inside (sandbox, sandbox->holder))
    kill (sandbox->holder, SIGKILL);
}

/* As the kernel ends a container: nothing in it sees how another thing in it ends. It ends a
 * namespace itself when its first process ends. */
static void
end_all (LookalikeSandbox *sandbox)
{
  if (sandbox->lookalike->confined)
    {
      lookalike_container_hurry (sandbox);
      return;
    }
  lookalike_sandbox_signal_all (sandbox, SIGSTOP);
  lookalike_sandbox_signal_all (sandbox, SIGKILL);
}

void
lookalike_container_settle (LookalikeSandbox *sandbox)
{
  g_autofree char *message = NULL;

  if (!sandbox->ended || sandbox->gone || sandbox->execd == NULL)
    return;
  end_all (sandbox);
  /* Its number may soon be that of any process of this machine. */
  if (sandbox->holder > 0)
    sandbox->holder = -1;
  lookalike_listener_close (sandbox->execd);
  if (sandbox->sidecar != NULL)
    lookalike_listener_close (sandbox->sidecar);
  message = sandbox->exit_code == 0
                ? g_strdup ("Sandbox container exited successfully.")
                : g_strdup_printf ("Sandbox container exited with code %d.", sandbox->exit_code);
  if (sandbox->exit_code == 0)
    lookalike_sandbox_set_state (sandbox, LOOKALIKE_STATE_TERMINATED, "CONTAINER_EXITED", message);
  else
    lookalike_sandbox_set_state (sandbox, LOOKALIKE_STATE_FAILED, "CONTAINER_EXITED_ERROR",
                                 message);
}

static void
end (LookalikeSandbox *sandbox, int exit_code)
{
  sandbox->ended = TRUE;
  sandbox->exit_code = exit_code;
  lookalike_container_settle (sandbox);
}

static void
container_ended_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (LookalikeSandbox) sandbox = user_data;
  GSubprocess *container = G_SUBPROCESS (object);

  g_subprocess_wait_finish (container, result, NULL);
  if (sandbox->container == container)
    end (sandbox, g_subprocess_get_if_exited (container)
                      ? g_subprocess_get_exit_status (container)
                      : 128 + g_subprocess_get_term_sig (container));
}

static int
read_child_pid (int status_fd)
{
  char text[4096];
  gssize length = read (status_fd, text, sizeof text);
  char *end_of_line = length > 0 ? memchr (text, '\n', (gsize)length) : NULL;
  g_autoptr (JsonNode) node = NULL;

  if (end_of_line == NULL)
    return 0;
  node = lookalike_json_parse (text, (gsize)(end_of_line - text), NULL);
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return 0;
  return (int)lookalike_json_get_int (json_node_get_object (node), "child-pid", 0);
}

static gboolean
take_root (LookalikeSandbox *sandbox, const char *path, GError **error)
{
  sandbox->root_fd = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (sandbox->root_fd >= 0)
    return TRUE;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "Could not look into “%s”: %s",
               path, g_strerror (errno));
  return FALSE;
}

/* Never that of this machine's own processes: all in it is ended some day. */
static void
take_namespace (LookalikeSandbox *sandbox)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/ns/pid", sandbox->holder);

  sandbox->namespace_fd = sandbox->holder > 0 ? open (path, O_RDONLY | O_CLOEXEC) : -1;
  if (!is_inside (sandbox, getpid ()))
    return;
  close (sandbox->namespace_fd);
  sandbox->namespace_fd = -1;
}

static char *
dup_last_words (Start *start)
{
  char text[1024];
  off_t size = lseek (start->words_fd, 0, SEEK_END);
  gssize length = pread (start->words_fd, text, sizeof text, MAX (size - (off_t)sizeof text, 0));

  return length > 0 ? g_strchomp (g_utf8_make_valid (text, length))
                    : g_strdup ("it ended without a word");
}

static void
ready_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Start *start = user_data;
  LookalikeSandbox *sandbox = start->sandbox;
  gssize got = g_input_stream_read_finish (G_INPUT_STREAM (object), result, NULL);
  g_autoptr (GError) error = NULL;

  if (got > 0)
    {
      g_autofree char *root = NULL;

      sandbox->holder = read_child_pid (sandbox->status_fd);
      take_namespace (sandbox);
      root = g_strdup_printf ("/proc/%d/root", sandbox->holder);
      /* It may have ended already. */
      if (sandbox->namespace_fd < 0 || !take_root (sandbox, root, NULL))
        take_root (sandbox, sandbox->root_path, &error);
    }
  else
    {
      g_autofree char *words = dup_last_words (start);

      g_set_error (&error, G_IO_ERROR, G_IO_ERROR_FAILED, "bubblewrap could not start it: %s",
                   words);
    }
  start->started (sandbox, error, start->user_data);
  start_free (start);
}

static GPtrArray *
make_arguments (LookalikeSandbox *sandbox, const LookalikeImage *image)
{
  g_autofree char *hostname = g_strndup (sandbox->id, 12);
  GPtrArray *arguments
      = lookalike_image_make_arguments (image, sandbox->root_path, hostname, STATUS_FD);

  g_ptr_array_add (arguments, g_strdup ("/bin/sh"));
  g_ptr_array_add (arguments, g_strdup ("-c"));
  g_ptr_array_add (arguments, g_strdup ("echo ready >&4; exec 2>/dev/null 3>&- 4>&-; exec \"$@\""));
  g_ptr_array_add (arguments, g_strdup ("sh"));
  for (guint i = 0; i < json_array_get_length (sandbox->entrypoint); i++)
    g_ptr_array_add (arguments, g_strdup (json_array_get_string_element (sandbox->entrypoint, i)));
  g_ptr_array_add (arguments, NULL);
  return arguments;
}

/* A file and no pipe, which nobody would have to empty. */
static gboolean
take_words (Start *start, GSubprocessLauncher *launcher, GError **error)
{
  int copy;

  start->words_fd = memfd_create ("bubblewrap", MFD_CLOEXEC);
  copy = start->words_fd >= 0 ? fcntl (start->words_fd, F_DUPFD_CLOEXEC, 10) : -1;
  if (copy < 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
                   "Could not make a file for what bubblewrap says: %s", g_strerror (errno));
      return FALSE;
    }
  g_subprocess_launcher_take_stderr_fd (launcher, copy);
  return TRUE;
}

static gboolean
start_confined (LookalikeSandbox *sandbox, const LookalikeImage *image, Start *start,
                GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autoptr (GPtrArray) arguments = make_arguments (sandbox, image);
  int status[2], ready[2];

  if (!take_words (start, launcher, error) || !g_unix_open_pipe (status, FD_CLOEXEC, error))
    return FALSE;
  /* Open until the end: bubblewrap writes the exit code there. */
  sandbox->status_fd = status[0];
  g_subprocess_launcher_take_fd (launcher, status[1], STATUS_FD);
  if (!g_unix_open_pipe (ready, FD_CLOEXEC, error))
    return FALSE;
  start->ready = g_unix_input_stream_new (ready[0], TRUE);
  g_subprocess_launcher_take_fd (launcher, ready[1], READY_FD);
  g_subprocess_launcher_set_environ (launcher, sandbox->environment);
  sandbox->container
      = g_subprocess_launcher_spawnv (launcher, (const char *const *)arguments->pdata, error);
  if (sandbox->container == NULL)
    return FALSE;
  g_subprocess_wait_async (sandbox->container, NULL, container_ended_cb,
                           lookalike_sandbox_ref (sandbox));
  return TRUE;
}

static void
plain_ended_cb (LookalikeProcess *process, gpointer user_data)
{
  end (user_data, process->exit_code);
}

static gboolean
start_plain (LookalikeSandbox *sandbox, GError **error)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  LookalikeProcessSpec spec = { .cwd_fd = -1,
                                .stdin_fd = -1,
                                .stdout_fd = -1,
                                .stderr_fd = -1,
                                .uid = -1,
                                .gid = -1,
                                .ended = plain_ended_cb,
                                .user_data = sandbox };

  if (!take_root (sandbox, sandbox->root_path, error))
    return FALSE;
  sandbox->environment = g_environ_setenv (sandbox->environment, MARK, sandbox->id, TRUE);
  for (guint i = 0; i < json_array_get_length (sandbox->entrypoint); i++)
    g_ptr_array_add (arguments, (char *)json_array_get_string_element (sandbox->entrypoint, i));
  g_ptr_array_add (arguments, NULL);
  spec.argv = (const char *const *)arguments->pdata;
  spec.environment = sandbox->environment;
  sandbox->entry = lookalike_process_start (sandbox, &spec, error);
  return sandbox->entry != NULL;
}

void
lookalike_container_start (LookalikeSandbox *sandbox, const LookalikeImage *image,
                           LookalikeStartedFunc started, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  Start *start;

  if (!sandbox->lookalike->confined)
    {
      start_plain (sandbox, &error);
      started (sandbox, error, user_data);
      return;
    }
  start = g_new0 (Start, 1);
  start->words_fd = -1;
  start->sandbox = lookalike_sandbox_ref (sandbox);
  start->started = started;
  start->user_data = user_data;
  if (start_confined (sandbox, image, start, &error))
    {
      g_input_stream_read_async (start->ready, start->byte, sizeof start->byte, G_PRIORITY_DEFAULT,
                                 NULL, ready_cb, start);
      return;
    }
  started (sandbox, error, user_data);
  start_free (start);
}

static gboolean
has_mark (LookalikeSandbox *sandbox, const char *pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%s/environ", pid);
  g_autofree char *mark = g_strdup_printf (MARK "=%s", sandbox->id);
  g_autofree char *contents = NULL;
  gsize size;

  return g_file_get_contents (path, &contents, &size, NULL)
         && memmem (contents, size, mark, strlen (mark)) != NULL;
}

/* How many it found that it had not found before. */
static guint
signal_once (LookalikeSandbox *sandbox, int signal_number, GHashTable *seen)
{
  g_autoptr (GDir) folder = g_dir_open ("/proc", 0, NULL);
  const char *name;
  guint found = 0;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      int pid = atoi (name);

      if (pid <= 1 || pid == getpid () || g_hash_table_contains (seen, GINT_TO_POINTER (pid)))
        continue;
      if (sandbox->lookalike->confined ? !is_inside (sandbox, pid) : !has_mark (sandbox, name))
        continue;
      kill (pid, signal_number);
      g_hash_table_add (seen, GINT_TO_POINTER (pid));
      found++;
    }
  return found;
}

/* Until a pass finds nothing new: what is not stopped yet can fork. */
void
lookalike_sandbox_signal_all (LookalikeSandbox *sandbox, int signal_number)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  if (sandbox->lookalike->confined && sandbox->namespace_fd < 0)
    return;
  while (signal_once (sandbox, signal_number, seen) > 0)
    ;
}

void
lookalike_container_kill (LookalikeSandbox *sandbox)
{
  g_autoptr (GSubprocess) container = g_steal_pointer (&sandbox->container);

  end_all (sandbox);
  if (sandbox->entry != NULL)
    lookalike_process_forget (sandbox->entry);
  g_clear_pointer (&sandbox->entry, lookalike_process_unref);
  if (container != NULL)
    {
      g_subprocess_force_exit (container);
      g_subprocess_wait (container, NULL, NULL);
    }
  if (sandbox->status_fd >= 0)
    close (sandbox->status_fd);
  if (sandbox->root_fd >= 0)
    close (sandbox->root_fd);
  if (sandbox->namespace_fd >= 0)
    close (sandbox->namespace_fd);
  sandbox->status_fd = sandbox->root_fd = sandbox->namespace_fd = -1;
}
