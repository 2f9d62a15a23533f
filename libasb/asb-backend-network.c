/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-call-private.h"
#include "asb-enum-types.h"
#include "asb-run-private.h"
#include "asb-sync-private.h"

/* What the sandbox of a backend may connect to. */

/* What an operation is given, until the provider is asked. */
typedef struct
{
  AsbNetworkPolicy *policy;
  char **targets;
} Arguments;

static void
arguments_free (gpointer data)
{
  Arguments *arguments = data;

  g_clear_object (&arguments->policy);
  g_clear_pointer (&arguments->targets, g_strfreev);
  g_free (arguments);
}

/* For the record. */

static const char *
action_to_nick (AsbNetworkAction action)
{
  g_autoptr (GEnumClass) enum_class = g_type_class_ref (ASB_TYPE_NETWORK_ACTION);
  GEnumValue *value = g_enum_get_value (enum_class, (int)action);

  return value ? value->value_nick : "unknown";
}

static GVariant *
list_rules (AsbNetworkPolicy *policy)
{
  GListModel *rules = asb_network_policy_get_rules (policy);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < g_list_model_get_n_items (rules); i++)
    {
      g_autoptr (AsbNetworkRule) rule = g_list_model_get_item (rules, i);
      const char *target = asb_network_rule_get_target (rule);

      g_variant_builder_open (&builder, G_VARIANT_TYPE_VARDICT);
      g_variant_builder_add (
          &builder, "{sv}", "action",
          g_variant_new_string (action_to_nick (asb_network_rule_get_action (rule))));
      g_variant_builder_add (&builder, "{sv}", "target",
                             g_variant_new_string (target ? target : ""));
      g_variant_builder_close (&builder);
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
describe_rules (AsbNetworkPolicy *policy)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "rules", list_rules (policy));
  return g_variant_dict_end (&dict);
}

static GVariant *
describe_policy (gpointer policy)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "default_action", "s",
                         action_to_nick (asb_network_policy_get_default_action (policy)));
  g_variant_dict_insert_value (&dict, "rules", list_rules (policy));
  return g_variant_dict_end (&dict);
}

static GVariant *
describe_targets (const char *const *targets)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "targets", g_variant_new_strv (targets, -1));
  return g_variant_dict_end (&dict);
}

/* The caller may change his own as soon as the call has begun. */
static AsbNetworkPolicy *
copy_policy (AsbNetworkPolicy *policy)
{
  AsbNetworkPolicy *copy = asb_network_policy_new ();

  asb_network_policy_set_default_action (copy, asb_network_policy_get_default_action (policy));
  asb_network_policy_set_rules (copy, asb_network_policy_get_rules (policy));
  asb_network_policy_set_mode (copy, asb_network_policy_get_mode (policy));
  asb_network_policy_set_enforcement (copy, asb_network_policy_get_enforcement (policy));
  return copy;
}

static void
policy_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  asb_run_answer (user_data, source, result, describe_policy);
}

static void
perform_get_network_policy (AsbRun *run)
{
  asb_provider_get_network_policy_async (run->backend->provider,
                                         ASB_BACKEND_SANDBOX_ID (run->backend),
                                         g_task_get_cancellable (run->task), policy_cb, run);
}

/**
 * asb_backend_get_network_policy_async:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks what the sandbox may connect to. %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider
 * cannot.
 *
 * Since: 1.0
 */
void
asb_backend_get_network_policy_async (AsbBackend *self, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "get the network policy", 0, NULL };
  AsbRunRecord record = { .operation_type = "sandbox.get_network_policy" };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));

  task = asb_call_begin (self, &kind, ASB_TYPE_NETWORK_POLICY, cancellable, callback, user_data,
                         asb_backend_get_network_policy_async);
  asb_run_begin (self, task, &record, NULL, perform_get_network_policy);
}

/**
 * asb_backend_get_network_policy_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.get_network_policy_async].
 *
 * Returns: (transfer full): the policy as it is
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_backend_get_network_policy_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_get_network_policy:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks what the sandbox may connect to. %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider
 * cannot. Blocks; see [method@Backend.get_network_policy_async].
 *
 * Returns: (transfer full): the policy as it is
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_backend_get_network_policy (AsbBackend *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  asb_sync_begin (&sync);
  asb_backend_get_network_policy_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_get_network_policy_finish (self, asb_sync_wait (&sync), error);
}

static void
perform_set_network_policy (AsbRun *run)
{
  const Arguments *arguments = g_task_get_task_data (run->task);

  asb_provider_set_network_policy_async (run->backend->provider,
                                         ASB_BACKEND_SANDBOX_ID (run->backend), arguments->policy,
                                         g_task_get_cancellable (run->task), policy_cb, run);
}

/**
 * asb_backend_set_network_policy_async:
 * @self: a [class@Backend]
 * @policy: what the sandbox may connect to
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Replaces what was said about what the sandbox may connect to, as a whole. Connections there are
 * may go on. %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider cannot.
 *
 * Since: 1.0
 */
void
asb_backend_set_network_policy_async (AsbBackend *self, AsbNetworkPolicy *policy,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer user_data)
{
  static const AsbCallKind kind = { "set the network policy", 0, NULL };
  AsbRunRecord record = { .operation_type = "sandbox.set_network_policy" };
  GTask *task;
  Arguments *arguments;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (ASB_IS_NETWORK_POLICY (policy));

  task = asb_call_begin (self, &kind, ASB_TYPE_NETWORK_POLICY, cancellable, callback, user_data,
                         asb_backend_set_network_policy_async);
  arguments = g_new0 (Arguments, 1);
  arguments->policy = copy_policy (policy);
  g_task_set_task_data (task, arguments, arguments_free);
  record.request = describe_policy (policy);
  asb_run_begin (self, task, &record, NULL, perform_set_network_policy);
}

/**
 * asb_backend_set_network_policy_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.set_network_policy_async].
 *
 * Returns: (transfer full): the policy as it is now
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_backend_set_network_policy_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_set_network_policy:
 * @self: a [class@Backend]
 * @policy: what the sandbox may connect to
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Replaces what was said about what the sandbox may connect to, as a whole. Connections there are
 * may go on. %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider cannot. Blocks; see
 * [method@Backend.set_network_policy_async].
 *
 * Returns: (transfer full): the policy as it is now
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_backend_set_network_policy (AsbBackend *self, AsbNetworkPolicy *policy,
                                GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ASB_IS_NETWORK_POLICY (policy), NULL);

  asb_sync_begin (&sync);
  asb_backend_set_network_policy_async (self, policy, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_set_network_policy_finish (self, asb_sync_wait (&sync), error);
}

static void
perform_patch_network_policy (AsbRun *run)
{
  const Arguments *arguments = g_task_get_task_data (run->task);

  asb_provider_patch_network_policy_async (run->backend->provider,
                                           ASB_BACKEND_SANDBOX_ID (run->backend), arguments->policy,
                                           g_task_get_cancellable (run->task), policy_cb, run);
}

/**
 * asb_backend_patch_network_policy_async:
 * @self: a [class@Backend]
 * @policy: the rules to add; nothing else of it counts
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Puts rules in front of those there are. Since the first rule for a target wins, they take the
 * place of older ones for the same targets. %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider
 * cannot.
 *
 * Since: 1.0
 */
void
asb_backend_patch_network_policy_async (AsbBackend *self, AsbNetworkPolicy *policy,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data)
{
  static const AsbCallKind kind = { "change the network policy", 0, NULL };
  AsbRunRecord record = { .operation_type = "sandbox.patch_network_policy" };
  GTask *task;
  Arguments *arguments;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (ASB_IS_NETWORK_POLICY (policy));

  task = asb_call_begin (self, &kind, ASB_TYPE_NETWORK_POLICY, cancellable, callback, user_data,
                         asb_backend_patch_network_policy_async);
  arguments = g_new0 (Arguments, 1);
  arguments->policy = copy_policy (policy);
  g_task_set_task_data (task, arguments, arguments_free);
  record.request = describe_rules (policy);
  asb_run_begin (self, task, &record, NULL, perform_patch_network_policy);
}

/**
 * asb_backend_patch_network_policy_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.patch_network_policy_async].
 *
 * Returns: (transfer full): the policy as it is now
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_backend_patch_network_policy_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_patch_network_policy:
 * @self: a [class@Backend]
 * @policy: the rules to add; nothing else of it counts
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Puts rules in front of those there are. Since the first rule for a target wins, they take the
 * place of older ones for the same targets. %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider
 * cannot. Blocks; see [method@Backend.patch_network_policy_async].
 *
 * Returns: (transfer full): the policy as it is now
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_backend_patch_network_policy (AsbBackend *self, AsbNetworkPolicy *policy,
                                  GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ASB_IS_NETWORK_POLICY (policy), NULL);

  asb_sync_begin (&sync);
  asb_backend_patch_network_policy_async (self, policy, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_patch_network_policy_finish (self, asb_sync_wait (&sync), error);
}

static void
perform_remove_network_rules (AsbRun *run)
{
  const Arguments *arguments = g_task_get_task_data (run->task);

  asb_provider_remove_network_rules_async (
      run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
      (const char *const *)arguments->targets, g_task_get_cancellable (run->task), policy_cb, run);
}

/**
 * asb_backend_remove_network_rules_async:
 * @self: a [class@Backend]
 * @targets: (array zero-terminated=1): the targets of the rules
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Takes away all rules for some targets. A target that no rule is for is no error.
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider cannot.
 *
 * Since: 1.0
 */
void
asb_backend_remove_network_rules_async (AsbBackend *self, const char *const *targets,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data)
{
  static const AsbCallKind kind = { "remove network rules", 0, NULL };
  AsbRunRecord record = { .operation_type = "sandbox.remove_network_rules" };
  GTask *task;
  Arguments *arguments;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (targets != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_NETWORK_POLICY, cancellable, callback, user_data,
                         asb_backend_remove_network_rules_async);
  arguments = g_new0 (Arguments, 1);
  arguments->targets = g_strdupv ((char **)targets);
  g_task_set_task_data (task, arguments, arguments_free);
  record.request = describe_targets (targets);
  asb_run_begin (self, task, &record, NULL, perform_remove_network_rules);
}

/**
 * asb_backend_remove_network_rules_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.remove_network_rules_async].
 *
 * Returns: (transfer full): the policy as it is now
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_backend_remove_network_rules_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_remove_network_rules:
 * @self: a [class@Backend]
 * @targets: (array zero-terminated=1): the targets of the rules
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Takes away all rules for some targets. A target that no rule is for is no error.
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider cannot. Blocks; see
 * [method@Backend.remove_network_rules_async].
 *
 * Returns: (transfer full): the policy as it is now
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_backend_remove_network_rules (AsbBackend *self, const char *const *targets,
                                  GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (targets != NULL, NULL);

  asb_sync_begin (&sync);
  asb_backend_remove_network_rules_async (self, targets, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_remove_network_rules_finish (self, asb_sync_wait (&sync), error);
}
