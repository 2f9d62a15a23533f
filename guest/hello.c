/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "hello.h"

#include "config.h"

#include "asb-frame.h"
#include "asb-wire-json.h"
#include "wire-time.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static bool
is_absent_or (json_t *json, int type)
{
  return !json || json_typeof (json) == (json_type)type;
}

static bool
is_in_order (json_t *hello)
{
  json_t *minor = json_object_get (hello, "minor");

  return json_is_integer (minor) && json_integer_value (minor) >= 0
         && is_absent_or (json_object_get (hello, "features"), JSON_ARRAY)
         && is_absent_or (json_object_get (hello, "token"), JSON_STRING)
         && is_absent_or (json_object_get (hello, "client"), JSON_STRING);
}

const char *
hello_check (json_t *hello, bool full, const char **reason)
{
  json_t *major = json_object_get (hello, "major");

  *reason = "the HELLO is not in order";
  if (!json_is_integer (major))
    return "protocol_error";
  *reason = "The guest speaks version 1 of the protocol only";
  if (json_integer_value (major) != ASB_PROTOCOL_MAJOR)
    return "unsupported_version";
  *reason = "the HELLO is not in order";
  if (!is_in_order (hello))
    return "protocol_error";
  *reason = "The guest has as many connections as it takes";
  return full ? "too_many_connections" : NULL;
}

static json_t *
features (const Broker *broker)
{
  if (broker->options->record_only)
    return json_pack ("[s]", "history");
  return json_pack ("[s, s, s]", "commands", "files", "history");
}

static json_t *
session (void)
{
  char id[BROKER_ID_SIZE];
  char secret[BROKER_ID_SIZE];

  broker_random_id (id);
  broker_random_id (secret);
  return json_pack ("{s:s, s:s}", "id", id, "secret", secret);
}

json_t *
hello_answer (const Broker *broker)
{
  const char *home = environment_home (broker->options->environment);
  struct utsname name = { 0 };
  struct timespec now;

  uname (&name);
  clock_gettime (CLOCK_REALTIME, &now);
  return json_pack ("{s:i, s:i, s:o, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "major",
                    ASB_PROTOCOL_MAJOR, "minor", ASB_PROTOCOL_MINOR, "features", features (broker),
                    "version", ASB_VERSION, "arch", name.machine, "boot_id", broker->boot_id, "uid",
                    (json_int_t)getuid (), "gid", (json_int_t)getgid (), "home",
                    asb_wire_text_new (home, strlen (home)), "clock", wire_time_new (&now),
                    "session", session ());
}
