/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-text-match.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbTextMatch:
 *
 * A line of a file in which a search has found what it was to look for.
 *
 * Since: 1.0
 */

struct _AsbTextMatch
{
  GObject parent_instance;

  char *path;
  guint64 line_number;
  guint column;
  guint64 offset;
  GBytes *bytes;
  gboolean truncated;
  gboolean context;
};

enum
{
  PROP_0,
  PROP_PATH,
  PROP_LINE_NUMBER,
  PROP_COLUMN,
  PROP_OFFSET,
  PROP_BYTES,
  PROP_TRUNCATED,
  PROP_CONTEXT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbTextMatch, asb_text_match, G_TYPE_OBJECT)

static void
asb_text_match_finalize (GObject *object)
{
  AsbTextMatch *self = ASB_TEXT_MATCH (object);

  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->bytes, g_bytes_unref);

  G_OBJECT_CLASS (asb_text_match_parent_class)->finalize (object);
}

static void
asb_text_match_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbTextMatch *self = ASB_TEXT_MATCH (object);

  switch (property_id)
    {
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_LINE_NUMBER:
      g_value_set_uint64 (value, self->line_number);
      break;
    case PROP_COLUMN:
      g_value_set_uint (value, self->column);
      break;
    case PROP_OFFSET:
      g_value_set_uint64 (value, self->offset);
      break;
    case PROP_BYTES:
      g_value_set_boxed (value, self->bytes);
      break;
    case PROP_TRUNCATED:
      g_value_set_boolean (value, self->truncated);
      break;
    case PROP_CONTEXT:
      g_value_set_boolean (value, self->context);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_text_match_set_property (GObject *object, guint property_id, const GValue *value,
                             GParamSpec *pspec)
{
  AsbTextMatch *self = ASB_TEXT_MATCH (object);

  switch (property_id)
    {
    case PROP_PATH:
      self->path = g_value_dup_string (value);
      break;
    case PROP_LINE_NUMBER:
      self->line_number = g_value_get_uint64 (value);
      break;
    case PROP_COLUMN:
      self->column = g_value_get_uint (value);
      break;
    case PROP_OFFSET:
      self->offset = g_value_get_uint64 (value);
      break;
    case PROP_BYTES:
      self->bytes = g_value_dup_boxed (value);
      break;
    case PROP_TRUNCATED:
      self->truncated = g_value_get_boolean (value);
      break;
    case PROP_CONTEXT:
      self->context = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_text_match_class_init (AsbTextMatchClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_text_match_finalize;
  object_class->get_property = asb_text_match_get_property;
  object_class->set_property = asb_text_match_set_property;

  /**
   * AsbTextMatch:path:
   *
   * The absolute path of the file, bytes without NUL.
   *
   * Since: 1.0
   */
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbTextMatch:line-number:
   *
   * The number of the line, from 1 on.
   *
   * Since: 1.0
   */
  properties[PROP_LINE_NUMBER] = g_param_spec_uint64 ("line-number", NULL, NULL, 0, G_MAXUINT64, 0,
                                                      ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbTextMatch:column:
   *
   * Where in the line the first match begins, in bytes from 0 on.
   *
   * Since: 1.0
   */
  properties[PROP_COLUMN]
      = g_param_spec_uint ("column", NULL, NULL, 0, G_MAXUINT, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbTextMatch:offset:
   *
   * Where in the line the bytes that are told of it begin.
   *
   * Since: 1.0
   */
  properties[PROP_OFFSET]
      = g_param_spec_uint64 ("offset", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbTextMatch:bytes:
   *
   * The line without its end; of a long one what is around the match.
   *
   * Since: 1.0
   */
  properties[PROP_BYTES]
      = g_param_spec_boxed ("bytes", NULL, NULL, G_TYPE_BYTES, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbTextMatch:truncated:
   *
   * Whether the line is longer than what is told of it.
   *
   * Since: 1.0
   */
  properties[PROP_TRUNCATED]
      = g_param_spec_boolean ("truncated", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbTextMatch:context:
   *
   * Whether it stands beside a match and is none itself.
   *
   * Since: 1.0
   */
  properties[PROP_CONTEXT]
      = g_param_spec_boolean ("context", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_text_match_init (AsbTextMatch *self)
{
}

/**
 * asb_text_match_get_path:
 * @self: a [class@TextMatch]
 *
 * Gets [property@TextMatch:path].
 *
 * Returns: (transfer none) (type filename): the absolute path of the file, bytes without NUL
 *
 * Since: 1.0
 */
const char *
asb_text_match_get_path (AsbTextMatch *self)
{
  g_return_val_if_fail (ASB_IS_TEXT_MATCH (self), NULL);

  return self->path;
}

/**
 * asb_text_match_get_line_number:
 * @self: a [class@TextMatch]
 *
 * Gets [property@TextMatch:line-number].
 *
 * Returns: the number of the line, from 1 on
 *
 * Since: 1.0
 */
guint64
asb_text_match_get_line_number (AsbTextMatch *self)
{
  g_return_val_if_fail (ASB_IS_TEXT_MATCH (self), 0);

  return self->line_number;
}

/**
 * asb_text_match_get_column:
 * @self: a [class@TextMatch]
 *
 * Gets [property@TextMatch:column].
 *
 * Returns: where in the line the first match begins, in bytes from 0 on
 *
 * Since: 1.0
 */
guint
asb_text_match_get_column (AsbTextMatch *self)
{
  g_return_val_if_fail (ASB_IS_TEXT_MATCH (self), 0);

  return self->column;
}

/**
 * asb_text_match_get_offset:
 * @self: a [class@TextMatch]
 *
 * Gets [property@TextMatch:offset].
 *
 * Returns: where in the line the bytes that are told of it begin
 *
 * Since: 1.0
 */
guint64
asb_text_match_get_offset (AsbTextMatch *self)
{
  g_return_val_if_fail (ASB_IS_TEXT_MATCH (self), 0);

  return self->offset;
}

/**
 * asb_text_match_get_bytes:
 * @self: a [class@TextMatch]
 *
 * Gets [property@TextMatch:bytes].
 *
 * Returns: (transfer none) (nullable): the line without its end; of a long one what is around the
 * match
 *
 * Since: 1.0
 */
GBytes *
asb_text_match_get_bytes (AsbTextMatch *self)
{
  g_return_val_if_fail (ASB_IS_TEXT_MATCH (self), NULL);

  return self->bytes;
}

/**
 * asb_text_match_get_truncated:
 * @self: a [class@TextMatch]
 *
 * Gets [property@TextMatch:truncated].
 *
 * Returns: whether the line is longer than what is told of it
 *
 * Since: 1.0
 */
gboolean
asb_text_match_get_truncated (AsbTextMatch *self)
{
  g_return_val_if_fail (ASB_IS_TEXT_MATCH (self), FALSE);

  return self->truncated;
}

/**
 * asb_text_match_get_context:
 * @self: a [class@TextMatch]
 *
 * Gets [property@TextMatch:context].
 *
 * Returns: whether it stands beside a match and is none itself
 *
 * Since: 1.0
 */
gboolean
asb_text_match_get_context (AsbTextMatch *self)
{
  g_return_val_if_fail (ASB_IS_TEXT_MATCH (self), FALSE);

  return self->context;
}

/**
 * asb_text_match_dup_text:
 * @self: a [class@TextMatch]
 *
 * Gets the line as text. Bytes that are no UTF-8 are shown as replacement characters; what they
 * are is in [property@TextMatch:bytes].
 *
 * Returns: (transfer full): the line
 *
 * Since: 1.0
 */
char *
asb_text_match_dup_text (AsbTextMatch *self)
{
  gsize size = 0;
  const char *bytes;

  g_return_val_if_fail (ASB_IS_TEXT_MATCH (self), NULL);

  bytes = self->bytes ? g_bytes_get_data (self->bytes, &size) : NULL;
  return bytes ? g_utf8_make_valid (bytes, (gssize)size) : g_strdup ("");
}
