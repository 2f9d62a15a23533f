/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-server.h"

#include <string.h>

#include "tool-key.h"
#include "tool-secret.h"
#include "tool-setting.h"

#define ADDRESS_VARIABLE "OPEN_SANDBOX_DOMAIN"
#define KEY_VARIABLE "OPEN_SANDBOX_API_KEY"
#define DEFAULT_ADDRESS "localhost:8080"

static struct
{
  const char *address;
  const char *key_file;
  GPtrArray *settings;
} options;

#define SERVER_OPTION                                                                              \
  {                                                                                                \
    "server", '\0', TOOL_OPTION_TEXT, &options.address, "URL",                                     \
        "reaches the OpenSandbox server there, and makes new sandboxes there if no provider is "   \
        "given; "                                                                                  \
        "$OPEN_SANDBOX_DOMAIN, or else localhost:8080, if not given"                               \
  }

const ToolOption tool_server_address_options[] = { SERVER_OPTION, { NULL } };

const ToolOption tool_server_options[] = {
  SERVER_OPTION,
  { "api-key-file", '\0', TOOL_OPTION_TEXT, &options.key_file, "FILE",
    "takes the key of the server from the first line of FILE; $OPEN_SANDBOX_API_KEY, or else what "
    "asb login has stored, if not given",
    TOOL_COMPLETE_FILE },
  { "connect", '\0', TOOL_OPTION_TEXTS, &options.settings, "NAME=VALUE",
    "sets an option of the connection to the server, such as use-server-proxy, transport, proxy "
    "and tls-ca-file" },
  { NULL },
};

const char *
tool_server_get_default_provider (void)
{
  return options.address ? TOOL_SERVER_PROVIDER : TOOL_LOCAL_PROVIDER;
}

gboolean
tool_server_check_setting (const char *name, GError **error)
{
  static const char *const secrets[] = { "api-key", "execd-token", "headers", NULL };
  g_autofree char *canonical = g_strdelimit (g_strdup (name), "_", '-');

  if (!g_strv_contains (secrets, canonical))
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "“%s” may be secret, and a command line shows in lists of processes; see "
               "--api-key-file and asb login",
               name);
  return FALSE;
}

static const char *
get_address (void)
{
  const char *variable = g_getenv (ADDRESS_VARIABLE);

  if (options.address)
    return options.address;
  return variable && *variable ? variable : DEFAULT_ADDRESS;
}

char *
tool_server_dup_origin (GError **error)
{
  const char *address = get_address ();
  g_autofree char *whole
      = strstr (address, "://") ? g_strdup (address) : g_strconcat ("http://", address, NULL);
  g_autoptr (GUri) uri = g_uri_parse (whole, G_URI_FLAGS_NONE, NULL);
  const char *scheme = uri ? g_uri_get_scheme (uri) : NULL;
  const char *host = uri ? g_uri_get_host (uri) : NULL;
  int port = uri ? g_uri_get_port (uri) : -1;

  if (!host || *host == '\0' || g_uri_get_userinfo (uri))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "“%s” is no address of a server; give for example http://localhost:8080",
                   address);
      return NULL;
    }
  if (port < 0)
    port = g_str_equal (scheme, "https") ? 443 : 80;
  return g_uri_join (G_URI_FLAGS_NONE, scheme, NULL, host, port, "", NULL, NULL);
}

static gboolean
set_key (Tool *tool, GVariantDict *settings, GError **error)
{
  const char *variable = g_getenv (KEY_VARIABLE);
  g_autofree char *key = NULL;
  g_autofree char *origin = NULL;

  if (options.key_file)
    {
      key = tool_key_read_file (options.key_file, "key", error);
      if (!key)
        return FALSE;
    }
  else if (!variable || *variable == '\0')
    {
      origin = tool_server_dup_origin (NULL);
      key = origin ? tool_secret_find (tool, origin) : NULL;
    }
  if (key)
    g_variant_dict_insert (settings, "api-key", "s", key);
  return TRUE;
}

gboolean
tool_server_apply (Tool *tool, const char *name, GVariantDict *settings, GError **error)
{
  if (!g_str_equal (name, TOOL_SERVER_PROVIDER))
    return TRUE;
  for (guint i = 0; options.settings && i < options.settings->len; i++)
    if (!tool_setting_add (settings, "--connect", options.settings->pdata[i], error))
      return FALSE;
  if (options.address && !g_variant_dict_contains (settings, "url"))
    g_variant_dict_insert (settings, "url", "s", options.address);
  if (!g_variant_dict_contains (settings, "use-server-proxy"))
    g_variant_dict_insert (settings, "use-server-proxy", "b", TRUE);
  return set_key (tool, settings, error);
}
