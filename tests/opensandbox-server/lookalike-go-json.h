/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* JSON the way Go's encoding/json takes it: types are insisted on, the case of a member's name is
 * not, and refusals have Go's words. */

#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef enum
{
  LOOKALIKE_GO_STRING,
  LOOKALIKE_GO_BOOL,
  LOOKALIKE_GO_INT,
  LOOKALIKE_GO_UINT32_POINTER,
  LOOKALIKE_GO_STRUCT,
  LOOKALIKE_GO_MAP,
  LOOKALIKE_GO_SLICE,
} LookalikeGoKind;

typedef struct _LookalikeGoType LookalikeGoType;

typedef struct
{
  const char *name;
  const LookalikeGoType *type;
  const char *embedded; /* the struct it is inherited from, or NULL */
} LookalikeGoField;

struct _LookalikeGoType
{
  LookalikeGoKind kind;
  const char *name;               /* as Go calls the type */
  const LookalikeGoField *fields; /* of a struct, ended by one without a name */
  const LookalikeGoType *element; /* of a map or a slice */
};

extern const LookalikeGoType lookalike_go_string;
extern const LookalikeGoType lookalike_go_bool;
extern const LookalikeGoType lookalike_go_int;
extern const LookalikeGoType lookalike_go_int64;
extern const LookalikeGoType lookalike_go_uint32;

/* The first value in @data as @type: members have the names of the fields, others are left out.
 * What follows the value is not looked at, unless @whole. NULL and Go's words; the code is
 * G_IO_ERROR_NOT_FOUND when there is no value at all. */
JsonNode *lookalike_go_decode (const char *data, gsize size, const LookalikeGoType *type,
                               gboolean whole, GError **error);

/* Where the first value ends, or NULL and Go's words. */
const char *lookalike_go_scan (const char *data, const char *end, gboolean whole, GError **error);

G_END_DECLS
