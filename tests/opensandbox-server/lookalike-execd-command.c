/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "lookalike-events.h"
#include "lookalike-execd.h"
#include "lookalike-file-info.h"
#include "lookalike-json.h"
#include "lookalike-paths.h"
#include "lookalike-process.h"
#include "lookalike-sandbox.h"
#include "lookalike-tail.h"
#include "lookalike-time.h"

#define TERM_GRACE_MS 3000
#define GROUP_CHECK_MS 20
#define READ_AT_ONCE (256 * 1024)
#define NO_COMMAND                                                                                 \
  "Key: 'RunCommandRequest.Command' Error:Field validation for 'Command' failed on the "           \
  "'required' tag"
#define NEGATIVE_TIMEOUT                                                                           \
  "Key: 'RunCommandRequest.TimeoutMs' Error:Field validation for 'TimeoutMs' failed on the 'gte' " \
  "tag"

struct _LookalikeCommand
{
  char *id;
  char *content;
  char *error;
  gboolean background;
  gboolean running;
  gboolean has_exit_code;
  gboolean keeps_tail;
  int exit_code;
  GDateTime *started_at;
  GDateTime *finished_at;
  gint64 started;
  LookalikeProcess *process;
  LookalikeEvents *events;
  LookalikeTail output;
  LookalikeTail errors;
  guint tail_timer;
  guint timeout;
  int tail_ms;
};

/* A DELETE /command that waits for the end. */
typedef struct
{
  LookalikeCommand *command;
  LookalikeRequest *request;
  gint64 deadline;
  gboolean killed;
} Interrupt;

static LookalikeCommand *
command_ref (LookalikeCommand *self)
{
  return g_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  LookalikeCommand *self = data;

  if (self->process != NULL)
    lookalike_process_forget (self->process);
  g_clear_pointer (&self->process, lookalike_process_unref);
  g_clear_pointer (&self->events, lookalike_events_unref);
  g_clear_handle_id (&self->tail_timer, g_source_remove);
  g_clear_handle_id (&self->timeout, g_source_remove);
  lookalike_tail_clear (&self->output);
  lookalike_tail_clear (&self->errors);
  g_clear_pointer (&self->started_at, g_date_time_unref);
  g_clear_pointer (&self->finished_at, g_date_time_unref);
  g_free (self->id);
  g_free (self->content);
  g_free (self->error);
}

void
lookalike_command_unref (LookalikeCommand *self)
{
  g_rc_box_release_full (self, clear);
}

static void
output_cb (const char *line, gsize length, gpointer user_data)
{
  lookalike_events_send_text (((LookalikeCommand *)user_data)->events, "stdout", line, length);
}

static void
errors_cb (const char *line, gsize length, gpointer user_data)
{
  lookalike_events_send_text (((LookalikeCommand *)user_data)->events, "stderr", line, length);
}

static void
finish (LookalikeCommand *self)
{
  gint64 elapsed = (g_get_monotonic_time () - self->started) / 1000;

  lookalike_tail_flush (&self->output, output_cb, self);
  lookalike_tail_flush (&self->errors, errors_cb, self);
  if (self->exit_code == 0)
    lookalike_events_send_complete (self->events, elapsed);
  else
    {
      g_autofree char *value = g_strdup_printf ("%d", self->exit_code);

      lookalike_events_send_error (self->events, value, self->error);
    }
  lookalike_events_end (self->events, self->keeps_tail);
  g_clear_pointer (&self->events, lookalike_events_unref);
}

static gboolean
tail_cb (gpointer data)
{
  LookalikeCommand *self = data;
  gboolean more;

  if (lookalike_events_is_full (self->events))
    return G_SOURCE_CONTINUE;
  more = lookalike_tail_read (&self->output, READ_AT_ONCE, output_cb, self);
  more |= lookalike_tail_read (&self->errors, READ_AT_ONCE, errors_cb, self);
  if (more || self->running)
    return G_SOURCE_CONTINUE;
  self->tail_timer = 0;
  finish (self);
  return G_SOURCE_REMOVE;
}

/* execd looks every 100 ms, and at once when the command has ended. */
static void
schedule_tail (LookalikeCommand *self, guint milliseconds)
{
  g_clear_handle_id (&self->tail_timer, g_source_remove);
  self->tail_timer
      = g_timeout_add_full (G_PRIORITY_DEFAULT, milliseconds, tail_cb, command_ref (self),
                            (GDestroyNotify)lookalike_command_unref);
}

static void
set_finished (LookalikeCommand *self, int exit_code, char *error)
{
  self->running = FALSE;
  self->has_exit_code = TRUE;
  self->exit_code = exit_code;
  self->error = error;
  self->finished_at = g_date_time_new_now_utc ();
  g_clear_handle_id (&self->timeout, g_source_remove);
}

static void
ended_cb (LookalikeProcess *process, gpointer user_data)
{
  g_autoptr (LookalikeCommand) self = command_ref (user_data);

  set_finished (self, process->exit_code,
                process->exit_code == 0 && process->signal == 0
                    ? NULL
                    : lookalike_process_describe_end (process));
  if (self->events != NULL)
    schedule_tail (self, 0);
}

static gboolean
timeout_cb (gpointer data)
{
  LookalikeCommand *self = data;

  self->timeout = 0;
  lookalike_process_signal_group (self->process, SIGKILL);
  return G_SOURCE_REMOVE;
}

static int
open_output (LookalikeSandbox *sandbox, LookalikeCommand *self, const char *suffix)
{
  g_autofree char *path = g_strdup_printf ("/tmp/%s.%s", self->id, suffix);

  lookalike_path_make_folders (sandbox, "/tmp", 01777);
  return lookalike_path_open (sandbox, path, O_RDWR | O_CREAT | O_TRUNC, 0777);
}

static char **
merge_environment (LookalikeSandbox *sandbox, JsonObject *envs)
{
  char **environment = g_strdupv (sandbox->environment);
  g_autoptr (GList) names = envs != NULL ? json_object_get_members (envs) : NULL;

  for (GList *i = names; i != NULL; i = i->next)
    {
      const char *value = lookalike_json_get_string (envs, i->data);

      if (value != NULL && ((const char *)i->data)[0] != '\0' && strchr (i->data, '=') == NULL)
        environment = g_environ_setenv (environment, i->data, value, TRUE);
    }
  return environment;
}

/* A user that the sandbox does not know keeps the group of execd. */
static gint64
find_group (LookalikeSandbox *sandbox, JsonObject *spec)
{
  gint64 uid = lookalike_json_get_int (spec, "uid", -1);
  gint64 first = uid >= 0 ? lookalike_file_info_find_first_group (sandbox, uid) : -1;

  return lookalike_json_get_int (spec, "gid", first);
}

static gboolean
start (LookalikeSandbox *sandbox, LookalikeCommand *self, JsonObject *spec, GError **error)
{
  const char *const argv[] = { lookalike_execd_get_shell (sandbox), "-c", self->content, NULL };
  g_auto (GStrv) environment
      = merge_environment (sandbox, lookalike_json_get_object (spec, "envs"));
  int cwd = lookalike_execd_open_cwd (sandbox, lookalike_json_get_string (spec, "cwd"), NULL);
  LookalikeProcessSpec process = {
    .argv = argv,
    .environment = environment,
    .cwd_fd = cwd,
    .stdin_fd = -1,
    .uid = lookalike_json_get_int (spec, "uid", -1),
    .gid = find_group (sandbox, spec),
    .ended = ended_cb,
    .user_data = self,
  };

  if (cwd < 0)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "chdir %s: no such file or directory",
                   lookalike_json_get_string (spec, "cwd"));
      return FALSE;
    }
  process.stdout_fd = fcntl (self->output.fd, F_DUPFD_CLOEXEC, 10);
  process.stderr_fd
      = fcntl (self->background ? self->output.fd : self->errors.fd, F_DUPFD_CLOEXEC, 10);
  self->process = lookalike_process_start (sandbox, &process, error);
  close (cwd);
  return self->process != NULL;
}

static LookalikeCommand *
command_new (LookalikeRequest *request, JsonObject *spec)
{
  LookalikeCommand *self = g_rc_box_new0 (LookalikeCommand);
  g_autofree char *uuid = g_uuid_string_random ();
  g_auto (GStrv) parts = g_strsplit (uuid, "-", -1);

  self->id = g_strjoinv ("", parts);
  self->content = g_strdup (lookalike_json_get_string (spec, "command"));
  self->background = lookalike_json_get_boolean (spec, "background");
  self->events = lookalike_events_new (request);
  self->started_at = g_date_time_new_now_utc ();
  self->started = g_get_monotonic_time ();
  self->tail_ms = MAX (request->lookalike->config.tail_ms, 1);
  return self;
}

static gboolean
open_outputs (LookalikeSandbox *sandbox, LookalikeCommand *self)
{
  int output = open_output (sandbox, self, self->background ? "output" : "stdout");
  int errors = self->background ? -1 : open_output (sandbox, self, "stderr");

  if (output >= 0)
    lookalike_tail_init (&self->output, output);
  if (errors >= 0)
    lookalike_tail_init (&self->errors, errors);
  return output >= 0 && (self->background || errors >= 0);
}

static void
set_timeout (LookalikeCommand *self, gint64 milliseconds)
{
  if (milliseconds > 0)
    self->timeout = g_timeout_add ((guint)MIN (milliseconds, G_MAXINT), timeout_cb, self);
}

/* In the background the stream says nothing of what becomes of it. */
static void
run_background (LookalikeRequest *request, LookalikeCommand *self, JsonObject *spec)
{
  g_autoptr (LookalikeEvents) events = g_steal_pointer (&self->events);
  g_autoptr (GError) error = NULL;

  lookalike_events_send_init (events, self->id);
  if (!open_outputs (request->sandbox, self))
    {
      lookalike_events_fail (events,
                             "error running commands failed to get combined output descriptor");
      return;
    }
  g_hash_table_insert (request->sandbox->commands, self->id, command_ref (self));
  if (!start (request->sandbox, self, spec, &error))
    {
      set_finished (self, 255, g_strdup (error->message));
      lookalike_events_fail (events, "error running commands failed to start commands: %s",
                             error->message);
      return;
    }
  self->running = TRUE;
  set_timeout (self, lookalike_json_get_int (spec, "timeout", 0));
  lookalike_events_send_complete (events, (g_get_monotonic_time () - self->started) / 1000);
  lookalike_events_end (events, self->keeps_tail);
}

static void
run_foreground (LookalikeRequest *request, LookalikeCommand *self, JsonObject *spec)
{
  g_autoptr (GError) error = NULL;

  if (!open_outputs (request->sandbox, self))
    {
      lookalike_events_fail (self->events,
                             "error running commands failed to get stdlog descriptor: %s",
                             g_strerror (errno));
      return;
    }
  if (!start (request->sandbox, self, spec, &error))
    {
      lookalike_events_send_init (self->events, self->id);
      lookalike_events_send_error (self->events, error->message, error->message);
      lookalike_events_end (self->events, self->keeps_tail);
      return;
    }
  self->running = TRUE;
  g_hash_table_insert (request->sandbox->commands, self->id, command_ref (self));
  lookalike_events_send_init (self->events, self->id);
  set_timeout (self, lookalike_json_get_int (spec, "timeout", 0));
  schedule_tail (self, (guint)self->tail_ms);
}

void
lookalike_command_run (LookalikeRequest *request, JsonObject *spec, gboolean tail)
{
  g_autoptr (LookalikeCommand) self = command_new (request, spec);

  self->keeps_tail = tail;
  if (self->background)
    run_background (request, self, spec);
  else
    run_foreground (request, self, spec);
}

/* The words for what is wrong, or NULL. */
static char *
find_fault (LookalikeRequest *request, JsonObject *spec)
{
  const char *command = lookalike_json_get_string (spec, "command");
  gboolean is_missing = command == NULL || command[0] == '\0';
  gboolean is_negative = lookalike_json_get_int (spec, "timeout", 0) < 0;
  g_autoptr (GError) error = NULL;
  int cwd;

  if (is_missing || is_negative)
    return g_strconcat (is_missing ? NO_COMMAND : "", is_missing && is_negative ? "\n" : "",
                        is_negative ? NEGATIVE_TIMEOUT : "", NULL);
  if (lookalike_json_has (spec, "gid") && !lookalike_json_has (spec, "uid"))
    return g_strdup ("uid is required when gid is provided");
  if (request->lookalike->config.old)
    return NULL;
  cwd = lookalike_execd_open_cwd (request->sandbox, lookalike_json_get_string (spec, "cwd"),
                                  &error);
  if (cwd < 0)
    return g_strdup (error->message);
  close (cwd);
  return NULL;
}

static const LookalikeGoType envs_type
    = { LOOKALIKE_GO_MAP, "map[string]string", NULL, &lookalike_go_string };

static const LookalikeGoField run_fields[] = {
  { "command", &lookalike_go_string, NULL },
  { "cwd", &lookalike_go_string, NULL },
  { "background", &lookalike_go_bool, NULL },
  { "timeout", &lookalike_go_int64, NULL },
  { "uid", &lookalike_go_uint32, NULL },
  { "gid", &lookalike_go_uint32, NULL },
  { "envs", &envs_type, NULL },
  { NULL, NULL, NULL },
};

static const LookalikeGoType run_type
    = { LOOKALIKE_GO_STRUCT, "model.RunCommandRequest", run_fields, NULL };

void
lookalike_execd_run_command (LookalikeRequest *request)
{
  g_autoptr (JsonObject) spec
      = lookalike_execd_parse_object (request, &run_type, LOOKALIKE_EXECD_MAYBE);
  g_autofree char *fault = spec != NULL ? find_fault (request, spec) : NULL;

  if (fault != NULL)
    lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_REQUEST_BODY",
                            "invalid request, validation error %s", fault);
  else if (spec != NULL)
    lookalike_command_run (request, spec, TRUE);
}

static void
interrupt_free (Interrupt *interrupt)
{
  lookalike_command_unref (interrupt->command);
  lookalike_request_unref (interrupt->request);
  g_free (interrupt);
}

static gboolean
interrupt_cb (gpointer data)
{
  Interrupt *interrupt = data;
  LookalikeProcess *process = interrupt->command->process;

  if (!lookalike_process_group_lives (process) && process->ended)
    {
      lookalike_request_reply_empty (interrupt->request, SOUP_STATUS_OK);
      return G_SOURCE_REMOVE;
    }
  if (!interrupt->killed && g_get_monotonic_time () > interrupt->deadline)
    {
      interrupt->killed = TRUE;
      lookalike_process_signal_group (process, SIGKILL);
    }
  return G_SOURCE_CONTINUE;
}

gboolean
lookalike_command_interrupt (LookalikeCommand *self, LookalikeRequest *request)
{
  Interrupt *interrupt;

  if (!self->running || self->process == NULL)
    return FALSE;
  lookalike_process_signal_group (self->process, SIGTERM);
  interrupt = g_new0 (Interrupt, 1);
  interrupt->command = command_ref (self);
  interrupt->request = lookalike_request_ref (request);
  interrupt->deadline = g_get_monotonic_time () + TERM_GRACE_MS * 1000;
  g_timeout_add_full (G_PRIORITY_DEFAULT, GROUP_CHECK_MS, interrupt_cb, interrupt,
                      (GDestroyNotify)interrupt_free);
  return TRUE;
}

static void
append_time (GString *json, const char *name, GDateTime *time)
{
  g_autofree char *text = time != NULL ? lookalike_time_print_nano (time, 0) : NULL;

  if (text != NULL)
    g_string_append_printf (json, ",\"%s\":\"%s\"", name, text);
}

void
lookalike_execd_get_command_status (LookalikeRequest *request)
{
  const char *id = request->segments[2];
  LookalikeCommand *self = g_hash_table_lookup (request->sandbox->commands, id);
  g_autoptr (GString) json = g_string_new ("{\"id\":");

  if (self == NULL)
    {
      lookalike_request_fail (request, SOUP_STATUS_NOT_FOUND, "INVALID_REQUEST_BODY",
                              "command not found: %s", id);
      return;
    }
  lookalike_json_append_string (json, id, -1);
  g_string_append (json, ",\"content\":");
  lookalike_json_append_string (json, self->content, -1);
  g_string_append_printf (json, ",\"running\":%s", self->running ? "true" : "false");
  if (self->has_exit_code)
    g_string_append_printf (json, ",\"exit_code\":%d", self->exit_code);
  if (self->error != NULL)
    {
      g_string_append (json, ",\"error\":");
      lookalike_json_append_string (json, self->error, -1);
    }
  append_time (json, "started_at", self->started_at);
  append_time (json, "finished_at", self->finished_at);
  g_string_append_c (json, '}');
  lookalike_request_reply_json (request, SOUP_STATUS_OK, json->str);
}

static void
reply_logs (LookalikeRequest *request, LookalikeCommand *self, gint64 cursor)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *next = NULL;
  guint8 buffer[65536];
  gssize got;

  while ((got = pread (self->output.fd, buffer, sizeof buffer, cursor)) > 0)
    {
      g_byte_array_append (bytes, buffer, (guint)got);
      cursor += got;
    }
  next = g_strdup_printf ("%" G_GINT64_FORMAT, cursor);
  soup_message_headers_replace (soup_server_message_get_response_headers (request->message),
                                "Execd-Commands-Tail-Cursor", next);
  lookalike_request_reply (request, SOUP_STATUS_OK, "text/plain; charset=utf-8",
                           bytes->len > 0 ? (const char *)bytes->data : "", (gssize)bytes->len);
}

void
lookalike_execd_get_command_logs (LookalikeRequest *request)
{
  const char *id = request->segments[1];
  LookalikeCommand *self = g_hash_table_lookup (request->sandbox->commands, id);
  g_autofree char *text = lookalike_request_get_query (request, "cursor");
  gint64 cursor = 0;

  if (text != NULL && !g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &cursor, NULL))
    cursor = 0;
  if (self == NULL)
    lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_REQUEST_BODY",
                            "command not found: %s", id);
  else if (!self->background)
    lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_REQUEST_BODY",
                            "command %s is not running in background", id);
  else if (cursor < 0)
    lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_REQUEST_BODY",
                            "error seek file: seek /tmp/%s.output: invalid argument", id);
  else
    reply_logs (request, self, cursor);
}
