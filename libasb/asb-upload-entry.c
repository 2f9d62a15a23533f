/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-scan-private.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "asb-error.h"

/* Files of the source once they have been looked at, and what is told of those that fail. */

/* So many failures are told in a message. */
#define MAX_TOLD 8

const char asb_upload_is_gone[] = "it is gone since it was looked at";
const char asb_upload_has_changed[] = "it has changed since it was looked at";

gboolean
asb_upload_entry_is_unchanged (const AsbUploadEntry *entry, int fd)
{
  const struct stat *before = &entry->status;
  struct stat now;

  return fstat (fd, &now) == 0 && S_ISREG (now.st_mode) && now.st_dev == before->st_dev
         && now.st_ino == before->st_ino && now.st_size == before->st_size
         && now.st_mtim.tv_sec == before->st_mtim.tv_sec
         && now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

/* What has taken its place may be anything: it is opened so that nothing waits, and left alone. */
int
asb_upload_entry_open (const AsbUploadEntry *entry, int root_fd, const char **why)
{
  int fd = asb_upload_open_below (root_fd, entry->actual ? entry->actual : entry->path,
                                  O_RDONLY | O_NONBLOCK | O_NOCTTY);

  if (fd < 0)
    {
      *why = errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENXIO
                 ? ASB_UPLOAD_IS_GONE
                 : g_strerror (errno);
      return -1;
    }
  if (asb_upload_entry_is_unchanged (entry, fd))
    return fd;
  close (fd);
  *why = ASB_UPLOAD_HAS_CHANGED;
  return -1;
}

/* Failures. */

static int
find_code (const char *why)
{
  if (why == ASB_UPLOAD_IS_GONE)
    return ASB_ERROR_FILE_NOT_FOUND;
  if (why == ASB_UPLOAD_HAS_CHANGED)
    return ASB_ERROR_CONCURRENT_MODIFICATION;
  return g_str_equal (why, g_strerror (EACCES)) || g_str_equal (why, g_strerror (EPERM))
             ? ASB_ERROR_PERMISSION_DENIED
             : ASB_ERROR_IO;
}

void
asb_upload_failures_add (GPtrArray *failures, const char *path, const char *why)
{
  g_autofree char *shown = asb_upload_show (path);

  g_ptr_array_add (failures,
                   g_object_new (ASB_TYPE_UPLOAD_FAILURE, "relative-path", shown, "error-code",
                                 asb_error_code_to_string (find_code (why)), "message", why, NULL));
}

void
asb_upload_scan_drop_failed (AsbUploadScan *self)
{
  GPtrArray *entries = self->entries;
  guint n_kept = 0;

  /* Those that are kept come first, in their order. */
  for (guint i = 0; i < entries->len; i++)
    {
      AsbUploadEntry *entry = entries->pdata[i];

      if (entry->why)
        {
          asb_upload_failures_add (self->failures, entry->path, entry->why);
          self->total_bytes -= (guint64)entry->status.st_size;
          continue;
        }
      entries->pdata[i] = entries->pdata[n_kept];
      entries->pdata[n_kept++] = entry;
    }
  g_ptr_array_set_size (entries, (int)n_kept);
}

static GVariant *
describe (GPtrArray *failures)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sss)"));
  for (guint i = 0; i < failures->len; i++)
    {
      AsbUploadFailure *failure = failures->pdata[i];

      g_variant_builder_add (&builder, "(sss)", asb_upload_failure_get_relative_path (failure),
                             asb_upload_failure_get_error_code (failure),
                             asb_upload_failure_get_message (failure));
    }
  return g_variant_new_parsed ("{'failures': <%@a(sss)>}", g_variant_builder_end (&builder));
}

GError *
asb_upload_failures_to_error (GPtrArray *failures, const char *shown)
{
  g_autoptr (GString) told = g_string_new (NULL);
  GError *error;

  for (guint i = 0; i < MIN (failures->len, MAX_TOLD); i++)
    g_string_append_printf (told, "%s“%s”: %s", i > 0 ? "; " : "",
                            asb_upload_failure_get_relative_path (failures->pdata[i]),
                            asb_upload_failure_get_message (failures->pdata[i]));
  if (failures->len > MAX_TOLD)
    g_string_append_printf (told, "; and %u more", failures->len - MAX_TOLD);
  error = g_error_new (ASB_ERROR, ASB_ERROR_UPLOAD_PARTIAL_FAILURE,
                       "Could not upload “%s”, and nothing was changed: %s", shown, told->str);
  asb_upload_add_details (error, describe (failures));
  return error;
}
