/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Inside a container a sandbox can be made, or it is said why not and what helps. The containers
 * are made of util-linux's programs; each is tried by this test program, started in it. */

#include "local-test.h"

#include <string.h>
#include <unistd.h>

/* Starts this program in the container that the words before %NULL make. Returns: what it told. */
static char *
try_in (LocalTest *test, ...)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) argv = NULL;
  g_autoptr (GSubprocess) child = NULL;
  g_autoptr (GError) error = NULL;
  const char *word;
  va_list words;

  /* It is that user already, and may look like root in there. */
  g_strv_builder_add_many (builder, "env", "--unset=ASB_TEST_USER", NULL);
  va_start (words, test);
  while ((word = va_arg (words, const char *)))
    g_strv_builder_add (builder, word);
  va_end (words);
  g_strv_builder_add_many (builder, local_test_program (), "--child", "create", test->folder, NULL);
  argv = g_strv_builder_end (builder);
  child = g_subprocess_newv ((const char *const *)argv, G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error);
  g_assert_no_error (error);
  return local_test_read_line (child);
}

static void
assert_told (const char *told, ...)
{
  const char *text;
  va_list texts;

  va_start (texts, told);
  while ((text = va_arg (texts, const char *)))
    if (!strstr (told, text))
      g_error ("“%s” does not say “%s”", told, text);
  va_end (texts);
}

/* A container that is none: what the others lack is not missing everywhere. */
static void
test_none (LocalTest *test, gconstpointer data)
{
  g_autofree char *told = try_in (test, NULL);

  g_assert_cmpstr (told, ==, "works");
}

static gboolean
is_root (void)
{
  if (geteuid () == 0)
    return TRUE;
  g_test_skip ("Only root can make this container");
  return FALSE;
}

/* Another /proc, as of a chroot on this machine, would show what this one hides. */
static void
test_hidden_proc (LocalTest *test, gconstpointer data)
{
  static const char script[]
      = "awk '$3 == \"proc\" && $2 != \"/proc\" { print $2 }' /proc/self/mounts | "
        "xargs --no-run-if-empty umount --lazy && mount -t tmpfs none /proc/fs && exec \"$@\"";
  g_autofree char *told = NULL;

  if (!is_root ())
    return;
  told = try_in (test, "unshare", "--mount", "sh", "-c", script, "sh", NULL);
  assert_told (told, "not possible here", "systempaths=unconfined", "mount proc", NULL);
}

static void
test_no_proc (LocalTest *test, gconstpointer data)
{
  g_autofree char *told = NULL;

  if (!is_root ())
    return;
  told = try_in (test, "unshare", "--mount", "sh", "-c", "umount --lazy /proc && exec \"$@\"", "sh",
                 NULL);
  assert_told (told, "mount /proc", NULL);
}

static void
test_no_rights (LocalTest *test, gconstpointer data)
{
  g_autofree char *none = NULL;
  g_autofree char *no_mounts = NULL;
  g_autofree char *no_users = NULL;

  if (!is_root ())
    return;
  none = try_in (test, "setpriv", "--bounding-set=-all", NULL);
  assert_told (none, "not possible here", "CAP_CHOWN", NULL);
  no_mounts = try_in (test, "setpriv", "--bounding-set=-sys_admin", NULL);
  assert_told (no_mounts, "not possible here", "CAP_SYS_ADMIN", NULL);
  no_users = try_in (test, "setpriv", "--bounding-set=-setuid", NULL);
  assert_told (no_users, "not possible here", "CAP_SETUID", NULL);
}

/* Root of a user namespace: of an ordinary user works, of the machine's root has no user to be. */
static void
test_only_user (LocalTest *test, gconstpointer data)
{
  g_autofree char *told = try_in (test, "unshare", "--user", "--map-root-user", NULL);

  if (geteuid () == 0)
    assert_told (told, "not possible here", "nobody (65534)", NULL);
  else
    g_assert_cmpstr (told, ==, "works");
}

static void
test_no_namespaces (LocalTest *test, gconstpointer data)
{
  g_autofree char *none = NULL;
  g_autofree char *too_few = NULL;

  if (geteuid () == 0)
    {
      g_test_skip ("Only an ordinary user comes that far");
      return;
    }
  none = try_in (test, "unshare", "--user", "--map-root-user", "sh", "-c",
                 "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$@\"", "sh", NULL);
  assert_told (none, "not possible here", "sysctl user.max_user_namespaces", NULL);
  too_few = try_in (test, "unshare", "--user", "--map-root-user", "sh", "-c",
                    "echo 1 >/proc/sys/user/max_user_namespaces && exec \"$@\"", "sh", NULL);
  assert_told (too_few, "not possible here", "user.max_user_namespaces", NULL);
}

/* As in most containers, no program may gain rights. None is needed. */
static void
test_no_new_rights (LocalTest *test, gconstpointer data)
{
  g_autofree char *told = try_in (test, "setpriv", "--no-new-privs", NULL);

  g_assert_cmpstr (told, ==, "works");
}

/* The child: makes a sandbox and works in it. */
static int
create (LocalTest *test)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_create_sandbox (test->provider, spec, NULL, &error);
  g_autofree char *told = NULL;

  if (!info)
    {
      g_print ("%s\n", error->message);
      return 0;
    }
  /* A root that bubblewrap has no other user for keeps its capabilities but when told not to. */
  told = local_test_shell (test->provider, local_test_id (info), NULL,
                           "grep '^Cap...:.*[1-9a-f]' /proc/self/status || echo works");
  local_test_delete (test->provider, local_test_id (info));
  g_print ("%s", told);
  return 0;
}

static int
be_child (const char *folder)
{
  g_autoptr (LocalTest) test = local_test_for_child (folder);

  return create (test);
}

int
main (int argc, char **argv)
{
  int status = local_test_init (&argc, &argv);

  if (status >= 0)
    return status;
  if (argc == 4)
    return be_child (argv[3]);
  local_test_add ("/local/container/none", test_none);
  local_test_add ("/local/container/hidden-proc", test_hidden_proc);
  local_test_add ("/local/container/no-proc", test_no_proc);
  local_test_add ("/local/container/no-rights", test_no_rights);
  local_test_add ("/local/container/only-user", test_only_user);
  local_test_add ("/local/container/no-namespaces", test_no_namespaces);
  local_test_add ("/local/container/no-new-rights", test_no_new_rights);
  return g_test_run ();
}
