/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the tests of pools share: one on a mock, in whose module calls go wrong as told. */

#pragma once

#include "asb-test.h"

typedef struct
{
  AsbProvider *mock;
  AsbBackendOptions *options;
  AsbPool *pool;
  GCancellable *cancellable;
  GError *error;
} TestPool;

/* @data: the text of the options of the mock, or NULL. Seconds of the pool are short. */
void test_pool_set_up (TestPool *fixture, gconstpointer data);
/* Shuts it down; nothing may be left. */
void test_pool_tear_down (TestPool *fixture, gconstpointer data);

/* Makes a pool of the options, and starts it. */
void test_pool_start (TestPool *fixture, guint max_idle);
/* Runs the default context until so many are ready. */
void test_pool_wait_idle (AsbPool *pool, guint n);
/* Runs the default context until the mock has so many sandboxes. */
void test_pool_wait_sandboxes (TestPool *fixture, guint n);
/* Returns: (transfer full) */
AsbBackend *test_pool_acquire (TestPool *fixture, AsbAcquirePolicy policy, gint64 seconds);
/* Expects that to fail so, and clears the error of the fixture. */
void test_pool_acquire_fails (TestPool *fixture, AsbAcquirePolicy policy, gint64 seconds, int code);
const char *test_pool_get_id (AsbBackend *backend);
