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
  const char *token_file;
  const char *headers_file;
  GPtrArray *settings;
} options;

#define SERVER_OPTION                                                                              \
  {                                                                                                \
    "server", '\0', TOOL_OPTION_TEXT, &options.address, "URL",                                     \
        "reaches the OpenSandbox server there, and makes new sandboxes there if no provider is "   \
        "given; "                                                                                  \
        "$OPEN_SANDBOX_DOMAIN, or else localhost:8080, if not given",                              \
        TOOL_COMPLETE_NOTHING, TOOL_GROUP_SERVER                                                   \
  }

const ToolOption tool_server_address_options[] = { SERVER_OPTION, { NULL } };

const ToolOption tool_server_options[] = {
  SERVER_OPTION,
  { "api-key-file", '\0', TOOL_OPTION_BYTES, &options.key_file, "FILE",
    "takes the key of the server from the first line of FILE; $OPEN_SANDBOX_API_KEY, or else what "
    "asb login has stored, if not given",
    TOOL_COMPLETE_FILE, TOOL_GROUP_SERVER },
  { "execd-token-file", '\0', TOOL_OPTION_BYTES, &options.token_file, "FILE",
    "takes the token that execd in the sandboxes asks for from the first line of FILE",
    TOOL_COMPLETE_FILE, TOOL_GROUP_SERVER },
  { "headers-file", '\0', TOOL_OPTION_BYTES, &options.headers_file, "FILE",
    "sends the headers in FILE with each request, one a line, NAME: VALUE", TOOL_COMPLETE_FILE,
    TOOL_GROUP_SERVER },
  { "connect", '\0', TOOL_OPTION_TEXTS, &options.settings, "NAME=VALUE",
    "sets an option of the connection to the server, such as use-server-proxy, transport, proxy "
    "and tls-ca-file",
    TOOL_COMPLETE_NOTHING, TOOL_GROUP_SERVER },
  { NULL },
};

gboolean
tool_server_is_named (void)
{
  return options.settings || g_getenv (ADDRESS_VARIABLE);
}

const char *
tool_server_get_default_provider (void)
{
  return options.address ? TOOL_SERVER_PROVIDER : TOOL_LOCAL_PROVIDER;
}

gboolean
tool_server_check_setting (const char *name, GError **error)
{
  static const struct
  {
    const char *name;
    const char *instead;
  } secrets[] = { { "api-key", "--api-key-file and asb login" },
                  { "execd-token", "--execd-token-file" },
                  { "headers", "--headers-file" } };
  g_autofree char *canonical = g_strdelimit (g_strdup (name), "_", '-');

  for (gsize i = 0; i < G_N_ELEMENTS (secrets); i++)
    if (g_str_equal (canonical, secrets[i].name))
      {
        g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                     "“%s” may be secret, and a command line shows in lists of processes; see %s",
                     name, secrets[i].instead);
        return FALSE;
      }
  return TRUE;
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

static gboolean
set_token (GVariantDict *settings, GError **error)
{
  g_autofree char *token = NULL;

  if (!options.token_file)
    return TRUE;
  token = tool_key_read_file (options.token_file, "token", error);
  if (token)
    g_variant_dict_insert (settings, "execd-token", "s", token);
  return token != NULL;
}

/* What is there is not quoted: it may be a secret. */
static gboolean
add_headers (GVariantBuilder *builder, char **lines, const char *name, GError **error)
{
  for (guint i = 0; lines[i]; i++)
    {
      const char *line = g_strstrip (lines[i]);
      char *colon = strchr (lines[i], ':');

      if (*line == '\0')
        continue;
      if (!colon || colon == line || !g_utf8_validate (line, -1, NULL))
        {
          g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                       "Line %u of “%s” is no header; put NAME: VALUE there", i + 1, name);
          return FALSE;
        }
      *colon = '\0';
      g_variant_builder_add (builder, "{ss}", line, g_strstrip (colon + 1));
    }
  return TRUE;
}

static gboolean
set_headers (GVariantDict *settings, GError **error)
{
  g_autofree char *name
      = options.headers_file ? g_filename_display_name (options.headers_file) : NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  GVariantBuilder builder;

  if (!name)
    return TRUE;
  if (!g_file_get_contents (options.headers_file, &text, NULL, error))
    return FALSE;
  lines = g_strsplit (text, "\n", -1);
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{ss}"));
  if (!add_headers (&builder, lines, name, error))
    {
      g_variant_builder_clear (&builder);
      return FALSE;
    }
  g_variant_dict_insert_value (settings, "headers", g_variant_builder_end (&builder));
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
  return set_key (tool, settings, error) && set_token (settings, error)
         && set_headers (settings, error);
}
