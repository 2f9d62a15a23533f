/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A look-alike of an OpenSandbox server for one test, and providers that talk to it. */

#pragma once

#include <asb.h>
#include <json-glib/json-glib.h>

typedef struct _AsbTestServer AsbTestServer;

/* With options of the look-alike, in one line, or NULL. */
AsbTestServer *asb_test_server_new (const char *options);

/* Ends it, and looks whether it left anything. */
void asb_test_server_free (AsbTestServer *self);

guint asb_test_server_get_port (AsbTestServer *self);

/* Where the files of the sandboxes are. */
const char *asb_test_server_get_folder (AsbTestServer *self);

/* An exchange on a connection of its own; @body may be NULL. Returns: (transfer full) (nullable) */
JsonNode *asb_test_server_ask (AsbTestServer *self, const char *method, const char *path,
                               const char *body);

/* @spec: as “--help” of the look-alike tells, in JSON with ' for " */
void asb_test_server_fault (AsbTestServer *self, const char *spec);
void asb_test_server_heal (AsbTestServer *self);
void asb_test_server_set (AsbTestServer *self, const char *settings);

/* How many requests came since that was forgotten; @path is a glob. */
guint asb_test_server_count (AsbTestServer *self, const char *method, const char *path);

/* The query of the last such request, as it was sent. Returns: (transfer full) */
char *asb_test_server_dup_query (AsbTestServer *self, const char *method, const char *path);

/* Whether any such request brought a header of that name. */
gboolean asb_test_server_has_header (AsbTestServer *self, const char *path, const char *name);
void asb_test_server_forget (AsbTestServer *self);

/* How many sandboxes it has. */
guint asb_test_server_count_sandboxes (AsbTestServer *self);

/* A provider with options in the text of an a{sv}, or NULL. Returns: (transfer full) */
AsbProvider *asb_test_server_new_provider (AsbTestServer *self, const char *options);

/* A sandbox that lives for ten minutes. Returns: (transfer full) */
AsbSandboxSpec *asb_test_server_new_spec (void);
AsbSandboxInfo *asb_test_server_create (AsbProvider *provider);
const char *asb_test_server_get_id (AsbSandboxInfo *info);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbTestServer, asb_test_server_free)
