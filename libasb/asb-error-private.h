/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-error.h"

/* Ties @info to @error if it is of our domain. */
void asb_error_set_info (GError *error, AsbErrorInfo *info);

/* Details of @error that nobody else holds, to be added to: a copy of those it has, or new ones.
 * Returns: (transfer none) (nullable): NULL for an error of another domain */
AsbErrorInfo *asb_error_own_info (GError *error);

gboolean asb_error_is_cancelled (const GError *error);

/* Whether there is no such sandbox, or none any more. */
gboolean asb_error_is_sandbox_gone (const GError *error);

/* What asb_error_info_get_last () tells this thread from now on: the details of @error, which is
 * about to be handed to the caller. */
void asb_error_info_set_last (const GError *error);

/* The same of what is at @error, for a public function that fails with it.
 * Returns: FALSE */
gboolean asb_error_info_note (GError **error);
