/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <asb.h>

G_BEGIN_DECLS

/**
 * AsbCheckFlags:
 * @ASB_CHECK_FLAGS_NONE: everything is checked
 * @ASB_CHECK_FLAGS_ONE_THREAD: the provider is only called from the thread of the call, which is
 *   all that a provider in JavaScript can serve
 *
 * How a provider is checked.
 *
 * Since: 1.0
 */
typedef enum /*< flags >*/
{
  ASB_CHECK_FLAGS_NONE = 0,
  ASB_CHECK_FLAGS_ONE_THREAD = 1 << 0
} AsbCheckFlags;

guint asb_check_provider (AsbRegistry *registry, const char *name, GVariant *options,
                          const char *store_name, const char *image, AsbCheckFlags flags);

G_END_DECLS
