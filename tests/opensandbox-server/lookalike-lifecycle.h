/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The lifecycle server. */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

void lookalike_lifecycle_handle (LookalikeRequest *request);

void lookalike_lifecycle_create (LookalikeRequest *request);
void lookalike_lifecycle_list (LookalikeRequest *request);
void lookalike_lifecycle_get_endpoint (LookalikeRequest *request);
void lookalike_lifecycle_create_snapshot (LookalikeRequest *request);
void lookalike_lifecycle_list_snapshots (LookalikeRequest *request);
void lookalike_lifecycle_get_snapshot (LookalikeRequest *request);
void lookalike_lifecycle_delete_snapshot (LookalikeRequest *request);
void lookalike_lifecycle_get_logs (LookalikeRequest *request);
void lookalike_lifecycle_get_events (LookalikeRequest *request);
void lookalike_lifecycle_inspect (LookalikeRequest *request);
void lookalike_lifecycle_summarize (LookalikeRequest *request);
void lookalike_lifecycle_change_settings (LookalikeRequest *request);

/* The parts of the path after an optional "v1". */
char **lookalike_lifecycle_get_parts (LookalikeRequest *request);
/* The sandbox that the path names, also kept in the request; NULL after a 404. */
LookalikeSandbox *lookalike_lifecycle_find (LookalikeRequest *request);

/* A Sandbox; @created: what the answer to a creation holds of it. */
JsonObject *lookalike_lifecycle_describe (LookalikeSandbox *sandbox, gboolean created);
/* {"state":…}; members that are NULL are left out. */
JsonObject *lookalike_lifecycle_describe_status (const char *state, const char *reason,
                                                 const char *message, GDateTime *since);

/* One page of sorted objects, with the "pagination" object. FALSE after a 422. */
typedef struct
{
  gint64 page;
  gint64 size;
} LookalikePage;

gboolean lookalike_lifecycle_get_page (LookalikeRequest *request, LookalikePage *page);
void lookalike_lifecycle_reply_page (LookalikeRequest *request, const LookalikePage *page,
                                     GPtrArray *objects);

G_END_DECLS
