/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>
#include <unistd.h>

#include "tool-commands.h"
#include "tool-file.h"
#include "tool-message.h"
#include "tool-no-record.h"
#include "tool-output.h"
#include "tool-sandbox.h"
#include "tool-text.h"

static struct
{
  gboolean json;
  gboolean details;
} options;

/* The type and the permissions, as ls writes them. */
static void
append_mode (GString *line, AsbFileInfo *info)
{
  static const char kinds[] = { [ASB_FILE_KIND_FILE] = '-',
                                [ASB_FILE_KIND_DIRECTORY] = 'd',
                                [ASB_FILE_KIND_SYMLINK] = 'l',
                                [ASB_FILE_KIND_OTHER] = '?' };
  static const char letters[] = "rwxrwxrwx";
  const guint mode = asb_file_info_get_mode (info);
  char text[] = "?---------";

  text[0] = kinds[asb_file_info_get_kind (info)];
  for (guint i = 0; i < 9; i++)
    if (mode & (0400u >> i))
      text[i + 1] = letters[i];
  if (mode & 04000)
    text[3] = mode & 0100 ? 's' : 'S';
  if (mode & 02000)
    text[6] = mode & 0010 ? 's' : 'S';
  if (mode & 01000)
    text[9] = mode & 0001 ? 't' : 'T';
  g_string_append (line, text);
}

static void
append_details (GString *line, AsbFileInfo *info)
{
  g_autofree char *time = tool_text_dup_time (asb_file_info_get_modified_at (info));

  append_mode (line, info);
  g_string_append_printf (line, " %5u %5u %12" G_GUINT64_FORMAT " %s ",
                          asb_file_info_get_uid (info), asb_file_info_get_gid (info),
                          asb_file_info_get_size (info), time);
}

/* On a terminal, names are quoted where they would do something to it; elsewhere they are what they
 * are. */
static void
append_name (GString *line, const char *name, const char *colour)
{
  g_autofree char *quoted
      = tool_text_is_terminal (STDOUT_FILENO) ? tool_text_dup_quoted (name) : g_strdup (name);

  if (colour && tool_text_has_colours ())
    g_string_append_printf (line, "\033[%sm%s\033[0m", colour, quoted);
  else
    g_string_append (line, quoted);
}

static const char *
get_colour (AsbFileInfo *info)
{
  switch (asb_file_info_get_kind (info))
    {
    case ASB_FILE_KIND_DIRECTORY:
      return "1;34";
    case ASB_FILE_KIND_SYMLINK:
      return "1;36";
    case ASB_FILE_KIND_OTHER:
      return "33";
    case ASB_FILE_KIND_FILE:
    default:
      return asb_file_info_get_mode (info) & 0111 ? "1;32" : NULL;
    }
}

static int
print_text (GListModel *infos)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (infos); i++)
    {
      g_autoptr (AsbFileInfo) info = g_list_model_get_item (infos, i);
      g_autofree char *name = asb_file_info_dup_name (info);
      const char *target = asb_file_info_get_target (info);

      if (options.details)
        append_details (text, info);
      append_name (text, name, get_colour (info));
      if (options.details && target)
        {
          g_string_append (text, " -> ");
          append_name (text, target, NULL);
        }
      g_string_append_c (text, '\n');
    }
  return tool_output_print (text->str, text->len);
}

static GListModel *
list_directory (Tool *tool, AsbBackend *backend, const char *path, GError **error)
{
  g_auto (ToolWait) wait = { 0 };

  asb_backend_list_files_async (backend, path, tool->cancellable, tool_wait_cb, &wait);
  return asb_backend_list_files_finish (backend, tool_wait (&wait), error);
}

/* The entries of a directory; of another file, that alone. */
static GListModel *
list_files (Tool *tool, AsbBackend *backend, const char *path, GError **error)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (GError) local = NULL;
  g_autoptr (AsbFileInfo) info = NULL;
  GListModel *infos = list_directory (tool, backend, path, &local);

  if (infos)
    return infos;
  if (!g_error_matches (local, ASB_ERROR, ASB_ERROR_NOT_DIRECTORY))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }
  asb_backend_query_file_async (backend, path, tool->cancellable, tool_wait_cb, &wait);
  info = asb_backend_query_file_finish (backend, tool_wait (&wait), error);
  if (!info)
    return NULL;
  infos = G_LIST_MODEL (g_list_store_new (ASB_TYPE_FILE_INFO));
  g_list_store_append (G_LIST_STORE (infos), info);
  return infos;
}

/* What stands in the folder and could not be looked at. Returns: the exit status */
static int
say_errors (GListModel *infos)
{
  GVariant *errors = g_object_get_data (G_OBJECT (infos), "asb-errors");
  int status = TOOL_EXIT_DONE;

  for (gsize i = 0; errors && i < g_variant_n_children (errors); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (errors, i);
      g_autoptr (GVariant) error = g_variant_is_of_type (child, G_VARIANT_TYPE_VARIANT)
                                       ? g_variant_get_variant (child)
                                       : g_variant_ref (child);
      const char *message = NULL;

      if (g_variant_is_of_type (error, G_VARIANT_TYPE_VARDICT)
          && g_variant_lookup (error, "message", "&s", &message))
        tool_message ("%s", message);
      status = TOOL_EXIT_FAILED;
    }
  return status;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  const char *path = tool_parsed_get (parsed, 1);
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (GListModel) infos = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  backend = tool_sandbox_connect (tool, tool_parsed_get (parsed, 0), &error);
  if (backend)
    {
      infos = list_files (tool, backend, path ? path : ".", &error);
      tool_backend_close (backend);
    }
  if (!infos)
    {
      tool_message_error (error);
      return TOOL_EXIT_FAILED;
    }
  status = options.json ? tool_files_print_json (infos) : print_text (infos);
  return status != TOOL_EXIT_DONE ? status : say_errors (infos);
}

static const ToolOption option_entries[] = {
  { "long", 'l', TOOL_OPTION_FLAG, &options.details, NULL,
    "shows type, permissions, owner, size and time too" },
  TOOL_NO_RECORD_OPTION,
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { "PATH", "the folder, or file, in the sandbox; if not given, the folder where commands run",
    TOOL_ARGUMENT_OPTIONAL },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb ls scratch", "Shows what is in the sandbox's own folder." },
  { "asb ls -l scratch /usr/bin", "Shows another one, with details." },
  { NULL, NULL },
};

const ToolCommand tool_command_ls = {
  .name = "ls",
  .summary = "list files of a sandbox",
  .description = "Lists a folder of a sandbox, one file a line. On a terminal, names with special "
                 "characters are quoted as for a shell; elsewhere they are byte for byte what they "
                 "are.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
