/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lists of mounts, as specifications hold them. */

#pragma once

#include "asb-mount.h"

/* Whether a provider could make sense of @mounts (may be NULL): %ASB_ERROR_INVALID_ARGUMENT if not.
 */
gboolean asb_mounts_check (GListModel *mounts, GError **error);
