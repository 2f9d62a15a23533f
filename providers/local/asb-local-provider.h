/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <asb.h>

G_BEGIN_DECLS

typedef enum
{
  ASB_LOCAL_NETWORK_NONE,
  ASB_LOCAL_NETWORK_HOST
} AsbLocalNetwork;

#define ASB_LOCAL_TYPE_NETWORK (asb_local_network_get_type ())
GType asb_local_network_get_type (void);

#define ASB_TYPE_LOCAL_PROVIDER (asb_local_provider_get_type ())
G_DECLARE_FINAL_TYPE (AsbLocalProvider, asb_local_provider, ASB, LOCAL_PROVIDER, GObject)

G_END_DECLS
