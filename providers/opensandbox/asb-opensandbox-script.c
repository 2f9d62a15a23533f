/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-script.h"

#include <asb.h>
#include <string.h>

#include "asb-opensandbox-command-end.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-run.h"
#include "asb-opensandbox-shell.h"

/* Names may be long, and what is wrong with them stands behind them. */
#define MAX_ERRORS (64 * 1024)
#define MAX_SHOWN 400
#define MAX_REPETITIONS 2

/* execd keeps in a file what is printed. Where there is no room for it nobody is told, and the
 * lines that are missing are at the end. */
#define END ".asb-end"
#define SAY_END "asb_end () { echo " END "; }\ntrap asb_end EXIT\n"

typedef struct
{
  char *what;
  AsbOpensandboxRequest *request;
  AsbOpensandboxRun *run;
  guint n_repetitions; /* that are left */
  gint64 deadline;     /* for those, monotonic */
  GPtrArray *lines;
  gsize size;
  GString *errors;
  AsbOpensandboxCommandEnd end;
  gboolean too_much;
  gboolean only_looks;
} Script;

static void
script_free (gpointer data)
{
  Script *self = data;

  g_free (self->what);
  g_clear_pointer (&self->request, asb_opensandbox_request_unref);
  g_clear_pointer (&self->run, asb_opensandbox_run_unref);
  asb_opensandbox_command_end_clear (&self->end);
  g_ptr_array_unref (self->lines);
  g_string_free (self->errors, TRUE);
  g_free (self);
}

void
asb_opensandbox_script_result_free (AsbOpensandboxScriptResult *self)
{
  g_strfreev (self->lines);
  g_free (self->errors);
  g_free (self);
}

static void
event_cb (AsbOpensandboxRun *run, AsbOpensandboxEvent *event, gpointer data)
{
  Script *self = g_task_get_task_data (data);

  if (event->type == ASB_OPENSANDBOX_EVENT_STDOUT)
    {
      self->size += event->text->len + sizeof (char *);
      if (self->size > ASB_OPENSANDBOX_SCRIPT_MAX_OUTPUT)
        self->too_much = TRUE;
      else
        g_ptr_array_add (self->lines, g_strndup (event->text->str, event->text->len));
    }
  else if (event->type == ASB_OPENSANDBOX_EVENT_STDERR && self->errors->len < MAX_ERRORS)
    {
      g_string_append_len (self->errors, event->text->str,
                           (gssize)MIN (event->text->len, MAX_ERRORS));
      g_string_append_c (self->errors, '\n');
    }
  else
    asb_opensandbox_command_end_take (&self->end, event);
}

static gboolean
take_end (Script *self)
{
  guint n_lines = self->lines->len;

  if (n_lines == 0 || strcmp (self->lines->pdata[n_lines - 1], END) != 0)
    return FALSE;
  g_ptr_array_set_size (self->lines, (gint)n_lines - 1);
  return TRUE;
}

/* What has been done has been done, whatever is known of it. */
static gboolean
needs_end (Script *self)
{
  return self->end.exit_status == 0 ? self->only_looks : self->errors->len == 0;
}

static GError *
new_cut_error (Script *self)
{
  GError *error
      = g_error_new (ASB_ERROR, ASB_ERROR_NO_SPACE,
                     "Could not %s: the end is missing of what the sandbox says, as where "
                     "there is no room in its /tmp, in which execd keeps that; make some "
                     "there",
                     self->what);

  return self->only_looks ? error : asb_opensandbox_error_note_unknown (error);
}

/* Go's words for a program that could not be started: nothing has been done. */
#define NO_FORK "fork/exec "

static GError *
new_no_status_error (Script *self)
{
  const char *message = self->end.message ? self->end.message : "nothing";

  if (g_str_has_prefix (message, NO_FORK))
    return g_error_new (ASB_ERROR, ASB_ERROR_COMMAND_EXECUTION,
                        "Could not %s: no shell could be started for it: %s", self->what, message);
  return g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                      "Could not %s: the shell that did it ended with “%s”", self->what, message);
}

static void
return_result (GTask *task, Script *self)
{
  AsbOpensandboxScriptResult *result;

  if (self->too_much)
    {
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_TOO_LARGE,
                               "Could not %s: there is more than %d MiB to tell", self->what,
                               ASB_OPENSANDBOX_SCRIPT_MAX_OUTPUT / (1024 * 1024));
      return;
    }
  if (!self->end.has_exit_status)
    {
      g_task_return_error (task, new_no_status_error (self));
      return;
    }
  if (!take_end (self) && needs_end (self))
    {
      g_task_return_error (task, new_cut_error (self));
      return;
    }
  g_ptr_array_add (self->lines, NULL);
  result = g_new0 (AsbOpensandboxScriptResult, 1);
  result->exit_status = self->end.exit_status;
  result->lines = (char **)g_ptr_array_steal (self->lines, NULL);
  result->errors = g_strndup (self->errors->str, self->errors->len);
  g_task_return_pointer (task, result, (GDestroyNotify)asb_opensandbox_script_result_free);
}

static void start (GTask *task);

static gboolean
is_worth_repeating (GTask *task, const GError *error)
{
  Script *self = g_task_get_task_data (task);
  AsbOpensandboxExecd *execd = g_task_get_source_object (task);

  return self->n_repetitions > 0 && g_error_matches (error, ASB_ERROR, ASB_ERROR_INTERRUPTED)
         && !asb_opensandbox_execd_is_closed (execd) && g_get_monotonic_time () < self->deadline
         && !g_cancellable_is_cancelled (g_task_get_cancellable (task));
}

static void
repeat (GTask *task)
{
  Script *self = g_task_get_task_data (task);

  self->n_repetitions--;
  self->size = 0;
  self->too_much = FALSE;
  g_ptr_array_set_size (self->lines, 0);
  g_string_truncate (self->errors, 0);
  asb_opensandbox_command_end_clear (&self->end);
  start (task);
}

static const char *
get_what (GTask *task)
{
  return ((Script *)g_task_get_task_data (task))->what;
}

static void
done_cb (AsbOpensandboxRun *run, const GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;

  if (!error)
    return_result (task, g_task_get_task_data (task));
  else if (is_worth_repeating (task, error))
    repeat (task);
  else
    g_task_return_error (task, asb_opensandbox_run_describe (run, get_what (task), error));
}

static const AsbOpensandboxRunHandlers handlers = { event_cb, done_cb };

static void
start (GTask *task)
{
  Script *self = g_task_get_task_data (task);

  g_clear_pointer (&self->run, asb_opensandbox_run_unref);
  self->run = asb_opensandbox_run_start (
      g_task_get_source_object (task), asb_opensandbox_request_ref (self->request),
      ASB_OPENSANDBOX_RUN_COMMAND, &handlers, g_object_ref (task));
}

AsbOpensandboxRequest *
asb_opensandbox_script_new_request (AsbOpensandboxExecd *execd, const char *text,
                                    const char *const *arguments, guint timeout_ms,
                                    const char *what)
{
  AsbOpensandboxRequest *request
      = asb_opensandbox_execd_new_request (execd, "POST", "/command", what);
  g_autoptr (JsonObject) body = json_object_new ();
  g_autoptr (JsonNode) node = json_node_alloc ();
  g_autoptr (GString) script = g_string_new ("export LC_ALL=C\n");

  asb_opensandbox_shell_append_arguments (script, arguments);
  g_string_append (script, text);
  json_object_set_string_member (body, "command", script->str);
  json_object_set_string_member (body, "cwd", "/");
  if (timeout_ms > 0)
    json_object_set_int_member (body, "timeout", timeout_ms);
  json_node_init_object (node, body);
  asb_opensandbox_request_set_json (request, node);
  return request;
}

static GTask *
new_task (AsbOpensandboxExecd *execd, const char *text, const char *const *arguments,
          const char *what, GCancellable *cancellable, GAsyncReadyCallback callback,
          gpointer user_data)
{
  GTask *task = g_task_new (execd, cancellable, callback, user_data);
  Script *self = g_new0 (Script, 1);
  g_autofree char *whole = g_strconcat (SAY_END, text, NULL);

  g_task_set_source_tag (task, asb_opensandbox_script_run_async);
  g_task_set_task_data (task, self, script_free);
  self->what = g_strdup (what);
  self->request = asb_opensandbox_script_new_request (execd, whole, arguments, 0, what);
  self->lines = g_ptr_array_new_with_free_func (g_free);
  self->errors = g_string_new (NULL);
  return task;
}

/* One that is cancelled is left to its end: half of what it does would be worse. */
void
asb_opensandbox_script_run_async (AsbOpensandboxExecd *execd, const char *text,
                                  const char *const *arguments, const char *what,
                                  GCancellable *cancellable, GAsyncReadyCallback callback,
                                  gpointer user_data)
{
  g_autoptr (GTask) task
      = new_task (execd, text, arguments, what, cancellable, callback, user_data);

  start (task);
}

void
asb_opensandbox_script_ask_async (AsbOpensandboxExecd *execd, const char *text,
                                  const char *const *arguments, const char *what,
                                  GCancellable *cancellable, GAsyncReadyCallback callback,
                                  gpointer user_data)
{
  g_autoptr (GTask) task
      = new_task (execd, text, arguments, what, cancellable, callback, user_data);
  Script *self = g_task_get_task_data (task);
  AsbOpensandboxSettings *settings
      = asb_opensandbox_client_get_settings (asb_opensandbox_execd_get_client (execd));
  guint timeout = asb_opensandbox_settings_to_milliseconds (settings->request_timeout_seconds);

  self->only_looks = TRUE;
  self->n_repetitions = MAX_REPETITIONS;
  self->deadline
      = timeout > 0 ? g_get_monotonic_time () + timeout * G_TIME_SPAN_MILLISECOND : G_MAXINT64;
  start (task);
}

AsbOpensandboxScriptResult *
asb_opensandbox_script_run_finish (AsbOpensandboxExecd *execd, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, execd), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

AsbOpensandboxScriptResult *
asb_opensandbox_script_run_finish_well (AsbOpensandboxExecd *execd, GAsyncResult *result,
                                        const char *path, GError **error)
{
  Script *self = g_task_get_task_data (G_TASK (result));
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (execd, result, error);

  if (!done || done->exit_status == 0)
    return g_steal_pointer (&done);
  g_propagate_error (error, asb_opensandbox_script_error_new (done->errors, self->what, path));
  return NULL;
}

static const struct
{
  const char *words;
  AsbError code;
} MEANINGS[] = {
  { "No such file or directory", ASB_ERROR_FILE_NOT_FOUND },
  { "nonexistent directory", ASB_ERROR_FILE_NOT_FOUND },
  { "Directory nonexistent", ASB_ERROR_FILE_NOT_FOUND },
  { "File exists", ASB_ERROR_ALREADY_EXISTS },
  { "Is a directory", ASB_ERROR_IS_DIRECTORY },
  { "is a directory", ASB_ERROR_IS_DIRECTORY },
  { "Not a directory", ASB_ERROR_NOT_DIRECTORY },
  { "Not a regular file", ASB_ERROR_NOT_REGULAR_FILE },
  { "Directory not empty", ASB_ERROR_DIRECTORY_NOT_EMPTY },
  { "Permission denied", ASB_ERROR_PERMISSION_DENIED },
  { "Operation not permitted", ASB_ERROR_PERMISSION_DENIED },
  { "No space left on device", ASB_ERROR_NO_SPACE },
  { "Disk quota exceeded", ASB_ERROR_NO_SPACE },
  { "Read-only file system", ASB_ERROR_READ_ONLY },
  { "File too large", ASB_ERROR_TOO_LARGE },
  { "File name too long", ASB_ERROR_INVALID_ARGUMENT },
  { "Invalid argument", ASB_ERROR_INVALID_ARGUMENT },
  { "Invalid cross-device link", ASB_ERROR_IO },
  { "into itself", ASB_ERROR_INVALID_ARGUMENT },
  { "a subdirectory of itself", ASB_ERROR_INVALID_ARGUMENT },
};

/* Programs say what is wrong behind the name, which may have such words in it, and lines. */
static gint
find_at_end (const char *errors)
{
  g_auto (GStrv) lines = g_strsplit (errors, "\n", -1);

  for (guint i = g_strv_length (lines); i > 0; i--)
    for (gsize k = 0; k < G_N_ELEMENTS (MEANINGS); k++)
      if (g_str_has_suffix (g_strchomp (lines[i - 1]), MEANINGS[k].words))
        return (gint)k;
  return -1;
}

static gint
find_meaning (const char *errors)
{
  gint found = find_at_end (errors);

  for (gsize i = 0; found < 0 && i < G_N_ELEMENTS (MEANINGS); i++)
    if (strstr (errors, MEANINGS[i].words))
      found = (gint)i;
  return found;
}

char *
asb_opensandbox_script_dup_what (const char *verb, const char *path)
{
  g_autofree char *shown = asb_opensandbox_shell_show_path (path);

  return g_strdup_printf ("%s “%s”", verb, shown);
}

GError *
asb_opensandbox_script_error_new (const char *errors, const char *what, const char *path)
{
  gint meaning = find_meaning (errors);
  g_autofree char *shown = asb_opensandbox_error_dup_text (errors, strlen (errors), MAX_SHOWN);
  g_autofree char *valid = path ? asb_opensandbox_shell_show_path (path) : NULL;
  g_autofree char *subject = NULL;

  if (valid)
    subject = g_strdup_printf (" “%s”", valid);
  if (meaning >= 0)
    return g_error_new (ASB_ERROR, (int)MEANINGS[meaning].code, "Could not %s%s: %s", what,
                        subject ? subject : "", MEANINGS[meaning].words);
  return g_error_new (ASB_ERROR, ASB_ERROR_IO, "Could not %s%s: %s", what, subject ? subject : "",
                      *shown ? shown : "no reason given");
}

GBytes *
asb_opensandbox_script_decode (char **lines, guint first, guint *next, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree guchar *bytes = NULL;
  gsize size;
  guint i;

  for (i = first; lines[i] && *lines[i] && *lines[i] != '.' && *lines[i] != '\n'; i++)
    g_string_append (text, lines[i]);
  if (text->len % 4 != 0
      || strspn (text->str, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
             != text->len)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                           "The sandbox sent something that is no base64");
      return NULL;
    }
  bytes = g_base64_decode (text->str, &size);
  if (next)
    *next = lines[i] ? i + 1 : i;
  return g_bytes_new_take (g_steal_pointer (&bytes), size);
}
