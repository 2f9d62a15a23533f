/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-file-edit.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbFileEdit:
 *
 * A text to be replaced in a file of a sandbox, for [method@Backend.edit_file].
 *
 * Since: 1.0
 */

struct _AsbFileEdit
{
  GObject parent_instance;

  char *path;
  char *old_text;
  char *new_text;
  gboolean replace_all;
  guint expected_count;
  char *expected_hash;
  AsbOperation *operation;
};

enum
{
  PROP_0,
  PROP_PATH,
  PROP_OLD_TEXT,
  PROP_NEW_TEXT,
  PROP_REPLACE_ALL,
  PROP_EXPECTED_COUNT,
  PROP_EXPECTED_HASH,
  PROP_OPERATION,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbFileEdit, asb_file_edit, G_TYPE_OBJECT)

static void
asb_file_edit_finalize (GObject *object)
{
  AsbFileEdit *self = ASB_FILE_EDIT (object);

  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->old_text, g_free);
  g_clear_pointer (&self->new_text, g_free);
  g_clear_pointer (&self->expected_hash, g_free);
  g_clear_object (&self->operation);

  G_OBJECT_CLASS (asb_file_edit_parent_class)->finalize (object);
}

static void
asb_file_edit_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbFileEdit *self = ASB_FILE_EDIT (object);

  switch (property_id)
    {
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_OLD_TEXT:
      g_value_set_string (value, self->old_text);
      break;
    case PROP_NEW_TEXT:
      g_value_set_string (value, self->new_text);
      break;
    case PROP_REPLACE_ALL:
      g_value_set_boolean (value, self->replace_all);
      break;
    case PROP_EXPECTED_COUNT:
      g_value_set_uint (value, self->expected_count);
      break;
    case PROP_EXPECTED_HASH:
      g_value_set_string (value, self->expected_hash);
      break;
    case PROP_OPERATION:
      g_value_set_object (value, self->operation);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_file_edit_set_property (GObject *object, guint property_id, const GValue *value,
                            GParamSpec *pspec)
{
  AsbFileEdit *self = ASB_FILE_EDIT (object);

  switch (property_id)
    {
    case PROP_PATH:
      asb_file_edit_set_path (self, g_value_get_string (value));
      break;
    case PROP_OLD_TEXT:
      asb_file_edit_set_old_text (self, g_value_get_string (value));
      break;
    case PROP_NEW_TEXT:
      asb_file_edit_set_new_text (self, g_value_get_string (value));
      break;
    case PROP_REPLACE_ALL:
      asb_file_edit_set_replace_all (self, g_value_get_boolean (value));
      break;
    case PROP_EXPECTED_COUNT:
      asb_file_edit_set_expected_count (self, g_value_get_uint (value));
      break;
    case PROP_EXPECTED_HASH:
      asb_file_edit_set_expected_hash (self, g_value_get_string (value));
      break;
    case PROP_OPERATION:
      asb_file_edit_set_operation (self, g_value_get_object (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_file_edit_class_init (AsbFileEditClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_file_edit_finalize;
  object_class->get_property = asb_file_edit_get_property;
  object_class->set_property = asb_file_edit_set_property;

  /**
   * AsbFileEdit:path:
   *
   * The file; absolute for a transport.
   *
   * Since: 1.0
   */
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbFileEdit:old-text:
   *
   * What is to be replaced, not empty. In a file whose lines all end with CRLF, a line end in it
   * means CRLF.
   *
   * Since: 1.0
   */
  properties[PROP_OLD_TEXT]
      = g_param_spec_string ("old-text", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbFileEdit:new-text:
   *
   * What is to stand there instead.
   *
   * Since: 1.0
   */
  properties[PROP_NEW_TEXT]
      = g_param_spec_string ("new-text", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbFileEdit:replace-all:
   *
   * Whether to replace the text wherever it is. Otherwise it must be there exactly once, or
   * [property@FileEdit:expected-count] times.
   *
   * Since: 1.0
   */
  properties[PROP_REPLACE_ALL]
      = g_param_spec_boolean ("replace-all", NULL, NULL, FALSE, ASB_PARAM_READWRITE);

  /**
   * AsbFileEdit:expected-count:
   *
   * How often the text must be there; 0: nothing is said.
   *
   * Since: 1.0
   */
  properties[PROP_EXPECTED_COUNT]
      = g_param_spec_uint ("expected-count", NULL, NULL, 0, G_MAXUINT, 0, ASB_PARAM_READWRITE);

  /**
   * AsbFileEdit:expected-hash:
   *
   * The SHA-256 the file must have, 64 lower-case hex digits.
   *
   * Since: 1.0
   */
  properties[PROP_EXPECTED_HASH]
      = g_param_spec_string ("expected-hash", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbFileEdit:operation:
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
asb_file_edit_init (AsbFileEdit *self)
{
}

/**
 * asb_file_edit_new:
 *
 * Makes a [class@FileEdit] with every property at its default.
 *
 * Returns: (transfer full): a new [class@FileEdit]
 *
 * Since: 1.0
 */
AsbFileEdit *
asb_file_edit_new (void)
{
  return g_object_new (ASB_TYPE_FILE_EDIT, NULL);
}

/**
 * asb_file_edit_get_path:
 * @self: a [class@FileEdit]
 *
 * Gets [property@FileEdit:path].
 *
 * Returns: (transfer none) (nullable) (type filename): the file; absolute for a transport
 *
 * Since: 1.0
 */
const char *
asb_file_edit_get_path (AsbFileEdit *self)
{
  g_return_val_if_fail (ASB_IS_FILE_EDIT (self), NULL);

  return self->path;
}

/**
 * asb_file_edit_set_path:
 * @self: a [class@FileEdit]
 * @path: (nullable) (type filename): the file; absolute for a transport
 *
 * Sets [property@FileEdit:path].
 *
 * Since: 1.0
 */
void
asb_file_edit_set_path (AsbFileEdit *self, const char *path)
{
  g_return_if_fail (ASB_IS_FILE_EDIT (self));

  if (asb_property_replace_string (&self->path, path))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PATH]);
}

/**
 * asb_file_edit_get_old_text:
 * @self: a [class@FileEdit]
 *
 * Gets [property@FileEdit:old-text].
 *
 * Returns: (transfer none) (nullable): what is to be replaced, not empty
 *
 * Since: 1.0
 */
const char *
asb_file_edit_get_old_text (AsbFileEdit *self)
{
  g_return_val_if_fail (ASB_IS_FILE_EDIT (self), NULL);

  return self->old_text;
}

/**
 * asb_file_edit_set_old_text:
 * @self: a [class@FileEdit]
 * @old_text: (nullable): what is to be replaced, not empty
 *
 * Sets [property@FileEdit:old-text].
 *
 * Since: 1.0
 */
void
asb_file_edit_set_old_text (AsbFileEdit *self, const char *old_text)
{
  g_return_if_fail (ASB_IS_FILE_EDIT (self));

  if (asb_property_replace_string (&self->old_text, old_text))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OLD_TEXT]);
}

/**
 * asb_file_edit_get_new_text:
 * @self: a [class@FileEdit]
 *
 * Gets [property@FileEdit:new-text].
 *
 * Returns: (transfer none) (nullable): what is to stand there instead
 *
 * Since: 1.0
 */
const char *
asb_file_edit_get_new_text (AsbFileEdit *self)
{
  g_return_val_if_fail (ASB_IS_FILE_EDIT (self), NULL);

  return self->new_text;
}

/**
 * asb_file_edit_set_new_text:
 * @self: a [class@FileEdit]
 * @new_text: (nullable): what is to stand there instead
 *
 * Sets [property@FileEdit:new-text].
 *
 * Since: 1.0
 */
void
asb_file_edit_set_new_text (AsbFileEdit *self, const char *new_text)
{
  g_return_if_fail (ASB_IS_FILE_EDIT (self));

  if (asb_property_replace_string (&self->new_text, new_text))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NEW_TEXT]);
}

/**
 * asb_file_edit_get_replace_all:
 * @self: a [class@FileEdit]
 *
 * Gets [property@FileEdit:replace-all].
 *
 * Returns: whether to replace the text wherever it is
 *
 * Since: 1.0
 */
gboolean
asb_file_edit_get_replace_all (AsbFileEdit *self)
{
  g_return_val_if_fail (ASB_IS_FILE_EDIT (self), FALSE);

  return self->replace_all;
}

/**
 * asb_file_edit_set_replace_all:
 * @self: a [class@FileEdit]
 * @replace_all: whether to replace the text wherever it is
 *
 * Sets [property@FileEdit:replace-all].
 *
 * Since: 1.0
 */
void
asb_file_edit_set_replace_all (AsbFileEdit *self, gboolean replace_all)
{
  g_return_if_fail (ASB_IS_FILE_EDIT (self));

  if (self->replace_all == replace_all)
    return;
  self->replace_all = replace_all;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_REPLACE_ALL]);
}

/**
 * asb_file_edit_get_expected_count:
 * @self: a [class@FileEdit]
 *
 * Gets [property@FileEdit:expected-count].
 *
 * Returns: how often the text must be there; 0: nothing is said
 *
 * Since: 1.0
 */
guint
asb_file_edit_get_expected_count (AsbFileEdit *self)
{
  g_return_val_if_fail (ASB_IS_FILE_EDIT (self), 0);

  return self->expected_count;
}

/**
 * asb_file_edit_set_expected_count:
 * @self: a [class@FileEdit]
 * @expected_count: how often the text must be there; 0: nothing is said
 *
 * Sets [property@FileEdit:expected-count].
 *
 * Since: 1.0
 */
void
asb_file_edit_set_expected_count (AsbFileEdit *self, guint expected_count)
{
  g_return_if_fail (ASB_IS_FILE_EDIT (self));

  if (self->expected_count == expected_count)
    return;
  self->expected_count = expected_count;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_EXPECTED_COUNT]);
}

/**
 * asb_file_edit_get_expected_hash:
 * @self: a [class@FileEdit]
 *
 * Gets [property@FileEdit:expected-hash].
 *
 * Returns: (transfer none) (nullable): the SHA-256 the file must have, 64 lower-case hex digits
 *
 * Since: 1.0
 */
const char *
asb_file_edit_get_expected_hash (AsbFileEdit *self)
{
  g_return_val_if_fail (ASB_IS_FILE_EDIT (self), NULL);

  return self->expected_hash;
}

/**
 * asb_file_edit_set_expected_hash:
 * @self: a [class@FileEdit]
 * @expected_hash: (nullable): the SHA-256 the file must have, 64 lower-case hex digits
 *
 * Sets [property@FileEdit:expected-hash].
 *
 * Since: 1.0
 */
void
asb_file_edit_set_expected_hash (AsbFileEdit *self, const char *expected_hash)
{
  g_return_if_fail (ASB_IS_FILE_EDIT (self));

  if (asb_property_replace_string (&self->expected_hash, expected_hash))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_EXPECTED_HASH]);
}

/**
 * asb_file_edit_get_operation:
 * @self: a [class@FileEdit]
 *
 * Gets [property@FileEdit:operation].
 *
 * Returns: (transfer none) (nullable): the operation as recorded; set by the backend
 *
 * Since: 1.0
 */
AsbOperation *
asb_file_edit_get_operation (AsbFileEdit *self)
{
  g_return_val_if_fail (ASB_IS_FILE_EDIT (self), NULL);

  return self->operation;
}

/**
 * asb_file_edit_set_operation:
 * @self: a [class@FileEdit]
 * @operation: (nullable): the operation as recorded; set by the backend
 *
 * Sets [property@FileEdit:operation].
 *
 * Since: 1.0
 */
void
asb_file_edit_set_operation (AsbFileEdit *self, AsbOperation *operation)
{
  g_return_if_fail (ASB_IS_FILE_EDIT (self));

  if (g_set_object (&self->operation, operation))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OPERATION]);
}
