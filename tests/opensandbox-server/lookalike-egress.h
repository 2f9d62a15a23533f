/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The egress sidecar: it keeps a policy and a vault, and enforces nothing. */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

typedef struct
{
  char *action;
  char *target;
} LookalikeRule;

typedef struct _LookalikeVault LookalikeVault;

struct _LookalikeEgress
{
  char *token;
  char *default_action;
  GPtrArray *rules; /* of LookalikeRule */
  gboolean proxy_enabled;
  LookalikeVault *vault; /* NULL until it is made */
};

/* @policy is a network policy; NULL with an error that says what is wrong with it. */
LookalikeEgress *lookalike_egress_new (JsonNode *policy, gboolean proxy_enabled, GError **error);
void lookalike_egress_free (LookalikeEgress *self);

/* Opens the sidecar's port when the sandbox has a policy. */
gboolean lookalike_egress_open (LookalikeSandbox *sandbox, GError **error);

/* GET, POST, PUT, PATCH, DELETE of the policy; the server's networkpolicy too. */
void lookalike_egress_handle_policy (LookalikeRequest *request, LookalikeEgress *self);

/* Whether a rule lets @host through, by name. */
gboolean lookalike_egress_allows (LookalikeEgress *self, const char *host);

/* A line of text, as Go's http.Error writes it. */
void lookalike_egress_refuse (LookalikeRequest *request, guint status, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* In lookalike-vault.c */
void lookalike_vault_free (LookalikeVault *self);
void lookalike_vault_handle (LookalikeRequest *request, LookalikeEgress *egress);
/* NULL, or why these rules would break a binding. */
char *lookalike_vault_check_policy (LookalikeVault *self, LookalikeEgress *egress);

G_END_DECLS
