/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the guest's own sources do with patterns and text, behind names that get along with
 * json-glib, which shares some with the library those use. */

#pragma once

#include <glib.h>

typedef struct _AsbOpensandboxGlob AsbOpensandboxGlob;

/* NULL with @error set for what is no pattern. */
AsbOpensandboxGlob *asb_opensandbox_glob_new (const char *pattern, gboolean ignore_case,
                                              GError **error);
void asb_opensandbox_glob_free (AsbOpensandboxGlob *self);

/* @relative: the path from the directory on. */
gboolean asb_opensandbox_glob_match (AsbOpensandboxGlob *self, const char *relative,
                                     gboolean is_directory);

typedef struct _AsbOpensandboxText AsbOpensandboxText;

/* NULL with @error set for what cannot be looked for. */
AsbOpensandboxText *asb_opensandbox_text_new (const char *text, gboolean regex,
                                              gboolean ignore_case, GError **error);
void asb_opensandbox_text_free (AsbOpensandboxText *self);

typedef struct
{
  guint64 number;
  gsize column;
  gsize from;
  const char *bytes;
  gsize size;
  gboolean truncated;
  gboolean context;
} AsbOpensandboxTextLine;

/* Each FALSE ends the search. */
typedef struct
{
  gboolean (*claim) (gpointer data);
  void (*tell) (const AsbOpensandboxTextLine *line, gpointer data);
  gboolean (*goes_on) (gpointer data);
  void (*gave_up) (gpointer data);
} AsbOpensandboxTextHandlers;

typedef enum
{
  ASB_OPENSANDBOX_TEXT_DONE,
  ASB_OPENSANDBOX_TEXT_BINARY,
  ASB_OPENSANDBOX_TEXT_ENDED,
  ASB_OPENSANDBOX_TEXT_FAILED
} AsbOpensandboxTextOutcome;

/* The bytes of one file. */
AsbOpensandboxTextOutcome asb_opensandbox_text_search (AsbOpensandboxText *self,
                                                       const guint8 *bytes, gsize size,
                                                       guint context_lines,
                                                       const AsbOpensandboxTextHandlers *handlers,
                                                       gpointer data);
