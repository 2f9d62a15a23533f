/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-mount-private.h"

#include <string.h>

#include "asb-enum-types.h"
#include "asb-error.h"
#include "asb-property-private.h"

/**
 * AsbMount:
 *
 * A folder of the host that a sandbox is to show.
 *
 * It is found when the sandbox is created, and again whenever it has to be started anew; if it is
 * not there then, that fails. A provider that cannot show folders of the host refuses a sandbox
 * with mounts with %ASB_ERROR_UNSUPPORTED_CAPABILITY; [class@Capabilities] tells of it as
 * %ASB_CAPABILITY_MOUNTS.
 *
 * Since: 1.0
 */

struct _AsbMount
{
  GObject parent_instance;

  char *source;
  char *target;
  AsbMountMode mode;
};

enum
{
  PROP_0,
  PROP_SOURCE,
  PROP_TARGET,
  PROP_MODE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbMount, asb_mount, G_TYPE_OBJECT)

static void
asb_mount_finalize (GObject *object)
{
  AsbMount *self = ASB_MOUNT (object);

  g_clear_pointer (&self->source, g_free);
  g_clear_pointer (&self->target, g_free);

  G_OBJECT_CLASS (asb_mount_parent_class)->finalize (object);
}

static void
asb_mount_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbMount *self = ASB_MOUNT (object);

  switch (property_id)
    {
    case PROP_SOURCE:
      g_value_set_string (value, self->source);
      break;
    case PROP_TARGET:
      g_value_set_string (value, self->target);
      break;
    case PROP_MODE:
      g_value_set_enum (value, self->mode);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_mount_set_property (GObject *object, guint property_id, const GValue *value, GParamSpec *pspec)
{
  AsbMount *self = ASB_MOUNT (object);

  switch (property_id)
    {
    case PROP_SOURCE:
      self->source = g_value_dup_string (value);
      break;
    case PROP_TARGET:
      self->target = g_value_dup_string (value);
      break;
    case PROP_MODE:
      self->mode = g_value_get_enum (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_mount_class_init (AsbMountClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_mount_finalize;
  object_class->get_property = asb_mount_get_property;
  object_class->set_property = asb_mount_set_property;

  /**
   * AsbMount:source:
   *
   * The folder of the host, an absolute path.
   *
   * Since: 1.0
   */
  properties[PROP_SOURCE]
      = g_param_spec_string ("source", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbMount:target:
   *
   * Where it is shown inside the sandbox, an absolute path without `..`.
   *
   * Since: 1.0
   */
  properties[PROP_TARGET]
      = g_param_spec_string ("target", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbMount:mode:
   *
   * What becomes of changes that are made inside.
   *
   * Since: 1.0
   */
  properties[PROP_MODE]
      = g_param_spec_enum ("mode", NULL, NULL, ASB_TYPE_MOUNT_MODE, 0, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_mount_init (AsbMount *self)
{
}

/**
 * asb_mount_new:
 * @source: (type filename): the folder of the host, an absolute path
 * @target: (type filename): where it is shown inside the sandbox, an absolute path without `..`
 * @mode: what becomes of changes that are made inside
 *
 * Makes a [class@Mount]. The paths are looked at when a sandbox is created with it.
 *
 * Returns: (transfer full): a new [class@Mount]
 *
 * Since: 1.0
 */
AsbMount *
asb_mount_new (const char *source, const char *target, AsbMountMode mode)
{
  g_return_val_if_fail (source != NULL, NULL);
  g_return_val_if_fail (target != NULL, NULL);

  return g_object_new (ASB_TYPE_MOUNT, "source", source, "target", target, "mode", mode, NULL);
}

/**
 * asb_mount_get_source:
 * @self: a [class@Mount]
 *
 * Gets [property@Mount:source].
 *
 * Returns: (transfer none) (nullable) (type filename): the folder of the host
 *
 * Since: 1.0
 */
const char *
asb_mount_get_source (AsbMount *self)
{
  g_return_val_if_fail (ASB_IS_MOUNT (self), NULL);

  return self->source;
}

/**
 * asb_mount_get_target:
 * @self: a [class@Mount]
 *
 * Gets [property@Mount:target].
 *
 * Returns: (transfer none) (nullable) (type filename): where it is shown inside the sandbox
 *
 * Since: 1.0
 */
const char *
asb_mount_get_target (AsbMount *self)
{
  g_return_val_if_fail (ASB_IS_MOUNT (self), NULL);

  return self->target;
}

/**
 * asb_mount_get_mode:
 * @self: a [class@Mount]
 *
 * Gets [property@Mount:mode].
 *
 * Returns: what becomes of changes that are made inside
 *
 * Since: 1.0
 */
AsbMountMode
asb_mount_get_mode (AsbMount *self)
{
  g_return_val_if_fail (ASB_IS_MOUNT (self), 0);

  return self->mode;
}

static gboolean
is_plain_path (const char *path)
{
  g_auto (GStrv) parts = NULL;

  if (!path || path[0] != '/')
    return FALSE;
  parts = g_strsplit (path, "/", -1);
  return !g_strv_contains ((const char *const *)parts, "..");
}

static gboolean
check_mount (AsbMount *mount, guint number, GError **error)
{
  const char *source = asb_mount_get_source (mount);
  const char *target = asb_mount_get_target (mount);

  if (!source || source[0] != '/')
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "The source of mount %u, “%s”, must be an absolute path", number,
                 source ? source : "");
  else if (!is_plain_path (target))
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "The target of mount %u, “%s”, must be an absolute path without “..”", number,
                 target ? target : "");
  else
    return TRUE;
  return FALSE;
}

gboolean
asb_mounts_check (GListModel *mounts, GError **error)
{
  for (guint i = 0; mounts && i < g_list_model_get_n_items (mounts); i++)
    {
      g_autoptr (AsbMount) mount = g_list_model_get_item (mounts, i);

      if (!check_mount (mount, i + 1, error))
        return FALSE;
    }
  return TRUE;
}
