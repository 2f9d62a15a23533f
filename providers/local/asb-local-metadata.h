/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is kept of a sandbox beside its files: meta.json. */

#pragma once

#include <asb.h>

#include "asb-local-expiry.h"
#include "asb-local-mount.h"

typedef struct
{
  char *id;
  char *name; /* may be NULL */
  char *instance_id;
  char *workdir;     /* bytes, as given */
  GPtrArray *mounts; /* AsbLocalMount */
  AsbLifetime lifetime;
  gboolean host_network;
  AsbResourceLimits *limits;
  gint64 created_at; /* microseconds since 1970 */
  gint64 deleted_at; /* 0: it is not */
  AsbLocalExpiry expiry;
  gboolean expired;     /* and so it was deleted */
  gboolean keep_record; /* when it is removed without being asked for */
  GHashTable *metadata; /* string to string */
} AsbLocalMetadata;

void asb_local_metadata_free (AsbLocalMetadata *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbLocalMetadata, asb_local_metadata_free)

/* Checks what the library itself does not, and refuses what cannot be given. */
AsbLocalMetadata *asb_local_metadata_from_spec (AsbSandboxSpec *spec, GError **error);

/* Reads or writes meta.json of the folder @fd; @path is for messages. */
AsbLocalMetadata *asb_local_metadata_load (int fd, const char *path, GError **error);
gboolean asb_local_metadata_save (const AsbLocalMetadata *self, int fd, const char *path,
                                  GError **error);

/* Whether it has each name and value of @wanted (NULL: no wish). */
gboolean asb_local_metadata_matches (const AsbLocalMetadata *self, GHashTable *wanted);

AsbSandboxInfo *asb_local_metadata_to_info (const AsbLocalMetadata *self, AsbProvider *provider,
                                            AsbSandboxState state);
