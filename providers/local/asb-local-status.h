/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file that tells which process is the guest. Bubblewrap writes to it and keeps it open while
 * the sandbox lives, and so the lock the file was given to it with. The lock belongs to the open
 * file: it is nobody's when bubblewrap has ended. For the case that bubblewrap is killed there is a
 * line of ours. */

#pragma once

#include "asb-local-folder.h"

/* Returns: a descriptor of the file, which is made if need be; -1 with errno set on error. */
int asb_local_status_open (AsbLocalFolder *folder);

/* Empties the file and locks it; FALSE where bubblewrap has it. */
gboolean asb_local_status_lock (int status);
gboolean asb_local_status_is_locked (int status);

/* Adds our line. */
void asb_local_status_note_process (AsbLocalFolder *folder);

/* Returns: a descriptor of the sandbox's first process, the guest; -1 if there is none. */
int asb_local_status_open_process (AsbLocalFolder *folder);
