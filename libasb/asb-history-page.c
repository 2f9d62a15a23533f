/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-history-page.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbHistoryPage:
 *
 * A part of the list of changes, and where it stands in the whole.
 *
 * Since: 1.0
 */

struct _AsbHistoryPage
{
  GObject parent_instance;

  GListModel *changes;
  gint64 next_seq;
  gint64 min_available_seq;
  gint64 max_seq;
  gboolean reset_required;
};

enum
{
  PROP_0,
  PROP_CHANGES,
  PROP_NEXT_SEQ,
  PROP_MIN_AVAILABLE_SEQ,
  PROP_MAX_SEQ,
  PROP_RESET_REQUIRED,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbHistoryPage, asb_history_page, G_TYPE_OBJECT)

static void
asb_history_page_finalize (GObject *object)
{
  AsbHistoryPage *self = ASB_HISTORY_PAGE (object);

  g_clear_object (&self->changes);

  G_OBJECT_CLASS (asb_history_page_parent_class)->finalize (object);
}

static void
asb_history_page_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbHistoryPage *self = ASB_HISTORY_PAGE (object);

  switch (property_id)
    {
    case PROP_CHANGES:
      g_value_set_object (value, self->changes);
      break;
    case PROP_NEXT_SEQ:
      g_value_set_int64 (value, self->next_seq);
      break;
    case PROP_MIN_AVAILABLE_SEQ:
      g_value_set_int64 (value, self->min_available_seq);
      break;
    case PROP_MAX_SEQ:
      g_value_set_int64 (value, self->max_seq);
      break;
    case PROP_RESET_REQUIRED:
      g_value_set_boolean (value, self->reset_required);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_history_page_set_property (GObject *object, guint property_id, const GValue *value,
                               GParamSpec *pspec)
{
  AsbHistoryPage *self = ASB_HISTORY_PAGE (object);

  switch (property_id)
    {
    case PROP_CHANGES:
      self->changes = g_value_dup_object (value);
      break;
    case PROP_NEXT_SEQ:
      self->next_seq = g_value_get_int64 (value);
      break;
    case PROP_MIN_AVAILABLE_SEQ:
      self->min_available_seq = g_value_get_int64 (value);
      break;
    case PROP_MAX_SEQ:
      self->max_seq = g_value_get_int64 (value);
      break;
    case PROP_RESET_REQUIRED:
      self->reset_required = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_history_page_class_init (AsbHistoryPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_history_page_finalize;
  object_class->get_property = asb_history_page_get_property;
  object_class->set_property = asb_history_page_set_property;

  /**
   * AsbHistoryPage:changes:
   *
   * The changes, as [class@HistoryChange], in their order.
   *
   * Since: 1.0
   */
  properties[PROP_CHANGES]
      = g_param_spec_object ("changes", NULL, NULL, G_TYPE_LIST_MODEL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryPage:next-seq:
   *
   * What to ask after next.
   *
   * Since: 1.0
   */
  properties[PROP_NEXT_SEQ] = g_param_spec_int64 ("next-seq", NULL, NULL, G_MININT64, G_MAXINT64, 0,
                                                  ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryPage:min-available-seq:
   *
   * The lowest number that is still there, 0 for none.
   *
   * Since: 1.0
   */
  properties[PROP_MIN_AVAILABLE_SEQ] = g_param_spec_int64 (
      "min-available-seq", NULL, NULL, G_MININT64, G_MAXINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryPage:max-seq:
   *
   * The highest number there is, 0 for none.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_SEQ] = g_param_spec_int64 ("max-seq", NULL, NULL, G_MININT64, G_MAXINT64, 0,
                                                 ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryPage:reset-required:
   *
   * Changes after the one asked for are gone: read again from 0.
   *
   * Since: 1.0
   */
  properties[PROP_RESET_REQUIRED]
      = g_param_spec_boolean ("reset-required", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_history_page_init (AsbHistoryPage *self)
{
}

/**
 * asb_history_page_get_changes:
 * @self: a [class@HistoryPage]
 *
 * Gets [property@HistoryPage:changes].
 *
 * Returns: (transfer none): the changes, as [class@HistoryChange], in their order
 *
 * Since: 1.0
 */
GListModel *
asb_history_page_get_changes (AsbHistoryPage *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_PAGE (self), NULL);

  return self->changes;
}

/**
 * asb_history_page_get_next_seq:
 * @self: a [class@HistoryPage]
 *
 * Gets [property@HistoryPage:next-seq].
 *
 * Returns: what to ask after next
 *
 * Since: 1.0
 */
gint64
asb_history_page_get_next_seq (AsbHistoryPage *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_PAGE (self), 0);

  return self->next_seq;
}

/**
 * asb_history_page_get_min_available_seq:
 * @self: a [class@HistoryPage]
 *
 * Gets [property@HistoryPage:min-available-seq].
 *
 * Returns: the lowest number that is still there, 0 for none
 *
 * Since: 1.0
 */
gint64
asb_history_page_get_min_available_seq (AsbHistoryPage *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_PAGE (self), 0);

  return self->min_available_seq;
}

/**
 * asb_history_page_get_max_seq:
 * @self: a [class@HistoryPage]
 *
 * Gets [property@HistoryPage:max-seq].
 *
 * Returns: the highest number there is, 0 for none
 *
 * Since: 1.0
 */
gint64
asb_history_page_get_max_seq (AsbHistoryPage *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_PAGE (self), 0);

  return self->max_seq;
}

/**
 * asb_history_page_get_reset_required:
 * @self: a [class@HistoryPage]
 *
 * Gets [property@HistoryPage:reset-required].
 *
 * Returns: changes after the one asked for are gone: read again from 0
 *
 * Since: 1.0
 */
gboolean
asb_history_page_get_reset_required (AsbHistoryPage *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_PAGE (self), FALSE);

  return self->reset_required;
}
