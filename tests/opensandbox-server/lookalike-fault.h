/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One fault: what it matches and what it does. */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

typedef struct _LookalikeFault LookalikeFault;

typedef struct
{
  const char *name;
  const char *says; /* for the help */
  /* TRUE: the request is answered, or will be */
  gboolean (*act) (LookalikeFault *fault, LookalikeRequest *request);
} LookalikeFaultAction;

struct _LookalikeFault
{
  const LookalikeFaultAction *action;
  JsonObject *spec;
  guint id;
  gboolean early;
  gint64 nth;
  gint64 times;
  gint64 seen;
  gint64 done;
};

LookalikeFault *lookalike_fault_new (JsonNode *node, GError **error);
void lookalike_fault_free (LookalikeFault *self);

gboolean lookalike_fault_matches (LookalikeFault *self, LookalikeRequest *request);
gboolean lookalike_fault_act (LookalikeFault *self, LookalikeRequest *request);

/* Gives the connection back its manners. */
void lookalike_fault_reset_plan (LookalikeRequest *request);

/* The table of actions, for people. */
char *lookalike_fault_describe_actions (void);

G_END_DECLS
