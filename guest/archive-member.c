/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-member.h"

#include "archive-name.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define SET_ID (S_ISUID | S_ISGID)

static bool
refuse_as (ArchiveMember *member, const char *code, const char *path, const char *why)
{
  failure_set (member->failure, code, "Could not unpack “%.256s”: %s; nothing was unpacked", path,
               why);
  failure_add_path (member->failure, path);
  return false;
}

bool
archive_member_refuse (ArchiveMember *member, const char *why)
{
  return refuse_as (member, FAILURE_ARCHIVE_SECURITY, member->path, why);
}

static bool
refuse_size (ArchiveMember *member, const char *limit, int64_t maximum)
{
  char why[128];

  snprintf (why, sizeof why, "that is more than %s, %lld", limit, (long long)maximum);
  refuse_as (member, FAILURE_TOO_LARGE, member->path, why);
  failure_add_detail (member->failure, "limit", json_string (limit));
  return false;
}

static bool
check_name (ArchiveMember *member)
{
  const char *name = archive_entry_pathname (member->entry);
  const char *why = archive_name_clean (name, member->path);

  if (why)
    return refuse_as (member, FAILURE_ARCHIVE_SECURITY, name, why);
  if (*member->path == '\0' && archive_entry_filetype (member->entry) != AE_IFDIR)
    return refuse_as (member, FAILURE_ARCHIVE_SECURITY, name, "it has no name in the folder");
  return true;
}

static bool
check_kind (ArchiveMember *member)
{
  if (archive_entry_perm (member->entry) & SET_ID)
    return archive_member_refuse (member, "it has a set-user-ID or set-group-ID bit");
  if (archive_entry_hardlink (member->entry))
    return true;
  switch (archive_entry_filetype (member->entry))
    {
    case AE_IFREG:
    case AE_IFDIR:
    case AE_IFLNK:
      return true;
    case AE_IFIFO:
      return archive_member_refuse (member, "it is a FIFO");
    case AE_IFCHR:
    case AE_IFBLK:
      return archive_member_refuse (member, "it is a device");
    case AE_IFSOCK:
      return archive_member_refuse (member, "it is a socket");
    default:
      return archive_member_refuse (member, "it is neither a file nor a folder nor a link");
    }
}

/* How many bytes there may be in this member, by what the archive says and by the bounds. */
static int64_t
find_room (const ArchiveMember *member)
{
  const ArchiveBounds *bounds = member->bounds;
  int64_t left = bounds->bytes - (int64_t)member->counts->bytes;

  if (archive_entry_size_is_set (member->entry))
    return archive_entry_size (member->entry);
  return left < bounds->file_bytes ? left : bounds->file_bytes;
}

static bool
check_size (ArchiveMember *member)
{
  const ArchiveBounds *bounds = member->bounds;
  int64_t size = archive_entry_size_is_set (member->entry) ? archive_entry_size (member->entry) : 0;

  if (member->counts->members >= (uint64_t)bounds->members)
    return refuse_size (member, "max_members", bounds->members);
  if (size < 0)
    return archive_input_fail (member->input, "a member has a size below zero");
  if (size > bounds->file_bytes)
    return refuse_size (member, "max_file_bytes", bounds->file_bytes);
  if (size > bounds->bytes - (int64_t)member->counts->bytes)
    return refuse_size (member, "max_bytes", bounds->bytes);
  return archive_entry_filetype (member->entry) != AE_IFREG
         || archive_entry_sparse_count (member->entry) > 0
         || archive_input_check_ratio (member->input, member->counts->bytes + (uint64_t)size);
}

static bool
take_hash (ArchiveMember *member)
{
  const char *name;
  const void *value;
  size_t size;

  *member->hash = '\0';
  archive_entry_xattr_reset (member->entry);
  while (archive_entry_xattr_next (member->entry, &name, &value, &size) == ARCHIVE_OK)
    if (name && strcmp (name, ARCHIVE_HASH_ATTRIBUTE) == 0)
      {
        if (size != SHA256_HEX_SIZE - 1 || memchr (value, '\0', size))
          return archive_input_fail (member->input, "a member has a hash that is none");
        memcpy (member->hash, value, size);
        member->hash[size] = '\0';
      }
  return true;
}

bool
archive_member_check_hash (ArchiveMember *member, const char *hash)
{
  if (*member->hash == '\0' || strcmp (member->hash, hash) == 0)
    return true;
  return refuse_as (member, FAILURE_CHECKSUM_MISMATCH, member->path,
                    "what arrived is not what was sent");
}

bool
archive_member_check (ArchiveMember *member)
{
  if (!check_name (member) || !check_kind (member) || !check_size (member) || !take_hash (member))
    return false;
  member->counts->members++;
  member->room = find_room (member);
  member->end = 0;
  return true;
}

bool
archive_member_is_file (const ArchiveMember *member)
{
  return archive_entry_filetype (member->entry) == AE_IFREG
         && !archive_entry_hardlink (member->entry);
}

bool
archive_member_read (ArchiveMember *member, const void **bytes, size_t *size, int64_t *offset)
{
  bool is_known = archive_entry_size_is_set (member->entry);

  if (!archive_input_read (member->input, bytes, size, offset))
    return false;
  if (*size == 0)
    {
      if (is_known)
        member->end = member->room;
      member->counts->bytes += (uint64_t)member->end;
      return true;
    }
  if (*offset < member->end || *offset > member->room || (int64_t)*size > member->room - *offset)
    return is_known ? archive_input_fail (member->input, "a member is larger than it says")
                    : refuse_size (member, "max_file_bytes", member->room);
  member->end = *offset + (int64_t)*size;
  return true;
}

bool
archive_member_drop (ArchiveMember *member)
{
  const void *bytes;
  size_t size;
  int64_t offset;

  do
    if (!archive_input_read (member->input, &bytes, &size, &offset))
      return false;
  while (size > 0);
  return true;
}

const char *
archive_member_check_link (ArchiveMember *member)
{
  const char *target = archive_entry_symlink (member->entry);
  const char *why = target ? archive_target_check (member->path, target)
                           : "it cannot be read where the link leads";

  if (!why)
    return target;
  archive_member_refuse (member, why);
  return NULL;
}

bool
archive_member_check_hard_link (ArchiveMember *member, char target[PATH_MAX])
{
  if (archive_name_clean (archive_entry_hardlink (member->entry), target) || *target == '\0')
    return archive_member_refuse (member, "the hard link leads out of the folder");
  if (strcmp (target, member->path) == 0)
    return archive_member_refuse (member, "the hard link leads to itself");
  return true;
}
