/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "hello.h"

#include "asb-wire-json.h"
#include "secret.h"
#include "version.h"
#include "wire-time.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* In milliseconds. */
#define MAX_LINGER 300000

static bool
is_absent_or (json_t *json, int type)
{
  return !json || json_typeof (json) == (json_type)type;
}

static bool
is_whole (const json_t *json, json_int_t maximum)
{
  return json_is_integer (json) && json_integer_value (json) >= 0
         && json_integer_value (json) <= maximum;
}

static bool
is_resume (const json_t *resume)
{
  return !resume
         || (json_is_string (json_object_get (resume, "session"))
             && json_is_string (json_object_get (resume, "secret"))
             && json_is_string (json_object_get (resume, "boot_id"))
             && is_whole (json_object_get (resume, "received"), ASB_WIRE_MAX_INTEGER));
}

static bool
is_in_order (const json_t *hello)
{
  const json_t *linger = json_object_get (hello, "linger_ms");

  return is_whole (json_object_get (hello, "minor"), ASB_WIRE_MAX_INTEGER)
         && is_absent_or (json_object_get (hello, "features"), JSON_ARRAY)
         && is_absent_or (json_object_get (hello, "token"), JSON_STRING)
         && is_absent_or (json_object_get (hello, "client"), JSON_STRING)
         && (!linger || is_whole (linger, MAX_LINGER))
         && is_resume (json_object_get (hello, "resume"));
}

static bool
has_token (const Broker *broker, const json_t *hello)
{
  const json_t *token = json_object_get (hello, "token");
  bool is_ours = secret_is (broker->token, token);

  return token_list_has (&broker->tokens, token) || is_ours;
}

const char *
hello_check (const json_t *hello, const Broker *broker, const char **reason)
{
  json_t *major = json_object_get (hello, "major");

  *reason = "the HELLO is not in order";
  if (!json_is_integer (major))
    return "protocol_error";
  *reason
      = "asb-guest " GUEST_VERSION " speaks version " GUEST_TEXT (GUEST_MAJOR) " of the protocol";
  if (json_integer_value (major) != GUEST_MAJOR)
    return "unsupported_version";
  *reason = "the HELLO is not in order";
  if (!is_in_order (hello))
    return "protocol_error";
  *reason = "The HELLO does not carry the token of the guest";
  return broker && !has_token (broker, hello) ? "access_denied" : NULL;
}

bool
hello_asks_to_drain (const json_t *hello)
{
  return json_integer_value (json_object_get (hello, "major")) > GUEST_MAJOR
         && json_is_true (json_object_get (hello, "drain"));
}

int64_t
hello_linger (const json_t *hello)
{
  return json_integer_value (json_object_get (hello, "linger_ms")) * LOOP_MILLISECOND;
}

static json_t *
features (const Broker *broker)
{
  if (broker->options->record_only)
    return json_pack ("[s, s]", "history", "history-wait");
  return json_pack ("[s, s, s, s, s, s, s, s, s, s, s, s, s, s]", "commands", "files", "history",
                    "history-wait", "jobs", "search", "terminals", "grep", "edit", "lines",
                    "attributes", "watch", "archives", "uploads");
}

static json_t *
describe_session (const Session *session)
{
  return json_pack ("{s:s, s:s, s:I}", "id", session->id, "secret", session->secret, "linger_ms",
                    (json_int_t)(session->linger / LOOP_MILLISECOND));
}

static int
lower_minor (const json_t *hello)
{
  json_int_t minor = json_integer_value (json_object_get (hello, "minor"));

  return minor < GUEST_MINOR ? (int)minor : GUEST_MINOR;
}

json_t *
hello_answer (const Session *session, const json_t *hello, json_t *resumed)
{
  const Broker *broker = session->broker;
  const char *home = environment_home (broker->options->environment);
  struct utsname name = { 0 };
  struct timespec now;

  uname (&name);
  clock_gettime (CLOCK_REALTIME, &now);
  return json_pack ("{s:i, s:i, s:o, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o*}", "major",
                    GUEST_MAJOR, "minor", lower_minor (hello), "features", features (broker),
                    "version", GUEST_VERSION, "arch", name.machine, "boot_id", broker->boot_id,
                    "uid", (json_int_t)getuid (), "gid", (json_int_t)getgid (), "home",
                    asb_wire_text_new (home, strlen (home)), "clock", wire_time_new (&now),
                    "session", describe_session (session), "resumed", resumed);
}
