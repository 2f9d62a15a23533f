/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Modules as files: their names, where they are, how one is opened. */

#pragma once

#include "asb-module.h"

gboolean asb_module_name_is_valid (const char *name);

/* Returns: (transfer full): the folders to search when nobody said anything */
GPtrArray *asb_module_default_paths (void);

/* Returns: (transfer full): the file of @name in the first of @paths that has it */
char *asb_module_find_file (AsbModuleKind kind, const char *name, const char *const *paths,
                            GError **error);

/* Opens the module of @name in the first of @paths that has its file, checks its descriptor, and
 * lets it register on @registry. Modules stay loaded for good: they own types. @file, to be freed,
 * is the path of what was opened. */
gboolean asb_module_load (AsbRegistry *registry, AsbModuleKind kind, const char *name,
                          const char *const *paths, char **file, GError **error);

/* Returns: (transfer full) (element-type utf8): names of the files of @kind, without opening them
 */
GPtrArray *asb_module_list_names (AsbModuleKind kind, const char *const *paths);
