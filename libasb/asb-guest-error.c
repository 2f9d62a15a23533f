/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-error-private.h"

#include "asb-frame.h"
#include "asb-guest-json-private.h"
#include "asb-wire-variant-private.h"

#define MAX_CODE_LENGTH 64
#define MAX_MESSAGE_CHARACTERS 2000

typedef struct
{
  const char *name;
  int code;
} Code;

/* The codes of the protocol that have another name here, and those a guest has no right to: they
 * say what this side found out. */
static const Code CODES[] = {
  { "unsupported_call", ASB_ERROR_UNSUPPORTED_CAPABILITY },
  { "access_denied", ASB_ERROR_PERMISSION_DENIED },
  { "too_many_connections", ASB_ERROR_TOO_MANY_REQUESTS },
  { "unsupported_version", ASB_ERROR_GUEST_UNAVAILABLE },
  { "draining", ASB_ERROR_GUEST_UNAVAILABLE },
  { "closed", ASB_ERROR_SANDBOX_BACKEND },
  { "interrupted", ASB_ERROR_SANDBOX_BACKEND },
  { "protocol_error", ASB_ERROR_SANDBOX_BACKEND },
  { "timed_out", ASB_ERROR_SANDBOX_BACKEND },
};

static int
code_from_name (const char *name)
{
  int code;

  for (gsize i = 0; i < G_N_ELEMENTS (CODES); i++)
    if (g_str_equal (CODES[i].name, name))
      return CODES[i].code;
  return asb_error_code_from_string (name, &code) ? code : ASB_ERROR_SANDBOX_BACKEND;
}

static gboolean
is_printed (gunichar character)
{
  switch (g_unichar_type (character))
    {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
      return FALSE;
    default:
      return TRUE;
    }
}

char *
asb_guest_message_dup (const char *message)
{
  g_autoptr (GString) line = g_string_new (NULL);
  const char *at = message;

  for (guint i = 0; *at && i < MAX_MESSAGE_CHARACTERS; i++, at = g_utf8_next_char (at))
    {
      gunichar character = g_utf8_get_char (at);

      g_string_append_unichar (line, is_printed (character) ? character : 0xFFFD);
    }
  if (*at)
    g_string_append (line, "…");
  return g_string_free (g_steal_pointer (&line), FALSE);
}

static AsbErrorInfo *
info_new (const char *call, AsbOperation *operation)
{
  AsbErrorInfo *info = asb_error_info_new ();

  asb_error_info_set_operation (info, call);
  if (!operation)
    return info;
  asb_error_info_set_operation (info, asb_operation_get_operation_type (operation));
  asb_error_info_set_operation_id (info, asb_operation_get_event_id (operation));
  asb_error_info_set_actor_id (info, asb_operation_get_actor_id (operation));
  asb_error_info_set_correlation_id (info, asb_operation_get_correlation_id (operation));
  return info;
}

GError *
asb_guest_error_new (int code, const char *call, AsbOperation *operation, const char *message)
{
  g_autoptr (AsbErrorInfo) info = info_new (call, operation);

  return asb_error_new_with_info (code, message, info);
}

GError *
asb_guest_error_new_unsent (int code, const char *call, AsbOperation *operation,
                            const char *message)
{
  g_autoptr (AsbErrorInfo) info = info_new (call, operation);

  asb_error_info_set_retryable (info, TRUE);
  return asb_error_new_with_info (code, message, info);
}

static gboolean
add_details (AsbErrorInfo *info, const json_t *json, GError **error)
{
  const json_t *details;
  GVariant *variant;

  if (!asb_guest_json_has (json, "details"))
    return TRUE;
  if (!asb_guest_json_get_object (json, "details", &details, error))
    return FALSE;
  variant = asb_wire_variant_from_json (details, error);
  if (variant)
    asb_error_info_set_details (info, variant);
  return variant != NULL;
}

GError *
asb_guest_error_from_json (const json_t *json, const char *call, AsbOperation *operation,
                           GError **error)
{
  g_autoptr (AsbErrorInfo) info = info_new (call, operation);
  g_autofree char *line = NULL;
  const char *name;
  const char *message;
  int code;

  if (!asb_guest_json_get_string (json, "code", MAX_CODE_LENGTH, &name, error)
      || !asb_guest_json_get_string (json, "message", G_MAXSIZE, &message, error)
      || !add_details (info, json, error))
    return NULL;
  line = asb_guest_message_dup (message);
  if (g_str_equal (name, "cancelled"))
    return g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, line);

  code = code_from_name (name);
  asb_error_info_set_provider_error_code (info, name);
  asb_error_info_set_retryable (info, code == ASB_ERROR_TOO_MANY_REQUESTS);
  return asb_error_new_with_info (code, line, info);
}

char *
asb_guest_goodbye_to_message (const json_t *json, int *code)
{
  g_autofree char *line = NULL;
  const char *name;
  const char *message;

  *code = ASB_ERROR_GUEST_UNAVAILABLE;
  if (!asb_guest_json_get_string (json, "code", MAX_CODE_LENGTH, &name, NULL)
      || !asb_guest_json_get_string (json, "message", G_MAXSIZE, &message, NULL))
    return NULL;
  *code = code_from_name (name);
  if (*code == ASB_ERROR_SANDBOX_BACKEND)
    *code = ASB_ERROR_GUEST_UNAVAILABLE;
  line = asb_guest_message_dup (message);
  if (!g_str_equal (name, "unsupported_version"))
    return g_steal_pointer (&line);
  return g_strdup_printf ("%s, and libasb " ASB_VERSION " speaks version %d", line,
                          ASB_PROTOCOL_MAJOR);
}
