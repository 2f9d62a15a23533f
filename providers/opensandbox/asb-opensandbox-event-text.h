/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines of output, of which there may be millions: read without a tree of JSON. */

#pragma once

#include <glib.h>

/* The text of {"type":"stdout","text":"…","timestamp":N}, or of stderr, exactly as execd writes it;
 * NULL for everything else, which is for a whole parser. May hold NUL. */
GString *asb_opensandbox_event_text_parse (const char *line, gsize size, gboolean *is_stderr);
