/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"
#include "asb-local-limits.h"
#include "asb-local-make.h"
#include "asb-local-write.h"
#include "asb-wire-json.h"

#define FILE_NAME "meta.json"
#define NEW_FILE_NAME "meta.json.new"
#define FORMAT_VERSION 1
#define MAX_FILE_SIZE (1024 * 1024)
#define MAX_NAME_CHARACTERS 128

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

void
asb_local_metadata_free (AsbLocalMetadata *self)
{
  g_free (self->id);
  g_free (self->name);
  g_free (self->instance_id);
  g_free (self->workdir);
  g_clear_pointer (&self->mounts, g_ptr_array_unref);
  asb_local_expiry_clear (&self->expiry);
  g_hash_table_unref (self->metadata);
  g_clear_object (&self->limits);
  g_free (self);
}

static AsbLocalMetadata *
metadata_new (void)
{
  AsbLocalMetadata *self = g_new0 (AsbLocalMetadata, 1);

  self->metadata = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

static gboolean
is_name (const char *name)
{
  if (name[0] == '\0' || !g_utf8_validate (name, -1, NULL)
      || g_utf8_strlen (name, -1) > MAX_NAME_CHARACTERS)
    return FALSE;
  for (const char *at = name; *at; at = g_utf8_next_char (at))
    if (g_unichar_iscntrl (g_utf8_get_char (at)))
      return FALSE;
  return TRUE;
}

static gboolean
check_names (AsbSandboxSpec *spec, GError **error)
{
  const char *name = asb_sandbox_spec_get_name (spec);
  const char *instance_id = asb_sandbox_spec_get_instance_id (spec);

  if (name && !is_name (name))
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "The name of a sandbox has 1 to %d characters and no control characters",
                 MAX_NAME_CHARACTERS);
  else if (instance_id && !is_name (instance_id))
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "The instance id of a sandbox has 1 to %d characters and no control characters",
                 MAX_NAME_CHARACTERS);
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_offer (AsbSandboxSpec *spec, GError **error)
{
  const char *image = asb_sandbox_spec_get_image (spec);

  if (image && strcmp (image, "host") != 0)
    g_set_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                 "A local sandbox has the programs of this machine, the only image is “host”, not "
                 "“%s”",
                 image);
  else if (asb_sandbox_spec_get_ttl_mode (spec) == ASB_TTL_MODE_SECONDS
           && asb_sandbox_spec_get_ttl_seconds (spec) <= 0)
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "The time to live of a sandbox must be more than 0 seconds, not %" G_GINT64_FORMAT,
                 asb_sandbox_spec_get_ttl_seconds (spec));
  else
    return TRUE;
  return FALSE;
}

static gboolean
copy_entries (GHashTable *from, GHashTable *into, GError **error)
{
  GHashTableIter iter;
  gpointer name, value;

  if (!from)
    return TRUE;
  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &name, &value))
    {
      if (!g_utf8_validate (name, -1, NULL) || !value || !g_utf8_validate (value, -1, NULL))
        {
          g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                       "Names and values of the metadata must be valid UTF-8");
          return FALSE;
        }
      g_hash_table_insert (into, g_strdup (name), g_strdup (value));
    }
  return TRUE;
}

AsbLocalMetadata *
asb_local_metadata_from_spec (AsbSandboxSpec *spec, GError **error)
{
  g_autoptr (AsbLocalMetadata) self = metadata_new ();
  const char *workdir = asb_sandbox_spec_get_workdir (spec);
  const char *instance_id = asb_sandbox_spec_get_instance_id (spec);

  if (!check_names (spec, error) || !check_offer (spec, error)
      || !copy_entries (asb_sandbox_spec_get_metadata (spec), self->metadata, error))
    return NULL;
  self->mounts = asb_local_mounts_from_spec (asb_sandbox_spec_get_mounts (spec), error);
  if (!self->mounts)
    return NULL;
  self->name = g_strdup (asb_sandbox_spec_get_name (spec));
  self->instance_id = instance_id ? g_strdup (instance_id) : asb_uuid_v7_new ();
  self->workdir = g_strdup (workdir ? workdir : "/workspace");
  self->lifetime = asb_sandbox_spec_get_lifetime (spec);
  self->limits = asb_local_limits_complete (asb_sandbox_spec_get_limits (spec));
  self->created_at = g_get_real_time ();
  if (asb_sandbox_spec_get_ttl_mode (spec) == ASB_TTL_MODE_SECONDS)
    asb_local_expiry_set (&self->expiry, asb_sandbox_spec_get_ttl_seconds (spec));
  return g_steal_pointer (&self);
}

static gboolean
read_entries (AsbLocalMetadata *self, json_t *entries)
{
  const char *name;
  json_t *value;

  if (!json_is_object (entries))
    return FALSE;
  json_object_foreach (entries, name, value)
    {
      if (!json_is_string (value))
        return FALSE;
      g_hash_table_insert (self->metadata, g_strdup (name), g_strdup (json_string_value (value)));
    }
  return TRUE;
}

static char *
dup_bytes (json_t *json)
{
  char *bytes = asb_wire_text_dup (json, PATH_MAX, NULL);
  char *copy = g_strdup (bytes);

  free (bytes);
  return copy;
}

static AsbLocalMetadata *
from_json (json_t *json)
{
  g_autoptr (AsbLocalMetadata) self = metadata_new ();
  json_int_t version = json_integer_value (json_object_get (json, "version"));
  const char *lifetime = json_string_value (json_object_get (json, "lifetime"));
  const char *network = json_string_value (json_object_get (json, "network"));

  self->id = g_strdup (json_string_value (json_object_get (json, "id")));
  self->name = g_strdup (json_string_value (json_object_get (json, "name")));
  self->instance_id = g_strdup (json_string_value (json_object_get (json, "instance_id")));
  self->workdir = dup_bytes (json_object_get (json, "workdir"));
  self->mounts = asb_local_mounts_from_json (json_object_get (json, "mounts"));
  self->created_at = json_integer_value (json_object_get (json, "created_at"));
  self->deleted_at = json_integer_value (json_object_get (json, "deleted_at"));
  self->expired = json_is_true (json_object_get (json, "expired"));
  self->keep_record = json_is_true (json_object_get (json, "keep_record"));
  self->limits = asb_local_limits_from_json (json_object_get (json, "limits"));
  if (version != FORMAT_VERSION || !self->limits || !self->mounts || !self->id || !self->instance_id
      || !self->workdir || !lifetime || !network
      || !asb_local_expiry_from_json (&self->expiry, json_object_get (json, "expiry"))
      || !read_entries (self, json_object_get (json, "metadata")))
    return NULL;
  self->lifetime
      = strcmp (lifetime, "persistent") == 0 ? ASB_LIFETIME_PERSISTENT : ASB_LIFETIME_OWNED;
  self->host_network = strcmp (network, "host") == 0;
  return g_steal_pointer (&self);
}

static GBytes *
read_file (int folder, GError **error)
{
  int fd = openat (folder, FILE_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  g_autofree char *content = NULL;
  gssize size = -1;

  if (fd >= 0 && fstat (fd, &status) == 0)
    {
      if (!S_ISREG (status.st_mode) || status.st_size > MAX_FILE_SIZE)
        errno = EFBIG;
      else
        {
          content = g_malloc ((gsize)status.st_size + 1);
          size = TEMP_FAILURE_RETRY (read (fd, content, (gsize)status.st_size));
        }
    }
  if (size < 0)
    g_set_error_literal (error, G_FILE_ERROR, (gint)g_file_error_from_errno (errno),
                         g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return size < 0 ? NULL : g_bytes_new_take (g_steal_pointer (&content), (gsize)size);
}

AsbLocalMetadata *
asb_local_metadata_load (int fd, const char *path, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (GBytes) content = read_file (fd, &cause);
  g_autoptr (json_t) json = NULL;
  AsbLocalMetadata *self = NULL;
  const char *reason = "a member is missing or of the wrong type";

  if (content)
    json = asb_wire_json_parse (g_bytes_get_data (content, NULL), g_bytes_get_size (content),
                                &reason);
  else
    reason = cause->message;
  if (json)
    self = from_json (json);
  if (!self)
    g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER, "Could not read “%s/%s”: %s", path,
                 FILE_NAME, reason);
  return self;
}

static json_t *
to_json (const AsbLocalMetadata *self)
{
  json_t *entries = json_object ();
  json_t *json;
  GHashTableIter iter;
  gpointer name, value;

  g_hash_table_iter_init (&iter, self->metadata);
  while (g_hash_table_iter_next (&iter, &name, &value))
    json_object_set_new (entries, name, json_string (value));
  json = json_pack ("{s:i, s:s, s:s, s:o, s:s, s:s, s:I, s:o}", "version", FORMAT_VERSION, "id",
                    self->id, "instance_id", self->instance_id, "workdir",
                    asb_wire_text_new (self->workdir, strlen (self->workdir)), "lifetime",
                    self->lifetime == ASB_LIFETIME_PERSISTENT ? "persistent" : "owned", "network",
                    self->host_network ? "host" : "none", "created_at",
                    (json_int_t)self->created_at, "metadata", entries);
  if (json)
    json_object_set_new (json, "limits", asb_local_limits_to_json (self->limits));
  if (json && self->mounts->len > 0)
    json_object_set_new (json, "mounts", asb_local_mounts_to_json (self->mounts));
  if (json && self->name)
    json_object_set_new (json, "name", json_string (self->name));
  if (json && self->deleted_at)
    json_object_set_new (json, "deleted_at", json_integer (self->deleted_at));
  if (json && self->expiry.at)
    json_object_set_new (json, "expiry", asb_local_expiry_to_json (&self->expiry));
  if (json && self->expired)
    json_object_set_new (json, "expired", json_true ());
  if (json && self->keep_record)
    json_object_set_new (json, "keep_record", json_true ());
  return json;
}

static int
append_cb (const char *text, size_t size, void *data)
{
  g_string_append_len (data, text, (gssize)size);
  return 0;
}

/* Piece by piece it would take a hundred writes. */
static char *
to_text (const json_t *json)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (!json || json_dump_callback (json, append_cb, text, JSON_INDENT (2) | JSON_SORT_KEYS) != 0)
    return NULL;
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* What outlives its maker must also outlive a crash of the machine; the rest would be of no use. */
static gboolean
write_new_file (const AsbLocalMetadata *self, int folder)
{
  g_autoptr (json_t) json = to_json (self);
  g_autofree char *text = to_text (json);
  gboolean durable = self->lifetime == ASB_LIFETIME_PERSISTENT || self->deleted_at;
  gsize size = text ? strlen (text) : 0;
  int fd;
  gboolean written;

  /* Who writes more than is read would never find it again. */
  if (size > MAX_FILE_SIZE)
    {
      errno = EFBIG;
      return FALSE;
    }
  unlinkat (folder, NEW_FILE_NAME, 0);
  fd = asb_local_make_file (folder, NEW_FILE_NAME, O_WRONLY | O_EXCL);
  if (fd < 0)
    return FALSE;
  errno = ENOMEM;
  written = text && asb_local_write_all (fd, text, size) && (!durable || fsync (fd) == 0);
  return close (fd) == 0 && written;
}

gboolean
asb_local_metadata_save (const AsbLocalMetadata *self, int fd, const char *path, GError **error)
{
  if (write_new_file (self, fd) && renameat (fd, NEW_FILE_NAME, fd, FILE_NAME) == 0)
    return TRUE;
  asb_local_set_failure (error, errno, "write “%s/%s”", path, FILE_NAME);
  return FALSE;
}

gboolean
asb_local_metadata_matches (const AsbLocalMetadata *self, GHashTable *wanted)
{
  GHashTableIter iter;
  gpointer name, value;

  if (!wanted)
    return TRUE;
  g_hash_table_iter_init (&iter, wanted);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (g_strcmp0 (g_hash_table_lookup (self->metadata, name), value) != 0)
      return FALSE;
  return TRUE;
}

AsbSandboxInfo *
asb_local_metadata_to_info (const AsbLocalMetadata *self, AsbProvider *provider,
                            AsbSandboxState state)
{
  g_autofree char *provider_name = asb_provider_dup_name (provider);
  g_autofree char *provider_key = asb_provider_dup_key (provider);
  g_autoptr (GDateTime) second = g_date_time_new_from_unix_utc (self->created_at / G_USEC_PER_SEC);
  g_autoptr (GDateTime) created_at = NULL;
  g_autoptr (GListModel) mounts = asb_local_mounts_to_model (self->mounts);
  g_autoptr (GDateTime) expires_at = asb_local_expiry_to_date (&self->expiry);
  g_autoptr (AsbSandboxRef) ref = NULL;
  gboolean has_expired = state == ASB_SANDBOX_STATE_DELETED && self->expired;

  ref = g_object_new (ASB_TYPE_SANDBOX_REF, "provider-name", provider_name, "provider-key",
                      provider_key, "sandbox-id", self->id, "sandbox-instance-id",
                      self->instance_id, "metadata", self->metadata, NULL);
  if (second)
    created_at = g_date_time_add (second, self->created_at % G_USEC_PER_SEC);
  return g_object_new (ASB_TYPE_SANDBOX_INFO, "ref", ref, "state", state, "name", self->name,
                       "reason", has_expired ? "expired" : NULL, "message",
                       has_expired ? "Its time is up" : NULL, "image", "host", "workdir",
                       self->workdir, "made-workdir", TRUE, "created-at", created_at, "expires-at",
                       expires_at, "mounts", mounts, "limits", self->limits, "network",
                       self->host_network ? "host" : "none", NULL);
}
