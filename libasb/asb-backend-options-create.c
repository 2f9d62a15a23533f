/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-options-private.h"

#include "asb-property-private.h"

AsbBackendOptions *
asb_backend_options_copy (AsbBackendOptions *self)
{
  AsbBackendOptions *copy = asb_backend_options_new ();
  AsbBackendOptionsPrivate *from = asb_backend_options_get_private (self);
  AsbBackendOptionsPrivate *to = asb_backend_options_get_private (copy);
  guint n_properties;
  g_autofree GParamSpec **pspecs
      = g_object_class_list_properties (G_OBJECT_GET_CLASS (copy), &n_properties);

  for (guint i = 0; i < n_properties; i++)
    {
      g_auto (GValue) value = G_VALUE_INIT;

      g_object_get_property (G_OBJECT (self), pspecs[i]->name, &value);
      /* Past GObject, which would leave out what is out of range; the rules tell of that. */
      G_OBJECT_GET_CLASS (copy)->set_property (G_OBJECT (copy), pspecs[i]->param_id, &value,
                                               pspecs[i]);
    }
  to->workdir_is_given = from->workdir_is_given;
  if (from->readiness_check)
    to->readiness_check = asb_closure_ref (from->readiness_check);
  if (from->transport_factory)
    to->transport_factory = asb_closure_ref (from->transport_factory);
  if (from->close_coordinator)
    to->close_coordinator = asb_closure_ref (from->close_coordinator);
  return copy;
}

/* Options that only count where a sandbox is made. */

/**
 * asb_backend_options_get_entrypoint:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:entrypoint].
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1): the first program of the sandbox
 * with its arguments; %NULL for the provider's own
 *
 * Since: 1.0
 */
const char *const *
asb_backend_options_get_entrypoint (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return (const char *const *)priv->entrypoint;
}

/**
 * asb_backend_options_set_entrypoint:
 * @self: a [class@BackendOptions]
 * @entrypoint: (nullable) (array zero-terminated=1): the first program of the sandbox with its
 * arguments; %NULL for the provider's own
 *
 * Sets [property@BackendOptions:entrypoint].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_entrypoint (AsbBackendOptions *self, const char *const *entrypoint)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_strv (&priv->entrypoint, entrypoint))
    g_object_notify (G_OBJECT (self), "entrypoint");
}

/**
 * asb_backend_options_get_resources:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:resources].
 *
 * Returns: (transfer none) (nullable) (element-type utf8 utf8): shares of the host to ask for, by
 * name, in the provider's notation: `cpu` → `1`, `memory` → `2Gi`
 *
 * Since: 1.0
 */
GHashTable *
asb_backend_options_get_resources (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->resources;
}

/**
 * asb_backend_options_set_resources:
 * @self: a [class@BackendOptions]
 * @resources: (nullable) (element-type utf8 utf8): shares of the host to ask for, by name, in the
 * provider's notation: `cpu` → `1`, `memory` → `2Gi`
 *
 * Sets [property@BackendOptions:resources].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_resources (AsbBackendOptions *self, GHashTable *resources)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_map (&priv->resources, resources))
    g_object_notify (G_OBJECT (self), "resources");
}

/**
 * asb_backend_options_get_network_policy:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:network-policy].
 *
 * Returns: (transfer none) (nullable): what the sandbox may connect to; %NULL for the provider's
 * default
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_backend_options_get_network_policy (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->network_policy;
}

/**
 * asb_backend_options_set_network_policy:
 * @self: a [class@BackendOptions]
 * @network_policy: (nullable): what the sandbox may connect to; %NULL for the provider's default
 *
 * Sets [property@BackendOptions:network-policy].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_network_policy (AsbBackendOptions *self, AsbNetworkPolicy *network_policy)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (g_set_object (&priv->network_policy, network_policy))
    g_object_notify (G_OBJECT (self), "network-policy");
}

/**
 * asb_backend_options_get_snapshot_id:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:snapshot-id].
 *
 * Returns: (transfer none) (nullable): the snapshot to make the sandbox from, instead of an image
 *
 * Since: 1.0
 */
const char *
asb_backend_options_get_snapshot_id (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->snapshot_id;
}

/**
 * asb_backend_options_set_snapshot_id:
 * @self: a [class@BackendOptions]
 * @snapshot_id: (nullable): the snapshot to make the sandbox from, instead of an image
 *
 * Sets [property@BackendOptions:snapshot-id].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_snapshot_id (AsbBackendOptions *self, const char *snapshot_id)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_string (&priv->snapshot_id, snapshot_id))
    g_object_notify (G_OBJECT (self), "snapshot-id");
}

/**
 * asb_backend_options_get_platform:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:platform].
 *
 * Returns: (transfer none) (nullable): the operating system and processor, for example
 * `linux/amd64`; %NULL for any
 *
 * Since: 1.0
 */
const char *
asb_backend_options_get_platform (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->platform;
}

/**
 * asb_backend_options_set_platform:
 * @self: a [class@BackendOptions]
 * @platform: (nullable): the operating system and processor, for example `linux/amd64`; %NULL for
 * any
 *
 * Sets [property@BackendOptions:platform].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_platform (AsbBackendOptions *self, const char *platform)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_string (&priv->platform, platform))
    g_object_notify (G_OBJECT (self), "platform");
}

/**
 * asb_backend_options_get_image_username:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:image-username].
 *
 * Returns: (transfer none) (nullable): the name to fetch the image with, where its registry asks
 * for one
 *
 * Since: 1.0
 */
const char *
asb_backend_options_get_image_username (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->image_username;
}

/**
 * asb_backend_options_set_image_username:
 * @self: a [class@BackendOptions]
 * @image_username: (nullable): the name to fetch the image with, where its registry asks for one
 *
 * Sets [property@BackendOptions:image-username].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_image_username (AsbBackendOptions *self, const char *image_username)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_string (&priv->image_username, image_username))
    g_object_notify (G_OBJECT (self), "image-username");
}

/**
 * asb_backend_options_get_image_password:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:image-password].
 *
 * Returns: (transfer none) (nullable): the password or token to fetch the image with
 *
 * Since: 1.0
 */
const char *
asb_backend_options_get_image_password (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->image_password;
}

/**
 * asb_backend_options_set_image_password:
 * @self: a [class@BackendOptions]
 * @image_password: (nullable): the password or token to fetch the image with
 *
 * Sets [property@BackendOptions:image-password].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_image_password (AsbBackendOptions *self, const char *image_password)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_string (&priv->image_password, image_password))
    g_object_notify (G_OBJECT (self), "image-password");
}

/**
 * asb_backend_options_get_create_options:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:create-options].
 *
 * Returns: (transfer none) (nullable): what only one provider takes, an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_backend_options_get_create_options (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->create_options;
}

/**
 * asb_backend_options_set_create_options:
 * @self: a [class@BackendOptions]
 * @create_options: (nullable): what only one provider takes, an `a{sv}`
 *
 * Sets [property@BackendOptions:create-options].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_create_options (AsbBackendOptions *self, GVariant *create_options)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (asb_property_replace_variant (&priv->create_options, create_options))
    g_object_notify (G_OBJECT (self), "create-options");
}
