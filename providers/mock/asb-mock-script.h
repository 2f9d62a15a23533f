/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a command prints and how it ends. */

#pragma once

#include <asb.h>

typedef struct
{
  GBytes *stdout_bytes;
  GBytes *stderr_bytes;
  int exit_code;
  int term_signal; /* 0: it exits */
  guint delay_ms;
  gboolean hold;   /* it runs until it is told to end */
  gboolean copies; /* standard input comes out of standard output */
} AsbMockScript;

void asb_mock_script_free (AsbMockScript *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbMockScript, asb_mock_script_free)

/* @source: an a{sv}, see README.md. */
AsbMockScript *asb_mock_script_parse (GVariant *source, GError **error);
AsbMockScript *asb_mock_script_copy (const AsbMockScript *self);

/* What a command does of which nobody said anything. */
AsbMockScript *asb_mock_script_new_default (const char *text, const char *cwd);

/* The command as people type it. */
char *asb_mock_command_text (AsbCommandSpec *spec);
