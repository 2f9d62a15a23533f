/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-expiry.h"

#include <time.h>

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
/* A hundred years: beyond, times are no use, and near where they overflow. */
#define MAX_SECONDS (G_GINT64_CONSTANT (100) * 366 * 24 * 60 * 60)

char *
asb_local_boot_id (void)
{
  char *id = NULL;

  if (!g_file_get_contents (BOOT_ID, &id, NULL, NULL))
    return g_strdup ("");
  return g_strchomp (id);
}

static gint64
boot_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_BOOTTIME, &now);
  return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

void
asb_local_expiry_set (AsbLocalExpiry *self, gint64 seconds)
{
  gint64 length = MIN (seconds, MAX_SECONDS) * G_USEC_PER_SEC;

  asb_local_expiry_clear (self);
  self->at = g_get_real_time () + length;
  self->boot_at = boot_time () + length;
  self->boot_id = asb_local_boot_id ();
}

void
asb_local_expiry_clear (AsbLocalExpiry *self)
{
  g_clear_pointer (&self->boot_id, g_free);
  self->at = self->boot_at = 0;
}

static gint64
microseconds_left (const AsbLocalExpiry *self)
{
  g_autofree char *boot_id = asb_local_boot_id ();

  return g_strcmp0 (boot_id, self->boot_id) == 0 ? self->boot_at - boot_time ()
                                                 : self->at - g_get_real_time ();
}

gint64
asb_local_expiry_get_left (const AsbLocalExpiry *self)
{
  gint64 left = self->at ? microseconds_left (self) : 0;

  if (!self->at)
    return ASB_LOCAL_NEVER;
  return left > 0 ? (left + 999) / 1000 : 0;
}

GDateTime *
asb_local_expiry_to_date (const AsbLocalExpiry *self)
{
  gint64 shown;
  g_autoptr (GDateTime) second = NULL;

  if (!self->at)
    return NULL;
  shown = g_get_real_time () + microseconds_left (self);
  /* The same each time, unless the clock was set. */
  if (ABS (shown - self->at) < G_USEC_PER_SEC)
    shown = self->at;
  second = g_date_time_new_from_unix_utc (shown / G_USEC_PER_SEC);
  return second ? g_date_time_add (second, shown % G_USEC_PER_SEC) : NULL;
}

json_t *
asb_local_expiry_to_json (const AsbLocalExpiry *self)
{
  return json_pack ("{s:I, s:I, s:s}", "at", (json_int_t)self->at, "boot_at",
                    (json_int_t)self->boot_at, "boot_id", self->boot_id);
}

gboolean
asb_local_expiry_from_json (AsbLocalExpiry *self, json_t *json)
{
  const char *boot_id = json_string_value (json_object_get (json, "boot_id"));

  if (!json)
    return TRUE;
  self->at = json_integer_value (json_object_get (json, "at"));
  self->boot_at = json_integer_value (json_object_get (json, "boot_at"));
  self->boot_id = g_strdup (boot_id);
  return self->at > 0 && self->boot_at > 0 && boot_id;
}
