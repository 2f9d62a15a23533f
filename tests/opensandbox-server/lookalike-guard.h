/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who may ask: programs of this machine, and no page that a browser of this machine shows. */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

/* TRUE after an answer. */
gboolean lookalike_guard_refuse (LookalikeRequest *request);
/* What a browser needs to hear before it shows an answer to a page of this machine. TRUE after an
 * answer, to a browser that asks beforehand. */
gboolean lookalike_guard_tell_browser (LookalikeRequest *request);

G_END_DECLS
