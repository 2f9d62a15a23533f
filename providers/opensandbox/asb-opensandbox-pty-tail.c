/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-opensandbox-pty-tail.h"

#include <string.h>

#define MAX_STATUS 16

void
asb_opensandbox_pty_tail_init (AsbOpensandboxPtyTail *self, const char *word)
{
  *self = (AsbOpensandboxPtyTail){ .held = g_string_new (NULL), .word = word };
}

void
asb_opensandbox_pty_tail_clear (AsbOpensandboxPtyTail *self)
{
  if (self->held)
    g_string_free (g_steal_pointer (&self->held), TRUE);
}

/* The first bytes of what is held. */
static void
hand_on (AsbOpensandboxPtyTail *self, gsize size, AsbOpensandboxPtyTailFunc function, gpointer data)
{
  if (size > 0)
    function ((const guint8 *)self->held->str, size, data);
  g_string_erase (self->held, 0, (gssize)size);
}

/* How much of the end may be the beginning of the word. */
static gsize
count_possible (const AsbOpensandboxPtyTail *self)
{
  const GString *held = self->held;
  gsize length = MIN (held->len, strlen (self->word));

  while (length > 0 && memcmp (held->str + held->len - length, self->word, length) != 0)
    length--;
  return length;
}

/* “ 3” and the end of a line. */
static gboolean
read_status (const char *text, int *status)
{
  const char *digits = text + (g_str_has_prefix (text, " -") ? 2 : 1);
  char *end;
  gint64 number;

  if (*text != ' ' || !g_ascii_isdigit (*digits))
    return FALSE;
  number = g_ascii_strtoll (text, &end, 10);
  if ((*end != '\r' && *end != '\n') || end - text >= MAX_STATUS || number < -255 || number > 255)
    return FALSE;
  /* A shell tells a signal as 128 more. */
  *status = number < 0 ? MIN (-1, (int)(number + 128)) : (int)number;
  return TRUE;
}

/* Whether more bytes may make a status of @text. */
static gboolean
is_begun_status (const char *text)
{
  gsize length = strlen (text);
  gsize n_digits;

  if (length >= MAX_STATUS)
    return FALSE;
  if (length == 0)
    return TRUE;
  if (*text++ != ' ')
    return FALSE;
  if (*text == '-')
    text++;
  n_digits = strspn (text, "0123456789");
  return text[n_digits] == '\0';
}

void
asb_opensandbox_pty_tail_take (AsbOpensandboxPtyTail *self, const guint8 *bytes, gsize size,
                               AsbOpensandboxPtyTailFunc function, gpointer data)
{
  gsize length = strlen (self->word);
  const char *found;

  if (self->ended)
    return;
  g_string_append_len (self->held, (const char *)bytes, (gssize)size);
  while ((found = memmem (self->held->str, self->held->len, self->word, length)) != NULL)
    {
      hand_on (self, (gsize)(found - self->held->str), function, data);
      self->ended = read_status (self->held->str + length, &self->status);
      if (self->ended
          || (strlen (self->held->str) == self->held->len
              && is_begun_status (self->held->str + length)))
        return;
      hand_on (self, length, function, data);
    }
  hand_on (self, self->held->len - count_possible (self), function, data);
}

void
asb_opensandbox_pty_tail_flush (AsbOpensandboxPtyTail *self, AsbOpensandboxPtyTailFunc function,
                                gpointer data)
{
  if (!self->ended && self->held->len < strlen (self->word))
    hand_on (self, self->held->len, function, data);
  self->ended = TRUE;
}
