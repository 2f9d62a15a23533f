/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A folder for one process of a fuzz target, in memory where that is possible. */

#pragma once

/* Its path; made when it is first asked for, and removed at the end of the process. */
const char *fuzz_folder (void);

/* Removes what is in it. */
void fuzz_folder_empty (void);
