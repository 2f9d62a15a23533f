/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-session.h"

#include <fcntl.h>
#include <gio/gunixinputstream.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "lookalike-events.h"
#include "lookalike-execd.h"
#include "lookalike-json.h"
#include "lookalike-paths.h"
#include "lookalike-process.h"
#include "lookalike-sandbox.h"
#include "lookalike-session-script.h"

#define DEFAULT_TIMEOUT_MS (24 * 3600 * 1000)
#define LEAD "error parsing request. "
#define NEGATIVE_TIMEOUT                                                                           \
  "Key: 'RunInSessionRequest.Timeout' Error:Field validation for 'Timeout' failed on the 'gte' "   \
  "tag"

struct _LookalikeSession
{
  char *id;
  char *folder;
  GHashTable *variables;
  LookalikeProcess *current; /* not owned */
};

typedef struct
{
  LookalikeSession *session;
  LookalikeSandbox *sandbox;
  LookalikeRequest *request;
  LookalikeEvents *events;
  LookalikeProcess *process;
  GDataInputStream *output;
  LookalikeSessionEnd end;
  char *script_path;
  gint64 started;
  guint timeout;
  gint64 timeout_ms;
  gboolean at_eof;
  gboolean timed_out;
} Run;

static LookalikeSession *
session_ref (LookalikeSession *self)
{
  return g_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  LookalikeSession *self = data;

  g_free (self->id);
  g_free (self->folder);
  g_clear_pointer (&self->variables, g_hash_table_unref);
}

void
lookalike_session_unref (LookalikeSession *self)
{
  g_rc_box_release_full (self, clear);
}

void
lookalike_session_end (LookalikeSandbox *sandbox, LookalikeSession *self)
{
  if (self->current != NULL)
    lookalike_process_signal_group (self->current, SIGKILL);
  g_hash_table_remove (sandbox->sessions, self->id);
}

static void
run_free (Run *run)
{
  g_autofree char *name = NULL;
  int parent = run->script_path != NULL
                   ? lookalike_path_open_parent (run->sandbox, run->script_path, &name)
                   : -1;

  if (parent >= 0)
    {
      unlinkat (parent, name, 0);
      close (parent);
    }
  g_clear_handle_id (&run->timeout, g_source_remove);
  lookalike_request_unwatch (run->request);
  if (run->process != NULL)
    lookalike_process_forget (run->process);
  g_clear_pointer (&run->process, lookalike_process_unref);
  g_clear_object (&run->output);
  lookalike_session_end_clear (&run->end);
  lookalike_events_unref (run->events);
  lookalike_request_unref (run->request);
  lookalike_session_unref (run->session);
  lookalike_sandbox_unref (run->sandbox);
  g_free (run->script_path);
  g_free (run);
}

static void
keep_state (Run *run)
{
  LookalikeSession *session = run->session;

  if (run->end.variables != NULL)
    {
      g_clear_pointer (&session->variables, g_hash_table_unref);
      session->variables = g_steal_pointer (&run->end.variables);
    }
  if (run->end.folder != NULL && run->end.folder[0] != '\0')
    {
      g_free (session->folder);
      session->folder = g_steal_pointer (&run->end.folder);
    }
}

static void
send_outcome (Run *run)
{
  LookalikeProcess *process = run->process;
  int code = run->end.has_exit_code ? run->end.exit_code : process->exit_code;
  g_autofree char *value = g_strdup_printf ("%d", code);
  g_autofree char *words = lookalike_process_describe_end (process);

  if (run->timed_out)
    {
      lookalike_events_fail (run->events, "error running in session. timeout after %gs",
                             (double)run->timeout_ms / 1000);
      return;
    }
  keep_state (run);
  if (code != 0)
    lookalike_events_send_error (run->events, value, words);
  else
    lookalike_events_send_complete (run->events, (g_get_monotonic_time () - run->started) / 1000);
  lookalike_events_end (run->events, FALSE);
}

/* The end of the output and the end of bash, in any order. */
static void
check_end (Run *run)
{
  if (!run->at_eof || !run->process->ended)
    return;
  if (run->session->current == run->process)
    run->session->current = NULL;
  send_outcome (run);
  run_free (run);
}

static void
ended_cb (LookalikeProcess *process, gpointer user_data)
{
  check_end (user_data);
}

static void read_line (Run *run);

static void
line_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Run *run = user_data;
  gsize length = 0;
  g_autofree char *line
      = g_data_input_stream_read_line_finish (G_DATA_INPUT_STREAM (object), result, &length, NULL);

  if (line == NULL)
    {
      run->at_eof = TRUE;
      check_end (run);
      return;
    }
  if (!lookalike_session_end_take (&run->end, line))
    lookalike_events_send_text (run->events, "stdout", line, length);
  read_line (run);
}

static void
read_line (Run *run)
{
  g_data_input_stream_read_line_async (run->output, G_PRIORITY_DEFAULT, NULL, line_cb, run);
}

/* Only bash itself: what it left behind keeps the output open. */
static gboolean
timeout_cb (gpointer data)
{
  Run *run = data;

  run->timeout = 0;
  run->timed_out = TRUE;
  lookalike_process_signal_leader (run->process, SIGKILL);
  return G_SOURCE_REMOVE;
}

static void
gone_cb (gpointer request, gpointer user_data)
{
  lookalike_process_signal_leader (((Run *)user_data)->process, SIGKILL);
}

/* Without bubblewrap bash sees the whole machine. */
static char *
see_folder (LookalikeSandbox *sandbox, const char *folder)
{
  if (folder == NULL || sandbox->lookalike->confined
      || g_str_has_prefix (folder, sandbox->root_path))
    return g_strdup (folder);
  return g_build_filename (sandbox->root_path, folder, NULL);
}

static gboolean
write_script (Run *run, const char *folder, const char *command)
{
  g_autofree char *uuid = g_uuid_string_random ();
  g_autofree char *seen_as = see_folder (run->sandbox, folder);
  g_autofree char *script = lookalike_session_script (run->session->variables, seen_as, command);
  gsize length = strlen (script);
  gssize written;
  int fd;

  run->script_path = g_strdup_printf ("/tmp/execd_bash_%.8s.sh", uuid);
  fd = lookalike_path_open (run->sandbox, run->script_path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (fd < 0)
    return FALSE;
  written = write (fd, script, length);
  close (fd);
  return written == (gssize)length;
}

static gboolean
start (Run *run, GError **error)
{
  g_autofree char *seen_as
      = run->sandbox->lookalike->confined
            ? g_strdup (run->script_path)
            : g_build_filename (run->sandbox->root_path, run->script_path, NULL);
  const char *const argv[] = { "bash", "--noprofile", "--norc", seen_as, NULL };
  LookalikeProcessSpec spec = { .argv = argv,
                                .environment = run->sandbox->environment,
                                .cwd_fd = -1,
                                .stdin_fd = -1,
                                .uid = -1,
                                .gid = -1,
                                .ended = ended_cb,
                                .user_data = run };
  g_autoptr (GInputStream) stream = NULL;
  int output[2];

  if (!g_unix_open_pipe (output, FD_CLOEXEC, error))
    return FALSE;
  spec.stdout_fd = output[1];
  spec.stderr_fd = fcntl (output[1], F_DUPFD_CLOEXEC, 10);
  stream = g_unix_input_stream_new (output[0], TRUE);
  run->output = g_data_input_stream_new (stream);
  run->process = lookalike_process_start (run->sandbox, &spec, error);
  return run->process != NULL;
}

static void
begin_run (LookalikeRequest *request, LookalikeSession *session, JsonObject *spec)
{
  const char *cwd = lookalike_json_get_string (spec, "cwd");
  g_autofree char *folder = cwd != NULL && cwd[0] != '\0'
                                ? lookalike_path_expand (request->sandbox, cwd, NULL)
                                : g_strdup (session->folder);
  g_autoptr (GError) error = NULL;
  Run *run = g_new0 (Run, 1);

  run->session = session_ref (session);
  run->sandbox = lookalike_sandbox_ref (request->sandbox);
  run->request = lookalike_request_ref (request);
  run->events = lookalike_events_new (request);
  run->started = g_get_monotonic_time ();
  run->timeout_ms = lookalike_json_get_int (spec, "timeout", 0);
  if (run->timeout_ms <= 0)
    run->timeout_ms = DEFAULT_TIMEOUT_MS;
  lookalike_events_send_init (run->events, session->id);
  if (!write_script (run, folder, lookalike_json_get_string (spec, "command")))
    lookalike_events_fail (run->events, "error running in session. create script file");
  else if (!start (run, &error))
    lookalike_events_fail (run->events, "error running in session. start bash: %s", error->message);
  if (run->process == NULL)
    {
      run_free (run);
      return;
    }
  session->current = run->process;
  run->timeout = g_timeout_add ((guint)MIN (run->timeout_ms, G_MAXINT), timeout_cb, run);
  lookalike_request_watch (request, gone_cb, run);
  read_line (run);
}

static const LookalikeGoField create_fields[] = {
  { "cwd", &lookalike_go_string, NULL },
  { NULL, NULL, NULL },
};

static const LookalikeGoType create_type
    = { LOOKALIKE_GO_STRUCT, "model.CreateSessionRequest", create_fields, NULL };

static const LookalikeGoField run_fields[] = {
  { "command", &lookalike_go_string, NULL },
  { "cwd", &lookalike_go_string, NULL },
  { "timeout", &lookalike_go_int64, NULL },
  { NULL, NULL, NULL },
};

static const LookalikeGoType run_type
    = { LOOKALIKE_GO_STRUCT, "model.RunInSessionRequest", run_fields, NULL };

void
lookalike_execd_create_session (LookalikeRequest *request)
{
  g_autoptr (JsonObject) spec = lookalike_execd_parse_optional (request, &create_type, LEAD);
  const char *cwd = spec != NULL ? lookalike_json_get_string (spec, "cwd") : NULL;
  g_autofree char *folder = NULL;
  g_autofree char *json = NULL;
  LookalikeSession *session;

  if (spec == NULL)
    return;
  if (cwd != NULL && cwd[0] != '\0')
    {
      folder = lookalike_path_expand (request->sandbox, cwd, NULL);
      if (folder == NULL || lookalike_path_make_folders (request->sandbox, folder, 0777) < 0)
        {
          lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                                  "error creating session. mkdir %s: not a directory", cwd);
          return;
        }
    }
  session = g_rc_box_new0 (LookalikeSession);
  session->id = g_uuid_string_random ();
  session->folder = g_steal_pointer (&folder);
  session->variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; request->sandbox->environment[i] != NULL; i++)
    {
      g_auto (GStrv) pair = g_strsplit (request->sandbox->environment[i], "=", 2);

      g_hash_table_replace (session->variables, g_strdup (pair[0]), g_strdup (pair[1]));
    }
  g_hash_table_insert (request->sandbox->sessions, session->id, session);
  json = g_strdup_printf ("{\"session_id\":\"%s\"}", session->id);
  lookalike_request_reply_json (request, SOUP_STATUS_OK, json);
}

void
lookalike_execd_run_in_session (LookalikeRequest *request)
{
  g_autoptr (JsonObject) spec = lookalike_execd_parse_object (request, &run_type, LEAD);
  LookalikeSession *session
      = g_hash_table_lookup (request->sandbox->sessions, request->segments[1]);
  const char *command = spec != NULL ? lookalike_json_get_string (spec, "command") : NULL;
  const char *cwd = spec != NULL ? lookalike_json_get_string (spec, "cwd") : NULL;
  g_autoptr (GError) error = NULL;
  int cwd_fd;

  if (spec == NULL)
    return;
  cwd_fd = lookalike_execd_open_cwd (request->sandbox, cwd, &error);
  if (cwd_fd >= 0)
    close (cwd_fd);
  if (command == NULL || command[0] == '\0')
    lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_REQUEST_BODY",
                            "invalid request. Key: 'RunInSessionRequest.Command' Error:Field "
                            "validation for 'Command' failed on the 'required' tag");
  else if (lookalike_json_get_int (spec, "timeout", 0) < 0 || error != NULL)
    lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_REQUEST_BODY",
                            "invalid request. %s",
                            error != NULL ? error->message : NEGATIVE_TIMEOUT);
  else if (session == NULL)
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                            "error running in session. context not found");
  else
    begin_run (request, session, spec);
}

void
lookalike_execd_delete_session (LookalikeRequest *request)
{
  const char *id = request->segments[1];
  LookalikeSession *session = g_hash_table_lookup (request->sandbox->sessions, id);

  if (session == NULL)
    {
      lookalike_request_fail (request, SOUP_STATUS_NOT_FOUND, "CONTEXT_NOT_FOUND",
                              "session %s not found", id);
      return;
    }
  lookalike_session_end (request->sandbox, session);
  lookalike_request_reply_empty (request, SOUP_STATUS_OK);
}
