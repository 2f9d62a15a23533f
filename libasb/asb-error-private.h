/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-error.h"

/* Ties @info to @error if it is of our domain. */
void asb_error_set_info (GError *error, AsbErrorInfo *info);

gboolean asb_error_is_cancelled (const GError *error);

/* What asb_error_info_get_last () tells this thread from now on: the details of @error, which is
 * about to be handed to the caller. */

void asb_error_info_set_last (const GError *error);
