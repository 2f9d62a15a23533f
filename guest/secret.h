/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a client proves itself with. */

#pragma once

#include <jansson.h>
#include <stdbool.h>

/* Whether @given is the string @secret. It takes as long whatever is wrong: who tries learns at
 * most how long the secret is. */
bool secret_is (const char *secret, const json_t *given);
