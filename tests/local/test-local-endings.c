/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sandboxes whose time is up or whose owner is gone, and what is left of them. */

#include "local-test.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* More than what is promised: this machine may be busy. */
#define PATIENCE 60000

static AsbProvider *
keeping_provider (LocalTest *test)
{
  g_autoptr (GVariant) options
      = g_variant_ref_sink (g_variant_new_parsed ("{'keep-record': <true>}"));

  return local_test_provider (test, options);
}

static AsbSandboxInfo *
create_for (AsbProvider *provider, gint64 seconds)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

  asb_sandbox_spec_set_lifetime (spec, ASB_LIFETIME_PERSISTENT);
  asb_sandbox_spec_set_ttl_mode (spec, ASB_TTL_MODE_SECONDS);
  asb_sandbox_spec_set_ttl_seconds (spec, seconds);
  return local_test_create (provider, spec);
}

static int
open_guest (LocalTest *test, const char *id)
{
  g_autofree char *folder = g_build_filename (test->state, id, NULL);

  return local_test_open_process (local_test_guest_pid (folder));
}

static void
signal_process (int process, int number)
{
  local_test_signal (process, number);
}

static void
end_guest (int process)
{
  signal_process (process, SIGKILL);
  g_assert_true (local_test_wait_for_end (process, PATIENCE));
  close (process);
}

static void
assert_gone (AsbProvider *provider, const char *id, int code)
{
  g_autoptr (AsbStreamSpec) spec = asb_stream_spec_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_provider_get_sandbox (provider, id, NULL, &error));
  g_assert_error (error, ASB_ERROR, code);
  g_clear_error (&error);
  g_assert_null (asb_provider_open_stream (provider, id, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, code);
  g_clear_error (&error);
  g_assert_null (asb_provider_renew_sandbox (provider, id, 60, NULL, &error));
  g_assert_error (error, ASB_ERROR, code);
}

static gint64
seconds_left (AsbSandboxInfo *info)
{
  GDateTime *expires_at = asb_sandbox_info_get_expires_at (info);

  g_assert_nonnull (expires_at);
  return g_date_time_to_unix (expires_at) - g_get_real_time () / G_USEC_PER_SEC;
}

static gboolean
stands_there (LocalTest *test, const char *id)
{
  g_autofree char *folder = local_test_path (test, id, "");

  return g_file_test (folder, G_FILE_TEST_EXISTS);
}

static void
test_expired (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbProvider) keeping = keeping_provider (test);
  g_autoptr (AsbSandboxInfo) kept = create_for (keeping, 5);
  g_autoptr (AsbSandboxInfo) info = create_for (test->provider, 5);
  int first = open_guest (test, local_test_id (kept));
  int second = open_guest (test, local_test_id (info));

  g_assert_cmpint (seconds_left (info), <=, 5);
  g_assert_true (local_test_wait_for_end (first, PATIENCE));
  g_assert_true (local_test_wait_for_end (second, PATIENCE));
  close (first);
  close (second);
  assert_gone (test->provider, local_test_id (info), ASB_ERROR_SANDBOX_EXPIRED);
  g_assert_true (stands_there (test, local_test_id (info)));

  /* Whoever looks next removes it; its record stays if its maker said so. */
  g_assert_cmpuint (local_test_count (test->provider, NULL), ==, 0);
  g_assert_false (stands_there (test, local_test_id (info)));
  g_assert_false (stands_there (test, local_test_id (kept)));
  assert_gone (test->provider, local_test_id (info), ASB_ERROR_SANDBOX_NOT_FOUND);
  assert_gone (test->provider, local_test_id (kept), ASB_ERROR_SANDBOX_EXPIRED);
  g_assert_cmpuint (local_test_count (test->provider, "deleted"), ==, 1);
}

static void
test_told_apart (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbProvider) provider = keeping_provider (test);
  g_autoptr (AsbSandboxInfo) info = create_for (provider, 3600);

  local_test_delete (provider, local_test_id (info));
  assert_gone (provider, local_test_id (info), ASB_ERROR_SANDBOX_DELETED);
  assert_gone (provider, "aaaaaaaaaaaa", ASB_ERROR_SANDBOX_NOT_FOUND);
}

static void
test_renewed (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_for (test->provider, 30);
  g_autoptr (AsbSandboxInfo) renewed = NULL;
  g_autoptr (AsbSandboxInfo) again = NULL;
  g_autoptr (GError) error = NULL;
  int guest = open_guest (test, local_test_id (info));

  renewed = asb_provider_renew_sandbox (test->provider, local_test_id (info), 3600, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_sandbox_info_get_state (renewed), ==, ASB_SANDBOX_STATE_RUNNING);
  g_assert_cmpint (seconds_left (renewed), >, 3000);
  g_assert_cmpint (seconds_left (renewed), <=, 3600);
  again = asb_provider_get_sandbox (test->provider, local_test_id (info), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (seconds_left (again), >, 3000);
  g_assert_null (
      asb_provider_renew_sandbox (test->provider, local_test_id (info), 0, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);

  /* Shorter, too; the guest that runs is told. */
  g_clear_object (&renewed);
  renewed = asb_provider_renew_sandbox (test->provider, local_test_id (info), 1, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (local_test_wait_for_end (guest, PATIENCE));
  close (guest);
  assert_gone (test->provider, local_test_id (info), ASB_ERROR_SANDBOX_EXPIRED);
}

/* A guest that was killed has no more time when it is started again. */
static void
test_started_again (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_for (test->provider, 3600);
  g_autoptr (AsbSandboxInfo) renewed = NULL;
  g_autoptr (AsbTransport) transport = NULL;
  g_autoptr (GError) error = NULL;
  int guest;

  end_guest (open_guest (test, local_test_id (info)));
  renewed = asb_provider_renew_sandbox (test->provider, local_test_id (info), 6, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_sandbox_info_get_state (renewed), ==, ASB_SANDBOX_STATE_STOPPED);
  transport = local_test_open (test->provider, local_test_id (info), FALSE);
  guest = open_guest (test, local_test_id (info));
  g_assert_true (local_test_wait_for_end (guest, PATIENCE));
  close (guest);
  assert_gone (test->provider, local_test_id (info), ASB_ERROR_SANDBOX_EXPIRED);
}

/* Whether anybody waits for the lock of the folder. */
static gboolean
is_waited_for (const char *folder)
{
  g_autofree char *locks = NULL;
  g_autofree char *inode = NULL;
  g_auto (GStrv) lines = NULL;
  struct stat status;

  g_assert_cmpint (stat (folder, &status), ==, 0);
  inode = g_strdup_printf (":%" G_GUINT64_FORMAT " ", (guint64)status.st_ino);
  g_assert_true (g_file_get_contents ("/proc/locks", &locks, NULL, NULL));
  lines = g_strsplit (locks, "\n", -1);
  for (gsize i = 0; lines[i]; i++)
    if (strstr (lines[i], "-> FLOCK") && strstr (lines[i], inode))
      return TRUE;
  return FALSE;
}

/* As another program does that renews it. */
static void
postpone_end (LocalTest *test, const char *id, gint64 seconds)
{
  g_autofree char *path = local_test_path (test, id, "meta.json");
  g_autofree char *content = NULL;
  g_autofree char *changed = NULL;
  g_autofree char *later = NULL;
  g_autoptr (GRegex) number = g_regex_new ("\"boot_at\": \\d+", 0, 0, NULL);
  struct timespec now;

  clock_gettime (CLOCK_BOOTTIME, &now);
  later
      = g_strdup_printf ("\"boot_at\": %" G_GINT64_FORMAT, (now.tv_sec + seconds) * G_USEC_PER_SEC);
  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  changed = g_regex_replace_literal (number, content, -1, 0, later, 0, NULL);
  g_assert_true (g_file_set_contents (path, changed, -1, NULL));
}

/* What its guest was told, in milliseconds. */
static gint64
time_of_guest (LocalTest *test, const char *id)
{
  static const char option[] = "--expire-after";
  g_autofree char *folder = local_test_path (test, id, "");
  g_autofree char *path = g_strdup_printf ("/proc/%d/cmdline", local_test_guest_pid (folder));
  g_autofree char *words = NULL;
  gsize size;
  const char *at;

  g_assert_true (g_file_get_contents (path, &words, &size, NULL));
  at = memmem (words, size, option, sizeof option);
  g_assert_nonnull (at);
  return g_ascii_strtoll (at + sizeof option, NULL, 10);
}

typedef struct
{
  AsbProvider *provider;
  const char *id;
} Opening;

static gpointer
open_thread (gpointer data)
{
  Opening *opening = data;

  return local_test_open (opening->provider, opening->id, FALSE);
}

/* Who starts a guest goes by the time there is when nobody else can change it. */
static void
test_renewed_before_start (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_for (test->provider, 300);
  g_autofree char *folder = local_test_path (test, local_test_id (info), "");
  Opening opening = { test->provider, local_test_id (info) };
  g_autoptr (AsbTransport) transport = NULL;
  GThread *thread;
  int lock = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  end_guest (open_guest (test, opening.id));
  g_assert_cmpint (flock (lock, LOCK_EX), ==, 0);
  thread = g_thread_new ("open", open_thread, &opening);
  while (!is_waited_for (folder))
    g_thread_yield ();
  postpone_end (test, opening.id, 3600);
  close (lock);
  transport = g_thread_join (thread);
  g_assert_cmpint (time_of_guest (test, opening.id), >, 3000 * 1000);
  local_test_delete (test->provider, opening.id);
}

/* After a restart of the machine there is only the clock to go by. */
static void
test_machine_restarted (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_for (test->provider, 3600);
  g_autofree char *path = local_test_path (test, local_test_id (info), "meta.json");
  g_autofree char *content = NULL;
  g_autofree char *boot_id = NULL;
  g_autoptr (GString) changed = NULL;
  g_autoptr (AsbSandboxInfo) found = NULL;
  g_autoptr (GRegex) number = g_regex_new ("\"at\": \\d+", 0, 0, NULL);
  g_autofree char *past = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  g_assert_true (g_file_get_contents ("/proc/sys/kernel/random/boot_id", &boot_id, NULL, NULL));
  changed = g_string_new (content);
  g_assert_cmpuint (g_string_replace (changed, g_strchomp (boot_id), "another", 0), ==, 1);
  g_assert_true (g_file_set_contents (path, changed->str, -1, NULL));
  found = asb_provider_get_sandbox (test->provider, local_test_id (info), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (seconds_left (found), >, 3000);

  past = g_regex_replace_literal (number, changed->str, -1, 0, "\"at\": 1", 0, NULL);
  g_assert_true (g_file_set_contents (path, past, -1, NULL));
  assert_gone (test->provider, local_test_id (info), ASB_ERROR_SANDBOX_EXPIRED);
}

/* The child: owns a sandbox, makes another that outlives it, says which and waits to be killed. */
static void G_GNUC_NORETURN
be_owner (LocalTest *test)
{
  g_autoptr (AsbProvider) provider = keeping_provider (test);
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) owned = local_test_create (provider, spec);
  g_autoptr (AsbSandboxInfo) persistent = NULL;

  asb_sandbox_spec_set_lifetime (spec, ASB_LIFETIME_PERSISTENT);
  persistent = local_test_create (provider, spec);
  g_print ("%s\n%s\n", local_test_id (owned), local_test_id (persistent));
  for (;;)
    pause ();
}

static gpointer
look_thread (gpointer data)
{
  g_autoptr (AsbProvider) provider = local_test_provider (data, NULL);

  return GUINT_TO_POINTER (local_test_count (provider, NULL));
}

/* What a killed program owned is removed once, however many look; what is not its own stays, and so
 * does what belongs to a program that lives, though its guest is dead. */
static void
test_swept (LocalTest *test, gconstpointer data)
{
  g_autoptr (GSubprocess) owner = local_test_child (test, "owner", G_SUBPROCESS_FLAGS_NONE);
  g_autofree char *owned = local_test_read_line (owner);
  g_autofree char *persistent = local_test_read_line (owner);
  g_autoptr (AsbSandboxInfo) mine = local_test_create (test->provider, NULL);
  GThread *threads[4];
  int guest;

  end_guest (open_guest (test, owned));
  end_guest (open_guest (test, local_test_id (mine)));
  g_assert_cmpuint (local_test_count (test->provider, "stopped"), ==, 2);
  g_subprocess_force_exit (owner);
  g_subprocess_wait (owner, NULL, NULL);
  guest = open_guest (test, persistent);
  end_guest (guest);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("look", look_thread, test);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_false (stands_there (test, owned));
  g_assert_true (stands_there (test, persistent));
  g_assert_true (stands_there (test, local_test_id (mine)));
  g_assert_cmpuint (local_test_count (test->provider, "deleted"), ==, 1);
  assert_gone (test->provider, owned, ASB_ERROR_SANDBOX_DELETED);
}

/* Nobody but its parent is told when it has stopped. */
static void
stop_process (int process, int pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/status", pid);
  gboolean stopped = FALSE;

  signal_process (process, SIGSTOP);
  while (!stopped)
    {
      g_autofree char *status = NULL;

      g_assert_true (g_file_get_contents (path, &status, NULL, NULL));
      stopped = strstr (status, "\nState:\tT") != NULL;
    }
}

static int
freeze_guest (LocalTest *test, const char *id)
{
  g_autofree char *folder = g_build_filename (test->state, id, NULL);
  int pid = local_test_guest_pid (folder);
  int guest = local_test_open_process (pid);

  stop_process (guest, pid);
  return guest;
}

/* Nobody waits for it who can be told, and it can be let go on. */
static void
test_frozen (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_for (test->provider, 3600);
  g_autoptr (AsbSandboxInfo) found = NULL;
  g_autoptr (AsbSandboxInfo) resumed = NULL;
  g_autoptr (AsbSandboxInfo) again = NULL;
  g_autoptr (AsbStreamSpec) spec = asb_stream_spec_new ();
  g_autoptr (GIOStream) stream = NULL;
  g_autoptr (GError) error = NULL;
  const char *id = local_test_id (info);
  int guest = freeze_guest (test, id);

  found = asb_provider_get_sandbox (test->provider, id, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_sandbox_info_get_state (found), ==, ASB_SANDBOX_STATE_PAUSED);
  g_assert_cmpuint (local_test_count (test->provider, "paused"), ==, 1);
  stream = asb_provider_open_stream (test->provider, id, spec, NULL, &error);
  g_assert_null (stream);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
  g_assert_nonnull (strstr (error->message, "resume it"));
  g_clear_error (&error);
  g_assert_null (asb_provider_renew_sandbox (test->provider, id, 60, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
  g_clear_error (&error);

  resumed = asb_provider_resume_sandbox (test->provider, id, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_sandbox_info_get_state (resumed), ==, ASB_SANDBOX_STATE_RUNNING);
  g_assert_cmpint (seconds_left (resumed), >, 3000);
  g_free (local_test_shell (test->provider, id, NULL, "true"));
  again = asb_provider_resume_sandbox (test->provider, id, NULL, &error);
  g_assert_no_error (error);
  close (guest);
}

/* It cannot see that its owner is gone, so whoever looks next ends it. */
static void
test_swept_frozen (LocalTest *test, gconstpointer data)
{
  g_autoptr (GSubprocess) owner = local_test_child (test, "owner", G_SUBPROCESS_FLAGS_NONE);
  g_autofree char *owned = local_test_read_line (owner);
  g_autofree char *persistent = local_test_read_line (owner);
  int guest = freeze_guest (test, owned);
  int other = freeze_guest (test, persistent);

  g_assert_cmpuint (local_test_count (test->provider, NULL), ==, 2);
  g_subprocess_force_exit (owner);
  g_subprocess_wait (owner, NULL, NULL);
  g_assert_cmpuint (local_test_count (test->provider, NULL), ==, 1);
  g_assert_true (local_test_wait_for_end (guest, 0));
  g_assert_false (stands_there (test, owned));
  /* That is somebody's, as long as nobody deletes it. */
  g_assert_true (stands_there (test, persistent));
  signal_process (other, SIGCONT);
  close (guest);
  close (other);
}

static void
remove_folder (LocalTest *test, const char *id)
{
  g_autofree char *folder = local_test_path (test, id, "");
  const char *const argv[] = { "rm", "-rf", folder, NULL };
  g_autoptr (GError) error = NULL;

  g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL,
                &error);
  g_assert_no_error (error);
  g_assert_false (stands_there (test, id));
}

/* Nobody could ever end it again. */
static void
test_folder_removed (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_for (test->provider, 3600);
  g_autoptr (AsbSandboxInfo) renewed = NULL;
  int guest = open_guest (test, local_test_id (info));
  int again;

  /* That its time was renewed is not that it was removed. */
  renewed = asb_provider_renew_sandbox (test->provider, local_test_id (info), 3000, NULL, NULL);
  g_assert_nonnull (renewed);
  g_free (local_test_shell (test->provider, local_test_id (info), NULL, "true"));
  g_assert_false (local_test_wait_for_end (guest, 0));
  /* It is watched again. */
  end_guest (guest);
  g_free (local_test_shell (test->provider, local_test_id (info), NULL, "true"));
  again = open_guest (test, local_test_id (info));
  remove_folder (test, local_test_id (info));
  g_assert_true (local_test_wait_for_end (again, PATIENCE));
  close (again);
}

/* Who works in one that was removed is told so, instead of by what is missing then. */
static void
test_folder_removed_from_owner (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbBackendOptions) options = asb_backend_options_new ();
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("true");
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (AsbCommandResult) none = NULL;
  g_autoptr (GError) error = NULL;
  const char *id;
  int guest;

  asb_backend_options_set_provider (options, test->provider);
  backend = asb_create_backend (options, NULL, &error);
  g_assert_no_error (error);
  result = asb_backend_execute (backend, spec, NULL, &error);
  g_assert_no_error (error);
  id = asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend));
  guest = open_guest (test, id);
  remove_folder (test, id);
  none = asb_backend_execute (backend, spec, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_DELETED);
  g_assert_nonnull (strstr (error->message, "is not there any more"));
  g_assert_true (local_test_wait_for_end (guest, PATIENCE));
  close (guest);
  g_clear_error (&error);
  asb_backend_close (backend, NULL, &error);
  g_assert_no_error (error);
}

static int
parent_of (int pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/status", pid);
  g_autofree char *status = NULL;
  const char *line;

  g_assert_true (g_file_get_contents (path, &status, NULL, NULL));
  line = strstr (status, "\nPPid:\t");
  g_assert_nonnull (line);
  return (int)g_ascii_strtoll (line + strlen ("\nPPid:\t"), NULL, 10);
}

/* Without bubblewrap, which tells of the guest by its lock, a frozen guest is found and ended all
 * the same. */
static void
test_bubblewrap_killed (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *folder = g_build_filename (test->state, local_test_id (info), NULL);
  g_autofree char *told = NULL;
  int pid = local_test_guest_pid (folder);
  int guest = local_test_open_process (pid);
  int monitor = local_test_open_process (parent_of (pid));

  end_guest (monitor);
  told = local_test_shell (test->provider, local_test_id (info), NULL, "echo works");
  g_assert_cmpstr (told, ==, "works\n");
  signal_process (guest, SIGSTOP);
  local_test_delete (test->provider, local_test_id (info));
  g_assert_true (local_test_wait_for_end (guest, 0));
  close (guest);
  g_assert_false (stands_there (test, local_test_id (info)));
}

/* What is noted of a guest counts until the machine starts again, when its number is another's, and
 * of the process that began just then. */
static void
test_note_of_another (LocalTest *test, gconstpointer data)
{
  static const struct
  {
    int field;
    const char *other;
    AsbSandboxState state;
  } notes[] = { { 1, NULL, ASB_SANDBOX_STATE_PAUSED },
                { 2, "1", ASB_SANDBOX_STATE_RUNNING },
                { 3, "01234567-89ab-cdef-0123-456789abcdef", ASB_SANDBOX_STATE_RUNNING } };
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *folder = g_build_filename (test->state, local_test_id (info), NULL);
  g_autofree char *path = g_build_filename (folder, "guest.status", NULL);
  g_autofree char *content = NULL;
  int pid = local_test_guest_pid (folder);
  int guest = local_test_open_process (pid);
  const char *note;

  end_guest (local_test_open_process (parent_of (pid)));
  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  note = strstr (content, "\nguest ");
  g_assert_nonnull (note);
  stop_process (guest, pid);
  for (gsize i = 0; i < G_N_ELEMENTS (notes); i++)
    {
      g_auto (GStrv) fields = g_strsplit (g_strchomp ((char *)note + 1), " ", -1);
      g_autofree char *changed = NULL;
      g_autofree char *all = NULL;
      g_autoptr (AsbSandboxInfo) now = NULL;

      g_assert_cmpuint (g_strv_length (fields), ==, 4);
      if (notes[i].other)
        {
          g_free (fields[notes[i].field]);
          fields[notes[i].field] = g_strdup (notes[i].other);
        }
      changed = g_strjoinv (" ", fields);
      all = g_strdup_printf ("%.*s\n%s\n", (int)(note - content), content, changed);
      g_assert_true (g_file_set_contents (path, all, -1, NULL));
      now = asb_provider_get_sandbox (test->provider, local_test_id (info), NULL, NULL);
      g_assert_nonnull (now);
      g_assert_cmpint (asb_sandbox_info_get_state (now), ==, notes[i].state);
    }
  signal_process (guest, SIGCONT);
  close (guest);
  local_test_delete (test->provider, local_test_id (info));
}

/* Nobody is left unburied, however many processes lose their parents. */
static void
test_no_zombies (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *told = NULL;

  for (int i = 0; i < 20; i++)
    g_free (local_test_shell (test->provider, local_test_id (info), NULL,
                              "i=0; while [ $i -lt 100 ]; do (true &) ; true; i=$((i + 1)); done"));
  told = local_test_shell (test->provider, local_test_id (info), NULL,
                           "cat /proc/[0-9]*/status 2>/dev/null | grep -c '^State:.Z'; true");
  g_assert_cmpint ((int)g_ascii_strtoll (told, NULL, 10), <, 8);
}

static int
be_child (const char *name, const char *folder)
{
  g_autoptr (LocalTest) test = local_test_for_child (folder);

  if (strcmp (name, "owner") == 0)
    be_owner (test);
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
  local_test_add ("/local/endings/expired", test_expired);
  local_test_add ("/local/endings/told-apart", test_told_apart);
  local_test_add ("/local/endings/renewed", test_renewed);
  local_test_add ("/local/endings/started-again", test_started_again);
  local_test_add ("/local/endings/renewed-before-start", test_renewed_before_start);
  local_test_add ("/local/endings/machine-restarted", test_machine_restarted);
  local_test_add ("/local/endings/swept", test_swept);
  local_test_add ("/local/endings/frozen", test_frozen);
  local_test_add ("/local/endings/swept-frozen", test_swept_frozen);
  local_test_add ("/local/endings/folder-removed", test_folder_removed);
  local_test_add ("/local/endings/folder-removed-from-owner", test_folder_removed_from_owner);
  local_test_add ("/local/endings/bubblewrap-killed", test_bubblewrap_killed);
  local_test_add ("/local/endings/note-of-another", test_note_of_another);
  local_test_add ("/local/endings/no-zombies", test_no_zombies);
  return g_test_run ();
}
