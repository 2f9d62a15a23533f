/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-mock.h"

#include <string.h>

const char *
test_mock_sandbox_id (TestMock *fixture)
{
  return asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (fixture->info));
}

void
test_mock_set_up (TestMock *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

  fixture->mock = test_mock_new (NULL);
  fixture->info = asb_provider_create_sandbox (fixture->mock, spec, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  fixture->transport = asb_provider_open_transport (fixture->mock, test_mock_sandbox_id (fixture),
                                                    NULL, &fixture->error);
  g_assert_no_error (fixture->error);
}

void
test_mock_tear_down (TestMock *fixture, gconstpointer data)
{
  TestCensus census;

  test_census_init (&census);
  test_census_add (&census, fixture->mock);
  test_census_add (&census, fixture->transport);
  g_clear_error (&fixture->error);
  g_clear_object (&fixture->transport);
  g_clear_object (&fixture->info);
  g_clear_object (&fixture->mock);
  test_census_end (&census);
}

void
test_mock_check_error (TestMock *fixture, int code)
{
  g_assert_error (fixture->error, ASB_ERROR, code);
  g_clear_error (&fixture->error);
}

AsbFileInfo *
test_mock_write (TestMock *fixture, const char *path, const char *text, const char *expected_hash,
                 AsbFileFlags flags)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path (path);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  asb_file_request_set_contents (request, bytes);
  asb_file_request_set_expected_hash (request, expected_hash);
  asb_file_request_set_flags (request, flags);
  return asb_transport_write_file (fixture->transport, request, NULL, &fixture->error);
}

void
test_mock_put (TestMock *fixture, const char *path, const char *text)
{
  g_autoptr (AsbFileInfo) info = test_mock_write (fixture, path, text, NULL, ASB_FILE_FLAGS_NONE);

  g_assert_no_error (fixture->error);
}

GBytes *
test_mock_read (TestMock *fixture, const char *path, guint64 offset, gint64 length)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path (path);

  asb_file_request_set_offset (request, offset);
  asb_file_request_set_length (request, length);
  return asb_transport_read_file (fixture->transport, request, NULL, &fixture->error);
}

void
test_mock_check_contents (TestMock *fixture, const char *path, const char *text)
{
  g_autoptr (GBytes) bytes = test_mock_read (fixture, path, 0, -1);

  g_assert_no_error (fixture->error);
  test_assert_bytes (bytes, text);
}

GOutputStream *
test_mock_open_write (TestMock *fixture, const char *path)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path (path);
  GOutputStream *stream
      = asb_transport_open_write (fixture->transport, request, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  return stream;
}

AsbProcess *
test_mock_start (TestMock *fixture, const char *shell, AsbCommandFlags flags, guint64 timeout_ms)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (shell);
  AsbProcess *process;

  asb_command_spec_set_flags (spec, flags);
  asb_command_spec_set_timeout_ms (spec, timeout_ms);
  process = asb_transport_start_command (fixture->transport, spec, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  return process;
}
