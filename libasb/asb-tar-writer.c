/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-tar-writer-private.h"

#include <string.h>

#define MAX_NAME 100

/* What eleven octal digits tell. */
#define MAX_NUMBER ((G_GUINT64_CONSTANT (1) << 33) - 1)

/* As whoever unpacks it knows it (guest/archive-member.h). */
#define HASH_KEYWORD "SCHILY.xattr.user.asb.sha256"

/* POSIX.1-1988. */
typedef struct
{
  char name[100];
  char mode[8];
  char uid[8];
  char gid[8];
  char size[12];
  char mtime[12];
  char checksum[8];
  char kind;
  char link[100];
  char magic[6];
  char version[2];
  char padding[247];
} Block;

G_STATIC_ASSERT (sizeof (Block) == ASB_TAR_BLOCK);

static void
write_number (char *field, gsize size, guint64 number)
{
  g_autofree char *text = g_strdup_printf ("%0*" G_GINT64_MODIFIER "o", (int)size - 1, number);

  memcpy (field, text, MIN (strlen (text), size));
}

static void
write_text (char *field, gsize size, const char *text)
{
  memcpy (field, text, MIN (strlen (text), size));
}

static void
append_block (GByteArray *tar, const AsbTarMember *member, char kind)
{
  Block block = { .magic = "ustar", .version = { '0', '0' }, .kind = kind };
  guint sum = 0;

  write_text (block.name, sizeof block.name, member->path);
  if (member->link)
    write_text (block.link, sizeof block.link, member->link);
  write_number (block.mode, sizeof block.mode, member->mode & 0777);
  write_number (block.uid, sizeof block.uid, 0);
  write_number (block.gid, sizeof block.gid, 0);
  write_number (block.size, sizeof block.size, MIN (member->size, MAX_NUMBER));
  write_number (block.mtime, sizeof block.mtime,
                (guint64)CLAMP (member->seconds, 0, (gint64)MAX_NUMBER));
  memset (block.checksum, ' ', sizeof block.checksum);
  for (gsize i = 0; i < sizeof block; i++)
    sum += ((const guchar *)&block)[i];
  write_number (block.checksum, 7, sum);
  block.checksum[6] = '\0';
  g_byte_array_append (tar, (const guint8 *)&block, sizeof block);
}

/* “LENGTH KEYWORD=VALUE”, where the length is that of all of it. */
static void
append_record (GString *records, const char *keyword, const char *value)
{
  gsize rest = strlen (keyword) + strlen (value) + strlen (" =\n");
  gsize length = rest;
  gsize before;

  do
    {
      g_autofree char *digits = g_strdup_printf ("%" G_GSIZE_FORMAT, length);

      before = length;
      length = rest + strlen (digits);
    }
  while (length != before);
  g_string_append_printf (records, "%" G_GSIZE_FORMAT " %s=", length, keyword);
  g_string_append (records, value);
  g_string_append_c (records, '\n');
}

static gboolean
is_plain (const char *text)
{
  return !text || (strlen (text) <= MAX_NAME && g_str_is_ascii (text));
}

static void
append_name (GString *records, const char *keyword, const char *name)
{
  if (!is_plain (name))
    append_record (records, keyword, name);
}

/* What stands behind the point of a time before 1970 is read in two ways: it is left out. */
static void
append_time (GString *records, const AsbTarMember *member)
{
  g_autofree char *value = NULL;

  if (member->seconds >= 0 && member->seconds <= (gint64)MAX_NUMBER && member->nanoseconds == 0)
    return;
  if (member->seconds < 0)
    value = g_strdup_printf ("%" G_GINT64_FORMAT, member->seconds);
  else
    value = g_strdup_printf ("%" G_GINT64_FORMAT ".%09u", member->seconds, member->nanoseconds);
  append_record (records, "mtime", value);
}

static void
append_number (GString *records, const char *keyword, guint64 number)
{
  g_autofree char *value = g_strdup_printf ("%" G_GUINT64_FORMAT, number);

  append_record (records, keyword, value);
}

static void
append_size (GString *records, guint64 size)
{
  if (size > MAX_NUMBER)
    append_number (records, "size", size);
}

/* Files with holes: version 1.0 of GNU tar, where the bytes begin with where they belong. Returns:
 * (transfer full) */
static GString *
new_map (const AsbTarMember *member)
{
  GString *map = g_string_new (NULL);

  g_string_append_printf (map, "%u\n", member->n_pieces);
  for (guint i = 0; i < member->n_pieces; i++)
    g_string_append_printf (map, "%" G_GUINT64_FORMAT "\n%" G_GUINT64_FORMAT "\n",
                            member->pieces[i].start,
                            member->pieces[i].end - member->pieces[i].start);
  while (map->len % ASB_TAR_BLOCK != 0)
    g_string_append_c (map, '\0');
  return map;
}

static void
append_sparse (GString *records, const AsbTarMember *member)
{
  append_record (records, "GNU.sparse.major", "1");
  append_record (records, "GNU.sparse.minor", "0");
  append_record (records, "GNU.sparse.name", member->path);
  append_number (records, "GNU.sparse.realsize", member->size);
}

/* Names are bytes, which only this says. */
static void
append_charset (GString *records, const AsbTarMember *member)
{
  if (!g_str_is_ascii (member->path) || (member->link && !g_str_is_ascii (member->link)))
    append_record (records, "hdrcharset", "BINARY");
}

static void
append_records (GByteArray *tar, const GString *records)
{
  const AsbTarMember member = { .path = "././@PaxHeader", .size = records->len, .mode = 0644 };

  append_block (tar, &member, 'x');
  g_byte_array_append (tar, (const guint8 *)records->str, records->len);
  asb_tar_append_padding (tar, records->len);
}

static void
append_header (GByteArray *tar, const AsbTarMember *member, GString *records)
{
  append_name (records, "path", member->path);
  append_name (records, "linkpath", member->link);
  append_size (records, member->size);
  append_time (records, member);
  if (member->hash)
    append_record (records, HASH_KEYWORD, member->hash);
  if (records->len > 0)
    append_records (tar, records);
  append_block (tar, member, (char)member->kind);
}

static void
append_sparse_header (GByteArray *tar, const AsbTarMember *member, GString *records)
{
  g_autoptr (GString) map = new_map (member);
  AsbTarMember stored = *member;

  append_sparse (records, member);
  stored.size = map->len;
  for (guint i = 0; i < member->n_pieces; i++)
    stored.size += member->pieces[i].end - member->pieces[i].start;
  append_header (tar, &stored, records);
  g_byte_array_append (tar, (const guint8 *)map->str, (guint)map->len);
}

void
asb_tar_append_header (GByteArray *tar, const AsbTarMember *member)
{
  g_autoptr (GString) records = g_string_new (NULL);

  append_charset (records, member);
  if (member->pieces)
    append_sparse_header (tar, member, records);
  else
    append_header (tar, member, records);
}

void
asb_tar_append_padding (GByteArray *tar, guint64 size)
{
  static const guint8 zeros[ASB_TAR_BLOCK];

  g_byte_array_append (tar, zeros, (ASB_TAR_BLOCK - (guint)(size % ASB_TAR_BLOCK)) % ASB_TAR_BLOCK);
}

void
asb_tar_append_end (GByteArray *tar)
{
  static const guint8 zeros[2 * ASB_TAR_BLOCK];

  g_byte_array_append (tar, zeros, sizeof zeros);
}
