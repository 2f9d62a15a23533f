/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-site.h"

#include <string.h>

#include "asb-opensandbox-upload.h"

/* Sandboxes come and go; what is forgotten is found out again. */
#define MAX_SITES 4096

/* As many as the guest keeps. */
#define MAX_TOKENS 256

#define MAX_IMAGES 256

/* What execd and the guest need beside what shall run there. */
#define LITTLE_MEMORY (64.0 * 1024 * 1024)
#define MAX_AMOUNT 16

typedef struct
{
  char *folder;
  char *architecture;
} Vacancy;

static AsbOpensandboxSite *
new_site (void)
{
  AsbOpensandboxSite *self = g_new0 (AsbOpensandboxSite, 1);

  g_atomic_ref_count_init (&self->references);
  self->tokens = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->uploads = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                         (GDestroyNotify)asb_opensandbox_upload_unref);
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
  g_clear_pointer (&self->placing, g_ptr_array_unref);
  g_free (self->image);
  g_free (self->memory);
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
  self->had_guest = TRUE;
  g_hash_table_add (self->tokens, g_strdup (token));
}

gboolean
asb_opensandbox_site_has_door (AsbOpensandboxSite *self, const char *token)
{
  return self->port > 0 && g_hash_table_contains (self->tokens, token);
}

void
asb_opensandbox_site_set_no_guest (AsbOpensandboxSite *self, const char *reason)
{
  g_free (self->no_guest);
  self->no_guest = g_strdup (reason);
}

void
asb_opensandbox_site_set_architecture (AsbOpensandboxSite *self, const char *architecture)
{
  if (!architecture || g_strcmp0 (architecture, self->architecture) == 0)
    return;
  g_free (self->architecture);
  self->architecture = g_strdup (architecture);
}

/* Too little memory. */

/* Servers take an amount without a unit for bytes, and those of a thousand for those of 1,024. */
static double
parse_amount (const char *amount)
{
  static const char units[] = "kmgt";
  char *unit = NULL;
  double number = g_ascii_strtod (amount, &unit);
  const char *found = *unit ? strchr (units, g_ascii_tolower (*unit)) : NULL;

  for (; found && found >= units; found--)
    number *= 1024;
  return unit == amount ? 0 : number;
}

void
asb_opensandbox_site_set_memory (AsbOpensandboxSite *self, const char *amount)
{
  const double bytes = amount ? parse_amount (amount) : 0;

  g_clear_pointer (&self->memory, g_free);
  if (bytes > 0 && bytes < LITTLE_MEMORY)
    self->memory = g_strndup (amount, MAX_AMOUNT);
}

GError *
asb_opensandbox_site_suspect_memory (AsbOpensandboxSite *self, GError *error)
{
  g_autofree char *told = NULL;

  if (!self->memory || strstr (error->message, "“memory”")
      || (!g_error_matches (error, ASB_ERROR, ASB_ERROR_PROVIDER)
          && !g_error_matches (error, ASB_ERROR, ASB_ERROR_INTERRUPTED)
          && !g_error_matches (error, ASB_ERROR, ASB_ERROR_TIMED_OUT)))
    return error;
  told = g_steal_pointer (&error->message);
  error->message
      = g_strdup_printf ("%s; the sandbox has %s of memory, which may be too little: make "
                         "one with more of the resource “memory”",
                         told, self->memory);
  return error;
}

/* What images lack. */

static void
vacancy_free (gpointer data)
{
  Vacancy *vacancy = data;

  g_free (vacancy->folder);
  g_free (vacancy->architecture);
  g_free (vacancy);
}

static GHashTable *
get_vacancies (void)
{
  static GHashTable *vacancies;

  if (!vacancies)
    vacancies = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, vacancy_free);
  return vacancies;
}

const char *
asb_opensandbox_site_get_vacancy (AsbOpensandboxSite *self)
{
  Vacancy *vacancy = self->image && !self->had_guest
                         ? g_hash_table_lookup (get_vacancies (), self->image)
                         : NULL;

  if (!vacancy)
    return NULL;
  asb_opensandbox_site_set_architecture (self, vacancy->architecture);
  return vacancy->folder;
}

void
asb_opensandbox_site_set_vacancy (AsbOpensandboxSite *self, const char *folder)
{
  GHashTable *vacancies = get_vacancies ();
  Vacancy *vacancy;

  if (!self->image)
    return;
  if (!folder)
    {
      g_hash_table_remove (vacancies, self->image);
      return;
    }
  if (g_hash_table_size (vacancies) >= MAX_IMAGES)
    g_hash_table_remove_all (vacancies);
  vacancy = g_new0 (Vacancy, 1);
  vacancy->folder = g_strdup (folder);
  vacancy->architecture = g_strdup (self->architecture);
  g_hash_table_replace (vacancies, g_strdup (self->image), vacancy);
}
