/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-options-private.h"
#include "asb-property-private.h"

/* Options of what is uploaded before a backend is handed out. */

/**
 * asb_backend_options_get_uploads:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:uploads].
 *
 * Returns: (transfer none): a list of [class@UploadSpec]
 *
 * Since: 1.0
 */
GListModel *
asb_backend_options_get_uploads (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return G_LIST_MODEL (priv->uploads);
}

/**
 * asb_backend_options_set_uploads:
 * @self: a [class@BackendOptions]
 * @uploads: (nullable): a list of [class@UploadSpec], %NULL for none
 *
 * Sets [property@BackendOptions:uploads] to what is in the list now.
 *
 * Since: 1.0
 */
void
asb_backend_options_set_uploads (AsbBackendOptions *self, GListModel *uploads)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));
  g_return_if_fail (!uploads || G_IS_LIST_MODEL (uploads));

  if (asb_property_replace_items (priv->uploads, uploads))
    g_object_notify (G_OBJECT (self), "uploads");
}

/**
 * asb_backend_options_add_upload:
 * @self: a [class@BackendOptions]
 * @upload: what is uploaded
 *
 * Adds to [property@BackendOptions:uploads].
 *
 * Since: 1.0
 */
void
asb_backend_options_add_upload (AsbBackendOptions *self, AsbUploadSpec *upload)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));
  g_return_if_fail (ASB_IS_UPLOAD_SPEC (upload));

  g_list_store_append (priv->uploads, upload);
  g_object_notify (G_OBJECT (self), "uploads");
}

/**
 * asb_backend_options_get_upload_config:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:upload-config].
 *
 * Returns: (transfer none) (nullable): which files may be uploaded; %NULL: none
 *
 * Since: 1.0
 */
AsbUploadConfig *
asb_backend_options_get_upload_config (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->upload_config;
}

/**
 * asb_backend_options_set_upload_config:
 * @self: a [class@BackendOptions]
 * @upload_config: (nullable): which files may be uploaded; %NULL: none
 *
 * Sets [property@BackendOptions:upload-config].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_upload_config (AsbBackendOptions *self, AsbUploadConfig *upload_config)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (g_set_object (&priv->upload_config, upload_config))
    g_object_notify (G_OBJECT (self), "upload-config");
}
