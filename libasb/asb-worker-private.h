/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread with a main context of its own. */

#pragma once

#include <gio/gio.h>

typedef struct _AsbWorker AsbWorker;

/* @name: of the thread. Fails where there can be no more threads. */
AsbWorker *asb_worker_new (const char *name, GError **error);

/* Returns: (transfer none): thread-default there */
GMainContext *asb_worker_get_context (AsbWorker *self);

/* Lets it end once what was begun there has been answered, and drops it. From any thread. */
void asb_worker_quit (AsbWorker *self);
