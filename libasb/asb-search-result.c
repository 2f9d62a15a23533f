/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-search-result.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbSearchResult:
 *
 * What a search has found: a [iface@Gio.ListModel], of [class@FileInfo] or [class@TextMatch]; and
 * what it could not look at, which does not fail it.
 *
 * Since: 1.0
 */

struct _AsbSearchResult
{
  GObject parent_instance;

  GListModel *items;
  AsbSearchCut cut;
  char **errors;
  guint64 n_errors;
  guint64 n_files;
  guint64 n_binary;
};

enum
{
  PROP_0,
  PROP_ITEMS,
  PROP_CUT,
  PROP_ERRORS,
  PROP_N_ERRORS,
  PROP_N_FILES,
  PROP_N_BINARY,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static GType
asb_search_result_get_item_type (GListModel *model)
{
  AsbSearchResult *self = ASB_SEARCH_RESULT (model);

  return self->items ? g_list_model_get_item_type (self->items) : G_TYPE_OBJECT;
}

static guint
asb_search_result_get_n_items (GListModel *model)
{
  AsbSearchResult *self = ASB_SEARCH_RESULT (model);

  return self->items ? g_list_model_get_n_items (self->items) : 0;
}

static gpointer
asb_search_result_get_item (GListModel *model, guint position)
{
  AsbSearchResult *self = ASB_SEARCH_RESULT (model);

  return self->items ? g_list_model_get_item (self->items, position) : NULL;
}

static void
asb_search_result_list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = asb_search_result_get_item_type;
  iface->get_n_items = asb_search_result_get_n_items;
  iface->get_item = asb_search_result_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbSearchResult, asb_search_result, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL,
                                                      asb_search_result_list_model_init))

static void
asb_search_result_finalize (GObject *object)
{
  AsbSearchResult *self = ASB_SEARCH_RESULT (object);

  g_clear_object (&self->items);
  g_clear_pointer (&self->errors, g_strfreev);

  G_OBJECT_CLASS (asb_search_result_parent_class)->finalize (object);
}

static void
asb_search_result_get_property (GObject *object, guint property_id, GValue *value,
                                GParamSpec *pspec)
{
  AsbSearchResult *self = ASB_SEARCH_RESULT (object);

  switch (property_id)
    {
    case PROP_ITEMS:
      g_value_set_object (value, self->items);
      break;
    case PROP_CUT:
      g_value_set_enum (value, self->cut);
      break;
    case PROP_ERRORS:
      g_value_set_boxed (value, self->errors);
      break;
    case PROP_N_ERRORS:
      g_value_set_uint64 (value, self->n_errors);
      break;
    case PROP_N_FILES:
      g_value_set_uint64 (value, self->n_files);
      break;
    case PROP_N_BINARY:
      g_value_set_uint64 (value, self->n_binary);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_search_result_set_property (GObject *object, guint property_id, const GValue *value,
                                GParamSpec *pspec)
{
  AsbSearchResult *self = ASB_SEARCH_RESULT (object);

  switch (property_id)
    {
    case PROP_ITEMS:
      self->items = g_value_dup_object (value);
      break;
    case PROP_CUT:
      self->cut = g_value_get_enum (value);
      break;
    case PROP_ERRORS:
      self->errors = g_value_dup_boxed (value);
      break;
    case PROP_N_ERRORS:
      self->n_errors = g_value_get_uint64 (value);
      break;
    case PROP_N_FILES:
      self->n_files = g_value_get_uint64 (value);
      break;
    case PROP_N_BINARY:
      self->n_binary = g_value_get_uint64 (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_search_result_class_init (AsbSearchResultClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_search_result_finalize;
  object_class->get_property = asb_search_result_get_property;
  object_class->set_property = asb_search_result_set_property;

  /**
   * AsbSearchResult:items:
   *
   * What was found.
   *
   * Since: 1.0
   */
  properties[PROP_ITEMS]
      = g_param_spec_object ("items", NULL, NULL, G_TYPE_LIST_MODEL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSearchResult:cut:
   *
   * What cut the search short.
   *
   * Since: 1.0
   */
  properties[PROP_CUT]
      = g_param_spec_enum ("cut", NULL, NULL, ASB_TYPE_SEARCH_CUT, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSearchResult:errors:
   *
   * The first of the errors, each a sentence that names what could not be looked at.
   *
   * Since: 1.0
   */
  properties[PROP_ERRORS]
      = g_param_spec_boxed ("errors", NULL, NULL, G_TYPE_STRV, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSearchResult:n-errors:
   *
   * How many things could not be looked at.
   *
   * Since: 1.0
   */
  properties[PROP_N_ERRORS]
      = g_param_spec_uint64 ("n-errors", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSearchResult:n-files:
   *
   * How many files were searched for text.
   *
   * Since: 1.0
   */
  properties[PROP_N_FILES]
      = g_param_spec_uint64 ("n-files", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSearchResult:n-binary:
   *
   * How many files were left out because they hold no text.
   *
   * Since: 1.0
   */
  properties[PROP_N_BINARY]
      = g_param_spec_uint64 ("n-binary", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_search_result_init (AsbSearchResult *self)
{
}

/**
 * asb_search_result_get_items:
 * @self: a [class@SearchResult]
 *
 * Gets [property@SearchResult:items].
 *
 * Returns: (transfer none) (nullable): what was found
 *
 * Since: 1.0
 */
GListModel *
asb_search_result_get_items (AsbSearchResult *self)
{
  g_return_val_if_fail (ASB_IS_SEARCH_RESULT (self), NULL);

  return self->items;
}

/**
 * asb_search_result_get_cut:
 * @self: a [class@SearchResult]
 *
 * Gets [property@SearchResult:cut].
 *
 * Returns: what cut the search short
 *
 * Since: 1.0
 */
AsbSearchCut
asb_search_result_get_cut (AsbSearchResult *self)
{
  g_return_val_if_fail (ASB_IS_SEARCH_RESULT (self), 0);

  return self->cut;
}

/**
 * asb_search_result_get_errors:
 * @self: a [class@SearchResult]
 *
 * Gets [property@SearchResult:errors].
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1): the first of the errors, each a
 * sentence
 *
 * Since: 1.0
 */
const char *const *
asb_search_result_get_errors (AsbSearchResult *self)
{
  g_return_val_if_fail (ASB_IS_SEARCH_RESULT (self), NULL);

  return (const char *const *)self->errors;
}

/**
 * asb_search_result_get_n_errors:
 * @self: a [class@SearchResult]
 *
 * Gets [property@SearchResult:n-errors].
 *
 * Returns: how many things could not be looked at
 *
 * Since: 1.0
 */
guint64
asb_search_result_get_n_errors (AsbSearchResult *self)
{
  g_return_val_if_fail (ASB_IS_SEARCH_RESULT (self), 0);

  return self->n_errors;
}

/**
 * asb_search_result_get_n_files:
 * @self: a [class@SearchResult]
 *
 * Gets [property@SearchResult:n-files].
 *
 * Returns: how many files were searched for text
 *
 * Since: 1.0
 */
guint64
asb_search_result_get_n_files (AsbSearchResult *self)
{
  g_return_val_if_fail (ASB_IS_SEARCH_RESULT (self), 0);

  return self->n_files;
}

/**
 * asb_search_result_get_n_binary:
 * @self: a [class@SearchResult]
 *
 * Gets [property@SearchResult:n-binary].
 *
 * Returns: how many files were left out because they hold no text
 *
 * Since: 1.0
 */
guint64
asb_search_result_get_n_binary (AsbSearchResult *self)
{
  g_return_val_if_fail (ASB_IS_SEARCH_RESULT (self), 0);

  return self->n_binary;
}
