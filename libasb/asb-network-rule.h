/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_NETWORK_RULE (asb_network_rule_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbNetworkRule, asb_network_rule, ASB, NETWORK_RULE, GObject)

ASB_AVAILABLE_IN_1_0
AsbNetworkAction asb_network_rule_get_action (AsbNetworkRule *self);
ASB_AVAILABLE_IN_1_0
const char *asb_network_rule_get_target (AsbNetworkRule *self);
ASB_AVAILABLE_IN_1_0
AsbNetworkRule *asb_network_rule_new (AsbNetworkAction action,
                                      const char *target) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
