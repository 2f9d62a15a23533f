/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The filter of system calls: what it refuses, by every way a program could ask, and that programs
 * work under it. */

#include "local-test.h"

#include <string.h>

static void
assert_probed (LocalTest *test, const char *verb)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  const char *arguments[] = { verb, NULL };
  g_autofree char *told = local_test_probe (test, local_test_id (info), arguments);

  g_assert_cmpstr (told, ==, "");
}

static void
test_refused (LocalTest *test, gconstpointer data)
{
  assert_probed (test, "calls");
}

static void
test_compat (LocalTest *test, gconstpointer data)
{
  assert_probed (test, "compat");
}

static void
test_needed (LocalTest *test, gconstpointer data)
{
  assert_probed (test, "needed");
}

static gboolean
is_filtered (int pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/status", pid);
  g_autofree char *status = NULL;

  g_assert_true (g_file_get_contents (path, &status, NULL, NULL));
  return strstr (status, "\nSeccomp:\t2\n") != NULL;
}

/* The guest is started again with it, and so is the reader of a record. */
static void
test_guests (LocalTest *test, gconstpointer data)
{
  g_autoptr (GVariant) options
      = g_variant_ref_sink (g_variant_new_parsed ("{'keep-record': <true>}"));
  g_autoptr (AsbProvider) provider = local_test_provider (test, options);
  g_autoptr (AsbSandboxInfo) info = local_test_create (provider, NULL);
  const char *id = local_test_id (info);
  g_autofree char *folder = local_test_path (test, id, "");
  g_autofree char *record = g_build_filename (test->records, id, NULL);
  g_autoptr (AsbTransport) reader = NULL;

  g_assert_true (is_filtered (local_test_guest_pid (folder)));
  local_test_delete (provider, id);
  reader = local_test_open (provider, id, TRUE);
  g_assert_true (is_filtered (local_test_guest_pid (record)));
  asb_transport_close (reader, NULL, NULL);
}

/* What starts processes and threads in its own ways works. */
static void
test_programs (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *told = local_test_shell (
      test->provider, local_test_id (info), NULL,
      "seq 3 | xargs -P 3 -n 1 echo | sort | tr -d '\\n'; "
      "sort --parallel=2 -S 1M /etc/passwd | wc -l | grep -c .; "
      "python3 -c 'import subprocess, threading; t = threading.Thread(target=lambda: "
      "print(subprocess.check_output([\"echo\", \"thread\"]))); t.start(); t.join()'");

  g_assert_cmpstr (told, ==, "1231\nb'thread\\n'\n");
}

int
main (int argc, char **argv)
{
  int status = local_test_init (&argc, &argv);

  if (status >= 0)
    return status;
  local_test_add ("/local/filter/refused", test_refused);
  local_test_add ("/local/filter/compat", test_compat);
  local_test_add ("/local/filter/needed", test_needed);
  local_test_add ("/local/filter/guests", test_guests);
  local_test_add ("/local/filter/programs", test_programs);
  return g_test_run ();
}
