/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The one thread of the library that owns all connections to guests. It starts when it is first
 * used and never ends. */

#pragma once

#include <gio/gio.h>

typedef void (*AsbIoFunc) (gpointer data);

/* The main context of the thread; thread-default there. */
GMainContext *asb_io_thread_get_context (void);

/* Runs @function in the thread, after everything that was posted before. Never blocks and never
 * runs it in the calling thread. */
void asb_io_thread_post (AsbIoFunc function, gpointer data);

/* Whether it runs in another process, from which this one was forked: nothing that is posted is
 * ever done here. */
gboolean asb_io_thread_is_lost (void);
