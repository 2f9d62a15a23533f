/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-kept.h"

typedef struct
{
  gint64 number;
  gint64 last_use; /* microseconds on the monotonic clock */
  gboolean was_used;
  GWeakRef stream;
} Connection;

static void
connection_free (gpointer data)
{
  Connection *connection = data;

  g_weak_ref_clear (&connection->stream);
  g_free (connection);
}

void
asb_opensandbox_kept_init (AsbOpensandboxKept *self)
{
  self->connections = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, connection_free);
  self->enough = ASB_OPENSANDBOX_MIN_KEPT;
}

void
asb_opensandbox_kept_clear (AsbOpensandboxKept *self)
{
  g_clear_pointer (&self->connections, g_hash_table_unref);
}

static Connection *
look_up (AsbOpensandboxKept *self, guint64 number)
{
  gint64 key = (gint64)number;

  return g_hash_table_lookup (self->connections, &key);
}

static gboolean
is_gone (gpointer key, gpointer value, gpointer data)
{
  Connection *connection = value;
  g_autoptr (GIOStream) stream = g_weak_ref_get (&connection->stream);

  return stream == NULL;
}

/* Those that are left are all there; before there are twice as many it is not worth another look.
 */
static void
forget_those_gone (AsbOpensandboxKept *self)
{
  g_hash_table_foreach_remove (self->connections, is_gone, NULL);
  self->enough = MAX (2 * g_hash_table_size (self->connections), ASB_OPENSANDBOX_MIN_KEPT);
}

static Connection *
add (AsbOpensandboxKept *self, guint64 number)
{
  Connection *connection = look_up (self, number);

  if (connection)
    return connection;
  if (g_hash_table_size (self->connections) >= self->enough)
    forget_those_gone (self);
  connection = g_new0 (Connection, 1);
  connection->number = (gint64)number;
  connection->last_use = g_get_monotonic_time ();
  g_weak_ref_init (&connection->stream, NULL);
  g_hash_table_insert (self->connections, &connection->number, connection);
  return connection;
}

void
asb_opensandbox_kept_note_stream (AsbOpensandboxKept *self, guint64 number, GIOStream *stream)
{
  g_weak_ref_set (&add (self, number)->stream, stream);
}

void
asb_opensandbox_kept_note_use (AsbOpensandboxKept *self, guint64 number)
{
  Connection *connection = add (self, number);

  connection->last_use = g_get_monotonic_time ();
  connection->was_used = TRUE;
}

gboolean
asb_opensandbox_kept_was_used (AsbOpensandboxKept *self, guint64 number, gint64 *idle)
{
  Connection *connection = look_up (self, number);

  *idle = connection ? g_get_monotonic_time () - connection->last_use : 0;
  return connection && connection->was_used;
}

GIOStream *
asb_opensandbox_kept_dup_stream (AsbOpensandboxKept *self, guint64 number)
{
  Connection *connection = look_up (self, number);

  return connection ? g_weak_ref_get (&connection->stream) : NULL;
}
