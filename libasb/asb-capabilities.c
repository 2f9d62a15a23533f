/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-capabilities.h"

#include "asb-enum-types.h"
#include "asb-error-private.h"

/**
 * AsbCapabilities:
 *
 * What can be done with a sandbox, by name: a [iface@Gio.ListModel] of [class@Capability].
 *
 * The names are the constants `ASB_CAPABILITY_…`; modules may add their own.
 *
 * Since: 1.0
 */

struct _AsbCapabilities
{
  GObject parent_instance;

  GPtrArray *items;
};

static GType
asb_capabilities_get_item_type (GListModel *model)
{
  return ASB_TYPE_CAPABILITY;
}

static guint
asb_capabilities_get_n_items (GListModel *model)
{
  return ASB_CAPABILITIES (model)->items->len;
}

static gpointer
asb_capabilities_get_item (GListModel *model, guint position)
{
  AsbCapabilities *self = ASB_CAPABILITIES (model);

  return position < self->items->len ? g_object_ref (self->items->pdata[position]) : NULL;
}

static void
asb_capabilities_list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = asb_capabilities_get_item_type;
  iface->get_n_items = asb_capabilities_get_n_items;
  iface->get_item = asb_capabilities_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbCapabilities, asb_capabilities, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL,
                                                      asb_capabilities_list_model_init))

static void
asb_capabilities_finalize (GObject *object)
{
  AsbCapabilities *self = ASB_CAPABILITIES (object);

  g_clear_pointer (&self->items, g_ptr_array_unref);

  G_OBJECT_CLASS (asb_capabilities_parent_class)->finalize (object);
}

static void
asb_capabilities_class_init (AsbCapabilitiesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_capabilities_finalize;
}

static void
asb_capabilities_init (AsbCapabilities *self)
{
  self->items = g_ptr_array_new_with_free_func (g_object_unref);
}

/**
 * asb_capabilities_new:
 *
 * Makes an empty list: nothing is available.
 *
 * Returns: (transfer full): a new [class@Capabilities]
 *
 * Since: 1.0
 */
AsbCapabilities *
asb_capabilities_new (void)
{
  return g_object_new (ASB_TYPE_CAPABILITIES, NULL);
}

static gboolean
find (AsbCapabilities *self, const char *name, guint *position)
{
  for (guint i = 0; i < self->items->len; i++)
    if (g_strcmp0 (asb_capability_get_name (self->items->pdata[i]), name) == 0)
      {
        *position = i;
        return TRUE;
      }
  return FALSE;
}

/**
 * asb_capabilities_add:
 * @self: a [class@Capabilities]
 * @name: the name
 * @support: how well it is supported
 * @source: (nullable): who says so
 * @reason: (nullable): why it is unavailable or weaker, for people
 *
 * Adds a capability, or replaces the one of that name.
 *
 * Since: 1.0
 */
void
asb_capabilities_add (AsbCapabilities *self, const char *name, AsbCapabilitySupport support,
                      const char *source, const char *reason)
{
  g_autoptr (AsbCapability) capability = NULL;

  g_return_if_fail (ASB_IS_CAPABILITIES (self));
  g_return_if_fail (name != NULL);

  capability = g_object_new (ASB_TYPE_CAPABILITY, "name", name, "support", support, "source",
                             source, "reason", reason, NULL);
  asb_capabilities_add_capability (self, capability);
}

/**
 * asb_capabilities_add_capability:
 * @self: a [class@Capabilities]
 * @capability: a capability
 *
 * Adds a capability, or replaces the one of that name.
 *
 * Since: 1.0
 */
void
asb_capabilities_add_capability (AsbCapabilities *self, AsbCapability *capability)
{
  guint position;

  g_return_if_fail (ASB_IS_CAPABILITIES (self));
  g_return_if_fail (ASB_IS_CAPABILITY (capability));

  if (find (self, asb_capability_get_name (capability), &position))
    {
      g_set_object ((AsbCapability **)&self->items->pdata[position], capability);
      g_list_model_items_changed (G_LIST_MODEL (self), position, 1, 1);
      return;
    }
  g_ptr_array_add (self->items, g_object_ref (capability));
  g_list_model_items_changed (G_LIST_MODEL (self), self->items->len - 1, 0, 1);
}

/**
 * asb_capabilities_merge:
 * @self: a [class@Capabilities]
 * @other: another one
 *
 * Adds everything of another list; what both have is taken from the other.
 *
 * Since: 1.0
 */
void
asb_capabilities_merge (AsbCapabilities *self, AsbCapabilities *other)
{
  g_return_if_fail (ASB_IS_CAPABILITIES (self));
  g_return_if_fail (ASB_IS_CAPABILITIES (other));

  for (guint i = 0; i < other->items->len; i++)
    asb_capabilities_add_capability (self, other->items->pdata[i]);
}

/**
 * asb_capabilities_get:
 * @self: a [class@Capabilities]
 * @name: the name
 *
 * Gets a capability.
 *
 * Returns: (transfer none) (nullable): the capability, if anything was said about it
 *
 * Since: 1.0
 */
AsbCapability *
asb_capabilities_get (AsbCapabilities *self, const char *name)
{
  guint position;

  g_return_val_if_fail (ASB_IS_CAPABILITIES (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  return find (self, name, &position) ? self->items->pdata[position] : NULL;
}

/**
 * asb_capabilities_supports:
 * @self: a [class@Capabilities]
 * @name: the name
 *
 * Tells whether something can be done, natively or by other means.
 *
 * Returns: whether it can
 *
 * Since: 1.0
 */
gboolean
asb_capabilities_supports (AsbCapabilities *self, const char *name)
{
  AsbCapability *capability = asb_capabilities_get (self, name);

  return capability
         && asb_capability_get_support (capability) != ASB_CAPABILITY_SUPPORT_UNAVAILABLE;
}

/**
 * asb_capabilities_require:
 * @self: a [class@Capabilities]
 * @name: the name
 * @error: return location for an error
 *
 * Fails with %ASB_ERROR_UNSUPPORTED_CAPABILITY, and the reason, if something cannot be done.
 *
 * Returns: whether it can
 *
 * Since: 1.0
 */
gboolean
asb_capabilities_require (AsbCapabilities *self, const char *name, GError **error)
{
  AsbCapability *capability;
  const char *reason;
  g_autoptr (GError) local = NULL;
  g_autoptr (AsbErrorInfo) info = NULL;

  g_return_val_if_fail (ASB_IS_CAPABILITIES (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  if (asb_capabilities_supports (self, name))
    return TRUE;

  capability = asb_capabilities_get (self, name);
  reason = capability ? asb_capability_get_reason (capability) : NULL;
  local = g_error_new (ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY, "“%s” is not supported%s%s",
                       name, reason ? ": " : "", reason ? reason : "");
  info = g_object_new (ASB_TYPE_ERROR_INFO, "operation", name, NULL);
  asb_error_set_info (local, info);
  asb_error_info_set_last (local);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}
