/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-sandbox.h"

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-fate.h"
#include "asb-opensandbox-identity.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-labels.h"
#include "asb-opensandbox-redact.h"
#include "asb-opensandbox-workdir.h"

#define MAX_REASON_BYTES 128
#define MAX_MESSAGE_BYTES 512

/* Pausing and resuming are neither: whoever waits for their end asks again. */
static const struct
{
  const char *name;
  AsbSandboxState state;
} states[] = {
  { "running", ASB_SANDBOX_STATE_RUNNING },   { "ready", ASB_SANDBOX_STATE_RUNNING },
  { "paused", ASB_SANDBOX_STATE_PAUSED },     { "pending", ASB_SANDBOX_STATE_CREATING },
  { "creating", ASB_SANDBOX_STATE_CREATING }, { "allocated", ASB_SANDBOX_STATE_CREATING },
  { "stopping", ASB_SANDBOX_STATE_STOPPING }, { "terminated", ASB_SANDBOX_STATE_STOPPED },
  { "stopped", ASB_SANDBOX_STATE_STOPPED },   { "deleted", ASB_SANDBOX_STATE_STOPPED },
  { "failed", ASB_SANDBOX_STATE_FAILED },     { "error", ASB_SANDBOX_STATE_FAILED },
};

AsbSandboxState
asb_opensandbox_sandbox_state_from_string (const char *text)
{
  for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
    if (g_ascii_strcasecmp (text, states[i].name) == 0)
      return states[i].state;
  return ASB_SANDBOX_STATE_UNKNOWN;
}

const char *const *
asb_opensandbox_sandbox_state_names (const char *nick)
{
  static const char *const creating[] = { "Pending", "Allocated", NULL };
  static const char *const running[] = { "Running", NULL };
  static const char *const paused[] = { "Paused", NULL };
  static const char *const stopping[] = { "Stopping", NULL };
  static const char *const stopped[] = { "Terminated", NULL };
  static const char *const failed[] = { "Failed", NULL };
  static const struct
  {
    const char *nick;
    const char *const *names;
  } known[] = {
    { "creating", creating }, { "running", running }, { "paused", paused },
    { "stopping", stopping }, { "stopped", stopped }, { "failed", failed },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (nick, known[i].nick))
      return known[i].names;
  return NULL;
}

typedef struct
{
  const char *id;
  const char *state;
  const char *reason;
  const char *message;
  const char *image;
  GHashTable *metadata;
  GDateTime *created_at;
  GDateTime *expires_at;
} Fields;

static void
fields_clear (Fields *fields)
{
  g_clear_pointer (&fields->metadata, g_hash_table_unref);
  g_clear_pointer (&fields->created_at, g_date_time_unref);
  g_clear_pointer (&fields->expires_at, g_date_time_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fields, fields_clear)

static gboolean
read_id (JsonObject *object, Fields *fields, GError **error)
{
  if (!asb_opensandbox_json_get_string (object, "id", TRUE, &fields->id, error))
    return FALSE;
  if (asb_opensandbox_identity_is_id (fields->id))
    return TRUE;
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                       "The server gave a sandbox an id that cannot be used");
  return FALSE;
}

static gboolean
read_status (JsonObject *object, Fields *fields, GError **error)
{
  JsonObject *status = NULL;

  return asb_opensandbox_json_get_object (object, "status", TRUE, &status, error)
         && asb_opensandbox_json_get_string (status, "state", TRUE, &fields->state, error)
         && asb_opensandbox_json_get_string (status, "reason", FALSE, &fields->reason, error)
         && asb_opensandbox_json_get_string (status, "message", FALSE, &fields->message, error);
}

/* Sandboxes of a snapshot have none. */
static gboolean
read_image (JsonObject *object, Fields *fields, GError **error)
{
  JsonObject *image = NULL;

  return asb_opensandbox_json_get_object (object, "image", FALSE, &image, error)
         && (!image || asb_opensandbox_json_get_string (image, "uri", TRUE, &fields->image, error));
}

static gboolean
read_fields (JsonObject *object, Fields *fields, GError **error)
{
  return read_id (object, fields, error) && read_status (object, fields, error)
         && read_image (object, fields, error)
         && asb_opensandbox_json_get_string_map (object, "metadata", FALSE, &fields->metadata,
                                                 error)
         && asb_opensandbox_json_get_time (object, "createdAt", FALSE, &fields->created_at, error)
         && asb_opensandbox_json_get_time (object, "expiresAt", FALSE, &fields->expires_at, error);
}

static AsbSandboxRef *
to_ref (AsbOpensandboxLifecycle *lifecycle, const Fields *fields)
{
  const char *key = asb_opensandbox_lifecycle_get_key (lifecycle);
  g_autofree char *instance_id
      = asb_opensandbox_identity_dup_instance_id (key, fields->id, fields->metadata);

  return asb_sandbox_ref_new ("opensandbox", key, fields->id, instance_id,
                              asb_opensandbox_lifecycle_get_fingerprint (lifecycle),
                              fields->metadata);
}

/* Servers tell the errors of others in it, who may repeat what they were sent. */
char *
asb_opensandbox_sandbox_dup_said (AsbOpensandboxLifecycle *lifecycle, const char *text,
                                  gsize max_bytes)
{
  g_autofree char *shown = NULL;

  if (!text || !*text)
    return NULL;
  shown = asb_opensandbox_error_dup_text (text, strlen (text), max_bytes);
  return asb_opensandbox_redact (shown, asb_opensandbox_lifecycle_get_settings (lifecycle), NULL);
}

/* A state that has no name here is told as the reason. */
static char *
choose_reason (AsbOpensandboxLifecycle *lifecycle, const Fields *fields, AsbSandboxState state)
{
  char *reason = asb_opensandbox_sandbox_dup_said (lifecycle, fields->reason, MAX_REASON_BYTES);

  if (!reason && state == ASB_SANDBOX_STATE_UNKNOWN)
    return asb_opensandbox_sandbox_dup_said (lifecycle, fields->state, MAX_REASON_BYTES);
  return reason;
}

AsbSandboxInfo *
asb_opensandbox_sandbox_parse (AsbOpensandboxLifecycle *lifecycle, JsonObject *object,
                               GError **error)
{
  g_auto (Fields) fields = { 0 };
  g_autoptr (AsbSandboxRef) ref = NULL;
  g_autofree char *reason = NULL;
  g_autofree char *message = NULL;
  g_autofree char *workdir = NULL;
  const char *name = NULL;
  AsbSandboxState state;

  if (!read_fields (object, &fields, error))
    {
      g_prefix_error (error, "The server's account of a sandbox cannot be used: ");
      return NULL;
    }
  asb_opensandbox_fate_note (asb_opensandbox_lifecycle_get_settings (lifecycle), fields.id,
                             fields.expires_at);
  ref = to_ref (lifecycle, &fields);
  state = asb_opensandbox_sandbox_state_from_string (fields.state);
  reason = choose_reason (lifecycle, &fields, state);
  message = asb_opensandbox_sandbox_dup_said (lifecycle, fields.message, MAX_MESSAGE_BYTES);
  if (fields.metadata)
    name = g_hash_table_lookup (fields.metadata, ASB_OPENSANDBOX_LABEL_NAME);
  workdir = asb_opensandbox_workdir_dup (fields.metadata);
  return g_object_new (ASB_TYPE_SANDBOX_INFO, "ref", ref, "state", state, "name", name, "image",
                       fields.image, "created-at", fields.created_at, "expires-at",
                       fields.expires_at, "reason", reason, "message", message, "workdir", workdir,
                       NULL);
}
