/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-file-request.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbFileRequest:
 *
 * The arguments of one file operation of a [iface@Transport]. Which of them an operation looks at
 * is said there.
 *
 * Since: 1.0
 */

struct _AsbFileRequest
{
  GObject parent_instance;

  char *path;
  char *new_path;
  GBytes *contents;
  char *expected_hash;
  int mode;
  guint64 offset;
  gint64 length;
  gint64 uid;
  gint64 gid;
  AsbFileFlags flags;
  AsbOperation *operation;
};

enum
{
  PROP_0,
  PROP_PATH,
  PROP_NEW_PATH,
  PROP_CONTENTS,
  PROP_EXPECTED_HASH,
  PROP_MODE,
  PROP_OFFSET,
  PROP_LENGTH,
  PROP_UID,
  PROP_GID,
  PROP_FLAGS,
  PROP_OPERATION,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbFileRequest, asb_file_request, G_TYPE_OBJECT)

static void
asb_file_request_finalize (GObject *object)
{
  AsbFileRequest *self = ASB_FILE_REQUEST (object);

  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->new_path, g_free);
  g_clear_pointer (&self->contents, g_bytes_unref);
  g_clear_pointer (&self->expected_hash, g_free);
  g_clear_object (&self->operation);

  G_OBJECT_CLASS (asb_file_request_parent_class)->finalize (object);
}

static void
asb_file_request_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbFileRequest *self = ASB_FILE_REQUEST (object);

  switch (property_id)
    {
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_NEW_PATH:
      g_value_set_string (value, self->new_path);
      break;
    case PROP_CONTENTS:
      g_value_set_boxed (value, self->contents);
      break;
    case PROP_EXPECTED_HASH:
      g_value_set_string (value, self->expected_hash);
      break;
    case PROP_MODE:
      g_value_set_int (value, self->mode);
      break;
    case PROP_OFFSET:
      g_value_set_uint64 (value, self->offset);
      break;
    case PROP_LENGTH:
      g_value_set_int64 (value, self->length);
      break;
    case PROP_UID:
      g_value_set_int64 (value, self->uid);
      break;
    case PROP_GID:
      g_value_set_int64 (value, self->gid);
      break;
    case PROP_FLAGS:
      g_value_set_flags (value, self->flags);
      break;
    case PROP_OPERATION:
      g_value_set_object (value, self->operation);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_file_request_set_property (GObject *object, guint property_id, const GValue *value,
                               GParamSpec *pspec)
{
  AsbFileRequest *self = ASB_FILE_REQUEST (object);

  switch (property_id)
    {
    case PROP_PATH:
      asb_file_request_set_path (self, g_value_get_string (value));
      break;
    case PROP_NEW_PATH:
      asb_file_request_set_new_path (self, g_value_get_string (value));
      break;
    case PROP_CONTENTS:
      asb_file_request_set_contents (self, g_value_get_boxed (value));
      break;
    case PROP_EXPECTED_HASH:
      asb_file_request_set_expected_hash (self, g_value_get_string (value));
      break;
    case PROP_MODE:
      asb_file_request_set_mode (self, g_value_get_int (value));
      break;
    case PROP_OFFSET:
      asb_file_request_set_offset (self, g_value_get_uint64 (value));
      break;
    case PROP_LENGTH:
      asb_file_request_set_length (self, g_value_get_int64 (value));
      break;
    case PROP_UID:
      asb_file_request_set_uid (self, g_value_get_int64 (value));
      break;
    case PROP_GID:
      asb_file_request_set_gid (self, g_value_get_int64 (value));
      break;
    case PROP_FLAGS:
      asb_file_request_set_flags (self, g_value_get_flags (value));
      break;
    case PROP_OPERATION:
      asb_file_request_set_operation (self, g_value_get_object (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_file_request_class_init (AsbFileRequestClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_file_request_finalize;
  object_class->get_property = asb_file_request_get_property;
  object_class->set_property = asb_file_request_set_property;

  /**
   * AsbFileRequest:path:
   *
   * The absolute path, bytes without NUL.
   *
   * Since: 1.0
   */
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbFileRequest:new-path:
   *
   * The absolute path to move to.
   *
   * Since: 1.0
   */
  properties[PROP_NEW_PATH]
      = g_param_spec_string ("new-path", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbFileRequest:contents:
   *
   * What to write.
   *
   * Since: 1.0
   */
  properties[PROP_CONTENTS]
      = g_param_spec_boxed ("contents", NULL, NULL, G_TYPE_BYTES, ASB_PARAM_READWRITE);

  /**
   * AsbFileRequest:expected-hash:
   *
   * The SHA-256 the file must have before it is replaced, 64 lower-case hex digits.
   *
   * Since: 1.0
   */
  properties[PROP_EXPECTED_HASH]
      = g_param_spec_string ("expected-hash", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbFileRequest:mode:
   *
   * The permission bits, 0 to 07777; −1 for those of the file replaced, or the default.
   *
   * Since: 1.0
   */
  properties[PROP_MODE] = g_param_spec_int ("mode", NULL, NULL, -1, 07777, -1, ASB_PARAM_READWRITE);

  /**
   * AsbFileRequest:offset:
   *
   * The first byte to read.
   *
   * Since: 1.0
   */
  properties[PROP_OFFSET]
      = g_param_spec_uint64 ("offset", NULL, NULL, 0, 9007199254740991, 0, ASB_PARAM_READWRITE);

  /**
   * AsbFileRequest:length:
   *
   * How many bytes to read; −1 for all.
   *
   * Since: 1.0
   */
  properties[PROP_LENGTH]
      = g_param_spec_int64 ("length", NULL, NULL, -1, 9007199254740991, -1, ASB_PARAM_READWRITE);

  /**
   * AsbFileRequest:uid:
   *
   * The number of the owner; −1: as it is.
   *
   * Since: 1.0
   */
  properties[PROP_UID]
      = g_param_spec_int64 ("uid", NULL, NULL, -1, 4294967294, -1, ASB_PARAM_READWRITE);

  /**
   * AsbFileRequest:gid:
   *
   * The number of the group; −1: as it is.
   *
   * Since: 1.0
   */
  properties[PROP_GID]
      = g_param_spec_int64 ("gid", NULL, NULL, -1, 4294967294, -1, ASB_PARAM_READWRITE);

  /**
   * AsbFileRequest:flags:
   *
   * How it is done.
   *
   * Since: 1.0
   */
  properties[PROP_FLAGS]
      = g_param_spec_flags ("flags", NULL, NULL, ASB_TYPE_FILE_FLAGS, 0, ASB_PARAM_READWRITE);

  /**
   * AsbFileRequest:operation:
   *
   * The operation as recorded; set by the backend.
   *
   * Since: 1.0
   */
  properties[PROP_OPERATION]
      = g_param_spec_object ("operation", NULL, NULL, ASB_TYPE_OPERATION, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_file_request_init (AsbFileRequest *self)
{
  self->mode = -1;
  self->length = -1;
  self->uid = -1;
  self->gid = -1;
}

/**
 * asb_file_request_new:
 *
 * Makes a [class@FileRequest] with every property at its default.
 *
 * Returns: (transfer full): a new [class@FileRequest]
 *
 * Since: 1.0
 */
AsbFileRequest *
asb_file_request_new (void)
{
  return g_object_new (ASB_TYPE_FILE_REQUEST, NULL);
}

/**
 * asb_file_request_get_path:
 * @self: a [class@FileRequest]
 *
 * Gets [property@FileRequest:path].
 *
 * Returns: (transfer none) (type filename): the absolute path, bytes without NUL
 *
 * Since: 1.0
 */
const char *
asb_file_request_get_path (AsbFileRequest *self)
{
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (self), NULL);

  return self->path;
}

/**
 * asb_file_request_set_path:
 * @self: a [class@FileRequest]
 * @path: (type filename): the absolute path, bytes without NUL
 *
 * Sets [property@FileRequest:path].
 *
 * Since: 1.0
 */
void
asb_file_request_set_path (AsbFileRequest *self, const char *path)
{
  g_return_if_fail (ASB_IS_FILE_REQUEST (self));

  if (asb_property_replace_string (&self->path, path))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PATH]);
}

/**
 * asb_file_request_get_new_path:
 * @self: a [class@FileRequest]
 *
 * Gets [property@FileRequest:new-path].
 *
 * Returns: (transfer none) (nullable) (type filename): the absolute path to move to
 *
 * Since: 1.0
 */
const char *
asb_file_request_get_new_path (AsbFileRequest *self)
{
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (self), NULL);

  return self->new_path;
}

/**
 * asb_file_request_set_new_path:
 * @self: a [class@FileRequest]
 * @new_path: (nullable) (type filename): the absolute path to move to
 *
 * Sets [property@FileRequest:new-path].
 *
 * Since: 1.0
 */
void
asb_file_request_set_new_path (AsbFileRequest *self, const char *new_path)
{
  g_return_if_fail (ASB_IS_FILE_REQUEST (self));

  if (asb_property_replace_string (&self->new_path, new_path))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NEW_PATH]);
}

/**
 * asb_file_request_get_contents:
 * @self: a [class@FileRequest]
 *
 * Gets [property@FileRequest:contents].
 *
 * Returns: (transfer none) (nullable): what to write
 *
 * Since: 1.0
 */
GBytes *
asb_file_request_get_contents (AsbFileRequest *self)
{
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (self), NULL);

  return self->contents;
}

/**
 * asb_file_request_set_contents:
 * @self: a [class@FileRequest]
 * @contents: (nullable): what to write
 *
 * Sets [property@FileRequest:contents].
 *
 * Since: 1.0
 */
void
asb_file_request_set_contents (AsbFileRequest *self, GBytes *contents)
{
  g_return_if_fail (ASB_IS_FILE_REQUEST (self));

  if (asb_property_replace_bytes (&self->contents, contents))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONTENTS]);
}

/**
 * asb_file_request_get_expected_hash:
 * @self: a [class@FileRequest]
 *
 * Gets [property@FileRequest:expected-hash].
 *
 * Returns: (transfer none) (nullable): the SHA-256 the file must have before it is replaced, 64
 * lower-case hex digits
 *
 * Since: 1.0
 */
const char *
asb_file_request_get_expected_hash (AsbFileRequest *self)
{
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (self), NULL);

  return self->expected_hash;
}

/**
 * asb_file_request_set_expected_hash:
 * @self: a [class@FileRequest]
 * @expected_hash: (nullable): the SHA-256 the file must have before it is replaced, 64 lower-case
 * hex digits
 *
 * Sets [property@FileRequest:expected-hash].
 *
 * Since: 1.0
 */
void
asb_file_request_set_expected_hash (AsbFileRequest *self, const char *expected_hash)
{
  g_return_if_fail (ASB_IS_FILE_REQUEST (self));

  if (asb_property_replace_string (&self->expected_hash, expected_hash))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_EXPECTED_HASH]);
}

/**
 * asb_file_request_get_mode:
 * @self: a [class@FileRequest]
 *
 * Gets [property@FileRequest:mode].
 *
 * Returns: the permission bits, 0 to 07777; −1 for those of the file replaced, or the default
 *
 * Since: 1.0
 */
int
asb_file_request_get_mode (AsbFileRequest *self)
{
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (self), 0);

  return self->mode;
}

/**
 * asb_file_request_set_mode:
 * @self: a [class@FileRequest]
 * @mode: the permission bits, 0 to 07777; −1 for those of the file replaced, or the default
 *
 * Sets [property@FileRequest:mode].
 *
 * Since: 1.0
 */
void
asb_file_request_set_mode (AsbFileRequest *self, int mode)
{
  g_return_if_fail (ASB_IS_FILE_REQUEST (self));

  if (self->mode == mode)
    return;
  self->mode = mode;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODE]);
}

/**
 * asb_file_request_get_offset:
 * @self: a [class@FileRequest]
 *
 * Gets [property@FileRequest:offset].
 *
 * Returns: the first byte to read
 *
 * Since: 1.0
 */
guint64
asb_file_request_get_offset (AsbFileRequest *self)
{
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (self), 0);

  return self->offset;
}

/**
 * asb_file_request_set_offset:
 * @self: a [class@FileRequest]
 * @offset: the first byte to read
 *
 * Sets [property@FileRequest:offset].
 *
 * Since: 1.0
 */
void
asb_file_request_set_offset (AsbFileRequest *self, guint64 offset)
{
  g_return_if_fail (ASB_IS_FILE_REQUEST (self));

  if (self->offset == offset)
    return;
  self->offset = offset;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OFFSET]);
}

/**
 * asb_file_request_get_length:
 * @self: a [class@FileRequest]
 *
 * Gets [property@FileRequest:length].
 *
 * Returns: how many bytes to read; −1 for all
 *
 * Since: 1.0
 */
gint64
asb_file_request_get_length (AsbFileRequest *self)
{
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (self), 0);

  return self->length;
}

/**
 * asb_file_request_set_length:
 * @self: a [class@FileRequest]
 * @length: how many bytes to read; −1 for all
 *
 * Sets [property@FileRequest:length].
 *
 * Since: 1.0
 */
void
asb_file_request_set_length (AsbFileRequest *self, gint64 length)
{
  g_return_if_fail (ASB_IS_FILE_REQUEST (self));

  if (self->length == length)
    return;
  self->length = length;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LENGTH]);
}

/**
 * asb_file_request_get_uid:
 * @self: a [class@FileRequest]
 *
 * Gets [property@FileRequest:uid].
 *
 * Returns: the number of the owner; −1: as it is
 *
 * Since: 1.0
 */
gint64
asb_file_request_get_uid (AsbFileRequest *self)
{
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (self), 0);

  return self->uid;
}

/**
 * asb_file_request_set_uid:
 * @self: a [class@FileRequest]
 * @uid: the number of the owner; −1: as it is
 *
 * Sets [property@FileRequest:uid].
 *
 * Since: 1.0
 */
void
asb_file_request_set_uid (AsbFileRequest *self, gint64 uid)
{
  g_return_if_fail (ASB_IS_FILE_REQUEST (self));

  if (self->uid == uid)
    return;
  self->uid = uid;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_UID]);
}

/**
 * asb_file_request_get_gid:
 * @self: a [class@FileRequest]
 *
 * Gets [property@FileRequest:gid].
 *
 * Returns: the number of the group; −1: as it is
 *
 * Since: 1.0
 */
gint64
asb_file_request_get_gid (AsbFileRequest *self)
{
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (self), 0);

  return self->gid;
}

/**
 * asb_file_request_set_gid:
 * @self: a [class@FileRequest]
 * @gid: the number of the group; −1: as it is
 *
 * Sets [property@FileRequest:gid].
 *
 * Since: 1.0
 */
void
asb_file_request_set_gid (AsbFileRequest *self, gint64 gid)
{
  g_return_if_fail (ASB_IS_FILE_REQUEST (self));

  if (self->gid == gid)
    return;
  self->gid = gid;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_GID]);
}

/**
 * asb_file_request_get_flags:
 * @self: a [class@FileRequest]
 *
 * Gets [property@FileRequest:flags].
 *
 * Returns: how it is done
 *
 * Since: 1.0
 */
AsbFileFlags
asb_file_request_get_flags (AsbFileRequest *self)
{
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (self), 0);

  return self->flags;
}

/**
 * asb_file_request_set_flags:
 * @self: a [class@FileRequest]
 * @flags: how it is done
 *
 * Sets [property@FileRequest:flags].
 *
 * Since: 1.0
 */
void
asb_file_request_set_flags (AsbFileRequest *self, AsbFileFlags flags)
{
  g_return_if_fail (ASB_IS_FILE_REQUEST (self));

  if (self->flags == flags)
    return;
  self->flags = flags;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FLAGS]);
}

/**
 * asb_file_request_get_operation:
 * @self: a [class@FileRequest]
 *
 * Gets [property@FileRequest:operation].
 *
 * Returns: (transfer none) (nullable): the operation as recorded; set by the backend
 *
 * Since: 1.0
 */
AsbOperation *
asb_file_request_get_operation (AsbFileRequest *self)
{
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (self), NULL);

  return self->operation;
}

/**
 * asb_file_request_set_operation:
 * @self: a [class@FileRequest]
 * @operation: (nullable): the operation as recorded; set by the backend
 *
 * Sets [property@FileRequest:operation].
 *
 * Since: 1.0
 */
void
asb_file_request_set_operation (AsbFileRequest *self, AsbOperation *operation)
{
  g_return_if_fail (ASB_IS_FILE_REQUEST (self));

  if (g_set_object (&self->operation, operation))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OPERATION]);
}

/**
 * asb_file_request_new_for_path:
 * @path: (type filename): the absolute path
 *
 * Makes a request about one path.
 *
 * Returns: (transfer full): a new [class@FileRequest]
 *
 * Since: 1.0
 */
AsbFileRequest *
asb_file_request_new_for_path (const char *path)
{
  g_return_val_if_fail (path != NULL, NULL);

  return g_object_new (ASB_TYPE_FILE_REQUEST, "path", path, NULL);
}
