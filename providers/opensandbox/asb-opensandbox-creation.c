/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-creation.h"

static AsbOpensandboxCreation *
creation_new (void)
{
  AsbOpensandboxCreation *self = g_new0 (AsbOpensandboxCreation, 1);

  g_ref_count_init (&self->references);
  self->waiting = g_ptr_array_new_with_free_func (g_object_unref);
  return self;
}

AsbOpensandboxCreation *
asb_opensandbox_creation_ref (AsbOpensandboxCreation *self)
{
  g_ref_count_inc (&self->references);
  return self;
}

void
asb_opensandbox_creation_unref (AsbOpensandboxCreation *self)
{
  if (!g_ref_count_dec (&self->references))
    return;
  g_clear_pointer (&self->waiting, g_ptr_array_unref);
  g_free (self->sandbox_id);
  g_free (self->instance_id);
  g_free (self);
}

GHashTable *
asb_opensandbox_creation_new_table (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                (GDestroyNotify)asb_opensandbox_creation_unref);
}

/* Returns: (transfer none) (nullable): its key */
static const char *
find_oldest (GHashTable *creations)
{
  const char *oldest_key = NULL;
  gint64 oldest = G_MAXINT64;
  GHashTableIter iter;
  gpointer key;
  gpointer value;

  g_hash_table_iter_init (&iter, creations);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      AsbOpensandboxCreation *creation = value;

      if (creation->is_running || creation->asked_at >= oldest)
        continue;
      oldest = creation->asked_at;
      oldest_key = key;
    }
  return oldest_key;
}

static void
make_room (GHashTable *creations)
{
  const char *oldest;

  while (g_hash_table_size (creations) >= ASB_OPENSANDBOX_MAX_CREATIONS
         && (oldest = find_oldest (creations)) != NULL)
    g_hash_table_remove (creations, oldest);
}

AsbOpensandboxCreation *
asb_opensandbox_creation_look_up (GHashTable *creations, const char *key)
{
  AsbOpensandboxCreation *creation = g_hash_table_lookup (creations, key);

  if (!creation)
    {
      make_room (creations);
      creation = creation_new ();
      g_hash_table_insert (creations, g_strdup (key), creation);
    }
  creation->asked_at = g_get_monotonic_time ();
  return creation;
}
