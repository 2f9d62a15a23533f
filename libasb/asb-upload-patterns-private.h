/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Patterns as of .gitignore. No pattern takes longer than its length times that of the path,
 * squared where it has segments “**”: they may come from a file in the source. */

#pragma once

#include <gio/gio.h>

typedef struct _AsbUploadPatterns AsbUploadPatterns;

AsbUploadPatterns *asb_upload_patterns_new (void);
void asb_upload_patterns_free (AsbUploadPatterns *self);

/* @lines may be NULL. Blank ones and those that begin with # say nothing. */
void asb_upload_patterns_add_all (AsbUploadPatterns *self, const char *const *lines);

/* Whether the last pattern that is about @path, which is relative, or about a directory that it is
 * in, does not take it back. */
gboolean asb_upload_patterns_match (const AsbUploadPatterns *self, const char *path,
                                    gboolean is_directory);

/* Whether all that is in a directory that matches does, too. */
gboolean asb_upload_patterns_are_plain (const AsbUploadPatterns *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbUploadPatterns, asb_upload_patterns_free)
