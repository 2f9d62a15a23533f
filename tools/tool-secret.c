/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-secret.h"

#ifdef HAVE_LIBSECRET

#include <libsecret/secret.h>

/* secret-tool writes no name of a schema, so the attributes alone count: what it stores with
 * “secret-tool store --label=… service asb server http://…” is found, and the other way round. */
static const SecretSchema schema = {
  "org.asb.ServerKey",
  SECRET_SCHEMA_DONT_MATCH_NAME,
  { { "service", SECRET_SCHEMA_ATTRIBUTE_STRING },
    { "server", SECRET_SCHEMA_ATTRIBUTE_STRING },
    { NULL, 0 } },
};

/* A machine without a desktop has no such service, and what is said then tells little of keys. */
static gboolean
explain (const char *what, const char *origin, GError *cause, GError **error)
{
  if (!cause)
    return FALSE;
  g_set_error (error, cause->domain, cause->code,
               "Could not %s the key of %s in the secret service: %s; without one set "
               "OPEN_SANDBOX_API_KEY, or give --api-key-file",
               what, origin, cause->message);
  return FALSE;
}

char *
tool_secret_find (Tool *tool, const char *origin)
{
  g_auto (ToolWait) wait = { 0 };
  g_autofree char *key = NULL;
  char *copy;

  secret_password_lookup (&schema, tool->cancellable, tool_wait_cb, &wait, "service", "asb",
                          "server", origin, NULL);
  key = secret_password_lookup_finish (tool_wait (&wait), NULL);
  copy = g_strdup (key);
  if (key)
    secret_password_wipe (key);
  return copy;
}

gboolean
tool_secret_store (Tool *tool, const char *origin, const char *key, GError **error)
{
  g_autofree char *label = g_strdup_printf ("API key of %s", origin);
  g_autoptr (GError) cause = NULL;
  g_auto (ToolWait) wait = { 0 };

  secret_password_store (&schema, SECRET_COLLECTION_DEFAULT, label, key, tool->cancellable,
                         tool_wait_cb, &wait, "service", "asb", "server", origin, NULL);
  return secret_password_store_finish (tool_wait (&wait), &cause)
         || explain ("store", origin, cause, error);
}

gboolean
tool_secret_forget (Tool *tool, const char *origin, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_auto (ToolWait) wait = { 0 };

  secret_password_clear (&schema, tool->cancellable, tool_wait_cb, &wait, "service", "asb",
                         "server", origin, NULL);
  return secret_password_clear_finish (tool_wait (&wait), &cause)
         || explain ("look for", origin, cause, error);
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
