/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The one thread of the module that owns every session, message and WebSocket. It starts when it is
 * first used and never ends. What is marked [io] in the headers beside is called there only, and
 * calls back there, so that it needs no locks. */

#pragma once

#include <gio/gio.h>

typedef void (*AsbOpensandboxThreadFunc) (gpointer data);
typedef void (*AsbOpensandboxTaskFunc) (GTask *task);

/* The main context of the thread; thread-default there. */
GMainContext *asb_opensandbox_thread_get_context (void);

gboolean asb_opensandbox_thread_is_current (void);

/* Runs @function in the thread, after everything that was posted before. Never blocks and never
 * runs it in the calling thread. */
void asb_opensandbox_thread_post (AsbOpensandboxThreadFunc function, gpointer data);

/* Runs @function in the thread with @task, which it answers there or later: the answer goes to the
 * context the task was made in. A reference is held until @function has returned. */
void asb_opensandbox_thread_run (GTask *task, AsbOpensandboxTaskFunc function);

/* Lets go of an object in the thread, at once if this is it. Takes the reference; NULL is allowed.
 */
void asb_opensandbox_thread_unref (gpointer object);

/* [io] Calls @function in @milliseconds, again as long as it returns TRUE.
 * Returns: (transfer full): to be destroyed and unreferenced */
GSource *asb_opensandbox_thread_add_timer (guint milliseconds, GSourceFunc function, gpointer data);

/* [io] Destroys and unreferences *@timer and sets it to NULL. */
void asb_opensandbox_thread_clear_timer (GSource **timer);
