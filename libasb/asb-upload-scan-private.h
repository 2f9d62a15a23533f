/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an upload holds: the source is looked at, and each file read once for its hash, before
 * anything leaves. */

#pragma once

#include <sys/stat.h>

#include "asb-upload-failure.h"
#include "asb-upload-source-private.h"

/* A file, a link that stays one, or a directory, which no manifest has. */
typedef struct
{
  char *path;   /* relative to the source */
  char *actual; /* (nullable): where it is instead, when a link led there */
  char *link;   /* (nullable): where it leads */
  gboolean is_directory;
  struct stat status; /* when it was looked at */
  char hash[65];
  const char *why; /* it has failed; NULL: it has not */
} AsbUploadEntry;

typedef struct
{
  AsbUploadSource source;
  AsbUploadSpec *spec;
  char *upload_id;
  GPtrArray *entries;     /* of AsbUploadEntry: files and links, in byte order */
  GPtrArray *directories; /* of AsbUploadEntry, in byte order */
  guint64 total_bytes;
  GPtrArray *failures; /* of AsbUploadFailure */
  AsbUploadManifest *manifest;
} AsbUploadScan;

/* May take as long as the disk does. */
AsbUploadScan *asb_upload_scan_new (AsbUploadSpec *spec, AsbUploadConfig *config,
                                    GCancellable *cancellable, GError **error);
void asb_upload_scan_free (AsbUploadScan *self);

/* In a thread; the answer is an AsbUploadScan. The objects are not to be changed until then. */
void asb_upload_scan_async (AsbUploadSpec *spec, AsbUploadConfig *config, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data);
AsbUploadScan *asb_upload_scan_finish (GAsyncResult *result, GError **error);

/* Why a file may fail, for people. */
#define ASB_UPLOAD_IS_GONE asb_upload_is_gone
#define ASB_UPLOAD_HAS_CHANGED asb_upload_has_changed
extern const char asb_upload_is_gone[];
extern const char asb_upload_has_changed[];

/* Unless they are to be kept. */
#define ASB_UPLOAD_FILE_MODE 0644
#define ASB_UPLOAD_FOLDER_MODE 0755

/* What has become of the entries on the way. Those that failed say why themselves. */
typedef struct
{
  guint64 n_files;   /* that are there now, and … */
  guint64 n_skipped; /* … were there before, where that is known here */
  guint64 n_failed;
  guint64 n_bytes; /* atomic: that have been read */
} AsbUploadSent;

/* Opens the file to be read, if it is the one that was looked at. −1 with @why set, which is for
 * people. */
int asb_upload_entry_open (const AsbUploadEntry *entry, int root_fd, const char **why);
/* Whether a file that is open is as it was. */
gboolean asb_upload_entry_is_unchanged (const AsbUploadEntry *entry, int fd);

/* Moves the entries that have failed to the failures. */
void asb_upload_scan_drop_failed (AsbUploadScan *self);
/* Notes that @path failed. @why: one of these, or the text of an errno */
void asb_upload_failures_add (GPtrArray *failures, const char *path, const char *why);
/* “Could not upload “SOURCE”: PATH: WHY; …”, with all of them in the details. */
GError *asb_upload_failures_to_error (GPtrArray *failures, const char *shown);

/* Takes the entries that are left. */
AsbUploadManifest *asb_upload_manifest_new (const AsbUploadScan *scan);

/* The checks that need nothing but the options. */
gboolean asb_upload_check (AsbUploadSpec *spec, AsbUploadConfig *config, GError **error);
/* Whether it may go where it is to go. */
gboolean asb_upload_check_target (AsbUploadSpec *spec, AsbUploadConfig *config, GError **error);
/* … and whether nothing of it would come into what is protected. */
gboolean asb_upload_check_entries (const AsbUploadScan *scan, AsbUploadSpec *spec,
                                   AsbUploadConfig *config, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbUploadScan, asb_upload_scan_free)
