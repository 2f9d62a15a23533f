/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command-limits.h"

#include "arguments.h"
#include "asb-wire-json.h"

#include <errno.h>
#include <stdlib.h>
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
refuse_more (const Limit *limit, uint64_t most, Failure *failure)
{
  return failure_set (failure, FAILURE_INVALID_ARGUMENT,
                      "Limit “%s” must be at most %llu, to which the sandbox itself is held",
                      limit->name, (unsigned long long)most);
}

static bool
parse_limit (const Limit *limit, json_t *json, uint64_t *value, Failure *failure)
{
  struct rlimit own;
  int64_t number;

  if (!argument_integer (json, limit->name, 1, ASB_WIRE_MAX_INTEGER, 0, &number, failure))
    return false;
  *value = (uint64_t)number;
  if (getrlimit (limit->resource, &own) == 0 && *value > own.rlim_max)
    return refuse_more (limit, own.rlim_max, failure);
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

static const Limit *
find_limit (const char *name, size_t length)
{
  for (size_t i = 0; i < COMMAND_N_LIMITS; i++)
    if (strlen (LIMITS[i].name) == length && memcmp (LIMITS[i].name, name, length) == 0)
      return &LIMITS[i];
  return NULL;
}

bool
command_limits_add (CommandLimits *limits, const char *text)
{
  const char *equals = strchr (text, '=');
  const Limit *limit = equals ? find_limit (text, (size_t)(equals - text)) : NULL;
  unsigned long long number;
  struct rlimit own;
  char *end;

  if (!limit || equals[1] < '1' || equals[1] > '9')
    return false;
  errno = 0;
  number = strtoull (equals + 1, &end, 10);
  if (errno != 0 || *end != '\0' || number > ASB_WIRE_MAX_INTEGER)
    return false;
  if (getrlimit (limit->resource, &own) == 0 && number > own.rlim_max)
    number = own.rlim_max;
  limits->values[limit - LIMITS] = number;
  return true;
}

bool
command_limits_bound (CommandLimits *limits, const CommandLimits *most, Failure *failure)
{
  for (size_t i = 0; i < COMMAND_N_LIMITS; i++)
    if (limits->values[i] == 0)
      limits->values[i] = most->values[i];
    else if (most->values[i] > 0 && limits->values[i] > most->values[i])
      return refuse_more (&LIMITS[i], most->values[i], failure);
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
