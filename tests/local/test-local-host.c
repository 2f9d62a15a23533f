/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is said on a host where no sandbox can be made, and of what cannot be given. */

#include "local-test.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "asb-local-process.h"

static char *
write_script (LocalTest *test, const char *name, const char *text, int mode)
{
  g_autofree char *content = g_strconcat ("#!/bin/sh\n", text, "\n", NULL);
  char *path = g_build_filename (test->folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents_full (path, content, -1, G_FILE_SET_CONTENTS_NONE, mode, &error);
  g_assert_no_error (error);
  return path;
}

static AsbProvider *
provider_with (LocalTest *test, const char *option, const char *value)
{
  GVariantDict dict;
  g_autoptr (GVariant) options = NULL;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, option, "s", value);
  options = g_variant_ref_sink (g_variant_dict_end (&dict));
  return local_test_provider (test, options);
}

/* The creation fails with @code, the message has each of the @texts, and nothing is left. */
static void
assert_fails (LocalTest *test, AsbProvider *provider, AsbSandboxSpec *spec, int code, ...)
{
  g_autoptr (AsbSandboxSpec) usual = asb_sandbox_spec_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) folder = NULL;
  const char *text;
  va_list texts;

  g_assert_null (asb_provider_create_sandbox (provider, spec ? spec : usual, NULL, &error));
  g_assert_error (error, ASB_ERROR, code);
  va_start (texts, code);
  while ((text = va_arg (texts, const char *)))
    if (!strstr (error->message, text))
      g_error ("“%s” does not say “%s”", error->message, text);
  va_end (texts);
  g_assert_cmpuint (local_test_count (test->provider, NULL), ==, 0);
  folder = g_dir_open (test->state, 0, NULL);
  g_assert_null (folder ? g_dir_read_name (folder) : NULL);
}

static void
test_refusing (LocalTest *test, gconstpointer data)
{
  g_autofree char *script = write_script (
      test, "bwrap", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1", 0755);
  g_autoptr (AsbProvider) provider = provider_with (test, "bwrap", script);

  assert_fails (test, provider, NULL, ASB_ERROR_PROVIDER_UNAVAILABLE,
                "local sandbox not possible here", "user namespaces",
                "setting up uid map: Permission denied", NULL);
}

/* What bubblewrap says on hosts of all kinds, and a word of the cure. */
static void
test_causes (LocalTest *test, gconstpointer data)
{
  static const struct
  {
    const char *said;
    const char *cure;
  } cases[] = {
    { "setting up gid map: Operation not permitted", "user namespaces" },
    { "No permissions to create new namespace, likely because the kernel does not allow "
      "non-privileged user namespaces.",
      "user namespaces" },
    { "Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded "
      "(ENOSPC)",
      "user.max_user_namespaces" },
    { "Creating new namespace failed: Operation not permitted", "seccomp" },
    { "pivot_root: Operation not permitted", "allow mounts" },
    { "pivot_root: Operation not permitted", "seccomp=unconfined" },
    { "loopback: Failed RTM_NEWADDR: Operation not permitted", "user namespaces" },
    { "cannot open /proc/sys/user/max_user_namespaces: Read-only file system",
      "writable /proc/sys" },
    { "Can't mount proc on /newroot/proc: Operation not permitted", "systempaths=unconfined" },
    { "Unable to set up system call filtering as requested: prctl(PR_SET_SECCOMP) reported EINVAL.",
      "CONFIG_SECCOMP_FILTER" },
    { "Unknown option --disable-userns", "0.8 or later" },
    { "Unexpected capabilities but not setuid, old file caps config?", "ambient" },
    { "Can't find source path /tmp/source-1: No such file or directory", "parents" },
    { "Can't create file at /x: Read-only file system", "state-dir" },
    { "Can't write data to file /etc/passwd: No space left on device", "make room" },
    { "Write to info_fd: No space left on device", "make room" },
    { "Write to info_fd: Disk quota exceeded", "make room" },
    { "Can't fork for pid 1: Resource temporarily unavailable", "ulimit -u" },
    { "open_tree: Too many open files", "ulimit -n" },
    { "Failed to mount tmpfs: Cannot allocate memory", "memory" },
    { "Failed to mount tmpfs: No such file or directory", "/tmp" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf ("echo \"bwrap: %s\" >&2; exit 1", cases[i].said);
      g_autofree char *script = write_script (test, "bwrap", text, 0755);
      g_autoptr (AsbProvider) provider = provider_with (test, "bwrap", script);

      assert_fails (test, provider, NULL, ASB_ERROR_PROVIDER_UNAVAILABLE,
                    "local sandbox not possible here", cases[i].cure, cases[i].said, NULL);
    }
}

/* What it started waits for it, with all that we wait for, when it could not go on: so it is on a
 * full disk. Nobody waits for that, and nothing is left. */
static void
assert_ended_alone (LocalTest *test, const char *text)
{
  g_autofree char *script = write_script (test, "bwrap", text, 0755);
  g_autoptr (AsbProvider) provider = provider_with (test, "bwrap", script);
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  gint64 begun = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;
  const char *number;
  int process;

  g_assert_null (asb_provider_create_sandbox (provider, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE);
  /* Half of what a guest may take to begin. */
  g_assert_cmpint (g_get_monotonic_time () - begun, <, 15 * G_TIME_SPAN_SECOND);
  number = strstr (error->message, "No space for ");
  g_assert_nonnull (number);
  process = asb_local_process_open (atoi (number + strlen ("No space for ")));
  if (process < 0)
    return;
  g_assert_true (local_test_wait_for_end (process, 60000));
  close (process);
}

static void
test_ended_alone (LocalTest *test, gconstpointer data)
{
  assert_ended_alone (test, "sleep 1000 & echo \"No space for $!.\" >&2; exit 1");
}

/* As an older kernel, for all threads of this process. */
static void
refuse_pidfd_open (void)
{
  struct sock_filter filter[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = { G_N_ELEMENTS (filter), filter };

  g_assert_cmpint (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), ==, 0);
  g_assert_cmpint (
      syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program), ==, 0);
  g_assert_cmpint (syscall (SYS_pidfd_open, getpid (), 0), ==, -1);
}

/* Returns: whether there was one that has stopped itself, and that the provider holds on to */
static gboolean
kill_stopped (void)
{
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/fd", 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (folder)))
    {
      g_autofree char *path = g_build_filename ("/proc/self/fd", name, NULL);
      g_autofree char *target = g_file_read_link (path, NULL);

      if (target && g_regex_match_simple ("^/proc/[0-9]+$", target, 0, 0)
          && asb_local_process_is_stopped (atoi (name)))
        return asb_local_process_signal (atoi (name), SIGKILL);
    }
  return FALSE;
}

static gpointer
kill_stopped_thread (gpointer data)
{
  while (!kill_stopped ())
    g_thread_yield ();
  return NULL;
}

static void
test_ended_alone_unpolled_subprocess (LocalTest *test, gconstpointer data)
{
  GThread *thread;

  refuse_pidfd_open ();
  thread = g_thread_new ("kill", kill_stopped_thread, NULL);
  assert_ended_alone (test, "sleep 1000 & echo \"No space for $!.\" >&2; kill -STOP $$");
  g_thread_join (thread);
}

static void
test_ended_alone_unpolled (LocalTest *test, gconstpointer data)
{
  g_test_summary ("Where the kernel gives out no descriptors of processes");

  g_test_trap_subprocess ("/local/host/ended-alone/unpolled/subprocess", 0,
                          G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
}

/* Another program under the name of either ends without a word. */
static void
test_other_programs (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbProvider) bubblewrap = provider_with (test, "bwrap", "/bin/true");
  g_autoptr (AsbProvider) guest = provider_with (test, "guest", g_getenv ("ASB_TEST_PROBE"));

  assert_fails (test, bubblewrap, NULL, ASB_ERROR_PROVIDER_UNAVAILABLE,
                "in the place of bubblewrap, or of the guest", NULL);
  assert_fails (test, guest, NULL, ASB_ERROR_PROVIDER_UNAVAILABLE,
                "in the place of bubblewrap, or of the guest", NULL);
}

static void
assert_unusable (const char *folder, ...)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (GVariant) options = g_variant_ref_sink (
      g_variant_new_parsed ("{'state-dir': <%s>, 'record-dir': <%s>}", folder, folder));
  g_autoptr (AsbProvider) provider = NULL;
  g_autoptr (GError) error = NULL;
  const char *text;
  va_list texts;

  provider = asb_registry_create_provider (asb_registry_get_default (), "local", options, &error);
  g_assert_no_error (error);
  g_assert_null (asb_provider_create_sandbox (provider, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  va_start (texts, folder);
  while ((text = va_arg (texts, const char *)))
    if (!strstr (error->message, text))
      g_error ("“%s” does not say “%s”", error->message, text);
  va_end (texts);
}

static void
test_state_folders (LocalTest *test, gconstpointer data)
{
  g_autofree char *file = write_script (test, "file", "", 0644);
  g_autofree char *open_to_all = g_build_filename (test->folder, "open", NULL);

  assert_unusable ("/proc/none/such", "/proc/none/such", "XDG_STATE_HOME", NULL);
  assert_unusable (file, file, "XDG_STATE_HOME", "Not a directory", NULL);
  g_assert_cmpint (mkdir (open_to_all, 0700), ==, 0);
  g_assert_cmpint (chmod (open_to_all, 0777), ==, 0);
  assert_unusable (open_to_all, open_to_all, "others can write", NULL);
}

static guint
count_findings (GVariant *findings, const char *wanted)
{
  GVariantIter iter;
  GVariant *finding;
  guint n = 0;

  g_variant_iter_init (&iter, findings);
  while ((finding = g_variant_iter_next_value (&iter)))
    {
      const char *state = NULL;
      const char *message = NULL;

      g_assert_true (g_variant_lookup (finding, "state", "&s", &state));
      g_assert_true (g_variant_lookup (finding, "message", "&s", &message));
      n += strcmp (state, wanted) == 0;
      g_variant_unref (finding);
    }
  return n;
}

static void
test_diagnosis (LocalTest *test, gconstpointer data)
{
  g_autofree char *script = write_script (test, "bwrap", "exit 1", 0755);
  g_autoptr (AsbProvider) broken = provider_with (test, "bwrap", script);
  g_autoptr (GVariant) well = NULL;
  g_autoptr (GVariant) ill = NULL;
  g_autoptr (GError) error = NULL;

  well = asb_provider_diagnose (test->provider, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (count_findings (well, "failure"), ==, 0);
  g_assert_cmpuint (count_findings (well, "ok"), >=, 6);
  g_assert_cmpuint (local_test_count (test->provider, NULL), ==, 0);
  ill = asb_provider_diagnose (broken, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (count_findings (ill, "failure"), ==, 2);
}

static void
test_silent (LocalTest *test, gconstpointer data)
{
  g_autofree char *script = write_script (test, "bwrap", "exit 7", 0755);
  g_autoptr (AsbProvider) provider = provider_with (test, "bwrap", script);

  assert_fails (test, provider, NULL, ASB_ERROR_PROVIDER_UNAVAILABLE,
                "local sandbox not possible here", "status 7", NULL);
}

static void
test_talkative (LocalTest *test, gconstpointer data)
{
  g_autofree char *all = g_build_filename (test->folder, "all-was-written", NULL);
  g_autofree char *text = g_strdup_printf (
      "head -c 1000000 /dev/zero | tr '\\0' x >&2 && echo yes > '%s'; echo 'the end' >&2; exit 1",
      all);
  g_autofree char *script = write_script (test, "bwrap", text, 0755);
  g_autoptr (AsbProvider) provider = provider_with (test, "bwrap", script);
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_provider_create_sandbox (provider, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE);
  g_assert_cmpuint (strlen (error->message), <, 5000);
  g_assert_false (g_file_test (all, G_FILE_TEST_EXISTS));
}

static void
test_missing (LocalTest *test, gconstpointer data)
{
  g_autofree char *path = g_build_filename (test->folder, "no-such-program", NULL);
  g_autoptr (AsbProvider) provider = provider_with (test, "bwrap", path);
  g_autoptr (AsbProvider) by_name = provider_with (test, "bwrap", "asb-no-such-program");

  assert_fails (test, provider, NULL, ASB_ERROR_PROVIDER_UNAVAILABLE,
                "local sandbox not possible here", "install", path, NULL);
  assert_fails (test, by_name, NULL, ASB_ERROR_PROVIDER_UNAVAILABLE,
                "local sandbox not possible here", "install", "PATH", NULL);
}

static void
test_not_executable (LocalTest *test, gconstpointer data)
{
  g_autofree char *script = write_script (test, "bwrap", "exit 0", 0644);
  g_autoptr (AsbProvider) provider = provider_with (test, "bwrap", script);
  g_autoptr (AsbProvider) folder = provider_with (test, "bwrap", test->folder);

  assert_fails (test, provider, NULL, ASB_ERROR_PROVIDER_UNAVAILABLE,
                "local sandbox not possible here", "executable", "Permission denied", NULL);
  assert_fails (test, folder, NULL, ASB_ERROR_PROVIDER_UNAVAILABLE,
                "local sandbox not possible here", "Is a directory", NULL);
}

/* A program that is no program: found to be so when it is started. */
static void
test_not_a_program (LocalTest *test, gconstpointer data)
{
  g_autofree char *path = g_build_filename (test->folder, "bwrap", NULL);
  g_autoptr (AsbProvider) provider = provider_with (test, "bwrap", path);

  g_assert_true (
      g_file_set_contents_full (path, "\177ELF", 4, G_FILE_SET_CONTENTS_NONE, 0755, NULL));
  assert_fails (test, provider, NULL, ASB_ERROR_PROVIDER_UNAVAILABLE,
                "local sandbox not possible here", NULL);
}

static void
test_guest_missing (LocalTest *test, gconstpointer data)
{
  g_autofree char *path = g_build_filename (test->folder, "no-such-guest", NULL);
  g_autoptr (AsbProvider) provider = provider_with (test, "guest", path);

  assert_fails (test, provider, NULL, ASB_ERROR_GUEST_UNAVAILABLE, "ASB_GUEST_PATH", path, NULL);
}

static void
test_guest_fails (LocalTest *test, gconstpointer data)
{
  g_autofree char *script
      = write_script (test, "guest", "echo 'asb-guest: no room for it' >&2; exit 3", 0755);
  g_autoptr (AsbProvider) provider = provider_with (test, "guest", script);

  assert_fails (test, provider, NULL, ASB_ERROR_GUEST_UNAVAILABLE, "asb-guest: no room for it",
                NULL);
}

static void
test_guest_foreign (LocalTest *test, gconstpointer data)
{
  g_autofree char *path = g_build_filename (test->folder, "guest", NULL);
  g_autoptr (AsbProvider) provider = provider_with (test, "guest", path);

  g_assert_true (
      g_file_set_contents_full (path, "\177ELF", 4, G_FILE_SET_CONTENTS_NONE, 0755, NULL));
  assert_fails (test, provider, NULL, ASB_ERROR_GUEST_UNAVAILABLE, "processor", NULL);
}

static gboolean
cancel_cb (gpointer user_data)
{
  g_cancellable_cancel (user_data);
  return G_SOURCE_REMOVE;
}

static void
ready_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  *(GAsyncResult **)user_data = g_object_ref (result);
}

/* A bubblewrap that hangs is left alone no longer than its caller waits, and does not stay. */
static void
test_hanging (LocalTest *test, gconstpointer data)
{
  /* Another test may be at the same, at the same time. */
  g_autofree char *seconds = g_strdup_printf ("765%07d", (int)getpid ());
  g_autofree char *text = g_strconcat ("cat >/dev/null; exec sleep ", seconds, NULL);
  g_autofree char *script = write_script (test, "bwrap", text, 0755);
  g_autoptr (AsbProvider) provider = provider_with (test, "bwrap", script);
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_provider_create_sandbox_async (provider, spec, cancellable, ready_cb, &result);
  g_timeout_add (100, cancel_cb, cancellable);
  while (!result)
    g_main_context_iteration (NULL, TRUE);
  g_assert_null (asb_provider_create_sandbox_finish (provider, result, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_false (local_test_find_process ("cmdline", seconds));
  g_assert_cmpuint (local_test_count (test->provider, NULL), ==, 0);
}

static void
test_not_given (LocalTest *test, gconstpointer data)
{
  const char *const nameless[] = { "A=1", "=2", NULL };
  const char *const valueless[] = { "A", NULL };
  g_autoptr (AsbSandboxSpec) image = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxSpec) ttl = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxSpec) name = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxSpec) variable = asb_sandbox_spec_new ();

  asb_sandbox_spec_set_image (image, "python:3.12");
  assert_fails (test, test->provider, image, ASB_ERROR_UNSUPPORTED_CAPABILITY, "python:3.12",
                "host", NULL);
  asb_sandbox_spec_set_ttl_mode (ttl, ASB_TTL_MODE_SECONDS);
  asb_sandbox_spec_set_ttl_seconds (ttl, 0);
  assert_fails (test, test->provider, ttl, ASB_ERROR_INVALID_ARGUMENT, "time to live", NULL);
  asb_sandbox_spec_set_name (name, "two\nlines");
  assert_fails (test, test->provider, name, ASB_ERROR_INVALID_ARGUMENT, "name", NULL);
  asb_sandbox_spec_set_environment (variable, nameless);
  assert_fails (test, test->provider, variable, ASB_ERROR_INVALID_ARGUMENT, "Entry 2", NULL);
  asb_sandbox_spec_set_environment (variable, valueless);
  assert_fails (test, test->provider, variable, ASB_ERROR_INVALID_ARGUMENT, "Entry 1", NULL);
}

static void
test_given (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;

  asb_sandbox_spec_set_image (spec, "host");
  asb_sandbox_spec_set_ttl_mode (spec, ASB_TTL_MODE_NEVER);
  info = local_test_create (test->provider, spec);
  g_assert_cmpstr (asb_sandbox_info_get_image (info), ==, "host");
  g_assert_null (asb_sandbox_info_get_expires_at (info));
}

static void
test_workdirs_refused (LocalTest *test, gconstpointer data)
{
  static const struct
  {
    const char *path;
    int code;
  } cases[] = {
    { "", ASB_ERROR_INVALID_ARGUMENT },
    { "relative", ASB_ERROR_INVALID_ARGUMENT },
    { "/workspace/../etc", ASB_ERROR_INVALID_ARGUMENT },
    { "/", ASB_ERROR_WORKING_DIRECTORY },
    { "//.//", ASB_ERROR_WORKING_DIRECTORY },
    { "/usr/share/x", ASB_ERROR_WORKING_DIRECTORY },
    { "/etc/x", ASB_ERROR_WORKING_DIRECTORY },
    { "/proc/self", ASB_ERROR_WORKING_DIRECTORY },
    { "/.agent-history/x", ASB_ERROR_WORKING_DIRECTORY },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

      asb_sandbox_spec_set_workdir (spec, cases[i].path);
      assert_fails (test, test->provider, spec, cases[i].code, cases[i].path, NULL);
    }
}

static void
test_workdirs (LocalTest *test, gconstpointer data)
{
  static const char *const paths[] = { "/workspace/a/b c/ü",
                                       "/home/agent/project",
                                       "/tmp/x",
                                       "/srv/project/deep",
                                       "/root",
                                       "/data",
                                       "/home",
                                       "/run/x",
                                       "/workspace//./double/",
                                       "/workspace/\377\376" };

  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      const char *argv[] = { "sh", "-c", "cd -- \"$0\" && touch file && rm file", paths[i], NULL };
      g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
      g_autoptr (AsbSandboxInfo) info = NULL;
      g_autofree char *output = NULL;

      asb_sandbox_spec_set_workdir (spec, paths[i]);
      info = local_test_create (test->provider, spec);
      g_assert_cmpstr (asb_sandbox_info_get_workdir (info), ==, paths[i]);
      output = local_test_run (test->provider, local_test_id (info), NULL, argv);
      g_assert_cmpstr (output, ==, "");
      local_test_delete (test->provider, local_test_id (info));
    }
}

static void
test_options (LocalTest *test, gconstpointer data)
{
  g_autoptr (GVariant) bad
      = g_variant_ref_sink (g_variant_new_parsed ("{'network': <'internet'>}"));
  g_autoptr (GVariant) unknown = g_variant_ref_sink (g_variant_new_parsed ("{'colour': <'red'>}"));
  AsbRegistry *registry = asb_registry_get_default ();
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_registry_create_provider (registry, "local", bad, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (asb_registry_create_provider (registry, "local", unknown, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

static void
test_capabilities (LocalTest *test, gconstpointer data)
{
  static const char *const supported[]
      = { ASB_CAPABILITY_FILESYSTEM, ASB_CAPABILITY_EXACT_OUTPUT, ASB_CAPABILITY_COMMAND_STDIN,
          ASB_CAPABILITY_SANDBOX_HISTORY, ASB_CAPABILITY_PERSISTENT_LIFETIME };
  g_autoptr (AsbCapabilities) capabilities = asb_provider_get_capabilities (test->provider);
  AsbCapability *hash = asb_capabilities_get (capabilities, ASB_CAPABILITY_FILE_HASH);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (supported); i++)
    g_assert_true (asb_capabilities_supports (capabilities, supported[i]));
  g_assert_cmpstr (g_hash_table_lookup (asb_capability_get_limits (hash), "algorithm"), ==,
                   "sha256");
  g_assert_false (asb_capabilities_require (capabilities, ASB_CAPABILITY_PAUSE_RESUME, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
}

int
main (int argc, char **argv)
{
  int status = local_test_init (&argc, &argv);

  if (status >= 0)
    return status;
  local_test_add ("/local/host/refusing", test_refusing);
  local_test_add ("/local/host/causes", test_causes);
  local_test_add ("/local/host/ended-alone", test_ended_alone);
  local_test_add ("/local/host/ended-alone/unpolled", test_ended_alone_unpolled);
  local_test_add ("/local/host/ended-alone/unpolled/subprocess",
                  test_ended_alone_unpolled_subprocess);
  local_test_add ("/local/host/other-programs", test_other_programs);
  local_test_add ("/local/host/state-folders", test_state_folders);
  local_test_add ("/local/host/diagnosis", test_diagnosis);
  local_test_add ("/local/host/silent", test_silent);
  local_test_add ("/local/host/talkative", test_talkative);
  local_test_add ("/local/host/missing", test_missing);
  local_test_add ("/local/host/not-executable", test_not_executable);
  local_test_add ("/local/host/not-a-program", test_not_a_program);
  local_test_add ("/local/host/guest-missing", test_guest_missing);
  local_test_add ("/local/host/guest-fails", test_guest_fails);
  local_test_add ("/local/host/guest-foreign", test_guest_foreign);
  local_test_add ("/local/host/hanging", test_hanging);
  local_test_add ("/local/host/not-given", test_not_given);
  local_test_add ("/local/host/given", test_given);
  local_test_add ("/local/host/workdirs-refused", test_workdirs_refused);
  local_test_add ("/local/host/workdirs", test_workdirs);
  local_test_add ("/local/host/options", test_options);
  local_test_add ("/local/host/capabilities", test_capabilities);
  return g_test_run ();
}
