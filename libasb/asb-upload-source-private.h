/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where an upload is read from: a directory of this machine that may be read. Whatever somebody
 * does to it meanwhile, nothing outside it is opened. */

#pragma once

#include "asb-upload-config.h"

typedef struct
{
  char *shown; /* how messages call it */
  char *root;  /* the directory, without links */
  int root_fd;
  char *name; /* (nullable): the only file of it */
} AsbUploadSource;

/* Checks who may read what, and where it goes to. */
gboolean asb_upload_source_open (AsbUploadSource *source, AsbUploadSpec *spec,
                                 AsbUploadConfig *config, GError **error);
void asb_upload_source_clear (AsbUploadSource *source);

/* Opens what is at @path, which is relative, below @root_fd, without following a link. −1 with
 * errno set. */
int asb_upload_open_below (int root_fd, const char *path, int flags);

/* Where the link at @path leads to, below the root and free of links. Returns: (transfer full)
 * (nullable): NULL with the error set when that is elsewhere, or nowhere */
char *asb_upload_source_resolve (const AsbUploadSource *source, const char *path, GError **error);

/* For what is as bytes not text. Returns: (transfer full) */
char *asb_upload_show (const char *path);

/* Whether @path is @directory, or in it. Both are absolute and clean. */
gboolean asb_upload_is_within (const char *path, const char *directory);

/* Adds details to @error, which is of our domain. */
void asb_upload_add_details (GError *error, GVariant *details);
