/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A server on a port of its own that answers with any bytes a test likes, or with none. Each
 * connection has its thread. */

#pragma once

#include <gio/gio.h>

typedef struct _HostileServer HostileServer;
typedef struct _HostileConnection HostileConnection;

/* Called in a thread of the connection for each request that was read whole: @head is all up to the
 * empty line, @number counts the requests of the server from 0. Returns whether the connection
 * stays open for another request. */
typedef gboolean (*HostileFunc) (HostileConnection *connection, const char *head, guint number,
                                 gpointer data);

HostileServer *hostile_server_new (HostileFunc function, gpointer data);

/* The same, called before the body of a request is read. */
HostileServer *hostile_server_new_hasty (HostileFunc function, gpointer data);

/* Has a port and refuses connections, until it listens after that many milliseconds. */
HostileServer *hostile_server_new_deaf (HostileFunc function, gpointer data);
void hostile_server_listen_in (HostileServer *self, guint milliseconds);
void hostile_server_free (HostileServer *self);
guint16 hostile_server_get_port (HostileServer *self);

/* “127.0.0.1:PORT” */
const char *hostile_server_get_domain (HostileServer *self);
guint hostile_server_count_connections (HostileServer *self);
guint hostile_server_count_requests (HostileServer *self);

/* The head of a request that was read. Returns: (transfer full) (nullable) */
char *hostile_server_dup_head (HostileServer *self, guint number);

/* Forgets what was read, once all connections have ended. */
void hostile_server_forget (HostileServer *self);

/* Waits until as many requests were read. */
void hostile_server_wait_for_requests (HostileServer *self, guint n_requests);

/* That of the request that was read last, unless it has no length or the server is hasty. */
const char *hostile_connection_get_body (HostileConnection *self);

/* Whether writing did not fail yet. */
gboolean hostile_connection_is_open (HostileConnection *self);
void hostile_connection_write (HostileConnection *self, const char *text);
void hostile_connection_write_bytes (HostileConnection *self, const void *data, gsize size);

/* A whole reply of that status with a body. */
void hostile_connection_reply (HostileConnection *self, const char *status, const char *headers,
                               const char *body);

/* What is written goes out together with the end of the connection. */
void hostile_connection_cork (HostileConnection *self);

/* Is slow. */
void hostile_connection_linger (HostileConnection *self, guint milliseconds);

/* The end of the connection comes as a reset. */
void hostile_connection_reset (HostileConnection *self);

/* Reads on until @end has come, which is put into @text with all before it. */
void hostile_connection_read_until (HostileConnection *self, const char *end, GString *text);

/* The end of what is written: what was sent before arrives, whatever the other side still sends. */
void hostile_connection_shut (HostileConnection *self);

/* Waits for the other side to end the connection; what it sends is dropped. */
void hostile_connection_wait (HostileConnection *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HostileServer, hostile_server_free)
