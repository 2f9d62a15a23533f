/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a guest that nobody owns learns that somebody removes its folder without asking for it to be
 * deleted. Nobody else would end it. */

#pragma once

#include "asb-local-folder.h"

/* Returns: a descriptor that can be read from then on; -1 if the system has none to give, and the
 * guest then finds out when it is next used. */
int asb_local_removal_watch (AsbLocalFolder *folder);
