/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every transport that unpacks archives, and packs folders, keeps to. */

#include "checks.h"

#include <string.h>

#define BLOCK 512

typedef struct
{
  char name[100];
  char mode[8];
  char uid[8];
  char gid[8];
  char size[12];
  char mtime[12];
  char checksum[8];
  char type;
  char target[100];
  char magic[8];
  char rest[247];
} Header;

static const char regular = '0';
static const char symbolic = '2';

static void
add_member (GByteArray *tar, const char *name, char type, const char *target, const char *text)
{
  static const guint8 zeros[BLOCK] = { 0 };
  Header header = { .type = type,
                    .magic = "ustar\0"
                             "00" };
  const guint8 *bytes = (const guint8 *)&header;
  guint sum = 0;

  g_strlcpy (header.name, name, sizeof header.name);
  g_strlcpy (header.target, target, sizeof header.target);
  g_snprintf (header.mode, sizeof header.mode, "%07o", 0644);
  g_snprintf (header.uid, sizeof header.uid, "%07o", 0);
  g_snprintf (header.gid, sizeof header.gid, "%07o", 0);
  g_snprintf (header.size, sizeof header.size, "%011o", (guint)strlen (text));
  g_snprintf (header.mtime, sizeof header.mtime, "%011o", 1000000000);
  memset (header.checksum, ' ', sizeof header.checksum);
  for (gsize i = 0; i < sizeof header; i++)
    sum += bytes[i];
  g_snprintf (header.checksum, sizeof header.checksum, "%06o", sum);
  g_byte_array_append (tar, bytes, sizeof header);
  g_byte_array_append (tar, (const guint8 *)text, strlen (text));
  g_byte_array_append (tar, zeros, (BLOCK - strlen (text) % BLOCK) % BLOCK);
}

/* The end is two blocks of zeros. Takes @tar. */
static GInputStream *
stream_new (GByteArray *tar)
{
  static const guint8 zeros[2 * BLOCK] = { 0 };
  g_autoptr (GBytes) bytes = NULL;

  g_byte_array_append (tar, zeros, sizeof zeros);
  bytes = g_byte_array_free_to_bytes (tar);
  return g_memory_input_stream_new_from_bytes (bytes);
}

static GInputStream *
usual_archive (void)
{
  GByteArray *tar = g_byte_array_new ();

  add_member (tar, "folder/file", regular, "", "text\n");
  add_member (tar, "link", symbolic, "folder/file", "");
  return stream_new (tar);
}

static AsbArchiveResult *
extract (Check *check, const char *path, GInputStream *archive, GError **error)
{
  g_autoptr (AsbArchiveOptions) options = asb_archive_options_new ();

  asb_archive_options_set_path (options, path);
  return asb_backend_extract_archive (check->backend, options, archive, NULL, error);
}

/* What is not offered is said to be so, and no call says otherwise. */
static gboolean
open_for_archives (Check *check)
{
  g_autoptr (AsbCapabilities) capabilities = NULL;
  g_autoptr (GInputStream) archive = usual_archive ();
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!check_open_backend (check))
    return FALSE;
  capabilities = asb_backend_get_capabilities (check->backend);
  if (asb_capabilities_supports (capabilities, ASB_CAPABILITY_ARCHIVES))
    return TRUE;
  result = extract (check, "unsupported", archive, &error);
  if (!result && g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY))
    check_skip (check, "the provider takes no archives");
  else
    check_fail (check, __FILE__, __LINE__,
                "an archive was not refused, and the capabilities do not say that any is taken");
  return FALSE;
}

static void
check_text (Check *check, const char *path, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = asb_backend_read_file (check->backend, path, NULL, &error);

  CHECK_NO_ERROR (check, error);
  CHECK (check, g_bytes_get_size (bytes) == strlen (text));
  CHECK (check, memcmp (g_bytes_get_data (bytes, NULL), text, strlen (text)) == 0);
}

static void
unpacked (Check *check)
{
  g_autoptr (GInputStream) archive = usual_archive ();
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_archives (check))
    return;
  result = extract (check, "new/place", archive, &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_archive_result_get_n_members (result) == 2);
  CHECK (check, asb_archive_result_get_n_files (result) == 1);
  CHECK (check, asb_archive_result_get_n_links (result) == 1);
  CHECK (check, asb_archive_result_get_n_bytes (result) == strlen ("text\n"));
  check_text (check, "new/place/folder/file", "text\n");
  check_text (check, "new/place/link", "text\n");
}

/* Nothing is there afterwards, not even what came before it in the archive. */
static void
check_refused (Check *check, GByteArray *tar, int code)
{
  g_autoptr (GInputStream) archive = stream_new (tar);
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) missing = NULL;

  result = extract (check, "refused", archive, &error);
  CHECK_ERROR (check, error, ASB_ERROR, code);
  info = asb_backend_query_file (check->backend, "refused", NULL, &missing);
  CHECK_ERROR (check, missing, ASB_ERROR, ASB_ERROR_FILE_NOT_FOUND);
}

static void
leading_out (Check *check)
{
  static const char *const names[] = { "../out", "/etc/out", "folder/../../out" };
  static const char *const targets[] = { "/etc/passwd", "../out", "folder/../../out" };

  if (!open_for_archives (check))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      GByteArray *named = g_byte_array_new ();
      GByteArray *linked;

      add_member (named, "before", regular, "", "text");
      add_member (named, names[i], regular, "", "bad");
      check_refused (check, named, ASB_ERROR_UPLOAD_ARCHIVE_SECURITY);
      CHECK_GOES_ON (check);
      linked = g_byte_array_new ();
      add_member (linked, "before", regular, "", "text");
      add_member (linked, "leak", symbolic, targets[i], "");
      check_refused (check, linked, ASB_ERROR_UPLOAD_ARCHIVE_SECURITY);
    }
}

static void
damaged (Check *check)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static ("this is no archive", 18);
  g_autoptr (GInputStream) archive = g_memory_input_stream_new_from_bytes (bytes);
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_archives (check))
    return;
  result = extract (check, "damaged", archive, &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_ARCHIVE_DAMAGED);
}

static void
conflicts (Check *check)
{
  g_autoptr (GInputStream) first = usual_archive ();
  g_autoptr (GInputStream) second = usual_archive ();
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (AsbArchiveResult) refused = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_archives (check))
    return;
  result = extract (check, "place", first, &error);
  CHECK_NO_ERROR (check, error);
  refused = extract (check, "place", second, &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_ALREADY_EXISTS);
}

static void
packed (Check *check)
{
  g_autoptr (AsbArchiveOptions) options = asb_archive_options_new ();
  g_autoptr (GBytes) contents = g_bytes_new_static ("contents", 8);
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_archives (check))
    return;
  info = asb_backend_write_file (check->backend, "from/deep/file", contents, NULL, NULL, &error);
  CHECK_NO_ERROR (check, error);
  asb_archive_options_set_path (options, "from");
  stream = asb_backend_open_archive (check->backend, options, NULL, &error);
  CHECK_NO_ERROR (check, error);
  result = extract (check, "to", stream, &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_archive_result_get_n_files (result) == 1);
  check_text (check, "to/deep/file", "contents");
  CHECK (check, asb_archive_result_get_for_stream (stream) != NULL);
}

void
check_archives (Check *check)
{
  check_run (check, "archives/unpack", unpacked);
  check_run (check, "archives/leading-out", leading_out);
  check_run (check, "archives/damaged", damaged);
  check_run (check, "archives/conflicts", conflicts);
  check_run (check, "archives/pack", packed);
}
