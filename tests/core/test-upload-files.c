/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>

#include "asb-test.h"
#include "asb-tree-private.h"

/* Uploads by a transport that takes no archives: one file after the other, and all of them or none.
 */

#define TARGET "/workspace/x"

typedef struct
{
  char *folder;
  AsbProvider *mock;
  AsbBackend *backend;
  AsbUploadSpec *spec;
  AsbUploadConfig *config;
} Fixture;

static void
put (Fixture *fixture, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
  g_autofree char *directory = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_no_errno (g_mkdir_with_parents (directory, 0755));
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

static void
put_there (Fixture *fixture, const char *path, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbFileInfo) info
      = asb_backend_write_file (fixture->backend, path, bytes, NULL, NULL, &error);

  g_assert_no_error (error);
}

/* What is at @path, or NULL. */
static char *
read_there (Fixture *fixture, const char *path)
{
  g_autoptr (GBytes) bytes = asb_backend_read_file (fixture->backend, path, NULL, NULL);

  return bytes ? g_strndup (g_bytes_get_size (bytes) > 0 ? g_bytes_get_data (bytes, NULL) : "",
                            g_bytes_get_size (bytes))
               : NULL;
}

static void
assert_there (Fixture *fixture, const char *path, const char *text)
{
  g_autofree char *found = read_there (fixture, path);

  g_assert_cmpstr (found, ==, text);
}

/* Not even as a folder with nothing in it. */
static void
assert_not_there (Fixture *fixture, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbFileInfo) info = asb_backend_query_file (fixture->backend, path, NULL, &error);

  g_assert_null (info);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_FILE_NOT_FOUND);
}

/* Nothing waits anywhere any more. */
static void
assert_nothing_aside (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) files
      = asb_backend_list_files (fixture->backend, "/workspace", NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < g_list_model_get_n_items (files); i++)
    {
      g_autoptr (AsbFileInfo) info = g_list_model_get_item (files, i);

      g_assert_null (strstr (asb_file_info_get_path (info), ".asb-upload"));
    }
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("asb-upload-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->mock = test_mock_new (NULL);
  fixture->backend = test_backend_new (fixture->mock, NULL);
  fixture->spec = asb_upload_spec_new (fixture->folder, TARGET);
  fixture->config = asb_upload_config_new ();
  asb_upload_config_set_allowed_local_roots (fixture->config,
                                             (const char *const[]){ fixture->folder, NULL });
  put (fixture, "a", "one");
  put (fixture, "folder/b", "two");
  put (fixture, "c", "three");
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  const AsbTreeRemoval how = { .folder = NULL };
  g_autoptr (GError) error = NULL;

  test_mock_clear_faults (fixture->mock);
  asb_tree_remove (AT_FDCWD, fixture->folder, &how, &error);
  g_assert_no_error (error);
  test_backend_close (fixture->backend);
  g_object_unref (fixture->backend);
  g_object_unref (fixture->mock);
  g_object_unref (fixture->spec);
  g_object_unref (fixture->config);
  g_free (fixture->folder);
}

static AsbUploadResult *
upload (Fixture *fixture, GError **error)
{
  return asb_backend_upload_local (fixture->backend, fixture->spec, fixture->config, NULL, error);
}

static void
assert_uploaded (Fixture *fixture, guint64 uploaded, guint64 skipped, guint64 failed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbUploadResult) result = upload (fixture, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (asb_upload_result_get_uploaded_files (result), ==, uploaded);
  g_assert_cmpuint (asb_upload_result_get_skipped_files (result), ==, skipped);
  g_assert_cmpuint (asb_upload_result_get_failed_files (result), ==, failed);
  g_assert_cmpuint (asb_upload_result_get_total_files (result), ==, uploaded + skipped + failed);
  g_assert_cmpint (asb_upload_result_get_atomic (result), ==,
                   asb_upload_spec_get_atomic (fixture->spec));
}

static void
assert_refused (Fixture *fixture, int code)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (upload (fixture, &error));
  g_assert_error (error, ASB_ERROR, code);
}

static void
test_done (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("All files get there, also into folders that are not");

  assert_uploaded (fixture, 3, 0, 0);
  assert_there (fixture, TARGET "/a", "one");
  assert_there (fixture, TARGET "/folder/b", "two");
  assert_nothing_aside (fixture);
}

static void
test_at_once (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Without atomic nothing is moved");

  asb_upload_spec_set_atomic (fixture->spec, FALSE);
  assert_uploaded (fixture, 3, 0, 0);
  assert_there (fixture, TARGET "/folder/b", "two");
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "move_file"), ==, 0);
}

static void
test_conflicts (Fixture *fixture, gconstpointer data)
{
  g_test_summary (
      "What is there is an error, replaced, left alone, or left alone if it is the same");

  put_there (fixture, TARGET "/a", "own");
  put_there (fixture, TARGET "/c", "three");
  put_there (fixture, TARGET "/mine", "mine");
  asb_upload_spec_set_conflict (fixture->spec, ASB_UPLOAD_CONFLICT_ERROR);
  assert_refused (fixture, ASB_ERROR_UPLOAD_CONFLICT);
  assert_there (fixture, TARGET "/folder/b", NULL);
  asb_upload_spec_set_conflict (fixture->spec, ASB_UPLOAD_CONFLICT_SKIP);
  assert_uploaded (fixture, 1, 2, 0);
  assert_there (fixture, TARGET "/a", "own");
  asb_upload_spec_set_conflict (fixture->spec, ASB_UPLOAD_CONFLICT_IF_CHANGED);
  assert_uploaded (fixture, 1, 2, 0);
  assert_there (fixture, TARGET "/a", "one");
  asb_upload_spec_set_conflict (fixture->spec, ASB_UPLOAD_CONFLICT_OVERWRITE);
  assert_uploaded (fixture, 3, 0, 0);
  assert_there (fixture, TARGET "/mine", "mine");
  assert_nothing_aside (fixture);
}

/* Of each of the steps that puts something in place. With @data the step that fails is done all the
 * same. */
static void
test_taken_back (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("What fails half way, or may have been done, leaves everything as it was");

  for (guint call = 1; call <= 5; call++)
    {
      g_autofree char *rule
          = g_strdup_printf ("{'operation': <'move_file'>, 'fault': <'fail'>, 'call': <uint32 %u>, "
                             "'done': <%s>}",
                             call, data ? "true" : "false");

      put_there (fixture, TARGET "/a", "own");
      put_there (fixture, TARGET "/c", "own too");
      test_mock_add_fault (fixture->mock, rule);
      assert_refused (fixture, ASB_ERROR_PROVIDER);
      test_mock_clear_faults (fixture->mock);
      assert_there (fixture, TARGET "/a", "own");
      assert_there (fixture, TARGET "/c", "own too");
      assert_not_there (fixture, TARGET "/folder");
      assert_nothing_aside (fixture);
    }
}

static void
test_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("Who cancels while files are moved finds everything as it was");

  put_there (fixture, TARGET "/a", "own");
  test_mock_add_fault (fixture->mock, "{'operation': <'move_file'>, 'fault': <'delay'>, "
                                      "'call': <uint32 1>, 'delay-ms': <10>, 'done': <true>}");
  test_mock_cancel_on_call (fixture->mock, "move_file", cancellable);
  g_assert_null (asb_backend_upload_local (fixture->backend, fixture->spec, fixture->config,
                                           cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  assert_there (fixture, TARGET "/a", "own");
  assert_not_there (fixture, TARGET "/c");
  assert_nothing_aside (fixture);
}

/* The only copy of what was there is not deleted with the rest. */
static void
test_left (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *kept = NULL;
  g_autofree char *text = NULL;
  const char *place;

  g_test_summary ("What cannot be put back is kept, and it is said where");

  put_there (fixture, TARGET "/a", "own");
  for (guint call = 2; call <= 3; call++)
    {
      g_autofree char *rule = g_strdup_printf (
          "{'operation': <'move_file'>, 'fault': <'fail'>, 'call': <uint32 %u>}", call);

      test_mock_add_fault (fixture->mock, rule);
    }
  g_assert_null (upload (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  place = strstr (error->message, "/workspace/.asb-upload-");
  g_assert_nonnull (place);
  kept = g_strdup_printf ("%.*s/0.before", (int)strcspn (place, "\342"), place);
  text = read_there (fixture, kept);
  g_assert_cmpstr (text, ==, "own");
}

static void
test_in_the_way (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A file that is in the place of a folder is left alone, too");

  put_there (fixture, TARGET "/folder", "own");
  assert_refused (fixture, ASB_ERROR_UPLOAD_CONFLICT);
  asb_upload_spec_set_conflict (fixture->spec, ASB_UPLOAD_CONFLICT_SKIP);
  assert_uploaded (fixture, 2, 1, 0);
  assert_there (fixture, TARGET "/folder", "own");
}

static void
delete_it (AsbUploadManifest *manifest, GTask *task, gpointer user_data)
{
  g_autofree char *path = g_build_filename (user_data, "c", NULL);

  g_assert_no_errno (g_unlink (path));
  g_task_return_boolean (task, TRUE);
}

static void
test_failed (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A file that is gone is named; with partial-success the others get there");

  asb_upload_config_set_approval (fixture->config, delete_it, fixture->folder, NULL);
  assert_refused (fixture, ASB_ERROR_UPLOAD_PARTIAL_FAILURE);
  assert_there (fixture, TARGET "/a", NULL);
  put (fixture, "c", "three");
  asb_upload_config_set_partial_success (fixture->config, TRUE);
  assert_uploaded (fixture, 2, 0, 1);
  assert_there (fixture, TARGET "/a", "one");
  assert_there (fixture, TARGET "/c", NULL);
  assert_nothing_aside (fixture);
}

static void
test_links (Fixture *fixture, gconstpointer data)
{
  g_autofree char *link = g_build_filename (fixture->folder, "l", NULL);

  g_test_summary ("Links cannot be kept; what they lead to can be sent");

  g_assert_no_errno (symlink ("a", link));
  asb_upload_spec_set_symlinks (fixture->spec, ASB_UPLOAD_SYMLINKS_PRESERVE_INTERNAL);
  assert_refused (fixture, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  asb_upload_spec_set_symlinks (fixture->spec, ASB_UPLOAD_SYMLINKS_FOLLOW_SAFE);
  assert_uploaded (fixture, 4, 0, 0);
  assert_there (fixture, TARGET "/l", "one");
}

static void
test_single (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->folder, "a", NULL);

  g_test_summary ("A file gets the name it is to have");

  asb_upload_spec_set_source (fixture->spec, path);
  asb_upload_spec_set_target (fixture->spec, "/workspace/deep/new");
  assert_uploaded (fixture, 1, 0, 0);
  assert_there (fixture, "/workspace/deep/new", "one");
}

#define ADD(name, function)                                                                        \
  g_test_add ("/upload-files/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  ADD ("done", test_done);
  ADD ("at-once", test_at_once);
  ADD ("conflicts", test_conflicts);
  ADD ("taken-back/refused", test_taken_back);
  g_test_add ("/upload-files/taken-back/unanswered", Fixture, TARGET, set_up, test_taken_back,
              tear_down);
  ADD ("cancelled", test_cancelled);
  ADD ("left", test_left);
  ADD ("in-the-way", test_in_the_way);
  ADD ("failed", test_failed);
  ADD ("links", test_links);
  ADD ("single", test_single);

  return g_test_run ();
}
