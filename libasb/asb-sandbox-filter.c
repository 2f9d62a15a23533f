/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-sandbox-filter.h"

#include "asb-enum-types.h"
#include "asb-filter-private.h"
#include "asb-property-private.h"

/**
 * AsbSandboxFilter:
 *
 * Which sandboxes to list, and which part of a long list.
 *
 * Since: 1.0
 */

struct _AsbSandboxFilter
{
  GObject parent_instance;

  GVariant *states;
  GHashTable *metadata;
  guint page;
  guint page_size;
};

enum
{
  PROP_0,
  PROP_STATES,
  PROP_METADATA,
  PROP_PAGE,
  PROP_PAGE_SIZE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbSandboxFilter, asb_sandbox_filter, G_TYPE_OBJECT)

static void
asb_sandbox_filter_finalize (GObject *object)
{
  AsbSandboxFilter *self = ASB_SANDBOX_FILTER (object);

  g_clear_pointer (&self->states, g_variant_unref);
  g_clear_pointer (&self->metadata, g_hash_table_unref);

  G_OBJECT_CLASS (asb_sandbox_filter_parent_class)->finalize (object);
}

static void
asb_sandbox_filter_get_property (GObject *object, guint property_id, GValue *value,
                                 GParamSpec *pspec)
{
  AsbSandboxFilter *self = ASB_SANDBOX_FILTER (object);

  switch (property_id)
    {
    case PROP_STATES:
      g_value_set_variant (value, self->states);
      break;
    case PROP_METADATA:
      g_value_set_boxed (value, self->metadata);
      break;
    case PROP_PAGE:
      g_value_set_uint (value, self->page);
      break;
    case PROP_PAGE_SIZE:
      g_value_set_uint (value, self->page_size);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_sandbox_filter_set_property (GObject *object, guint property_id, const GValue *value,
                                 GParamSpec *pspec)
{
  AsbSandboxFilter *self = ASB_SANDBOX_FILTER (object);

  switch (property_id)
    {
    case PROP_STATES:
      asb_sandbox_filter_set_states (self, g_value_get_variant (value));
      break;
    case PROP_METADATA:
      asb_sandbox_filter_set_metadata (self, g_value_get_boxed (value));
      break;
    case PROP_PAGE:
      asb_sandbox_filter_set_page (self, g_value_get_uint (value));
      break;
    case PROP_PAGE_SIZE:
      asb_sandbox_filter_set_page_size (self, g_value_get_uint (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_sandbox_filter_class_init (AsbSandboxFilterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_sandbox_filter_finalize;
  object_class->get_property = asb_sandbox_filter_get_property;
  object_class->set_property = asb_sandbox_filter_set_property;

  /**
   * AsbSandboxFilter:states:
   *
   * The states to list, as nicks in an `as`; %NULL for all but deleted ones.
   *
   * Since: 1.0
   */
  properties[PROP_STATES]
      = g_param_spec_variant ("states", NULL, NULL, G_VARIANT_TYPE_ANY, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxFilter:metadata: (type GLib.HashTable(utf8,utf8))
   *
   * Names and values a sandbox must have, all of them.
   *
   * Since: 1.0
   */
  properties[PROP_METADATA]
      = g_param_spec_boxed ("metadata", NULL, NULL, G_TYPE_HASH_TABLE, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxFilter:page:
   *
   * The page, from 1.
   *
   * Since: 1.0
   */
  properties[PROP_PAGE]
      = g_param_spec_uint ("page", NULL, NULL, 1, G_MAXUINT, 1, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxFilter:page-size:
   *
   * Sandboxes a page, 1 to 1,000. The default is 100.
   *
   * Since: 1.0
   */
  properties[PROP_PAGE_SIZE]
      = g_param_spec_uint ("page-size", NULL, NULL, 1, 1000, 100, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_sandbox_filter_init (AsbSandboxFilter *self)
{
  self->page = 1;
  self->page_size = 100;
}

/**
 * asb_sandbox_filter_new:
 *
 * Makes a [class@SandboxFilter] with every property at its default.
 *
 * Returns: (transfer full): a new [class@SandboxFilter]
 *
 * Since: 1.0
 */
AsbSandboxFilter *
asb_sandbox_filter_new (void)
{
  return g_object_new (ASB_TYPE_SANDBOX_FILTER, NULL);
}

/**
 * asb_sandbox_filter_get_states:
 * @self: a [class@SandboxFilter]
 *
 * Gets [property@SandboxFilter:states].
 *
 * Returns: (transfer none) (nullable): the states to list, as nicks in an `as`; %NULL for all but
 * deleted ones
 *
 * Since: 1.0
 */
GVariant *
asb_sandbox_filter_get_states (AsbSandboxFilter *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_FILTER (self), NULL);

  return self->states;
}

/**
 * asb_sandbox_filter_set_states:
 * @self: a [class@SandboxFilter]
 * @states: (nullable): the states to list, as nicks in an `as`; %NULL for all but deleted ones
 *
 * Sets [property@SandboxFilter:states].
 *
 * Since: 1.0
 */
void
asb_sandbox_filter_set_states (AsbSandboxFilter *self, GVariant *states)
{
  g_return_if_fail (ASB_IS_SANDBOX_FILTER (self));

  if (asb_property_replace_variant (&self->states, states))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATES]);
}

/**
 * asb_sandbox_filter_get_metadata:
 * @self: a [class@SandboxFilter]
 *
 * Gets [property@SandboxFilter:metadata].
 *
 * Returns: (transfer none) (nullable) (element-type utf8 utf8): names and values a sandbox must
 * have, all of them
 *
 * Since: 1.0
 */
GHashTable *
asb_sandbox_filter_get_metadata (AsbSandboxFilter *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_FILTER (self), NULL);

  return self->metadata;
}

/**
 * asb_sandbox_filter_set_metadata:
 * @self: a [class@SandboxFilter]
 * @metadata: (nullable) (element-type utf8 utf8): names and values a sandbox must have, all of
 * them
 *
 * Sets [property@SandboxFilter:metadata].
 *
 * Since: 1.0
 */
void
asb_sandbox_filter_set_metadata (AsbSandboxFilter *self, GHashTable *metadata)
{
  g_return_if_fail (ASB_IS_SANDBOX_FILTER (self));

  if (asb_property_replace_map (&self->metadata, metadata))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_METADATA]);
}

/**
 * asb_sandbox_filter_get_page:
 * @self: a [class@SandboxFilter]
 *
 * Gets [property@SandboxFilter:page].
 *
 * Returns: the page, from 1
 *
 * Since: 1.0
 */
guint
asb_sandbox_filter_get_page (AsbSandboxFilter *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_FILTER (self), 0);

  return self->page;
}

/**
 * asb_sandbox_filter_set_page:
 * @self: a [class@SandboxFilter]
 * @page: the page, from 1
 *
 * Sets [property@SandboxFilter:page].
 *
 * Since: 1.0
 */
void
asb_sandbox_filter_set_page (AsbSandboxFilter *self, guint page)
{
  g_return_if_fail (ASB_IS_SANDBOX_FILTER (self));

  if (self->page == page)
    return;
  self->page = page;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PAGE]);
}

/**
 * asb_sandbox_filter_get_page_size:
 * @self: a [class@SandboxFilter]
 *
 * Gets [property@SandboxFilter:page-size].
 *
 * Returns: sandboxes a page, 1 to 1,000
 *
 * Since: 1.0
 */
guint
asb_sandbox_filter_get_page_size (AsbSandboxFilter *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_FILTER (self), 0);

  return self->page_size;
}

/**
 * asb_sandbox_filter_set_page_size:
 * @self: a [class@SandboxFilter]
 * @page_size: sandboxes a page, 1 to 1,000
 *
 * Sets [property@SandboxFilter:page-size].
 *
 * Since: 1.0
 */
void
asb_sandbox_filter_set_page_size (AsbSandboxFilter *self, guint page_size)
{
  g_return_if_fail (ASB_IS_SANDBOX_FILTER (self));

  if (self->page_size == page_size)
    return;
  self->page_size = page_size;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PAGE_SIZE]);
}

static gboolean
metadata_matches (AsbSandboxFilter *self, AsbSandboxInfo *info)
{
  AsbSandboxRef *ref = asb_sandbox_info_get_ref (info);
  GHashTable *metadata = ref ? asb_sandbox_ref_get_metadata (ref) : NULL;
  GHashTableIter iter;
  gpointer name, value;

  if (!self->metadata)
    return TRUE;
  g_hash_table_iter_init (&iter, self->metadata);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (!metadata || g_strcmp0 (g_hash_table_lookup (metadata, name), value) != 0)
      return FALSE;
  return TRUE;
}

static gboolean
state_matches (AsbSandboxFilter *self, AsbSandboxInfo *info)
{
  AsbSandboxState state = asb_sandbox_info_get_state (info);

  if (self->states && g_variant_is_of_type (self->states, G_VARIANT_TYPE_STRING_ARRAY))
    return asb_filter_has_state (self->states, ASB_TYPE_SANDBOX_STATE, (int)state);
  return state != ASB_SANDBOX_STATE_DELETED;
}

/**
 * asb_sandbox_filter_matches:
 * @self: a [class@SandboxFilter]
 * @info: a sandbox
 *
 * Whether a sandbox has all the metadata the filter names, and one of its states; with none,
 * whether it is not deleted. Pages are not looked at. For providers, and for whoever does not trust
 * a server to have heeded a filter.
 *
 * Returns: whether @info is one of those the filter lets through
 *
 * Since: 1.0
 */
gboolean
asb_sandbox_filter_matches (AsbSandboxFilter *self, AsbSandboxInfo *info)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_FILTER (self), FALSE);
  g_return_val_if_fail (ASB_IS_SANDBOX_INFO (info), FALSE);

  return metadata_matches (self, info) && state_matches (self, info);
}

/**
 * asb_sandbox_filter_select:
 * @self: a [class@SandboxFilter]
 * @infos: all sandboxes there are, a list of [class@SandboxInfo]
 *
 * Picks the page the filter asks for from those it lets through, in their order. A provider that
 * knows all its sandboxes answers `list_sandboxes` with it.
 *
 * Returns: (transfer full): a list of [class@SandboxInfo]
 *
 * Since: 1.0
 */
GListModel *
asb_sandbox_filter_select (AsbSandboxFilter *self, GListModel *infos)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_FILTER (self), NULL);
  g_return_val_if_fail (G_IS_LIST_MODEL (infos), NULL);

  return asb_filter_select_page (infos, ASB_TYPE_SANDBOX_INFO, self->page, self->page_size,
                                 (AsbFilterMatches)asb_sandbox_filter_matches, self);
}
