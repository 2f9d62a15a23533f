/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an image brings: the folders of a small Linux over this machine's /usr. */

#pragma once

#include "lookalike.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean exists;
  gboolean has_bash;
  gboolean has_python;
  gboolean is_sealed; /* what a user without rights may not write is read-only */
} LookalikeImage;

/* By the name alone, see --help. */
LookalikeImage lookalike_image_find (const char *uri);

/* Fills the folder that becomes the root. */
gboolean lookalike_image_lay_out (const LookalikeImage *image, const char *root_path,
                                  gboolean confined, GError **error);

/* The environment of everything that runs in it. @root_path is NULL when it is the root. */
char **lookalike_image_make_environment (const LookalikeImage *image, const char *root_path,
                                         const char *hostname);

/* bubblewrap and its arguments, up to the program; a list of new strings. */
GPtrArray *lookalike_image_make_arguments (const LookalikeImage *image, const char *root_path,
                                           const char *hostname, int status_fd);

G_END_DECLS
