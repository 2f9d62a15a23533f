/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lists of mounts, as specifications hold them. */

#pragma once

#include "asb-mount.h"

/* Puts the mounts of @value (may be NULL) in @list. Returns: whether that may have changed it */
gboolean asb_mounts_replace (GListStore *list, GListModel *value);

/* Whether a provider could make sense of @mounts (may be NULL): %ASB_ERROR_INVALID_ARGUMENT if not.
 */
gboolean asb_mounts_check (GListModel *mounts, GError **error);
