/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A member of an archive that is being unpacked: what is refused, and with it all of the archive,
 * and how much there may be of it. */

#pragma once

#include "archive-folder.h"
#include "archive-input.h"
#include "sha256.h"

#include <limits.h>

/* The extended attribute by which an archive says what the bytes of a file come to. */
#define ARCHIVE_HASH_ATTRIBUTE "user.asb.sha256"

typedef struct
{
  const ArchiveBounds *bounds;
  ArchiveCounts *counts;
  Failure *failure;
  ArchiveInput *input;
  struct archive_entry *entry; /* the one it is about */
  char path[PATH_MAX];         /* its clean name, once that was checked */
  int64_t room;                /* for its bytes, and … */
  int64_t end;                 /* … where those end that have come */
  char hash[SHA256_HEX_SIZE];  /* what they are to come to; empty when that is not told */
} ArchiveMember;

/* Looks at the name, the kind and the size of @member->entry, and counts it. False with the failure
 * set. */
bool archive_member_check (ArchiveMember *member);

/* A regular file with bytes of its own. */
bool archive_member_is_file (const ArchiveMember *member);

/* More of the bytes of a file, at @offset; of holes nothing comes. At the end *@size is 0, and
 * @member->end the size of the file, which has been counted. False with the failure set. */
bool archive_member_read (ArchiveMember *member, const void **bytes, size_t *size, int64_t *offset);

/* What a link or a folder says that it holds. */
bool archive_member_drop (ArchiveMember *member);

/* What has been written is what the archive tells of. False with the failure set. */
bool archive_member_check_hash (ArchiveMember *member, const char *hash);

/* Where a symbolic link leads; NULL with the failure set when it may not be made. */
const char *archive_member_check_link (ArchiveMember *member);

/* The clean name of what a hard link is another name of. False with the failure set. */
bool archive_member_check_hard_link (ArchiveMember *member, char target[PATH_MAX]);

/* “Could not unpack “PATH”: WHY; nothing was unpacked”. Returns false. */
bool archive_member_refuse (ArchiveMember *member, const char *why);

/* Of what more than one who unpacks finds out. */
#define ARCHIVE_MEMBER_IN_NO_FOLDER "a member before it is no folder, and it is said to be in it"
#define ARCHIVE_MEMBER_IS_FOLDER "a member before it is a folder and has the same name"
#define ARCHIVE_MEMBER_IS_NO_FOLDER "a member before it is no folder and has the same name"
#define ARCHIVE_MEMBER_LINKS_NO_FILE                                                               \
  "the hard link leads to what is no file before it in the archive"
