/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The HELLO of both sides. */

#pragma once

#include <gio/gio.h>
#include <jansson.h>

typedef struct
{
  gint64 minor;
  char **features;
  char *version;
  char *arch;
  char *boot_id;
  char *session_id;
  char *session_secret;
} AsbGuestHello;

void asb_guest_hello_clear (AsbGuestHello *self);

/* What this side says. @linger: how many milliseconds the guest is to wait for it to come back. */
json_t *asb_guest_hello_new (const char *token, gint64 linger);
/* For its coming back; self is the guest's of before, and @received the highest number. */
json_t *asb_guest_hello_resume (const AsbGuestHello *self, const char *token, gint64 linger,
                                guint64 received);
/* What the guest says then: %TRUE and in @received what it has. Not resumed is FALSE without an
 * error. */
gboolean asb_guest_hello_parse_resumed (const AsbGuestHello *self, const json_t *json,
                                        guint64 *received, GError **error);

/* Whether what the guest says makes sense, and is of our major version. */
gboolean asb_guest_hello_parse (AsbGuestHello *self, const json_t *json, GError **error);

gboolean asb_guest_hello_has_feature (const AsbGuestHello *self, const char *feature);
