/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "lookalike.h"

G_BEGIN_DECLS

/* What "--help" tells beyond the options. */
char *lookalike_help_describe (void);

/* What a person who started it wants to know. */
void lookalike_help_greet (Lookalike *lookalike);

G_END_DECLS
