/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-simple-provider.h"

/* Unless it has a name of its own. */
void asb_simple_provider_name_by_default (AsbSimpleProvider *self, const char *name);
