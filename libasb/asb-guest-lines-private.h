/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Channels that bring one JSON object a line, whatever pieces they come in. */

#pragma once

#include <gio/gio.h>
#include <jansson.h>

/* FALSE with @error set ends the call. */
typedef gboolean (*AsbGuestLineFunc) (gpointer data, const json_t *line, GError **error);

typedef struct
{
  GByteArray *rest; /* the line that has begun */
} AsbGuestLines;

void asb_guest_lines_init (AsbGuestLines *self);
void asb_guest_lines_clear (AsbGuestLines *self);
gboolean asb_guest_lines_add (AsbGuestLines *self, const guint8 *bytes, gsize size,
                              AsbGuestLineFunc func, gpointer data, GError **error);

/* Whether no line has begun without ending. */
gboolean asb_guest_lines_is_whole (const AsbGuestLines *self);
