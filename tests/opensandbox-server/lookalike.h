/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What all parts of the look-alike know: the server, its settings and its lists. */

#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct _Lookalike Lookalike;
typedef struct _LookalikeEgress LookalikeEgress;
typedef struct _LookalikeFaults LookalikeFaults;
typedef struct _LookalikeListener LookalikeListener;
typedef struct _LookalikeLog LookalikeLog;
typedef struct _LookalikeRequest LookalikeRequest;
typedef struct _LookalikeSandbox LookalikeSandbox;

/* How the endpoints of sandboxes are handed out. */
typedef enum
{
  LOOKALIKE_ENDPOINTS_BRIDGE,   /* through execd's own proxy, the address has a path */
  LOOKALIKE_ENDPOINTS_HOST,     /* execd itself */
  LOOKALIKE_ENDPOINTS_HEADER,   /* a gateway that reads OpenSandbox-Ingress-To */
  LOOKALIKE_ENDPOINTS_URI,      /* a gateway that reads /ID/PORT */
  LOOKALIKE_ENDPOINTS_WILDCARD, /* a gateway that reads the host name ID-PORT.localhost */
} LookalikeEndpoints;

typedef struct
{
  char *api_key;
  char *execd_token;
  char *eip;
  char *faults_file;
  char *root;
  char *signing_key;
  char *endpoints_name;
  LookalikeEndpoints endpoints;
  int port;
  gboolean print_port;
  gboolean greet;
  gboolean plain;

  /* What POST /_settings can change while it runs, too. */
  gboolean old;
  gboolean nulls;
  gboolean egress_null;
  gboolean late_ping;
  gboolean early_exit;
  gboolean hold_snapshots; /* none gets further */
  gboolean fail_snapshots; /* none is good */
  int grace_ms;
  int ping_ms;
  int tail_ms;
  int metrics_ms;
  int split;
  int split_seed;
  int max_timeout;
} LookalikeConfig;

struct _Lookalike
{
  LookalikeConfig config;
  GMainLoop *loop;
  SoupSession *session;
  LookalikeListener *lifecycle;
  LookalikeListener *gateway;
  LookalikeFaults *faults;
  LookalikeLog *log;
  GHashTable *sandboxes; /* id -> LookalikeSandbox */
  GHashTable *snapshots; /* id -> LookalikeSnapshot */
  char *root;
  char *enter_path;
  gboolean owns_root;
  gboolean confined; /* bubblewrap works here */
  guint64 connections;
};

/* The one gateway's key id, as operators name theirs. */
#define LOOKALIKE_SIGNING_KEY_ID 'a'

#define LOOKALIKE_EXECD_PORT 44772
#define LOOKALIKE_EGRESS_PORT 18080

G_END_DECLS
