/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the mock does beyond making sandboxes: addresses, networks, metadata, snapshots, metrics,
 * diagnostics and services. */

#pragma once

#include <asb.h>

typedef struct _AsbMockServices AsbMockServices;

AsbMockServices *asb_mock_services_new (void);
void asb_mock_services_free (AsbMockServices *self);

/* Adds the actions by which applications say what is told, to the type of the provider. */
void asb_mock_services_install_signals (GType type);
void asb_mock_services_iface_init (AsbProviderInterface *iface);
void asb_mock_services_add_capabilities (AsbCapabilities *capabilities);

/* The sandbox is deleted: who watches it is told. */
void asb_mock_services_forget (AsbMockServices *self, const char *sandbox_id);
/* Whether there is a snapshot to make a sandbox from. */
gboolean asb_mock_services_check_snapshot (AsbMockServices *self, const char *snapshot_id,
                                           GError **error);
