/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the members of a body have to be, in a table, and what pydantic says of one that is not. */

#pragma once

#include "lookalike-validation.h"

G_BEGIN_DECLS

typedef enum
{
  LOOKALIKE_KIND_ANY,
  LOOKALIKE_KIND_STRING,
  LOOKALIKE_KIND_INTEGER,
  LOOKALIKE_KIND_BOOLEAN,
  LOOKALIKE_KIND_MAP,  /* of strings */
  LOOKALIKE_KIND_DICT, /* of anything */
  LOOKALIKE_KIND_LIST, /* of strings, or of models where there are members */
  LOOKALIKE_KIND_MODEL,
} LookalikeKind;

typedef enum
{
  LOOKALIKE_FIELD_REQUIRED = 1 << 0, /* and never null */
  LOOKALIKE_FIELD_NO_NULL = 1 << 1,
  LOOKALIKE_FIELD_NULLS = 1 << 2,  /* a string of a map may be null */
  LOOKALIKE_FIELD_CLOSED = 1 << 3, /* a model has no other members */
} LookalikeFieldFlags;

typedef struct _LookalikeField LookalikeField;

struct _LookalikeField
{
  const char *name;
  LookalikeKind kind;
  LookalikeFieldFlags flags;
  gint64 least; /* of a number, of bytes or of items; 0 is no bound for these two */
  gint64 most;  /* 0 is no bound */
  const char *pattern;
  const char *words;             /* the only ones a string may be: “'1.0' or '2.0'” */
  const LookalikeField *members; /* of a model, up to one without a name */
  const char *(*find_fault) (JsonObject *model); /* (nullable): a rule of several members */
};

/* Looks at each member of @body, and makes of what is taken for a number or a boolean one. */
void lookalike_schema_check (LookalikeValidation *validation, const LookalikeField *members,
                             JsonObject *body);

/* The whole @body is a map of strings, of which each may be null. */
void lookalike_schema_check_map (LookalikeValidation *validation, JsonObject *body);

/* Whether @text is a boolean as a query has one. */
gboolean lookalike_schema_read_boolean (const char *text, gboolean *value);

/* A whole number as Python reads one: with spaces around it, and with “_” between its digits. */
gboolean lookalike_schema_read_integer (const char *text, gint64 *value);

G_END_DECLS
