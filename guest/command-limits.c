/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command-limits.h"

#include "arguments.h"
#include "asb-wire-json.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

typedef struct
{
  const char *name;
  __rlimit_resource_t resource;
} Limit;

static const Limit LIMITS[COMMAND_N_LIMITS] = {
  { "cpu_seconds", RLIMIT_CPU },       { "memory_bytes", RLIMIT_AS },
  { "file_size_bytes", RLIMIT_FSIZE }, { "open_files", RLIMIT_NOFILE },
  { "processes", RLIMIT_NPROC },
};

static bool
parse_limit (const Limit *limit, json_t *json, uint64_t *value, Failure *failure)
{
  struct rlimit own;
  int64_t number;

  if (!argument_integer (json, limit->name, 1, ASB_WIRE_MAX_INTEGER, 0, &number, failure))
    return false;
  *value = (uint64_t)number;
  if (getrlimit (limit->resource, &own) == 0 && *value > own.rlim_max)
    return failure_set (failure, FAILURE_INVALID_ARGUMENT,
                        "Limit “%s” must be at most %llu, to which the sandbox itself is held",
                        limit->name, (unsigned long long)own.rlim_max);
  return true;
}

bool
command_limits_parse (CommandLimits *limits, json_t *args, Failure *failure)
{
  json_t *json = json_object_get (args, "limits");

  if (!json || json_is_null (json))
    return true;
  if (!json_is_object (json))
    return failure_set (failure, FAILURE_INVALID_ARGUMENT, "Argument “limits” must be an object");
  for (size_t i = 0; i < COMMAND_N_LIMITS; i++)
    if (!parse_limit (&LIMITS[i], json, &limits->values[i], failure))
      return false;
  return true;
}

int
command_limits_apply (const CommandLimits *limits)
{
  for (int i = 0; i < COMMAND_N_LIMITS; i++)
    {
      struct rlimit limit = { limits->values[i], limits->values[i] };

      if (limits->values[i] > 0 && setrlimit (LIMITS[i].resource, &limit) != 0)
        return i;
    }
  return -1;
}

void
command_limits_describe_fault (int limit, int error, const char *program, Failure *failure)
{
  const char *cause = strerrordesc_np (error);
  const char *name = strerrorname_np (error);

  failure_set (failure, FAILURE_COMMAND_EXECUTION, "Could not set limit “%s” for “%.200s”: %s",
               limit >= 0 && limit < COMMAND_N_LIMITS ? LIMITS[limit].name : "?", program,
               cause ? cause : "Unknown error");
  if (name)
    failure_add_detail (failure, "errno", json_string (name));
}
