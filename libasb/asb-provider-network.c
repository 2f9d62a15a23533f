/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-provider-private.h"

#include "asb-call-private.h"
#include "asb-sync-private.h"

/* What sandboxes may connect to. */

/**
 * AsbProviderInterface::get_network_policy:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @task: to be answered with an [class@NetworkPolicy]: the policy as it is
 *
 * Does what [method@Provider.get_network_policy_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_get_network_policy_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks what the sandbox may connect to.
 *
 * Since: 1.0
 */
void
asb_provider_get_network_policy_async (AsbProvider *self, const char *sandbox_id,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer user_data)
{
  static const AsbCallKind kind = { "get the network policy of the sandbox", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_NETWORK_POLICY, cancellable, callback, user_data,
                         asb_provider_get_network_policy_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->get_network_policy)
    {
      ASB_PROVIDER_GET_IFACE (self)->get_network_policy (self, sandbox_id, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "get_network_policy");
}

/**
 * asb_provider_get_network_policy_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.get_network_policy_async].
 *
 * Returns: (transfer full): the policy as it is
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_provider_get_network_policy_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_get_network_policy:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks what the sandbox may connect to. Blocks; see [method@Provider.get_network_policy_async].
 *
 * Returns: (transfer full): the policy as it is
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_provider_get_network_policy (AsbProvider *self, const char *sandbox_id,
                                 GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_get_network_policy_async (self, sandbox_id, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_get_network_policy_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::set_network_policy:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @policy: what the sandbox may connect to
 * @task: to be answered with an [class@NetworkPolicy]: the policy as it is now
 *
 * Does what [method@Provider.set_network_policy_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_set_network_policy_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @policy: what the sandbox may connect to
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Replaces what was said about what the sandbox may connect to, as a whole.
 *
 * Since: 1.0
 */
void
asb_provider_set_network_policy_async (AsbProvider *self, const char *sandbox_id,
                                       AsbNetworkPolicy *policy, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "set the network policy of the sandbox", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);
  g_return_if_fail (ASB_IS_NETWORK_POLICY (policy));

  task = asb_call_begin (self, &kind, ASB_TYPE_NETWORK_POLICY, cancellable, callback, user_data,
                         asb_provider_set_network_policy_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->set_network_policy)
    {
      ASB_PROVIDER_GET_IFACE (self)->set_network_policy (self, sandbox_id, policy, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "set_network_policy");
}

/**
 * asb_provider_set_network_policy_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.set_network_policy_async].
 *
 * Returns: (transfer full): the policy as it is now
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_provider_set_network_policy_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_set_network_policy:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @policy: what the sandbox may connect to
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Replaces what was said about what the sandbox may connect to, as a whole. Blocks; see
 * [method@Provider.set_network_policy_async].
 *
 * Returns: (transfer full): the policy as it is now
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_provider_set_network_policy (AsbProvider *self, const char *sandbox_id,
                                 AsbNetworkPolicy *policy, GCancellable *cancellable,
                                 GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);
  g_return_val_if_fail (ASB_IS_NETWORK_POLICY (policy), NULL);

  asb_sync_begin (&sync);
  asb_provider_set_network_policy_async (self, sandbox_id, policy, cancellable, asb_sync_ready_cb,
                                         &sync);
  return asb_provider_set_network_policy_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::patch_network_policy:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @policy: the rules to add; nothing else of it counts
 * @task: to be answered with an [class@NetworkPolicy]: the policy as it is now
 *
 * Does what [method@Provider.patch_network_policy_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_patch_network_policy_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @policy: the rules to add; nothing else of it counts
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Puts rules in front of those there are. Since the first rule for a target wins, they take the
 * place of older ones for the same targets.
 *
 * Since: 1.0
 */
void
asb_provider_patch_network_policy_async (AsbProvider *self, const char *sandbox_id,
                                         AsbNetworkPolicy *policy, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "change the network policy of the sandbox", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);
  g_return_if_fail (ASB_IS_NETWORK_POLICY (policy));

  task = asb_call_begin (self, &kind, ASB_TYPE_NETWORK_POLICY, cancellable, callback, user_data,
                         asb_provider_patch_network_policy_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->patch_network_policy)
    {
      ASB_PROVIDER_GET_IFACE (self)->patch_network_policy (self, sandbox_id, policy, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "patch_network_policy");
}

/**
 * asb_provider_patch_network_policy_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.patch_network_policy_async].
 *
 * Returns: (transfer full): the policy as it is now
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_provider_patch_network_policy_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_patch_network_policy:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @policy: the rules to add; nothing else of it counts
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Puts rules in front of those there are. Since the first rule for a target wins, they take the
 * place of older ones for the same targets. Blocks; see
 * [method@Provider.patch_network_policy_async].
 *
 * Returns: (transfer full): the policy as it is now
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_provider_patch_network_policy (AsbProvider *self, const char *sandbox_id,
                                   AsbNetworkPolicy *policy, GCancellable *cancellable,
                                   GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);
  g_return_val_if_fail (ASB_IS_NETWORK_POLICY (policy), NULL);

  asb_sync_begin (&sync);
  asb_provider_patch_network_policy_async (self, sandbox_id, policy, cancellable, asb_sync_ready_cb,
                                           &sync);
  return asb_provider_patch_network_policy_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::remove_network_rules:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @targets: (array zero-terminated=1): the targets of the rules
 * @task: to be answered with an [class@NetworkPolicy]: the policy as it is now
 *
 * Does what [method@Provider.remove_network_rules_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_remove_network_rules_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @targets: (array zero-terminated=1): the targets of the rules
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Takes away all rules for some targets. A target that no rule is for is no error.
 *
 * Since: 1.0
 */
void
asb_provider_remove_network_rules_async (AsbProvider *self, const char *sandbox_id,
                                         const char *const *targets, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "remove network rules of the sandbox", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);
  g_return_if_fail (targets != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_NETWORK_POLICY, cancellable, callback, user_data,
                         asb_provider_remove_network_rules_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->remove_network_rules)
    {
      ASB_PROVIDER_GET_IFACE (self)->remove_network_rules (self, sandbox_id, targets, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "remove_network_rules");
}

/**
 * asb_provider_remove_network_rules_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.remove_network_rules_async].
 *
 * Returns: (transfer full): the policy as it is now
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_provider_remove_network_rules_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_remove_network_rules:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @targets: (array zero-terminated=1): the targets of the rules
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Takes away all rules for some targets. A target that no rule is for is no error. Blocks; see
 * [method@Provider.remove_network_rules_async].
 *
 * Returns: (transfer full): the policy as it is now
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_provider_remove_network_rules (AsbProvider *self, const char *sandbox_id,
                                   const char *const *targets, GCancellable *cancellable,
                                   GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);
  g_return_val_if_fail (targets != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_remove_network_rules_async (self, sandbox_id, targets, cancellable,
                                           asb_sync_ready_cb, &sync);
  return asb_provider_remove_network_rules_finish (self, asb_sync_wait (&sync), error);
}
