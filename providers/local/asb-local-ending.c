/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-ending.h"

#include "asb-local-guest.h"
#include "asb-local-owner.h"
#include "asb-local-record.h"
#include "asb-local-source.h"
#include "asb-local-workdir.h"

/* The guest ends everything within two. */
#define END_SECONDS 3

static gboolean
is_expired (const AsbLocalMetadata *metadata)
{
  return asb_local_expiry_get_left (&metadata->expiry) <= 0;
}

typedef struct
{
  const AsbLocalSettings *settings;
  AsbLocalFolder *folder;
  AsbLocalFolder *record;
  gboolean is_prepared;
  GError *error;
} Keeping;

static void
prepare (gpointer data)
{
  Keeping *keeping = data;

  keeping->is_prepared = TRUE;
  asb_local_record_prepare (keeping->folder, keeping->settings->record_dir, &keeping->record,
                            &keeping->error);
}

/* What was not kept does not stay. */
static void
clear (Keeping *keeping, gboolean kept)
{
  if (!kept && keeping->record)
    asb_local_folder_remove (keeping->record, NULL);
  g_clear_pointer (&keeping->record, asb_local_folder_free);
  g_clear_error (&keeping->error);
  keeping->is_prepared = FALSE;
}

static gboolean
keep (Keeping *keeping, GError **error)
{
  gboolean kept;

  if (!keeping->is_prepared)
    prepare (keeping);
  kept = !keeping->error
         && (!keeping->record
             || asb_local_record_keep (keeping->folder, keeping->record, &keeping->error));
  if (!kept)
    g_propagate_error (error, g_steal_pointer (&keeping->error));
  clear (keeping, kept);
  return kept;
}

/* What goes with a sandbox anyway: it may be what has filled the disk. */
static void
make_room (AsbLocalFolder *folder)
{
  static const char *const names[]
      = { ASB_LOCAL_FOLDER_WORKSPACE, ASB_LOCAL_FOLDER_HOME, ASB_LOCAL_FOLDER_TMP,
          ASB_LOCAL_FOLDER_WORKDIR, ASB_LOCAL_FOLDER_OVERLAYS };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    asb_local_folder_clear (folder, names[i]);
}

/* The disk is busy with the one while the other waits for processes. */
static gboolean
end_and_keep (const AsbLocalSettings *settings, AsbLocalFolder *folder, guint seconds,
              GError **error)
{
  Keeping keeping = { .settings = settings, .folder = folder };
  const AsbLocalMeanwhile meanwhile = { prepare, &keeping };
  g_autoptr (GError) cause = NULL;

  if (!asb_local_guest_end (folder, seconds, &meanwhile, error))
    {
      clear (&keeping, FALSE);
      return FALSE;
    }
  if (keep (&keeping, &cause))
    return TRUE;
  if (!g_error_matches (cause, ASB_ERROR, ASB_ERROR_NO_SPACE))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  make_room (folder);
  return keep (&keeping, error);
}

static gboolean
end_and_remove (const AsbLocalSettings *settings, AsbLocalFolder *folder, gboolean keep_record,
                guint seconds, GError **error)
{
  gboolean ended = keep_record ? end_and_keep (settings, folder, seconds, error)
                               : asb_local_guest_end (folder, seconds, NULL, error);

  if (!ended || !asb_local_folder_remove (folder, error))
    return FALSE;
  asb_local_owner_forget (folder);
  return TRUE;
}

gboolean
asb_local_delete (const AsbLocalSettings *settings, const char *id, GError **error)
{
  g_autoptr (AsbLocalFolder) folder = asb_local_folder_open (settings->state_dir, id, error);

  return folder && asb_local_folder_lock (folder, error)
         && end_and_remove (settings, folder, settings->keep_record, END_SECONDS, error);
}

gboolean
asb_local_delete_record (const AsbLocalSettings *settings, const char *id, GError **error)
{
  g_autoptr (AsbLocalFolder) folder = NULL;
  g_autoptr (GError) cause = NULL;

  if (asb_local_folder_exists (settings->state_dir, id))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE,
                   "Sandbox “%s” is there, and its record with it; remove the sandbox first", id);
      return FALSE;
    }
  folder = asb_local_folder_open (settings->record_dir, id, &cause);
  if (folder)
    return asb_local_folder_lock (folder, error) && asb_local_folder_remove (folder, error);
  if (g_error_matches (cause, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND))
    g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND,
                 "There is no record of a removed sandbox “%s”", id);
  else
    g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

/* A guest that listens is left to end by itself when it has lost its owner just now, unless it
 * cannot. */
static gboolean
is_over (AsbLocalFolder *folder, const AsbLocalMetadata *metadata)
{
  if (is_expired (metadata))
    return TRUE;
  return metadata->lifetime == ASB_LIFETIME_OWNED && !asb_local_owner_lives (folder)
         && (!asb_local_guest_is_listening (folder) || asb_local_guest_is_frozen (folder));
}

static AsbLocalMetadata *
load_if_over (AsbLocalFolder *folder)
{
  g_autoptr (AsbLocalMetadata) metadata = asb_local_metadata_load (folder->fd, folder->path, NULL);

  if (!metadata || g_strcmp0 (metadata->id, folder->id) != 0 || !is_over (folder, metadata))
    return NULL;
  return g_steal_pointer (&metadata);
}

static gboolean
sweep_sandbox (const AsbLocalSettings *settings, const char *id)
{
  g_autoptr (AsbLocalFolder) folder = asb_local_folder_open (settings->state_dir, id, NULL);
  g_autoptr (AsbLocalMetadata) before = folder ? load_if_over (folder) : NULL;
  g_autoptr (AsbLocalMetadata) metadata = NULL;
  g_autoptr (GError) error = NULL;
  guint seconds;

  if (!before || !asb_local_folder_try_lock (folder))
    return FALSE;
  /* It may have been renewed, or started again, before we had the lock. */
  metadata = load_if_over (folder);
  /* Nobody who lists sandboxes shall wait for one that cannot answer. */
  seconds = metadata && asb_local_guest_is_frozen (folder) ? 0 : END_SECONDS;
  if (metadata && end_and_remove (settings, folder, metadata->keep_record, seconds, &error))
    return TRUE;
  if (error)
    g_debug ("Sandbox %s is over and cannot be removed: %s", id, error->message);
  return FALSE;
}

gboolean
asb_local_sweep (const AsbLocalSettings *settings)
{
  g_autoptr (GPtrArray) ids = asb_local_root_list (settings->state_dir, NULL);
  guint n_removed
      = asb_local_root_sweep (settings->state_dir) + asb_local_root_sweep (settings->record_dir);

  for (guint i = 0; ids && i < ids->len; i++)
    n_removed += sweep_sandbox (settings, ids->pdata[i]) ? 1 : 0;
  return n_removed > 0;
}
