/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-options-private.h"

/* Options of how the work in a sandbox is done. */

/**
 * asb_backend_options_get_concurrency:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:concurrency].
 *
 * Returns: (transfer none) (nullable): how many operations there are at once; %NULL for as many as
 * are asked for
 *
 * Since: 1.0
 */
AsbConcurrencyConfig *
asb_backend_options_get_concurrency (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->concurrency;
}

/**
 * asb_backend_options_set_concurrency:
 * @self: a [class@BackendOptions]
 * @concurrency: (nullable): how many operations there are at once; %NULL for as many as are asked
 * for
 *
 * Sets [property@BackendOptions:concurrency].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_concurrency (AsbBackendOptions *self, AsbConcurrencyConfig *concurrency)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (g_set_object (&priv->concurrency, concurrency))
    g_object_notify (G_OBJECT (self), "concurrency");
}

/**
 * asb_backend_options_get_retry:
 * @self: a [class@BackendOptions]
 *
 * Gets [property@BackendOptions:retry].
 *
 * Returns: (transfer none) (nullable): what is tried again; %NULL for nothing but what the provider
 * repeats itself
 *
 * Since: 1.0
 */
AsbRetryConfig *
asb_backend_options_get_retry (AsbBackendOptions *self)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (self), NULL);

  return priv->retry;
}

/**
 * asb_backend_options_set_retry:
 * @self: a [class@BackendOptions]
 * @retry: (nullable): what is tried again; %NULL for nothing but what the provider repeats
 * itself
 *
 * Sets [property@BackendOptions:retry].
 *
 * Since: 1.0
 */
void
asb_backend_options_set_retry (AsbBackendOptions *self, AsbRetryConfig *retry)
{
  AsbBackendOptionsPrivate *priv = asb_backend_options_get_private (self);

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (self));

  if (g_set_object (&priv->retry, retry))
    g_object_notify (G_OBJECT (self), "retry");
}
