/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-resource-limits-private.h"

#include "asb-property-private.h"

/**
 * AsbResourceLimits:
 *
 * How much a process may take of what the system counts.
 *
 * Each limit holds for each process by itself, except [property@ResourceLimits:processes]. 0 stands
 * for “not limited here”: what held before still holds.
 *
 * Since: 1.0
 */

/* What fits the JSON of all that is spoken to. */
#define MAX_LIMIT G_GUINT64_CONSTANT (9007199254740991)

struct _AsbResourceLimits
{
  GObject parent_instance;

  guint64 cpu_seconds;
  guint64 memory_bytes;
  guint64 file_size_bytes;
  guint64 open_files;
  guint64 processes;
};

enum
{
  PROP_0,
  PROP_CPU_SECONDS,
  PROP_MEMORY_BYTES,
  PROP_FILE_SIZE_BYTES,
  PROP_OPEN_FILES,
  PROP_PROCESSES,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbResourceLimits, asb_resource_limits, G_TYPE_OBJECT)

static void
asb_resource_limits_get_property (GObject *object, guint property_id, GValue *value,
                                  GParamSpec *pspec)
{
  AsbResourceLimits *self = ASB_RESOURCE_LIMITS (object);

  switch (property_id)
    {
    case PROP_CPU_SECONDS:
      g_value_set_uint64 (value, self->cpu_seconds);
      break;
    case PROP_MEMORY_BYTES:
      g_value_set_uint64 (value, self->memory_bytes);
      break;
    case PROP_FILE_SIZE_BYTES:
      g_value_set_uint64 (value, self->file_size_bytes);
      break;
    case PROP_OPEN_FILES:
      g_value_set_uint64 (value, self->open_files);
      break;
    case PROP_PROCESSES:
      g_value_set_uint64 (value, self->processes);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_resource_limits_set_property (GObject *object, guint property_id, const GValue *value,
                                  GParamSpec *pspec)
{
  AsbResourceLimits *self = ASB_RESOURCE_LIMITS (object);

  switch (property_id)
    {
    case PROP_CPU_SECONDS:
      asb_resource_limits_set_cpu_seconds (self, g_value_get_uint64 (value));
      break;
    case PROP_MEMORY_BYTES:
      asb_resource_limits_set_memory_bytes (self, g_value_get_uint64 (value));
      break;
    case PROP_FILE_SIZE_BYTES:
      asb_resource_limits_set_file_size_bytes (self, g_value_get_uint64 (value));
      break;
    case PROP_OPEN_FILES:
      asb_resource_limits_set_open_files (self, g_value_get_uint64 (value));
      break;
    case PROP_PROCESSES:
      asb_resource_limits_set_processes (self, g_value_get_uint64 (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_resource_limits_class_init (AsbResourceLimitsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = asb_resource_limits_get_property;
  object_class->set_property = asb_resource_limits_set_property;

  /**
   * AsbResourceLimits:cpu-seconds:
   *
   * Seconds of processor time after which a process is killed; 0: not limited here, at most 2^53 −
   * 1.
   *
   * Since: 1.0
   */
  properties[PROP_CPU_SECONDS]
      = g_param_spec_uint64 ("cpu-seconds", NULL, NULL, 0, MAX_LIMIT, 0, ASB_PARAM_READWRITE);

  /**
   * AsbResourceLimits:memory-bytes:
   *
   * Bytes of address space of a process; 0: not limited here, at most 2^53 − 1.
   *
   * Since: 1.0
   */
  properties[PROP_MEMORY_BYTES]
      = g_param_spec_uint64 ("memory-bytes", NULL, NULL, 0, MAX_LIMIT, 0, ASB_PARAM_READWRITE);

  /**
   * AsbResourceLimits:file-size-bytes:
   *
   * Bytes of a file that is written; 0: not limited here, at most 2^53 − 1.
   *
   * Since: 1.0
   */
  properties[PROP_FILE_SIZE_BYTES]
      = g_param_spec_uint64 ("file-size-bytes", NULL, NULL, 0, MAX_LIMIT, 0, ASB_PARAM_READWRITE);

  /**
   * AsbResourceLimits:open-files:
   *
   * Files a process may have open; 0: not limited here, at most 2^53 − 1.
   *
   * Since: 1.0
   */
  properties[PROP_OPEN_FILES]
      = g_param_spec_uint64 ("open-files", NULL, NULL, 0, MAX_LIMIT, 0, ASB_PARAM_READWRITE);

  /**
   * AsbResourceLimits:processes:
   *
   * Processes the user may have; this does not hold for a root who is root of the machine too; 0:
   * not limited here, at most 2^53 − 1.
   *
   * Since: 1.0
   */
  properties[PROP_PROCESSES]
      = g_param_spec_uint64 ("processes", NULL, NULL, 0, MAX_LIMIT, 0, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_resource_limits_init (AsbResourceLimits *self)
{
}

/**
 * asb_resource_limits_new:
 *
 * Makes a [class@ResourceLimits] that limits nothing.
 *
 * Returns: (transfer full): a new [class@ResourceLimits]
 *
 * Since: 1.0
 */
AsbResourceLimits *
asb_resource_limits_new (void)
{
  return g_object_new (ASB_TYPE_RESOURCE_LIMITS, NULL);
}

/**
 * asb_resource_limits_get_cpu_seconds:
 * @self: a [class@ResourceLimits]
 *
 * Gets [property@ResourceLimits:cpu-seconds].
 *
 * Returns: seconds of processor time after which a process is killed; 0: not limited here
 *
 * Since: 1.0
 */
guint64
asb_resource_limits_get_cpu_seconds (AsbResourceLimits *self)
{
  g_return_val_if_fail (ASB_IS_RESOURCE_LIMITS (self), 0);

  return self->cpu_seconds;
}

/**
 * asb_resource_limits_set_cpu_seconds:
 * @self: a [class@ResourceLimits]
 * @cpu_seconds: seconds of processor time after which a process is killed; 0: not limited here, at
 * most 2^53 − 1
 *
 * Sets [property@ResourceLimits:cpu-seconds].
 *
 * Since: 1.0
 */
void
asb_resource_limits_set_cpu_seconds (AsbResourceLimits *self, guint64 cpu_seconds)
{
  g_return_if_fail (ASB_IS_RESOURCE_LIMITS (self));
  g_return_if_fail (cpu_seconds <= MAX_LIMIT);

  if (self->cpu_seconds == cpu_seconds)
    return;
  self->cpu_seconds = cpu_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CPU_SECONDS]);
}

/**
 * asb_resource_limits_get_memory_bytes:
 * @self: a [class@ResourceLimits]
 *
 * Gets [property@ResourceLimits:memory-bytes].
 *
 * Returns: bytes of address space of a process; 0: not limited here
 *
 * Since: 1.0
 */
guint64
asb_resource_limits_get_memory_bytes (AsbResourceLimits *self)
{
  g_return_val_if_fail (ASB_IS_RESOURCE_LIMITS (self), 0);

  return self->memory_bytes;
}

/**
 * asb_resource_limits_set_memory_bytes:
 * @self: a [class@ResourceLimits]
 * @memory_bytes: bytes of address space of a process; 0: not limited here, at most 2^53 − 1
 *
 * Sets [property@ResourceLimits:memory-bytes].
 *
 * Since: 1.0
 */
void
asb_resource_limits_set_memory_bytes (AsbResourceLimits *self, guint64 memory_bytes)
{
  g_return_if_fail (ASB_IS_RESOURCE_LIMITS (self));
  g_return_if_fail (memory_bytes <= MAX_LIMIT);

  if (self->memory_bytes == memory_bytes)
    return;
  self->memory_bytes = memory_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MEMORY_BYTES]);
}

/**
 * asb_resource_limits_get_file_size_bytes:
 * @self: a [class@ResourceLimits]
 *
 * Gets [property@ResourceLimits:file-size-bytes].
 *
 * Returns: bytes of a file that is written; 0: not limited here
 *
 * Since: 1.0
 */
guint64
asb_resource_limits_get_file_size_bytes (AsbResourceLimits *self)
{
  g_return_val_if_fail (ASB_IS_RESOURCE_LIMITS (self), 0);

  return self->file_size_bytes;
}

/**
 * asb_resource_limits_set_file_size_bytes:
 * @self: a [class@ResourceLimits]
 * @file_size_bytes: bytes of a file that is written; 0: not limited here, at most 2^53 − 1
 *
 * Sets [property@ResourceLimits:file-size-bytes].
 *
 * Since: 1.0
 */
void
asb_resource_limits_set_file_size_bytes (AsbResourceLimits *self, guint64 file_size_bytes)
{
  g_return_if_fail (ASB_IS_RESOURCE_LIMITS (self));
  g_return_if_fail (file_size_bytes <= MAX_LIMIT);

  if (self->file_size_bytes == file_size_bytes)
    return;
  self->file_size_bytes = file_size_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FILE_SIZE_BYTES]);
}

/**
 * asb_resource_limits_get_open_files:
 * @self: a [class@ResourceLimits]
 *
 * Gets [property@ResourceLimits:open-files].
 *
 * Returns: files a process may have open; 0: not limited here
 *
 * Since: 1.0
 */
guint64
asb_resource_limits_get_open_files (AsbResourceLimits *self)
{
  g_return_val_if_fail (ASB_IS_RESOURCE_LIMITS (self), 0);

  return self->open_files;
}

/**
 * asb_resource_limits_set_open_files:
 * @self: a [class@ResourceLimits]
 * @open_files: files a process may have open; 0: not limited here, at most 2^53 − 1
 *
 * Sets [property@ResourceLimits:open-files].
 *
 * Since: 1.0
 */
void
asb_resource_limits_set_open_files (AsbResourceLimits *self, guint64 open_files)
{
  g_return_if_fail (ASB_IS_RESOURCE_LIMITS (self));
  g_return_if_fail (open_files <= MAX_LIMIT);

  if (self->open_files == open_files)
    return;
  self->open_files = open_files;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OPEN_FILES]);
}

/**
 * asb_resource_limits_get_processes:
 * @self: a [class@ResourceLimits]
 *
 * Gets [property@ResourceLimits:processes].
 *
 * Returns: processes the user may have; this does not hold for a root who is root of the machine
 * too; 0: not limited here
 *
 * Since: 1.0
 */
guint64
asb_resource_limits_get_processes (AsbResourceLimits *self)
{
  g_return_val_if_fail (ASB_IS_RESOURCE_LIMITS (self), 0);

  return self->processes;
}

/**
 * asb_resource_limits_set_processes:
 * @self: a [class@ResourceLimits]
 * @processes: processes the user may have; this does not hold for a root who is root of the machine
 * too; 0: not limited here, at most 2^53 − 1
 *
 * Sets [property@ResourceLimits:processes].
 *
 * Since: 1.0
 */
void
asb_resource_limits_set_processes (AsbResourceLimits *self, guint64 processes)
{
  g_return_if_fail (ASB_IS_RESOURCE_LIMITS (self));
  g_return_if_fail (processes <= MAX_LIMIT);

  if (self->processes == processes)
    return;
  self->processes = processes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROCESSES]);
}

AsbResourceLimits *
asb_resource_limits_copy (AsbResourceLimits *limits)
{
  if (!limits)
    return NULL;
  return g_object_new (ASB_TYPE_RESOURCE_LIMITS, "cpu-seconds", limits->cpu_seconds, "memory-bytes",
                       limits->memory_bytes, "file-size-bytes", limits->file_size_bytes,
                       "open-files", limits->open_files, "processes", limits->processes, NULL);
}

GVariant *
asb_resource_limits_to_variant (AsbResourceLimits *limits)
{
  const struct
  {
    const char *name;
    guint64 value;
  } members[] = {
    { "cpu_seconds", limits->cpu_seconds },
    { "memory_bytes", limits->memory_bytes },
    { "file_size_bytes", limits->file_size_bytes },
    { "open_files", limits->open_files },
    { "processes", limits->processes },
  };
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    if (members[i].value > 0)
      g_variant_dict_insert (&dict, members[i].name, "x", (gint64)members[i].value);
  return g_variant_dict_end (&dict);
}
