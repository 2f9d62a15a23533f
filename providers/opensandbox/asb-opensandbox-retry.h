/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* When a request is sent again, and after how long. No I/O. */

#pragma once

#include <glib.h>

#define ASB_OPENSANDBOX_MAX_RETRIES 3

typedef enum
{
  ASB_OPENSANDBOX_RETRY_UNSENT, /* only when nothing of it was sent */
  ASB_OPENSANDBOX_RETRY_ALWAYS, /* repeating it does no harm */
  ASB_OPENSANDBOX_RETRY_NEVER
} AsbOpensandboxRetryRule;

/* What goes without a word of the caller. */
AsbOpensandboxRetryRule asb_opensandbox_retry_rule_for_method (const char *method);

/* Whether a request only asks, so that it may be made elsewhere instead. */
gboolean asb_opensandbox_retry_is_safe (const char *method);

/* Whether a reply of this status may be another one later. */
gboolean asb_opensandbox_retry_is_passing_status (guint status);

/* Milliseconds to wait before repetition @n (from 0), at random between the shortest and three
 * times what was waited before (*@previous, which is updated), or what the server asked for
 * (@retry_after_seconds, −1 for nothing); −1 if it asks for more than anybody waits. */
gint64 asb_opensandbox_retry_next_delay (guint *previous, gint64 retry_after_seconds);

/* Milliseconds to wait before a request goes out again that has reached nobody: nobody is spared by
 * a longer wait, and who gave a wrong address wants to hear of it. */
gint64 asb_opensandbox_retry_next_unsent_delay (void);
