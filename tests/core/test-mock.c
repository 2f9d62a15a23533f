/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-mock.h"

#include <string.h>

/* The sandboxes and files of the mock, as programs see them. */

static void
test_identity (TestMock *fixture, gconstpointer data)
{
  AsbSandboxRef *ref = asb_sandbox_info_get_ref (fixture->info);
  g_autofree char *name = asb_provider_dup_name (fixture->mock);
  g_autofree char *key = asb_provider_dup_key (fixture->mock);

  g_test_summary ("Name, key and ids are those of the reference");

  g_assert_cmpstr (name, ==, "mock");
  g_assert_cmpstr (key, ==, "mock-default");
  g_assert_null (asb_provider_dup_endpoint_fingerprint (fixture->mock));
  g_assert_cmpstr (asb_sandbox_ref_get_provider_name (ref), ==, "mock");
  g_assert_cmpstr (asb_sandbox_ref_get_provider_key (ref), ==, "mock-default");
  g_assert_true (g_str_has_prefix (test_mock_sandbox_id (fixture), "sandbox-"));
  g_assert_true (g_uuid_string_is_valid (test_mock_sandbox_id (fixture) + strlen ("sandbox-")));
  g_assert_true (g_uuid_string_is_valid (asb_sandbox_ref_get_sandbox_instance_id (ref)));
  g_assert_cmpint (asb_sandbox_info_get_state (fixture->info), ==, ASB_SANDBOX_STATE_RUNNING);
  g_assert_cmpstr (asb_sandbox_info_get_workdir (fixture->info), ==, "/workspace");
  g_assert_null (asb_sandbox_info_get_expires_at (fixture->info));
}

static void
test_key (void)
{
  g_autoptr (AsbProvider) mock = test_mock_new ("{'provider-key': <'mine'>}");
  g_autofree char *key = asb_provider_dup_key (mock);

  g_test_summary ("The key can be chosen");

  g_assert_cmpstr (key, ==, "mine");
}

static void
test_lifecycle (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) paused = asb_provider_pause_sandbox (
      fixture->mock, test_mock_sandbox_id (fixture), NULL, &fixture->error);
  g_autoptr (AsbSandboxInfo) resumed = NULL;
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/");

  g_test_summary ("Pausing needs running, resuming needs paused, and work needs running");

  g_assert_no_error (fixture->error);
  g_assert_cmpint (asb_sandbox_info_get_state (paused), ==, ASB_SANDBOX_STATE_PAUSED);
  g_assert_null (asb_provider_pause_sandbox (fixture->mock, test_mock_sandbox_id (fixture), NULL,
                                             &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_SANDBOX_STATE);
  g_assert_null (asb_transport_query_file (fixture->transport, request, NULL, &fixture->error));
  g_assert_nonnull (g_strstr_len (fixture->error->message, -1, "must be running, and is paused"));
  test_mock_check_error (fixture, ASB_ERROR_SANDBOX_STATE);

  resumed = asb_provider_resume_sandbox (fixture->mock, test_mock_sandbox_id (fixture), NULL,
                                         &fixture->error);
  g_assert_cmpint (asb_sandbox_info_get_state (resumed), ==, ASB_SANDBOX_STATE_RUNNING);
  g_assert_null (asb_provider_resume_sandbox (fixture->mock, test_mock_sandbox_id (fixture), NULL,
                                              &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_SANDBOX_STATE);
}

static void
test_delete (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/");

  g_test_summary ("A deleted sandbox is gone, and cannot be deleted once more");

  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 1);
  g_assert_true (asb_provider_delete_sandbox (fixture->mock, test_mock_sandbox_id (fixture), NULL,
                                              &fixture->error));
  g_assert_false (asb_provider_delete_sandbox (fixture->mock, test_mock_sandbox_id (fixture), NULL,
                                               &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_SANDBOX_NOT_FOUND);
  g_assert_false (asb_provider_delete_sandbox (fixture->mock, "nobody", NULL, &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_SANDBOX_NOT_FOUND);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
  g_assert_null (asb_provider_get_sandbox (fixture->mock, test_mock_sandbox_id (fixture), NULL,
                                           &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_SANDBOX_NOT_FOUND);
  g_assert_null (asb_transport_query_file (fixture->transport, request, NULL, &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_SANDBOX_NOT_FOUND);
  g_assert_null (asb_provider_open_transport (fixture->mock, test_mock_sandbox_id (fixture), NULL,
                                              &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_SANDBOX_NOT_FOUND);
}

static void
test_idempotency (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) one = NULL;
  g_autoptr (AsbSandboxInfo) other = NULL;

  g_test_summary ("The same key gives the same sandbox");

  asb_sandbox_spec_set_idempotency_key (spec, "key");
  one = asb_provider_create_sandbox (fixture->mock, spec, NULL, &fixture->error);
  other = asb_provider_create_sandbox (fixture->mock, spec, NULL, &fixture->error);
  g_assert_cmpstr (asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (one)), ==,
                   asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (other)));
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 2);
}

static void
test_expiry (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (AsbSandboxInfo) renewed = NULL;
  GTimeSpan left;

  g_test_summary ("A time to live shows in the expiry, which renewing moves");

  asb_sandbox_spec_set_ttl_mode (spec, ASB_TTL_MODE_SECONDS);
  asb_sandbox_spec_set_ttl_seconds (spec, 1000);
  info = asb_provider_create_sandbox (fixture->mock, spec, NULL, &fixture->error);
  left = g_date_time_difference (asb_sandbox_info_get_expires_at (info),
                                 asb_sandbox_info_get_created_at (info));
  g_assert_cmpint (left, >=, 1000 * G_TIME_SPAN_SECOND);
  renewed = asb_provider_renew_sandbox (
      fixture->mock, asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (info)), 5000, NULL,
      &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpint (g_date_time_compare (asb_sandbox_info_get_expires_at (renewed),
                                        asb_sandbox_info_get_expires_at (info)),
                   >, 0);
}

static guint
count_listed (TestMock *fixture, AsbSandboxFilter *filter)
{
  g_autoptr (GListModel) list
      = asb_provider_list_sandboxes (fixture->mock, filter, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  return g_list_model_get_n_items (list);
}

static void
test_list (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AsbSandboxInfo) paused = NULL;

  g_test_summary ("Sandboxes are listed by state, metadata and page");

  g_hash_table_insert (metadata, (gpointer) "who", (gpointer) "me");
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
      g_autoptr (AsbSandboxInfo) info = NULL;

      asb_sandbox_spec_set_metadata (spec, metadata);
      info = asb_provider_create_sandbox (fixture->mock, spec, NULL, &fixture->error);
      g_assert_no_error (fixture->error);
    }
  g_assert_cmpuint (count_listed (fixture, filter), ==, 5);
  asb_sandbox_filter_set_metadata (filter, metadata);
  g_assert_cmpuint (count_listed (fixture, filter), ==, 4);
  asb_sandbox_filter_set_page_size (filter, 3);
  g_assert_cmpuint (count_listed (fixture, filter), ==, 3);
  asb_sandbox_filter_set_page (filter, 2);
  g_assert_cmpuint (count_listed (fixture, filter), ==, 1);
  asb_sandbox_filter_set_page (filter, G_MAXUINT);
  g_assert_cmpuint (count_listed (fixture, filter), ==, 0);

  paused = asb_provider_pause_sandbox (fixture->mock, test_mock_sandbox_id (fixture), NULL, NULL);
  asb_sandbox_filter_set_page (filter, 1);
  asb_sandbox_filter_set_metadata (filter, NULL);
  asb_sandbox_filter_set_states (filter, g_variant_new_parsed ("['paused', 'failed']"));
  g_assert_cmpuint (count_listed (fixture, filter), ==, 1);
}

static void
test_capabilities (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbCapabilities) capabilities = asb_provider_get_capabilities (fixture->mock);
  GHashTable *limits
      = asb_capability_get_limits (asb_capabilities_get (capabilities, ASB_CAPABILITY_FILE_HASH));

  g_test_summary ("It says what it can");

  g_assert_true (asb_capabilities_supports (capabilities, ASB_CAPABILITY_FILESYSTEM));
  g_assert_true (asb_capabilities_supports (capabilities, ASB_CAPABILITY_PAUSE_RESUME));
  g_assert_cmpstr (g_hash_table_lookup (limits, "algorithm"), ==, "sha256");
  g_assert_false (asb_capabilities_supports (capabilities, ASB_CAPABILITY_SANDBOX_HISTORY));
  g_assert_false (asb_capabilities_supports (capabilities, ASB_CAPABILITY_BULK_UPLOAD));
}

/* Files. */

static void
test_files (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbFileInfo) info
      = test_mock_write (fixture, "a/b", "hello", NULL, ASB_FILE_FLAGS_NONE);
  g_autoptr (GBytes) middle = NULL;
  g_autoptr (GBytes) beyond = NULL;

  g_test_summary ("Files are written and read; relative paths start at the working directory");

  g_assert_no_error (fixture->error);
  g_assert_cmpstr (asb_file_info_get_path (info), ==, "/workspace/a/b");
  g_assert_cmpuint (asb_file_info_get_size (info), ==, 5);
  g_assert_cmpuint (asb_file_info_get_mode (info), ==, 0644);
  g_assert_cmpstr (asb_file_info_get_hash (info), ==,
                   "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
  g_assert_null (asb_file_info_get_previous_hash (info));
  test_mock_check_contents (fixture, "/workspace//a/./b", "hello");
  middle = test_mock_read (fixture, "a/b", 1, 3);
  test_assert_bytes (middle, "ell");
  beyond = test_mock_read (fixture, "a/b", 100, 3);
  test_assert_bytes (beyond, "");
}

static void
test_expected_hash (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbFileInfo) first = test_mock_write (fixture, "f", "one", NULL, 0);
  g_autoptr (AsbFileInfo) second
      = test_mock_write (fixture, "f", "two", asb_file_info_get_hash (first), 0);
  g_autoptr (AsbFileInfo) third = NULL;
  g_autoptr (GVariant) details = NULL;

  g_test_summary ("A write with an expected hash is refused when the file is another one");

  g_assert_cmpstr (asb_file_info_get_previous_hash (second), ==, asb_file_info_get_hash (first));
  third = test_mock_write (fixture, "f", "three", asb_file_info_get_hash (first), 0);
  g_assert_null (third);
  details = g_variant_lookup_value (
      asb_error_info_get_details (asb_error_get_info (fixture->error)), "actual_hash", NULL);
  g_assert_cmpstr (g_variant_get_string (details, NULL), ==, asb_file_info_get_hash (second));
  test_mock_check_error (fixture, ASB_ERROR_CONCURRENT_MODIFICATION);
  third = test_mock_write (fixture, "missing", "three", asb_file_info_get_hash (first), 0);
  g_assert_null (third);
  test_mock_check_error (fixture, ASB_ERROR_CONCURRENT_MODIFICATION);
  test_mock_check_contents (fixture, "f", "two");
}

static void
test_file_errors (TestMock *fixture, gconstpointer data)
{
  g_test_summary ("Files fail as they do in a real sandbox");

  test_mock_put (fixture, "/d/f", "text");
  g_assert_null (test_mock_read (fixture, "/d/missing", 0, -1));
  test_mock_check_error (fixture, ASB_ERROR_FILE_NOT_FOUND);
  g_assert_null (test_mock_read (fixture, "/d", 0, -1));
  test_mock_check_error (fixture, ASB_ERROR_IS_DIRECTORY);
  g_assert_null (test_mock_read (fixture, "/d/f/x", 0, -1));
  test_mock_check_error (fixture, ASB_ERROR_NOT_DIRECTORY);
  g_assert_null (test_mock_read (fixture, "../f", 0, -1));
  test_mock_check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_null (test_mock_write (fixture, "/d", "text", NULL, 0));
  test_mock_check_error (fixture, ASB_ERROR_IS_DIRECTORY);
  g_assert_null (test_mock_write (fixture, "/d/f/x", "text", NULL, 0));
  test_mock_check_error (fixture, ASB_ERROR_NOT_DIRECTORY);
  g_assert_null (test_mock_write (fixture, "/d/f", "text", NULL, ASB_FILE_FLAGS_CREATE_ONLY));
  test_mock_check_error (fixture, ASB_ERROR_ALREADY_EXISTS);
  g_assert_null (test_mock_write (fixture, "/n/f", "text", NULL, ASB_FILE_FLAGS_NO_PARENTS));
  test_mock_check_error (fixture, ASB_ERROR_FILE_NOT_FOUND);
}

static gboolean
delete_path (TestMock *fixture, const char *path, AsbFileFlags flags)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path (path);

  asb_file_request_set_flags (request, flags);
  return asb_transport_delete_file (fixture->transport, request, NULL, &fixture->error);
}

static void
test_delete_file (TestMock *fixture, gconstpointer data)
{
  g_test_summary ("A directory with something in it is deleted only when that is said");

  test_mock_put (fixture, "/d/e/f", "text");
  g_assert_false (delete_path (fixture, "/d", 0));
  test_mock_check_error (fixture, ASB_ERROR_DIRECTORY_NOT_EMPTY);
  g_assert_true (delete_path (fixture, "/d/e/f", 0));
  g_assert_true (delete_path (fixture, "/d/e", 0));
  test_mock_put (fixture, "/d/e/f", "text");
  g_assert_true (delete_path (fixture, "/d", ASB_FILE_FLAGS_RECURSIVE));
  g_assert_no_error (fixture->error);
  g_assert_false (delete_path (fixture, "/d/e/f", 0));
  test_mock_check_error (fixture, ASB_ERROR_FILE_NOT_FOUND);
  g_assert_false (delete_path (fixture, "/", ASB_FILE_FLAGS_RECURSIVE));
  test_mock_check_error (fixture, ASB_ERROR_PERMISSION_DENIED);
}

static gboolean
move_path (TestMock *fixture, const char *path, const char *new_path, AsbFileFlags flags)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path (path);

  asb_file_request_set_new_path (request, new_path);
  asb_file_request_set_flags (request, flags);
  return asb_transport_move_file (fixture->transport, request, NULL, &fixture->error);
}

static void
test_move (TestMock *fixture, gconstpointer data)
{
  g_test_summary ("Files and directories are renamed, over something only when that is said");

  test_mock_put (fixture, "/d/e/f", "text");
  test_mock_put (fixture, "/g", "other");
  g_assert_true (move_path (fixture, "/d", "/h", 0));
  test_mock_check_contents (fixture, "/h/e/f", "text");
  g_assert_false (move_path (fixture, "/h/e/f", "/g", 0));
  test_mock_check_error (fixture, ASB_ERROR_ALREADY_EXISTS);
  g_assert_true (move_path (fixture, "/h/e/f", "/g", ASB_FILE_FLAGS_OVERWRITE));
  test_mock_check_contents (fixture, "/g", "text");
  g_assert_true (move_path (fixture, "/g", "/g", 0));
  g_assert_false (move_path (fixture, "/h", "/h/e/i", 0));
  test_mock_check_error (fixture, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_false (move_path (fixture, "/g", "/h", ASB_FILE_FLAGS_OVERWRITE));
  test_mock_check_error (fixture, ASB_ERROR_IS_DIRECTORY);
  g_assert_false (move_path (fixture, "/missing", "/x", 0));
  test_mock_check_error (fixture, ASB_ERROR_FILE_NOT_FOUND);
  g_assert_false (move_path (fixture, "/g", "/nowhere/x", 0));
  test_mock_check_error (fixture, ASB_ERROR_FILE_NOT_FOUND);
}

static void
test_list_files (TestMock *fixture, gconstpointer data)
{
  static const char *const paths[] = { "/l/b", "/l/a/x/y", "/l/ü", "/l/-rf", "/l/\xff", "/lx" };
  static const char *const names[] = { "-rf", "a", "b", "ü", "\xff" };
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/l");
  g_autoptr (GListModel) list = NULL;

  g_test_summary ("One level is listed, in byte order of the names");

  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    test_mock_put (fixture, paths[i], "text");
  list = asb_transport_list_files (fixture->transport, request, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, G_N_ELEMENTS (names));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AsbFileInfo) info = g_list_model_get_item (list, i);
      g_autofree char *name = asb_file_info_dup_name (info);

      g_assert_cmpstr (name, ==, names[i]);
      g_assert_cmpint (asb_file_info_get_kind (info), ==,
                       i == 1 ? ASB_FILE_KIND_DIRECTORY : ASB_FILE_KIND_FILE);
    }
  asb_file_request_set_path (request, "/l/b");
  g_assert_null (asb_transport_list_files (fixture->transport, request, NULL, &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_NOT_DIRECTORY);
  asb_file_request_set_path (request, "/nowhere");
  g_assert_null (asb_transport_list_files (fixture->transport, request, NULL, &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_FILE_NOT_FOUND);
}

static void
test_make_directory (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/m/n");
  AsbTransport *transport = fixture->transport;

  g_test_summary ("A directory that is there is no error, unless parents are not to be made");

  g_assert_true (asb_transport_make_directory (transport, request, NULL, &fixture->error));
  g_assert_false (asb_transport_make_directory (transport, request, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
  asb_file_request_set_flags (request, ASB_FILE_FLAGS_NO_PARENTS);
  g_assert_false (asb_transport_make_directory (transport, request, NULL, &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_ALREADY_EXISTS);
  asb_file_request_set_path (request, "/o/p");
  g_assert_false (asb_transport_make_directory (transport, request, NULL, &fixture->error));
  test_mock_check_error (fixture, ASB_ERROR_FILE_NOT_FOUND);
}

static void
test_streams (TestMock *fixture, gconstpointer data)
{
  g_autoptr (GOutputStream) output = test_mock_open_write (fixture, "/s");
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/s");
  g_autoptr (GInputStream) input = NULL;
  g_autofree char *text = NULL;

  g_test_summary ("A file comes by a stream when it is closed, and is read by one");

  g_assert_true (g_output_stream_write_all (output, "streamed", 8, NULL, NULL, &fixture->error));
  g_assert_null (test_mock_read (fixture, "/s", 0, -1));
  test_mock_check_error (fixture, ASB_ERROR_FILE_NOT_FOUND);
  g_assert_true (g_output_stream_close (output, NULL, &fixture->error));
  test_mock_check_contents (fixture, "/s", "streamed");
  input = asb_transport_open_read (fixture->transport, request, NULL, &fixture->error);
  text = test_read_text (input);
  g_assert_cmpstr (text, ==, "streamed");
}

static void
test_stream_dropped (TestMock *fixture, gconstpointer data)
{
  g_autoptr (GOutputStream) dropped = test_mock_open_write (fixture, "/s");
  g_autoptr (GOutputStream) cancelled = test_mock_open_write (fixture, "/t");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  g_test_summary ("A stream that is dropped, or whose closing is cancelled, leaves no file");

  g_assert_true (g_output_stream_write_all (dropped, "x", 1, NULL, NULL, NULL));
  g_clear_object (&dropped);
  g_assert_true (g_output_stream_write_all (cancelled, "x", 1, NULL, NULL, NULL));
  g_cancellable_cancel (cancellable);
  g_assert_false (g_output_stream_close (cancelled, cancellable, &fixture->error));
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&fixture->error);
  g_assert_null (test_mock_read (fixture, "/s", 0, -1));
  test_mock_check_error (fixture, ASB_ERROR_FILE_NOT_FOUND);
  g_assert_null (test_mock_read (fixture, "/t", 0, -1));
  test_mock_check_error (fixture, ASB_ERROR_FILE_NOT_FOUND);
}

#define ADD(path, function)                                                                        \
  g_test_add ("/mock/" path, TestMock, NULL, test_mock_set_up, function, test_mock_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("sandbox/identity", test_identity);
  g_test_add_func ("/mock/sandbox/key", test_key);
  ADD ("sandbox/lifecycle", test_lifecycle);
  ADD ("sandbox/delete", test_delete);
  ADD ("sandbox/idempotency", test_idempotency);
  ADD ("sandbox/expiry", test_expiry);
  ADD ("sandbox/list", test_list);
  ADD ("sandbox/capabilities", test_capabilities);
  ADD ("files/read-and-write", test_files);
  ADD ("files/expected-hash", test_expected_hash);
  ADD ("files/errors", test_file_errors);
  ADD ("files/delete", test_delete_file);
  ADD ("files/move", test_move);
  ADD ("files/list", test_list_files);
  ADD ("files/make-directory", test_make_directory);
  ADD ("files/streams", test_streams);
  ADD ("files/stream-dropped", test_stream_dropped);
  return g_test_run ();
}
