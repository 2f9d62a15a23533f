/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-stream-spec.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbStreamSpec:
 *
 * What stands at the other end of a byte stream into a sandbox.
 *
 * Since: 1.0
 */

struct _AsbStreamSpec
{
  GObject parent_instance;

  char **argv;
  GBytes *program;
  gboolean record_only;
  char *token;
  char *way;
  char *way_reason;
};

enum
{
  PROP_0,
  PROP_ARGV,
  PROP_PROGRAM,
  PROP_RECORD_ONLY,
  PROP_TOKEN,
  PROP_WAY,
  PROP_WAY_REASON,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbStreamSpec, asb_stream_spec, G_TYPE_OBJECT)

static void
asb_stream_spec_finalize (GObject *object)
{
  AsbStreamSpec *self = ASB_STREAM_SPEC (object);

  g_clear_pointer (&self->argv, g_strfreev);
  g_clear_pointer (&self->program, g_bytes_unref);
  g_clear_pointer (&self->token, g_free);
  g_clear_pointer (&self->way, g_free);
  g_clear_pointer (&self->way_reason, g_free);

  G_OBJECT_CLASS (asb_stream_spec_parent_class)->finalize (object);
}

static void
asb_stream_spec_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbStreamSpec *self = ASB_STREAM_SPEC (object);

  switch (property_id)
    {
    case PROP_ARGV:
      g_value_set_boxed (value, self->argv);
      break;
    case PROP_PROGRAM:
      g_value_set_boxed (value, self->program);
      break;
    case PROP_RECORD_ONLY:
      g_value_set_boolean (value, self->record_only);
      break;
    case PROP_TOKEN:
      g_value_set_string (value, self->token);
      break;
    case PROP_WAY:
      g_value_set_string (value, self->way);
      break;
    case PROP_WAY_REASON:
      g_value_set_string (value, self->way_reason);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_stream_spec_set_property (GObject *object, guint property_id, const GValue *value,
                              GParamSpec *pspec)
{
  AsbStreamSpec *self = ASB_STREAM_SPEC (object);

  switch (property_id)
    {
    case PROP_ARGV:
      asb_stream_spec_set_argv (self, g_value_get_boxed (value));
      break;
    case PROP_PROGRAM:
      asb_stream_spec_set_program (self, g_value_get_boxed (value));
      break;
    case PROP_RECORD_ONLY:
      asb_stream_spec_set_record_only (self, g_value_get_boolean (value));
      break;
    case PROP_TOKEN:
      asb_stream_spec_set_token (self, g_value_get_string (value));
      break;
    case PROP_WAY:
      asb_stream_spec_set_way (self, g_value_get_string (value));
      break;
    case PROP_WAY_REASON:
      asb_stream_spec_set_way_reason (self, g_value_get_string (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_stream_spec_class_init (AsbStreamSpecClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_stream_spec_finalize;
  object_class->get_property = asb_stream_spec_get_property;
  object_class->set_property = asb_stream_spec_set_property;

  /**
   * AsbStreamSpec:argv:
   *
   * The program to start, with its arguments, if the provider has no way of its own to its
   * guest.
   *
   * Since: 1.0
   */
  properties[PROP_ARGV] = g_param_spec_boxed ("argv", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbStreamSpec:program:
   *
   * What the file `argv[0]` is to hold. A provider may put it there while it opens the stream,
   * where it is missing, and so spare the caller the way back; one that does not look at this says
   * that it is missing.
   *
   * Since: 1.0
   */
  properties[PROP_PROGRAM]
      = g_param_spec_boxed ("program", NULL, NULL, G_TYPE_BYTES, ASB_PARAM_READWRITE);

  /**
   * AsbStreamSpec:record-only:
   *
   * Only the record of a sandbox that is gone is wanted.
   *
   * Since: 1.0
   */
  properties[PROP_RECORD_ONLY]
      = g_param_spec_boolean ("record-only", NULL, NULL, FALSE, ASB_PARAM_READWRITE);

  /**
   * AsbStreamSpec:token:
   *
   * What the client will say in its HELLO (docs/guest-protocol.md §2): a provider whose way to its
   * guest is open to others as well makes the guest ask for it, with `--token-fd`. A secret: it
   * belongs in no argument, log or error.
   *
   * Since: 1.0
   */
  properties[PROP_TOKEN] = g_param_spec_string ("token", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbStreamSpec:way:
   *
   * By which way the stream goes, where a provider has several: set by the provider while it opens
   * the stream, and shown as the source of %ASB_CAPABILITY_GUEST.
   *
   * Since: 1.0
   */
  properties[PROP_WAY] = g_param_spec_string ("way", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbStreamSpec:way-reason:
   *
   * Why it goes by no better way: set by the provider with [property@StreamSpec:way], and shown as
   * the reason of %ASB_CAPABILITY_GUEST.
   *
   * Since: 1.0
   */
  properties[PROP_WAY_REASON]
      = g_param_spec_string ("way-reason", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_stream_spec_init (AsbStreamSpec *self)
{
}

/**
 * asb_stream_spec_new:
 *
 * Makes a [class@StreamSpec] with every property at its default.
 *
 * Returns: (transfer full): a new [class@StreamSpec]
 *
 * Since: 1.0
 */
AsbStreamSpec *
asb_stream_spec_new (void)
{
  return g_object_new (ASB_TYPE_STREAM_SPEC, NULL);
}

/**
 * asb_stream_spec_get_argv:
 * @self: a [class@StreamSpec]
 *
 * Gets [property@StreamSpec:argv].
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1) (element-type filename): the
 * program to start, with its arguments, if the provider has no way of its own to its guest
 *
 * Since: 1.0
 */
const char *const *
asb_stream_spec_get_argv (AsbStreamSpec *self)
{
  g_return_val_if_fail (ASB_IS_STREAM_SPEC (self), NULL);

  return (const char *const *)self->argv;
}

/**
 * asb_stream_spec_set_argv:
 * @self: a [class@StreamSpec]
 * @argv: (nullable) (array zero-terminated=1) (element-type filename): the program to start, with
 * its arguments, if the provider has no way of its own to its guest
 *
 * Sets [property@StreamSpec:argv].
 *
 * Since: 1.0
 */
void
asb_stream_spec_set_argv (AsbStreamSpec *self, const char *const *argv)
{
  g_return_if_fail (ASB_IS_STREAM_SPEC (self));

  if (asb_property_replace_strv (&self->argv, argv))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ARGV]);
}

/**
 * asb_stream_spec_get_program:
 * @self: a [class@StreamSpec]
 *
 * Gets [property@StreamSpec:program].
 *
 * Returns: (transfer none) (nullable): what the file `argv[0]` is to hold
 *
 * Since: 1.0
 */
GBytes *
asb_stream_spec_get_program (AsbStreamSpec *self)
{
  g_return_val_if_fail (ASB_IS_STREAM_SPEC (self), NULL);

  return self->program;
}

/**
 * asb_stream_spec_set_program:
 * @self: a [class@StreamSpec]
 * @program: (nullable): what the file `argv[0]` is to hold
 *
 * Sets [property@StreamSpec:program].
 *
 * Since: 1.0
 */
void
asb_stream_spec_set_program (AsbStreamSpec *self, GBytes *program)
{
  g_return_if_fail (ASB_IS_STREAM_SPEC (self));

  if (asb_property_replace_bytes (&self->program, program))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROGRAM]);
}

/**
 * asb_stream_spec_get_record_only:
 * @self: a [class@StreamSpec]
 *
 * Gets [property@StreamSpec:record-only].
 *
 * Returns: only the record of a sandbox that is gone is wanted
 *
 * Since: 1.0
 */
gboolean
asb_stream_spec_get_record_only (AsbStreamSpec *self)
{
  g_return_val_if_fail (ASB_IS_STREAM_SPEC (self), FALSE);

  return self->record_only;
}

/**
 * asb_stream_spec_set_record_only:
 * @self: a [class@StreamSpec]
 * @record_only: only the record of a sandbox that is gone is wanted
 *
 * Sets [property@StreamSpec:record-only].
 *
 * Since: 1.0
 */
void
asb_stream_spec_set_record_only (AsbStreamSpec *self, gboolean record_only)
{
  g_return_if_fail (ASB_IS_STREAM_SPEC (self));

  if (self->record_only == record_only)
    return;
  self->record_only = record_only;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RECORD_ONLY]);
}

/**
 * asb_stream_spec_get_token:
 * @self: a [class@StreamSpec]
 *
 * Gets [property@StreamSpec:token].
 *
 * Returns: (transfer none) (nullable): what the client will say in its HELLO
 *
 * Since: 1.0
 */
const char *
asb_stream_spec_get_token (AsbStreamSpec *self)
{
  g_return_val_if_fail (ASB_IS_STREAM_SPEC (self), NULL);

  return self->token;
}

/**
 * asb_stream_spec_set_token:
 * @self: a [class@StreamSpec]
 * @token: (nullable): what the client will say in its HELLO
 *
 * Sets [property@StreamSpec:token].
 *
 * Since: 1.0
 */
void
asb_stream_spec_set_token (AsbStreamSpec *self, const char *token)
{
  g_return_if_fail (ASB_IS_STREAM_SPEC (self));

  if (asb_property_replace_string (&self->token, token))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TOKEN]);
}

/**
 * asb_stream_spec_get_way:
 * @self: a [class@StreamSpec]
 *
 * Gets [property@StreamSpec:way].
 *
 * Returns: (transfer none) (nullable): by which way the stream goes
 *
 * Since: 1.0
 */
const char *
asb_stream_spec_get_way (AsbStreamSpec *self)
{
  g_return_val_if_fail (ASB_IS_STREAM_SPEC (self), NULL);

  return self->way;
}

/**
 * asb_stream_spec_set_way:
 * @self: a [class@StreamSpec]
 * @way: (nullable): by which way the stream goes
 *
 * Sets [property@StreamSpec:way].
 *
 * Since: 1.0
 */
void
asb_stream_spec_set_way (AsbStreamSpec *self, const char *way)
{
  g_return_if_fail (ASB_IS_STREAM_SPEC (self));

  if (asb_property_replace_string (&self->way, way))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_WAY]);
}

/**
 * asb_stream_spec_get_way_reason:
 * @self: a [class@StreamSpec]
 *
 * Gets [property@StreamSpec:way-reason].
 *
 * Returns: (transfer none) (nullable): why it goes by no better way
 *
 * Since: 1.0
 */
const char *
asb_stream_spec_get_way_reason (AsbStreamSpec *self)
{
  g_return_val_if_fail (ASB_IS_STREAM_SPEC (self), NULL);

  return self->way_reason;
}

/**
 * asb_stream_spec_set_way_reason:
 * @self: a [class@StreamSpec]
 * @way_reason: (nullable): why it goes by no better way
 *
 * Sets [property@StreamSpec:way-reason].
 *
 * Since: 1.0
 */
void
asb_stream_spec_set_way_reason (AsbStreamSpec *self, const char *way_reason)
{
  g_return_if_fail (ASB_IS_STREAM_SPEC (self));

  if (asb_property_replace_string (&self->way_reason, way_reason))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_WAY_REASON]);
}
