/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-native-files.h"

#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-file-info.h"
#include "asb-opensandbox-native-call.h"
#include "asb-opensandbox-native-read.h"
#include "asb-opensandbox-native-write.h"
#include "asb-opensandbox-shell.h"

/* Says why there is nothing at $1. */
#define EXISTS "[ -e \"$1\" ] || [ -h \"$1\" ] || { stat \"$1\" >/dev/null; exit 1; }\n"

#define QUERY                                                                                      \
  "o=-L\n"                                                                                         \
  "[ \"$2\" = 1 ] || o=\n"                                                                         \
  "stat $o -c '" ASB_OPENSANDBOX_STAT_FORMAT "' \"$1\" || exit\n"                                  \
  "if [ -z \"$o\" ] && [ -h \"$1\" ]; then readlink -n \"$1\" | base64; fi\n"

/* Names first, then what is known of each, in the same order: a line cannot hold every name. What
 * comes or goes in between makes the numbers differ. */
#define LIST                                                                                       \
  EXISTS "[ -d \"$1\" ] || { echo 'Not a directory' >&2; exit 1; }\n"                              \
         "t=/tmp/.asb-$2-$$\n"                                                                     \
         "mkdir -m 700 $t || exit\n"                                                               \
         "trap \"asb_end; rm -rf $t\" EXIT\n"                                                      \
         "cd \"$1\" || exit\n"                                                                     \
         "for i in 1 2 3 4 5; do\n"                                                                \
         "  find . -mindepth 1 -maxdepth 1 -print0 >$t/n || exit\n"                                \
         "  xargs -0 -r stat -c '" ASB_OPENSANDBOX_STAT_FORMAT "' <$t/n >$t/s 2>$t/e\n"            \
         "  [ $(($(tr -cd '\\0' <$t/n | wc -c))) = $(($(wc -l <$t/s))) ] && break\n"               \
         "  [ $i != 5 ] || { cat $t/e >&2; echo 'the directory changes all the time' >&2; exit "   \
         "1; }\n"                                                                                  \
         "done\n"                                                                                  \
         "cat $t/s\n"                                                                              \
         "echo .\n"                                                                                \
         "base64 $t/n\n"

#define MAKE_DIRECTORY                                                                             \
  "p=${1%/*}\n"                                                                                    \
  "[ $2 = 0 ] || [ -z \"$p\" ] || mkdir -p \"$p\" || exit\n"                                       \
  "if mkdir -m $3 \"$1\" 2>/dev/null; then echo 1; exit; fi\n"                                     \
  "if [ $2 = 1 ] && [ -d \"$1\" ]; then echo 0; exit; fi\n"                                        \
  "mkdir \"$1\" && echo 1\n"

#define DELETE                                                                                     \
  EXISTS "if [ -d \"$1\" ] && ! [ -h \"$1\" ]; then\n"                                             \
         "  if [ $2 = 1 ]; then rm -rf \"$1\"; else rmdir \"$1\"; fi\n"                            \
         "else rm -f \"$1\"; fi\n"

/* A link made beside the old name is there or not, whoever else comes. mv alone would go into a
 * directory. */
#define MOVE                                                                                       \
  EXISTS "if [ $3 = 0 ]; then\n"                                                                   \
         "  if [ -e \"$2\" ] || [ -h \"$2\" ]; then echo 'File exists' >&2; exit 1; fi\n"          \
         "  if [ -f \"$1\" ] && ! [ -h \"$1\" ] && ln \"$1\" \"$2\" 2>/dev/null; then\n"           \
         "    rm -f \"$1\"; exit\n"                                                                \
         "  fi\n"                                                                                  \
         "elif [ -d \"$2\" ] && ! [ -h \"$2\" ]; then\n"                                           \
         "  [ -d \"$1\" ] && ! [ -h \"$1\" ] || { echo 'Is a directory' >&2; exit 1; }\n"          \
         "  [ \"$1\" = \"$2\" ] && exit\n"                                                         \
         "  rmdir \"$2\" || exit\n"                                                                \
         "elif [ -e \"$2\" ] || [ -h \"$2\" ]; then\n"                                             \
         "  if [ -d \"$1\" ] && ! [ -h \"$1\" ]; then echo 'Not a directory' >&2; exit 1; fi\n"    \
         "fi\n"                                                                                    \
         "if [ -h \"$2\" ]; then mv -f -T \"$1\" \"$2\"; else mv -f \"$1\" \"$2\"; fi\n"

#define SET_ATTRIBUTES                                                                             \
  "h=\n"                                                                                           \
  "o=-L\n"                                                                                         \
  "[ $2 = 1 ] || { h=-h; o=; }\n"                                                                  \
  "stat $o \"$1\" >/dev/null || exit\n"                                                            \
  "[ -z \"$4\" ] || chown $h \"$4\" \"$1\" || exit\n"                                              \
  "if [ \"$3\" ]; then\n"                                                                          \
  "  if [ $2 = 0 ] && [ -h \"$1\" ]; then echo 'Operation not supported' >&2; exit 1; fi\n"        \
  "  chmod \"$3\" \"$1\" || exit\n"                                                                \
  "fi\n"                                                                                           \
  "stat $o -c '" ASB_OPENSANDBOX_STAT_FORMAT "' \"$1\"\n"

/* Looking. */

static void
queried_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxNativeCall *call = asb_opensandbox_native_call_get (task);
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_native_call_finish (task, result);
  g_autoptr (GBytes) link = NULL;
  g_autofree char *target = NULL;
  AsbOpensandboxFileExtra extra = { 0 };
  AsbFileInfo *info = NULL;
  GError *error = NULL;

  if (!done)
    return;
  if (done->lines[0] && done->lines[1])
    link = asb_opensandbox_script_decode (done->lines, 1, NULL, &error);
  if (link)
    target = g_strndup (g_bytes_get_data (link, NULL), g_bytes_get_size (link));
  extra.target = target;
  if (!error)
    info = asb_opensandbox_file_info_parse (done->lines[0], call->path, &extra, &error);
  if (info)
    asb_opensandbox_answer_object (task, info);
  else
    g_task_return_error (task, error);
}

static void
query (GTask *task)
{
  gboolean nofollow = asb_opensandbox_native_call_has (task, ASB_FILE_FLAGS_NOFOLLOW);
  const char *const arguments[]
      = { asb_opensandbox_native_call_get (task)->path, nofollow ? "0" : "1", NULL };

  asb_opensandbox_native_call_ask (task, QUERY, arguments, "look at", queried_cb);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (asb_file_info_get_path (*(AsbFileInfo *const *)a),
                 asb_file_info_get_path (*(AsbFileInfo *const *)b));
}

/* @names: “./one” NUL “./two” NUL. */
static GListModel *
new_list (const char *directory, char **lines, GBytes *names, GError **error)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (g_object_unref);
  gsize size;
  const char *at = g_bytes_get_data (names, &size);
  const char *end = at + size;
  GListStore *list;

  for (guint i = 0; at < end; i++)
    {
      const char *nul = memchr (at, 0, (gsize)(end - at));
      g_autofree char *path = NULL;
      AsbFileInfo *info;

      if (!nul || nul - at < 3 || at[0] != '.' || !lines[i] || *lines[i] == '.')
        {
          g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                               "What the sandbox says of a directory makes no sense");
          return NULL;
        }
      path = g_strconcat (strcmp (directory, "/") == 0 ? "" : directory, at + 1, NULL);
      info = asb_opensandbox_file_info_parse (lines[i], path, NULL, error);
      if (!info)
        return NULL;
      g_ptr_array_add (entries, info);
      at = nul + 1;
    }
  g_ptr_array_sort (entries, compare_names);
  list = g_list_store_new (ASB_TYPE_FILE_INFO);
  g_list_store_splice (list, 0, 0, entries->pdata, entries->len);
  return G_LIST_MODEL (list);
}

static void
listed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxNativeCall *call = asb_opensandbox_native_call_get (task);
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_native_call_finish (task, result);
  g_autoptr (GBytes) names = NULL;
  GListModel *list = NULL;
  GError *error = NULL;
  guint at = 0;

  if (!done)
    return;
  while (done->lines[at] && *done->lines[at] != '.')
    at++;
  names = asb_opensandbox_script_decode (done->lines, done->lines[at] ? at + 1 : at, NULL, &error);
  if (names)
    list = new_list (call->path, done->lines, names, &error);
  if (list)
    asb_opensandbox_answer_object (task, list);
  else
    g_task_return_error (task, error);
}

static void
list (GTask *task)
{
  g_autofree char *token = asb_opensandbox_shell_new_token ();
  const char *const arguments[] = { asb_opensandbox_native_call_get (task)->path, token, NULL };

  asb_opensandbox_native_call_ask (task, LIST, arguments, "list", listed_cb);
}

/* Changing. */

static void
made_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_native_call_finish (task, result);

  if (done)
    g_task_return_boolean (task, g_strcmp0 (done->lines[0], "1") == 0);
}

static void
make_directory (GTask *task)
{
  AsbOpensandboxNativeCall *call = asb_opensandbox_native_call_get (task);
  gboolean parents = !asb_opensandbox_native_call_has (task, ASB_FILE_FLAGS_NO_PARENTS);
  g_autofree char *mode = g_strdup_printf ("%o", call->mode >= 0 ? (guint)call->mode : 0755);
  const char *const arguments[] = { call->path, parents ? "1" : "0", mode, NULL };

  asb_opensandbox_native_call_script (task, MAKE_DIRECTORY, arguments, "make the directory",
                                      made_cb);
}

static void
done_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_native_call_finish (task, result);

  if (done)
    g_task_return_boolean (task, TRUE);
}

static void
delete_path (GTask *task)
{
  gboolean recursive = asb_opensandbox_native_call_has (task, ASB_FILE_FLAGS_RECURSIVE);
  const char *const arguments[]
      = { asb_opensandbox_native_call_get (task)->path, recursive ? "1" : "0", NULL };

  asb_opensandbox_native_call_script (task, DELETE, arguments, "delete", done_cb);
}

static void
move (GTask *task)
{
  AsbOpensandboxNativeCall *call = asb_opensandbox_native_call_get (task);
  gboolean overwrite = asb_opensandbox_native_call_has (task, ASB_FILE_FLAGS_OVERWRITE);
  const char *const arguments[] = { call->path, call->new_path, overwrite ? "1" : "0", NULL };

  if (!call->new_path)
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                             "Where to move the file is not said");
  else
    asb_opensandbox_native_call_script (task, MOVE, arguments, "move", done_cb);
}

static void
attributes_set_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxNativeCall *call = asb_opensandbox_native_call_get (task);
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_native_call_finish (task, result);
  AsbFileInfo *info;
  GError *error = NULL;

  if (!done)
    return;
  info = asb_opensandbox_file_info_parse (done->lines[0], call->path, NULL, &error);
  if (info)
    asb_opensandbox_answer_object (task, info);
  else
    g_task_return_error (task, error);
}

static void
set_attributes (GTask *task)
{
  AsbOpensandboxNativeCall *call = asb_opensandbox_native_call_get (task);
  gboolean nofollow = asb_opensandbox_native_call_has (task, ASB_FILE_FLAGS_NOFOLLOW);
  g_autoptr (GString) owner = g_string_new (NULL);
  g_autofree char *mode
      = call->mode >= 0 ? g_strdup_printf ("%05o", (guint)call->mode) : g_strdup ("");
  const char *arguments[] = { call->path, nofollow ? "0" : "1", mode, NULL, NULL };

  if (call->uid >= 0)
    g_string_append_printf (owner, "%" G_GINT64_FORMAT, call->uid);
  if (call->gid >= 0)
    g_string_append_printf (owner, ":%" G_GINT64_FORMAT, call->gid);
  arguments[3] = owner->str;
  if (call->mode < 0 && owner->len == 0)
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                             "Which attributes to change is not said");
  else
    asb_opensandbox_native_call_script (task, SET_ATTRIBUTES, arguments, "change the attributes of",
                                        attributes_set_cb);
}

#define DEFINE_OPERATION(name, function)                                                           \
  static void asb_opensandbox_native_##name##_vfunc (AsbTransport *transport,                      \
                                                     AsbFileRequest *request, GTask *task)         \
  {                                                                                                \
    asb_opensandbox_native_call_run (transport, request, task, function);                          \
  }

/* clang-format off */
DEFINE_OPERATION (query_file, query)
DEFINE_OPERATION (list_files, list)
DEFINE_OPERATION (make_directory, make_directory)
DEFINE_OPERATION (delete_file, delete_path)
DEFINE_OPERATION (move_file, move)
DEFINE_OPERATION (set_attributes, set_attributes)
DEFINE_OPERATION (read_lines, asb_opensandbox_native_read_lines)
DEFINE_OPERATION (read_file, asb_opensandbox_native_read_file)
DEFINE_OPERATION (open_read, asb_opensandbox_native_open_read)
DEFINE_OPERATION (write_file, asb_opensandbox_native_write_file)
DEFINE_OPERATION (open_write, asb_opensandbox_native_open_write)
/* clang-format on */

void
asb_opensandbox_native_files_init (AsbTransportInterface *iface)
{
  iface->query_file = asb_opensandbox_native_query_file_vfunc;
  iface->list_files = asb_opensandbox_native_list_files_vfunc;
  iface->make_directory = asb_opensandbox_native_make_directory_vfunc;
  iface->delete_file = asb_opensandbox_native_delete_file_vfunc;
  iface->move_file = asb_opensandbox_native_move_file_vfunc;
  iface->set_attributes = asb_opensandbox_native_set_attributes_vfunc;
  iface->read_lines = asb_opensandbox_native_read_lines_vfunc;
  iface->edit_file = asb_opensandbox_native_edit_file;
  iface->read_file = asb_opensandbox_native_read_file_vfunc;
  iface->open_read = asb_opensandbox_native_open_read_vfunc;
  iface->write_file = asb_opensandbox_native_write_file_vfunc;
  iface->open_write = asb_opensandbox_native_open_write_vfunc;
}
