/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-site.h"

#include "asb-opensandbox-upload.h"

/* Sandboxes come and go; what is forgotten is found out again. */
#define MAX_SITES 4096

/* As many as the guest keeps. */
#define MAX_TOKENS 256

static AsbOpensandboxSite *
new_site (void)
{
  AsbOpensandboxSite *self = g_new0 (AsbOpensandboxSite, 1);

  g_atomic_ref_count_init (&self->references);
  self->tokens = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->uploads = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                         (GDestroyNotify)asb_opensandbox_upload_free);
  return self;
}

AsbOpensandboxSite *
asb_opensandbox_site_ref (AsbOpensandboxSite *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
asb_opensandbox_site_unref (AsbOpensandboxSite *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_hash_table_unref (self->tokens);
  g_hash_table_unref (self->uploads);
  g_free (self->no_websocket);
  g_free (self->no_guest);
  g_free (self->architecture);
  g_free (self);
}

static GHashTable *
get_sites (void)
{
  static GHashTable *sites;

  if (!sites)
    sites = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                   (GDestroyNotify)asb_opensandbox_site_unref);
  return sites;
}

AsbOpensandboxSite *
asb_opensandbox_site_get (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id)
{
  GHashTable *sites = get_sites ();
  g_autofree char *key = g_strdup_printf (
      "%s/%s", asb_opensandbox_lifecycle_get_fingerprint (lifecycle), sandbox_id);
  AsbOpensandboxSite *site = g_hash_table_lookup (sites, key);

  if (!site)
    {
      if (g_hash_table_size (sites) >= MAX_SITES)
        g_hash_table_remove_all (sites);
      site = new_site ();
      g_hash_table_insert (sites, g_steal_pointer (&key), site);
    }
  return asb_opensandbox_site_ref (site);
}

void
asb_opensandbox_site_forget_door (AsbOpensandboxSite *self)
{
  self->port = 0;
  g_hash_table_remove_all (self->tokens);
}

void
asb_opensandbox_site_set_door (AsbOpensandboxSite *self, guint port, const char *token)
{
  if (port != self->port || g_hash_table_size (self->tokens) >= MAX_TOKENS)
    asb_opensandbox_site_forget_door (self);
  self->port = port;
  g_hash_table_add (self->tokens, g_strdup (token));
}

gboolean
asb_opensandbox_site_has_door (AsbOpensandboxSite *self, const char *token)
{
  return self->port > 0 && g_hash_table_contains (self->tokens, token);
}

void
asb_opensandbox_site_set_architecture (AsbOpensandboxSite *self, const char *architecture)
{
  if (!architecture || g_strcmp0 (architecture, self->architecture) == 0)
    return;
  g_free (self->architecture);
  self->architecture = g_strdup (architecture);
}
