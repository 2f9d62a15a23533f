/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What this process has learnt of the ways into one sandbox, for all its providers. */

#pragma once

#include "asb-opensandbox-lifecycle.h"

typedef struct
{
  gatomicrefcount references;

  /* [io] Where the guest listens, and to whom. */
  guint port; /* 0: not known */
  GHashTable *tokens;

  char *image;         /* [io] (nullable): of which server, if this process made it */
  gboolean had_guest;  /* [io] it was there already */
  char *memory;        /* [io] (nullable): what it was made with, if that is hardly enough */
  char *no_websocket;  /* [io] why another way is taken */
  char *no_guest;      /* [io] why execd's own API is used */
  char *architecture;  /* [io] what “uname -m” says */
  GPtrArray *placing;  /* [io] (nullable): those who wait for one who puts the guest there */
  GHashTable *uploads; /* [io] path → AsbOpensandboxUpload */
} AsbOpensandboxSite;

/* [io] Returns: (transfer full) */
AsbOpensandboxSite *asb_opensandbox_site_get (AsbOpensandboxLifecycle *lifecycle,
                                              const char *sandbox_id);

/* Any thread. */
AsbOpensandboxSite *asb_opensandbox_site_ref (AsbOpensandboxSite *self);
void asb_opensandbox_site_unref (AsbOpensandboxSite *self);

/* [io] The guest listens at @port, and @token opens. */
void asb_opensandbox_site_set_door (AsbOpensandboxSite *self, guint port, const char *token);
/* [io] Whether it is known to do so. */
gboolean asb_opensandbox_site_has_door (AsbOpensandboxSite *self, const char *token);
/* [io] It does not any more. */
void asb_opensandbox_site_forget_door (AsbOpensandboxSite *self);

/* [io] Where the guest is missing in sandboxes of this one's image, as far as is known; NULL: that
 * is to be asked. The folder is an absolute path. */
const char *asb_opensandbox_site_get_vacancy (AsbOpensandboxSite *self);
/* [io] NULL for @folder: there is nothing to be known. */
void asb_opensandbox_site_set_vacancy (AsbOpensandboxSite *self, const char *folder);

/* [io] For what is used instead. */
void asb_opensandbox_site_set_no_guest (AsbOpensandboxSite *self, const char *reason);

/* [io] @amount: (nullable): of the resource “memory”, as servers take it */
void asb_opensandbox_site_set_memory (AsbOpensandboxSite *self, const char *amount);
/* [io] Says in @error, which is how something failed in there, that the sandbox has little memory,
 * if it is known to. Returns: (transfer full): @error */
GError *asb_opensandbox_site_suspect_memory (AsbOpensandboxSite *self, GError *error);

void asb_opensandbox_site_set_architecture (AsbOpensandboxSite *self, const char *architecture);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxSite, asb_opensandbox_site_unref)
