/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One attempt to come into a sandbox: what every way needs to know. */

#pragma once

#include "asb-opensandbox-execd.h"
#include "asb-opensandbox-site.h"

typedef struct
{
  AsbOpensandboxLifecycle *lifecycle;
  char *sandbox_id;
  AsbStreamSpec *spec;
  char **argv; /* never NULL */
  char *token;
  GBytes *program; /* (nullable): what is to be put there */

  /* [io] */
  AsbOpensandboxSite *site;
  AsbOpensandboxEndpoint *endpoint; /* of execd */
  AsbOpensandboxExecd *execd;
  GCancellable *cancellable; /* cancelled in the I/O thread only */
  gint64 started_at;
  char *place;        /* where the program is to be put, once it is known to be missing */
  char *no_websocket; /* why that way is shut, once it was found to be */
  gboolean is_shut_for_good;
  gboolean is_unheard; /* nothing came of what the command said that should start the guest */
} AsbOpensandboxVisit;

/* Any thread. @token of the spec may be NULL. */
AsbOpensandboxVisit *asb_opensandbox_visit_new (AsbOpensandboxLifecycle *lifecycle,
                                                const char *sandbox_id, AsbStreamSpec *spec);
void asb_opensandbox_visit_free (AsbOpensandboxVisit *self);

/* Any thread. Whether it is the library's own program that is to be at the other end. */
gboolean asb_opensandbox_visit_is_to_guest (AsbOpensandboxVisit *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxVisit, asb_opensandbox_visit_free)
