/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-filter-private.h"

gboolean
asb_filter_has_state (GVariant *states, GType enum_type, int state)
{
  g_autoptr (GEnumClass) enum_class = g_type_class_ref (enum_type);
  GEnumValue *value = g_enum_get_value (enum_class, state);
  g_autofree const char **nicks = g_variant_get_strv (states, NULL);

  return value && g_strv_contains (nicks, value->value_nick);
}

GListModel *
asb_filter_select_page (GListModel *items, GType item_type, guint number, guint size,
                        AsbFilterMatches matches, gpointer filter)
{
  g_autoptr (GListStore) page = g_list_store_new (item_type);
  guint64 first = (guint64)(number - 1) * size;
  guint64 position = 0;

  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (items, i);

      if (!matches (filter, item))
        continue;
      if (position >= first && position < first + size)
        g_list_store_append (page, item);
      position++;
    }
  return G_LIST_MODEL (g_steal_pointer (&page));
}
