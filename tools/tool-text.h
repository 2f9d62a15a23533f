/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text for people: nothing that came out of a sandbox may steer the terminal. */

#pragma once

#include <gio/gio.h>

/* Control characters, invisible ones and what is not UTF-8 are written as escapes. @length may be
 * -1. */
char *tool_text_dup_printable (const char *bytes, gssize length) G_GNUC_WARN_UNUSED_RESULT;
/* The name of a file as a shell would want it: as it is, or quoted. */
char *tool_text_dup_quoted (const char *name) G_GNUC_WARN_UNUSED_RESULT;
/* Whether a shell takes @name for what it is, without quotes. */
gboolean tool_text_is_plain (const char *name);
/* Columns on a terminal. */
guint tool_text_get_width (const char *text);
/* Cut to @width columns, with an ellipsis where something is missing. */
char *tool_text_dup_cut (const char *text, guint width) G_GNUC_WARN_UNUSED_RESULT;
/* Paragraphs filled to @width columns, each line after @indent spaces. Lines that begin with a
 * space stay as they are. */
char *tool_text_dup_filled (const char *text, guint indent, guint width) G_GNUC_WARN_UNUSED_RESULT;

/* A line of a list of titles, @width columns with what is between, and @value, made printable; none
 * where that is %NULL or empty. */
void tool_text_append_entry (GString *text, int width, const char *title, const char *value);

char *tool_text_dup_size (guint64 bytes) G_GNUC_WARN_UNUSED_RESULT;
char *tool_text_dup_duration (gint64 microseconds) G_GNUC_WARN_UNUSED_RESULT;
/* How long ago, in one unit: “5 minutes”. */
char *tool_text_dup_age (GDateTime *since) G_GNUC_WARN_UNUSED_RESULT;
/* Local time, to the second. */
char *tool_text_dup_time (GDateTime *time) G_GNUC_WARN_UNUSED_RESULT;

/* Seconds, or a number with s, m, h or d: milliseconds. */
gboolean tool_text_parse_duration (const char *text, guint64 *milliseconds, GError **error);

gboolean tool_text_is_terminal (int fd);
/* Columns of the terminal that @fd is, or 0 when it is none. */
guint tool_text_get_columns (int fd);
/* Whether standard output may be coloured. */
gboolean tool_text_has_colours (void);
