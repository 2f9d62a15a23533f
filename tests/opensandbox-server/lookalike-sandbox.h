/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sandbox: a folder as its root, the processes in it, and the servers that look into it. */

#pragma once

#include "lookalike-listener.h"
#include "lookalike-process.h"

G_BEGIN_DECLS

typedef enum
{
  LOOKALIKE_STATE_PENDING,
  LOOKALIKE_STATE_RUNNING,
  LOOKALIKE_STATE_PAUSED,
  LOOKALIKE_STATE_TERMINATED,
  LOOKALIKE_STATE_FAILED,
} LookalikeState;

struct _LookalikeSandbox
{
  Lookalike *lookalike;
  char *id;
  LookalikeState state;
  char *reason;
  char *message;
  GDateTime *created_at;
  GDateTime *transition_at;
  GDateTime *expires_at; /* NULL: until it is deleted */
  JsonObject *image;
  char *snapshot_id;
  JsonObject *platform;
  JsonObject *metadata;
  JsonObject *extensions;
  JsonArray *entrypoint;
  char *secure_access; /* the token, or NULL */
  char **environment;  /* what execd has */

  char *folder;
  char *root_path;
  int root_fd;
  int status_fd;    /* what bubblewrap says */
  int holder;       /* first process of the namespaces, 0 without, -1 when it has ended */
  int namespace_fd; /* of its processes; held, so that no other one can come to look the same */
  GSubprocess *container;
  LookalikeProcess *entry; /* the entry point, without bubblewrap */
  gboolean gone;
  gboolean ended; /* the entry point */
  int exit_code;

  LookalikeListener *execd;
  LookalikeListener *sidecar; /* NULL without a network policy */
  LookalikeEgress *egress;
  GHashTable *commands; /* id -> LookalikeCommand */
  GHashTable *sessions; /* id -> LookalikeSession */
  GHashTable *ptys;     /* id -> LookalikePty */
  guint expiry;
  gint64 renew_seconds;
};

typedef void (*LookalikeStartedFunc) (LookalikeSandbox *sandbox, const GError *error,
                                      gpointer user_data);

LookalikeSandbox *lookalike_sandbox_new (Lookalike *lookalike);
LookalikeSandbox *lookalike_sandbox_ref (LookalikeSandbox *self);
void lookalike_sandbox_unref (LookalikeSandbox *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LookalikeSandbox, lookalike_sandbox_unref)

/* Makes the folder and starts the entry point; calls back when execd would answer. */
void lookalike_sandbox_start (LookalikeSandbox *self, const char *copied_from,
                              LookalikeStartedFunc started, gpointer user_data);

/* Ends what runs, and the folder. */
void lookalike_sandbox_destroy (LookalikeSandbox *self);

void lookalike_sandbox_set_state (LookalikeSandbox *self, LookalikeState state, const char *reason,
                                  const char *message);
const char *lookalike_state_get_name (LookalikeState state);

void lookalike_sandbox_freeze (LookalikeSandbox *self);
void lookalike_sandbox_thaw (LookalikeSandbox *self);

/* NULL for never. */
void lookalike_sandbox_set_expiry (LookalikeSandbox *self, GDateTime *when);
/* Something reached it: the extension access.renew.extend.seconds. */
void lookalike_sandbox_touch (LookalikeSandbox *self);

/* The port on this machine behind a port of the sandbox; 0 when nothing can listen there. */
guint16 lookalike_sandbox_map_port (LookalikeSandbox *self, guint port);

void lookalike_sandbox_signal_all (LookalikeSandbox *self, int signal_number);

G_END_DECLS
