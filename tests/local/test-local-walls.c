/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a sandbox can see of the host and do to it: nothing it was not given. */

#include "local-test.h"

#include <grp.h>
#include <string.h>
#include <unistd.h>

static char *
probe (LocalTest *test, const char *id, ...)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  const char *argument;
  va_list list;

  va_start (list, id);
  while ((argument = va_arg (list, const char *)))
    g_ptr_array_add (arguments, (gpointer)argument);
  va_end (list);
  g_ptr_array_add (arguments, NULL);
  return local_test_probe (test, id, (const char *const *)arguments->pdata);
}

static void
test_user (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *expected = g_strdup_printf (
      "%u %u agent agent\n/workspace\n/home/agent agent %s C.UTF-8 unset\n%s\n",
      geteuid () == 0 ? 1000 : geteuid (), getegid () == 0 ? 1000 : getegid (),
      access ("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh", local_test_id (info));
  g_autofree char *told = local_test_shell (test->provider, local_test_id (info), NULL,
                                            "echo $(id -u) $(id -g) $(id -un) $(id -gn); pwd; "
                                            "echo $HOME $USER $SHELL $LANG $(printenv TERM || echo "
                                            "unset); cat /proc/sys/kernel/hostname");
  g_autofree char *caps = local_test_shell (test->provider, local_test_id (info), NULL,
                                            "grep -c '^Cap.*:.0000000000000000$' /proc/self/status;"
                                            "grep '^NoNewPrivs' /proc/self/status | cut -f2");

  g_assert_cmpstr (told, ==, expected);
  g_assert_cmpstr (caps, ==, "5\n1\n");
}

static void
test_rights (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *worked = probe (test, local_test_id (info), "rights", NULL);

  g_assert_cmpstr (worked, ==, "");
}

static void
test_files (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  const char *id = local_test_id (info);
  g_autofree char *secret = g_build_filename (test->folder, "secret", NULL);
  g_autofree char *metadata = local_test_path (test, id, "meta.json");
  g_autofree char *there = local_test_shell (
      test->provider, id, NULL,
      "ls -d /etc/shadow /etc/gshadow /etc/ssh /etc/sudoers /etc/sudoers.d /etc/krb5.keytab "
      "/etc/machine-id /etc/ssl/private /root /boot /sys /srv /opt /mnt /media /var/lib /var/log "
      "/dev/mem /dev/kmsg /dev/console 2>/dev/null; true");
  g_autofree char *readable = NULL;
  g_autofree char *writable = NULL;
  g_autofree char *given = NULL;

  /* What is not there needs no mode to keep anybody out. */
  g_assert_cmpstr (there, ==, "");
  g_assert_true (g_file_set_contents (secret, "secret", -1, NULL));
  readable = probe (test, id, "readable", "/etc/shadow", "/etc/gshadow", "/etc/machine-id",
                    "/etc/ssh", "/etc/sudoers", "/etc/crontab", "/root", "/var/lib", "/var/log",
                    "/boot", "/sys/kernel", "/proc/kcore", "/proc/kmsg", "/proc/slabinfo",
                    "/proc/kpageflags", "/dev/mem", secret, metadata, test->folder, NULL);
  g_assert_cmpstr (readable, ==, "");
  writable = probe (test, id, "writable", "/", "/usr", "/usr/bin", "/etc", "/bin", "/lib", "/proc",
                    "/proc/sys/kernel", "/var", "/home", "/dev", NULL);
  g_assert_cmpstr (writable, ==, "");
  given = probe (test, id, "writable", "/workspace", "/home/agent", "/tmp", "/var/tmp", "/run",
                 "/dev/shm", "/usr", NULL);
  g_assert_cmpstr (given, ==,
                   "/workspace is writable\n/home/agent is writable\n/tmp is writable\n"
                   "/var/tmp is writable\n/run is writable\n/dev/shm is writable\n");
}

static gboolean
is_of_own_namespace (const char *line)
{
  static const char *const prefixes[]
      = { "/proc/sys/fs/mqueue/",     "/proc/sys/kernel/auto_msgmni",
          "/proc/sys/kernel/msg",     "/proc/sys/kernel/ns_last_pid",
          "/proc/sys/kernel/pid_max", "/proc/sys/kernel/sem ",
          "/proc/sys/kernel/shm",     "/proc/sys/net/",
          "/proc/sys/user/" };

  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (line, prefixes[i]))
      return TRUE;
  /* Everybody may ask there to be told when the machine is busy; nothing is changed by that. */
  return g_str_has_prefix (line, "/proc/pressure/");
}

/* Nothing of the host can be changed in /proc, nor the mode of it; what is of the sandbox's own
 * namespaces can. */
static void
test_proc (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *worked = probe (test, local_test_id (info), "proc", NULL);
  g_auto (GStrv) lines = g_strsplit (worked, "\n", -1);

  for (gsize i = 0; lines[i] && lines[i][0]; i++)
    if (!is_of_own_namespace (lines[i]))
      g_error ("%s", lines[i]);
}

/* Root of the host is nobody there: it would own most files of the host. */
static void
test_not_root (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *folder = local_test_path (test, local_test_id (info), "");
  g_autofree char *path = g_strdup_printf ("/proc/%d/status", local_test_guest_pid (folder));
  g_autofree char *status = NULL;
  g_autofree char *expected = NULL;
  unsigned user = geteuid () == 0 ? 65534 : geteuid ();

  g_assert_true (g_file_get_contents (path, &status, NULL, NULL));
  expected = g_strdup_printf ("\nUid:\t%u\t%u\t%u\t%u\n", user, user, user, user);
  g_assert_nonnull (strstr (status, expected));
  if (geteuid () == 0)
    g_assert_nonnull (strstr (status, "\nGroups:\t \n"));
}

static void
test_devices (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *worked = probe (test, local_test_id (info), "devices", NULL);
  g_autofree char *used = local_test_shell (
      test->provider, local_test_id (info), NULL,
      "echo gone >/dev/null && head -c 3 /dev/zero | wc -c && head -c 5 /dev/urandom | wc -c && "
      "{ echo full >/dev/full; } 2>/dev/null || echo refused");

  g_assert_cmpstr (worked, ==, "");
  g_assert_cmpstr (used, ==, "3\n5\nrefused\n");
}

static void
test_descriptors (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *worked = probe (test, local_test_id (info), "descriptors", NULL);

  g_assert_cmpstr (worked, ==, "");
}

static GSocketListener *
listen_on_host (guint16 *port, const char *abstract)
{
  GSocketListener *listener = g_socket_listener_new ();
  g_autoptr (GSocketAddress) address
      = g_unix_socket_address_new_with_type (abstract, -1, G_UNIX_SOCKET_ADDRESS_ABSTRACT);
  g_autoptr (GError) error = NULL;

  *port = g_socket_listener_add_any_inet_port (listener, NULL, &error);
  g_assert_no_error (error);
  g_socket_listener_add_address (listener, address, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT,
                                 NULL, NULL, &error);
  g_assert_no_error (error);
  return listener;
}

static void
test_network (LocalTest *test, gconstpointer data)
{
  g_autofree char *abstract = g_strdup_printf ("asb-test-%d", (int)getpid ());
  guint16 port = 0;
  g_autoptr (GSocketListener) listener = listen_on_host (&port, abstract);
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *number = g_strdup_printf ("%u", port);
  g_autofree char *by_port = probe (test, local_test_id (info), "port", number, NULL);
  g_autofree char *by_name = probe (test, local_test_id (info), "abstract", abstract, NULL);

  g_assert_cmpstr (by_port, ==, "");
  g_assert_cmpstr (by_name, ==, "");
}

static void
test_host_network (LocalTest *test, gconstpointer data)
{
  g_autofree char *abstract = g_strdup_printf ("asb-test-%d", (int)getpid ());
  guint16 port = 0;
  g_autoptr (GSocketListener) listener = listen_on_host (&port, abstract);
  g_autoptr (GVariant) options
      = g_variant_ref_sink (g_variant_new_parsed ("{'network': <'host'>}"));
  g_autoptr (AsbProvider) provider = local_test_provider (test, options);
  g_autoptr (AsbSandboxInfo) info = local_test_create (provider, NULL);
  g_autofree char *number = g_strdup_printf ("%u", port);
  g_autofree char *by_port = probe (test, local_test_id (info), "port", number, NULL);

  g_assert_true (g_str_has_prefix (by_port, "port "));
}

/* The host's variables stay outside, and what is given to a sandbox stands nowhere outside it. */
static void
test_environment (LocalTest *test, gconstpointer data)
{
  const char *const environment[] = { "KEY=s3cret2-inside", "SPACE=a b\nc", "EMPTY=", NULL };
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autofree char *told = NULL;
  g_autofree char *found = NULL;
  g_autofree char *path = NULL;
  g_autofree char *metadata = NULL;

  asb_sandbox_spec_set_environment (spec, environment);
  info = local_test_create (test->provider, spec);
  told
      = local_test_shell (test->provider, local_test_id (info), NULL,
                          "printf '%s|' \"$KEY\" \"$SPACE\" \"${EMPTY-unset}\" \"${TOKEN-unset}\"");
  g_assert_cmpstr (told, ==, "s3cret2-inside|a b\nc||unset|");
  found = local_test_shell (test->provider, local_test_id (info), NULL,
                            "cat /proc/[0-9]*/environ 2>/dev/null | grep -ac s3cret-of; true");
  g_assert_cmpstr (found, ==, "0\n");
  g_assert_false (local_test_find_process ("cmdline", "s3cret2-inside"));
  g_assert_true (local_test_find_process ("cmdline", "/.asb-guest"));

  path = local_test_path (test, local_test_id (info), "meta.json");
  g_assert_true (g_file_get_contents (path, &metadata, NULL, NULL));
  g_assert_null (strstr (metadata, "s3cret2"));
}

static void
test_processes (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *told = local_test_shell (test->provider, local_test_id (info), NULL,
                                            "ls /proc | grep -c '^[0-9]'; kill -9 1");

  /* The guest's and the command's, none of the host's, and the guest withstands it. */
  g_assert_cmpint ((int)g_ascii_strtoll (told, NULL, 10), <, 16);
}

static void
test_system_files (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *users = local_test_shell (test->provider, local_test_id (info), NULL,
                                             "cut -d: -f1 /etc/passwd | sort | tr '\\n' ' '");
  g_autofree char *modes = local_test_shell (test->provider, local_test_id (info), NULL,
                                             "stat -c %a /etc /home /var /tmp /workspace");
  g_autofree char *names = local_test_shell (
      test->provider, local_test_id (info), NULL,
      "getent hosts localhost >/dev/null && cat /etc/hostname && ls /etc/resolv.conf 2>&1 | wc -l "
      "&& ls -d /etc/alternatives /etc/mtab | wc -l && ls /etc/ssl/certs | wc -l");
  g_autoptr (GDir) certificates = g_dir_open ("/etc/ssl/certs", 0, NULL);
  g_autofree char *expected = NULL;
  int n_certificates = 0;

  while (certificates && g_dir_read_name (certificates))
    n_certificates++;
  expected = g_strdup_printf ("%s\n1\n2\n%d\n", local_test_id (info), n_certificates);

  g_assert_cmpstr (users, ==, geteuid () == 65534 ? "agent root " : "agent nobody root ");
  g_assert_cmpstr (modes, ==, "755\n755\n755\n1777\n755\n");
  g_assert_cmpstr (names, ==, expected);
}

int
main (int argc, char **argv)
{
  int status;

  g_setenv ("TOKEN", "s3cret-of-host", TRUE);
  /* Groups that a sandbox of root must not be in. */
  if (geteuid () == 0 && setgroups (1, (gid_t[]){ 54321 }) != 0)
    return 1;
  status = local_test_init (&argc, &argv);
  if (status >= 0)
    return status;
  local_test_add ("/local/walls/user", test_user);
  local_test_add ("/local/walls/rights", test_rights);
  local_test_add ("/local/walls/files", test_files);
  local_test_add ("/local/walls/proc", test_proc);
  local_test_add ("/local/walls/not-root", test_not_root);
  local_test_add ("/local/walls/devices", test_devices);
  local_test_add ("/local/walls/descriptors", test_descriptors);
  local_test_add ("/local/walls/network", test_network);
  local_test_add ("/local/walls/host-network", test_host_network);
  local_test_add ("/local/walls/environment", test_environment);
  local_test_add ("/local/walls/processes", test_processes);
  local_test_add ("/local/walls/system-files", test_system_files);
  return g_test_run ();
}
