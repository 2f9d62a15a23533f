/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The members of what a guest sends, each checked as it is taken. All return FALSE with
 * %ASB_ERROR_PROTOCOL when the member is missing or wrong. */

#pragma once

#include <gio/gio.h>
#include <jansson.h>

/* Whether it is there and not null. */
gboolean asb_guest_json_has (const json_t *object, const char *name);

gboolean asb_guest_json_get_integer (const json_t *object, const char *name, gint64 minimum,
                                     gint64 maximum, gint64 *value, GError **error);
gboolean asb_guest_json_get_boolean (const json_t *object, const char *name, gboolean *value,
                                     GError **error);

/* Not copied; at most @max_length bytes. */
gboolean asb_guest_json_get_string (const json_t *object, const char *name, gsize max_length,
                                    const char **value, GError **error);

/* Not copied. */
gboolean asb_guest_json_get_object (const json_t *object, const char *name, const json_t **value,
                                    GError **error);
gboolean asb_guest_json_get_array (const json_t *object, const char *name, gsize max_length,
                                   const json_t **value, GError **error);

/* Any bytes but NUL, at least one and at most @max_length; to be freed. */
gboolean asb_guest_json_get_text (const json_t *object, const char *name, gsize max_length,
                                  char **value, GError **error);

/* @value is NULL for a time that is right but that a #GDateTime cannot hold. */
gboolean asb_guest_json_get_time (const json_t *object, const char *name, GDateTime **value,
                                  GError **error);

/* 64 lower-case hex digits. Not copied. */
gboolean asb_guest_json_get_hash (const json_t *object, const char *name, const char **value,
                                  GError **error);

/* A text for a guest, of the bytes of a C string. */
json_t *asb_guest_json_text (const char *text);
json_t *asb_guest_json_texts (const char *const *texts);
