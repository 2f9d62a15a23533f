/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What starts the guest in a sandbox, for any shell, and what it says of it. */

#pragma once

#include <glib.h>

/* The variable in which the token comes. */
#define ASB_OPENSANDBOX_TOKEN_VARIABLE "ASB_GUEST_TOKEN"

/* The program, which has been sent and is to be looked at and put where it belongs. */
typedef struct
{
  const char *temporary;
  const char *path; /* FOLDER/bin/NAME */
  gsize size;
  gboolean is_guess; /* nobody has looked at FOLDER, which may have been made by the sending */
} AsbOpensandboxArrival;

/* The guest @program, whose name ends with “-” and the first 16 digits of its SHA-256 if there is
 * an arrival, listens for WebSockets; the news are on standard output. What arrived (nullable) has
 * its place, or is gone; one that is not what was sent is missing, as if nothing had been sent. */
char *asb_opensandbox_guest_script_new_serve (const char *program,
                                              const AsbOpensandboxArrival *arrival);

/* Standard input and output are those of the guest, or of any other program; the news are on
 * standard error. */
char *asb_opensandbox_guest_script_new_connect (const char *program);
char *asb_opensandbox_guest_script_new_program (const char *const *argv);

typedef enum
{
  ASB_OPENSANDBOX_GUEST_NONE, /* the line says something else */
  ASB_OPENSANDBOX_GUEST_LISTENS,
  ASB_OPENSANDBOX_GUEST_READY,
  ASB_OPENSANDBOX_GUEST_MISSING, /* it would have a place in @folder */
  ASB_OPENSANDBOX_GUEST_NOWHERE, /* there is no place in which it could be run */
  ASB_OPENSANDBOX_GUEST_FAILED   /* with @status */
} AsbOpensandboxGuestState;

typedef struct
{
  AsbOpensandboxGuestState state;
  guint port;
  guint status;
  char *architecture;
  char *folder;
} AsbOpensandboxGuestNews;

void asb_opensandbox_guest_news_clear (AsbOpensandboxGuestNews *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AsbOpensandboxGuestNews, asb_opensandbox_guest_news_clear)

/* @news is one that was cleared, or zeros. FALSE: the line is not about the guest. */
gboolean asb_opensandbox_guest_news_parse (AsbOpensandboxGuestNews *news, const char *line,
                                           gsize size);

/* Where @program is to be put if it is missing and there is a place. Returns: (transfer full)
 * (nullable) */
char *asb_opensandbox_guest_news_dup_place (const AsbOpensandboxGuestNews *news,
                                            const char *program);

/* What the news mean for @program, with the words of @errors (nullable); NULL for good news.
 * Returns: (transfer full) (nullable) */
GError *asb_opensandbox_guest_news_to_error (const AsbOpensandboxGuestNews *news,
                                             const char *program, const char *errors);
