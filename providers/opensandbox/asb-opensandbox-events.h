/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What execd says while something runs: a JSON object a line, cut anywhere on its way. Takes the
 * same with “data:” before it, as other servers send, and what they put between. */

#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

/* A longer line is an error. */
#define ASB_OPENSANDBOX_EVENTS_MAX_LINE (32 * 1024 * 1024)

typedef enum
{
  ASB_OPENSANDBOX_EVENT_OTHER, /* of a type nobody knows */
  ASB_OPENSANDBOX_EVENT_INIT,
  ASB_OPENSANDBOX_EVENT_PING,
  ASB_OPENSANDBOX_EVENT_STDOUT,
  ASB_OPENSANDBOX_EVENT_STDERR,
  ASB_OPENSANDBOX_EVENT_RESULT,
  ASB_OPENSANDBOX_EVENT_COUNT,
  ASB_OPENSANDBOX_EVENT_STATUS,
  ASB_OPENSANDBOX_EVENT_ERROR,
  ASB_OPENSANDBOX_EVENT_COMPLETE,
  ASB_OPENSANDBOX_EVENT_FAILURE /* no event, but the error of a request that had begun well */
} AsbOpensandboxEventType;

typedef struct
{
  AsbOpensandboxEventType type;
  GString *text;       /* of init, stdout, stderr, status; may hold NUL */
  gint64 number;       /* milliseconds of complete, count of count */
  char *name;          /* of an error; its code of a failure */
  char *value;         /* of an error; its words of a failure */
  char **traceback;    /* of an error */
  JsonObject *results; /* of a result: what there is, by its type */
} AsbOpensandboxEvent;

void asb_opensandbox_event_clear (AsbOpensandboxEvent *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AsbOpensandboxEvent, asb_opensandbox_event_clear)

typedef struct _AsbOpensandboxEvents AsbOpensandboxEvents;

AsbOpensandboxEvents *asb_opensandbox_events_new (void);
void asb_opensandbox_events_free (AsbOpensandboxEvents *self);

/* Take out the events before, so that only what is left of a line waits. */
void asb_opensandbox_events_push (AsbOpensandboxEvents *self, gconstpointer bytes, gsize size);

/* Nothing more comes: what is left is a line. */
void asb_opensandbox_events_end (AsbOpensandboxEvents *self);

/* @event is one that was cleared, or zeros. FALSE without an error when it takes more bytes, and
 * with one (ASB_ERROR_PROTOCOL) for what is no event; then and later. */
gboolean asb_opensandbox_events_next (AsbOpensandboxEvents *self, AsbOpensandboxEvent *event,
                                      GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxEvents, asb_opensandbox_events_free)
