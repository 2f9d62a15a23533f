/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-snapshot-filter.h"

#include "asb-enum-types.h"
#include "asb-filter-private.h"
#include "asb-property-private.h"

/**
 * AsbSnapshotFilter:
 *
 * Which snapshots to list.
 *
 * Since: 1.0
 */

struct _AsbSnapshotFilter
{
  GObject parent_instance;

  char *sandbox_id;
  char *name;
  GVariant *states;
  guint page;
  guint page_size;
};

enum
{
  PROP_0,
  PROP_SANDBOX_ID,
  PROP_NAME,
  PROP_STATES,
  PROP_PAGE,
  PROP_PAGE_SIZE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbSnapshotFilter, asb_snapshot_filter, G_TYPE_OBJECT)

static void
asb_snapshot_filter_finalize (GObject *object)
{
  AsbSnapshotFilter *self = ASB_SNAPSHOT_FILTER (object);

  g_clear_pointer (&self->sandbox_id, g_free);
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->states, g_variant_unref);

  G_OBJECT_CLASS (asb_snapshot_filter_parent_class)->finalize (object);
}

static void
asb_snapshot_filter_get_property (GObject *object, guint property_id, GValue *value,
                                  GParamSpec *pspec)
{
  AsbSnapshotFilter *self = ASB_SNAPSHOT_FILTER (object);

  switch (property_id)
    {
    case PROP_SANDBOX_ID:
      g_value_set_string (value, self->sandbox_id);
      break;
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_STATES:
      g_value_set_variant (value, self->states);
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
asb_snapshot_filter_set_property (GObject *object, guint property_id, const GValue *value,
                                  GParamSpec *pspec)
{
  AsbSnapshotFilter *self = ASB_SNAPSHOT_FILTER (object);

  switch (property_id)
    {
    case PROP_SANDBOX_ID:
      asb_snapshot_filter_set_sandbox_id (self, g_value_get_string (value));
      break;
    case PROP_NAME:
      asb_snapshot_filter_set_name (self, g_value_get_string (value));
      break;
    case PROP_STATES:
      asb_snapshot_filter_set_states (self, g_value_get_variant (value));
      break;
    case PROP_PAGE:
      asb_snapshot_filter_set_page (self, g_value_get_uint (value));
      break;
    case PROP_PAGE_SIZE:
      asb_snapshot_filter_set_page_size (self, g_value_get_uint (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_snapshot_filter_class_init (AsbSnapshotFilterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_snapshot_filter_finalize;
  object_class->get_property = asb_snapshot_filter_get_property;
  object_class->set_property = asb_snapshot_filter_set_property;

  /**
   * AsbSnapshotFilter:sandbox-id:
   *
   * Only those made of this sandbox; %NULL for all.
   *
   * Since: 1.0
   */
  properties[PROP_SANDBOX_ID]
      = g_param_spec_string ("sandbox-id", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbSnapshotFilter:name:
   *
   * Only those with this name; %NULL for all.
   *
   * Since: 1.0
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbSnapshotFilter:states:
   *
   * The states to list, as nicks in an `as`; %NULL for all.
   *
   * Since: 1.0
   */
  properties[PROP_STATES]
      = g_param_spec_variant ("states", NULL, NULL, G_VARIANT_TYPE_ANY, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbSnapshotFilter:page:
   *
   * The page, from 1.
   *
   * Since: 1.0
   */
  properties[PROP_PAGE]
      = g_param_spec_uint ("page", NULL, NULL, 1, G_MAXUINT, 1, ASB_PARAM_READWRITE);

  /**
   * AsbSnapshotFilter:page-size:
   *
   * Snapshots a page, 1 to 1,000. The default is 100.
   *
   * Since: 1.0
   */
  properties[PROP_PAGE_SIZE]
      = g_param_spec_uint ("page-size", NULL, NULL, 1, 1000, 100, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_snapshot_filter_init (AsbSnapshotFilter *self)
{
  self->page = 1;
  self->page_size = 100;
}

/**
 * asb_snapshot_filter_new:
 *
 * Makes a [class@SnapshotFilter] with every property at its default.
 *
 * Returns: (transfer full): a new [class@SnapshotFilter]
 *
 * Since: 1.0
 */
AsbSnapshotFilter *
asb_snapshot_filter_new (void)
{
  return g_object_new (ASB_TYPE_SNAPSHOT_FILTER, NULL);
}

/**
 * asb_snapshot_filter_get_sandbox_id:
 * @self: a [class@SnapshotFilter]
 *
 * Gets [property@SnapshotFilter:sandbox-id].
 *
 * Returns: (transfer none) (nullable): only those made of this sandbox; %NULL for all
 *
 * Since: 1.0
 */
const char *
asb_snapshot_filter_get_sandbox_id (AsbSnapshotFilter *self)
{
  g_return_val_if_fail (ASB_IS_SNAPSHOT_FILTER (self), NULL);

  return self->sandbox_id;
}

/**
 * asb_snapshot_filter_set_sandbox_id:
 * @self: a [class@SnapshotFilter]
 * @sandbox_id: (nullable): only those made of this sandbox; %NULL for all
 *
 * Sets [property@SnapshotFilter:sandbox-id].
 *
 * Since: 1.0
 */
void
asb_snapshot_filter_set_sandbox_id (AsbSnapshotFilter *self, const char *sandbox_id)
{
  g_return_if_fail (ASB_IS_SNAPSHOT_FILTER (self));

  if (asb_property_replace_string (&self->sandbox_id, sandbox_id))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SANDBOX_ID]);
}

/**
 * asb_snapshot_filter_get_name:
 * @self: a [class@SnapshotFilter]
 *
 * Gets [property@SnapshotFilter:name].
 *
 * Returns: (transfer none) (nullable): only those with this name; %NULL for all
 *
 * Since: 1.0
 */
const char *
asb_snapshot_filter_get_name (AsbSnapshotFilter *self)
{
  g_return_val_if_fail (ASB_IS_SNAPSHOT_FILTER (self), NULL);

  return self->name;
}

/**
 * asb_snapshot_filter_set_name:
 * @self: a [class@SnapshotFilter]
 * @name: (nullable): only those with this name; %NULL for all
 *
 * Sets [property@SnapshotFilter:name].
 *
 * Since: 1.0
 */
void
asb_snapshot_filter_set_name (AsbSnapshotFilter *self, const char *name)
{
  g_return_if_fail (ASB_IS_SNAPSHOT_FILTER (self));

  if (asb_property_replace_string (&self->name, name))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NAME]);
}

/**
 * asb_snapshot_filter_get_states:
 * @self: a [class@SnapshotFilter]
 *
 * Gets [property@SnapshotFilter:states].
 *
 * Returns: (transfer none) (nullable): the states to list, as nicks in an `as`; %NULL for all
 *
 * Since: 1.0
 */
GVariant *
asb_snapshot_filter_get_states (AsbSnapshotFilter *self)
{
  g_return_val_if_fail (ASB_IS_SNAPSHOT_FILTER (self), NULL);

  return self->states;
}

/**
 * asb_snapshot_filter_set_states:
 * @self: a [class@SnapshotFilter]
 * @states: (nullable): the states to list, as nicks in an `as`; %NULL for all
 *
 * Sets [property@SnapshotFilter:states].
 *
 * Since: 1.0
 */
void
asb_snapshot_filter_set_states (AsbSnapshotFilter *self, GVariant *states)
{
  g_return_if_fail (ASB_IS_SNAPSHOT_FILTER (self));

  if (asb_property_replace_variant (&self->states, states))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATES]);
}

/**
 * asb_snapshot_filter_get_page:
 * @self: a [class@SnapshotFilter]
 *
 * Gets [property@SnapshotFilter:page].
 *
 * Returns: the page, from 1
 *
 * Since: 1.0
 */
guint
asb_snapshot_filter_get_page (AsbSnapshotFilter *self)
{
  g_return_val_if_fail (ASB_IS_SNAPSHOT_FILTER (self), 0);

  return self->page;
}

/**
 * asb_snapshot_filter_set_page:
 * @self: a [class@SnapshotFilter]
 * @page: the page, from 1
 *
 * Sets [property@SnapshotFilter:page].
 *
 * Since: 1.0
 */
void
asb_snapshot_filter_set_page (AsbSnapshotFilter *self, guint page)
{
  g_return_if_fail (ASB_IS_SNAPSHOT_FILTER (self));

  if (self->page == page)
    return;
  self->page = page;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PAGE]);
}

/**
 * asb_snapshot_filter_get_page_size:
 * @self: a [class@SnapshotFilter]
 *
 * Gets [property@SnapshotFilter:page-size].
 *
 * Returns: snapshots a page, 1 to 1,000
 *
 * Since: 1.0
 */
guint
asb_snapshot_filter_get_page_size (AsbSnapshotFilter *self)
{
  g_return_val_if_fail (ASB_IS_SNAPSHOT_FILTER (self), 0);

  return self->page_size;
}

/**
 * asb_snapshot_filter_set_page_size:
 * @self: a [class@SnapshotFilter]
 * @page_size: snapshots a page, 1 to 1,000
 *
 * Sets [property@SnapshotFilter:page-size].
 *
 * Since: 1.0
 */
void
asb_snapshot_filter_set_page_size (AsbSnapshotFilter *self, guint page_size)
{
  g_return_if_fail (ASB_IS_SNAPSHOT_FILTER (self));

  if (self->page_size == page_size)
    return;
  self->page_size = page_size;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PAGE_SIZE]);
}

static gboolean
state_matches (AsbSnapshotFilter *self, AsbSnapshot *snapshot)
{
  if (!self->states || !g_variant_is_of_type (self->states, G_VARIANT_TYPE_STRING_ARRAY))
    return TRUE;
  return asb_filter_has_state (self->states, ASB_TYPE_SNAPSHOT_STATE,
                               (int)asb_snapshot_get_state (snapshot));
}

/**
 * asb_snapshot_filter_matches:
 * @self: a [class@SnapshotFilter]
 * @snapshot: a snapshot
 *
 * Whether a snapshot is of the sandbox, has the name and is in one of the states the filter names.
 * Pages are not looked at. For providers, and for whoever does not trust a server to have heeded a
 * filter.
 *
 * Returns: whether @snapshot is one of those the filter lets through
 *
 * Since: 1.0
 */
gboolean
asb_snapshot_filter_matches (AsbSnapshotFilter *self, AsbSnapshot *snapshot)
{
  g_return_val_if_fail (ASB_IS_SNAPSHOT_FILTER (self), FALSE);
  g_return_val_if_fail (ASB_IS_SNAPSHOT (snapshot), FALSE);

  return (!self->sandbox_id
          || g_strcmp0 (self->sandbox_id, asb_snapshot_get_sandbox_id (snapshot)) == 0)
         && (!self->name || g_strcmp0 (self->name, asb_snapshot_get_name (snapshot)) == 0)
         && state_matches (self, snapshot);
}

/**
 * asb_snapshot_filter_select:
 * @self: a [class@SnapshotFilter]
 * @snapshots: all snapshots there are, a list of [class@Snapshot]
 *
 * Picks the page the filter asks for from those it lets through, in their order. A provider that
 * knows all its snapshots answers `list_snapshots` with it.
 *
 * Returns: (transfer full): a list of [class@Snapshot]
 *
 * Since: 1.0
 */
GListModel *
asb_snapshot_filter_select (AsbSnapshotFilter *self, GListModel *snapshots)
{
  g_return_val_if_fail (ASB_IS_SNAPSHOT_FILTER (self), NULL);
  g_return_val_if_fail (G_IS_LIST_MODEL (snapshots), NULL);

  return asb_filter_select_page (snapshots, ASB_TYPE_SNAPSHOT, self->page, self->page_size,
                                 (AsbFilterMatches)asb_snapshot_filter_matches, self);
}
