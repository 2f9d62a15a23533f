/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Puts what has been unpacked into a folder that was there before, file by file. */

#pragma once

#include "archive-attributes.h"
#include "archive-folder.h"

/* Looks at all of it first: what the conflict rule refuses is refused before anything is moved, and
 * what need not be moved is deleted. *@has_work: whether something is left that has to be. */
bool archive_merge_look (const ArchiveUnpacking *unpacking, int staging_fd,
                         ArchiveAttributesList *attributes, ArchiveCounts *counts, bool *has_work,
                         Failure *failure);
/* … and then moves it. What fails half way is taken back; where not all of that could be
 * *@is_undone is false, and what is in @staging_fd may be all there is left of it. */
bool archive_merge_move (const ArchiveUnpacking *unpacking, int staging_fd,
                         ArchiveAttributesList *attributes, ArchiveCounts *counts, bool *is_undone,
                         Failure *failure);
