/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Paths inside a sandbox. They are bytes, and one file has one spelling. */

#pragma once

#include <gio/gio.h>

/* Makes @path absolute, starting at @workdir, without “.” and empty segments. A “..” segment and an
 * empty path are refused: what they mean would depend on links inside the sandbox. Returns:
 * (transfer full) */
char *asb_path_resolve (const char *workdir, const char *path, GError **error);

/* A string where the bytes are UTF-8, otherwise an “ay”. Returns: floating */
GVariant *asb_path_to_variant (const char *path);
