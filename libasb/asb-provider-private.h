/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-provider.h"

/* Ids are text, as providers give them out: bytes that are none would only be a riddle to scripts.
 * Answers @task, and lets it go, for such an id of a @thing. */
gboolean asb_provider_id_is_unknown (GTask *task, const char *thing, const char *id);
