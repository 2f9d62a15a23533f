/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-scan-private.h"

#include <string.h>

/* The manifest as canonical JSON, of which only the hashes are kept: keys are sorted, nothing
 * stands between, and what is not ASCII stays as it is. */

#define NSEC_PER_SEC G_GINT64_CONSTANT (1000000000)

static void
append_escaped (GString *json, const char *text)
{
  static const char plain[] = "\b\f\n\r\t";
  static const char letters[] = "bfnrt";

  g_string_append_c (json, '"');
  for (; *text; text++)
    {
      const char *found = strchr (plain, *text);

      if (*text == '"' || *text == '\\')
        g_string_append_printf (json, "\\%c", *text);
      else if (found)
        g_string_append_printf (json, "\\%c", letters[found - plain]);
      else if ((guchar)*text < 0x20)
        g_string_append_printf (json, "\\u%04x", (guint)*text);
      else
        g_string_append_c (json, *text);
    }
  g_string_append_c (json, '"');
}

/* What is no text is told as the protocol of the guest tells it. */
static void
append_path (GString *json, const char *path)
{
  g_autofree char *encoded = NULL;

  if (g_utf8_validate (path, -1, NULL))
    {
      append_escaped (json, path);
      return;
    }
  encoded = g_base64_encode ((const guchar *)path, strlen (path));
  g_string_append_printf (json, "{\"b64\":\"%s\"}", encoded);
}

static guint
get_mode (const AsbUploadEntry *entry, AsbUploadSpec *spec)
{
  if (entry->link)
    return entry->status.st_mode;
  return asb_upload_spec_get_preserve_mode (spec) ? entry->status.st_mode & 07777 : 0;
}

/* In nanoseconds, which a file of the year 2300 has more of than a number of 64 bits holds. */
static void
append_time (GString *json, const struct timespec *time)
{
  gint64 seconds = time->tv_sec;

  if (seconds < G_MAXINT64 / NSEC_PER_SEC)
    g_string_append_printf (json, "%" G_GINT64_FORMAT,
                            MAX (seconds, G_MININT64 / NSEC_PER_SEC) * NSEC_PER_SEC
                                + time->tv_nsec);
  else
    g_string_append_printf (json, "%" G_GINT64_FORMAT "%09ld", seconds, time->tv_nsec);
}

static void
append_entry (GString *json, const AsbUploadEntry *entry, AsbUploadSpec *spec)
{
  g_string_append_printf (json, "{\"mode\":%u,\"mtime_ns\":", get_mode (entry, spec));
  append_time (json, &entry->status.st_mtim);
  g_string_append (json, ",\"relative_path\":");
  append_path (json, entry->path);
  g_string_append_printf (json, ",\"sha256\":\"%s\",\"size\":%" G_GUINT64_FORMAT "}", entry->hash,
                          (guint64)entry->status.st_size);
}

/* Flat in memory, however many there are. */
static void
add_entries (GChecksum *hash, const AsbUploadScan *scan)
{
  g_autoptr (GString) json = g_string_new ("[");

  for (guint i = 0; i < scan->entries->len; i++)
    {
      if (i > 0)
        g_string_append_c (json, ',');
      append_entry (json, scan->entries->pdata[i], scan->spec);
      g_checksum_update (hash, (const guchar *)json->str, (gssize)json->len);
      g_string_truncate (json, 0);
    }
  g_string_append_c (json, ']');
  g_checksum_update (hash, (const guchar *)json->str, (gssize)json->len);
}

static char *
hash_entries (const AsbUploadScan *scan)
{
  g_autoptr (GChecksum) hash = g_checksum_new (G_CHECKSUM_SHA256);

  add_entries (hash, scan);
  return g_strdup (g_checksum_get_string (hash));
}

static char *
hash_all (const AsbUploadScan *scan, const char *source_root_hash)
{
  g_autoptr (GChecksum) hash = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (GString) json = g_string_new (NULL);

  g_checksum_update (hash, (const guchar *)"{\"entries\":", -1);
  add_entries (hash, scan);
  g_string_append_printf (json, ",\"source_root_hash\":\"%s\",\"target\":", source_root_hash);
  append_path (json, asb_upload_spec_get_target (scan->spec));
  g_string_append (json, ",\"upload_id\":");
  append_escaped (json, scan->upload_id);
  g_string_append_c (json, '}');
  g_checksum_update (hash, (const guchar *)json->str, (gssize)json->len);
  return g_strdup (g_checksum_get_string (hash));
}

static char **
list_paths (const AsbUploadScan *scan)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();

  for (guint i = 0; i < scan->entries->len; i++)
    g_ptr_array_add (paths, asb_upload_show (((AsbUploadEntry *)scan->entries->pdata[i])->path));
  g_ptr_array_add (paths, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&paths), FALSE);
}

AsbUploadManifest *
asb_upload_manifest_new (const AsbUploadScan *scan)
{
  g_autofree char *source_root_hash = hash_entries (scan);
  g_autofree char *manifest_hash = hash_all (scan, source_root_hash);
  g_auto (GStrv) paths = list_paths (scan);
  g_autofree char *target = asb_upload_show (asb_upload_spec_get_target (scan->spec));

  return g_object_new (ASB_TYPE_UPLOAD_MANIFEST, "upload-id", scan->upload_id, "target", target,
                       "source-root-hash", source_root_hash, "manifest-hash", manifest_hash,
                       "paths", paths, "total-bytes", scan->total_bytes, NULL);
}
