/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-backend-options.h"
#include "asb-closure-private.h"

/* Returns: (transfer none) (nullable): an AsbTransportFactory with its data */
AsbClosure *asb_backend_options_get_transport_factory (AsbBackendOptions *self);

/* Returns: (transfer none) (nullable): an AsbCloseCoordinator with its data */
AsbClosure *asb_backend_options_get_close_coordinator (AsbBackendOptions *self);

/* The first thing that is wrong with the options, in the order of the rules there. */
gboolean asb_backend_options_check (AsbBackendOptions *self, GError **error);
