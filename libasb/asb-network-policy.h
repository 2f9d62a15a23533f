/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-network-rule.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_NETWORK_POLICY (asb_network_policy_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbNetworkPolicy, asb_network_policy, ASB, NETWORK_POLICY, GObject)

ASB_AVAILABLE_IN_1_0
AsbNetworkPolicy *asb_network_policy_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
AsbNetworkAction asb_network_policy_get_default_action (AsbNetworkPolicy *self);
ASB_AVAILABLE_IN_1_0
void asb_network_policy_set_default_action (AsbNetworkPolicy *self,
                                            AsbNetworkAction default_action);
ASB_AVAILABLE_IN_1_0
GListModel *asb_network_policy_get_rules (AsbNetworkPolicy *self);
ASB_AVAILABLE_IN_1_0
void asb_network_policy_set_rules (AsbNetworkPolicy *self, GListModel *rules);
ASB_AVAILABLE_IN_1_0
const char *asb_network_policy_get_mode (AsbNetworkPolicy *self);
ASB_AVAILABLE_IN_1_0
void asb_network_policy_set_mode (AsbNetworkPolicy *self, const char *mode);
ASB_AVAILABLE_IN_1_0
const char *asb_network_policy_get_enforcement (AsbNetworkPolicy *self);
ASB_AVAILABLE_IN_1_0
void asb_network_policy_set_enforcement (AsbNetworkPolicy *self, const char *enforcement);
ASB_AVAILABLE_IN_1_0
void asb_network_policy_add_rule (AsbNetworkPolicy *self, AsbNetworkAction action,
                                  const char *target);

G_END_DECLS
