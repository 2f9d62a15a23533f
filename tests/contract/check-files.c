/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every transport that keeps files keeps to. */

#include "checks.h"

#include <string.h>

#define BIG_SIZE (3 * 1024 * 1024 + 1)

static const char all_bytes[] = "\0\r\n\t\377\376\303\251 last line without an end";

/* An operation that is not offered is no failure; the report tells of it. */
#define CHECK_OFFERED(check, error)                                                                \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (g_error_matches ((error), ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY))                    \
      {                                                                                            \
        check_skip ((check), (error)->message);                                                    \
        return;                                                                                    \
      }                                                                                            \
    CHECK_NO_ERROR (check, error);                                                                 \
  }                                                                                                \
  G_STMT_END

static gboolean
open_for_files (Check *check)
{
  g_autoptr (AsbCapabilities) capabilities = NULL;

  if (!check_open_backend (check))
    return FALSE;
  capabilities = asb_backend_get_capabilities (check->backend);
  if (!asb_capabilities_supports (capabilities, ASB_CAPABILITY_FILESYSTEM))
    check_skip (check, "the provider keeps no files");
  return !check_is_over (check);
}

static AsbFileInfo *
write_text (Check *check, const char *path, const char *text, const char *expected_hash,
            GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return asb_backend_write_file (check->backend, path, bytes, expected_hash, NULL, error);
}

static void
check_content (Check *check, const char *path, gconstpointer expected, gsize expected_size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = asb_backend_read_file (check->backend, path, NULL, &error);
  gconstpointer data;
  gsize size;

  CHECK_NO_ERROR (check, error);
  data = g_bytes_get_data (bytes, &size);
  CHECK (check, size == expected_size);
  CHECK (check, size == 0 || memcmp (data, expected, size) == 0);
}

static void
written (Check *check)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (all_bytes, sizeof all_bytes);
  g_autoptr (AsbCapabilities) capabilities = NULL;
  g_autofree char *hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_files (check))
    return;
  info = asb_backend_write_file (check->backend, "new/deep/file", bytes, NULL, NULL, &error);
  CHECK_OFFERED (check, error);
  CHECK (check, asb_file_info_get_size (info) == sizeof all_bytes);
  capabilities = asb_backend_get_capabilities (check->backend);
  if (asb_capabilities_supports (capabilities, ASB_CAPABILITY_FILE_HASH))
    CHECK_TEXT (check, asb_file_info_get_hash (info), hash);
  check_content (check, "new/deep/file", all_bytes, sizeof all_bytes);
}

static void
overwritten (Check *check)
{
  g_autoptr (AsbFileInfo) first = NULL;
  g_autoptr (AsbFileInfo) second = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_files (check))
    return;
  first = write_text (check, "file", "a longer text", NULL, &error);
  CHECK_OFFERED (check, error);
  second = write_text (check, "file", "", NULL, &error);
  CHECK_NO_ERROR (check, error);
  check_content (check, "file", "", 0);
}

/* Whoever expects other content than is there changes nothing. */
static void
compared (Check *check)
{
  g_autoptr (AsbCapabilities) capabilities = NULL;
  g_autofree char *other = g_compute_checksum_for_string (G_CHECKSUM_SHA256, "other", -1);
  g_autoptr (AsbFileInfo) first = NULL;
  g_autoptr (AsbFileInfo) refused = NULL;
  g_autoptr (AsbFileInfo) second = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_files (check))
    return;
  capabilities = asb_backend_get_capabilities (check->backend);
  if (!asb_capabilities_supports (capabilities, ASB_CAPABILITY_FILE_HASH))
    {
      check_skip (check, "the provider compares no hashes");
      return;
    }
  first = write_text (check, "file", "one", NULL, &error);
  CHECK_OFFERED (check, error);
  refused = write_text (check, "file", "two", other, &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_CONCURRENT_MODIFICATION);
  g_clear_error (&error);
  check_content (check, "file", "one", 3);
  CHECK_GOES_ON (check);
  second = write_text (check, "file", "two", asb_file_info_get_hash (first), &error);
  CHECK_NO_ERROR (check, error);
  check_content (check, "file", "two", 3);
}

static void
missing (Check *check)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) read = NULL;
  g_autoptr (GError) query = NULL;
  g_autoptr (GError) delete = NULL;

  if (!open_for_files (check))
    return;
  bytes = asb_backend_read_file (check->backend, "missing", NULL, &read);
  CHECK_ERROR (check, read, ASB_ERROR, ASB_ERROR_FILE_NOT_FOUND);
  info = asb_backend_query_file (check->backend, "missing", NULL, &query);
  CHECK_ERROR (check, query, ASB_ERROR, ASB_ERROR_FILE_NOT_FOUND);
  asb_backend_delete_file (check->backend, "missing", ASB_FILE_FLAGS_NONE, NULL, &delete);
  CHECK_ERROR (check, delete, ASB_ERROR, ASB_ERROR_FILE_NOT_FOUND);
}

/* Names are data: none is taken for text of a shell, a pattern or an option. */
static void
names (Check *check)
{
  static const char *const odd[] = { "a'; touch pwned; #\".txt",
                                     "$(touch pwned2)",
                                     " lead",
                                     "trail ",
                                     "-rf",
                                     "--",
                                     "*",
                                     "?",
                                     "\303\274",
                                     "u\314\210",
                                     "a b#1?x=1&y=%41+\303\251.txt" };
  g_autoptr (GHashTable) left = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_files (check))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (odd); i++)
    {
      g_autofree char *path = g_strconcat ("names/", odd[i], NULL);
      g_autoptr (AsbFileInfo) info = write_text (check, path, odd[i], NULL, &error);

      CHECK_OFFERED (check, error);
      check_content (check, path, odd[i], strlen (odd[i]));
      CHECK_GOES_ON (check);
      g_hash_table_add (left, (gpointer)odd[i]);
    }
  list = asb_backend_list_files (check->backend, "names", NULL, &error);
  CHECK_OFFERED (check, error);
  CHECK (check, g_list_model_get_n_items (list) == G_N_ELEMENTS (odd));
  for (guint i = 0; i < G_N_ELEMENTS (odd); i++)
    {
      g_autoptr (AsbFileInfo) info = g_list_model_get_item (list, i);
      g_autofree char *name = asb_file_info_dup_name (info);

      CHECK (check, g_hash_table_remove (left, name));
    }
}

static void
directories (Check *check)
{
  g_autoptr (AsbFileInfo) file = NULL;
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_files (check))
    return;
  asb_backend_make_directory (check->backend, "folder", NULL, &error);
  CHECK_OFFERED (check, error);
  file = write_text (check, "folder/file", "x", NULL, &error);
  CHECK_OFFERED (check, error);
  info = asb_backend_query_file (check->backend, "folder", NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_file_info_get_kind (info) == ASB_FILE_KIND_DIRECTORY);
  bytes = asb_backend_read_file (check->backend, "folder", NULL, &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_IS_DIRECTORY);
  g_clear_error (&error);
  list = asb_backend_list_files (check->backend, "folder/file", NULL, &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_NOT_DIRECTORY);
  g_clear_error (&error);
  asb_backend_delete_file (check->backend, "folder", ASB_FILE_FLAGS_NONE, NULL, &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_DIRECTORY_NOT_EMPTY);
  g_clear_error (&error);
  asb_backend_delete_file (check->backend, "folder", ASB_FILE_FLAGS_RECURSIVE, NULL, &error);
  CHECK_NO_ERROR (check, error);
}

static void
moved (Check *check)
{
  g_autoptr (AsbFileInfo) first = NULL;
  g_autoptr (AsbFileInfo) second = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  if (!open_for_files (check))
    return;
  first = write_text (check, "from", "one", NULL, &error);
  CHECK_OFFERED (check, error);
  second = write_text (check, "taken", "two", NULL, &error);
  CHECK_NO_ERROR (check, error);
  asb_backend_move_file (check->backend, "from", "taken", ASB_FILE_FLAGS_NONE, NULL, &error);
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY))
    {
      check_skip (check, error->message);
      return;
    }
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_ALREADY_EXISTS);
  g_clear_error (&error);
  asb_backend_move_file (check->backend, "from", "to", ASB_FILE_FLAGS_NONE, NULL, &error);
  CHECK_NO_ERROR (check, error);
  check_content (check, "to", "one", 3);
  CHECK_GOES_ON (check);
  bytes = asb_backend_read_file (check->backend, "from", NULL, &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_FILE_NOT_FOUND);
}

static guint8
pattern (gsize i)
{
  return (guint8)((i * 31 + i / 4096) & 0xff);
}

static void
write_stream (Check *check)
{
  g_autofree guint8 *bytes = g_malloc (BIG_SIZE);
  g_autoptr (GOutputStream) stream = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < BIG_SIZE; i++)
    bytes[i] = pattern (i);
  stream = asb_backend_open_write (check->backend, "big", -1, NULL, &error);
  CHECK_OFFERED (check, error);
  g_output_stream_write_all (stream, bytes, BIG_SIZE, NULL, NULL, &error);
  CHECK_NO_ERROR (check, error);
  g_output_stream_close (stream, NULL, &error);
  CHECK_NO_ERROR (check, error);
}

static void
streams (Check *check)
{
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GError) error = NULL;
  guint8 bytes[10000];
  gsize total = 0;
  gssize n;

  if (!open_for_files (check))
    return;
  write_stream (check);
  CHECK_GOES_ON (check);
  stream = asb_backend_open_read (check->backend, "big", NULL, &error);
  CHECK_OFFERED (check, error);
  while ((n = g_input_stream_read (stream, bytes, sizeof bytes, NULL, &error)) > 0)
    for (gssize i = 0; i < n; i++)
      CHECK (check, bytes[i] == pattern (total++));
  CHECK_NO_ERROR (check, error);
  CHECK (check, total == BIG_SIZE);
}

static void
paths (Check *check)
{
  static const char *const refused[] = { "", "../x", "/workspace/../etc/passwd" };

  if (!open_for_files (check))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = asb_backend_read_file (check->backend, refused[i], NULL, &error);

      CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
    }
}

void
check_files (Check *check)
{
  check_run (check, "files/write", written);
  check_run (check, "files/write/over", overwritten);
  check_run (check, "files/write/compared", compared);
  check_run (check, "files/missing", missing);
  check_run (check, "files/names", names);
  check_run (check, "files/directories", directories);
  check_run (check, "files/move", moved);
  check_run (check, "files/streams", streams);
  check_run (check, "files/paths", paths);
}
