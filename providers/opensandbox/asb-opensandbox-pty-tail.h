/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The end of what a shell of execd's /pty prints: behind the output of the command comes a word
 * that nobody else knows, and how the command ended. */

#pragma once

#include <glib.h>

typedef struct
{
  GString *held; /* what may be the beginning of the word */
  const char *word;
  gboolean ended;
  int status; /* when it has ended; less than 0 for a signal */
} AsbOpensandboxPtyTail;

/* Output of the command, which has at least a byte. */
typedef void (*AsbOpensandboxPtyTailFunc) (const guint8 *bytes, gsize size, gpointer data);

/* @word lives as long. */
void asb_opensandbox_pty_tail_init (AsbOpensandboxPtyTail *self, const char *word);
void asb_opensandbox_pty_tail_clear (AsbOpensandboxPtyTail *self);

/* Hands on what is output of the command. What follows its end is dropped. */
void asb_opensandbox_pty_tail_take (AsbOpensandboxPtyTail *self, const guint8 *bytes, gsize size,
                                    AsbOpensandboxPtyTailFunc function, gpointer data);

/* Nothing more comes: what only looked like the word is output, too. */
void asb_opensandbox_pty_tail_flush (AsbOpensandboxPtyTail *self,
                                     AsbOpensandboxPtyTailFunc function, gpointer data);
