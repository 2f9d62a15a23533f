/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-diagnostics.h"

#include "asb-property-private.h"

/**
 * AsbDiagnostics:
 *
 * What a provider tells of a sandbox, for people who look why it went wrong.
 *
 * Since: 1.0
 */

struct _AsbDiagnostics
{
  GObject parent_instance;

  char *kind;
  char *scope;
  char *content;
  char *content_type;
  gboolean truncated;
  char **warnings;
};

enum
{
  PROP_0,
  PROP_KIND,
  PROP_SCOPE,
  PROP_CONTENT,
  PROP_CONTENT_TYPE,
  PROP_TRUNCATED,
  PROP_WARNINGS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbDiagnostics, asb_diagnostics, G_TYPE_OBJECT)

static void
asb_diagnostics_finalize (GObject *object)
{
  AsbDiagnostics *self = ASB_DIAGNOSTICS (object);

  g_clear_pointer (&self->kind, g_free);
  g_clear_pointer (&self->scope, g_free);
  g_clear_pointer (&self->content, g_free);
  g_clear_pointer (&self->content_type, g_free);
  g_clear_pointer (&self->warnings, g_strfreev);

  G_OBJECT_CLASS (asb_diagnostics_parent_class)->finalize (object);
}

static void
asb_diagnostics_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbDiagnostics *self = ASB_DIAGNOSTICS (object);

  switch (property_id)
    {
    case PROP_KIND:
      g_value_set_string (value, self->kind);
      break;
    case PROP_SCOPE:
      g_value_set_string (value, self->scope);
      break;
    case PROP_CONTENT:
      g_value_set_string (value, self->content);
      break;
    case PROP_CONTENT_TYPE:
      g_value_set_string (value, self->content_type);
      break;
    case PROP_TRUNCATED:
      g_value_set_boolean (value, self->truncated);
      break;
    case PROP_WARNINGS:
      g_value_set_boxed (value, self->warnings);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_diagnostics_set_property (GObject *object, guint property_id, const GValue *value,
                              GParamSpec *pspec)
{
  AsbDiagnostics *self = ASB_DIAGNOSTICS (object);

  switch (property_id)
    {
    case PROP_KIND:
      self->kind = g_value_dup_string (value);
      break;
    case PROP_SCOPE:
      self->scope = g_value_dup_string (value);
      break;
    case PROP_CONTENT:
      self->content = g_value_dup_string (value);
      break;
    case PROP_CONTENT_TYPE:
      self->content_type = g_value_dup_string (value);
      break;
    case PROP_TRUNCATED:
      self->truncated = g_value_get_boolean (value);
      break;
    case PROP_WARNINGS:
      self->warnings = g_value_dup_boxed (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_diagnostics_class_init (AsbDiagnosticsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_diagnostics_finalize;
  object_class->get_property = asb_diagnostics_get_property;
  object_class->set_property = asb_diagnostics_set_property;

  /**
   * AsbDiagnostics:kind:
   *
   * What was asked for, for example `logs`, `events`, `inspect` or `summary`.
   *
   * Since: 1.0
   */
  properties[PROP_KIND] = g_param_spec_string ("kind", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbDiagnostics:scope:
   *
   * The part it is of, for example `container` or `lifecycle`; %NULL for all.
   *
   * Since: 1.0
   */
  properties[PROP_SCOPE]
      = g_param_spec_string ("scope", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbDiagnostics:content:
   *
   * The text itself.
   *
   * Since: 1.0
   */
  properties[PROP_CONTENT]
      = g_param_spec_string ("content", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbDiagnostics:content-type:
   *
   * The media type of the text, for example `text/plain`.
   *
   * Since: 1.0
   */
  properties[PROP_CONTENT_TYPE]
      = g_param_spec_string ("content-type", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbDiagnostics:truncated:
   *
   * Whether there is more than the text holds.
   *
   * Since: 1.0
   */
  properties[PROP_TRUNCATED]
      = g_param_spec_boolean ("truncated", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbDiagnostics:warnings:
   *
   * What the provider says about the text itself; %NULL for nothing.
   *
   * Since: 1.0
   */
  properties[PROP_WARNINGS]
      = g_param_spec_boxed ("warnings", NULL, NULL, G_TYPE_STRV, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_diagnostics_init (AsbDiagnostics *self)
{
}

/**
 * asb_diagnostics_get_kind:
 * @self: a [class@Diagnostics]
 *
 * Gets [property@Diagnostics:kind].
 *
 * Returns: (transfer none): what was asked for, for example `logs`, `events`, `inspect` or
 * `summary`
 *
 * Since: 1.0
 */
const char *
asb_diagnostics_get_kind (AsbDiagnostics *self)
{
  g_return_val_if_fail (ASB_IS_DIAGNOSTICS (self), NULL);

  return self->kind;
}

/**
 * asb_diagnostics_get_scope:
 * @self: a [class@Diagnostics]
 *
 * Gets [property@Diagnostics:scope].
 *
 * Returns: (transfer none) (nullable): the part it is of, for example `container` or `lifecycle`;
 * %NULL for all
 *
 * Since: 1.0
 */
const char *
asb_diagnostics_get_scope (AsbDiagnostics *self)
{
  g_return_val_if_fail (ASB_IS_DIAGNOSTICS (self), NULL);

  return self->scope;
}

/**
 * asb_diagnostics_get_content:
 * @self: a [class@Diagnostics]
 *
 * Gets [property@Diagnostics:content].
 *
 * Returns: (transfer none): the text itself
 *
 * Since: 1.0
 */
const char *
asb_diagnostics_get_content (AsbDiagnostics *self)
{
  g_return_val_if_fail (ASB_IS_DIAGNOSTICS (self), NULL);

  return self->content;
}

/**
 * asb_diagnostics_get_content_type:
 * @self: a [class@Diagnostics]
 *
 * Gets [property@Diagnostics:content-type].
 *
 * Returns: (transfer none) (nullable): the media type of the text, for example `text/plain`
 *
 * Since: 1.0
 */
const char *
asb_diagnostics_get_content_type (AsbDiagnostics *self)
{
  g_return_val_if_fail (ASB_IS_DIAGNOSTICS (self), NULL);

  return self->content_type;
}

/**
 * asb_diagnostics_get_truncated:
 * @self: a [class@Diagnostics]
 *
 * Gets [property@Diagnostics:truncated].
 *
 * Returns: whether there is more than the text holds
 *
 * Since: 1.0
 */
gboolean
asb_diagnostics_get_truncated (AsbDiagnostics *self)
{
  g_return_val_if_fail (ASB_IS_DIAGNOSTICS (self), FALSE);

  return self->truncated;
}

/**
 * asb_diagnostics_get_warnings:
 * @self: a [class@Diagnostics]
 *
 * Gets [property@Diagnostics:warnings].
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1): what the provider says about the
 * text itself; %NULL for nothing
 *
 * Since: 1.0
 */
const char *const *
asb_diagnostics_get_warnings (AsbDiagnostics *self)
{
  g_return_val_if_fail (ASB_IS_DIAGNOSTICS (self), NULL);

  return (const char *const *)self->warnings;
}
