/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where something is uploaded before it is moved to where it belongs, on the same file system. A
 * script makes it, and says where it is. */

#pragma once

#include <glib.h>

typedef struct
{
  char *token;      /* a name that nobody else has */
  char *target;     /* a path, as it really is */
  gboolean by_link; /* execd would read the name of the directory another way */
} AsbOpensandboxPlace;

/* For the script: “way DIRECTORY TOKEN” says whether execd is to go there by a link, and makes it.
 */
#define ASB_OPENSANDBOX_PLACE_WAY                                                                  \
  "way () {\n"                                                                                     \
  "  case $1 in\n"                                                                                 \
  "  *'$'*|*[!\\ -}]*) mkdir -m 700 /tmp/.asb-$2 && ln -s \"$1\" /tmp/.asb-$2/d && echo link ;;\n" \
  "  *) echo plain ;;\n"                                                                           \
  "  esac || exit\n"                                                                               \
  "}\n"

/* A new place, with a token that was never used before; @self is empty or has one. */
void asb_opensandbox_place_begin (AsbOpensandboxPlace *self);
void asb_opensandbox_place_clear (AsbOpensandboxPlace *self);

/* What the script said of it: the line of the link, and the target as base64. @verb and @shown, a
 * path for messages, say what for. */
gboolean asb_opensandbox_place_take (AsbOpensandboxPlace *self, char **lines, const char *verb,
                                     const char *shown, GError **error);

/* @directory, that of the link if there is one, as execd is told. Returns: (transfer full) */
char *asb_opensandbox_place_dup_remote (const AsbOpensandboxPlace *self, const char *directory);
