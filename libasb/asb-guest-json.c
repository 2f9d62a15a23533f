/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-json-private.h"

#include "asb-error.h"
#include "asb-wire-json.h"

#include <string.h>

#define HASH_LENGTH 64

static gboolean
is_wrong (const char *name, const char *what, GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "“%s” is missing or not %s", name, what);
  return FALSE;
}

gboolean
asb_guest_json_has (const json_t *object, const char *name)
{
  const json_t *member = json_object_get (object, name);

  return member && !json_is_null (member);
}

gboolean
asb_guest_json_get_integer (const json_t *object, const char *name, gint64 minimum, gint64 maximum,
                            gint64 *value, GError **error)
{
  const json_t *member = json_object_get (object, name);

  if (!json_is_integer (member) || json_integer_value (member) < minimum
      || json_integer_value (member) > maximum)
    return is_wrong (name, "an integer in its range", error);
  *value = json_integer_value (member);
  return TRUE;
}

gboolean
asb_guest_json_get_boolean (const json_t *object, const char *name, gboolean *value, GError **error)
{
  const json_t *member = json_object_get (object, name);

  if (!json_is_boolean (member))
    return is_wrong (name, "a boolean", error);
  *value = json_is_true (member);
  return TRUE;
}

gboolean
asb_guest_json_get_string (const json_t *object, const char *name, gsize max_length,
                           const char **value, GError **error)
{
  const json_t *member = json_object_get (object, name);

  if (!json_is_string (member) || json_string_length (member) > max_length)
    return is_wrong (name, "a string of its length", error);
  *value = json_string_value (member);
  return TRUE;
}

gboolean
asb_guest_json_get_object (const json_t *object, const char *name, const json_t **value,
                           GError **error)
{
  const json_t *member = json_object_get (object, name);

  if (!json_is_object (member))
    return is_wrong (name, "an object", error);
  *value = member;
  return TRUE;
}

gboolean
asb_guest_json_get_array (const json_t *object, const char *name, gsize max_length,
                          const json_t **value, GError **error)
{
  const json_t *member = json_object_get (object, name);

  if (!json_is_array (member) || json_array_size (member) > max_length)
    return is_wrong (name, "an array of its length", error);
  *value = member;
  return TRUE;
}

gboolean
asb_guest_json_get_text (const json_t *object, const char *name, gsize max_length, char **value,
                         GError **error)
{
  gsize size = 0;
  char *text = asb_wire_text_dup (json_object_get (object, name), max_length, &size);

  if (text && size > 0)
    *value = g_strdup (text);
  free (text);
  return text && size > 0 ? TRUE : is_wrong (name, "a text of its length", error);
}

gboolean
asb_guest_json_get_time (const json_t *object, const char *name, GDateTime **value, GError **error)
{
  const json_t *time = json_object_get (object, name);
  g_autoptr (GDateTime) seconds = NULL;
  gint64 sec;
  gint64 nsec;

  if (!json_is_object (time)
      || !asb_guest_json_get_integer (time, "sec", -ASB_WIRE_MAX_INTEGER, ASB_WIRE_MAX_INTEGER,
                                      &sec, NULL)
      || !asb_guest_json_get_integer (time, "nsec", 0, 999999999, &nsec, NULL))
    return is_wrong (name, "a time", error);
  seconds = g_date_time_new_from_unix_utc (sec);
  *value = seconds ? g_date_time_add (seconds, nsec / 1000) : NULL;
  return TRUE;
}

gboolean
asb_guest_json_get_hash (const json_t *object, const char *name, const char **value, GError **error)
{
  const char *hash;

  if (!asb_guest_json_get_string (object, name, HASH_LENGTH, &hash, NULL)
      || strspn (hash, "0123456789abcdef") != HASH_LENGTH)
    return is_wrong (name, "a SHA-256 hash", error);
  *value = hash;
  return TRUE;
}

json_t *
asb_guest_json_text (const char *text)
{
  return asb_wire_text_new (text, strlen (text));
}

json_t *
asb_guest_json_texts (const char *const *texts)
{
  json_t *array = json_array ();

  for (gsize i = 0; texts[i]; i++)
    json_array_append_new (array, asb_guest_json_text (texts[i]));
  return array;
}
