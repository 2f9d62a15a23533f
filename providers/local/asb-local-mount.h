/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The folders of the host that a sandbox shows, as its specification and its metadata name them. */

#pragma once

#include <asb.h>
#include <jansson.h>

typedef struct
{
  char *source; /* of the host: resolved when the sandbox was created */
  char *target; /* inside, normalized */
  AsbMountMode mode;
} AsbLocalMount;

/* Resolves the sources and checks the targets. Their order is that of the targets: what is below
 * another comes after it. */
GPtrArray *asb_local_mounts_from_spec (GListModel *mounts, GError **error);

/* The deepest of them that holds @path, or NULL. */
const AsbLocalMount *asb_local_mounts_find (GPtrArray *mounts, const char *path);

/* Whether the one of that index lies in another. */
gboolean asb_local_mounts_is_nested (GPtrArray *mounts, guint index);

/* Of AsbMount. */
GListModel *asb_local_mounts_to_model (GPtrArray *mounts);

json_t *asb_local_mounts_to_json (GPtrArray *mounts);

/* Returns: NULL if @json is no list of mounts; without one (NULL) there are none */
GPtrArray *asb_local_mounts_from_json (json_t *json);
