/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every call has in common: refusals, cancelling, records. A query of a file stands for all.
 */

#include "peer.h"

#include <string.h>

static void
begin_query (PeerFixture *fixture, GCancellable *cancellable)
{
  asb_transport_query_file_async (fixture->transport, fixture->request, cancellable, pending_cb,
                                  &fixture->pending);
}

static AsbFileInfo *
finish_query (PeerFixture *fixture, GError **error)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->pending);

  return asb_transport_query_file_finish (fixture->transport, result, error);
}

/* Errors. */

typedef struct
{
  const char *code;
  int expected;
} Code;

static const Code CODES[] = {
  { "invalid_argument", ASB_ERROR_INVALID_ARGUMENT },
  { "unsupported_call", ASB_ERROR_UNSUPPORTED_CAPABILITY },
  { "too_many_requests", ASB_ERROR_TOO_MANY_REQUESTS },
  { "file_not_found", ASB_ERROR_FILE_NOT_FOUND },
  { "already_exists", ASB_ERROR_ALREADY_EXISTS },
  { "is_directory", ASB_ERROR_IS_DIRECTORY },
  { "not_directory", ASB_ERROR_NOT_DIRECTORY },
  { "not_regular_file", ASB_ERROR_NOT_REGULAR_FILE },
  { "directory_not_empty", ASB_ERROR_DIRECTORY_NOT_EMPTY },
  { "permission_denied", ASB_ERROR_PERMISSION_DENIED },
  { "no_space", ASB_ERROR_NO_SPACE },
  { "read_only", ASB_ERROR_READ_ONLY },
  { "too_large", ASB_ERROR_TOO_LARGE },
  { "path_protected", ASB_ERROR_PATH_PROTECTED },
  { "io_error", ASB_ERROR_IO },
  { "concurrent_modification", ASB_ERROR_CONCURRENT_MODIFICATION },
  { "command_not_found", ASB_ERROR_COMMAND_NOT_FOUND },
  { "command_not_executable", ASB_ERROR_COMMAND_NOT_EXECUTABLE },
  { "working_directory", ASB_ERROR_WORKING_DIRECTORY },
  { "command_execution_error", ASB_ERROR_COMMAND_EXECUTION },
  { "history_unavailable", ASB_ERROR_HISTORY_UNAVAILABLE },
  { "history_identity", ASB_ERROR_HISTORY_IDENTITY },
  { "history_storage_exhausted", ASB_ERROR_HISTORY_STORAGE_EXHAUSTED },
  { "history_database_error", ASB_ERROR_HISTORY_DATABASE },
  { "job_not_found", ASB_ERROR_JOB_NOT_FOUND },
  { "job_running", ASB_ERROR_JOB_RUNNING },
  { "output_dropped", ASB_ERROR_OUTPUT_DROPPED },
  { "internal_error", ASB_ERROR_INTERNAL },
  { "of_the_future", ASB_ERROR_SANDBOX_BACKEND },
  /* What this side would have found out. */
  { "interrupted", ASB_ERROR_SANDBOX_BACKEND },
  { "protocol_error", ASB_ERROR_SANDBOX_BACKEND },
};

static void
test_error (gconstpointer data)
{
  const Code *code = data;
  PeerFixture fixture = { 0 };
  g_autofree char *json = g_strdup_printf ("{\"error\": {\"code\": \"%s\", \"message\": \"Could"
                                           " not\\n\\u202e do it\"}}",
                                           code->code);
  g_autoptr (GError) error = NULL;
  AsbErrorInfo *info;

  peer_fixture_set_up_file (&fixture, NULL);
  begin_query (&fixture, NULL);
  peer_skip (fixture.peer, ASB_FRAME_CALL);
  peer_fixture_reply (&fixture, json);
  g_assert_null (finish_query (&fixture, &error));
  g_assert_error (error, ASB_ERROR, code->expected);
  /* What a terminal would act on is not passed on. */
  g_assert_cmpstr (error->message, ==, "Could not\357\277\275\357\277\275 do it");
  info = asb_error_get_info (error);
  g_assert_cmpstr (asb_error_info_get_operation (info), ==, "file.stat");
  g_assert_cmpstr (asb_error_info_get_provider_error_code (info), ==, code->code);
  g_assert_cmpint (asb_error_info_get_retryable (info), ==,
                   code->expected == ASB_ERROR_TOO_MANY_REQUESTS);
  peer_fixture_tear_down (&fixture, NULL);
}

static void
test_error_long (PeerFixture *fixture, gconstpointer data)
{
  g_autofree char *text = g_strnfill (900000, 'x');
  g_autofree char *json
      = g_strdup_printf ("{\"error\": {\"code\": \"io_error\", \"message\": \"%s\"}}", text);
  g_autoptr (GError) error = NULL;

  begin_query (fixture, NULL);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_fixture_reply (fixture, json);
  g_assert_null (finish_query (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_IO);
  g_assert_cmpuint (strlen (error->message), <, 5000);
}

/* Cancelling. */

static void
test_cancel_before (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  begin_query (fixture, cancellable);
  g_assert_null (finish_query (fixture, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  /* Nothing was sent. */
  peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  peer_skip (fixture->peer, ASB_FRAME_PONG);
}

static void
test_cancel_during (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (PeerFrame) frame = NULL;
  g_autoptr (GError) error = NULL;

  begin_query (fixture, cancellable);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  g_cancellable_cancel (cancellable);
  frame = peer_expect (fixture->peer, ASB_FRAME_CANCEL);
  g_assert_cmpuint (frame->header.call, ==, 1);
  g_assert_false (pending_is_done (&fixture->pending));
  peer_fixture_reply (fixture,
                      "{\"error\": {\"code\": \"cancelled\", \"message\": \"Cancelled\"}}");
  g_assert_null (finish_query (fixture, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* What was done all the same is told. */
static void
test_cancel_too_late (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  begin_query (fixture, cancellable);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  g_cancellable_cancel (cancellable);
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
  peer_fixture_reply (fixture, "{\"result\": {\"entry\": " PEER_ENTRY "}}");
  info = finish_query (fixture, &error);
  g_assert_no_error (error);
  peer_check_entry (info);
}

static void
test_cancel_after (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (AsbFileInfo) info = NULL;

  begin_query (fixture, cancellable);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_fixture_reply (fixture, "{\"result\": {\"entry\": " PEER_ENTRY "}}");
  info = finish_query (fixture, NULL);
  g_cancellable_cancel (cancellable);
  peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  peer_skip (fixture->peer, ASB_FRAME_PONG);
}

static void
test_cancel_lost (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  begin_query (fixture, cancellable);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  g_cancellable_cancel (cancellable);
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
  peer_close (fixture->peer);
  g_assert_null (finish_query (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

/* Records. */

static AsbOperation *
operation_new (void)
{
  g_autoptr (GVariant) request
      = g_variant_ref_sink (g_variant_new_parsed ("{'path': <'/d/f'>, 'n': <int64 1>}"));
  g_autoptr (GVariant) file_operation
      = g_variant_ref_sink (g_variant_new_parsed ("{'path': <'/d/f'>, 'change_type': <'read'>}"));

  return g_object_new (ASB_TYPE_OPERATION, "event-id", "e1", "operation-type", "file.stat",
                       "required", TRUE, "actor-type", "agent", "actor-id", "a1", "thread-id", "t1",
                       "correlation-id", "c1", "request", request, "file-operation", file_operation,
                       NULL);
}

static void
check_record (PeerFrame *frame)
{
  g_autoptr (json_t) expected
      = json_loads ("{\"event_id\": \"e1\", \"operation_type\": \"file.stat\", \"required\": true,"
                    " \"actor\": {\"actor_type\": \"agent\", \"actor_id\": \"a1\","
                    " \"thread_id\": \"t1\", \"correlation_id\": \"c1\"},"
                    " \"request\": {\"path\": \"/d/f\", \"n\": 1},"
                    " \"file_operation\": {\"path\": \"/d/f\", \"change_type\": \"read\"}}",
                    0, NULL);

  g_assert_nonnull (expected);
  g_assert_true (json_equal (json_object_get (frame->json, "record"), expected));
}

typedef struct
{
  const char *name;
  const char *record;
  const char *error;
} Record;

static const Record RECORDS[] = {
  { "complete", ", \"record\": {\"state\": \"complete\"}", NULL },
  { "failed", ", \"record\": {\"state\": \"failed\", \"message\": \"The disk is full\"}",
    "The disk is full" },
  { "failed-without-message", ", \"record\": {\"state\": \"failed\"}",
    "The guest could not keep the record" },
  { "missing", "", "The guest did not say whether it kept the record" },
};

static void
test_record (gconstpointer data)
{
  const Record *record = data;
  PeerFixture fixture = { 0 };
  g_autoptr (AsbOperation) operation = operation_new ();
  g_autoptr (PeerFrame) frame = NULL;
  g_autoptr (AsbFileInfo) info = NULL;
  g_autofree char *json
      = g_strdup_printf ("{\"result\": {\"entry\": %s}%s}", PEER_ENTRY, record->record);

  peer_fixture_set_up_file (&fixture, NULL);
  asb_file_request_set_operation (fixture.request, operation);
  begin_query (&fixture, NULL);
  frame = peer_expect_call (fixture.peer, "file.stat");
  check_record (frame);
  peer_fixture_reply (&fixture, json);
  info = finish_query (&fixture, NULL);
  g_assert_nonnull (info);
  g_assert_cmpstr (g_object_get_data (G_OBJECT (fixture.request), "asb-record-error"), ==,
                   record->error);
  peer_fixture_tear_down (&fixture, NULL);
}

static void
test_record_wrong (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (AsbOperation) operation = operation_new ();
  g_autoptr (GError) error = NULL;
  AsbErrorInfo *info;

  asb_file_request_set_operation (fixture->request, operation);
  begin_query (fixture, NULL);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_fixture_reply (fixture, "{\"result\": {\"entry\": " PEER_ENTRY
                               "}, \"record\": {\"state\": \"odd\"}}");
  g_assert_null (finish_query (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  info = asb_error_get_info (error);
  g_assert_cmpstr (asb_error_info_get_operation_id (info), ==, "e1");
  g_assert_cmpstr (asb_error_info_get_actor_id (info), ==, "a1");
  g_assert_cmpstr (asb_error_info_get_correlation_id (info), ==, "c1");
}

/* What the record cannot hold is refused before anything is sent. */
static void
test_record_unsendable (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GVariant) request
      = g_variant_ref_sink (g_variant_new_parsed ("{'a': <('tuple', 1)>}"));
  g_autoptr (AsbOperation) operation
      = g_object_new (ASB_TYPE_OPERATION, "event-id", "e1", "operation-type", "file.stat",
                      "request", request, NULL);
  g_autoptr (GError) error = NULL;

  asb_file_request_set_operation (fixture->request, operation);
  begin_query (fixture, NULL);
  g_assert_null (finish_query (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, data, function)                                                                  \
  g_test_add ("/guest-answers/" path, PeerFixture, data, peer_fixture_set_up_file, function,       \
              peer_fixture_tear_down)
  ADD ("error/long", NULL, test_error_long);
  ADD ("cancel/before", NULL, test_cancel_before);
  ADD ("cancel/during", NULL, test_cancel_during);
  ADD ("cancel/too-late", NULL, test_cancel_too_late);
  ADD ("cancel/after", NULL, test_cancel_after);
  ADD ("cancel/lost", NULL, test_cancel_lost);
  ADD ("record/wrong", NULL, test_record_wrong);
  ADD ("record/unsendable", NULL, test_record_unsendable);
#undef ADD
  for (gsize i = 0; i < G_N_ELEMENTS (CODES); i++)
    {
      g_autofree char *path = g_strdup_printf ("/guest-answers/error/%s", CODES[i].code);

      g_test_add_data_func (path, &CODES[i], test_error);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (RECORDS); i++)
    {
      g_autofree char *path = g_strdup_printf ("/guest-answers/record/%s", RECORDS[i].name);

      g_test_add_data_func (path, &RECORDS[i], test_record);
    }

  return g_test_run ();
}
