/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-secret.h"

#ifdef HAVE_LIBSECRET

#include "tool-libsecret.h"
#include "tool-message.h"

/* secret-tool writes no name of a schema, so the attributes alone count: what it stores with
 * “secret-tool store --label=… service asb server http://…” is found, and the other way round. */
static const SecretSchema schema = {
  "org.asb.ServerKey",
  SECRET_SCHEMA_DONT_MATCH_NAME,
  { { "service", SECRET_SCHEMA_ATTRIBUTE_STRING },
    { "server", SECRET_SCHEMA_ATTRIBUTE_STRING },
    { NULL, 0 } },
};

#define INSTEAD "set OPEN_SANDBOX_API_KEY, or give --api-key-file"

/* A service answers at once, or is started for it. One that hangs is no reason for asb to. */
#define ANSWER_SECONDS 5
/* Somebody has to read a question and type a password. */
#define PASSWORD_SECONDS 60

/* A call that ends with the tool's cancellable, and by itself. */
typedef struct
{
  ToolWait wait;
  GCancellable *cancellable;
  GCancellable *outer;
  gulong link;
  guint timer;
  guint seconds;
} Call;

static gboolean
time_cb (gpointer user_data)
{
  Call *call = user_data;

  call->timer = 0;
  g_cancellable_cancel (call->cancellable);
  return G_SOURCE_REMOVE;
}

static void
outer_cancelled_cb (GCancellable *outer, gpointer user_data)
{
  g_cancellable_cancel (user_data);
}

static void
call_begin (Call *call, Tool *tool, guint seconds)
{
  call->seconds = seconds;
  call->cancellable = g_cancellable_new ();
  call->outer = g_object_ref (tool->cancellable);
  call->link = g_cancellable_connect (call->outer, G_CALLBACK (outer_cancelled_cb),
                                      g_object_ref (call->cancellable), g_object_unref);
  call->timer = g_timeout_add_seconds (seconds, time_cb, call);
}

static void
call_clear (Call *call)
{
  tool_wait_clear (&call->wait);
  g_clear_handle_id (&call->timer, g_source_remove);
  g_cancellable_disconnect (call->outer, call->link);
  g_clear_object (&call->outer);
  g_clear_object (&call->cancellable);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Call, call_clear)

/* Takes @cause, and says of a call that was too long that it was. */
static gboolean
call_fail (Call *call, GError *cause, GError **error)
{
  const gboolean is_late = g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED)
                           && !g_cancellable_is_cancelled (call->outer);

  if (is_late)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "It did not answer within %u seconds",
                 call->seconds);
  else
    g_propagate_error (error, g_steal_pointer (&cause));
  g_clear_error (&cause);
  return FALSE;
}

typedef enum
{
  STORED_NOWHERE,
  STORED_OPEN,
  STORED_LOCKED
} Stored;

static Stored
judge (const ToolLibsecret *libsecret, GList *items)
{
  for (GList *l = items; l; l = l->next)
    if (!G_TYPE_CHECK_INSTANCE_TYPE (l->data, libsecret->item_get_type ())
        || !libsecret->item_get_locked (l->data))
      return STORED_OPEN;
  return items ? STORED_LOCKED : STORED_NOWHERE;
}

/* Asks nobody for a password: what is locked is found by its attributes, too. */
static gboolean
look (Tool *tool, const char *origin, Stored *stored, GError **error)
{
  const ToolLibsecret *libsecret = tool_libsecret_load (error);
  g_auto (Call) call = { 0 };
  GError *cause = NULL;
  GList *items;

  *stored = STORED_NOWHERE;
  if (!libsecret)
    return FALSE;
  call_begin (&call, tool, ANSWER_SECONDS);
  libsecret->password_search (&schema, SECRET_SEARCH_ALL, call.cancellable, tool_wait_cb,
                              &call.wait, "service", "asb", "server", origin, NULL);
  items = libsecret->password_search_finish (tool_wait (&call.wait), &cause);
  *stored = judge (libsecret, items);
  g_list_free_full (items, g_object_unref);
  return !cause || call_fail (&call, cause, error);
}

/* A machine without a desktop has no such service, and what is said then tells little of keys. */
static gboolean
explain (const char *what, const char *origin, GError *cause, GError **error)
{
  if (!cause)
    return FALSE;
  g_set_error (error, cause->domain, cause->code,
               "Could not %s the key of %s in the secret service: %s; without one " INSTEAD, what,
               origin, cause->message);
  return FALSE;
}

static char *
lookup (Tool *tool, const char *origin, guint seconds)
{
  const ToolLibsecret *libsecret = tool_libsecret_load (NULL);
  g_auto (Call) call = { 0 };
  char *key;
  char *copy;

  call_begin (&call, tool, seconds);
  libsecret->password_lookup (&schema, call.cancellable, tool_wait_cb, &call.wait, "service", "asb",
                              "server", origin, NULL);
  key = libsecret->password_lookup_finish (tool_wait (&call.wait), NULL);
  copy = g_strdup (key);
  libsecret->password_free (key);
  return copy;
}

/* Servers without keys are used on machines without such a service: that there is none is not
 * said. That there is one which keeps its key to itself explains the refusal that comes. */
static void
tell (const char *origin, Stored stored, const GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT))
    tool_message ("The secret service did not say within %d seconds whether it has a key of %s; "
                  "without one " INSTEAD,
                  ANSWER_SECONDS, origin);
  else if (!error && stored == STORED_LOCKED)
    tool_message ("The key of %s in the secret service is still locked; unlock it there, " INSTEAD,
                  origin);
  else if (!error && stored == STORED_OPEN)
    tool_message ("The secret service has a key of %s and does not give it; " INSTEAD, origin);
}

char *
tool_secret_find (Tool *tool, const char *origin)
{
  g_autoptr (GError) error = NULL;
  Stored stored;
  char *key = NULL;

  if (look (tool, origin, &stored, &error) && stored == STORED_LOCKED)
    tool_message ("The secret service asks for a password, to unlock the key of %s", origin);
  if (stored != STORED_NOWHERE)
    key = lookup (tool, origin, stored == STORED_LOCKED ? PASSWORD_SECONDS : ANSWER_SECONDS);
  if (!key && !g_cancellable_is_cancelled (tool->cancellable))
    tell (origin, stored, error);
  return key;
}

gboolean
tool_secret_store (Tool *tool, const char *origin, const char *key, GError **error)
{
  g_autofree char *label = g_strdup_printf ("API key of %s", origin);
  const ToolLibsecret *libsecret;
  g_autoptr (GError) cause = NULL;
  g_auto (ToolWait) wait = { 0 };
  Stored stored;

  if (!look (tool, origin, &stored, &cause))
    return explain ("store", origin, cause, error);
  libsecret = tool_libsecret_load (NULL);
  libsecret->password_store (&schema, SECRET_COLLECTION_DEFAULT, label, key, tool->cancellable,
                             tool_wait_cb, &wait, "service", "asb", "server", origin, NULL);
  return libsecret->password_store_finish (tool_wait (&wait), &cause)
         || explain ("store", origin, cause, error);
}

gboolean
tool_secret_forget (Tool *tool, const char *origin, GError **error)
{
  const ToolLibsecret *libsecret;
  g_autoptr (GError) cause = NULL;
  g_auto (ToolWait) wait = { 0 };
  Stored stored;

  if (!look (tool, origin, &stored, &cause))
    return explain ("look for", origin, cause, error);
  if (stored == STORED_NOWHERE)
    return FALSE;
  libsecret = tool_libsecret_load (NULL);
  libsecret->password_clear (&schema, tool->cancellable, tool_wait_cb, &wait, "service", "asb",
                             "server", origin, NULL);
  if (libsecret->password_clear_finish (tool_wait (&wait), &cause))
    return TRUE;
  if (cause || stored != STORED_LOCKED)
    return explain ("remove", origin, cause, error);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED,
               "The key of %s in the secret service is locked; unlock it there first", origin);
  return FALSE;
}

#else

static gboolean
refuse (GError **error)
{
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                       "This asb was built without libsecret and keeps no keys; set "
                       "OPEN_SANDBOX_API_KEY, or give --api-key-file");
  return FALSE;
}

char *
tool_secret_find (Tool *tool, const char *origin)
{
  return NULL;
}

gboolean
tool_secret_store (Tool *tool, const char *origin, const char *key, GError **error)
{
  return refuse (error);
}

gboolean
tool_secret_forget (Tool *tool, const char *origin, GError **error)
{
  return refuse (error);
}

#endif
