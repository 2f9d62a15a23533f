/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sandbox of a look-alike of its own, and work in it through execd alone. */

#pragma once

#include "asb-test-server.h"

#define ASB_TEST_NATIVE_OPTIONS "{'transport': <'native'>, 'request-timeout-seconds': <600.0>}"

typedef struct
{
  AsbTestServer *server;
  AsbProvider *provider;
  AsbSandboxInfo *info;
  AsbTransport *transport;
} AsbTestNative;

/* @options of the look-alike, and @image of the sandbox, may be NULL. */
void asb_test_native_open (AsbTestNative *self, const char *options, const char *image);

/* Heals the look-alike, and ends all. */
void asb_test_native_close (AsbTestNative *self);

/* To the end. Returns: (transfer full) (nullable) */
GBytes *asb_test_native_read_all (GInputStream *stream, GError **error);
