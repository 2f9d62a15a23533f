/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-provider.h"

/* Ids are text, as providers give them out: bytes that are none would only be a riddle to scripts.
 * Answers @task, and lets it go, for such an id of a @thing. */
gboolean asb_provider_id_is_unknown (GTask *task, const char *thing, const char *id);

/* For what else goes to a provider as text: bytes that are none break the bindings and the messages
 * of those who take them for it. Answers @task, and lets it go, for such a @text, NULL being none;
 * @what goes on after “The”. */
gboolean asb_provider_text_is_none (GTask *task, const char *what, const char *text);

/* Whether its functions may be called in any thread. */
gboolean asb_provider_is_thread_safe (AsbProvider *self);

/* Whether it puts files into its sandboxes; otherwise the guest is there already. */
gboolean asb_provider_puts_files (AsbProvider *self);

/* What is wrong with an AsbSandboxInfo that a provider gave: an AsbCallCheck. */
const char *asb_provider_check_info (const GValue *result);
