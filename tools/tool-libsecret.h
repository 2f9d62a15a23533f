/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* libsecret, loaded when it is first needed: with the libraries that it needs it would take asb a
 * seventh of its start, and few commands ask for a key. */

#pragma once

#include <libsecret/secret.h>

#define TOOL_LIBSECRET_FUNCTIONS(FUNCTION)                                                         \
  FUNCTION (item_get_locked)                                                                       \
  FUNCTION (item_get_type)                                                                         \
  FUNCTION (password_clear)                                                                        \
  FUNCTION (password_clear_finish)                                                                 \
  FUNCTION (password_free)                                                                         \
  FUNCTION (password_lookup)                                                                       \
  FUNCTION (password_lookup_finish)                                                                \
  FUNCTION (password_search)                                                                       \
  FUNCTION (password_search_finish)                                                                \
  FUNCTION (password_store)                                                                        \
  FUNCTION (password_store_finish)

#define TOOL_LIBSECRET_MEMBER(name) __typeof__ (secret_##name) *name;

/* Its functions by their names, without “secret_”. */
typedef struct
{
  TOOL_LIBSECRET_FUNCTIONS (TOOL_LIBSECRET_MEMBER)
} ToolLibsecret;

/* Returns: (transfer none): NULL with an error where it is not installed */
const ToolLibsecret *tool_libsecret_load (GError **error);
