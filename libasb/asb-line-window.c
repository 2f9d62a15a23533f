/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-line-window.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbLineWindow:
 *
 * Some lines of a file.
 *
 * Since: 1.0
 */

struct _AsbLineWindow
{
  GObject parent_instance;

  AsbLineState state;
  GBytes *bytes;
  guint64 n_lines;
  gboolean more;
  gboolean truncated;
  gint64 total_lines;
  guint64 file_size;
};

enum
{
  PROP_0,
  PROP_STATE,
  PROP_BYTES,
  PROP_N_LINES,
  PROP_MORE,
  PROP_TRUNCATED,
  PROP_TOTAL_LINES,
  PROP_FILE_SIZE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbLineWindow, asb_line_window, G_TYPE_OBJECT)

static void
asb_line_window_finalize (GObject *object)
{
  AsbLineWindow *self = ASB_LINE_WINDOW (object);

  g_clear_pointer (&self->bytes, g_bytes_unref);

  G_OBJECT_CLASS (asb_line_window_parent_class)->finalize (object);
}

static void
asb_line_window_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbLineWindow *self = ASB_LINE_WINDOW (object);

  switch (property_id)
    {
    case PROP_STATE:
      g_value_set_enum (value, self->state);
      break;
    case PROP_BYTES:
      g_value_set_boxed (value, self->bytes);
      break;
    case PROP_N_LINES:
      g_value_set_uint64 (value, self->n_lines);
      break;
    case PROP_MORE:
      g_value_set_boolean (value, self->more);
      break;
    case PROP_TRUNCATED:
      g_value_set_boolean (value, self->truncated);
      break;
    case PROP_TOTAL_LINES:
      g_value_set_int64 (value, self->total_lines);
      break;
    case PROP_FILE_SIZE:
      g_value_set_uint64 (value, self->file_size);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_line_window_set_property (GObject *object, guint property_id, const GValue *value,
                              GParamSpec *pspec)
{
  AsbLineWindow *self = ASB_LINE_WINDOW (object);

  switch (property_id)
    {
    case PROP_STATE:
      self->state = g_value_get_enum (value);
      break;
    case PROP_BYTES:
      self->bytes = g_value_dup_boxed (value);
      break;
    case PROP_N_LINES:
      self->n_lines = g_value_get_uint64 (value);
      break;
    case PROP_MORE:
      self->more = g_value_get_boolean (value);
      break;
    case PROP_TRUNCATED:
      self->truncated = g_value_get_boolean (value);
      break;
    case PROP_TOTAL_LINES:
      self->total_lines = g_value_get_int64 (value);
      break;
    case PROP_FILE_SIZE:
      self->file_size = g_value_get_uint64 (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_line_window_class_init (AsbLineWindowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_line_window_finalize;
  object_class->get_property = asb_line_window_get_property;
  object_class->set_property = asb_line_window_set_property;

  /**
   * AsbLineWindow:state:
   *
   * What it holds.
   *
   * Since: 1.0
   */
  properties[PROP_STATE]
      = g_param_spec_enum ("state", NULL, NULL, ASB_TYPE_LINE_STATE, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbLineWindow:bytes:
   *
   * The lines, with their ends.
   *
   * Since: 1.0
   */
  properties[PROP_BYTES]
      = g_param_spec_boxed ("bytes", NULL, NULL, G_TYPE_BYTES, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbLineWindow:n-lines:
   *
   * How many lines it holds.
   *
   * Since: 1.0
   */
  properties[PROP_N_LINES]
      = g_param_spec_uint64 ("n-lines", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbLineWindow:more:
   *
   * Whether there is something behind it in the file.
   *
   * Since: 1.0
   */
  properties[PROP_MORE]
      = g_param_spec_boolean ("more", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbLineWindow:truncated:
   *
   * Whether its last line is cut, because it had become too large.
   *
   * Since: 1.0
   */
  properties[PROP_TRUNCATED]
      = g_param_spec_boolean ("truncated", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbLineWindow:total-lines:
   *
   * How many lines the file has; −1 where its end was not seen.
   *
   * Since: 1.0
   */
  properties[PROP_TOTAL_LINES] = g_param_spec_int64 ("total-lines", NULL, NULL, -1, G_MAXINT64, -1,
                                                     ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbLineWindow:file-size:
   *
   * The size of the file in bytes.
   *
   * Since: 1.0
   */
  properties[PROP_FILE_SIZE]
      = g_param_spec_uint64 ("file-size", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_line_window_init (AsbLineWindow *self)
{
}

/**
 * asb_line_window_get_state:
 * @self: a [class@LineWindow]
 *
 * Gets [property@LineWindow:state].
 *
 * Returns: what it holds
 *
 * Since: 1.0
 */
AsbLineState
asb_line_window_get_state (AsbLineWindow *self)
{
  g_return_val_if_fail (ASB_IS_LINE_WINDOW (self), 0);

  return self->state;
}

/**
 * asb_line_window_get_bytes:
 * @self: a [class@LineWindow]
 *
 * Gets [property@LineWindow:bytes].
 *
 * Returns: (transfer none) (nullable): the lines, with their ends
 *
 * Since: 1.0
 */
GBytes *
asb_line_window_get_bytes (AsbLineWindow *self)
{
  g_return_val_if_fail (ASB_IS_LINE_WINDOW (self), NULL);

  return self->bytes;
}

/**
 * asb_line_window_get_n_lines:
 * @self: a [class@LineWindow]
 *
 * Gets [property@LineWindow:n-lines].
 *
 * Returns: how many lines it holds
 *
 * Since: 1.0
 */
guint64
asb_line_window_get_n_lines (AsbLineWindow *self)
{
  g_return_val_if_fail (ASB_IS_LINE_WINDOW (self), 0);

  return self->n_lines;
}

/**
 * asb_line_window_get_more:
 * @self: a [class@LineWindow]
 *
 * Gets [property@LineWindow:more].
 *
 * Returns: whether there is something behind it in the file
 *
 * Since: 1.0
 */
gboolean
asb_line_window_get_more (AsbLineWindow *self)
{
  g_return_val_if_fail (ASB_IS_LINE_WINDOW (self), FALSE);

  return self->more;
}

/**
 * asb_line_window_get_truncated:
 * @self: a [class@LineWindow]
 *
 * Gets [property@LineWindow:truncated].
 *
 * Returns: whether its last line is cut, because it had become too large
 *
 * Since: 1.0
 */
gboolean
asb_line_window_get_truncated (AsbLineWindow *self)
{
  g_return_val_if_fail (ASB_IS_LINE_WINDOW (self), FALSE);

  return self->truncated;
}

/**
 * asb_line_window_get_total_lines:
 * @self: a [class@LineWindow]
 *
 * Gets [property@LineWindow:total-lines].
 *
 * Returns: how many lines the file has; −1 where its end was not seen
 *
 * Since: 1.0
 */
gint64
asb_line_window_get_total_lines (AsbLineWindow *self)
{
  g_return_val_if_fail (ASB_IS_LINE_WINDOW (self), 0);

  return self->total_lines;
}

/**
 * asb_line_window_get_file_size:
 * @self: a [class@LineWindow]
 *
 * Gets [property@LineWindow:file-size].
 *
 * Returns: the size of the file in bytes
 *
 * Since: 1.0
 */
guint64
asb_line_window_get_file_size (AsbLineWindow *self)
{
  g_return_val_if_fail (ASB_IS_LINE_WINDOW (self), 0);

  return self->file_size;
}

/**
 * asb_line_window_dup_text:
 * @self: a [class@LineWindow]
 *
 * Gets the lines as text. Bytes that are no UTF-8 are shown as replacement characters; what they
 * are is in [property@LineWindow:bytes].
 *
 * Returns: (transfer full): the lines
 *
 * Since: 1.0
 */
char *
asb_line_window_dup_text (AsbLineWindow *self)
{
  gsize size = 0;
  const char *bytes;

  g_return_val_if_fail (ASB_IS_LINE_WINDOW (self), NULL);

  bytes = self->bytes ? g_bytes_get_data (self->bytes, &size) : NULL;
  return bytes ? g_utf8_make_valid (bytes, (gssize)size) : g_strdup ("");
}
