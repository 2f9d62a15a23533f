/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folders of the host inside: what is seen, what is changed, and that nothing else is. */

#include "local-test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* Nothing is expected to take so long: it ends a test that would hang. */
#define PATIENCE 60000
#define CANNOT 77

static char *
in_folder (LocalTest *test, const char *name)
{
  return g_build_filename (test->folder, name, NULL);
}

static void
write_file (LocalTest *test, const char *name, const char *content)
{
  g_autofree char *path = in_folder (test, name);
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  g_assert_true (g_file_set_contents (path, content, -1, NULL));
}

static char *
make_project (LocalTest *test)
{
  write_file (test, "project/file", "first\n");
  write_file (test, "project/sub/deep", "second\n");
  return in_folder (test, "project");
}

/* All that can be seen of a tree from outside: also when something was last done to it. */
static char *
look_at (const char *folder)
{
  const char *argv[] = { "find", folder, "-printf", "%p %y %m %U %G %s %T@ %C@ %l\\n", NULL };
  g_autofree char *output = NULL;
  g_autoptr (GError) error = NULL;

  g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, NULL, NULL,
                &error);
  g_assert_no_error (error);
  g_assert_cmpstr (output, !=, "");
  return g_steal_pointer (&output);
}

static void
add (AsbSandboxSpec *spec, const char *source, const char *target, AsbMountMode mode)
{
  g_autoptr (AsbMount) mount = asb_mount_new (source, target, mode);

  asb_sandbox_spec_add_mount (spec, mount);
}

static AsbSandboxInfo *
create_with (LocalTest *test, const char *source, const char *target, AsbMountMode mode)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

  add (spec, source, target, mode);
  asb_sandbox_spec_set_lifetime (spec, ASB_LIFETIME_PERSISTENT);
  return local_test_create (test->provider, spec);
}

static void
assert_refused (LocalTest *test, AsbSandboxSpec *spec, int code, const char *word)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_provider_create_sandbox (test->provider, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, code);
  if (!strstr (error->message, word))
    g_error ("“%s” does not tell of “%s”", error->message, word);
  g_assert_cmpuint (local_test_count (test->provider, NULL), ==, 0);
}

static void
assert_mount_refused (LocalTest *test, const char *source, const char *target, int code)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

  add (spec, source, target, ASB_MOUNT_MODE_READ_ONLY);
  assert_refused (test, spec, code, "");
}

static void
kill_guest (LocalTest *test, const char *id)
{
  g_autofree char *folder = g_build_filename (test->state, id, NULL);
  int guest = local_test_open_process (local_test_guest_pid (folder));

  local_test_signal (guest, SIGKILL);
  g_assert_true (local_test_wait_for_end (guest, PATIENCE));
  close (guest);
}

static void
test_read_only (LocalTest *test, gconstpointer data)
{
  g_autofree char *project = make_project (test);
  g_autofree char *before = look_at (project);
  g_autoptr (AsbSandboxInfo) info
      = create_with (test, project, "/workspace", ASB_MOUNT_MODE_READ_ONLY);
  g_autofree char *told = local_test_shell (
      test->provider, local_test_id (info), NULL,
      "cat file sub/deep; touch new 2>/dev/null || echo refused; "
      "rm file 2>/dev/null || echo refused; chmod 777 sub 2>/dev/null || echo refused");
  g_autofree char *after = NULL;

  g_assert_cmpstr (told, ==, "first\nsecond\nrefused\nrefused\nrefused\n");
  kill_guest (test, local_test_id (info));
  local_test_delete (test->provider, local_test_id (info));
  after = look_at (project);
  g_assert_cmpstr (before, ==, after);
}

/* What bubblewrap is shown of folders, it binds: neither place makes anybody root by a file. */
static void
test_marks (LocalTest *test, gconstpointer data)
{
  static const AsbMountMode modes[]
      = { ASB_MOUNT_MODE_READ_ONLY, ASB_MOUNT_MODE_READ_WRITE, ASB_MOUNT_MODE_OVERLAY };
  g_autofree char *project = make_project (test);

  for (gsize i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autoptr (AsbSandboxInfo) info = create_with (test, project, "/workspace", modes[i]);
      g_autofree char *folder = g_build_filename (test->state, local_test_id (info), NULL);
      int bubblewrap = local_test_parent_of (local_test_guest_pid (folder));
      g_autofree char *mounts = g_strdup_printf ("/proc/%d/mountinfo", bubblewrap);
      g_autofree char *content = NULL;
      g_auto (GStrv) lines = NULL;
      guint n_shown = 0;

      g_assert_true (g_file_get_contents (mounts, &content, NULL, NULL));
      lines = g_strsplit (content, "\n", -1);
      for (gsize j = 0; lines[j]; j++)
        {
          if (!strstr (lines[j], "/project /tmp/source-")
              && !strstr (lines[j], "/project /tmp/lower-")
              && !strstr (lines[j], "lowerdir=/tmp/lower-"))
            continue;
          n_shown++;
          if (!strstr (lines[j], "nosuid") || !strstr (lines[j], "nodev"))
            g_error ("not marked: %s", lines[j]);
        }
      g_assert_cmpuint (n_shown, ==, modes[i] == ASB_MOUNT_MODE_OVERLAY ? 2 : 1);
      local_test_delete (test->provider, local_test_id (info));
    }
}

static void
test_read_write (LocalTest *test, gconstpointer data)
{
  g_autofree char *project = make_project (test);
  g_autofree char *before = look_at (project);
  g_autofree char *made = in_folder (test, "project/made");
  g_autofree char *content = NULL;
  g_autofree char *after = NULL;
  struct stat outer, inner;
  g_autoptr (AsbSandboxInfo) info
      = create_with (test, project, "/workspace", ASB_MOUNT_MODE_READ_WRITE);

  g_free (local_test_shell (test->provider, local_test_id (info), NULL, "true"));
  kill_guest (test, local_test_id (info));
  after = look_at (project);
  g_assert_cmpstr (before, ==, after);

  g_free (local_test_shell (test->provider, local_test_id (info), NULL,
                            "echo third > made && echo changed > file && rm -r sub"));
  g_assert_true (g_file_get_contents (made, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, "third\n");
  g_assert_cmpint (stat (project, &outer), ==, 0);
  g_assert_cmpint (stat (made, &inner), ==, 0);
  g_assert_cmpuint (outer.st_uid, ==, inner.st_uid);
  g_assert_cmpuint (outer.st_gid, ==, inner.st_gid);
  local_test_delete (test->provider, local_test_id (info));
  g_assert_true (g_file_test (made, G_FILE_TEST_EXISTS));
}

static void
test_overlay (LocalTest *test, gconstpointer data)
{
  g_autofree char *project = make_project (test);
  g_autofree char *before = NULL;
  g_autofree char *upper = NULL;
  g_autofree char *told = NULL;
  g_autofree char *after = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;

  g_assert_cmpint (chmod (project, 0751), ==, 0);
  before = look_at (project);
  info = create_with (test, project, "/workspace", ASB_MOUNT_MODE_OVERLAY);
  g_free (local_test_shell (test->provider, local_test_id (info), NULL,
                            "echo third > made && echo changed >> file && rm -r sub"));
  kill_guest (test, local_test_id (info));
  /* Started again, it is the same. */
  told = local_test_shell (test->provider, local_test_id (info), NULL,
                           "ls; cat file made; stat -c %a .");
  g_assert_cmpstr (told, ==, "file\nmade\nfirst\nchanged\nthird\n751\n");
  upper = local_test_path (test, local_test_id (info), "overlays/0/upper/made");
  g_assert_true (g_file_test (upper, G_FILE_TEST_EXISTS));
  local_test_delete (test->provider, local_test_id (info));
  after = look_at (project);
  g_assert_cmpstr (before, ==, after);
  g_assert_false (g_file_test (upper, G_FILE_TEST_EXISTS));
}

/* What would run as its owner on the host cannot be made in a folder that is written through. In
 * the sandbox's own it means nothing, and programs that unpack archives may. */
static void
test_set_ids (LocalTest *test, gconstpointer data)
{
  static const char text[]
      = "for mode in 4755 2755; do touch x; chmod $mode x 2>/dev/null && echo $mode; done; "
        "python3 -c 'import os; os.open(\"y\", os.O_CREAT | os.O_WRONLY, 0o4755)' 2>/dev/null "
        "&& echo open; python3 -c 'import os; os.mknod(\"z\", 0o104755)' 2>/dev/null "
        "&& echo mknod; python3 -c 'import os; os.open(\".\", os.O_TMPFILE | os.O_WRONLY, 0o4755)' "
        "2>/dev/null && echo unnamed; chmod 755 x && touch w && echo usual";
  g_autofree char *project = make_project (test);
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) through = NULL;
  g_autoptr (AsbSandboxInfo) own = NULL;
  g_autofree char *refused = NULL;
  g_autofree char *newer = NULL;
  g_autofree char *expected = NULL;
  g_autofree char *done = NULL;

  add (spec, project, "/workspace", ASB_MOUNT_MODE_READ_WRITE);
  through = local_test_create (test->provider, spec);
  refused = local_test_shell (test->provider, local_test_id (through), NULL, text);
  g_assert_cmpstr (refused, ==, "usual\n");
  newer = local_test_shell (test->provider, local_test_id (through), NULL,
                            "python3 -c 'import ctypes; libc = ctypes.CDLL(None, use_errno=True); "
                            "libc.syscall(452, -100, b\"x\", 0o4755, 0); "
                            "print(ctypes.get_errno())'; stat -c %a x");
  expected = g_strdup_printf ("%d\n755\n", ENOSYS);
  g_assert_cmpstr (newer, ==, expected);
  own = local_test_create (test->provider, NULL);
  done = local_test_shell (test->provider, local_test_id (own), NULL, text);
  g_assert_cmpstr (done, ==, "4755\n2755\nopen\nmknod\nunnamed\nusual\n");
}

/* The child: makes a sandbox on the project, says that it works, and waits to be killed. */
static void G_GNUC_NORETURN
be_owner (LocalTest *test)
{
  g_autofree char *project = in_folder (test, "project");
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;

  add (spec, project, "/workspace", ASB_MOUNT_MODE_READ_WRITE);
  info = local_test_create (test->provider, spec);
  g_free (local_test_shell (test->provider, local_test_id (info), NULL, "true"));
  g_print ("%s\n", local_test_id (info));
  for (;;)
    pause ();
}

static void
test_owner_killed (LocalTest *test, gconstpointer data)
{
  g_autofree char *project = make_project (test);
  g_autofree char *before = look_at (project);
  g_autofree char *after = NULL;
  g_autoptr (GSubprocess) owner = local_test_child (test, "owner", G_SUBPROCESS_FLAGS_NONE);
  g_autofree char *id = local_test_read_line (owner);
  g_autofree char *folder = g_build_filename (test->state, id, NULL);
  int guest = local_test_open_process (local_test_guest_pid (folder));

  g_subprocess_force_exit (owner);
  g_assert_true (local_test_wait_for_end (guest, PATIENCE));
  close (guest);
  after = look_at (project);
  g_assert_cmpstr (before, ==, after);
}

/* What is told of a sandbox names the folder itself, also when a link led to it. */
static void
test_link (LocalTest *test, gconstpointer data)
{
  g_autofree char *project = make_project (test);
  g_autofree char *link = in_folder (test, "link");
  g_autofree char *odd = in_folder (test, "od:d,\\\n“x”");
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (AsbSandboxInfo) found = NULL;
  g_autoptr (AsbMount) mount = NULL;
  g_autofree char *told = NULL;

  g_assert_cmpint (rename (project, odd), ==, 0);
  g_assert_cmpint (symlink (odd, link), ==, 0);
  info = create_with (test, link, "//data/./here/", ASB_MOUNT_MODE_OVERLAY);
  found = asb_provider_get_sandbox (test->provider, local_test_id (info), NULL, NULL);
  g_assert_cmpuint (g_list_model_get_n_items (asb_sandbox_info_get_mounts (found)), ==, 1);
  mount = g_list_model_get_item (asb_sandbox_info_get_mounts (found), 0);
  g_assert_cmpstr (asb_mount_get_source (mount), ==, odd);
  g_assert_cmpstr (asb_mount_get_target (mount), ==, "/data/here");
  g_assert_cmpint (asb_mount_get_mode (mount), ==, ASB_MOUNT_MODE_OVERLAY);
  told = local_test_shell (test->provider, local_test_id (info), NULL,
                           "cat /data/here/file; touch /data/here/new && pwd");
  g_assert_cmpstr (told, ==, "first\n/workspace\n");
}

/* A link that comes in the place of the folder is not followed when the sandbox starts again. */
static void
test_exchanged (LocalTest *test, gconstpointer data)
{
  g_autofree char *project = make_project (test);
  g_autofree char *aside = in_folder (test, "aside");
  g_autofree char *secret = in_folder (test, "secret");
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (AsbStreamSpec) spec = asb_stream_spec_new ();
  g_autoptr (GIOStream) stream = NULL;
  g_autoptr (GError) error = NULL;

  write_file (test, "secret/file", "secret");
  info = create_with (test, project, "/workspace", ASB_MOUNT_MODE_READ_ONLY);
  kill_guest (test, local_test_id (info));
  g_assert_cmpint (rename (project, aside), ==, 0);
  stream = asb_provider_open_stream (test->provider, local_test_id (info), spec, NULL, &error);
  g_assert_null (stream);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_LOCAL_PATH_NOT_FOUND);
  g_clear_error (&error);
  g_assert_cmpint (symlink (secret, project), ==, 0);
  stream = asb_provider_open_stream (test->provider, local_test_id (info), spec, NULL, &error);
  g_assert_null (stream);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_LOCAL_PATH_NOT_ALLOWED);
}

/* Also by root, whose sandboxes may do no more than the owner. */
static void
assert_closed_refused (LocalTest *test)
{
  g_autofree char *closed = in_folder (test, "closed");
  g_autoptr (AsbSandboxSpec) unread = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxSpec) unwritten = asb_sandbox_spec_new ();

  g_assert_cmpint (mkdir (closed, 0000), ==, 0);
  add (unread, closed, "/workspace", ASB_MOUNT_MODE_READ_ONLY);
  assert_refused (test, unread, ASB_ERROR_LOCAL_PATH_NOT_ALLOWED, "Permission denied");
  g_assert_cmpint (chmod (closed, 0555), ==, 0);
  add (unwritten, closed, "/workspace", ASB_MOUNT_MODE_READ_WRITE);
  assert_refused (test, unwritten, ASB_ERROR_LOCAL_PATH_NOT_ALLOWED, "show it read-only");
}

static void
test_sources (LocalTest *test, gconstpointer data)
{
  g_autofree char *file = in_folder (test, "project/file");
  g_autofree char *missing = in_folder (test, "missing");
  g_autofree char *link = in_folder (test, "link");
  g_autofree char *below = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;

  g_free (make_project (test));
  assert_mount_refused (test, "/", "/data", ASB_ERROR_LOCAL_PATH_NOT_ALLOWED);
  assert_mount_refused (test, "/proc", "/data", ASB_ERROR_LOCAL_PATH_NOT_ALLOWED);
  assert_mount_refused (test, "/sys/kernel", "/data", ASB_ERROR_LOCAL_PATH_NOT_ALLOWED);
  assert_mount_refused (test, "/dev", "/data", ASB_ERROR_LOCAL_PATH_NOT_ALLOWED);
  assert_mount_refused (test, missing, "/data", ASB_ERROR_LOCAL_PATH_NOT_FOUND);
  assert_mount_refused (test, file, "/data", ASB_ERROR_LOCAL_PATH_NOT_ALLOWED);
  assert_mount_refused (test, "project", "/data", ASB_ERROR_INVALID_ARGUMENT);
  assert_mount_refused (test, test->folder, "/data", ASB_ERROR_LOCAL_PATH_NOT_ALLOWED);
  assert_mount_refused (test, test->state, "/data", ASB_ERROR_LOCAL_PATH_NOT_ALLOWED);
  if (geteuid () != 0)
    assert_mount_refused (test, "/root", "/data", ASB_ERROR_LOCAL_PATH_NOT_ALLOWED);
  assert_closed_refused (test);

  info = local_test_create (test->provider, NULL);
  below = local_test_path (test, local_test_id (info), "workspace");
  g_assert_cmpint (symlink (below, link), ==, 0);
  {
    g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
    g_autoptr (GError) error = NULL;

    add (spec, link, "/data", ASB_MOUNT_MODE_READ_WRITE);
    g_assert_null (asb_provider_create_sandbox (test->provider, spec, NULL, &error));
    g_assert_error (error, ASB_ERROR, ASB_ERROR_LOCAL_PATH_NOT_ALLOWED);
  }
}

/* Before the first record is kept there is no folder of records. */
static void
test_records_to_come (LocalTest *test, gconstpointer data)
{
  g_autofree char *project = make_project (test);
  g_autofree char *sub = in_folder (test, "project/sub");
  g_autoptr (AsbProvider) provider = test->provider;
  g_autoptr (AsbSandboxInfo) info = NULL;

  g_free (test->records);
  test->records = in_folder (test, "project/state/records");
  test->provider = local_test_provider (test, NULL);
  assert_mount_refused (test, project, "/data", ASB_ERROR_LOCAL_PATH_NOT_ALLOWED);
  info = create_with (test, sub, "/data", ASB_MOUNT_MODE_READ_ONLY);
  local_test_delete (test->provider, local_test_id (info));
}

static void
test_targets (LocalTest *test, gconstpointer data)
{
  static const char *const bad[] = { "/",
                                     "/usr",
                                     "/usr/lib/x",
                                     "/etc",
                                     "/proc",
                                     "/dev/shm",
                                     "/home",
                                     "/run",
                                     "/var",
                                     "/sys",
                                     "/bin/x",
                                     "/.agent-history",
                                     "/.agent-history/bin",
                                     "/.asb-guest",
                                     "/var/tmp/x",
                                     "/a/../b",
                                     "relative",
                                     "" };
  g_autofree char *project = make_project (test);
  g_autoptr (AsbSandboxSpec) twice = asb_sandbox_spec_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    assert_mount_refused (test, project, bad[i], ASB_ERROR_INVALID_ARGUMENT);
  add (twice, project, "/data", ASB_MOUNT_MODE_READ_ONLY);
  add (twice, project, "/data/", ASB_MOUNT_MODE_OVERLAY);
  assert_refused (test, twice, ASB_ERROR_INVALID_ARGUMENT, "/data");
}

/* A folder in a folder; what it stands on is there already, as nothing is made for it. */
static void
test_nested (LocalTest *test, gconstpointer data)
{
  g_autofree char *project = make_project (test);
  g_autofree char *other = in_folder (test, "other");
  g_autofree char *made = in_folder (test, "other/made");
  g_autofree char *inner = in_folder (test, "inner");
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  g_autofree char *told = NULL;
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxSpec) missing = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;

  write_file (test, "other/in/x", "third\n");
  write_file (test, "inner/y", "fourth\n");
  before = look_at (project);
  add (missing, project, "/workspace", ASB_MOUNT_MODE_READ_WRITE);
  add (missing, other, "/workspace/missing", ASB_MOUNT_MODE_READ_WRITE);
  assert_refused (test, missing, ASB_ERROR_LOCAL_PATH_NOT_ALLOWED, "/workspace/missing");

  add (spec, inner, "/workspace/sub/in", ASB_MOUNT_MODE_OVERLAY);
  add (spec, project, "/workspace", ASB_MOUNT_MODE_READ_ONLY);
  add (spec, other, "/workspace/sub", ASB_MOUNT_MODE_READ_WRITE);
  info = local_test_create (test->provider, spec);
  told = local_test_shell (test->provider, local_test_id (info), NULL,
                           "ls . sub sub/in; touch sub/made sub/in/made && "
                           "! touch made 2>/dev/null && echo refused");
  g_assert_cmpstr (told, ==, ".:\nfile\nsub\n\nsub:\nin\n\nsub/in:\ny\nrefused\n");
  local_test_delete (test->provider, local_test_id (info));
  g_assert_true (g_file_test (made, G_FILE_TEST_EXISTS));
  after = look_at (project);
  g_assert_cmpstr (before, ==, after);
}

static void
assert_link_not_followed (LocalTest *test, const char *project, const char *target)
{
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (AsbStreamSpec) spec = asb_stream_spec_new ();
  g_autoptr (GIOStream) stream = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *script
      = g_strdup_printf ("test -f a/b/file && mv a old && ln -s '%s' a", target);

  info = create_with (test, project, "/workspace/a/b", ASB_MOUNT_MODE_READ_WRITE);
  g_free (local_test_shell (test->provider, local_test_id (info), NULL, script));
  kill_guest (test, local_test_id (info));
  stream = asb_provider_open_stream (test->provider, local_test_id (info), spec, NULL, &error);
  g_assert_null (stream);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "/workspace/a/b"));
}

/* Where the sandbox can write, it can put a link in the way of what is mounted there: to a folder
 * of the host as we would find it, and as bubblewrap would. */
static void
test_link_inside (LocalTest *test, gconstpointer data)
{
  g_autofree char *project = make_project (test);
  g_autofree char *precious = in_folder (test, "precious");
  g_autofree char *below = g_strconcat ("/oldroot", precious, NULL);
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;

  write_file (test, "precious/x", "");
  before = look_at (precious);
  assert_link_not_followed (test, project, precious);
  assert_link_not_followed (test, project, below);
  after = look_at (precious);
  g_assert_cmpstr (before, ==, after);
}

static void
test_workdir (LocalTest *test, gconstpointer data)
{
  g_autofree char *project = make_project (test);
  g_autofree char *before = look_at (project);
  g_autofree char *after = NULL;
  g_autofree char *told = NULL;
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;

  add (spec, project, "/src", ASB_MOUNT_MODE_READ_WRITE);
  asb_sandbox_spec_set_workdir (spec, "/src/nope");
  assert_refused (test, spec, ASB_ERROR_WORKING_DIRECTORY, "/src/nope");
  asb_sandbox_spec_set_workdir (spec, "/src/sub");
  info = local_test_create (test->provider, spec);
  g_assert_cmpstr (asb_sandbox_info_get_workdir (info), ==, "/src/sub");
  told = local_test_shell (test->provider, local_test_id (info), NULL, "cat /src/sub/deep");
  g_assert_cmpstr (told, ==, "second\n");
  after = look_at (project);
  g_assert_cmpstr (before, ==, after);
}

/* A folder in the sandbox's own folder of its working directory. */
static void
test_in_workdir (LocalTest *test, gconstpointer data)
{
  g_autofree char *project = make_project (test);
  g_autofree char *told = NULL;
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;

  add (spec, project, "/work/a/b", ASB_MOUNT_MODE_READ_ONLY);
  asb_sandbox_spec_set_workdir (spec, "/work");
  info = local_test_create (test->provider, spec);
  told = local_test_shell (test->provider, local_test_id (info), NULL,
                           "cat /work/a/b/file && touch /work/a/made && echo done");
  g_assert_cmpstr (told, ==, "first\ndone\n");
}

/* Root's sandboxes work as another user, to whom the folder's owner is shown; what belongs to
 * others stays theirs. */
static void
test_owner (LocalTest *test, gconstpointer data)
{
  g_autofree char *project = make_project (test);
  g_autofree char *private = in_folder (test, "project/private");
  g_autofree char *foreign = in_folder (test, "project/foreign");
  g_autofree char *made = in_folder (test, "project/made");
  g_autofree char *told = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  struct stat status;

  if (geteuid () != 0)
    {
      g_test_skip ("Only root can give folders away");
      return;
    }
  write_file (test, "project/private", "private\n");
  write_file (test, "project/foreign", "foreign\n");
  g_assert_cmpint (chmod (private, 0600), ==, 0);
  g_assert_cmpint (chmod (foreign, 0600), ==, 0);
  g_assert_cmpint (chown (project, 4711, 4712), ==, 0);
  g_assert_cmpint (chown (private, 4711, 4712), ==, 0);
  info = create_with (test, project, "/workspace", ASB_MOUNT_MODE_READ_WRITE);
  told = local_test_shell (test->provider, local_test_id (info), NULL,
                           "cat private; cat foreign 2>/dev/null || echo refused; "
                           "touch made && stat -c %U made private");
  g_assert_cmpstr (told, ==, "private\nrefused\nagent\nagent\n");
  g_assert_cmpint (stat (made, &status), ==, 0);
  g_assert_cmpuint (status.st_uid, ==, 4711);
  g_assert_cmpuint (status.st_gid, ==, 4712);
}

/* The child: an overlay does not hold the changes of another one. */
static int
be_on_overlay (LocalTest *test)
{
  g_autofree char *project = in_folder (test, "project");
  g_autofree char *lower = in_folder (test, "lower");
  g_autofree char *upper = in_folder (test, "upper");
  g_autofree char *work = in_folder (test, "work");
  g_autofree char *options
      = g_strdup_printf ("lowerdir=%s,upperdir=%s,workdir=%s", lower, upper, work);
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

  if (mkdir (lower, 0700) != 0 || mkdir (upper, 0700) != 0 || mkdir (work, 0700) != 0
      || g_mkdir_with_parents (test->state, 0700) != 0 || unshare (CLONE_NEWNS) != 0
      || mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
      || mount ("overlay", test->state, "overlay", 0, options) != 0)
    return CANNOT;
  add (spec, project, "/workspace", ASB_MOUNT_MODE_OVERLAY);
  assert_refused (test, spec, ASB_ERROR_UNSUPPORTED_CAPABILITY, "state-dir");
  return 0;
}

static void
test_refused_by_kernel (LocalTest *test, gconstpointer data)
{
  g_autofree char *project = make_project (test);
  g_autoptr (GSubprocess) child = local_test_child (test, "overlay", G_SUBPROCESS_FLAGS_NONE);

  g_subprocess_wait (child, NULL, NULL);
  g_assert_true (g_subprocess_get_if_exited (child));
  if (g_subprocess_get_exit_status (child) == CANNOT)
    g_test_skip ("This user may not mount an overlay");
  else
    g_assert_cmpint (g_subprocess_get_exit_status (child), ==, 0);
}

static int
be_child (const char *name, const char *folder)
{
  g_autoptr (LocalTest) test = local_test_for_child (folder);

  if (strcmp (name, "owner") == 0)
    be_owner (test);
  if (strcmp (name, "overlay") == 0)
    return be_on_overlay (test);
  return 2;
}

int
main (int argc, char **argv)
{
  int status = local_test_init (&argc, &argv);

  if (status >= 0)
    return status;
  if (argc == 4)
    return be_child (argv[2], argv[3]);
  local_test_add ("/local/mounts/read-only", test_read_only);
  local_test_add ("/local/mounts/marks", test_marks);
  local_test_add ("/local/mounts/read-write", test_read_write);
  local_test_add ("/local/mounts/overlay", test_overlay);
  local_test_add ("/local/mounts/set-ids", test_set_ids);
  local_test_add ("/local/mounts/owner-killed", test_owner_killed);
  local_test_add ("/local/mounts/link", test_link);
  local_test_add ("/local/mounts/exchanged", test_exchanged);
  local_test_add ("/local/mounts/sources", test_sources);
  local_test_add ("/local/mounts/records-to-come", test_records_to_come);
  local_test_add ("/local/mounts/targets", test_targets);
  local_test_add ("/local/mounts/nested", test_nested);
  local_test_add ("/local/mounts/link-inside", test_link_inside);
  local_test_add ("/local/mounts/workdir", test_workdir);
  local_test_add ("/local/mounts/in-workdir", test_in_workdir);
  local_test_add ("/local/mounts/owner", test_owner);
  local_test_add ("/local/mounts/refused-by-kernel", test_refused_by_kernel);
  return g_test_run ();
}
