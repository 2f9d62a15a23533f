/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <asb.h>

G_BEGIN_DECLS

/**
 * AsbCheckFlags:
 * @ASB_CHECK_FLAGS_NONE: everything is checked
 * @ASB_CHECK_FLAGS_ONE_THREAD: the provider is only called from the thread of the call, which is
 *   all that a provider in JavaScript can serve
 * @ASB_CHECK_FLAGS_LIFECYCLE: only sandboxes: how they are made, found, changed and deleted
 * @ASB_CHECK_FLAGS_TRANSPORT: only the transport: commands, jobs, files and searches inside
 * @ASB_CHECK_FLAGS_HISTORY: only the history store
 *
 * How a provider is checked. Without one of the last three, which can be combined, all of it is.
 *
 * Since: 1.0
 */
typedef enum /*< flags >*/
{
  ASB_CHECK_FLAGS_NONE = 0,
  ASB_CHECK_FLAGS_ONE_THREAD = 1 << 0,
  ASB_CHECK_FLAGS_LIFECYCLE = 1 << 1,
  ASB_CHECK_FLAGS_TRANSPORT = 1 << 2,
  ASB_CHECK_FLAGS_HISTORY = 1 << 3
} AsbCheckFlags;

guint asb_check_provider (AsbRegistry *registry, const char *name, GVariant *options,
                          const char *store_name, const char *image, AsbCheckFlags flags);

G_END_DECLS
