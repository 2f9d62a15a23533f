/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A server with one sandbox, of which the bytes of an input say what is told. For each request
 * there is a byte that says what kind of answer it is, one that says more of it, and a block with
 * what is in it. When nothing is left, scripts fail and all else is not found. */

#pragma once

#include <asb.h>

#include "fuzz.h"

#define SCRIPTED_SANDBOX "sb-1"

/* What has been told since the beginning. */
typedef struct
{
  gboolean was_last_run; /* the last script said that it ended well, and all it said came */
  gboolean lacked_end;   /* as far as it told */
  guint64 size;          /* of a file, as it was told last */
  gboolean was_shifted;  /* a part of a file was another than was asked for */
  gboolean had_end;      /* something said how a command ended */
  gboolean had_close;    /* a WebSocket was closed with a word */
  guint n_cut;           /* bodies whose end did not come */
  gboolean was_odd;      /* something was sent of which nobody knows what it says */
  guint64 n_bytes;       /* in answers */
} ScriptedNews;

/* A provider with that option “transport”, the same each time. */
AsbProvider *scripted_server_get_provider (const char *transport);

/* Work in the sandbox without the guest. Returns: (transfer full) */
AsbTransport *scripted_server_open_native (void);

/* What comes now is answered with the rest of @input. The way in is found, and clean-up succeeds,
 * without being told. */
void scripted_server_begin (FuzzInput *input);

/* Waits until nothing is on its way any more. */
void scripted_server_end (void);

void scripted_server_get_news (ScriptedNews *news);

/* An error is what may be shown. */
void scripted_server_check_error (const GError *error);
