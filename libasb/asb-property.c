/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-property-private.h"

gboolean
asb_property_replace_string (char **field, const char *value)
{
  char *copy;

  if (g_strcmp0 (*field, value) == 0)
    return FALSE;
  copy = g_strdup (value);
  g_free (*field);
  *field = copy;
  return TRUE;
}

gboolean
asb_property_replace_strv (char ***field, const char *const *value)
{
  char **copy;

  if ((const char *const *)*field == value)
    return FALSE;
  if (*field && value && g_strv_equal ((const char *const *)*field, value))
    return FALSE;
  copy = g_strdupv ((char **)value);
  g_strfreev (*field);
  *field = copy;
  return TRUE;
}

gboolean
asb_property_replace_bytes (GBytes **field, GBytes *value)
{
  if (*field == value || (*field && value && g_bytes_equal (*field, value)))
    return FALSE;
  g_clear_pointer (field, g_bytes_unref);
  *field = value ? g_bytes_ref (value) : NULL;
  return TRUE;
}

static gboolean
maps_are_equal (GHashTable *one, GHashTable *other)
{
  GHashTableIter iter;
  gpointer key, entry, counterpart;

  if (g_hash_table_size (one) != g_hash_table_size (other))
    return FALSE;
  g_hash_table_iter_init (&iter, one);
  while (g_hash_table_iter_next (&iter, &key, &entry))
    if (!g_hash_table_lookup_extended (other, key, NULL, &counterpart)
        || g_strcmp0 (entry, counterpart) != 0)
      return FALSE;
  return TRUE;
}

gboolean
asb_property_replace_map (GHashTable **field, GHashTable *value)
{
  g_autoptr (GHashTable) copy = NULL;
  GHashTableIter iter;
  gpointer key, entry;

  if (*field == value || (*field && value && maps_are_equal (*field, value)))
    return FALSE;

  /* A copy: the caller may go on changing its own table. */
  if (value)
    {
      copy = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
      g_hash_table_iter_init (&iter, value);
      while (g_hash_table_iter_next (&iter, &key, &entry))
        g_hash_table_insert (copy, g_strdup (key), g_strdup (entry));
    }
  g_clear_pointer (field, g_hash_table_unref);
  *field = g_steal_pointer (&copy);
  return TRUE;
}

gboolean
asb_property_replace_variant (GVariant **field, GVariant *value)
{
  g_autoptr (GVariant) sunk = value ? g_variant_ref_sink (value) : NULL;

  if (*field == sunk || (*field && sunk && g_variant_equal (*field, sunk)))
    return FALSE;
  g_clear_pointer (field, g_variant_unref);
  *field = g_steal_pointer (&sunk);
  return TRUE;
}

gboolean
asb_property_replace_items (GListStore *list, GListModel *value)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  GType type = g_list_model_get_item_type (G_LIST_MODEL (list));
  guint n_old = g_list_model_get_n_items (G_LIST_MODEL (list));

  for (guint i = 0; value && i < g_list_model_get_n_items (value); i++)
    {
      gpointer item = g_list_model_get_item (value, i);

      g_ptr_array_add (items, item);
      g_return_val_if_fail (G_TYPE_CHECK_INSTANCE_TYPE (item, type), FALSE);
    }
  g_list_store_splice (list, 0, n_old, items->pdata, items->len);
  return n_old > 0 || items->len > 0;
}

void
asb_property_copy_all (gpointer from, gpointer to)
{
  guint n_pspecs;
  g_autofree GParamSpec **pspecs
      = g_object_class_list_properties (G_OBJECT_GET_CLASS (from), &n_pspecs);

  for (guint i = 0; i < n_pspecs; i++)
    {
      g_auto (GValue) value = G_VALUE_INIT;

      g_object_get_property (from, pspecs[i]->name, &value);
      g_object_set_property (to, pspecs[i]->name, &value);
    }
}
