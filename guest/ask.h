/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A short visit to the guest that serves already. */

#pragma once

#include <jansson.h>

#define ASK_PROBLEM_SIZE 256

/* The result of one call to whoever serves at @socket_path. NULL when there is none, with a
 * sentence in @problem. */
json_t *ask_guest (const char *socket_path, const char *call, json_t *args,
                   char problem[ASK_PROBLEM_SIZE]);

/* Has guests of older major versions drain that serve beside @socket_path. */
void ask_older_to_drain (const char *socket_path);
