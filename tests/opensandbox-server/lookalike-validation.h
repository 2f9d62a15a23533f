/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is wrong with a body or a query: 422, and a list that names each place. */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

typedef struct
{
  JsonArray *errors;
  JsonNode *body; /* what was sent, once it was parsed */
  gboolean too_deep;
} LookalikeValidation;

void lookalike_validation_init (LookalikeValidation *self);
void lookalike_validation_clear (LookalikeValidation *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LookalikeValidation, lookalike_validation_clear)

/* @input: what was given, or NULL; the place comes last, ended by NULL. Digits are an index. */
void lookalike_validation_add (LookalikeValidation *self, const char *type, const char *message,
                               JsonNode *input, ...) G_GNUC_NULL_TERMINATED;
/* The rule that speaks of the whole body, and tells it back with all that is secret in it. */
void lookalike_validation_add_rule (LookalikeValidation *self, const char *message);
/* TRUE and the answer, when something was wrong. */
gboolean lookalike_validation_refuse (LookalikeValidation *self, LookalikeRequest *request);

/* The object in the body; NULL when that is wrong already. */
JsonObject *lookalike_validation_parse (LookalikeValidation *self, LookalikeRequest *request);

/* A whole number from the query; @value stays when it is not there. */
void lookalike_validation_check_number (LookalikeValidation *self, LookalikeRequest *request,
                                        const char *name, gint64 lowest, gint64 highest,
                                        gint64 *value);

G_END_DECLS
