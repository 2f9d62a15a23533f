/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Questions to whoever sits at the terminal. */

#pragma once

#include "tool.h"

/* Asks for a yes on standard error; anything else is a no. Returns: FALSE with @error set only when
 * nobody could answer */
gboolean tool_question_ask (Tool *tool, const char *question, gboolean *yes, GError **error);
