/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "story.h"

/* Small, so that the record has many pages. */
#define PAGE_LENGTH 50

static void
expectation_free (gpointer data)
{
  StoryExpectation *expectation = data;

  g_free (expectation->operation_type);
  g_free (expectation->path);
  g_free (expectation->command);
  g_free (expectation->hash);
  g_clear_pointer (&expectation->output, g_bytes_unref);
  g_free (expectation);
}

static StoryExpectation *
expect (Story *story, const char *operation_type, AsbOperationStatus status)
{
  StoryExpectation *expectation = g_new0 (StoryExpectation, 1);

  expectation->operation_type = g_strdup (operation_type);
  expectation->status = status;
  expectation->size = -1;
  expectation->count = -1;
  expectation->exit_code = -1;
  g_ptr_array_add (story->expectations, expectation);
  return expectation;
}

static StoryExpectation *
expect_file (Story *story, const char *operation_type, AsbOperationStatus status, const char *path)
{
  StoryExpectation *expectation = expect (story, operation_type, status);

  expectation->path = g_strdup (path);
  return expectation;
}

Story *
story_new (AsbProvider *provider)
{
  g_autoptr (AsbBackendOptions) options = asb_backend_options_new ();
  g_autoptr (AsbHistoryConfig) history = asb_history_config_new ();
  g_autoptr (GError) error = NULL;
  Story *story = g_new0 (Story, 1);

  if (provider)
    asb_backend_options_set_provider (options, provider);
  else
    asb_backend_options_set_provider_name (options, "local");
  asb_backend_options_set_sandbox_name (options, "own sources");
  asb_backend_options_set_agent_name (options, "the story");
  asb_backend_options_set_history (options, history);

  story->expectations = g_ptr_array_new_with_free_func (expectation_free);
  story->backend = asb_create_backend (options, NULL, &error);
  g_assert_no_error (error);
  expect (story, "sandbox.create", ASB_OPERATION_STATUS_SUCCEEDED);
  return story;
}

void
story_free (Story *story)
{
  g_autoptr (GError) error = NULL;

  asb_backend_close (story->backend, NULL, &error);
  g_assert_no_error (error);
  g_clear_object (&story->backend);
  g_ptr_array_unref (story->expectations);
  g_free (story);
}

void
story_write (Story *story, const char *path, GBytes *contents)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbFileInfo) info
      = asb_backend_write_file (story->backend, path, contents, NULL, NULL, &error);
  g_autofree char *hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, contents);
  StoryExpectation *expectation
      = expect_file (story, "file.write", ASB_OPERATION_STATUS_SUCCEEDED, path);

  g_assert_no_error (error);
  g_assert_cmpuint (asb_file_info_get_size (info), ==, g_bytes_get_size (contents));
  g_assert_cmpstr (asb_file_info_get_hash (info), ==, hash);
  expectation->size = (gint64)g_bytes_get_size (contents);
  expectation->hash = g_steal_pointer (&hash);
}

GBytes *
story_read (Story *story, const char *path)
{
  g_autoptr (GError) error = NULL;
  GBytes *contents = asb_backend_read_file (story->backend, path, NULL, &error);
  StoryExpectation *expectation
      = expect_file (story, "file.read", ASB_OPERATION_STATUS_SUCCEEDED, path);

  g_assert_no_error (error);
  expectation->size = (gint64)g_bytes_get_size (contents);
  return contents;
}

GListModel *
story_list (Story *story, const char *path)
{
  g_autoptr (GError) error = NULL;
  GListModel *listing = asb_backend_list_files (story->backend, path, NULL, &error);
  StoryExpectation *expectation
      = expect_file (story, "file.list", ASB_OPERATION_STATUS_SUCCEEDED, path);

  g_assert_no_error (error);
  expectation->count = g_list_model_get_n_items (listing);
  return listing;
}

void
story_delete (Story *story, const char *path)
{
  g_autoptr (GError) error = NULL;

  asb_backend_delete_file (story->backend, path, ASB_FILE_FLAGS_RECURSIVE, NULL, &error);
  g_assert_no_error (error);
  expect_file (story, "file.delete", ASB_OPERATION_STATUS_SUCCEEDED, path);
}

AsbCommandResult *
story_execute (Story *story, const char *shell)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (shell);
  AsbCommandResult *result = asb_backend_execute (story->backend, spec, NULL, &error);
  StoryExpectation *expectation;
  int exit_status;

  g_assert_no_error (error);
  g_assert_true (asb_command_result_get_has_exit_status (result));
  exit_status = asb_command_result_get_exit_status (result);
  expectation
      = expect (story, "command.execute",
                exit_status == 0 ? ASB_OPERATION_STATUS_SUCCEEDED : ASB_OPERATION_STATUS_FAILED);
  expectation->command = g_strdup (shell);
  expectation->exit_code = exit_status;
  expectation->output = g_bytes_ref (asb_command_result_get_stdout_bytes (result));
  return result;
}

GBytes *
story_pipe (Story *story, const char *shell, GBytes *input)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (shell);
  g_autoptr (AsbCommand) command = NULL;
  StoryExpectation *expectation;
  GBytes *output = NULL;

  asb_command_spec_set_flags (spec, ASB_COMMAND_FLAGS_STDIN_PIPE);
  command = asb_backend_start_command (story->backend, spec, NULL, &error);
  g_assert_no_error (error);
  asb_command_communicate (command, input, NULL, &output, NULL, &error);
  g_assert_no_error (error);
  expectation = expect (story, "command.execute", ASB_OPERATION_STATUS_SUCCEEDED);
  expectation->command = g_strdup (shell);
  expectation->exit_code = 0;
  expectation->output = g_bytes_ref (output);
  return output;
}

void
story_fail_to_read (Story *story, const char *path, AsbError code)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_backend_read_file (story->backend, path, NULL, &error));
  g_assert_error (error, ASB_ERROR, (int)code);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_cmpstr (asb_error_info_get_operation (asb_error_get_info (error)), ==, "file.read");
  expect_file (story, "file.read", ASB_OPERATION_STATUS_FAILED, path);
}

/* The ids of all operations, in the order in which they were recorded. */
static GPtrArray *
read_event_ids (AsbHistoryStore *store)
{
  GPtrArray *event_ids = g_ptr_array_new_with_free_func (g_free);
  gint64 after = 0;
  gboolean more = TRUE;

  while (more)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbHistoryPage) page
          = asb_history_store_query (store, after, PAGE_LENGTH, 1 << 20, NULL, &error);
      GListModel *changes;

      g_assert_no_error (error);
      g_assert_false (asb_history_page_get_reset_required (page));
      changes = asb_history_page_get_changes (page);
      for (guint i = 0; i < g_list_model_get_n_items (changes); i++)
        {
          g_autoptr (AsbHistoryChange) change = g_list_model_get_item (changes, i);

          g_assert_cmpint (asb_history_change_get_seq (change), >, after);
          after = asb_history_change_get_seq (change);
          if (g_str_equal (asb_history_change_get_change_type (change), "created"))
            g_ptr_array_add (event_ids, g_strdup (asb_history_change_get_event_id (change)));
        }
      more = after < asb_history_page_get_max_seq (page);
      g_assert_cmpint (asb_history_page_get_next_seq (page), ==, after);
    }
  return event_ids;
}

static AsbHistoryOperation *
read_operation (AsbHistoryStore *store, const char *event_id)
{
  const char *event_ids[] = { event_id, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) operations
      = asb_history_store_get_operations (store, event_ids, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (operations), ==, 1);
  return g_list_model_get_item (operations, 0);
}

static void
check_text (GVariant *dict, const char *key, const char *expected)
{
  const char *text = NULL;

  g_assert_nonnull (dict);
  g_assert_true (g_variant_lookup (dict, key, "&s", &text));
  g_assert_cmpstr (text, ==, expected);
}

static void
check_number (GVariant *dict, const char *key, gint64 expected)
{
  gint64 number = 0;

  g_assert_nonnull (dict);
  g_assert_true (g_variant_lookup (dict, key, "x", &number));
  g_assert_cmpint (number, ==, expected);
}

static void
check_output (AsbHistoryStore *store, const char *event_id, GBytes *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GInputStream) stream
      = asb_history_store_get_output (store, event_id, ASB_OUTPUT_STREAM_STDOUT, NULL, &error);
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GBytes) recorded = NULL;

  g_assert_no_error (error);
  g_output_stream_splice (memory, stream, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, &error);
  g_assert_no_error (error);
  recorded = g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (memory));
  g_assert_true (g_bytes_equal (recorded, expected));
}

static void
check_file (AsbHistoryOperation *operation, const StoryExpectation *expectation)
{
  GVariant *result = asb_history_operation_get_result (operation);

  check_text (asb_history_operation_get_request (operation), "path", expectation->path);
  check_text (asb_history_operation_get_file_operation (operation), "path", expectation->path);
  if (expectation->size >= 0)
    check_number (result, "size", expectation->size);
  if (expectation->hash)
    check_text (result, "content_hash", expectation->hash);
  if (expectation->count >= 0)
    check_number (result, "count", expectation->count);
}

static void
check_operation (AsbHistoryStore *store, AsbHistoryOperation *operation,
                 const StoryExpectation *expectation)
{
  g_test_message ("%s %s", expectation->operation_type, expectation->path ? expectation->path : "");
  g_assert_cmpstr (asb_history_operation_get_operation_type (operation), ==,
                   expectation->operation_type);
  g_assert_cmpint (asb_history_operation_get_status (operation), ==, expectation->status);
  g_assert_cmpstr (asb_history_operation_get_actor_id (operation), ==, "the story");
  g_assert_nonnull (asb_history_operation_get_completed_at (operation));
  g_assert_cmpint (asb_history_operation_get_duration_ms (operation), >=, 0);
  if (expectation->path)
    check_file (operation, expectation);
  if (expectation->command)
    {
      check_text (asb_history_operation_get_request (operation), "command", expectation->command);
      check_text (asb_history_operation_get_command (operation), "command", expectation->command);
      check_number (asb_history_operation_get_result (operation), "exit_code",
                    expectation->exit_code);
      check_output (store, asb_history_operation_get_event_id (operation), expectation->output);
    }
}

void
story_check_record (Story *story)
{
  AsbHistoryStore *store = asb_backend_get_history_store (story->backend);
  g_autoptr (GPtrArray) event_ids = read_event_ids (store);

  g_assert_cmpuint (event_ids->len, ==, story->expectations->len);
  for (guint i = 0; i < event_ids->len; i++)
    {
      g_autoptr (AsbHistoryOperation) operation
          = read_operation (store, g_ptr_array_index (event_ids, i));

      check_operation (store, operation, g_ptr_array_index (story->expectations, i));
    }
}
