/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether the program that owns a sandbox still lives: it holds a lock on a file of its folder. */

#pragma once

#include "asb-local-folder.h"

/* Makes this process the owner, until it ends. */
gboolean asb_local_owner_hold (AsbLocalFolder *folder, GError **error);

gboolean asb_local_owner_lives (AsbLocalFolder *folder);

/* The sandbox is gone. */
void asb_local_owner_forget (AsbLocalFolder *folder);
