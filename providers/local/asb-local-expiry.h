/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* When a sandbox's time is up. A step of the clock does not change that, and the time in which the
 * machine sleeps counts; after a restart of the machine only the clock is left to go by. */

#pragma once

#include <glib.h>
#include <jansson.h>

#define ASB_LOCAL_NEVER G_MAXINT64

typedef struct
{
  gint64 at;      /* microseconds since 1970; 0: never */
  gint64 boot_at; /* microseconds since the start of the machine … */
  char *boot_id;  /* … that had this id */
} AsbLocalExpiry;

void asb_local_expiry_set (AsbLocalExpiry *self, gint64 seconds);
void asb_local_expiry_clear (AsbLocalExpiry *self);

/* In milliseconds: at most 0 when it is up, ASB_LOCAL_NEVER if it never is. */
gint64 asb_local_expiry_get_left (const AsbLocalExpiry *self);

/* Returns: (transfer full): as the clock shows now, NULL for never */
GDateTime *asb_local_expiry_to_date (const AsbLocalExpiry *self);

json_t *asb_local_expiry_to_json (const AsbLocalExpiry *self);
/* @json: NULL for never */
gboolean asb_local_expiry_from_json (AsbLocalExpiry *self, json_t *json);

/* The id this start of the machine has: (transfer full). */
char *asb_local_boot_id (void);
