/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-limits.h"

#include <stdio.h>
#include <sys/utsname.h>

#include "asb-wire-json.h"

/* Enough for a large build, too little to fill the table of a machine. */
#define DEFAULT_PROCESSES 4096

/* Each is a property, and the same word with underscores elsewhere. */
static const char *const names[][2] = {
  { "cpu-seconds", "cpu_seconds" },
  { "memory-bytes", "memory_bytes" },
  { "file-size-bytes", "file_size_bytes" },
  { "open-files", "open_files" },
  { "processes", "processes" },
};

static guint64
get (AsbResourceLimits *limits, gsize index)
{
  guint64 value = 0;

  g_object_get (limits, names[index][0], &value, NULL);
  return value;
}

/* Older kernels count the processes of a user in all namespaces together, where a number says
 * little and may be exceeded before the sandbox has begun. */
static gboolean
counts_each_sandbox (void)
{
  struct utsname name;
  unsigned major, minor;

  return uname (&name) == 0 && sscanf (name.release, "%u.%u", &major, &minor) == 2
         && (major > 5 || (major == 5 && minor >= 14));
}

AsbResourceLimits *
asb_local_limits_complete (AsbResourceLimits *limits)
{
  AsbResourceLimits *self = asb_resource_limits_new ();

  for (gsize i = 0; limits && i < G_N_ELEMENTS (names); i++)
    g_object_set (self, names[i][0], get (limits, i), NULL);
  if (asb_resource_limits_get_processes (self) == 0 && counts_each_sandbox ())
    asb_resource_limits_set_processes (self, DEFAULT_PROCESSES);
  return self;
}

gboolean
asb_local_limits_want_scope (AsbResourceLimits *limits)
{
  return asb_resource_limits_get_memory_bytes (limits) > 0
         || (asb_resource_limits_get_processes (limits) > 0 && !counts_each_sandbox ());
}

AsbResourceLimits *
asb_local_limits_from_json (json_t *json)
{
  g_autoptr (AsbResourceLimits) self = asb_resource_limits_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      json_t *member = json_object_get (json, names[i][1]);
      json_int_t value = json_integer_value (member);

      if (member && (!json_is_integer (member) || value < 0 || value > ASB_WIRE_MAX_INTEGER))
        return NULL;
      g_object_set (self, names[i][0], (guint64)value, NULL);
    }
  return g_steal_pointer (&self);
}

json_t *
asb_local_limits_to_json (AsbResourceLimits *limits)
{
  json_t *json = json_object ();

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (get (limits, i) > 0)
      json_object_set_new (json, names[i][1], json_integer ((json_int_t)get (limits, i)));
  return json;
}

void
asb_local_limits_add_options (AsbResourceLimits *limits, GPtrArray *command)
{
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (get (limits, i) > 0)
      {
        g_ptr_array_add (command, g_strdup ("--command-limit"));
        g_ptr_array_add (command,
                         g_strdup_printf ("%s=%" G_GUINT64_FORMAT, names[i][1], get (limits, i)));
      }
}
