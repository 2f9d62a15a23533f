/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "expiry.h"

#include "arguments.h"
#include "asb-wire-json.h"
#include "call-kinds.h"
#include "asb-wire-json.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void
expired (void *data, uint32_t events)
{
  Broker *broker = data;
  uint64_t count;

  /* It may have been set anew since. */
  if (read (broker->expiry_fd, &count, sizeof count) == sizeof count)
    broker_stop (broker, NULL);
}

/* Not a timer of the loop: its clock stands while the machine sleeps. */
static bool
open_clock (Broker *broker)
{
  if (broker->expiry_source)
    return true;
  broker->expiry_fd = timerfd_create (CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  if (broker->expiry_fd < 0)
    return false;
  broker->expiry_source = loop_add (broker->loop, broker->expiry_fd, EPOLLIN, expired, broker);
  if (!broker->expiry_source)
    close (broker->expiry_fd);
  return broker->expiry_source != NULL;
}

bool
expiry_set (Broker *broker, int64_t milliseconds)
{
  const struct itimerspec when
      = { .it_value = { .tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000 } };

  if (milliseconds == 0 && !broker->expiry_source)
    return true;
  return open_clock (broker) && timerfd_settime (broker->expiry_fd, 0, &when, NULL) == 0;
}

void
expiry_clear (Broker *broker)
{
  if (!broker->expiry_source)
    return;
  loop_remove (broker->expiry_source);
  close (broker->expiry_fd);
  broker->expiry_source = NULL;
}

/* guest.expire */
static void
start_expire (Call *call)
{
  Outcome outcome = { .status = "succeeded" };
  int64_t after;

  if (!argument_integer (call->args, "after_ms", 1, ASB_WIRE_MAX_INTEGER, 0, &after,
                         &call->failure))
    {
      call_fail (call, &call->failure);
      return;
    }
  if (!expiry_set (call->broker, after))
    {
      failure_set (&call->failure, FAILURE_IO_ERROR, "Could not set the time of the end: %s",
                   strerrordesc_np (errno));
      call_fail (call, &call->failure);
      return;
    }
  outcome.result = json_object ();
  call_finish (call, &outcome);
}

const CallKind EXPIRY_KINDS[] = {
  { .name = "guest.expire", .start = start_expire },
  { .name = NULL },
};
