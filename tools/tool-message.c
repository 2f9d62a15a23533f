/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-message.h"

#include <stdio.h>
#include <string.h>

#include "tool-profile.h"
#include "tool-text.h"

/* Bytes. */
#define MAX_LENGTH 4096

/* Curly quotes and the like, for terminals that have none. */
static char *
to_ascii (const char *text)
{
  static const struct
  {
    const char *from;
    const char *to;
  } replacements[] = { { "“", "\"" }, { "”", "\"" }, { "‘", "'" }, { "’", "'" }, { "…", "..." } };
  g_autoptr (GString) ascii = g_string_new (text);

  for (gsize i = 0; i < G_N_ELEMENTS (replacements); i++)
    g_string_replace (ascii, replacements[i].from, replacements[i].to, 0);
  return g_string_free (g_steal_pointer (&ascii), FALSE);
}

/* What somebody gave, or a server said, may be endless; why and what to do stand at the end. */
static char *
dup_bounded (const char *text)
{
  const gsize length = strlen (text);
  const char *head;
  const char *tail;

  if (length <= MAX_LENGTH)
    return g_strdup (text);
  head = g_utf8_find_prev_char (text, text + MAX_LENGTH / 2 + 1);
  tail = g_utf8_find_next_char (text + length - MAX_LENGTH / 2, NULL);
  return g_strdup_printf ("%.*s…%s", (int)(head - text), text, tail);
}

static void
say (const char *text)
{
  g_autofree char *printable = tool_text_dup_printable (text, -1);
  g_autofree char *bounded = dup_bounded (printable);
  g_autofree char *ascii = g_get_charset (NULL) ? NULL : to_ascii (bounded);

  fprintf (stderr, "asb: %s\n", ascii ? ascii : bounded);
}

void
tool_message (const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  say (text);
}

/* Whether there is a record to look into. */
static gboolean
is_recorded (const GError *error)
{
  AsbErrorInfo *info = asb_error_get_info (error);

  return info && asb_error_info_get_operation_id (info);
}

/* Returns: (nullable): what to do about an error of that code */
static const char *
next_step (const GError *error)
{
  static const struct
  {
    int code;
    const char *step;
  } steps[] = {
    { ASB_ERROR_SANDBOX_NOT_FOUND, "see asb list" },
    { ASB_ERROR_SANDBOX_STATE, "see asb info" },
    { ASB_ERROR_FILE_NOT_FOUND, "see asb ls" },
    { ASB_ERROR_IS_DIRECTORY, "see asb ls" },
    { ASB_ERROR_INTERRUPTED, "see asb history list" },
    { ASB_ERROR_LOCK_ACQUISITION_TIMEOUT, "try again" },
    { ASB_ERROR_COMMAND_QUEUE_TIMEOUT, "try again" },
    { ASB_ERROR_TOO_MANY_REQUESTS, "try again when something has ended" },
  };

  if (error->domain != ASB_ERROR || (error->code == ASB_ERROR_INTERRUPTED && !is_recorded (error)))
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    if (steps[i].code == error->code)
      return steps[i].step;
  return NULL;
}

/* Returns: (nullable): how to find a sandbox that may have been made all the same */
static char *
dup_search (const GError *error)
{
  AsbErrorInfo *info = error->domain == ASB_ERROR ? asb_error_get_info (error) : NULL;
  GVariant *details = info ? asb_error_info_get_details (info) : NULL;
  const char *instance_id;

  if (!g_error_matches (error, ASB_ERROR, ASB_ERROR_INTERRUPTED) || !details
      || !g_variant_lookup (details, "sandbox_instance_id", "&s", &instance_id))
    return NULL;
  return g_strdup_printf ("see asb list --provider opensandbox --metadata sandbox_instance_id=%s",
                          instance_id);
}

void
tool_message_advise (GError *error, const char *advice)
{
  g_autofree char *told = g_steal_pointer (&error->message);

  error->message = g_strconcat (told, "; ", advice, NULL);
}

void
tool_message_error (const GError *error)
{
  g_autofree char *origin = NULL;
  g_autofree char *search = dup_search (error);
  const char *step = search ? search : next_step (error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT))
    origin = tool_profile_dup_origin (error->message);
  if (origin)
    tool_message ("%s; %s", error->message, origin);
  else if (step && !strstr (error->message, step))
    tool_message ("%s; %s", error->message, step);
  else
    tool_message ("%s", error->message);
}
