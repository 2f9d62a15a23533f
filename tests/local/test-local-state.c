/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What stands on the host's disk: whose it is, what is kept, and that it goes. */

#include "local-test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static guint
count_entries (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (dir && g_dir_read_name (dir))
    n++;
  return n;
}

static int
mode_of (const char *path)
{
  struct stat status;

  g_assert_cmpint (lstat (path, &status), ==, 0);
  return status.st_mode & 07777;
}

static AsbProvider *
keeping_provider (LocalTest *test)
{
  g_autoptr (GVariant) options
      = g_variant_ref_sink (g_variant_new_parsed ("{'keep-record': <true>}"));

  return local_test_provider (test, options);
}

static void
test_private (LocalTest *test, gconstpointer data)
{
  static const char *const variables[] = { "A=secret", NULL };
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autofree char *folder = NULL, *environment = NULL, *metadata = NULL, *status = NULL;

  asb_sandbox_spec_set_environment (spec, variables);
  info = local_test_create (test->provider, spec);
  folder = local_test_path (test, local_test_id (info), "");
  environment = local_test_path (test, local_test_id (info), "environment");
  metadata = local_test_path (test, local_test_id (info), "meta.json");
  status = local_test_path (test, local_test_id (info), "guest.status");
  g_assert_cmpint (mode_of (folder), ==, 0700);
  g_assert_cmpint (mode_of (environment), ==, 0600);
  g_assert_cmpint (mode_of (metadata), ==, 0600);
  g_assert_cmpint (mode_of (status), ==, 0600);
  g_assert_cmpuint (strlen (local_test_id (info)), ==, 12);
}

/* Whatever the caller's umask takes, also of folders on the way. */
static void
test_umask (LocalTest *test, gconstpointer data)
{
  g_autofree char *home = g_build_filename (test->folder, "home", NULL);
  g_autoptr (AsbProvider) provider = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autofree char *told = NULL;
  mode_t before = umask (0777);

  g_free (test->state);
  test->state = g_build_filename (home, "asb", "state", NULL);
  provider = local_test_provider (test, NULL);
  info = local_test_create (provider, NULL);
  told = local_test_shell (provider, local_test_id (info), NULL, "touch file && umask");
  umask (before);
  g_assert_cmpstr (told, ==, "0022\n");
  g_assert_cmpint (mode_of (home), ==, 0700);
  g_assert_cmpint (mode_of (test->state), ==, 0700);
  local_test_delete (provider, local_test_id (info));
}

/* What would be too much to be read again is not written. */
static void
test_large (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *quotes = g_strnfill (600 * 1000, '"');
  g_autoptr (GError) error = NULL;

  g_hash_table_insert (metadata, (gpointer) "quotes", quotes);
  asb_sandbox_spec_set_metadata (spec, metadata);
  g_assert_null (asb_provider_create_sandbox (test->provider, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "File too large"));
  g_assert_cmpuint (count_entries (test->state), ==, 0);
}

static void
test_no_trace (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);

  local_test_delete (test->provider, local_test_id (info));
  g_assert_cmpuint (count_entries (test->state), ==, 0);
  g_assert_false (g_file_test (test->records, G_FILE_TEST_EXISTS));
  g_assert_cmpuint (local_test_count (test->provider, "deleted"), ==, 0);
}

/* Folders nobody may write to but their owner: otherwise anybody could put a sandbox there. */
static void
test_shared_state (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (mkdir (test->state, 0700), ==, 0);
  g_assert_cmpint (chmod (test->state, 0777), ==, 0);
  g_assert_null (asb_provider_create_sandbox (test->provider, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, test->state));
  g_assert_nonnull (strstr (error->message, "others can write there"));
}

/* As root has it whose HOME stayed that of the user before. */
static void
test_state_of_another (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (GError) error = NULL;

  if (geteuid () != 0)
    {
      g_test_skip ("Only root can give folders away");
      return;
    }
  g_assert_cmpint (mkdir (test->state, 0700), ==, 0);
  g_assert_cmpint (chown (test->state, 4711, 4711), ==, 0);
  g_assert_null (asb_provider_create_sandbox (test->provider, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "belongs to user 4711"));
  g_assert_nonnull (strstr (error->message, "HOME"));
}

static void
test_long_path (LocalTest *test, gconstpointer data)
{
  g_autofree char *part = g_strnfill (200, 'p');
  g_autoptr (GString) path = g_string_new (test->folder);
  g_autoptr (GVariant) options = NULL;
  g_autoptr (AsbProvider) provider = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *output = NULL;
  GVariantDict dict;

  for (int i = 0; i < 15; i++)
    g_string_append_printf (path, "/%s", part);
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "state-dir", "s", path->str);
  options = g_variant_ref_sink (g_variant_dict_end (&dict));
  provider = asb_registry_create_provider (asb_registry_get_default (), "local", options, &error);
  g_assert_no_error (error);
  info = local_test_create (provider, NULL);
  output = local_test_shell (provider, local_test_id (info), NULL, "echo works");
  g_assert_cmpstr (output, ==, "works\n");
  local_test_delete (provider, local_test_id (info));
}

static void
make_file (LocalTest *test, const char *id, const char *name, const char *content)
{
  g_autofree char *folder = local_test_path (test, id, "");
  g_autofree char *path = local_test_path (test, id, name);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  if (content)
    g_assert_true (g_file_set_contents (path, content, -1, NULL));
  else
    g_assert_cmpint (mkfifo (path, 0600), ==, 0);
}

/* Whatever else lies in the folders, sandboxes are found and the rest is left alone. */
static void
test_foreign (LocalTest *test, gconstpointer data)
{
  static const char *const names[]
      = { "file",         "aaaaaaaaaaab", "aaaaaaaaaaac", "aaaaaaaaaaad",
          "aaaaaaaaaaae", "aaaaaaaaaaaf", "AAAAAAAAAAAA", "with space" };
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *file = g_build_filename (test->state, "aaaaaaaaaaaa", NULL);
  g_autofree char *link = g_build_filename (test->state, "aaaaaaaaaaag", NULL);
  g_autofree char *large = g_strnfill (2 * 1024 * 1024, ' ');
  g_autofree char *metadata_path = local_test_path (test, local_test_id (info), "meta.json");
  g_autofree char *metadata = NULL;

  g_assert_true (g_file_get_contents (metadata_path, &metadata, NULL, NULL));
  make_file (test, names[0], "x", "");
  make_file (test, names[1], "meta.json", "");
  make_file (test, names[2], "meta.json", "[[[[[[");
  make_file (test, names[3], "meta.json", "{\"version\": 1}");
  make_file (test, names[4], "meta.json", metadata);
  make_file (test, names[5], "meta.json", NULL);
  make_file (test, names[6], "meta.json", large);
  make_file (test, names[7], "x", "");
  g_assert_true (g_file_set_contents (file, "", -1, NULL));
  g_assert_cmpint (symlink (local_test_id (info), link), ==, 0);

  g_assert_cmpuint (local_test_count (test->provider, NULL), ==, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (asb_provider_get_sandbox (test->provider, names[i], NULL, &error));
      g_assert_nonnull (error);
    }
  g_assert_cmpuint (count_entries (test->state), ==, G_N_ELEMENTS (names) + 3);
}

/* What died programs left half made or half removed goes; what one still works on stays. */
static void
test_sweep (LocalTest *test, gconstpointer data)
{
  g_autofree char *busy = g_build_filename (test->state, ".new-busy", NULL);
  g_autofree char *dead = g_build_filename (test->state, ".old-dead", NULL);
  g_autoptr (AsbSandboxInfo) info = NULL;
  int fd;

  make_file (test, ".new-busy", "x", "");
  make_file (test, ".old-dead", "x", "");
  fd = open (busy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  g_assert_cmpint (flock (fd, LOCK_EX), ==, 0);
  info = local_test_create (test->provider, NULL);
  g_assert_true (g_file_test (busy, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (dead, G_FILE_TEST_EXISTS));
  close (fd);
}

static void
fill (const char *folder)
{
  for (guint i = 0;; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/%u", folder, i);
      int fd = open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

      if (fd < 0)
        break;
      close (fd);
    }
  g_assert_cmpint (errno, ==, ENOSPC);
}

/* A creation that finds no room because of what died programs left does after all. */
static void
test_sweep_makes_room (LocalTest *test, gconstpointer data)
{
  g_autofree char *dead = g_build_filename (test->state, ".old-dead", NULL);
  g_autoptr (AsbSandboxInfo) info = NULL;

  g_mkdir_with_parents (test->state, 0700);
  if (mount ("tmpfs", test->state, "tmpfs", 0, "mode=0700,size=16m,nr_inodes=64") != 0)
    {
      g_test_skip ("only root can mount a small disk");
      return;
    }
  g_assert_cmpint (mkdir (dead, 0700), ==, 0);
  fill (dead);
  info = local_test_create (test->provider, NULL);
  g_assert_false (g_file_test (dead, G_FILE_TEST_EXISTS));
  local_test_delete (test->provider, local_test_id (info));
  g_assert_cmpint (umount2 (test->state, MNT_DETACH), ==, 0);
}

/* A tree so deep that it has no path any more. */
static void
make_deep (const char *path)
{
  g_autofree char *name = g_strnfill (255, 'd');
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  for (int i = 0; i < 100; i++)
    {
      int next;

      g_assert_cmpint (mkdirat (fd, name, 0700), ==, 0);
      next = openat (fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      close (fd);
      fd = next;
    }
  close (fd);
}

/* A tree made to resist: as deep as it goes, unreadable, with odd names, full of links outside. */
static void
test_remove (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *workspace = local_test_path (test, local_test_id (info), "workspace");
  g_autofree char *precious = g_build_filename (test->folder, "precious", NULL);
  g_autofree char *file = g_build_filename (precious, "file", NULL);
  g_autofree char *script = g_strdup_printf (
      "cd /workspace; mkdir -p shut/in lifted-0/lifted-1 'a b' $(printf 'x\\ny'); touch "
      "shut/in/file; "
      "ln -s %s outside; ln -s %s/file outside-file; ln -s . loop; mkfifo fifo; "
      "touch ./-rf ./-- '*'; chmod 000 shut/in; chmod 000 shut; chmod 500 'a b'; "
      "mkdir /tmp/x /home/agent/y; chmod 000 /tmp/x; chmod 000 /workspace",
      precious, precious);
  g_autofree char *content = NULL;

  g_assert_cmpint (mkdir (precious, 0755), ==, 0);
  g_assert_true (g_file_set_contents (file, "kept", -1, NULL));
  make_deep (workspace);
  g_free (local_test_shell (test->provider, local_test_id (info), NULL, script));
  local_test_delete (test->provider, local_test_id (info));
  g_assert_cmpuint (count_entries (test->state), ==, 0);
  g_assert_true (g_file_get_contents (file, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, "kept");
  g_assert_cmpint (mode_of (precious), ==, 0755);
}

static AsbSandboxInfo *
only_one (AsbProvider *provider, const char *state)
{
  const char *const states[] = { state, NULL };
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();
  g_autoptr (GListModel) infos = NULL;
  g_autoptr (GError) error = NULL;

  asb_sandbox_filter_set_states (filter, g_variant_new_strv (states, -1));
  infos = asb_provider_list_sandboxes (provider, filter, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (infos), ==, 1);
  return g_list_model_get_item (infos, 0);
}

static void
test_keep (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbProvider) provider = keeping_provider (test);
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (AsbSandboxInfo) kept = NULL;
  g_autoptr (AsbStreamSpec) stream_spec = asb_stream_spec_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *history = NULL;

  asb_sandbox_spec_set_name (spec, "kept one");
  info = local_test_create (provider, spec);
  /* In the sandbox all of it can be written: only what looks like the record comes along. */
  g_free (local_test_shell (provider, local_test_id (info), NULL,
                            "cd /.agent-history && echo data > history.sqlite3 && "
                            "echo wal > history.sqlite3-wal && mkdir history.folder && "
                            "mkfifo history.fifo && ln -s /etc/passwd history.link && "
                            "touch other"));
  local_test_delete (provider, local_test_id (info));
  g_assert_cmpuint (count_entries (test->state), ==, 0);
  history = g_build_filename (test->records, local_test_id (info), "history", NULL);
  g_assert_cmpuint (count_entries (history), ==, 2);

  kept = only_one (provider, "deleted");
  g_assert_cmpstr (local_test_id (kept), ==, local_test_id (info));
  g_assert_cmpstr (asb_sandbox_info_get_name (kept), ==, "kept one");
  g_assert_cmpint (asb_sandbox_info_get_state (kept), ==, ASB_SANDBOX_STATE_DELETED);
  g_assert_cmpuint (local_test_count (provider, NULL), ==, 0);
  g_assert_null (asb_provider_get_sandbox (provider, local_test_id (info), NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_DELETED);
  g_clear_error (&error);
  g_assert_null (
      asb_provider_open_stream (provider, local_test_id (info), stream_spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_DELETED);
}

/* A sandbox that has filled the disk can be removed, and its record is kept all the same. */
static void
test_keep_on_full_disk (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbProvider) provider = keeping_provider (test);
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autofree char *history = NULL;
  g_autofree char *workspace = NULL;

  if (mount ("tmpfs", test->folder, "tmpfs", 0, "mode=0700,size=16m,nr_inodes=64") != 0)
    {
      g_test_skip ("only root can mount a small disk");
      return;
    }
  info = local_test_create (provider, NULL);
  g_free (local_test_shell (provider, local_test_id (info), NULL,
                            "echo data > /.agent-history/history.sqlite3"));
  workspace = local_test_path (test, local_test_id (info), "workspace");
  fill (workspace);
  local_test_delete (provider, local_test_id (info));
  g_assert_cmpuint (count_entries (test->state), ==, 0);
  history = g_build_filename (test->records, local_test_id (info), "history", NULL);
  g_assert_cmpuint (count_entries (history), ==, 1);
  g_assert_cmpint (umount2 (test->folder, MNT_DETACH), ==, 0);
}

static void
assert_record_answers (AsbTransport *transport)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer
      = asb_transport_call (transport, "history.status", NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (g_variant_is_of_type (answer, G_VARIANT_TYPE_VARDICT));
}

/* The record of a sandbox that is gone is served as long as somebody reads it. */
static void
test_read_kept (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbProvider) provider = keeping_provider (test);
  g_autoptr (AsbSandboxInfo) info = local_test_create (provider, NULL);
  g_autofree char *folder = g_build_filename (test->records, local_test_id (info), NULL);
  g_autoptr (AsbTransport) first = NULL;
  g_autoptr (AsbTransport) second = NULL;
  g_autoptr (AsbCommandSpec) command = asb_command_spec_new_shell ("true");
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (GError) error = NULL;
  int guest;

  local_test_delete (provider, local_test_id (info));
  first = local_test_open (provider, local_test_id (info), TRUE);
  second = local_test_open (provider, local_test_id (info), TRUE);
  g_assert_cmpstr (asb_guest_transport_get_boot_id (ASB_GUEST_TRANSPORT (first)), ==,
                   asb_guest_transport_get_boot_id (ASB_GUEST_TRANSPORT (second)));
  guest = local_test_open_process (local_test_guest_pid (folder));
  asb_transport_close (first, NULL, NULL);
  g_clear_object (&first);
  assert_record_answers (second);
  process = asb_transport_start_command (second, command, NULL, &error);
  g_assert_null (process);
  g_assert_nonnull (error);

  asb_transport_close (second, NULL, NULL);
  g_clear_object (&second);
  g_assert_true (local_test_wait_for_end (guest, 60000));
  close (guest);
  first = local_test_open (provider, local_test_id (info), TRUE);
  assert_record_answers (first);
}

static void
test_read_live (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autoptr (AsbTransport) transport = local_test_open (test->provider, local_test_id (info), TRUE);

  assert_record_answers (transport);
}

/* Under one key there is one sandbox, however often and from wherever it is asked for. */
static gpointer
create_thread (gpointer data)
{
  LocalTest *test = data;
  g_autoptr (AsbProvider) provider = local_test_provider (test, NULL);
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;

  asb_sandbox_spec_set_idempotency_key (spec, "the key");
  info = local_test_create (provider, spec);
  return g_strdup (local_test_id (info));
}

static void
test_key (LocalTest *test, gconstpointer data)
{
  g_autofree char *first = NULL;
  g_autofree char *again = NULL;
  g_autoptr (AsbProvider) provider = keeping_provider (test);
  GThread *threads[4];

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("create", create_thread, test);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autofree char *id = g_thread_join (threads[i]);

      if (!first)
        first = g_strdup (id);
      g_assert_cmpstr (id, ==, first);
    }
  g_assert_cmpuint (local_test_count (test->provider, NULL), ==, 1);
  g_assert_cmpuint (count_entries (test->state), ==, 1);
  local_test_delete (provider, first);
  again = create_thread (test);
  g_assert_cmpstr (again, !=, first);
}

/* The child: another program on the same state. */
static int
be_other_program (const char *folder)
{
  g_autoptr (LocalTest) test = local_test_for_child (folder);
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autofree char *output = NULL;

  asb_sandbox_spec_set_lifetime (spec, ASB_LIFETIME_PERSISTENT);
  info = local_test_create (test->provider, spec);
  output = local_test_shell (test->provider, local_test_id (info), NULL, "echo > /workspace/file");
  g_print ("%s\n", local_test_id (info));
  return 0;
}

static void
test_other_programs (LocalTest *test, gconstpointer data)
{
  GSubprocess *children[3];

  for (gsize i = 0; i < G_N_ELEMENTS (children); i++)
    children[i] = local_test_child (test, "program", G_SUBPROCESS_FLAGS_NONE);
  for (gsize i = 0; i < G_N_ELEMENTS (children); i++)
    {
      g_autofree char *id = local_test_read_line (children[i]);
      g_autoptr (GError) error = NULL;
      g_autofree char *output = NULL;

      g_assert_true (g_subprocess_wait_check (children[i], NULL, &error));
      g_assert_no_error (error);
      output = local_test_shell (test->provider, id, NULL, "ls /workspace");
      g_assert_cmpstr (output, ==, "file\n");
      g_object_unref (children[i]);
    }
  g_assert_cmpuint (local_test_count (test->provider, "running"), ==, G_N_ELEMENTS (children));
}

/* The folders of removed sandboxes are closed by and by, since that may wait for the disk. */
static void
test_no_descriptors (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) first = local_test_create (test->provider, NULL);
  guint before;

  local_test_delete (test->provider, local_test_id (first));
  before = count_entries ("/proc/self/fd");
  for (int i = 0; i < 8; i++)
    {
      g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);

      local_test_delete (test->provider, local_test_id (info));
    }
  while (count_entries ("/proc/self/fd") > before)
    g_thread_yield ();
}

int
main (int argc, char **argv)
{
  int status = local_test_init (&argc, &argv);

  if (status >= 0)
    return status;
  if (argc == 4)
    return be_other_program (argv[3]);
  local_test_add ("/local/state/private", test_private);
  local_test_add ("/local/state/umask", test_umask);
  local_test_add ("/local/state/large", test_large);
  local_test_add ("/local/state/no-trace", test_no_trace);
  local_test_add ("/local/state/no-descriptors", test_no_descriptors);
  local_test_add ("/local/state/shared", test_shared_state);
  local_test_add ("/local/state/of-another", test_state_of_another);
  local_test_add ("/local/state/long-path", test_long_path);
  local_test_add ("/local/state/foreign", test_foreign);
  local_test_add ("/local/state/sweep", test_sweep);
  local_test_add ("/local/state/sweep/makes-room", test_sweep_makes_room);
  local_test_add ("/local/state/remove", test_remove);
  local_test_add ("/local/state/keep", test_keep);
  local_test_add ("/local/state/keep/full-disk", test_keep_on_full_disk);
  local_test_add ("/local/state/read-kept", test_read_kept);
  local_test_add ("/local/state/read-live", test_read_live);
  local_test_add ("/local/state/key", test_key);
  local_test_add ("/local/state/other-programs", test_other_programs);
  return g_test_run ();
}
