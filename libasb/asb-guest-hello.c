/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-hello-private.h"

#include "asb-error.h"
#include "asb-frame.h"
#include "asb-guest-json-private.h"
#include "asb-wire-json.h"

#define MAX_FEATURES 256
#define MAX_WORD 256
#define MAX_PATH_TEXT 4096

void
asb_guest_hello_clear (AsbGuestHello *self)
{
  g_clear_pointer (&self->features, g_strfreev);
  g_clear_pointer (&self->version, g_free);
  g_clear_pointer (&self->arch, g_free);
  g_clear_pointer (&self->boot_id, g_free);
  g_clear_pointer (&self->session_id, g_free);
  g_clear_pointer (&self->session_secret, g_free);
}

json_t *
asb_guest_hello_new (const char *token, gint64 linger)
{
  json_t *hello = json_pack ("{s:i, s:i, s:[], s:s}", "major", ASB_PROTOCOL_MAJOR, "minor",
                             ASB_PROTOCOL_MINOR, "features", "client", "libasb " ASB_VERSION);

  if (token)
    json_object_set_new (hello, "token", json_string (token));
  if (linger > 0)
    json_object_set_new (hello, "linger_ms", json_integer (linger));
  return hello;
}

json_t *
asb_guest_hello_resume (const AsbGuestHello *self, const char *token, gint64 linger,
                        guint64 received)
{
  json_t *hello = asb_guest_hello_new (token, linger);

  json_object_set_new (hello, "resume",
                       json_pack ("{s:s, s:s, s:s, s:I}", "session", self->session_id, "secret",
                                  self->session_secret, "boot_id", self->boot_id, "received",
                                  (json_int_t)received));
  return hello;
}

static gboolean
parse_major (const json_t *json, GError **error)
{
  gint64 major;

  if (!asb_guest_json_get_integer (json, "major", 0, ASB_WIRE_MAX_INTEGER, &major, error))
    return FALSE;
  if (major == ASB_PROTOCOL_MAJOR)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE,
               "The guest speaks version %" G_GINT64_FORMAT
               " of the protocol, and this library speaks version %d",
               major, ASB_PROTOCOL_MAJOR);
  return FALSE;
}

static gboolean
parse_features (AsbGuestHello *self, const json_t *json, GError **error)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const json_t *features;

  if (!asb_guest_json_get_array (json, "features", MAX_FEATURES, &features, error))
    return FALSE;
  for (size_t i = 0; i < json_array_size (features); i++)
    {
      const json_t *feature = json_array_get (features, i);

      if (!json_is_string (feature) || json_string_length (feature) > MAX_WORD)
        {
          g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                               "“features” holds something else than words");
          return FALSE;
        }
      g_strv_builder_add (builder, json_string_value (feature));
    }
  self->features = g_strv_builder_end (builder);
  return TRUE;
}

static gboolean
parse_word (const json_t *json, const char *name, char **value, GError **error)
{
  const char *word;

  if (!asb_guest_json_get_string (json, name, MAX_WORD, &word, error))
    return FALSE;
  *value = g_strdup (word);
  return TRUE;
}

static gboolean
parse_session (AsbGuestHello *self, const json_t *json, GError **error)
{
  const json_t *session;

  return asb_guest_json_get_object (json, "session", &session, error)
         && parse_word (session, "id", &self->session_id, error)
         && parse_word (session, "secret", &self->session_secret, error);
}

/* What nobody asks for yet must be right all the same: a guest that gets it wrong is no guest. */
static gboolean
check_surroundings (const json_t *json, GError **error)
{
  g_autoptr (GDateTime) clock = NULL;
  g_autofree char *home = NULL;
  gint64 id;

  return asb_guest_json_get_integer (json, "uid", 0, G_MAXUINT32, &id, error)
         && asb_guest_json_get_integer (json, "gid", 0, G_MAXUINT32, &id, error)
         && asb_guest_json_get_text (json, "home", MAX_PATH_TEXT, &home, error)
         && asb_guest_json_get_time (json, "clock", &clock, error);
}

gboolean
asb_guest_hello_parse (AsbGuestHello *self, const json_t *json, GError **error)
{
  return parse_major (json, error)
         && asb_guest_json_get_integer (json, "minor", 0, ASB_WIRE_MAX_INTEGER, &self->minor, error)
         && parse_features (self, json, error)
         && parse_word (json, "version", &self->version, error)
         && parse_word (json, "arch", &self->arch, error)
         && parse_word (json, "boot_id", &self->boot_id, error) && parse_session (self, json, error)
         && check_surroundings (json, error);
}

gboolean
asb_guest_hello_parse_resumed (const AsbGuestHello *self, const json_t *json, guint64 *received,
                               GError **error)
{
  AsbGuestHello hello = { 0 };
  const json_t *resumed;
  gint64 count = 0;
  gboolean is_same = FALSE;
  gboolean parsed = asb_guest_hello_parse (&hello, json, error);

  if (parsed && asb_guest_json_has (json, "resumed"))
    {
      parsed = asb_guest_json_get_object (json, "resumed", &resumed, error)
               && asb_guest_json_get_integer (resumed, "received", 0, ASB_WIRE_MAX_INTEGER, &count,
                                              error);
      is_same = parsed && g_str_equal (hello.boot_id, self->boot_id)
                && g_str_equal (hello.session_id, self->session_id);
    }
  asb_guest_hello_clear (&hello);
  *received = (guint64)count;
  return is_same;
}

gboolean
asb_guest_hello_has_feature (const AsbGuestHello *self, const char *feature)
{
  return g_strv_contains ((const char *const *)self->features, feature);
}
