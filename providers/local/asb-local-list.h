/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lists sandboxes and kept records. */

#pragma once

#include "asb-local-sandboxes.h"

/* A page of those that match, by age, as [class@SandboxInfo]. Blocks. */
GListModel *asb_local_list (const AsbLocalSettings *settings, AsbProvider *provider,
                            AsbSandboxFilter *filter, GError **error);
