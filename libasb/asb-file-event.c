/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-file-watch-private.h"

#include "asb-enum-types.h"
#include "asb-error.h"
#include "asb-guest-error-private.h"
#include "asb-guest-json-private.h"
#include "asb-property-private.h"

#define MAX_PATH 4096
#define MAX_WORD 256
#define MAX_MESSAGE 16384

/**
 * AsbFileEvent:
 *
 * Something that has happened in what a [class@FileWatch] watches.
 *
 * Since: 1.0
 */

struct _AsbFileEvent
{
  GObject parent_instance;

  AsbFileEventKind kind;
  char *path;
  char *new_path;
  gboolean is_directory;
  gboolean is_closed;
  char *message;
};

enum
{
  PROP_0,
  PROP_KIND,
  PROP_PATH,
  PROP_NEW_PATH,
  PROP_IS_DIRECTORY,
  PROP_IS_CLOSED,
  PROP_MESSAGE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbFileEvent, asb_file_event, G_TYPE_OBJECT)

static void
asb_file_event_finalize (GObject *object)
{
  AsbFileEvent *self = ASB_FILE_EVENT (object);

  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->new_path, g_free);
  g_clear_pointer (&self->message, g_free);

  G_OBJECT_CLASS (asb_file_event_parent_class)->finalize (object);
}

static void
asb_file_event_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbFileEvent *self = ASB_FILE_EVENT (object);

  switch (property_id)
    {
    case PROP_KIND:
      g_value_set_enum (value, self->kind);
      break;
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_NEW_PATH:
      g_value_set_string (value, self->new_path);
      break;
    case PROP_IS_DIRECTORY:
      g_value_set_boolean (value, self->is_directory);
      break;
    case PROP_IS_CLOSED:
      g_value_set_boolean (value, self->is_closed);
      break;
    case PROP_MESSAGE:
      g_value_set_string (value, self->message);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_file_event_set_property (GObject *object, guint property_id, const GValue *value,
                             GParamSpec *pspec)
{
  AsbFileEvent *self = ASB_FILE_EVENT (object);

  switch (property_id)
    {
    case PROP_KIND:
      self->kind = g_value_get_enum (value);
      break;
    case PROP_PATH:
      self->path = g_value_dup_string (value);
      break;
    case PROP_NEW_PATH:
      self->new_path = g_value_dup_string (value);
      break;
    case PROP_IS_DIRECTORY:
      self->is_directory = g_value_get_boolean (value);
      break;
    case PROP_IS_CLOSED:
      self->is_closed = g_value_get_boolean (value);
      break;
    case PROP_MESSAGE:
      self->message = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_file_event_class_init (AsbFileEventClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_file_event_finalize;
  object_class->get_property = asb_file_event_get_property;
  object_class->set_property = asb_file_event_set_property;

  /**
   * AsbFileEvent:kind: (getter get_kind)
   *
   * What has happened.
   *
   * Since: 1.0
   */
  properties[PROP_KIND] = g_param_spec_enum ("kind", NULL, NULL, ASB_TYPE_FILE_EVENT_KIND,
                                             ASB_FILE_EVENT_KIND_CREATED, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileEvent:path:
   *
   * The absolute path it has happened to, bytes without NUL; %NULL for
   * %ASB_FILE_EVENT_KIND_OVERFLOW.
   *
   * Since: 1.0
   */
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileEvent:new-path:
   *
   * The absolute path of what was moved, bytes without NUL; %NULL of anything else.
   *
   * Since: 1.0
   */
  properties[PROP_NEW_PATH]
      = g_param_spec_string ("new-path", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileEvent:is-directory: (getter get_is_directory)
   *
   * Whether it is a directory, or was one.
   *
   * Since: 1.0
   */
  properties[PROP_IS_DIRECTORY]
      = g_param_spec_boolean ("is-directory", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileEvent:is-closed: (getter get_is_closed)
   *
   * Whether who could write to the file has closed it: it may be whole now.
   *
   * Since: 1.0
   */
  properties[PROP_IS_CLOSED]
      = g_param_spec_boolean ("is-closed", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileEvent:message: (getter get_message)
   *
   * Why a directory is not watched, for people; %NULL of anything else.
   *
   * Since: 1.0
   */
  properties[PROP_MESSAGE]
      = g_param_spec_string ("message", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_file_event_init (AsbFileEvent *self)
{
}

/* Parsing. */

static const struct
{
  const char *name;
  AsbFileEventKind kind;
} KINDS[] = {
  { "created", ASB_FILE_EVENT_KIND_CREATED },       { "changed", ASB_FILE_EVENT_KIND_CHANGED },
  { "deleted", ASB_FILE_EVENT_KIND_DELETED },       { "moved", ASB_FILE_EVENT_KIND_MOVED },
  { "attributes", ASB_FILE_EVENT_KIND_ATTRIBUTES }, { "unwatched", ASB_FILE_EVENT_KIND_UNWATCHED },
  { "overflow", ASB_FILE_EVENT_KIND_OVERFLOW },
};

/* −1 for one that nobody here knows. */
static int
find_kind (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (KINDS); i++)
    if (g_str_equal (name, KINDS[i].name))
      return (int)KINDS[i].kind;
  return -1;
}

static gboolean
get_absolute (const json_t *line, const char *name, char **path, GError **error)
{
  if (!asb_guest_json_get_text (line, name, MAX_PATH, path, error))
    return FALSE;
  if (g_path_is_absolute (*path))
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "“%s” of an event is not absolute", name);
  return FALSE;
}

static gboolean
parse_message (AsbFileEvent *self, const json_t *line, GError **error)
{
  const char *message;

  if (!asb_guest_json_get_string (line, "message", MAX_MESSAGE, &message, error))
    return FALSE;
  self->message = asb_guest_message_dup (message);
  self->is_directory = TRUE;
  return TRUE;
}

static gboolean
parse_members (AsbFileEvent *self, const json_t *line, GError **error)
{
  if (self->kind == ASB_FILE_EVENT_KIND_OVERFLOW)
    return TRUE;
  if (!get_absolute (line, "path", &self->path, error))
    return FALSE;
  if (self->kind == ASB_FILE_EVENT_KIND_UNWATCHED)
    return parse_message (self, line, error);
  if (self->kind == ASB_FILE_EVENT_KIND_MOVED && !get_absolute (line, "to", &self->new_path, error))
    return FALSE;
  if (asb_guest_json_has (line, "closed")
      && !asb_guest_json_get_boolean (line, "closed", &self->is_closed, error))
    return FALSE;
  return asb_guest_json_get_boolean (line, "is_directory", &self->is_directory, error);
}

AsbFileEvent *
asb_file_event_new_from_json (const json_t *line, GError **error)
{
  g_autoptr (AsbFileEvent) self = NULL;
  const char *name;
  int kind;

  if (!asb_guest_json_get_string (line, "event", MAX_WORD, &name, error))
    return NULL;
  kind = find_kind (name);
  if (kind < 0)
    return NULL;
  self = g_object_new (ASB_TYPE_FILE_EVENT, "kind", kind, NULL);
  return parse_members (self, line, error) ? g_steal_pointer (&self) : NULL;
}

AsbFileEvent *
asb_file_event_new_overflow (void)
{
  return g_object_new (ASB_TYPE_FILE_EVENT, "kind", ASB_FILE_EVENT_KIND_OVERFLOW, NULL);
}

/**
 * asb_file_event_get_kind:
 * @self: a [class@FileEvent]
 *
 * Gets [property@FileEvent:kind].
 *
 * Returns: what has happened
 *
 * Since: 1.0
 */
AsbFileEventKind
asb_file_event_get_kind (AsbFileEvent *self)
{
  g_return_val_if_fail (ASB_IS_FILE_EVENT (self), ASB_FILE_EVENT_KIND_CREATED);

  return self->kind;
}

/**
 * asb_file_event_get_path:
 * @self: a [class@FileEvent]
 *
 * Gets [property@FileEvent:path].
 *
 * Returns: (transfer none) (nullable) (type filename): the absolute path it has happened to, bytes
 * without NUL; %NULL for %ASB_FILE_EVENT_KIND_OVERFLOW
 *
 * Since: 1.0
 */
const char *
asb_file_event_get_path (AsbFileEvent *self)
{
  g_return_val_if_fail (ASB_IS_FILE_EVENT (self), NULL);

  return self->path;
}

/**
 * asb_file_event_get_new_path:
 * @self: a [class@FileEvent]
 *
 * Gets [property@FileEvent:new-path].
 *
 * Returns: (transfer none) (nullable) (type filename): the absolute path of what was moved, bytes
 * without NUL; %NULL of anything else
 *
 * Since: 1.0
 */
const char *
asb_file_event_get_new_path (AsbFileEvent *self)
{
  g_return_val_if_fail (ASB_IS_FILE_EVENT (self), NULL);

  return self->new_path;
}

/**
 * asb_file_event_get_is_directory:
 * @self: a [class@FileEvent]
 *
 * Gets [property@FileEvent:is-directory].
 *
 * Returns: whether it is a directory, or was one
 *
 * Since: 1.0
 */
gboolean
asb_file_event_get_is_directory (AsbFileEvent *self)
{
  g_return_val_if_fail (ASB_IS_FILE_EVENT (self), FALSE);

  return self->is_directory;
}

/**
 * asb_file_event_get_is_closed:
 * @self: a [class@FileEvent]
 *
 * Gets [property@FileEvent:is-closed].
 *
 * Returns: whether who could write to the file has closed it
 *
 * Since: 1.0
 */
gboolean
asb_file_event_get_is_closed (AsbFileEvent *self)
{
  g_return_val_if_fail (ASB_IS_FILE_EVENT (self), FALSE);

  return self->is_closed;
}

/**
 * asb_file_event_get_message:
 * @self: a [class@FileEvent]
 *
 * Gets [property@FileEvent:message].
 *
 * Returns: (transfer none) (nullable): why a directory is not watched, for people; %NULL of
 * anything else
 *
 * Since: 1.0
 */
const char *
asb_file_event_get_message (AsbFileEvent *self)
{
  g_return_val_if_fail (ASB_IS_FILE_EVENT (self), NULL);

  return self->message;
}
