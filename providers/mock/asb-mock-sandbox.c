/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-mock-sandbox.h"

#include "asb-mock-process.h"

struct _AsbMockSandbox
{
  gatomicrefcount references;
  AsbSandboxRef *ref;
  char *idempotency_key;
  char *name;
  char *image;
  char *workdir;
  GDateTime *created_at;

  GMutex mutex;
  AsbSandboxState state;
  GDateTime *expires_at;
  GHashTable *metadata;
  AsbNetworkPolicy *policy;
  AsbMockFiles *files;
  GPtrArray *processes;
};

static AsbSandboxRef *
new_ref (AsbSandboxSpec *spec, const char *provider_key)
{
  const char *given = asb_sandbox_spec_get_instance_id (spec);
  g_autofree char *unique = asb_uuid_v7_new ();
  g_autofree char *id = g_strconcat ("sandbox-", unique, NULL);
  g_autofree char *instance_id = given ? g_strdup (given) : asb_uuid_v7_new ();

  return g_object_new (ASB_TYPE_SANDBOX_REF, "provider-name", "mock", "provider-key", provider_key,
                       "sandbox-id", id, "sandbox-instance-id", instance_id, "metadata",
                       asb_sandbox_spec_get_metadata (spec), NULL);
}

/* A copy that belongs to nobody else. */
static AsbNetworkPolicy *
copy_policy (AsbNetworkPolicy *policy)
{
  AsbNetworkPolicy *copy = g_object_new (ASB_TYPE_NETWORK_POLICY, "mode", "mock", NULL);

  asb_network_policy_set_default_action (copy, asb_network_policy_get_default_action (policy));
  asb_network_policy_set_rules (copy, asb_network_policy_get_rules (policy));
  return copy;
}

/* What was asked for, or else all is let through. */
static AsbNetworkPolicy *
new_policy (AsbSandboxSpec *spec)
{
  AsbNetworkPolicy *given = asb_sandbox_spec_get_network_policy (spec);
  AsbNetworkPolicy *policy;

  if (given)
    return copy_policy (given);
  policy = asb_network_policy_new ();
  asb_network_policy_set_default_action (policy, ASB_NETWORK_ACTION_ALLOW);
  return policy;
}

static GHashTable *
copy_metadata (GHashTable *metadata)
{
  GHashTable *copy = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GHashTableIter iter;
  gpointer name, value;

  if (!metadata)
    return copy;
  g_hash_table_iter_init (&iter, metadata);
  while (g_hash_table_iter_next (&iter, &name, &value))
    g_hash_table_insert (copy, g_strdup (name), g_strdup (value));
  return copy;
}

static GDateTime *
later (gint64 seconds)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();

  return g_date_time_add_seconds (now, (double)seconds);
}

AsbMockSandbox *
asb_mock_sandbox_new (AsbSandboxSpec *spec, const char *provider_key)
{
  const char *workdir = asb_sandbox_spec_get_workdir (spec);
  AsbMockSandbox *self = g_new0 (AsbMockSandbox, 1);

  g_atomic_ref_count_init (&self->references);
  g_mutex_init (&self->mutex);
  self->ref = new_ref (spec, provider_key);
  self->idempotency_key = g_strdup (asb_sandbox_spec_get_idempotency_key (spec));
  self->name = g_strdup (asb_sandbox_spec_get_name (spec));
  self->image = g_strdup (asb_sandbox_spec_get_image (spec));
  self->workdir = asb_mock_files_resolve ("/", workdir ? workdir : "/", NULL);
  if (!self->workdir)
    self->workdir = g_strdup ("/");
  self->created_at = g_date_time_new_now_utc ();
  self->state = ASB_SANDBOX_STATE_RUNNING;
  if (asb_sandbox_spec_get_ttl_mode (spec) == ASB_TTL_MODE_SECONDS)
    self->expires_at = later (asb_sandbox_spec_get_ttl_seconds (spec));
  self->metadata = copy_metadata (asb_sandbox_spec_get_metadata (spec));
  self->policy = new_policy (spec);
  self->files = asb_mock_files_new (self->workdir);
  self->processes = g_ptr_array_new_with_free_func (g_object_unref);
  return self;
}

AsbMockSandbox *
asb_mock_sandbox_ref (AsbMockSandbox *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
asb_mock_sandbox_unref (AsbMockSandbox *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_object (&self->ref);
  g_clear_pointer (&self->idempotency_key, g_free);
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->image, g_free);
  g_clear_pointer (&self->workdir, g_free);
  g_clear_pointer (&self->created_at, g_date_time_unref);
  g_clear_pointer (&self->expires_at, g_date_time_unref);
  g_clear_pointer (&self->metadata, g_hash_table_unref);
  g_clear_object (&self->policy);
  g_clear_pointer (&self->files, asb_mock_files_free);
  g_clear_pointer (&self->processes, g_ptr_array_unref);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

const char *
asb_mock_sandbox_get_id (AsbMockSandbox *self)
{
  return asb_sandbox_ref_get_sandbox_id (self->ref);
}

const char *
asb_mock_sandbox_get_idempotency_key (AsbMockSandbox *self)
{
  return self->idempotency_key;
}

const char *
asb_mock_sandbox_get_workdir (AsbMockSandbox *self)
{
  return self->workdir;
}

AsbSandboxInfo *
asb_mock_sandbox_describe (AsbMockSandbox *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_autoptr (AsbSandboxRef) ref = asb_sandbox_ref_new (
      asb_sandbox_ref_get_provider_name (self->ref), asb_sandbox_ref_get_provider_key (self->ref),
      asb_sandbox_ref_get_sandbox_id (self->ref),
      asb_sandbox_ref_get_sandbox_instance_id (self->ref), NULL, self->metadata);

  return g_object_new (ASB_TYPE_SANDBOX_INFO, "ref", ref, "state", self->state, "name", self->name,
                       "image", self->image, "workdir", self->workdir, "created-at",
                       self->created_at, "expires-at", self->expires_at, NULL);
}

static const char *
state_to_nick (AsbSandboxState state)
{
  g_autoptr (GEnumClass) enum_class = g_type_class_ref (ASB_TYPE_SANDBOX_STATE);

  return g_enum_get_value (enum_class, (int)state)->value_nick;
}

/* Must hold the mutex. */
static gboolean
check_state (AsbMockSandbox *self, AsbSandboxState wanted, GError **error)
{
  const char *id = asb_mock_sandbox_get_id (self);

  if (self->state == wanted)
    return TRUE;
  if (self->state == ASB_SANDBOX_STATE_DELETED)
    g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND, "There is no sandbox “%s”", id);
  else
    g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE, "Sandbox “%s” must be %s, and is %s",
                 id, state_to_nick (wanted), state_to_nick (self->state));
  return FALSE;
}

gboolean
asb_mock_sandbox_change_state (AsbMockSandbox *self, AsbSandboxState from, AsbSandboxState to,
                               GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (!check_state (self, from, error))
    return FALSE;
  self->state = to;
  return TRUE;
}

void
asb_mock_sandbox_renew (AsbMockSandbox *self, gint64 seconds)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  g_clear_pointer (&self->expires_at, g_date_time_unref);
  self->expires_at = later (seconds);
}

AsbNetworkPolicy *
asb_mock_sandbox_dup_policy (AsbMockSandbox *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  return copy_policy (self->policy);
}

void
asb_mock_sandbox_set_policy (AsbMockSandbox *self, AsbNetworkPolicy *policy)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  g_clear_object (&self->policy);
  self->policy = copy_policy (policy);
}

void
asb_mock_sandbox_patch_metadata (AsbMockSandbox *self, GVariant *changes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GVariantIter iter;
  const char *name, *value;

  g_variant_iter_init (&iter, changes);
  while (g_variant_iter_next (&iter, "{&sm&s}", &name, &value))
    if (value)
      g_hash_table_replace (self->metadata, g_strdup (name), g_strdup (value));
    else
      g_hash_table_remove (self->metadata, name);
}

void
asb_mock_sandbox_delete (AsbMockSandbox *self)
{
  g_autoptr (GPtrArray) processes = NULL;

  g_mutex_lock (&self->mutex);
  self->state = ASB_SANDBOX_STATE_DELETED;
  processes = g_steal_pointer (&self->processes);
  self->processes = g_ptr_array_new_with_free_func (g_object_unref);
  g_mutex_unlock (&self->mutex);

  for (guint i = 0; i < processes->len; i++)
    asb_mock_process_interrupt (processes->pdata[i]);
}

AsbMockFiles *
asb_mock_sandbox_lock_files (AsbMockSandbox *self, GError **error)
{
  g_mutex_lock (&self->mutex);
  if (check_state (self, ASB_SANDBOX_STATE_RUNNING, error))
    return self->files;
  g_mutex_unlock (&self->mutex);
  return NULL;
}

void
asb_mock_sandbox_unlock_files (AsbMockSandbox *self)
{
  g_mutex_unlock (&self->mutex);
}

gboolean
asb_mock_sandbox_add_process (AsbMockSandbox *self, GObject *process, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (!check_state (self, ASB_SANDBOX_STATE_RUNNING, error))
    return FALSE;
  g_ptr_array_add (self->processes, g_object_ref (process));
  return TRUE;
}

void
asb_mock_sandbox_remove_process (AsbMockSandbox *self, GObject *process)
{
  g_autoptr (GObject) held = g_object_ref (process);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  g_ptr_array_remove_fast (self->processes, process);
}

GPtrArray *
asb_mock_sandbox_get_processes (AsbMockSandbox *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GPtrArray *processes = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < self->processes->len; i++)
    g_ptr_array_add (processes, g_object_ref (self->processes->pdata[i]));
  return processes;
}
