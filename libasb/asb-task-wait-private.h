/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A task that stands in a queue until somebody answers it, its time is up, or it is cancelled. */

#pragma once

#include <gio/gio.h>

/* Calls @timed_out after so many milliseconds and @cancelled when @task is cancelled, each with
 * @task in its context, until it is answered. Takes the place of its data. */
void asb_task_wait_begin (GTask *task, guint timeout_ms, GSourceFunc timed_out,
                          GSourceFunc cancelled);
