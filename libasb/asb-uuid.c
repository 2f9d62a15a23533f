/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-uuid.h"

#include <string.h>
#include <sys/random.h>

/* 12 bits beside the version and 62 beside the variant: one counter, random at each new millisecond
 * and counted up within it, so that ids of one process are in the order of their making. */
#define COUNTER_LOW_BITS 62
#define COUNTER_LOW_MASK ((G_GUINT64_CONSTANT (1) << COUNTER_LOW_BITS) - 1)
#define COUNTER_HIGH_MASK 0xFFFu

typedef struct
{
  guint64 milliseconds;
  guint32 high;
  guint64 low;
} AsbUuidState;

static void
fill_random (gpointer buffer, gsize size)
{
  if (getrandom (buffer, size, GRND_NONBLOCK) == (gssize)size)
    return;
  for (gsize i = 0; i < size; i++)
    ((guint8 *)buffer)[i] = (guint8)g_random_int ();
}

static void
seed_counter (AsbUuidState *state)
{
  struct
  {
    guint32 high;
    guint64 low;
  } random;

  fill_random (&random, sizeof random);
  /* The top bit stays free, so that counting up does not run over at once. */
  state->high = random.high & (COUNTER_HIGH_MASK >> 1);
  state->low = random.low & COUNTER_LOW_MASK;
}

static void
count_up (AsbUuidState *state)
{
  state->low = (state->low + 1) & COUNTER_LOW_MASK;
  if (state->low != 0)
    return;
  state->high = (state->high + 1) & COUNTER_HIGH_MASK;
  if (state->high == 0)
    state->milliseconds++;
}

static AsbUuidState
next_state (void)
{
  static GMutex mutex;
  static AsbUuidState state;
  guint64 now = (guint64)g_get_real_time () / 1000;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);

  if (now > state.milliseconds)
    {
      state.milliseconds = now;
      seed_counter (&state);
    }
  else
    count_up (&state);
  return state;
}

/**
 * asb_uuid_v7_new:
 *
 * Makes a UUID of version 7 (RFC 9562): its first 48 bits are the time in milliseconds, and those
 * made by one process sort in the order of their making, from all its threads and also when the
 * clock is set back.
 *
 * Returns: (transfer full): the UUID, 36 lower-case characters
 *
 * Since: 1.0
 */
char *
asb_uuid_v7_new (void)
{
  AsbUuidState state = next_state ();

  return g_strdup_printf (
      "%08x-%04x-%04x-%04x-%012" G_GINT64_MODIFIER "x", (guint32)(state.milliseconds >> 16),
      (guint32)(state.milliseconds & 0xFFFF), 0x7000 | state.high,
      0x8000 | (guint32)(state.low >> 48), state.low & G_GUINT64_CONSTANT (0xFFFFFFFFFFFF));
}
