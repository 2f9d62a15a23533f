/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-lines-private.h"

#include <string.h>

#include "asb-error.h"

#include "asb-wire-json.h"
#include "asb-wire-variant-private.h"

#define MAX_LINE (64 * 1024)

void
asb_guest_lines_init (AsbGuestLines *self)
{
  self->rest = g_byte_array_new ();
}

void
asb_guest_lines_clear (AsbGuestLines *self)
{
  g_clear_pointer (&self->rest, g_byte_array_unref);
}

static gboolean
tell_line (const guint8 *line, gsize size, AsbGuestLineFunc func, gpointer data, GError **error)
{
  const char *reason = NULL;
  g_autoptr (json_t) json = asb_wire_json_parse (line, size, &reason);

  if (json)
    return func (data, json, error);
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL, reason);
  return FALSE;
}

static gboolean
finish_line (AsbGuestLines *self, const guint8 *end, gsize size, AsbGuestLineFunc func,
             gpointer data, GError **error)
{
  gboolean done;

  if (self->rest->len == 0)
    return tell_line (end, size, func, data, error);
  g_byte_array_append (self->rest, end, (guint)size);
  done = tell_line (self->rest->data, self->rest->len, func, data, error);
  g_byte_array_set_size (self->rest, 0);
  return done;
}

static gboolean
begin_line (AsbGuestLines *self, const guint8 *bytes, gsize size, GError **error)
{
  if (self->rest->len + size > MAX_LINE)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "an entry is too long");
      return FALSE;
    }
  if (size > 0)
    g_byte_array_append (self->rest, bytes, (guint)size);
  return TRUE;
}

gboolean
asb_guest_lines_add (AsbGuestLines *self, const guint8 *bytes, gsize size, AsbGuestLineFunc func,
                     gpointer data, GError **error)
{
  const guint8 *end = bytes + size;
  const guint8 *newline;

  while ((newline = memchr (bytes, '\n', (gsize)(end - bytes))))
    {
      if (!finish_line (self, bytes, (gsize)(newline - bytes), func, data, error))
        return FALSE;
      bytes = newline + 1;
    }
  return begin_line (self, bytes, (gsize)(end - bytes), error);
}

gboolean
asb_guest_lines_is_whole (const AsbGuestLines *self)
{
  return self->rest->len == 0;
}
