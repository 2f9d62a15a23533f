/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A mock with one sandbox and a transport into it. */

#pragma once

#include "asb-test.h"

typedef struct
{
  AsbProvider *mock;
  AsbSandboxInfo *info;
  AsbTransport *transport;
  GError *error;
} TestMock;

void test_mock_set_up (TestMock *fixture, gconstpointer data);
/* Nothing of the mock may be left. */
void test_mock_tear_down (TestMock *fixture, gconstpointer data);

const char *test_mock_sandbox_id (TestMock *fixture);
/* Checks and clears the error of the fixture. */
void test_mock_check_error (TestMock *fixture, int code);

AsbFileInfo *test_mock_write (TestMock *fixture, const char *path, const char *text,
                              const char *expected_hash, AsbFileFlags flags);
void test_mock_put (TestMock *fixture, const char *path, const char *text);
GBytes *test_mock_read (TestMock *fixture, const char *path, guint64 offset, gint64 length);
void test_mock_check_contents (TestMock *fixture, const char *path, const char *text);
GOutputStream *test_mock_open_write (TestMock *fixture, const char *path);
AsbProcess *test_mock_start (TestMock *fixture, const char *shell, AsbCommandFlags flags,
                             guint64 timeout_ms);
