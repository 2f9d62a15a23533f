/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-sandboxes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"
#include "asb-local-ending.h"
#include "asb-local-folder.h"
#include "asb-local-greeting.h"
#include "asb-local-guest.h"
#include "asb-local-limits.h"
#include "asb-local-liveness.h"
#include "asb-local-make.h"
#include "asb-local-owner.h"
#include "asb-local-path.h"
#include "asb-local-programs.h"
#include "asb-local-scope.h"
#include "asb-local-source.h"
#include "asb-local-user.h"
#include "asb-local-write.h"

#define ENVIRONMENT_NAME "environment"
#define ANSWER_SECONDS 10

static gboolean
is_variable (const char *entry)
{
  const char *equals = strchr (entry, '=');

  return equals && equals != entry;
}

static gboolean
check_environment (const char *const *environment, GError **error)
{
  for (gsize i = 0; environment && environment[i]; i++)
    if (!is_variable (environment[i]))
      {
        g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                     "Entry %" G_GSIZE_FORMAT " of the environment is not of the form “NAME=value”",
                     i + 1);
        return FALSE;
      }
  return TRUE;
}

AsbLocalOrder *
asb_local_order_new (AsbSandboxSpec *spec, GError **error)
{
  const char *const *environment = asb_sandbox_spec_get_environment (spec);
  g_autoptr (AsbLocalMetadata) metadata = asb_local_metadata_from_spec (spec, error);
  AsbLocalOrder *self;

  if (!metadata || !check_environment (environment, error))
    return NULL;
  self = g_new0 (AsbLocalOrder, 1);
  self->metadata = g_steal_pointer (&metadata);
  self->environment = g_strdupv ((char **)environment);
  self->key = g_strdup (asb_sandbox_spec_get_idempotency_key (spec));
  return self;
}

void
asb_local_order_free (AsbLocalOrder *self)
{
  asb_local_metadata_free (self->metadata);
  g_strfreev (self->environment);
  g_free (self->key);
  g_free (self);
}

static gboolean
write_environment (char **environment, AsbLocalFolder *folder, GError **error)
{
  int fd;
  gboolean written;

  if (!environment || !environment[0])
    return TRUE;
  fd = asb_local_make_file (folder->fd, ENVIRONMENT_NAME, O_WRONLY | O_EXCL);
  written = fd >= 0;
  for (gsize i = 0; written && environment[i]; i++)
    written = asb_local_write_all (fd, environment[i], strlen (environment[i]) + 1);
  if (fd >= 0 && close (fd) != 0)
    written = FALSE;
  if (!written)
    asb_local_set_failure (error, errno, "write the environment of sandbox “%s”", folder->id);
  return written;
}

static gboolean
make_folders (AsbLocalFolder *folder, GError **error)
{
  static const struct
  {
    const char *name;
    mode_t mode;
  } folders[] = {
    { ASB_LOCAL_FOLDER_WORKSPACE, 0755 },
    { ASB_LOCAL_FOLDER_HOME, 0700 },
    { ASB_LOCAL_FOLDER_TMP, 01777 },
    { ASB_LOCAL_FOLDER_HISTORY, 0700 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    if (!asb_local_make_folder (folder->fd, folders[i].name, folders[i].mode))
      {
        asb_local_set_folder_error (error, folder->path, errno);
        return FALSE;
      }
    else if (!asb_local_user_give (folder->fd, folders[i].name))
      {
        asb_local_set_owner_error (error, errno);
        return FALSE;
      }
  return TRUE;
}

/* The working directory of @metadata, and whose folder it is in. */
static AsbLocalWorkdir *
find_workdir (const AsbLocalMetadata *metadata, GError **error)
{
  g_autoptr (AsbLocalWorkdir) workdir = asb_local_workdir_parse (metadata->workdir, error);
  const AsbLocalMount *mount
      = workdir ? asb_local_mounts_find (metadata->mounts, workdir->path) : NULL;

  if (mount && !asb_local_mount_check_folder (mount, workdir->path, error))
    return NULL;
  if (mount)
    asb_local_workdir_set_covered (workdir, mount->target);
  return g_steal_pointer (&workdir);
}

/* Whether @target stands in the sandbox's own folder of the working directory. */
static gboolean
is_in_workdir (const AsbLocalWorkdir *workdir, const char *target)
{
  return asb_local_workdir_is_elsewhere (workdir)
         && asb_local_path_below (target, workdir->mount) != NULL;
}

/* What the sandbox writes to may hold links by now: bubblewrap would follow them, we do not. */
static gboolean
make_target (AsbLocalFolder *folder, const AsbLocalWorkdir *workdir, const AsbLocalMount *mount,
             GError **error)
{
  g_autoptr (AsbLocalWorkdir) place = asb_local_workdir_parse (mount->target, error);
  g_autoptr (GError) cause = NULL;

  if (!place)
    return FALSE;
  if (is_in_workdir (workdir, mount->target))
    {
      g_free (place->below);
      place->below = g_strdup (asb_local_path_below (mount->target, workdir->mount));
    }
  else if (asb_local_workdir_is_elsewhere (place))
    return TRUE;
  if (place->below[0] == '\0' || asb_local_workdir_make (place, folder->fd, &cause))
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER,
               "Nothing can be mounted at “%s” in sandbox “%s”: %s", mount->target, folder->id,
               cause->message);
  return FALSE;
}

static gboolean
make_targets (AsbLocalFolder *folder, const AsbLocalWorkdir *workdir, GPtrArray *mounts,
              GError **error)
{
  for (guint i = 0; i < mounts->len; i++)
    {
      const AsbLocalMount *mount = mounts->pdata[i];

      if (!asb_local_mounts_is_nested (mounts, i) && !make_target (folder, workdir, mount, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
populate (AsbLocalFolder *folder, const AsbLocalOrder *order, const AsbLocalWorkdir *workdir,
          GError **error)
{
  return make_folders (folder, error) && write_environment (order->environment, folder, error)
         && (!workdir->folder || asb_local_workdir_make (workdir, folder->fd, error))
         && asb_local_sources_make_changes (order->metadata->mounts, folder->fd, error)
         && asb_local_metadata_save (order->metadata, folder->fd, folder->path, error);
}

/* Returns: a descriptor to hand to the guest, -1 without an error for one that outlives us. */
static int
open_liveness (AsbLocalFolder *folder, const AsbLocalMetadata *metadata, GError **error)
{
  if (metadata->lifetime == ASB_LIFETIME_PERSISTENT || !asb_local_owner_hold (folder, error))
    return -1;
  return asb_local_liveness_of_process (error);
}

static gboolean
start (const AsbLocalSettings *settings, AsbLocalFolder *folder, const AsbLocalMetadata *metadata,
       const AsbLocalMeanwhile *meanwhile, GCancellable *cancellable, GError **error)
{
  g_autofree char *bubblewrap = asb_local_find_bubblewrap (settings->bubblewrap, error);
  g_autofree char *guest = bubblewrap ? asb_local_find_guest (settings->guest, error) : NULL;
  g_autoptr (AsbLocalWorkdir) workdir = guest ? find_workdir (metadata, error) : NULL;
  g_autofree char *bus = asb_local_limits_want_scope (metadata->limits)
                             ? asb_local_scope_find_bus (settings->systemd)
                             : NULL;
  g_autoptr (GPtrArray) mounts = NULL;
  g_autoptr (GError) cause = NULL;
  const AsbLocalPlaces places = { folder->path, settings->state_dir, settings->record_dir };
  AsbLocalInside inside = {
    .folder = folder->path,
    .guest = guest,
    .hostname = folder->id,
    .workdir = workdir,
    .host_network = metadata->host_network,
    .limits = metadata->limits,
    .bus = bus,
  };
  int liveness;

  if (asb_local_expiry_get_left (&metadata->expiry) != ASB_LOCAL_NEVER)
    inside.expire_after = MAX (asb_local_expiry_get_left (&metadata->expiry), 1);
  if (!workdir || !make_targets (folder, workdir, metadata->mounts, error))
    return FALSE;
  mounts = inside.mounts = asb_local_sources_new (metadata->mounts, &places, error);
  if (!mounts)
    return FALSE;
  liveness = open_liveness (folder, metadata, &cause);
  if (cause)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  return asb_local_guest_start (folder, bubblewrap, &inside, liveness, meanwhile, cancellable,
                                error);
}

static char *
choose_id (const AsbLocalSettings *settings, const char *key)
{
  for (guint turn = 0;; turn++)
    {
      g_autofree char *id = asb_local_id_new (key, turn);

      if (!asb_local_folder_exists (settings->record_dir, id)
          && (key || !asb_local_folder_exists (settings->state_dir, id)))
        return g_steal_pointer (&id);
    }
}

static AsbLocalMetadata *
load (const char *root, const char *id, AsbLocalFolder **folder, GError **error)
{
  g_autoptr (AsbLocalFolder) found = asb_local_folder_open (root, id, error);
  g_autoptr (AsbLocalMetadata) metadata = NULL;

  if (found)
    metadata = asb_local_metadata_load (found->fd, found->path, error);
  if (!metadata)
    return NULL;
  if (strcmp (metadata->id, id) != 0)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER,
                   "Could not use “%s”: it is the folder of sandbox “%s”", found->path,
                   metadata->id);
      return NULL;
    }
  *folder = g_steal_pointer (&found);
  return g_steal_pointer (&metadata);
}

/* Whoever makes the sandbox of a key holds its lock until it works, or is gone. */
static gboolean
find_created (const AsbLocalSettings *settings, AsbLocalOrder *order, GError **error)
{
  g_autoptr (AsbLocalFolder) folder = NULL;
  g_autoptr (AsbLocalMetadata) metadata
      = load (settings->state_dir, order->metadata->id, &folder, error);

  if (!metadata || !asb_local_folder_lock (folder, error))
    return FALSE;
  asb_local_metadata_free (order->metadata);
  order->metadata = g_steal_pointer (&metadata);
  return TRUE;
}

static gboolean
make (const AsbLocalSettings *settings, const AsbLocalOrder *order, const AsbLocalWorkdir *workdir,
      const AsbLocalMeanwhile *meanwhile, GCancellable *cancellable, GError **error)
{
  g_autoptr (AsbLocalFolder) folder
      = asb_local_folder_new (settings->state_dir, order->metadata->id, error);

  if (!folder)
    return FALSE;
  if (populate (folder, order, workdir, error)
      && !g_cancellable_set_error_if_cancelled (cancellable, error)
      && asb_local_folder_publish (folder, error)
      && start (settings, folder, order->metadata, meanwhile, cancellable, error))
    return TRUE;
  asb_local_folder_remove (folder, NULL);
  asb_local_owner_forget (folder);
  return FALSE;
}

typedef struct
{
  const AsbLocalSettings *settings;
  gboolean is_done;
} Sweep;

static void
sweep_cb (gpointer data)
{
  Sweep *sweep = data;

  sweep->is_done = TRUE;
  asb_local_sweep (sweep->settings);
}

/* Nobody waits for what sandboxes that are over have left, unless it is in the way. */
static gboolean
make_and_sweep (const AsbLocalSettings *settings, const AsbLocalOrder *order,
                const AsbLocalWorkdir *workdir, GCancellable *cancellable, GError **error)
{
  Sweep sweep = { .settings = settings };
  const AsbLocalMeanwhile meanwhile = { sweep_cb, &sweep };
  g_autoptr (GError) cause = NULL;

  if (make (settings, order, workdir, &meanwhile, cancellable, &cause))
    return TRUE;
  if (!sweep.is_done && asb_local_sweep (settings))
    return make (settings, order, workdir, NULL, cancellable, error);
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

gboolean
asb_local_create (const AsbLocalSettings *settings, AsbLocalOrder *order, GCancellable *cancellable,
                  GError **error)
{
  g_autoptr (AsbLocalWorkdir) workdir = find_workdir (order->metadata, error);
  g_autoptr (GError) cause = NULL;

  if (!workdir || g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  /* The sandbox of this key may be over. */
  if (order->key)
    asb_local_sweep (settings);
  order->metadata->host_network = settings->host_network;
  order->metadata->keep_record = settings->keep_record;
  order->metadata->id = choose_id (settings, order->key);
  if (order->key && asb_local_folder_exists (settings->state_dir, order->metadata->id))
    return find_created (settings, order, error);
  if (make_and_sweep (settings, order, workdir, cancellable, &cause))
    return TRUE;
  if (order->key && g_error_matches (cause, ASB_ERROR, ASB_ERROR_ALREADY_EXISTS))
    return find_created (settings, order, error);
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

static gboolean
set_expired (const char *id, GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_EXPIRED, "The time of sandbox “%s” is up", id);
  return FALSE;
}

/* The sandbox @id is not there. Its record, if there is one, tells what became of it. */
static gboolean
set_gone (const AsbLocalSettings *settings, const char *id, GError **error)
{
  g_autoptr (AsbLocalFolder) folder = NULL;
  g_autoptr (AsbLocalMetadata) record = load (settings->record_dir, id, &folder, NULL);

  if (!record)
    g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND, "There is no sandbox “%s”", id);
  else if (record->expired)
    return set_expired (id, error);
  else
    g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_DELETED,
                 "Sandbox “%s” was deleted, there is only its record", id);
  return FALSE;
}

/* One that can be used. */
static AsbLocalMetadata *
load_usable (const AsbLocalSettings *settings, const char *id, AsbLocalFolder **folder,
             GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (AsbLocalMetadata) metadata = load (settings->state_dir, id, folder, &cause);

  if (g_error_matches (cause, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND))
    set_gone (settings, id, error);
  else if (cause)
    g_propagate_error (error, g_steal_pointer (&cause));
  else if (asb_local_expiry_get_left (&metadata->expiry) <= 0)
    set_expired (id, error);
  else
    return g_steal_pointer (&metadata);
  return NULL;
}

static AsbSandboxState
find_state (AsbLocalFolder *folder)
{
  if (!asb_local_guest_is_listening (folder))
    return ASB_SANDBOX_STATE_STOPPED;
  return asb_local_guest_is_frozen (folder) ? ASB_SANDBOX_STATE_PAUSED : ASB_SANDBOX_STATE_RUNNING;
}

AsbLocalMetadata *
asb_local_get (const AsbLocalSettings *settings, const char *id, AsbSandboxState *state,
               GError **error)
{
  g_autoptr (AsbLocalFolder) folder = NULL;
  g_autoptr (AsbLocalMetadata) metadata = load_usable (settings, id, &folder, error);

  if (metadata)
    *state = find_state (folder);
  return g_steal_pointer (&metadata);
}

AsbLocalMetadata *
asb_local_renew (const AsbLocalSettings *settings, const char *id, gint64 seconds,
                 AsbSandboxState *state, GError **error)
{
  g_autoptr (AsbLocalFolder) folder = NULL;
  g_autoptr (AsbLocalFolder) again = NULL;
  g_autoptr (AsbLocalMetadata) found = NULL;
  g_autoptr (AsbLocalMetadata) metadata = NULL;

  if (seconds <= 0)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "A sandbox can be renewed for more than 0 seconds, not %" G_GINT64_FORMAT,
                   seconds);
      return NULL;
    }
  found = load_usable (settings, id, &folder, error);
  if (!found || !asb_local_folder_lock (folder, error))
    return NULL;
  /* Others may have renewed it, too, or its time may have come, before we had the lock. */
  metadata = load_usable (settings, id, &again, error);
  if (!metadata || !asb_local_guest_check_frozen (folder, error))
    return NULL;
  asb_local_expiry_set (&metadata->expiry, seconds);
  if (!asb_local_metadata_save (metadata, folder->fd, folder->path, error)
      || !asb_local_guest_set_expiry (folder, asb_local_expiry_get_left (&metadata->expiry), error))
    return NULL;
  *state = find_state (folder);
  return g_steal_pointer (&metadata);
}

AsbLocalMetadata *
asb_local_resume (const AsbLocalSettings *settings, const char *id, AsbSandboxState *state,
                  GError **error)
{
  g_autoptr (AsbLocalFolder) folder = NULL;
  g_autoptr (AsbLocalMetadata) metadata = load_usable (settings, id, &folder, error);

  if (!metadata || !asb_local_guest_resume (folder, error))
    return NULL;
  *state = find_state (folder);
  return g_steal_pointer (&metadata);
}

static gboolean
is_refused (const GError *error)
{
  return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED);
}

/* Who is connected to a guest that was stopped would wait for nothing. */
static GIOStream *
connect_to_awake (AsbLocalFolder *folder, GError **error)
{
  return asb_local_guest_check_frozen (folder, error) ? asb_local_guest_connect (folder, error)
                                                      : NULL;
}

static GIOStream *
open_sandbox (const AsbLocalSettings *settings, const char *id, GCancellable *cancellable,
              GError **error)
{
  g_autoptr (AsbLocalFolder) folder = NULL;
  g_autoptr (AsbLocalFolder) again = NULL;
  g_autoptr (AsbLocalMetadata) found = load_usable (settings, id, &folder, error);
  g_autoptr (AsbLocalMetadata) metadata = NULL;
  g_autoptr (GError) cause = NULL;
  GIOStream *stream;

  if (!found)
    return NULL;
  stream = connect_to_awake (folder, &cause);
  if (stream || !is_refused (cause))
    {
      if (cause)
        g_propagate_error (error, g_steal_pointer (&cause));
      return stream;
    }
  g_clear_error (&cause);
  if (!asb_local_folder_lock (folder, error))
    return NULL;
  /* Somebody may have started it while we waited, or renewed it. */
  stream = asb_local_guest_connect (folder, &cause);
  if (stream)
    return stream;
  metadata = load_usable (settings, id, &again, error);
  if (!metadata || !start (settings, folder, metadata, NULL, cancellable, error))
    return NULL;
  return asb_local_guest_connect (folder, error);
}

static gboolean
start_record (const AsbLocalSettings *settings, AsbLocalFolder *folder, int liveness,
              GCancellable *cancellable, GError **error)
{
  g_autofree char *bubblewrap = asb_local_find_bubblewrap (settings->bubblewrap, error);
  g_autofree char *guest = bubblewrap ? asb_local_find_guest (settings->guest, error) : NULL;
  AsbLocalInside inside = { .folder = folder->path, .guest = guest, .hostname = folder->id };

  if (guest)
    return asb_local_guest_start (folder, bubblewrap, &inside, liveness, NULL, cancellable, error);
  close (liveness);
  return FALSE;
}

/* The guest of another program ends with that program: it may still listen, and take no more. */
static GIOStream *
connect_to_record (AsbLocalFolder *folder, GCancellable *cancellable)
{
  g_autoptr (GIOStream) first = asb_local_guest_connect (folder, NULL);

  if (!first || !asb_local_ask_for_record (first, ANSWER_SECONDS, cancellable, NULL))
    return NULL;
  return asb_local_guest_connect (folder, NULL);
}

static GIOStream *
open_record (const AsbLocalSettings *settings, const char *id, GCancellable *cancellable,
             GError **error)
{
  g_autoptr (AsbLocalFolder) folder = asb_local_folder_open (settings->record_dir, id, error);
  g_autoptr (AsbLocalHolder) holder = NULL;
  g_autoptr (GIOStream) stream = NULL;
  int liveness;

  if (!folder || !asb_local_folder_lock (folder, error))
    return NULL;
  holder = asb_local_holder_find (folder->path);
  stream
      = holder ? asb_local_guest_connect (folder, NULL) : connect_to_record (folder, cancellable);
  if (!stream)
    {
      g_clear_pointer (&holder, asb_local_holder_unref);
      holder = asb_local_holder_new (folder->path, &liveness, error);
      if (!holder || !start_record (settings, folder, liveness, cancellable, error))
        return NULL;
      stream = asb_local_guest_connect (folder, error);
    }
  if (stream && holder)
    asb_local_holder_attach (holder, G_OBJECT (stream));
  return g_steal_pointer (&stream);
}

GIOStream *
asb_local_open (const AsbLocalSettings *settings, const char *id, gboolean record_only,
                GCancellable *cancellable, GError **error)
{
  if (record_only && !asb_local_folder_exists (settings->state_dir, id)
      && asb_local_folder_exists (settings->record_dir, id))
    return open_record (settings, id, cancellable, error);
  return open_sandbox (settings, id, cancellable, error);
}
