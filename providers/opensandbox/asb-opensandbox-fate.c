/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-fate.h"

#include "asb-opensandbox-error.h"

/* Sandboxes come and go; of what is forgotten the server's own words remain. */
#define MAX_FATES 16384

/* What is known of the server's time is right to a second or two. */
#define SLACK_US (2 * G_USEC_PER_SEC)

typedef struct
{
  gint64 expires_at; /* microseconds of the server's clock; G_MAXINT64 for never */
  gboolean is_deleted;
} Fate;

typedef struct
{
  GMutex lock;
  GHashTable *fates; /* server and id → Fate */
} Book;

static Book *
get_book (void)
{
  static gsize is_made;
  static Book *book;

  if (g_once_init_enter (&is_made))
    {
      book = g_new0 (Book, 1);
      g_mutex_init (&book->lock);
      book->fates = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
      g_once_init_leave (&is_made, 1);
    }
  return book;
}

static char *
dup_key (AsbOpensandboxSettings *settings, const char *sandbox_id)
{
  return g_strdup_printf ("%s://%s/%s", settings->scheme, settings->domain, sandbox_id);
}

static void
write_down (AsbOpensandboxSettings *settings, const char *sandbox_id, Fate fate)
{
  Book *book = get_book ();
  char *key = dup_key (settings, sandbox_id);

  g_mutex_lock (&book->lock);
  if (g_hash_table_size (book->fates) >= MAX_FATES && !g_hash_table_contains (book->fates, key))
    g_hash_table_remove_all (book->fates);
  g_hash_table_replace (book->fates, key, g_memdup2 (&fate, sizeof fate));
  g_mutex_unlock (&book->lock);
}

void
asb_opensandbox_fate_note (AsbOpensandboxSettings *settings, const char *sandbox_id,
                           GDateTime *expires_at)
{
  Fate fate = { .expires_at = G_MAXINT64 };

  if (expires_at)
    fate.expires_at = g_date_time_to_unix (expires_at) * G_USEC_PER_SEC
                      + g_date_time_get_microsecond (expires_at);
  write_down (settings, sandbox_id, fate);
}

void
asb_opensandbox_fate_note_deletion (AsbOpensandboxSettings *settings, const char *sandbox_id)
{
  write_down (settings, sandbox_id, (Fate){ .is_deleted = TRUE });
}

static gboolean
look_up (AsbOpensandboxSettings *settings, const char *sandbox_id, Fate *fate)
{
  Book *book = get_book ();
  g_autofree char *key = dup_key (settings, sandbox_id);
  Fate *found;

  g_mutex_lock (&book->lock);
  found = g_hash_table_lookup (book->fates, key);
  if (found)
    *fate = *found;
  g_mutex_unlock (&book->lock);
  return found != NULL;
}

/* Something in between may have no idea of sandboxes and say “not found” all the same. */
static gboolean
is_word_of_server (const GError *error)
{
  AsbErrorInfo *info = error->domain == ASB_ERROR ? asb_error_get_info (error) : NULL;
  const char *code = info ? asb_error_info_get_provider_error_code (info) : NULL;

  return g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND) && code
         && g_str_has_suffix (code, "SANDBOX_NOT_FOUND");
}

GError *
asb_opensandbox_fate_explain (AsbOpensandboxClient *client, AsbOpensandboxRequest *request,
                              GError *error)
{
  AsbErrorInfo *info = error->domain == ASB_ERROR ? asb_error_get_info (error) : NULL;
  const char *sandbox_id = asb_opensandbox_request_get_sandbox (request);
  Fate fate;

  if (!info || !sandbox_id)
    return error;
  asb_error_info_set_sandbox_id (info, sandbox_id);
  /* Whoever deletes what is gone need not know how it went. */
  if (g_str_equal (asb_opensandbox_request_get_method (request), "DELETE")
      || !is_word_of_server (error)
      || !look_up (asb_opensandbox_client_get_settings (client), sandbox_id, &fate))
    return error;
  if (!fate.is_deleted
      && asb_opensandbox_client_get_server_time (client) >= fate.expires_at - SLACK_US)
    return asb_opensandbox_error_specify (error, ASB_ERROR_SANDBOX_EXPIRED, "its time was up");
  return asb_opensandbox_error_specify (error, ASB_ERROR_SANDBOX_DELETED, "it was deleted");
}
