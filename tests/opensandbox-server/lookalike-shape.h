/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What may stand where in a body for execd. */

#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef enum
{
  LOOKALIKE_SHAPE_TEXT,
  LOOKALIKE_SHAPE_TEXT_MAP, /* names are free */
  LOOKALIKE_SHAPE_NUMBER,
  LOOKALIKE_SHAPE_TRUTH,
  LOOKALIKE_SHAPE_OBJECT,
} LookalikeShapeKind;

typedef struct
{
  const char *name;
  LookalikeShapeKind kind;
  gint64 least; /* of numbers */
  gint64 most;  /* 0: any */
} LookalikeShape;

/* As Go reads JSON into a struct: words for the first member of another type, or NULL. The last of
 * @members has no name. */
char *lookalike_shape_find_fault (const LookalikeShape *members, JsonObject *object);

G_END_DECLS
