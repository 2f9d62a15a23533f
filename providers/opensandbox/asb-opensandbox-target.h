/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What rules of a network policy are for. Sidecars keep any text and look for it among names, so
 * that a URL is neither allowed nor denied, which nobody would notice. Any thread. */

#pragma once

#include <glib.h>

/* A name, “*.” and a name, an address, or a range of them. */
gboolean asb_opensandbox_target_check (const char *target, GError **error);
