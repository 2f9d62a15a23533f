/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ways out of a sandbox that were ways out elsewhere. */

#include "local-test.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define STRANGER 54320

/* All for who has the key, nothing for its user. */
#define FOR_POSSESSOR 0x3f000000

static void
assert_probed (LocalTest *test, AsbSandboxInfo *info, const char *const *arguments)
{
  g_autofree char *told = local_test_probe (test, local_test_id (info), arguments);

  g_assert_cmpstr (told, ==, "");
}

/* Its memory holds the record before it is written, and its descriptors are the way to the host. */
static void
test_guest (LocalTest *test, gconstpointer data)
{
  const char *const arguments[] = { "guest", NULL };
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *told = NULL;

#ifdef __SANITIZE_ADDRESS__
  g_test_skip ("With the sanitizer the guest lets itself be traced, which its leak check does");
  return;
#endif
  assert_probed (test, info, arguments);
  told = local_test_shell (test->provider, local_test_id (info), NULL, "echo lives");
  g_assert_cmpstr (told, ==, "lives\n");
}

static AsbBackend *
create_recorded (LocalTest *test)
{
  g_autoptr (AsbBackendOptions) options = asb_backend_options_new ();
  g_autoptr (AsbHistoryConfig) history = asb_history_config_new ();
  AsbBackend *backend;
  g_autoptr (GError) error = NULL;

  asb_history_config_set_mode (history, ASB_HISTORY_MODE_SANDBOX);
  asb_backend_options_set_history (options, history);
  asb_backend_options_set_provider (options, test->provider);
  backend = asb_create_backend (options, NULL, &error);
  g_assert_no_error (error);
  return backend;
}

static void
assert_prints (AsbBackend *backend, const char *text, const char *expected)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandResult) result = asb_backend_execute (backend, spec, NULL, &error);
  g_autofree char *printed = NULL;

  g_assert_no_error (error);
  printed = asb_command_result_dup_stdout_text (result);
  g_assert_cmpstr (printed, ==, expected);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 0);
  g_assert_null (asb_command_result_get_record_error (result));
}

/* A command can stop what looks after it and what records it, and holds nobody by that. */
static void
test_stopping (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create_recorded (test);
  g_autoptr (GError) error = NULL;
  gint64 begun = g_get_monotonic_time ();

  assert_prints (backend, "kill -STOP -1; echo done", "done\n");
  assert_prints (backend, "kill -STOP $PPID; echo done", "done\n");
  assert_prints (backend, "echo well", "well\n");
  /* Nor was the historian given up, which would have been told. */
  g_assert_cmpint (g_get_monotonic_time () - begun, <, 60 * G_TIME_SPAN_SECOND);
  asb_backend_close (backend, NULL, &error);
  g_assert_no_error (error);
}

static void
test_setuid (LocalTest *test, gconstpointer data)
{
  const char *const arguments[]
      = { "setuid",      "/",    "/usr",     "/usr/bin",        "/workspace",
          "/home/agent", "/tmp", "/dev/shm", "/.agent-history", "/run",
          "/dev",        "/etc", NULL };
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);

  assert_probed (test, info, arguments);
}

static void
make_link (LocalTest *test, const char *id, const char *target, const char *link)
{
  const char *const make[] = { "ln", "-s", target, link, NULL };
  int status = -1;
  g_autofree char *made = local_test_run (test->provider, id, &status, make);

  g_assert_cmpint (status, ==, 0);
}

/* Links in what is bound from the host are followed inside only, and not by us when we delete. */
static void
test_links (LocalTest *test, gconstpointer data)
{
  static const char *const links[]
      = { "/workspace/link", "/tmp/link", "/home/agent/link", "/.agent-history/link" };
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  const char *id = local_test_id (info);
  g_autofree char *outside = g_build_filename (test->folder, "outside", NULL);
  g_autofree char *secret = g_build_filename (outside, "secret", NULL);
  g_autofree char *content = NULL;

  /* Whoever got out would find nothing else in the way. */
  g_assert_cmpint (chmod (test->folder, 0755), ==, 0);
  g_assert_cmpint (g_mkdir (outside, 0777), ==, 0);
  g_assert_cmpint (chmod (outside, 0777), ==, 0);
  g_assert_true (g_file_set_contents (secret, "untouched", -1, NULL));
  g_assert_cmpint (chmod (secret, 0666), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (links); i++)
    {
      const char *const arguments[] = { "link", links[i], NULL };
      g_autofree char *folder = g_strconcat (links[i], "-to-folder", NULL);

      make_link (test, id, secret, links[i]);
      make_link (test, id, outside, folder);
      assert_probed (test, info, arguments);
    }
  local_test_delete (test->provider, id);
  g_assert_true (g_file_get_contents (secret, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, "untouched");
}

static char *
fail_to_create (LocalTest *test, const char *script)
{
  g_autofree char *path = g_build_filename (test->folder, "bwrap", NULL);
  g_autoptr (GVariant) options
      = g_variant_ref_sink (g_variant_new_parsed ("{'bwrap': <%s>}", path));
  g_autoptr (AsbProvider) provider = local_test_provider (test, options);
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, script, -1, NULL));
  g_assert_cmpint (chmod (path, 0755), ==, 0);
  g_assert_null (asb_provider_create_sandbox (provider, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, "looked"));
  return g_strdup (error->message);
}

/* One that the program forgot to close, as many do: neither bubblewrap nor the guest, which close
 * what they do not know, get it. */
static void
test_inherited (LocalTest *test, gconstpointer data)
{
  const char *const arguments[] = { "descriptors", NULL };
  g_autofree char *secret = g_build_filename (test->folder, "secret", NULL);
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autofree char *folder = NULL;
  g_autofree char *told = NULL;
  int fd, guest;

  g_assert_true (g_file_set_contents (secret, "secret", -1, NULL));
  fd = dup2 (open (secret, O_RDWR), 57);
  told = fail_to_create (test, "#!/bin/sh\nexec >&2\necho looked\n"
                               "[ -e /proc/self/fd/57 ] && echo inherited\nexit 1\n");
  g_assert_null (strstr (told, "inherited"));
  info = local_test_create (test->provider, NULL);
  folder = local_test_path (test, local_test_id (info), "");
  guest = local_test_guest_pid (folder);
  for (int number = 0; number < 1024; number++)
    {
      g_autofree char *path = g_strdup_printf ("/proc/%d/fd/%d", guest, number);
      g_autofree char *target = g_file_read_link (path, NULL);

      g_assert_cmpstr (target, !=, secret);
    }
  assert_probed (test, info, arguments);
  close (fd);
}

/* Walls that stand behind others are missed by nothing inside as long as those hold. */
static void
test_asked_for (LocalTest *test, gconstpointer data)
{
  static const char *const walls[] = { "--unshare-user",
                                       "--unshare-ipc",
                                       "--unshare-pid",
                                       "--unshare-uts",
                                       "--unshare-cgroup-try",
                                       "--unshare-net",
                                       "--disable-userns",
                                       "--cap-drop ALL",
                                       "--as-pid-1",
                                       "--new-session",
                                       "--seccomp",
                                       "--remount-ro /",
                                       NULL };
  g_autofree char *told = fail_to_create (
      test, "#!/bin/sh\nexec >&2\necho looked\n"
            "tr '\\0' ' ' </proc/self/fd/$2 | sed 's,^,: ,; s, --,\\n--,g' |"
            "grep -E '^--(unshare|disable|cap|as-pid|new-s|seccomp|remount)'\nexit 1\n");

  for (gsize i = 0; walls[i]; i++)
    {
      g_autofree char *option = g_strconcat ("; ", walls[i], NULL);

      if (!strstr (told, option))
        g_error ("“%s” was not asked for: %s", walls[i], told);
    }
}

/* The session is one of its own on both sides: that of the caller has a terminal. */
static void
test_sessions (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *folder = local_test_path (test, local_test_id (info), "");
  int bubblewrap = local_test_parent_of (local_test_guest_pid (folder));
  g_autofree char *inside = local_test_shell (test->provider, local_test_id (info), NULL,
                                              "cut -d ' ' -f 6 /proc/1/stat");

  g_assert_cmpint (getsid (bubblewrap), ==, bubblewrap);
  g_assert_cmpstr (inside, ==, "1\n");
}

/* Two sandboxes of one user see nothing of each other. */
static void
test_other_sandbox (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) one = local_test_create (test->provider, NULL);
  g_autoptr (AsbSandboxInfo) other = local_test_create (test->provider, NULL);
  g_autofree char *folder = local_test_path (test, local_test_id (one), "workspace");
  const char *const readable[] = { "readable",
                                   folder,
                                   test->state,
                                   "/tmp/mark",
                                   "/dev/shm/mark",
                                   "/run/mark",
                                   "/workspace/mark",
                                   "/home/agent/mark",
                                   NULL };
  g_autofree char *marked = local_test_shell (
      test->provider, local_test_id (one), NULL,
      "for d in /tmp /dev/shm /run /workspace /home/agent; do echo > $d/mark; done");

  g_assert_cmpint (chmod (test->folder, 0755), ==, 0);
  assert_probed (test, other, readable);
}

/* Shared memory of the host that everybody may attach. */
static void
test_shared_memory (LocalTest *test, gconstpointer data)
{
  int memory = shmget (IPC_PRIVATE, 4096, IPC_CREAT | 0666);
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *told = local_test_shell (test->provider, local_test_id (info), NULL,
                                            "tail -n +2 /proc/sysvipc/shm | wc -l");

  g_assert_cmpint (memory, >=, 0);
  g_assert_cmpstr (told, ==, "0\n");
  shmctl (memory, IPC_RMID, NULL);
}

/* Inside there is no name of the guest's socket, to replace or to connect to. */
static void
test_no_socket_inside (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *told = local_test_shell (test->provider, local_test_id (info), NULL,
                                            "find / -type s 2>/dev/null; grep -c guest.socket "
                                            "/proc/net/unix; grep -c '@' /proc/net/unix; true");

  g_assert_cmpstr (told, ==, "0\n0\n");
}

/* The child, as another user of the host. Returns: what it could reach. */
static int
be_stranger (const char *folder)
{
  static const char *const names[] = { "",          "environment",
                                       "meta.json", "guest.status",
                                       "history",   "history/history.sqlite3",
                                       "workspace", "home" };
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int reached = 0;

  if (setgroups (0, NULL) != 0 || setresgid (STRANGER, STRANGER, STRANGER) != 0
      || setresuid (STRANGER, STRANGER, STRANGER) != 0)
    return 100;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      if (open (path, O_RDONLY) >= 0)
        reached++;
    }
  g_snprintf (address.sun_path, sizeof address.sun_path, "%s/guest.socket", folder);
  if (connect (socket (AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address) == 0)
    reached++;
  return reached;
}

static void
test_strangers (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *folder = local_test_path (test, local_test_id (info), "");
  int ends[2];
  char reached = -1;
  pid_t child;

  if (geteuid () != 0)
    {
      g_test_skip ("Only root can become another user");
      return;
    }
  /* The provider's own modes keep them out, not those of what its folders are in. */
  g_assert_cmpint (chmod (test->folder, 0755), ==, 0);
  g_assert_cmpint (pipe (ends), ==, 0);
  child = fork ();
  if (child == 0)
    {
      reached = (char)be_stranger (folder);
      g_assert_cmpint (write (ends[1], &reached, 1), ==, 1);
      /* Valgrind would have its say in an exit status. */
      raise (SIGKILL);
    }
  g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
  g_assert_cmpint (read (ends[0], &reached, 1), ==, 1);
  g_assert_cmpint (reached, ==, 0);
  close (ends[0]);
  close (ends[1]);
}

static int
mode_of (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  struct stat status;

  g_assert_cmpint (lstat (path, &status), ==, 0);
  return status.st_mode & 07777;
}

/* Also if somebody opens the folder up: the files themselves are nobody else's. */
static void
test_record_is_private (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create_recorded (test);
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = NULL;
  g_autofree char *modes = NULL;
  const char *id;

  id = asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend));
  folder = local_test_path (test, id, "");
  g_assert_cmpint (mode_of (folder, ""), ==, 0700);
  g_assert_cmpint (mode_of (folder, "guest.socket"), ==, 0600);
  g_assert_cmpint (mode_of (folder, "history"), ==, 0700);
  g_assert_cmpint (mode_of (folder, "history/history.sqlite3"), ==, 0600);
  modes = local_test_shell (test->provider, id, NULL,
                            "stat -c '%a %U' /.agent-history /.agent-history/* | sort -u");
  g_assert_cmpstr (modes, ==, "600 agent\n700 agent\n");
  asb_backend_close (backend, NULL, &error);
  g_assert_no_error (error);
}

static long
add_key (const char *name, int keyring)
{
  return syscall (SYS_add_key, "user", name, "secret", 6, keyring);
}

static gboolean
host_tells_of_key (const char *name)
{
  g_autofree char *keys = NULL;

  return g_file_get_contents ("/proc/keys", &keys, NULL, NULL) && strstr (keys, name);
}

/* Keys of the user, who is the user inside as well unless that is root: what they are called does
 * not stand there. */
static void
test_keyring (LocalTest *test, gconstpointer data)
{
  g_autofree char *name = g_strdup_printf ("asb-test-%d", (int)getpid ());
  long key = add_key (name, KEY_SPEC_USER_KEYRING);
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *told = local_test_shell (test->provider, local_test_id (info), NULL,
                                            "cat /proc/keys 2>/dev/null | wc -c");

  if (key < 0 || !host_tells_of_key (name))
    g_test_skip ("This kernel keeps no keys, or does not tell of them");
  g_assert_cmpstr (told, ==, "0\n");
  if (key >= 0)
    syscall (SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_USER_KEYRING);
}

/* Nor does the sandbox have those of the caller's session, which whoever has it may use. */
static void
test_session_keyring (LocalTest *test, gconstpointer data)
{
  g_autofree char *name = g_strdup_printf ("asb-session-%d", (int)getpid ());
  long key = add_key (name, KEY_SPEC_SESSION_KEYRING);
  g_autofree char *script
      = g_strdup_printf ("#!/bin/sh\nexec >&2\necho looked\ngrep %s /proc/keys\nexit 1\n", name);
  g_autofree char *told = NULL;

  if (key < 0 || syscall (SYS_keyctl, KEYCTL_SETPERM, key, FOR_POSSESSOR) < 0
      || !host_tells_of_key (name))
    {
      g_test_skip ("This kernel keeps no keys, or does not tell of them");
      return;
    }
  told = fail_to_create (test, script);
  g_assert_null (strstr (told, name));
  syscall (SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_SESSION_KEYRING);
}

/* A program that fails leaves its memory nowhere, also if the host has the limit up. */
static void
test_core (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *told = local_test_shell (
      test->provider, local_test_id (info), NULL,
      "cd /tmp && { sh -c 'kill -SEGV $$'; } 2>/dev/null; ls /tmp; "
      "(echo '|/bin/true' > /proc/sys/kernel/core_pattern) 2>/dev/null && echo changed; true");

  g_assert_cmpstr (told, ==, "");
}

/* What is told of the sandbox before it is one cannot fill our memory. */
static void
test_output (LocalTest *test, gconstpointer data)
{
  g_autofree char *told
      = fail_to_create (test, "#!/bin/sh\nexec >&2\nhead -c 1000000 /dev/zero 2>/dev/null\n"
                              "size=$(stat -L -c %s /proc/self/fd/2)\n"
                              "printf 'looked: %s of them' $size 1<>/proc/self/fd/1\nexit 1\n");

  g_assert_nonnull (strstr (told, "looked: 16384 of them"));
}

static void
raise_core_limit (void)
{
  struct rlimit limit;

  g_assert_cmpint (getrlimit (RLIMIT_CORE, &limit), ==, 0);
  limit.rlim_cur = limit.rlim_max;
  g_assert_cmpint (setrlimit (RLIMIT_CORE, &limit), ==, 0);
}

int
main (int argc, char **argv)
{
  int status;

  /* Before there are threads, so that all have the keys of one session. */
  syscall (SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
  raise_core_limit ();
  status = local_test_init (&argc, &argv);
  if (status >= 0)
    return status;
  local_test_add ("/local/escape/guest", test_guest);
  local_test_add ("/local/escape/stopping", test_stopping);
  local_test_add ("/local/escape/setuid", test_setuid);
  local_test_add ("/local/escape/links", test_links);
  local_test_add ("/local/escape/inherited", test_inherited);
  local_test_add ("/local/escape/asked-for", test_asked_for);
  local_test_add ("/local/escape/sessions", test_sessions);
  local_test_add ("/local/escape/other-sandbox", test_other_sandbox);
  local_test_add ("/local/escape/shared-memory", test_shared_memory);
  local_test_add ("/local/escape/no-socket-inside", test_no_socket_inside);
  local_test_add ("/local/escape/strangers", test_strangers);
  local_test_add ("/local/escape/record-is-private", test_record_is_private);
  local_test_add ("/local/escape/keyring", test_keyring);
  local_test_add ("/local/escape/session-keyring", test_session_keyring);
  local_test_add ("/local/escape/core", test_core);
  local_test_add ("/local/escape/output", test_output);
  return g_test_run ();
}
