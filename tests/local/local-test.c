/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "local-test.h"

#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asb-local-process.h"

#define NOBODY 65534

static const char *program;
static const char *unavailable; /* why no sandbox can be made here */

static gboolean
become_nobody (void)
{
  return setgroups (0, NULL) == 0 && setresgid (NOBODY, NOBODY, NOBODY) == 0
         && setresuid (NOBODY, NOBODY, NOBODY) == 0;
}

static void
remove_folder (const char *folder)
{
  const char *argv[] = { "rm", "-rf", folder, NULL };

  g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
}

/* Whether bubblewrap makes a sandbox here when others ask it, for what it has to be able to. */
static gboolean
bubblewrap_works (void)
{
  g_autofree char *command
      = g_strconcat (geteuid () == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "",
                     "bwrap --unshare-all --unshare-user --disable-userns --ro-bind / / --dev /dev "
                     "--proc /proc true",
                     NULL);
  g_autofree char *said = NULL;
  int status;

  return g_spawn_command_line_sync (command, NULL, &said, &status, NULL)
         && g_spawn_check_wait_status (status, NULL);
}

/* To skip what a broken provider is at fault for would hide it. */
static void
find_out (void)
{
  g_autofree char *folder = g_dir_make_tmp ("asb-local-XXXXXX", NULL);
  g_autoptr (LocalTest) test = local_test_for_child (folder);
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  static GError *error;

  info = asb_provider_create_sandbox (test->provider, spec, NULL, &error);
  if (info)
    local_test_delete (test->provider, local_test_id (info));
  else if (g_error_matches (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE)
           && !bubblewrap_works ())
    unavailable = error->message;
  else
    g_error ("%s", error->message);
  remove_folder (folder);
}

/* Valgrind lets a program execute itself only where it begins anew. */
static void
execute_again (char **argv)
{
  const char *valgrind = g_getenv ("ASB_TEST_GUEST_VALGRIND");
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_auto (GStrv) command = NULL;
  g_auto (GStrv) all = NULL;

  if (!valgrind)
    {
      execv ("/proc/self/exe", argv);
      return;
    }
  command = g_strsplit (valgrind, " ", -1);
  for (guint i = 0; command[i + 1]; i++)
    g_strv_builder_add (words, command[i]);
  g_strv_builder_addv (words, (const char **)argv);
  all = g_strv_builder_end (words);
  execv (all[0], all);
}

int
local_test_init (int *argc, char ***argv)
{
  const char *user = g_getenv ("ASB_TEST_USER");

  program = (*argv)[0];
  if (user && geteuid () == 0)
    {
      if (!become_nobody ())
        return 1;
      /* Otherwise its files in /proc stay root's, as those of no program of an ordinary user. */
      if (access (g_getenv ("ASB_GUEST_PATH"), X_OK) == 0)
        execute_again (*argv);
    }
  if (*argc == 4 && strcmp ((*argv)[1], "--child") == 0)
    return -1;
  g_test_init (argc, argv, NULL);
  if (user && getuid () != NOBODY)
    {
      g_print ("1..0 # SKIP only root can become another user\n");
      return 0;
    }
  if (user && access (g_getenv ("ASB_GUEST_PATH"), X_OK) != 0)
    {
      g_print ("1..0 # SKIP “nobody” may not enter the build folder\n");
      return 0;
    }
  find_out ();
  return -1;
}

AsbProvider *
local_test_provider (LocalTest *test, GVariant *options)
{
  g_autoptr (GVariantDict) dict = g_variant_dict_new (options);
  g_autoptr (GVariant) all = NULL;
  g_autoptr (GError) error = NULL;
  AsbProvider *provider;

  g_variant_dict_insert (dict, "state-dir", "s", test->state);
  g_variant_dict_insert (dict, "record-dir", "s", test->records);
  all = g_variant_ref_sink (g_variant_dict_end (dict));
  provider = asb_registry_create_provider (asb_registry_get_default (), "local", all, &error);
  g_assert_no_error (error);
  return provider;
}

LocalTest *
local_test_for_child (const char *folder)
{
  LocalTest *test = g_new0 (LocalTest, 1);

  test->folder = g_strdup (folder);
  test->state = g_build_filename (folder, "state", NULL);
  test->records = g_build_filename (folder, "records", NULL);
  test->provider = local_test_provider (test, NULL);
  return test;
}

static void
clear (LocalTest *test)
{
  g_clear_object (&test->provider);
  g_clear_pointer (&test->folder, g_free);
  g_clear_pointer (&test->state, g_free);
  g_clear_pointer (&test->records, g_free);
}

void
local_test_free (LocalTest *test)
{
  clear (test);
  g_free (test);
}

static void
set_up (LocalTest *test, gconstpointer data)
{
  g_autofree char *folder = g_dir_make_tmp ("asb-local-XXXXXX", NULL);
  g_autofree LocalTest *made = local_test_for_child (folder);

  *test = *made;
}

/* Where the guests that are there write what is wrong with them, which nobody else reads. */
static GArray *
open_outputs (LocalTest *test)
{
  GArray *outputs = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GDir) dir = g_dir_open (test->state, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *status = g_build_filename (test->state, name, "guest.status", NULL);
      g_autofree char *content = NULL;
      const char *number = NULL;
      g_autofree char *path = NULL;
      int fd;

      if (g_file_get_contents (status, &content, NULL, NULL))
        number = strstr (content, "\"child-pid\": ");
      if (!number)
        continue;
      path = g_strdup_printf ("/proc/%d/fd/2", atoi (number + strlen ("\"child-pid\": ")));
      fd = open (path, O_RDONLY | O_CLOEXEC);
      if (fd >= 0)
        g_array_append_val (outputs, fd);
    }
  return outputs;
}

/* One that was built with a sanitizer tells at its end of what it leaked. */
static void
check_outputs (GArray *outputs)
{
  for (guint i = 0; i < outputs->len; i++)
    {
      char content[16384] = "";
      int fd = g_array_index (outputs, int, i);

      if (pread (fd, content, sizeof content - 1, 0) > 0 && strstr (content, "Sanitizer"))
        g_error ("A guest said: %s", content);
      close (fd);
    }
  g_array_unref (outputs);
}

static void
tear_down (LocalTest *test, gconstpointer data)
{
  GArray *outputs = open_outputs (test);
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();
  g_autoptr (GListModel) infos = asb_provider_list_sandboxes (test->provider, filter, NULL, NULL);

  for (guint i = 0; infos && i < g_list_model_get_n_items (infos); i++)
    {
      g_autoptr (AsbSandboxInfo) info = g_list_model_get_item (infos, i);

      local_test_delete (test->provider, local_test_id (info));
    }
  check_outputs (outputs);
  remove_folder (test->folder);
  clear (test);
}

static void
skip (LocalTest *test, gconstpointer data)
{
  g_autofree char *reason = g_strdup_printf ("This test needs bubblewrap: %s", unavailable);

  g_test_skip (reason);
}

void
local_test_add (const char *path, void (*function) (LocalTest *test, gconstpointer data))
{
  g_test_add (path, LocalTest, NULL, set_up, unavailable ? skip : function, tear_down);
}

AsbSandboxInfo *
local_test_create (AsbProvider *provider, AsbSandboxSpec *spec)
{
  g_autoptr (AsbSandboxSpec) usual = asb_sandbox_spec_new ();
  g_autoptr (GError) error = NULL;
  AsbSandboxInfo *info = asb_provider_create_sandbox (provider, spec ? spec : usual, NULL, &error);

  g_assert_no_error (error);
  return info;
}

const char *
local_test_id (AsbSandboxInfo *info)
{
  return asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (info));
}

void
local_test_delete (AsbProvider *provider, const char *id)
{
  g_autoptr (GError) error = NULL;

  asb_provider_delete_sandbox (provider, id, NULL, &error);
  g_assert_no_error (error);
}

guint
local_test_count (AsbProvider *provider, const char *state)
{
  const char *const states[] = { state, NULL };
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();
  g_autoptr (GListModel) infos = NULL;
  g_autoptr (GError) error = NULL;

  if (state)
    asb_sandbox_filter_set_states (filter, g_variant_new_strv (states, -1));
  infos = asb_provider_list_sandboxes (provider, filter, NULL, &error);
  g_assert_no_error (error);
  return g_list_model_get_n_items (infos);
}

AsbTransport *
local_test_open (AsbProvider *provider, const char *id, gboolean record_only)
{
  g_autoptr (AsbStreamSpec) spec = asb_stream_spec_new ();
  g_autoptr (GIOStream) stream = NULL;
  g_autoptr (GError) error = NULL;
  AsbGuestTransport *transport;

  asb_stream_spec_set_record_only (spec, record_only);
  stream = asb_provider_open_stream (provider, id, spec, NULL, &error);
  g_assert_no_error (error);
  transport = asb_guest_transport_new (stream, NULL, NULL, &error);
  g_assert_no_error (error);
  return ASB_TRANSPORT (transport);
}

static char *
read_all (GInputStream *stream)
{
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GError) error = NULL;

  g_output_stream_splice (memory, stream, G_OUTPUT_STREAM_SPLICE_NONE, NULL, &error);
  g_assert_no_error (error);
  g_output_stream_write_all (memory, "", 1, NULL, NULL, &error);
  g_assert_no_error (error);
  g_output_stream_close (memory, NULL, NULL);
  return g_memory_output_stream_steal_data (G_MEMORY_OUTPUT_STREAM (memory));
}

static char *
run (AsbProvider *provider, const char *id, int *exit_status, AsbCommandSpec *spec)
{
  g_autoptr (AsbTransport) transport = local_test_open (provider, id, FALSE);
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *output = NULL;

  asb_command_spec_set_flags (spec, ASB_COMMAND_FLAGS_STDERR_MERGE);
  process = asb_transport_start_command (transport, spec, NULL, &error);
  g_assert_no_error (error);
  output = read_all (asb_process_get_stdout (process));
  result = asb_process_wait (process, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (asb_command_result_get_has_exit_status (result));
  if (exit_status)
    *exit_status = asb_command_result_get_exit_status (result);
  else
    g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 0);
  asb_transport_close (transport, NULL, NULL);
  return g_steal_pointer (&output);
}

char *
local_test_run (AsbProvider *provider, const char *id, int *exit_status, const char *const *argv)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);

  return run (provider, id, exit_status, spec);
}

char *
local_test_shell (AsbProvider *provider, const char *id, int *exit_status, const char *text)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (text);

  return run (provider, id, exit_status, spec);
}

char *
local_test_probe (LocalTest *test, const char *id, const char *const *arguments)
{
  g_autofree char *path = local_test_path (test, id, "workspace/probe");
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) argv = NULL;
  g_autofree char *content = NULL;
  g_autofree char *output = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;

  g_file_get_contents (g_getenv ("ASB_TEST_PROBE"), &content, &size, &error);
  g_assert_no_error (error);
  g_file_set_contents_full (path, content, (gssize)size, G_FILE_SET_CONTENTS_NONE, 0755, &error);
  g_assert_no_error (error);
  g_strv_builder_add (builder, "/workspace/probe");
  g_strv_builder_addv (builder, (const char **)arguments);
  argv = g_strv_builder_end (builder);
  output = local_test_run (test->provider, id, NULL, (const char *const *)argv);
  g_assert_true (g_str_has_suffix (output, "probed\n"));
  output[strlen (output) - strlen ("probed\n")] = '\0';
  return g_steal_pointer (&output);
}

char *
local_test_path (LocalTest *test, const char *id, const char *name)
{
  return g_build_filename (test->state, id, name, NULL);
}

int
local_test_guest_pid (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "guest.status", NULL);
  g_autofree char *content = NULL;
  const char *number;

  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  number = strstr (content, "\"child-pid\": ");
  g_assert_nonnull (number);
  return atoi (number + strlen ("\"child-pid\": "));
}

int
local_test_parent_of (int pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/status", pid);
  g_autofree char *content = NULL;
  const char *number;

  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  number = strstr (content, "\nPPid:\t");
  g_assert_nonnull (number);
  return atoi (number + strlen ("\nPPid:\t"));
}

int
local_test_open_process (int pid)
{
  int process = asb_local_process_open (pid);

  g_assert_cmpint (process, >=, 0);
  return process;
}

gboolean
local_test_wait_for_end (int process, int milliseconds)
{
  return asb_local_process_wait (process, milliseconds);
}

void
local_test_signal (int process, int number)
{
  g_assert_true (asb_local_process_signal (process, number));
  /* It stops when it gets its turn, and tells nobody but its parent. */
  while (number == SIGSTOP && !asb_local_process_is_stopped (process))
    g_thread_yield ();
}

static gboolean
contains (const char *content, gsize size, const char *text)
{
  return size >= strlen (text) && memmem (content, size, text, strlen (text));
}

gboolean
local_test_find_process (const char *file, const char *text)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename ("/proc", name, file, NULL);
      g_autofree char *content = NULL;
      gsize size;

      if (!g_ascii_isdigit (name[0]) || atoi (name) == getpid ())
        continue;
      if (g_file_get_contents (path, &content, &size, NULL) && contains (content, size, text))
        return TRUE;
    }
  return FALSE;
}

GSubprocess *
local_test_child (LocalTest *test, const char *name, GSubprocessFlags flags)
{
  g_autoptr (GError) error = NULL;
  GSubprocess *child = g_subprocess_new (flags | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, program,
                                         "--child", name, test->folder, NULL);

  g_assert_no_error (error);
  return child;
}

const char *
local_test_program (void)
{
  return program;
}

char *
local_test_read_line (GSubprocess *child)
{
  GInputStream *output = g_subprocess_get_stdout_pipe (child);
  g_autoptr (GString) line = g_string_new (NULL);
  char byte;

  while (g_input_stream_read (output, &byte, 1, NULL, NULL) == 1 && byte != '\n')
    g_string_append_c (line, byte);
  return g_string_free (g_steal_pointer (&line), FALSE);
}
