/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Puts what has been unpacked into a folder that was there before, file by file. */

#pragma once

#include "archive-attributes.h"
#include "archive-folder.h"

/* Looks at all of it first: what the conflict rule refuses is refused before anything is moved, and
 * what need not be moved is deleted. */
bool archive_merge_look (const ArchiveUnpacking *unpacking, int staging_fd,
                         ArchiveAttributesList *attributes, ArchiveCounts *counts,
                         Failure *failure);
/* … and then moves it. What fails half way is taken back; where not all of that could be
 * *@is_undone is false, and what is in @staging_fd may be all there is left of it. */
bool archive_merge_move (const ArchiveUnpacking *unpacking, int staging_fd,
                         ArchiveAttributesList *attributes, ArchiveCounts *counts, bool *is_undone,
                         Failure *failure);
