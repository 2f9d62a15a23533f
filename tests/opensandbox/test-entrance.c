/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-entrance.h"

#include <elf.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The ways into a sandbox, and how the guest gets there. */

#define PROXY "*/proxy/44772/proxy/*"
#define NO_WEBSOCKETS                                                                              \
  "{'path':'" PROXY "','hop':'lifecycle','action':'reply','status':400,'json':{'code':'X',"        \
  "'message':'Websocket upgrade is not supported yet'}}"
#define NO_PTYS "{'method':'POST','path':'*/pty','action':'reply','status':501}"
#define THROUGH_SERVER "{'use-server-proxy': <true>}"

static void
check_works (AsbBackend *backend)
{
  g_autofree char *said = asb_test_entrance_run (backend, "printf hello; printf there >&2");

  g_assert_cmpstr (said, ==, "hello");
}

static void
check_way (AsbBackend *backend, const char *way, const char *reason)
{
  g_autofree char *why = NULL;
  g_autofree char *taken = asb_test_entrance_dup_way (backend, &why);

  g_assert_cmpstr (taken, ==, way);
  if (!reason)
    g_assert_null (why);
  else if (!why || !strstr (why, reason))
    g_error ("The reason is “%s”, without “%s”", why, reason);
}

static void
test_websocket (void)
{
  static const char *const options[]
      = { NULL, THROUGH_SERVER, "{'transport': <'websocket'>}", "{'transport': <'guest'>}" };
  static const char *const images[] = { "python:3.12", "busybox", "debian:12" };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);

  g_test_summary ("A WebSocket leads to the guest, in every image");
  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    for (gsize j = 0; j < (i == 0 ? G_N_ELEMENTS (images) : 1); j++)
      {
        const AsbTestEntrance entrance = { .options = options[i], .image = images[j] };
        g_autoptr (AsbBackend) backend = asb_test_entrance_open (server, &entrance);

        check_way (backend, "websocket", NULL);
        check_works (backend);
        asb_test_entrance_close (backend);
      }
  g_assert_cmpuint (asb_test_server_count (server, "POST", "*/pty"), ==, 0);
}

static void
test_pty (gconstpointer server_options)
{
  static const char *const options[]
      = { "{'transport': <'pty'>}", "{'transport': <'pty'>, 'use-server-proxy': <true>}" };
  g_autoptr (AsbTestServer) server = asb_test_server_new (server_options);
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, NULL);
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (provider);

  g_test_summary ("So does a PTY where there is bash, and it is taken down afterwards");
  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    {
      const AsbTestEntrance entrance
          = { .options = options[i], .ref = asb_sandbox_info_get_ref (info) };
      g_autoptr (AsbBackend) backend = asb_test_entrance_open (server, &entrance);

      check_way (backend, "pty", "the option “transport” asks for it");
      check_works (backend);
      asb_test_entrance_close (backend);
    }
  while (asb_test_server_count (server, "DELETE", "*/pty/*")
         < asb_test_server_count (server, "POST", "*/pty"))
    g_assert_cmpuint (asb_test_server_count_sandboxes (server), ==, 1);
}

static void
test_pty_instead (void)
{
  const AsbTestEntrance entrance = { .options = THROUGH_SERVER };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbBackend) again = NULL;
  AsbTestEntrance same = entrance;
  guint n_started;

  g_test_summary ("Where WebSockets do not get through a PTY does, and that is remembered");
  asb_test_server_fault (server, NO_WEBSOCKETS);
  backend = asb_test_entrance_open (server, &entrance);
  check_way (backend, "pty", "HTTP 400");
  check_works (backend);
  n_started = asb_test_server_count (server, "POST", "*/command");
  same.ref = asb_backend_get_ref (backend);
  again = asb_test_entrance_open (server, &same);
  check_way (again, "pty", "HTTP 400");
  check_works (again);
  g_assert_cmpuint (asb_test_server_count (server, "POST", "*/command"), ==, n_started);
  asb_test_entrance_close (again);
  asb_test_entrance_close (backend);
}

static void
test_closed_behind_proxy (void)
{
  static const struct
  {
    const char *fault;
    const char *reason;
  } cases[] = {
    { "{'path':'/proxy/*','hop':'execd','action':'reply','status':404}", "1008" },
    { "{'path':'/proxy/*','hop':'execd','action':'reset'}", "1011" },
    { "{'path':'" PROXY "','hop':'lifecycle','action':'close','code':1013,'frames':0}", "1013" },
  };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);

  g_test_summary ("A proxy that opens its side and then closes it does not hold anyone up");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const AsbTestEntrance entrance = { .options = THROUGH_SERVER };
      g_autoptr (AsbBackend) backend = NULL;

      asb_test_server_fault (server, cases[i].fault);
      backend = asb_test_entrance_open (server, &entrance);
      check_way (backend, "pty", cases[i].reason);
      check_works (backend);
      asb_test_entrance_close (backend);
      asb_test_server_heal (server);
    }
}

static void
test_forced (void)
{
  static const struct
  {
    const char *options;
    const char *image;
    const char *fault;
    const char *reason;
  } cases[] = {
    { "{'transport': <'websocket'>, 'use-server-proxy': <true>}", NULL, NO_WEBSOCKETS, "HTTP 400" },
    { "{'transport': <'pty'>}", "busybox", NULL, "bash" },
    { "{'transport': <'pty'>}", NULL, NO_PTYS, "There are no PTYs" },
    { "{'transport': <'guest'>, 'use-server-proxy': <true>}", "busybox", NO_WEBSOCKETS,
      "HTTP 400" },
  };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);

  g_test_summary ("A way that is asked for and shut is an error, and no other is taken");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const AsbTestEntrance entrance = { .options = cases[i].options, .image = cases[i].image };
      g_autoptr (GError) error = NULL;

      if (cases[i].fault)
        asb_test_server_fault (server, cases[i].fault);
      g_assert_null (asb_test_entrance_try (server, &entrance, &error));
      if (!g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY)
          && !g_error_matches (error, ASB_ERROR, ASB_ERROR_PROVIDER))
        g_assert_no_error (error);
      if (!strstr (error->message, cases[i].reason))
        g_error ("“%s” does not say “%s”", error->message, cases[i].reason);
      asb_test_server_heal (server);
      g_assert_cmpuint (asb_test_server_count_sandboxes (server), ==, 0);
    }
}

/* Why there is not what only the guest can do. */
static void
check_missing (AsbBackend *backend, const char *name, const char *reason)
{
  g_autoptr (AsbCapabilities) capabilities
      = asb_transport_get_capabilities (asb_backend_get_transport (backend));
  AsbCapability *capability = asb_capabilities_get (capabilities, name);

  g_assert_nonnull (capability);
  g_assert_cmpint (asb_capability_get_support (capability), ==, ASB_CAPABILITY_SUPPORT_UNAVAILABLE);
  g_assert_nonnull (strstr (asb_capability_get_reason (capability), reason));
}

/* What only the guest can do says why it is not there. */
static void
check_no_watch (AsbBackend *backend, const char *reason)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (
      asb_backend_watch_files (backend, "/workspace", ASB_FILE_FLAGS_NONE, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  g_assert_nonnull (strstr (error->message, reason));
}

static void
test_native_instead (void)
{
  const AsbTestEntrance entrance = { .options = THROUGH_SERVER, .image = "busybox" };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbCapabilities) capabilities = NULL;
  AsbTestEntrance recorded = entrance;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Where no way leads to the guest execd does the work, and the reasons are told");
  asb_test_server_fault (server, NO_WEBSOCKETS);
  backend = asb_test_entrance_open (server, &entrance);
  check_way (backend, "native", "HTTP 400");
  check_way (backend, "native", "bash");
  check_works (backend);
  capabilities = asb_backend_get_capabilities (backend);
  g_assert_false (asb_capabilities_supports (capabilities, ASB_CAPABILITY_SANDBOX_HISTORY));
  check_missing (backend, ASB_CAPABILITY_SANDBOX_HISTORY, "HTTP 400");
  check_missing (backend, ASB_CAPABILITY_FILE_WATCH, "HTTP 400");
  check_no_watch (backend, "HTTP 400");
  asb_test_entrance_close (backend);
  /* There is no record in the sandbox then: by default that is an error. */
  recorded.history = ASB_HISTORY_MODE_SANDBOX;
  g_assert_null (asb_test_entrance_try (server, &recorded, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  g_assert_nonnull (strstr (error->message, "HTTP 400"));
  g_assert_cmpuint (asb_test_server_count_sandboxes (server), ==, 0);
}

/* A copy of the guest that says that it is for another processor. */
static char *
make_foreign_guest (void)
{
  g_autofree char *contents = NULL;
  char *path = NULL;
  Elf64_Ehdr *header;
  gsize size;
  g_autoptr (GError) error = NULL;
  int fd;

  g_file_get_contents (g_getenv ("ASB_GUEST_PATH"), &contents, &size, &error);
  g_assert_no_error (error);
  header = (Elf64_Ehdr *)contents;
  header->e_machine = header->e_machine == EM_X86_64 ? EM_AARCH64 : EM_X86_64;
  fd = g_file_open_tmp ("asb-guest-XXXXXX", &path, &error);
  g_assert_no_error (error);
  g_assert_cmpint (write (fd, contents, size), ==, (gssize)size);
  g_assert_cmpint (fchmod (fd, 0755), ==, 0);
  close (fd);
  return path;
}

static void
test_other_processor (void)
{
  static const char *const ways[] = { "websocket", "pty" };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autofree char *own = g_strdup (g_getenv ("ASB_GUEST_PATH"));
  g_autofree char *foreign = make_foreign_guest ();
  const AsbTestEntrance any = { 0 };
  g_autoptr (AsbBackend) backend = NULL;

  g_test_summary ("A guest for another processor is not sent, by no way, and everybody says why");
  g_setenv ("ASB_GUEST_PATH", foreign, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *options = g_strdup_printf ("{'transport': <'%s'>}", ways[i]);
      const AsbTestEntrance entrance = { .options = options };
      g_autoptr (GError) error = NULL;

      g_assert_null (asb_test_entrance_try (server, &entrance, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
      if (!strstr (error->message, "another processor"))
        g_error ("“%s” is of something else", error->message);
    }
  backend = asb_test_entrance_open (server, &any);
  check_way (backend, "native", "another processor");
  check_missing (backend, ASB_CAPABILITY_SANDBOX_HISTORY, "another processor");
  g_assert_cmpuint (asb_test_server_count (server, "POST", "/files/upload"), ==, 0);
  check_works (backend);
  asb_test_entrance_close (backend);
  g_setenv ("ASB_GUEST_PATH", own, TRUE);
  g_unlink (foreign);
}

static void
test_silence (void)
{
  const AsbTestEntrance entrance = { .options = THROUGH_SERVER };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbBackend) again = NULL;
  AsbTestEntrance same = entrance;

  g_test_summary (
      "A WebSocket that is not answered is waited for ten seconds, and tried again later");
  asb_test_server_fault (server,
                         "{'path':'" PROXY "','hop':'lifecycle','nth':1,'action':'silent'}");
  backend = asb_test_entrance_open (server, &entrance);
  check_way (backend, "pty", "10");
  check_works (backend);
  same.ref = asb_backend_get_ref (backend);
  again = asb_test_entrance_open (server, &same);
  check_way (again, "websocket", NULL);
  asb_test_entrance_close (again);
  asb_test_entrance_close (backend);
}

/* Putting it there. */

typedef struct
{
  AsbTestServer *server;
  AsbTestEntrance entrance;
} Opening;

static gpointer
open_in_thread (gpointer data)
{
  Opening *opening = data;

  return asb_test_entrance_open (opening->server, &opening->entrance);
}

static void
test_upload_once (void)
{
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, NULL);
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (provider);
  Opening opening = { server, { .ref = asb_sandbox_info_get_ref (info) } };
  GThread *threads[16];
  g_autoptr (GError) error = NULL;

  g_test_summary ("Of many who come at once to a new sandbox one puts the guest there");
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("open", open_in_thread, &opening);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autoptr (AsbBackend) backend = g_thread_join (threads[i]);

      check_way (backend, "websocket", NULL);
      check_works (backend);
      asb_test_entrance_close (backend);
    }
  g_assert_cmpuint (asb_test_server_count (server, "POST", "/files/upload"), ==, 1);
  g_assert_true (
      asb_provider_delete_sandbox (provider, asb_test_server_get_id (info), NULL, &error));
  g_assert_no_error (error);
}

static void
test_closed (void)
{
  const AsbTestEntrance entrance = { .options = THROUGH_SERVER, .reconnect_seconds = 60 };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) backend = asb_test_entrance_open (server, &entrance);

  g_test_summary ("Nobody tries to come back into a sandbox that was deleted to close its backend");
  check_works (backend);
  asb_test_server_forget (server);
  /* It is gone some time before that is known. */
  asb_test_server_fault (server, "{'method':'DELETE','path':'/v1/sandboxes/*','action':'cut',"
                                 "'of':'response','bytes':0,'times':1}");
  asb_test_entrance_close (backend);
  g_assert_cmpuint (asb_test_server_count (server, "DELETE", "/v1/sandboxes/*"), ==, 2);
  g_assert_cmpuint (asb_test_server_count (server, "GET", "*"), ==, 0);
}

static guint
count_threads (void)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (tasks))
    n++;
  return n;
}

static void
test_threads (void)
{
  enum
  {
    N_BACKENDS = 24
  };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  const AsbTestEntrance entrance = { 0 };
  g_autoptr (AsbBackend) first = asb_test_entrance_open (server, &entrance);
  AsbTestEntrance same = { .ref = asb_backend_get_ref (first) };
  g_autoptr (GPtrArray) backends = g_ptr_array_new_with_free_func (g_object_unref);
  guint n_before;

  g_test_summary ("Another backend takes no other thread");
  check_works (first);
  n_before = count_threads ();
  for (guint i = 0; i < N_BACKENDS; i++)
    {
      g_ptr_array_add (backends, asb_test_entrance_open (server, &same));
      check_works (backends->pdata[i]);
    }
  /* Threads of GIO that had something to do may still wait for more: on a busy machine it has
   * several, but not as many. */
  g_assert_cmpuint (count_threads (), <, n_before + N_BACKENDS / 2);
  for (guint i = 0; i < backends->len; i++)
    asb_test_entrance_close (backends->pdata[i]);
  asb_test_entrance_close (first);
}

static void
test_upload_again (void)
{
  const AsbTestEntrance entrance = { .reconnect_seconds = 0 };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) backend = asb_test_entrance_open (server, &entrance);
  g_autoptr (AsbBackend) again = NULL;
  AsbTestEntrance same = entrance;
  g_autofree char *gone = NULL;

  g_test_summary ("A guest that was there, and is no longer, is put there again");
  gone = asb_test_entrance_run (backend, "rm /.agent-history/bin/asb-guest-*");
  same.ref = asb_backend_get_ref (backend);
  again = asb_test_entrance_open (server, &same);
  check_works (again);
  g_assert_cmpuint (asb_test_server_count (server, "POST", "/files/upload"), ==, 2);
  asb_test_entrance_close (again);
  asb_test_entrance_close (backend);
}

static void
test_upload_lost (void)
{
  const AsbTestEntrance entrance = { .options = "{'transport': <'guest'>}" };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) backend = NULL;
  g_autofree char *left = NULL;

  g_test_summary ("One whose answer is lost is sent once more, and leaves nothing else");
  asb_test_server_fault (server, "{'method':'POST','path':'*/files/upload','action':'cut',"
                                 "'times':1}");
  backend = asb_test_entrance_open (server, &entrance);
  check_works (backend);
  g_assert_cmpuint (asb_test_server_count (server, "POST", "/files/upload"), ==, 2);
  left = asb_test_entrance_run (backend, "ls /.agent-history/bin | wc -l");
  g_assert_cmpstr (g_strstrip (left), ==, "1");
  asb_test_entrance_close (backend);
}

static guint
count_commands (AsbTestServer *server)
{
  return asb_test_server_count (server, "POST", "/command");
}

static void
test_known_image (void)
{
  const AsbTestEntrance entrance = { .image = "debian:12", .history = ASB_HISTORY_MODE_SANDBOX };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) first = NULL;
  g_autoptr (AsbBackend) second = NULL;
  g_autoptr (AsbBackend) third = NULL;

  g_test_summary ("Of an image that lacks the guest nobody is asked twice");
  first = asb_test_entrance_open (server, &entrance);
  check_works (first);
  g_assert_cmpuint (count_commands (server), ==, 2);
  asb_test_server_forget (server);
  second = asb_test_entrance_open (server, &entrance);
  check_works (second);
  g_assert_cmpuint (count_commands (server), ==, 1);
  g_assert_cmpuint (asb_test_server_count (server, "POST", "/files/upload"), ==, 1);
  asb_test_server_forget (server);
  asb_test_server_fault (server, "{'method':'POST','path':'*/files/upload','action':'reply',"
                                 "'status':500,'times':1}");
  third = asb_test_entrance_open (server, &entrance);
  check_way (third, "websocket", NULL);
  check_works (third);
  /* What may have arrived is deleted, and the next step taken as if nothing were known. */
  g_assert_cmpuint (count_commands (server), ==, 3);
  asb_test_entrance_close (third);
  asb_test_entrance_close (second);
  asb_test_entrance_close (first);
}

static void
test_no_space (void)
{
  const AsbTestEntrance entrance = { 0 };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) backend = NULL;

  g_test_summary ("Where there is no space for the guest execd does the work, and it is told");
  asb_test_server_fault (server,
                         "{'method':'POST','path':'*/files/upload','action':'reply','status':500,"
                         "'json':{'code':'RUNTIME_ERROR','message':'no space left on device'}}");
  backend = asb_test_entrance_open (server, &entrance);
  check_way (backend, "native", "no space left on device");
  asb_test_entrance_close (backend);
}

static void
test_broken_off (void)
{
  AsbTestEntrance entrance = { .options = "{'use-server-proxy':<true>}" };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) first = asb_test_entrance_open (server, &entrance);
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Where execd ends while the guest is started it is said what may have ended it");
  entrance.ref = asb_backend_get_ref (first);
  asb_test_server_fault (server, "{'method':'POST','path':'*/command','action':'reply',"
                                 "'status':200,'type':'text/event-stream','body':''}");
  asb_test_server_fault (server, "{'method':'GET','path':'*/ping',"
                                 "'action':'reply','status':502,'json':{'code':"
                                 "'BACKEND_CONNECTION_FAILED','message':'nobody there'}}");
  backend = asb_test_entrance_try (server, &entrance, &error);
  g_assert_null (backend);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "broke off"));
  g_assert_nonnull (strstr (error->message, "nobody there"));
  g_assert_nonnull (strstr (error->message, "more of the resource “memory”"));
  asb_test_server_heal (server);
  asb_test_entrance_close (first);
}

static void
test_little_memory (void)
{
  AsbTestEntrance entrance = { .options = "{'use-server-proxy':<true>}" };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, entrance.options);
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (GHashTable) resources = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("What fails in a sandbox with little memory is told with that");
  g_hash_table_insert (resources, (gpointer) "memory", (gpointer) "16Mi");
  asb_sandbox_spec_set_resources (spec, resources);
  info = asb_provider_create_sandbox (provider, spec, NULL, &error);
  g_assert_no_error (error);
  entrance.ref = asb_sandbox_info_get_ref (info);
  asb_test_server_fault (server, "{'method':'POST','path':'*/command','action':'reply',"
                                 "'status':200,'type':'text/event-stream','body':''}");
  backend = asb_test_entrance_try (server, &entrance, &error);
  g_assert_null (backend);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "broke off"));
  g_assert_nonnull (strstr (error->message, "has 16Mi of memory"));
}

/* As others make sandboxes. */
static void
test_no_workdir (void)
{
  AsbTestEntrance entrance = { 0 };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) first = asb_test_entrance_open (server, &entrance);
  g_autofree char *removed = asb_test_entrance_run (first, "cd / && rmdir /workspace && echo gone");
  g_autoptr (AsbBackend) second = NULL;
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("pwd");
  g_autoptr (AsbCommandSpec) elsewhere = asb_command_spec_new_shell ("pwd");
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Where a sandbox that was found has no working directory the option is named");
  g_assert_cmpstr (removed, ==, "gone\n");
  entrance.ref = asb_backend_get_ref (first);
  entrance.has_workdir = TRUE;
  second = asb_test_entrance_open (server, &entrance);
  result = asb_backend_execute (second, spec, NULL, &error);
  g_assert_null (result);
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_WORKING_DIRECTORY);
  g_assert_nonnull (strstr (error->message, "the option “workdir”"));
  g_clear_error (&error);
  asb_command_spec_set_cwd (elsewhere, "/no/such");
  result = asb_backend_execute (second, elsewhere, NULL, &error);
  g_assert_null (result);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_WORKING_DIRECTORY);
  g_assert_null (strstr (error->message, "“workdir”"));
  asb_test_entrance_close (second);
  asb_test_entrance_close (first);
}

#define SAID_NOTHING                                                                               \
  "{\\\"type\\\":\\\"init\\\",\\\"text\\\":\\\"c1\\\"}\\n\\n"                                      \
  "{\\\"type\\\":\\\"execution_complete\\\"}\\n\\n"

static void
test_unheard (void)
{
  AsbTestEntrance entrance = { 0 };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbBackend) first = asb_test_entrance_open (server, &entrance);
  g_autoptr (AsbBackend) second = NULL;
  g_autoptr (AsbBackend) third = NULL;

  g_test_summary ("Where execd can keep nothing of what a command prints a PTY still leads in");
  entrance.ref = asb_backend_get_ref (first);
  asb_test_server_fault (server, "{'method':'POST','path':'*/command','nth':1,'times':1,"
                                 "'action':'reply','status':200,'type':'text/event-stream',"
                                 "'body':'" SAID_NOTHING "'}");
  second = asb_test_entrance_open (server, &entrance);
  check_way (second, "pty", "no room in its /tmp");
  check_works (second);
  /* There may be room again. */
  third = asb_test_entrance_open (server, &entrance);
  check_way (third, "websocket", NULL);
  asb_test_entrance_close (third);
  asb_test_entrance_close (second);
  asb_test_entrance_close (first);
}

static void
test_upload_spoilt (void)
{
  const AsbTestEntrance entrance = { .options = "{'transport': <'guest'>}" };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (GError) error = NULL;

  g_test_summary ("One that cannot be put there is an error, which leaves no sandbox");
  asb_test_server_fault (server,
                         "{'method':'POST','path':'*/files/upload','action':'reply','status':500,"
                         "'json':{'code':'RUNTIME_ERROR','message':'no space left on device'}}");
  g_assert_null (asb_test_entrance_try (server, &entrance, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_NO_SPACE);
  g_assert_nonnull (strstr (error->message, "no space left on device"));
  g_assert_cmpuint (asb_test_server_count_sandboxes (server), ==, 0);
}

static void
test_elsewhere (void)
{
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  const AsbTestEntrance entrance = { 0 };
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, NULL);
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (provider);
  AsbTestEntrance same = entrance;
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbBackend) again = NULL;
  g_autofree char *where = NULL;
  g_autofree char *command = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Where there is no room in “/” the guest lives in another folder");
  /* What nobody can make a folder of. */
  command = g_strdup_printf ("/v1/sandboxes/%s/proxy/44772/command", asb_test_server_get_id (info));
  node = asb_test_server_ask (server, "POST", command, "{\"command\":\"touch /.agent-history\"}");
  same.ref = asb_sandbox_info_get_ref (info);
  backend = asb_test_entrance_open (server, &same);
  check_way (backend, "websocket", NULL);
  where = asb_test_entrance_run (backend, "ls -d \"$HOME\"/.agent-history/bin/asb-guest-* "
                                          "/tmp/.agent-history-*/bin/asb-guest-* 2>/dev/null; :");
  g_assert_nonnull (strstr (where, "/asb-guest-"));
  again = asb_test_entrance_open (server, &same);
  check_works (again);
  g_assert_cmpuint (asb_test_server_count (server, "POST", "/files/upload"), ==, 1);
  asb_test_entrance_close (again);
  asb_test_entrance_close (backend);
  same.history = ASB_HISTORY_MODE_SANDBOX;
  g_assert_null (asb_test_entrance_try (server, &same, &error));
  g_test_message ("with a record in the sandbox: %s", error->message);
}

/* Secrets. */

static gboolean
holds (const char *folder, const char *text)
{
  const char *const argv[] = { "grep", "-rqsF", "--", text, folder, NULL };
  g_autoptr (GError) error = NULL;
  int status;

  g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status,
                &error);
  g_assert_no_error (error);
  return status == 0;
}

static void
test_token (void)
{
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  const AsbTestEntrance entrance = { 0 };
  g_autoptr (AsbBackend) backend = asb_test_entrance_open (server, &entrance);
  const char *id = asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend));
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, NULL);
  g_autoptr (AsbStreamSpec) spec = asb_stream_spec_new ();
  g_autofree char *path
      = asb_test_entrance_run (backend, "printf %s /.agent-history/bin/asb-guest-*");
  const char *argv[] = { path, "connect", NULL };
  g_autoptr (GIOStream) stream = NULL;
  g_autofree char *environment = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("The token stands in no file of the sandbox and no variable of a command");
  asb_stream_spec_set_argv (spec, argv);
  asb_stream_spec_set_token (spec, "a-token-that-is-looked-for-everywhere");
  stream = asb_provider_open_stream (provider, id, spec, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (asb_stream_spec_get_way (spec), ==, "websocket");
  environment = asb_test_entrance_run (backend, "env; cat /proc/[0-9]*/cmdline | tr '\\0' ' '");
  g_assert_null (strstr (environment, "a-token-that-is"));
  g_assert_false (holds (asb_test_server_get_folder (server), "a-token-that-is"));
  g_assert_true (g_io_stream_close (stream, NULL, &error));
  asb_test_entrance_close (backend);
}

/* Any program. */

static void
test_program (void)
{
  const char *argv[] = { "cat", NULL };
  const char *missing[] = { "no-such-program", NULL };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, NULL);
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (provider);
  g_autoptr (AsbStreamSpec) spec = asb_stream_spec_new ();
  g_autoptr (GIOStream) stream = NULL;
  g_autoptr (GError) error = NULL;
  char bytes[300000];
  g_autofree char *back = g_malloc (sizeof bytes);
  gsize n = 0;

  g_test_summary ("Another program than the guest is at the other end where it is asked for");
  asb_stream_spec_set_argv (spec, argv);
  stream = asb_provider_open_stream (provider, asb_test_server_get_id (info), spec, NULL, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < sizeof bytes; i++)
    bytes[i] = (char)(i * 7 + i / 251);
  g_assert_true (g_output_stream_write_all (g_io_stream_get_output_stream (stream), bytes,
                                            sizeof bytes, NULL, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (g_input_stream_read_all (g_io_stream_get_input_stream (stream), back, sizeof bytes,
                                          &n, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (back, n, bytes, sizeof bytes);
  g_assert_true (g_io_stream_close (stream, NULL, &error));
  asb_stream_spec_set_argv (spec, missing);
  g_assert_null (
      asb_provider_open_stream (provider, asb_test_server_get_id (info), spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND);
}

typedef struct
{
  const char *options;
  const char *method;
  const char *path;   /* of what is not answered */
  const char *answer; /* NULL: never */
  const char *after;  /* what is deleted then */
} Stage;

typedef struct
{
  AsbTestServer *server;
  const Stage *stage;
  GCancellable *cancellable;
} Cancelling;

static gpointer
cancel_when_asked (gpointer data)
{
  Cancelling *cancelling = data;

  while (
      asb_test_server_count (cancelling->server, cancelling->stage->method, cancelling->stage->path)
      == 0)
    ;
  g_cancellable_cancel (cancelling->cancellable);
  return NULL;
}

static void
check_cancelled (AsbTestServer *server, const Stage *stage)
{
  static const char *const argv[]
      = { "/.agent-history/bin/asb-guest-0123456789abcdef", "connect", NULL };
  g_autoptr (AsbProvider) provider = asb_test_server_new_provider (server, stage->options);
  g_autoptr (AsbSandboxInfo) info = asb_test_server_create (provider);
  g_autoptr (AsbProvider) fresh = asb_test_server_new_provider (server, stage->options);
  g_autoptr (AsbStreamSpec) spec = asb_stream_spec_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Cancelling cancelling = { server, stage, cancellable };
  g_autofree char *fault
      = g_strdup_printf ("{'method':'%s','path':'%s','action':%s}", stage->method, stage->path,
                         stage->answer ? stage->answer : "'silent'");
  g_autoptr (GError) error = NULL;
  GThread *thread;

  asb_stream_spec_set_argv (spec, argv);
  asb_stream_spec_set_token (spec, "0123456789abcdef0123456789abcdef");
  asb_test_server_forget (server);
  asb_test_server_fault (server, fault);
  thread = g_thread_new ("cancel", cancel_when_asked, &cancelling);
  g_assert_null (
      asb_provider_open_stream (fresh, asb_test_server_get_id (info), spec, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
  while (stage->after && asb_test_server_count (server, "DELETE", stage->after) == 0)
    ;
  asb_test_server_heal (server);
}

static void
test_cancelled (void)
{
  static const Stage stages[] = {
    { NULL, "GET", "*/endpoints/44772" },
    { NULL, "POST", "*/command" },
    { "{'transport': <'pty'>}", "POST", "*/pty" },
    { "{'transport': <'pty'>}", "POST", "*/pty", "'late','ms':300", "*/pty/*" },
    { "{'transport': <'pty'>}", "GET", "*/pty/*/ws" },
  };
  g_autoptr (AsbTestServer) server = asb_test_server_new (NULL);

  g_test_summary ("Coming in can be called off at each step, and leaves nothing");
  for (gsize i = 0; i < G_N_ELEMENTS (stages); i++)
    check_cancelled (server, &stages[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opensandbox/entrance/websocket", test_websocket);
  g_test_add_data_func ("/opensandbox/entrance/pty", NULL, test_pty);
  g_test_add_data_func ("/opensandbox/entrance/pty/early-exit", "--early-exit", test_pty);
  g_test_add_func ("/opensandbox/entrance/pty-instead", test_pty_instead);
  g_test_add_func ("/opensandbox/entrance/closed-behind-proxy", test_closed_behind_proxy);
  g_test_add_func ("/opensandbox/entrance/forced", test_forced);
  g_test_add_func ("/opensandbox/entrance/silence", test_silence);
  g_test_add_func ("/opensandbox/entrance/native-instead", test_native_instead);
  g_test_add_func ("/opensandbox/entrance/other-processor", test_other_processor);
  g_test_add_func ("/opensandbox/entrance/upload-once", test_upload_once);
  g_test_add_func ("/opensandbox/entrance/closed", test_closed);
  g_test_add_func ("/opensandbox/entrance/threads", test_threads);
  g_test_add_func ("/opensandbox/entrance/upload-again", test_upload_again);
  g_test_add_func ("/opensandbox/entrance/upload-lost", test_upload_lost);
  g_test_add_func ("/opensandbox/entrance/known-image", test_known_image);
  g_test_add_func ("/opensandbox/entrance/no-space", test_no_space);
  g_test_add_func ("/opensandbox/entrance/broken-off", test_broken_off);
  g_test_add_func ("/opensandbox/entrance/little-memory", test_little_memory);
  g_test_add_func ("/opensandbox/entrance/no-workdir", test_no_workdir);
  g_test_add_func ("/opensandbox/entrance/unheard", test_unheard);
  g_test_add_func ("/opensandbox/entrance/upload-spoilt", test_upload_spoilt);
  g_test_add_func ("/opensandbox/entrance/elsewhere", test_elsewhere);
  g_test_add_func ("/opensandbox/entrance/token", test_token);
  g_test_add_func ("/opensandbox/entrance/program", test_program);
  g_test_add_func ("/opensandbox/entrance/cancelled", test_cancelled);
  return g_test_run ();
}
