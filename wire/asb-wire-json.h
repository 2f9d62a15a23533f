/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Control payloads (docs/guest-protocol.md §1): bounded JSON objects, and texts that may hold any
 * bytes but NUL. */

#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASB_WIRE_MAX_INTEGER 9007199254740991LL
#define ASB_WIRE_MAX_DEPTH 32

/* Parses one JSON object from bytes nobody has checked. NULL if it breaks a rule of the protocol;
 * then *@reason is a static sentence. */
json_t *asb_wire_json_parse (const void *bytes, size_t size, const char **reason);

/* One line of JSON, to be freed with free (), or NULL when memory is short, or for NULL.
 * json_dumps () leaves out the names of members then, and says nothing. */
char *asb_wire_json_dump (const json_t *json);

/* Whether the bytes are UTF-8 as Unicode defines it, without NUL. */
bool asb_wire_is_text (const char *bytes, size_t size);

/* A new string, or {"b64": …} for bytes that are no valid text; NULL only when memory is short. */
json_t *asb_wire_text_new (const char *bytes, size_t size);

/* The bytes of a text, NUL-terminated, to be freed with free (); NULL if @json is no text, holds a
 * NUL, or is longer than @max_size bytes. @size may be NULL. */
char *asb_wire_text_dup (const json_t *json, size_t max_size, size_t *size);

/* Base64 of RFC 4648 with padding. The results are to be freed with free (). Decoding is strict:
 * NULL for anything else. */
char *asb_wire_base64_encode (const void *bytes, size_t size);
void *asb_wire_base64_decode (const char *text, size_t length, size_t *size);
