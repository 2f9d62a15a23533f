/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-error.h"

/* Ties @info to @error if it is of our domain. */
void asb_error_set_info (GError *error, AsbErrorInfo *info);

/* Details of @error that nobody else holds, to be added to: a copy of those it has, or new ones.
 * Returns: (transfer none) (nullable): NULL for an error of another domain */
AsbErrorInfo *asb_error_own_info (GError *error);

/* Makes an error of an implementation one that callers are promised: text, cancelled or with a code
 * of our domain. One of another domain gets @code and keeps its message; its own domain and code
 * become the provider's code of its details.
 * @error: (transfer full)
 * Returns: (transfer full): the error to hand out */
GError *asb_error_adopt (GError *error, AsbError code);

/* Adds @advice to the sentence of @error. */
void asb_error_advise (GError *error, const char *advice);

/* Like g_prefix_error (), unless it says that already. */
void asb_error_prefix (GError *error, const char *prefix);

/* Whether @error is of @domain and @code, or was before it was adopted. */
gboolean asb_error_was (const GError *error, GQuark domain, int code);

gboolean asb_error_is_cancelled (const GError *error);

/* Whether there is no such sandbox, or none any more. */
gboolean asb_error_is_sandbox_gone (const GError *error);

/* What asb_error_info_get_last () tells this thread from now on: the details of @error, which is
 * about to be handed to the caller. */
void asb_error_info_set_last (const GError *error);

/* The same of what is at @error, for a public function that fails with it.
 * Returns: FALSE */
gboolean asb_error_info_note (GError **error);
