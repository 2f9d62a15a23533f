/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a sandbox may take of the machine: bombs of all kinds stay in their sandbox, and the guest
 * works on. */

#include "local-test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MIB (1024 * 1024)

static AsbSandboxInfo *
create_with (LocalTest *test, const char *first, ...)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbResourceLimits) limits = asb_resource_limits_new ();
  va_list properties;

  va_start (properties, first);
  g_object_set_valist (G_OBJECT (limits), first, properties);
  va_end (properties);
  asb_sandbox_spec_set_limits (spec, limits);
  return local_test_create (test->provider, spec);
}

/* Returns: the number the probe told; *@reason is what came then. */
static int
take (LocalTest *test, AsbSandboxInfo *info, const char *verb, const char *argument, char **reason)
{
  const char *arguments[] = { verb, argument, NULL };
  g_autofree char *told = local_test_probe (test, local_test_id (info), arguments);
  g_auto (GStrv) words = g_strsplit_set (told, " \n", -1);

  g_assert_cmpuint (g_strv_length (words), ==, 5);
  *reason = g_strdup (words[3]);
  return (int)g_ascii_strtoll (told, NULL, 10);
}

static void
assert_works (LocalTest *test, AsbSandboxInfo *info)
{
  g_autofree char *told
      = local_test_shell (test->provider, local_test_id (info), NULL, "echo works");

  g_assert_cmpstr (told, ==, "works\n");
}

static void
test_processes (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_with (test, "processes", (guint64)50, NULL);
  g_autofree char *reason = NULL;
  int count = take (test, info, "forks", NULL, &reason);

  if (count == 0)
    {
      g_test_skip ("This kernel counts the processes of a user in all sandboxes together");
      return;
    }
  g_assert_cmpint (count, <, 50);
  g_assert_cmpstr (reason, ==, "EAGAIN");
  assert_works (test, info);
}

/* A bomb that nobody ends: others can still work beside it, and it ends with the sandbox. */
static void
test_fork_bomb (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_with (test, "processes", (guint64)60, NULL);
  g_autoptr (AsbSandboxInfo) other = local_test_create (test->provider, NULL);
  g_autofree char *folder = local_test_path (test, local_test_id (info), "");
  int guest = local_test_open_process (local_test_guest_pid (folder));
  g_autofree char *reason = NULL;
  int count = take (test, info, "bomb", NULL, &reason);

  if (count == 0)
    {
      g_test_skip ("This kernel counts the processes of a user in all sandboxes together");
      close (guest);
      return;
    }
  g_assert_cmpint (count, <, 60);
  g_assert_cmpstr (reason, ==, "EAGAIN");
  assert_works (test, other);
  assert_works (test, info);
  local_test_delete (test->provider, local_test_id (info));
  g_assert_true (local_test_wait_for_end (guest, 60000));
  close (guest);
}

static void
test_memory (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_with (test, "memory-bytes", (guint64)100 * MIB, NULL);
  g_autofree char *reason = NULL;
  int count = take (test, info, "memory", NULL, &reason);

  g_assert_cmpint (count, >, 10);
  g_assert_cmpint (count, <=, 100);
  g_assert_cmpstr (reason, ==, "ENOMEM");
  assert_works (test, info);
}

/* A file in memory is no memory of a process. */
static void
test_files_in_memory (LocalTest *test, gconstpointer data)
{
  static const char *const paths[] = { "/dev/shm/file", "/run/file" };
  g_autoptr (AsbSandboxInfo) info = create_with (test, "memory-bytes", (guint64)40 * MIB, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autofree char *reason = NULL;
      int count = take (test, info, "file", paths[i], &reason);

      g_assert_cmpint (count, >, 10);
      g_assert_cmpint (count, <=, 40);
      g_assert_cmpstr (reason, ==, "ENOSPC");
    }
  assert_works (test, info);
}

static void
test_file_size (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_with (test, "file-size-bytes", (guint64)3 * MIB, NULL);
  g_autofree char *reason = NULL;
  int count = take (test, info, "file", "/workspace/file", &reason);

  g_assert_cmpint (count, ==, 3);
  g_assert_cmpstr (reason, ==, "EFBIG");
  assert_works (test, info);
}

static char *
tell_limits (LocalTest *test, AsbSandboxInfo *info)
{
  return local_test_shell (test->provider, local_test_id (info), NULL,
                           "sed -n 's/^Max \\(cpu time\\|address space\\|file size\\|open files\\|"
                           "processes\\) *\\([0-9]*\\) *\\([0-9]*\\) .*/\\1 \\2 \\3/p' "
                           "/proc/self/limits | sort");
}

/* All of them, also when the guest is started anew, and none can be raised. */
static void
test_all (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_with (
      test, "cpu-seconds", (guint64)100, "memory-bytes", (guint64)1024 * MIB, "file-size-bytes",
      (guint64)2 * MIB, "open-files", (guint64)64, "processes", (guint64)70, NULL);
  const char *id = local_test_id (info);
  g_autofree char *folder = local_test_path (test, id, "");
  g_autofree char *before = tell_limits (test, info);
  g_autofree char *after = NULL;
  g_autofree char *raised = NULL;
  int pid = local_test_guest_pid (folder);
  int guest = local_test_open_process (pid);

  g_assert_cmpstr (before, ==,
                   "address space 1073741824 1073741824\ncpu time 100 100\n"
                   "file size 2097152 2097152\nopen files 64 64\nprocesses 70 70\n");
  kill (pid, SIGKILL);
  g_assert_true (local_test_wait_for_end (guest, 60000));
  close (guest);
  after = tell_limits (test, info);
  g_assert_cmpstr (after, ==, before);
  raised = local_test_shell (test->provider, id, NULL,
                             "ulimit -n 65 2>/dev/null && echo raised; ulimit -t 101 2>/dev/null "
                             "&& echo raised; true");
  g_assert_cmpstr (raised, ==, "");
}

/* One command may take less, and none more. */
static void
test_of_a_command (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_with (test, "open-files", (guint64)64, NULL);
  g_autoptr (AsbTransport) transport
      = local_test_open (test->provider, local_test_id (info), FALSE);
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("true");
  g_autoptr (AsbResourceLimits) limits = asb_resource_limits_new ();
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (GError) error = NULL;

  asb_resource_limits_set_open_files (limits, 65);
  asb_command_spec_set_limits (spec, limits);
  g_assert_null (asb_transport_start_command (transport, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  asb_resource_limits_set_open_files (limits, 63);
  process = asb_transport_start_command (transport, spec, NULL, &error);
  g_assert_no_error (error);
  asb_transport_close (transport, NULL, NULL);
}

/* Whether the kernel counts the processes of a user in each sandbox, and not all together. */
static gboolean
counts_each_sandbox (void)
{
  struct utsname name;
  unsigned major = 0, minor = 0;

  return uname (&name) == 0 && sscanf (name.release, "%u.%u", &major, &minor) == 2
         && major * 1000 + minor >= 5014;
}

/* Nothing was said: a bomb of processes is stopped all the same. */
static void
test_default (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *told
      = local_test_shell (test->provider, local_test_id (info), NULL, "ulimit -Hu");
  guint64 limit = asb_resource_limits_get_processes (asb_sandbox_info_get_limits (info));

  if (!counts_each_sandbox ())
    {
      g_assert_cmpuint (limit, ==, 0);
      g_test_skip ("This kernel counts the processes of a user in all sandboxes together");
      return;
    }
  g_assert_cmpuint (limit, ==, 4096);
  g_assert_cmpint ((int)g_ascii_strtoll (told, NULL, 10), >, 0);
  g_assert_cmpint ((int)g_ascii_strtoll (told, NULL, 10), <=, 4096);
}

int
main (int argc, char **argv)
{
  int status = local_test_init (&argc, &argv);

  if (status >= 0)
    return status;
  local_test_add ("/local/limits/processes", test_processes);
  local_test_add ("/local/limits/fork-bomb", test_fork_bomb);
  local_test_add ("/local/limits/memory", test_memory);
  local_test_add ("/local/limits/files-in-memory", test_files_in_memory);
  local_test_add ("/local/limits/file-size", test_file_size);
  local_test_add ("/local/limits/all", test_all);
  local_test_add ("/local/limits/of-a-command", test_of_a_command);
  local_test_add ("/local/limits/default", test_default);
  return g_test_run ();
}
