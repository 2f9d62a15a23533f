/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Backends on the look-alike, by one way or another. */

#pragma once

#include "asb-test-server.h"

typedef struct
{
  const char *options;  /* of the provider, as text of an a{sv} */
  const char *image;    /* NULL: python:3.12 */
  AsbSandboxRef *ref;   /* NULL: a new sandbox, deleted with the backend */
  gboolean has_workdir; /* “/workspace” with a reference too, not “/” */
  AsbHistoryMode history;
  guint reconnect_seconds;
} AsbTestEntrance;

/* NULL with @error set when there is none. */
AsbBackend *asb_test_entrance_try (AsbTestServer *server, const AsbTestEntrance *entrance,
                                   GError **error);
AsbBackend *asb_test_entrance_open (AsbTestServer *server, const AsbTestEntrance *entrance);
void asb_test_entrance_close (AsbBackend *backend);

/* “websocket”, “pty”, … */
char *asb_test_entrance_dup_way (AsbBackend *backend, char **reason);

/* What a shell prints, which must end well. */
char *asb_test_entrance_run (AsbBackend *backend, const char *shell);
