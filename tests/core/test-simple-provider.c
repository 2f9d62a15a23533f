/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "asb-call-private.h"
#include "asb-guest-placement-private.h"
#include "asb-guest-reopen-private.h"
#include "asb-program-watch-private.h"

#define N_SIGNALS 100

static const char *program;

/* A simple provider that does as it is told, and counts. */

#define TEST_TYPE_BOXES (test_boxes_get_type ())
G_DECLARE_FINAL_TYPE (TestBoxes, test_boxes, TEST, BOXES, AsbSimpleProvider)

struct _TestBoxes
{
  AsbSimpleProvider parent_instance;

  int fails_with; /* an AsbError; −1: says no reason */
  AsbSandboxState state;
  const char *script; /* what a program inside is */
  GThread *thread;    /* in which it was called */
  guint n_created;
  guint n_removed;
  guint n_stored;
};

G_DEFINE_FINAL_TYPE (TestBoxes, test_boxes, ASB_TYPE_SIMPLE_PROVIDER)

static gboolean
do_as_told (AsbSimpleProvider *provider, guint *counter, GError **error)
{
  TestBoxes *self = TEST_BOXES (provider);

  ++*counter;
  self->thread = g_thread_self ();
  if (self->fails_with > 0)
    g_set_error_literal (error, ASB_ERROR, self->fails_with, "It fails");
  return self->fails_with == 0;
}

static gboolean
create (AsbSimpleProvider *provider, const char *id, AsbSandboxSpec *spec,
        GCancellable *cancellable, GError **error)
{
  g_autofree char *folder = asb_simple_provider_dup_folder (provider, id);

  g_assert_true (g_file_test (folder, G_FILE_TEST_IS_DIR));
  return do_as_told (provider, &TEST_BOXES (provider)->n_created, error);
}

static gboolean
remove_box (AsbSimpleProvider *provider, const char *id, GCancellable *cancellable, GError **error)
{
  return asb_simple_provider_end_guest (provider, id, cancellable, error)
         && do_as_told (provider, &TEST_BOXES (provider)->n_removed, error);
}

static AsbSandboxState
get_state (AsbSimpleProvider *provider, const char *id, GCancellable *cancellable, GError **error)
{
  TestBoxes *self = TEST_BOXES (provider);

  if (self->state == ASB_SANDBOX_STATE_DELETED)
    g_set_error_literal (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND, "It is gone");
  if (self->state == ASB_SANDBOX_STATE_UNKNOWN)
    g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE, "Nobody answers");
  return self->state;
}

static GIOStream *
open_program (AsbSimpleProvider *provider, const char *id, const char *const *argv,
              GCancellable *cancellable, GError **error)
{
  const char *const shell[] = { "sh", "-c", TEST_BOXES (provider)->script, NULL };

  g_assert_cmpstr (argv[1], ==, "connect");
  return asb_subprocess_stream_new (shell, argv, error);
}

static gboolean
store_file (AsbSimpleProvider *provider, const char *id, const char *path, GBytes *contents,
            guint mode, GCancellable *cancellable, GError **error)
{
  g_assert_cmpuint (g_bytes_get_size (contents), >, 0);
  return do_as_told (provider, &TEST_BOXES (provider)->n_stored, error);
}

static void
test_boxes_class_init (TestBoxesClass *klass)
{
  AsbSimpleProviderClass *simple_class = ASB_SIMPLE_PROVIDER_CLASS (klass);

  simple_class->create = create;
  simple_class->remove = remove_box;
  simple_class->get_state = get_state;
  simple_class->open_program = open_program;
  simple_class->store_file = store_file;
}

static void
test_boxes_init (TestBoxes *self)
{
  self->state = ASB_SANDBOX_STATE_RUNNING;
}

/* The same, in threads of its own. */
typedef AsbSimpleProvider TestThreads;
typedef AsbSimpleProviderClass TestThreadsClass;
GType test_threads_get_type (void);
G_DEFINE_TYPE (TestThreads, test_threads, ASB_TYPE_SIMPLE_PROVIDER)

static gboolean
create_elsewhere (AsbSimpleProvider *provider, const char *id, AsbSandboxSpec *spec,
                  GCancellable *cancellable, GError **error)
{
  g_object_set_data (G_OBJECT (provider), "thread", g_thread_self ());
  return TRUE;
}

static void
test_threads_class_init (TestThreadsClass *klass)
{
  klass->create = create_elsewhere;
  klass->thread_safe = TRUE;
}

static void
test_threads_init (TestThreads *self)
{
}

/* One that can pause, too. */
typedef AsbSimpleProvider TestPausing;
typedef AsbSimpleProviderClass TestPausingClass;
GType test_pausing_get_type (void);
static void pausing_iface_init (AsbProviderInterface *iface);
G_DEFINE_TYPE_WITH_CODE (TestPausing, test_pausing, ASB_TYPE_SIMPLE_PROVIDER,
                         G_IMPLEMENT_INTERFACE (ASB_TYPE_PROVIDER, pausing_iface_init))

static void
pause_sandbox (AsbProvider *provider, const char *id, GTask *task)
{
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_ALREADY_EXISTS, "“%s” is paused already", id);
}

static void
pausing_iface_init (AsbProviderInterface *iface)
{
  iface->pause_sandbox = pause_sandbox;
}

static void
test_pausing_class_init (TestPausingClass *klass)
{
  klass->create = create_elsewhere;
}

static void
test_pausing_init (TestPausing *self)
{
}

/* What the tests share. Each has a name of its own, and so a table. */

static TestBoxes *
boxes_new (const char *name)
{
  TestBoxes *self = g_object_new (TEST_TYPE_BOXES, NULL);

  asb_simple_provider_set_name (ASB_SIMPLE_PROVIDER (self), name);
  return self;
}

static char *
create_one (gpointer boxes, const char *name)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_sandbox_spec_set_name (spec, name);
  info = asb_provider_create_sandbox (boxes, spec, NULL, &error);
  g_assert_no_error (error);
  return g_strdup (asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (info)));
}

static guint
count (gpointer boxes)
{
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) infos = asb_provider_list_sandboxes (boxes, filter, NULL, &error);

  g_assert_no_error (error);
  return g_list_model_get_n_items (infos);
}

static void
assert_missing (gpointer boxes, const char *id)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info = asb_provider_get_sandbox (boxes, id, NULL, &error);

  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
  g_assert_null (info);
}

static gboolean
has_folder (gpointer boxes, const char *id)
{
  g_autofree char *folder = asb_simple_provider_dup_folder (boxes, id);

  return g_file_test (folder, G_FILE_TEST_IS_DIR);
}

static void
test_remembered (void)
{
  g_autoptr (TestBoxes) boxes = boxes_new ("remembered");
  g_autoptr (TestBoxes) other = boxes_new ("remembered");
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *id = create_one (boxes, "one");

  g_test_summary ("What one object made is there for every other of the name");

  g_assert_cmpuint (count (other), ==, 1);
  info = asb_provider_get_sandbox (ASB_PROVIDER (other), id, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (asb_sandbox_info_get_name (info), ==, "one");
  g_assert_true (asb_provider_delete_sandbox (ASB_PROVIDER (other), id, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (other->n_removed, ==, 1);
  g_assert_false (has_folder (boxes, id));
  assert_missing (boxes, id);
  g_assert_cmpuint (count (boxes), ==, 0);
}

static void
test_create_fails (void)
{
  g_autoptr (TestBoxes) boxes = boxes_new ("create-fails");
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *folder
      = g_build_filename (g_get_user_state_dir (), "asb", "providers", "create-fails", NULL);
  g_autoptr (GDir) left = NULL;

  g_test_summary ("A creation that failed leaves nothing behind");

  boxes->fails_with = ASB_ERROR_PROVIDER_UNAVAILABLE;
  info = asb_provider_create_sandbox (ASB_PROVIDER (boxes), spec, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE);
  g_assert_null (info);
  left = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (left);
  g_assert_null (g_dir_read_name (left));
}

static void
test_no_reason (void)
{
  g_autoptr (TestBoxes) boxes = boxes_new ("no-reason");
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A function that says neither yes nor why not is named");

  boxes->fails_with = -1;
  info = asb_provider_create_sandbox (ASB_PROVIDER (boxes), spec, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERNAL);
  g_assert_nonnull (strstr (error->message, "“create”"));
}

static void
test_remove_fails (void)
{
  g_autoptr (TestBoxes) boxes = boxes_new ("remove-fails");
  g_autoptr (GError) error = NULL;
  g_autofree char *id = create_one (boxes, NULL);

  g_test_summary ("What could not be removed is still there");

  boxes->fails_with = ASB_ERROR_PROVIDER_UNAVAILABLE;
  g_assert_false (asb_provider_delete_sandbox (ASB_PROVIDER (boxes), id, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE);
  g_clear_error (&error);
  g_assert_cmpuint (count (boxes), ==, 1);
  g_assert_true (has_folder (boxes, id));
  boxes->fails_with = 0;
  g_assert_true (asb_provider_delete_sandbox (ASB_PROVIDER (boxes), id, NULL, &error));
  g_assert_no_error (error);
}

static void
test_remove_died (void)
{
  g_autoptr (TestBoxes) boxes = boxes_new ("remove-died");
  g_autoptr (GError) error = NULL;
  g_autofree char *id = create_one (boxes, NULL);
  g_autofree char *folder = asb_simple_provider_dup_folder (ASB_SIMPLE_PROVIDER (boxes), id);
  g_autofree char *entry = g_strconcat (folder, ".sandbox", NULL);
  g_autofree char *taken = g_strconcat (folder, ".removed", NULL);

  g_test_summary ("Whose remover died in the middle can be removed by the next");

  g_assert_cmpint (g_rename (entry, taken), ==, 0);
  g_assert_true (asb_provider_delete_sandbox (ASB_PROVIDER (boxes), id, NULL, &error));
  g_assert_no_error (error);
  g_assert_false (g_file_test (taken, G_FILE_TEST_EXISTS));
  g_assert_false (has_folder (boxes, id));
}

static void
test_folder_without_permissions (void)
{
  g_autoptr (TestBoxes) boxes = boxes_new ("permissions");
  g_autoptr (GError) error = NULL;
  g_autofree char *id = create_one (boxes, NULL);
  g_autofree char *folder = asb_simple_provider_dup_folder (ASB_SIMPLE_PROVIDER (boxes), id);
  g_autofree char *closed = g_build_filename (folder, "closed", NULL);
  g_autofree char *inside = g_build_filename (closed, "inside", NULL);

  g_test_summary ("What was closed on purpose goes, too");

  g_assert_cmpint (g_mkdir_with_parents (inside, 0700), ==, 0);
  g_assert_cmpint (g_chmod (closed, 0), ==, 0);
  g_assert_true (asb_provider_delete_sandbox (ASB_PROVIDER (boxes), id, NULL, &error));
  g_assert_no_error (error);
  g_assert_false (has_folder (boxes, id));
}

/* A folder with @name in that of a new sandbox, and one beside it that is nobody's business. */
static char *
make_inside (TestBoxes *boxes, const char *id, const char *name)
{
  g_autofree char *folder = asb_simple_provider_dup_folder (ASB_SIMPLE_PROVIDER (boxes), id);
  char *inside = g_build_filename (folder, name, NULL);

  g_assert_cmpint (g_mkdir_with_parents (inside, 0700), ==, 0);
  return inside;
}

static char *
make_precious (const char *name)
{
  char *precious = g_build_filename (g_get_user_state_dir (), name, NULL);
  g_autofree char *file = g_build_filename (precious, "file", NULL);

  g_assert_cmpint (g_mkdir_with_parents (precious, 0750), ==, 0);
  g_assert_true (g_file_set_contents (file, "kept", -1, NULL));
  return precious;
}

static void
assert_precious (const char *precious)
{
  g_autofree char *file = g_build_filename (precious, "file", NULL);
  g_autofree char *content = NULL;
  GStatBuf status;

  g_assert_true (g_file_get_contents (file, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, "kept");
  g_assert_cmpint (g_stat (precious, &status), ==, 0);
  g_assert_cmpuint (status.st_mode & 0777, ==, 0750);
}

static void
test_folder_with_odd_names (void)
{
  static const char *const names[]
      = { "-rf", "--", "*", "a\nb", "sp ace", "\377", "--no-preserve-root", "deep/-r/\\" };
  g_autoptr (TestBoxes) boxes = boxes_new ("odd-names");
  g_autoptr (GError) error = NULL;
  g_autofree char *id = create_one (boxes, NULL);
  g_autofree char *precious = make_precious ("precious-beside-odd-names");

  g_test_summary ("Odd names go, and links are not followed");

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *inside = make_inside (boxes, id, names[i]);
      g_autofree char *link = g_build_filename (inside, "link", NULL);

      g_assert_cmpint (symlink (precious, link), ==, 0);
      g_assert_cmpint (g_chmod (inside, 0500), ==, 0);
    }
  g_assert_true (asb_provider_delete_sandbox (ASB_PROVIDER (boxes), id, NULL, &error));
  g_assert_no_error (error);
  g_assert_false (has_folder (boxes, id));
  assert_precious (precious);
}

/* Deletes in a program of its own, run by bubblewrap with @options. Returns: what the error says */
static char *
delete_elsewhere (const char *name, const char *id, const char *const *options)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;
  char *output = NULL;

  g_ptr_array_add (argv, (gpointer) "bwrap");
  for (gsize i = 0; options[i]; i++)
    g_ptr_array_add (argv, (gpointer)options[i]);
  g_ptr_array_add (argv, (gpointer) "--");
  g_ptr_array_add (argv, (gpointer)program);
  g_ptr_array_add (argv, (gpointer) "--delete");
  g_ptr_array_add (argv, (gpointer)name);
  g_ptr_array_add (argv, (gpointer)id);
  g_ptr_array_add (argv, NULL);
  process = g_subprocess_newv ((const char *const *)argv->pdata, G_SUBPROCESS_FLAGS_STDOUT_PIPE,
                               &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &output, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_successful (process));
  return output;
}

static int
delete_for_test (const char *name, const char *id)
{
  g_autoptr (TestBoxes) boxes = boxes_new (name);
  g_autoptr (GError) error = NULL;

  asb_provider_delete_sandbox (ASB_PROVIDER (boxes), id, NULL, &error);
  g_print ("%s", error ? error->message : "deleted");
  return 0;
}

static gboolean
skip_without_bubblewrap (void)
{
  g_autofree char *bwrap = g_find_program_in_path ("bwrap");

  if (!bwrap)
    g_test_skip ("bubblewrap is not installed");
  return !bwrap;
}

static void
test_folder_with_mount (void)
{
  g_autoptr (TestBoxes) boxes = boxes_new ("mount");
  g_autoptr (GError) error = NULL;
  g_autofree char *id = create_one (boxes, NULL);
  g_autofree char *place = make_inside (boxes, id, "a/mounted");
  g_autofree char *precious = make_precious ("precious-that-is-mounted");
  const char *const options[]
      = { "--dev-bind", "/", "/", "--proc", "/proc", "--bind", precious, place, NULL };
  g_autofree char *output = NULL;

  g_test_summary ("What is mounted in a folder that is to go stays, and is named");

  if (skip_without_bubblewrap ())
    return;
  output = delete_elsewhere ("mount", id, options);
  g_assert_nonnull (strstr (output, place));
  g_assert_nonnull (strstr (output, "mounted"));
  assert_precious (precious);
  g_assert_true (asb_provider_delete_sandbox (ASB_PROVIDER (boxes), id, NULL, &error));
  g_assert_no_error (error);
  assert_precious (precious);
}

static void
test_folder_of_another_user (void)
{
  g_autoptr (TestBoxes) boxes = boxes_new ("another-user");
  g_autoptr (GError) error = NULL;
  g_autofree char *id = create_one (boxes, NULL);
  g_autofree char *place = make_inside (boxes, id, "a/theirs/full");
  g_autofree char *theirs = g_path_get_dirname (place);
  g_autofree char *empty = make_inside (boxes, id, "a/empty");
  const char *const options[]
      = { "--unshare-user", "--cap-drop", "ALL", "--dev-bind", "/", "/", "--proc", "/proc", NULL };
  g_autofree char *output = NULL;

  g_test_summary ("What belongs to another user and is full is named");

  if (skip_without_bubblewrap ())
    return;
  if (chown (theirs, 12345, 12345) != 0 || chown (empty, 12345, 12345) != 0)
    {
      g_test_skip ("only root can give files away");
      return;
    }
  output = delete_elsewhere ("another-user", id, options);
  g_assert_nonnull (strstr (output, theirs));
  g_assert_nonnull (strstr (output, "it belongs to user"));
  g_assert_true (has_folder (boxes, id));
  g_assert_true (asb_provider_delete_sandbox (ASB_PROVIDER (boxes), id, NULL, &error));
  g_assert_no_error (error);
  g_assert_false (has_folder (boxes, id));
}

static void
test_states (void)
{
  g_autoptr (TestBoxes) boxes = boxes_new ("states");
  g_autoptr (AsbSandboxInfo) paused = NULL;
  g_autoptr (AsbSandboxInfo) unanswered = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *id = create_one (boxes, NULL);

  g_test_summary ("A sandbox is as its provider says, and forgotten when that says it is gone");

  boxes->state = ASB_SANDBOX_STATE_PAUSED;
  paused = asb_provider_get_sandbox (ASB_PROVIDER (boxes), id, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_sandbox_info_get_state (paused), ==, ASB_SANDBOX_STATE_PAUSED);

  boxes->state = ASB_SANDBOX_STATE_UNKNOWN;
  unanswered = asb_provider_get_sandbox (ASB_PROVIDER (boxes), id, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE);
  g_assert_true (has_folder (boxes, id));

  boxes->state = ASB_SANDBOX_STATE_DELETED;
  g_assert_cmpuint (count (boxes), ==, 0);
  g_assert_false (has_folder (boxes, id));
  boxes->state = ASB_SANDBOX_STATE_RUNNING;
  assert_missing (boxes, id);
}

static void
test_ids (void)
{
  static const char *const ids[]
      = { "", "..", "../ids/x", "/etc", "01890000-0000-7000-8000-00000000000" };
  g_autoptr (TestBoxes) boxes = boxes_new ("ids");
  g_autofree char *id = create_one (boxes, NULL);

  g_test_summary ("What is no id is not found, and touches no file");

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autoptr (GError) error = NULL;

      assert_missing (boxes, ids[i]);
      g_assert_false (asb_provider_delete_sandbox (ASB_PROVIDER (boxes), ids[i], NULL, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
    }
  g_assert_cmpuint (count (boxes), ==, 1);
  g_assert_cmpuint (boxes->n_removed, ==, 0);
}

static void
test_names (void)
{
  g_autoptr (AsbRegistry) registry = asb_registry_new ();
  g_autoptr (AsbProvider) named = NULL;
  g_autoptr (TestBoxes) unnamed = g_object_new (TEST_TYPE_BOXES, NULL);
  g_autofree char *name = NULL;
  g_autofree char *simple = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A provider is called as it was asked for");

  g_assert_true (asb_registry_register_provider (registry, "chest", TEST_TYPE_BOXES, &error));
  named = asb_registry_create_provider (registry, "chest", NULL, &error);
  g_assert_no_error (error);
  name = asb_provider_dup_name (named);
  g_assert_cmpstr (name, ==, "chest");
  g_object_get (unnamed, "name", &simple, NULL);
  g_assert_cmpstr (simple, ==, "simple");
  g_assert_cmpstr (asb_simple_provider_get_name (ASB_SIMPLE_PROVIDER (unnamed)), ==, "simple");
}

static void
test_threads (void)
{
  g_autoptr (TestBoxes) boxes = boxes_new ("threads");
  g_autoptr (AsbSimpleProvider) threads = g_object_new (test_threads_get_type (), NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *here = create_one (boxes, NULL);
  g_autofree char *there = NULL;

  g_test_summary ("Functions are called in the caller's thread, unless any thread will do");

  asb_simple_provider_set_name (threads, "threads");
  there = create_one (threads, NULL);
  g_assert_true (boxes->thread == g_thread_self ());
  g_assert_true (g_object_get_data (G_OBJECT (threads), "thread") != g_thread_self ());
  g_assert_false (asb_provider_delete_sandbox (ASB_PROVIDER (threads), there, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  g_assert_cmpuint (count (boxes), ==, 2);
}

static void
note_state (gpointer data, AsbSandboxState state, GError *error)
{
  g_autoptr (GError) owned = error;

  /* There is no such sandbox: it was asked. */
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
  test_event_happen (data);
}

/* After the sandbox of a connection that is silent, while nobody runs the main context. */
static void
test_threads_inquired (void)
{
  g_autoptr (AsbProvider) provider = g_object_new (test_threads_get_type (), NULL);
  g_autoptr (AsbStreamSpec) spec = asb_stream_spec_new ();
  AsbGuestReopening reopening = { 0 };
  TestEvent answered;

  asb_simple_provider_set_name (ASB_SIMPLE_PROVIDER (provider), "inquired");
  test_event_init (&answered);
  asb_guest_reopen_init (&reopening, provider, "none", spec, g_main_context_default ());
  reopening.inquire (reopening.data, note_state, &answered);
  test_event_wait (&answered, 1);
  reopening.free (reopening.data);
  test_event_clear (&answered);
}

static void
test_more (void)
{
  g_autoptr (AsbSimpleProvider) pausing = g_object_new (test_pausing_get_type (), NULL);
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *id = NULL;

  g_test_summary ("A class adds what else it can do to the interface, and the rest stays");

  asb_simple_provider_set_name (pausing, "more");
  id = create_one (pausing, NULL);
  info = asb_provider_pause_sandbox (ASB_PROVIDER (pausing), id, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_ALREADY_EXISTS);
  g_assert_nonnull (strstr (error->message, id));
}

/* The guest that is not there, or does not speak. */

static void
result_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  *(GAsyncResult **)user_data = g_object_ref (result);
}

static void
open_guest (TestBoxes *boxes, const char *id, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (AsbTransport) transport = NULL;

  asb_guest_placement_open_async (ASB_PROVIDER (boxes), id, 0, NULL, result_cb, &result);
  while (!result)
    g_main_context_iteration (NULL, TRUE);
  transport = asb_guest_placement_open_finish (ASB_PROVIDER (boxes), result, error);
  g_assert_null (transport);
}

static void
check_guest (const char *name, const char *script, int code, const char *words, guint n_stored)
{
  g_autoptr (TestBoxes) boxes = boxes_new (name);
  g_autoptr (GError) error = NULL;
  g_autofree char *id = create_one (boxes, NULL);

  boxes->script = script;
  open_guest (boxes, id, &error);
  g_assert_error (error, ASB_ERROR, code);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_cmpuint (boxes->n_stored, ==, n_stored);
}

static void
test_program_missing (void)
{
  g_test_summary ("Where there is no such program the guest is put there, once");

  check_guest ("program-missing", "echo 'no such file' >&2; exit 127", ASB_ERROR_COMMAND_NOT_FOUND,
               "exit status 127: no such file", 1);
}

static void
test_program_fails (void)
{
  g_test_summary ("What a program complained about is told, and how it ended");

  check_guest ("program-fails", "echo 'no route' >&2; exit 5", ASB_ERROR_GUEST_UNAVAILABLE,
               "“sh” ended with exit status 5: no route", 0);
}

static void
test_program_killed (void)
{
  g_test_summary ("A program that was killed is said to have been");

  check_guest ("program-killed", "kill -KILL $$", ASB_ERROR_GUEST_UNAVAILABLE,
               "“sh” was ended by signal 9", 0);
}

static void
test_program_talks (void)
{
  g_test_summary ("Of many complaints the last are told");

  check_guest ("program-talks",
               "i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done; exit 4",
               ASB_ERROR_GUEST_UNAVAILABLE, "line 2998\nline 2999", 0);
}

static void
test_program_leaves_child (void)
{
  g_test_summary ("A child that holds the standard error open holds nothing up");

  check_guest ("program-leaves-child", "sh -c 'read line <&9' 9<&0 >&- & echo gone >&2; exit 6",
               ASB_ERROR_GUEST_UNAVAILABLE, "exit status 6: gone", 0);
}

static gint n_signals;

static void
count_signal (int number)
{
  g_atomic_int_inc (&n_signals);
}

typedef struct
{
  AsbProgramWatch *watch;
  gint id; /* of the thread, once it runs */
} Waiting;

static gpointer
wait_for_program (gpointer data)
{
  Waiting *waiting = data;

  g_atomic_int_set (&waiting->id, (gint)syscall (SYS_gettid));
  return GINT_TO_POINTER (asb_program_watch_wait (waiting->watch));
}

static void
interrupt (Waiting *waiting)
{
  gint before = g_atomic_int_get (&n_signals);

  g_assert_cmpint (syscall (SYS_tgkill, getpid (), waiting->id, SIGUSR1), ==, 0);
  while (g_atomic_int_get (&n_signals) == before)
    g_thread_yield ();
}

static void
test_program_waited_for (void)
{
  const struct sigaction action = { .sa_handler = count_signal };
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error, "cat", NULL);
  g_autoptr (AsbProgramWatch) watch = asb_program_watch_new (process, "cat");
  Waiting waiting = { .watch = watch };
  g_autoptr (GThread) thread = NULL;

  g_test_summary ("Who waits for the end of a program waits on when a signal comes");

  g_assert_cmpint (sigaction (SIGUSR1, &action, NULL), ==, 0);
  thread = g_thread_new ("waits", wait_for_program, &waiting);
  while (g_atomic_int_get (&waiting.id) == 0)
    g_thread_yield ();
  for (guint i = 0; i < N_SIGNALS; i++)
    interrupt (&waiting);
  g_assert_true (g_output_stream_close (g_subprocess_get_stdin_pipe (process), NULL, &error));
  g_assert_true (GPOINTER_TO_INT (g_thread_join (g_steal_pointer (&thread))));
  g_assert_true (asb_program_watch_check (watch, &error));
}

static void
test_program_unknown (void)
{
  const char *const wrapper[] = { "asb-test-no-such-program", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GIOStream) stream = asb_subprocess_stream_new (wrapper, NULL, &error);

  g_test_summary ("A program of this machine that is not there is another matter");

  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "“asb-test-no-such-program”"));
  g_assert_null (stream);
}

static void
test_stream (void)
{
  const char *const wrapper[] = { "sh", "-c", "exec \"$0\" \"$@\"", NULL };
  const char *const argv[] = { "cat", "-", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GIOStream) stream = asb_subprocess_stream_new (wrapper, argv, &error);
  GSubprocess *subprocess;
  char bytes[8] = "";
  gsize size = 0;

  g_test_summary ("What is written goes to the program, and what is read comes from it");

  g_assert_no_error (error);
  g_output_stream_write_all (g_io_stream_get_output_stream (stream), "hello", 5, NULL, NULL,
                             &error);
  g_assert_no_error (error);
  g_assert_true (g_output_stream_close (g_io_stream_get_output_stream (stream), NULL, &error));
  g_input_stream_read_all (g_io_stream_get_input_stream (stream), bytes, sizeof bytes, &size, NULL,
                           &error);
  g_assert_no_error (error);
  g_assert_cmpmem (bytes, size, "hello", 5);
  subprocess = asb_subprocess_stream_get_subprocess (ASB_SUBPROCESS_STREAM (stream));
  g_assert_true (g_subprocess_wait_check (subprocess, NULL, &error));
  g_assert_no_error (error);
}

static void
remove_folder (const char *folder)
{
  g_autoptr (GSubprocess) rm
      = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, NULL, "rm", "-rf", "--", folder, NULL);

  g_assert_true (g_subprocess_wait_check (rm, NULL, NULL));
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  int status;

  program = argv[0];
  if (argc == 4 && g_str_equal (argv[1], "--delete"))
    return delete_for_test (argv[2], argv[3]);
  folder = g_dir_make_tmp ("asb-simple-XXXXXX", NULL);
  g_setenv ("XDG_STATE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/simple-provider/remembered", test_remembered);
  g_test_add_func ("/simple-provider/create/fails", test_create_fails);
  g_test_add_func ("/simple-provider/create/no-reason", test_no_reason);
  g_test_add_func ("/simple-provider/remove/fails", test_remove_fails);
  g_test_add_func ("/simple-provider/remove/died", test_remove_died);
  g_test_add_func ("/simple-provider/remove/permissions", test_folder_without_permissions);
  g_test_add_func ("/simple-provider/remove/odd-names", test_folder_with_odd_names);
  g_test_add_func ("/simple-provider/remove/mount", test_folder_with_mount);
  g_test_add_func ("/simple-provider/remove/another-user", test_folder_of_another_user);
  g_test_add_func ("/simple-provider/states", test_states);
  g_test_add_func ("/simple-provider/ids", test_ids);
  g_test_add_func ("/simple-provider/names", test_names);
  g_test_add_func ("/simple-provider/threads", test_threads);
  g_test_add_func ("/simple-provider/threads/inquired", test_threads_inquired);
  g_test_add_func ("/simple-provider/more", test_more);
  g_test_add_func ("/simple-provider/program/missing", test_program_missing);
  g_test_add_func ("/simple-provider/program/fails", test_program_fails);
  g_test_add_func ("/simple-provider/program/killed", test_program_killed);
  g_test_add_func ("/simple-provider/program/talks", test_program_talks);
  g_test_add_func ("/simple-provider/program/leaves-child", test_program_leaves_child);
  g_test_add_func ("/simple-provider/program/waited-for", test_program_waited_for);
  g_test_add_func ("/simple-provider/program/unknown", test_program_unknown);
  g_test_add_func ("/simple-provider/stream", test_stream);
  status = g_test_run ();
  remove_folder (folder);
  return status;
}
