/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lookalike-container.h"
#include "lookalike-endpoints.h"
#include "lookalike-faults.h"
#include "lookalike-help.h"
#include "lookalike-lifecycle.h"
#include "lookalike-log.h"
#include "lookalike-paths.h"
#include "lookalike-sandbox.h"
#include "lookalike-snapshots.h"

#define DEFAULT_PORT 8080
#define UPSTREAM_SECONDS 180
#define MANY_CONNECTIONS 10000

static Lookalike lookalike = { .config = { .port = DEFAULT_PORT,
                                           .grace_ms = 1000,
                                           .ping_ms = 3000,
                                           .tail_ms = 100,
                                           .metrics_ms = 1000,
                                           .split_seed = 1 } };

static const GOptionEntry entries[] = {
  { "port", 'p', 0, G_OPTION_ARG_INT, &lookalike.config.port,
    "Where to listen; 0 for any free port (8080)", "PORT" },
  { "print-port", 0, 0, G_OPTION_ARG_NONE, &lookalike.config.print_port,
    "Print the port, and nothing else, once it listens", NULL },
  { "greet", 0, 0, G_OPTION_ARG_NONE, &lookalike.config.greet,
    "Say what to do with it, once it listens", NULL },
  { "api-key", 'k', 0, G_OPTION_ARG_STRING, &lookalike.config.api_key,
    "What OPEN-SANDBOX-API-KEY has to be (not asked for)", "KEY" },
  { "execd-token", 0, 0, G_OPTION_ARG_STRING, &lookalike.config.execd_token,
    "What X-EXECD-ACCESS-TOKEN has to be (not asked for)", "TOKEN" },
  { "root", 'r', 0, G_OPTION_ARG_FILENAME, &lookalike.config.root,
    "Where to keep the sandboxes (a new folder, removed at the end)", "DIR" },
  { "endpoints", 0, 0, G_OPTION_ARG_STRING, &lookalike.config.endpoints_name,
    "How sandboxes are reached directly: bridge (execd's proxy, default), host, or a gateway by "
    "header, uri or wildcard",
    "KIND" },
  { "signing-key", 0, 0, G_OPTION_ARG_STRING, &lookalike.config.signing_key,
    "The gateway's secret, in base64, for signed endpoints", "KEY" },
  { "eip", 0, 0, G_OPTION_ARG_STRING, &lookalike.config.eip,
    "The address in front of the server that it puts into endpoints", "HOST[/PATH]" },
  { "old", 0, 0, G_OPTION_ARG_NONE, &lookalike.config.old,
    "Like a server 0.1.6 and an execd 1.0.7: newer routes are not found, no WebSockets", NULL },
  { "nulls", 0, 0, G_OPTION_ARG_NONE, &lookalike.config.nulls,
    "Like a server 0.1.8: what is not set is null", NULL },
  { "early-exit", 0, 0, G_OPTION_ARG_NONE, &lookalike.config.early_exit,
    "Tell the end of a PTY's shell before its last words, as an execd may", NULL },
  { "plain", 0, 0, G_OPTION_ARG_NONE, &lookalike.config.plain, "Do without bubblewrap", NULL },
  { "max-timeout", 0, 0, G_OPTION_ARG_INT, &lookalike.config.max_timeout,
    "The longest time to live (no limit)", "SECONDS" },
  { "faults", 0, 0, G_OPTION_ARG_FILENAME, &lookalike.config.faults_file,
    "A file of faults to begin with", "FILE" },
  { "split", 0, 0, G_OPTION_ARG_INT, &lookalike.config.split,
    "Write all answers in pieces of 1 to N bytes, events in chunks as small", "N" },
  { "split-seed", 0, 0, G_OPTION_ARG_INT, &lookalike.config.split_seed,
    "What those sizes depend on (1)", "N" },
  { "grace", 0, 0, G_OPTION_ARG_INT, &lookalike.config.grace_ms,
    "How long an event stream stays open after its last event (1000)", "MS" },
  { "ping", 0, 0, G_OPTION_ARG_INT, &lookalike.config.ping_ms,
    "The time between two pings of an event stream (3000)", "MS" },
  { NULL }
};

static gboolean
fail (GError **error, const char *format, const char *what)
{
  g_autofree char *message = g_strconcat (format, what, NULL);

  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, message);
  return FALSE;
}

static gboolean
choose_endpoints (GError **error)
{
  static const char *const names[] = { "bridge", "host", "header", "uri", "wildcard" };
  const char *name = lookalike.config.endpoints_name;

  for (guint i = 0; i < G_N_ELEMENTS (names) && name != NULL; i++)
    if (strcmp (name, names[i]) == 0)
      {
        lookalike.config.endpoints = (LookalikeEndpoints)i;
        return TRUE;
      }
  return name == NULL || fail (error, "There is no kind of endpoints called ", name);
}

/* The helper lies beside this program. */
static gboolean
find_helper (GError **error)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", error);
  g_autofree char *folder = self != NULL ? g_path_get_dirname (self) : NULL;

  if (folder == NULL)
    return FALSE;
  lookalike.enter_path = g_build_filename (folder, "asb-lookalike-enter", NULL);
  return g_file_test (lookalike.enter_path, G_FILE_TEST_IS_EXECUTABLE)
         || fail (error, "The helper is missing: ", lookalike.enter_path);
}

/* What commands write belongs to who started this. Root lets the users that it runs commands as
 * walk through. A folder that is given stays as it is. */
static gboolean
make_root (GError **error)
{
  mode_t mode = getuid () == 0 ? 0711 : 0700;

  if (lookalike.config.root == NULL)
    {
      lookalike.root = g_dir_make_tmp ("asb-opensandbox-XXXXXX", error);
      lookalike.owns_root = TRUE;
    }
  else
    lookalike.root = g_canonicalize_filename (lookalike.config.root, NULL);
  if (lookalike.root == NULL)
    return FALSE;
  if (g_mkdir_with_parents (lookalike.root, mode) == 0
      && (!lookalike.owns_root || chmod (lookalike.root, mode) == 0))
    return TRUE;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
               "Could not make the folder “%s”: %s", lookalike.root, g_strerror (errno));
  return FALSE;
}

typedef struct
{
  gboolean done;
  GError *error;
} Trial;

/* Something can be run in a sandbox that is there. */
static void
try_program (LookalikeSandbox *sandbox, GError **error)
{
  const char *const argv[] = { "true", NULL };
  LookalikeProcessSpec spec = { .argv = argv,
                                .environment = sandbox->environment,
                                .cwd_fd = -1,
                                .stdin_fd = -1,
                                .stdout_fd = -1,
                                .stderr_fd = -1,
                                .uid = -1,
                                .gid = -1 };
  g_autoptr (LookalikeProcess) process = lookalike_process_start (sandbox, &spec, error);
}

static void
tried_cb (LookalikeSandbox *sandbox, const GError *error, gpointer user_data)
{
  Trial *trial = user_data;

  trial->done = TRUE;
  if (error != NULL)
    trial->error = g_error_copy (error);
  else
    try_program (sandbox, &trial->error);
}

/* One sandbox tells whether bubblewrap works, with all that a sandbox needs. */
static void
try_bubblewrap (void)
{
  g_autoptr (LookalikeSandbox) sandbox = NULL;
  Trial trial = { FALSE, NULL };

  if (lookalike.config.plain)
    return;
  lookalike.confined = TRUE;
  sandbox = lookalike_sandbox_new (&lookalike);
  sandbox->image = json_object_new ();
  sandbox->entrypoint = json_array_new ();
  json_array_add_string_element (sandbox->entrypoint, "sleep");
  json_array_add_string_element (sandbox->entrypoint, "60");
  lookalike_sandbox_start (sandbox, NULL, tried_cb, &trial);
  while (!trial.done)
    g_main_context_iteration (NULL, TRUE);
  lookalike_sandbox_destroy (sandbox);
  lookalike.confined = trial.error == NULL;
  if (trial.error != NULL)
    g_printerr ("Commands are not confined to their sandbox, since bubblewrap does not work here: "
                "%s\n",
                trial.error->message);
  g_clear_error (&trial.error);
}

static void
destroy_sandbox (gpointer sandbox)
{
  lookalike_sandbox_destroy (sandbox);
  lookalike_sandbox_unref (sandbox);
}

static SoupSession *
make_session (void)
{
  SoupSession *session
      = g_object_new (SOUP_TYPE_SESSION, "max-conns", MANY_CONNECTIONS, "max-conns-per-host",
                      MANY_CONNECTIONS, "timeout", UPSTREAM_SECONDS, "proxy-resolver", NULL, NULL);

  soup_session_remove_feature_by_type (session, SOUP_TYPE_CONTENT_DECODER);
  return session;
}

static gboolean
set_up (GError **error)
{
  if (!choose_endpoints (error) || !find_helper (error) || !make_root (error))
    return FALSE;
  lookalike.sandboxes = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, destroy_sandbox);
  lookalike.snapshots = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                               (GDestroyNotify)lookalike_snapshot_unref);
  lookalike.faults = lookalike_faults_new ();
  lookalike.log = lookalike_log_new ();
  lookalike.session = make_session ();
  if (lookalike.config.faults_file != NULL
      && !lookalike_faults_load (lookalike.faults, lookalike.config.faults_file, error))
    return FALSE;
  try_bubblewrap ();
  if (lookalike.config.endpoints >= LOOKALIKE_ENDPOINTS_HEADER)
    {
      lookalike.gateway = lookalike_listener_new (&lookalike, "gateway", 0, NULL,
                                                  lookalike_gateway_handle, error);
      if (lookalike.gateway == NULL)
        return FALSE;
    }
  lookalike.lifecycle
      = lookalike_listener_new (&lookalike, "lifecycle", (guint16)lookalike.config.port, NULL,
                                lookalike_lifecycle_handle, error);
  return lookalike.lifecycle != NULL;
}

/* The kernel takes a while for each namespace, but not longer for all at once. */
static void
end_sandboxes (void)
{
  GHashTableIter iter;
  gpointer sandbox;

  if (lookalike.sandboxes == NULL)
    return;
  g_hash_table_iter_init (&iter, lookalike.sandboxes);
  while (g_hash_table_iter_next (&iter, NULL, &sandbox))
    lookalike_container_hurry (sandbox);
  g_clear_pointer (&lookalike.sandboxes, g_hash_table_unref);
}

static void
tear_down (void)
{
  if (lookalike.lifecycle != NULL)
    lookalike_listener_close (lookalike.lifecycle);
  if (lookalike.gateway != NULL)
    lookalike_listener_close (lookalike.gateway);
  end_sandboxes ();
  g_clear_pointer (&lookalike.snapshots, g_hash_table_unref);
  if (lookalike.session != NULL)
    soup_session_abort (lookalike.session);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_clear_pointer (&lookalike.lifecycle, lookalike_listener_unref);
  g_clear_pointer (&lookalike.gateway, lookalike_listener_unref);
  g_clear_object (&lookalike.session);
  g_clear_pointer (&lookalike.faults, lookalike_faults_free);
  g_clear_pointer (&lookalike.log, lookalike_log_free);
  if (lookalike.owns_root && lookalike.root != NULL)
    lookalike_remove_tree (AT_FDCWD, lookalike.root);
  g_clear_pointer (&lookalike.root, g_free);
  g_clear_pointer (&lookalike.enter_path, g_free);
}

static gboolean
end_cb (gpointer data)
{
  g_main_loop_quit (lookalike.loop);
  return G_SOURCE_CONTINUE;
}

static void
tell (void)
{
  if (lookalike.config.print_port)
    g_print ("%u\n", lookalike.lifecycle->port);
  else if (lookalike.config.greet)
    lookalike_help_greet (&lookalike);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context
      = g_option_context_new ("— a look-alike of an OpenSandbox server");
  g_autofree char *description = lookalike_help_describe ();
  g_autoptr (GError) error = NULL;
  int status = 0;

  setlocale (LC_CTYPE, "C.UTF-8");
  umask (022);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, description);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  lookalike.loop = g_main_loop_new (NULL, FALSE);
  g_unix_signal_add (SIGTERM, end_cb, NULL);
  g_unix_signal_add (SIGINT, end_cb, NULL);
  if (set_up (&error))
    {
      tell ();
      g_main_loop_run (lookalike.loop);
    }
  else
    {
      g_printerr ("%s\n", error->message);
      status = 1;
    }
  tear_down ();
  g_clear_pointer (&lookalike.loop, g_main_loop_unref);
  return status;
}
