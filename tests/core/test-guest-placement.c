/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "asb-call-private.h"
#include "asb-guest-placement-private.h"

/* A provider that gives streams, and takes files, as it is told. Nothing answers in the streams:
 * how a guest is spoken to is tested elsewhere. */

#define TEST_TYPE_STREAM_PROVIDER (test_stream_provider_get_type ())
G_DECLARE_FINAL_TYPE (TestStreamProvider, test_stream_provider, TEST, STREAM_PROVIDER, GObject)

struct _TestStreamProvider
{
  GObject parent_instance;

  GQueue stream_codes; /* what opening a stream fails with, one after the other; 0: it opens */
  gboolean gives_sockets;
  int put_code;
  const char *better_path; /* where it wants the program to be */
  GPtrArray *argv;         /* of each stream, joined; “” without */
  char *token;             /* the same for all */
  GBytes *program;         /* of the last stream */
  char *put_path;
  GBytes *put_contents;
  guint put_mode;
  guint n_put;
};

static void test_stream_provider_iface_init (AsbProviderInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TestStreamProvider, test_stream_provider, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_PROVIDER,
                                                      test_stream_provider_iface_init))

static void
test_stream_provider_finalize (GObject *object)
{
  TestStreamProvider *self = TEST_STREAM_PROVIDER (object);

  g_queue_clear (&self->stream_codes);
  g_clear_pointer (&self->argv, g_ptr_array_unref);
  g_clear_pointer (&self->token, g_free);
  g_clear_pointer (&self->program, g_bytes_unref);
  g_clear_pointer (&self->put_path, g_free);
  g_clear_pointer (&self->put_contents, g_bytes_unref);

  G_OBJECT_CLASS (test_stream_provider_parent_class)->finalize (object);
}

static void
test_stream_provider_class_init (TestStreamProviderClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_stream_provider_finalize;
}

static void
test_stream_provider_init (TestStreamProvider *self)
{
  g_queue_init (&self->stream_codes);
  self->argv = g_ptr_array_new_with_free_func (g_free);
}

static char *
dup_name (AsbProvider *provider)
{
  return g_strdup ("stream");
}

/* A stream that ends at once. */
static GIOStream *
new_stream (void)
{
  g_autoptr (GInputStream) input = g_memory_input_stream_new ();
  g_autoptr (GOutputStream) output = g_memory_output_stream_new_resizable ();

  return g_simple_io_stream_new (input, output);
}

/* Likewise, as of a guest that is ended. */
static GIOStream *
new_socket_stream (void)
{
  g_autoptr (GSocket) connected = NULL;
  g_autoptr (GError) error = NULL;
  int fds[2];

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
  close (fds[1]);
  connected = g_socket_new_from_fd (fds[0], &error);
  g_assert_no_error (error);
  return G_IO_STREAM (g_socket_connection_factory_create_connection (connected));
}

static GError *
new_failure (TestStreamProvider *self, int code)
{
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  GVariantDict details;

  if (!self->better_path)
    return g_error_new_literal (ASB_ERROR, code, "No stream");
  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert (&details, "guest_path", "s", self->better_path);
  asb_error_info_set_details (info, g_variant_dict_end (&details));
  return asb_error_new_with_info (code, "No stream", info);
}

/* Each client has a token of its own, which nobody can guess. */
static void
check_token (TestStreamProvider *self, const char *token)
{
  g_assert_nonnull (token);
  g_assert_cmpuint (strlen (token), ==, 64);
  g_assert_cmpuint (strspn (token, "0123456789abcdef"), ==, 64);
  if (self->token)
    g_assert_cmpstr (token, ==, self->token);
  else
    self->token = g_strdup (token);
}

static void
open_stream (AsbProvider *provider, const char *sandbox_id, AsbStreamSpec *spec, GTask *task)
{
  TestStreamProvider *self = TEST_STREAM_PROVIDER (provider);
  const char *const *argv = asb_stream_spec_get_argv (spec);
  int code = GPOINTER_TO_INT (g_queue_pop_head (&self->stream_codes));

  g_assert_cmpstr (sandbox_id, ==, "sb");
  check_token (self, asb_stream_spec_get_token (spec));
  g_clear_pointer (&self->program, g_bytes_unref);
  self->program = g_bytes_ref (asb_stream_spec_get_program (spec));
  g_ptr_array_add (self->argv, argv ? g_strjoinv (" ", (char **)argv) : g_strdup (""));
  if (code)
    g_task_return_error (task, new_failure (self, code));
  else
    asb_task_return_object (task, self->gives_sockets ? new_socket_stream () : new_stream ());
}

static void
put_file (AsbProvider *provider, const char *sandbox_id, const char *path, GBytes *contents,
          guint mode, GTask *task)
{
  TestStreamProvider *self = TEST_STREAM_PROVIDER (provider);

  self->n_put++;
  self->put_path = g_strdup (path);
  self->put_contents = g_bytes_ref (contents);
  self->put_mode = mode;
  if (self->put_code)
    g_task_return_new_error (task, ASB_ERROR, self->put_code,
                             "Could not put a file into the sandbox: No room");
  else
    g_task_return_boolean (task, TRUE);
}

static void
test_stream_provider_iface_init (AsbProviderInterface *iface)
{
  iface->dup_name = dup_name;
  iface->open_stream = open_stream;
  iface->put_file = put_file;
}

typedef struct
{
  TestStreamProvider *provider;
  char *folder;
  char *program;
  char *path; /* where it is put */
  char *connect;
  GError *error;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *hash
      = g_compute_checksum_for_string (G_CHECKSUM_SHA256, "the guest program", -1);

  fixture->provider = g_object_new (TEST_TYPE_STREAM_PROVIDER, NULL);
  fixture->folder = g_dir_make_tmp ("asb-placement-XXXXXX", NULL);
  fixture->program = g_build_filename (fixture->folder, "asb-guest", NULL);
  fixture->path = g_strdup_printf ("/.agent-history/bin/asb-guest-%.16s", hash);
  fixture->connect = g_strconcat (fixture->path, " connect", NULL);
  g_assert_true (g_file_set_contents (fixture->program, "the guest program", -1, NULL));
  g_setenv ("ASB_GUEST_PATH", fixture->program, TRUE);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  TestCensus census;

  test_census_init (&census);
  test_census_add (&census, fixture->provider);
  g_clear_object (&fixture->provider);
  g_clear_error (&fixture->error);
  g_remove (fixture->program);
  g_rmdir (fixture->folder);
  g_free (fixture->connect);
  g_free (fixture->path);
  g_free (fixture->program);
  g_free (fixture->folder);
  test_census_wait (&census);
}

/* It always fails in the end: nobody answers in the stream. */
static void
place (Fixture *fixture)
{
  g_auto (TestAnswer) answer = { 0 };

  asb_guest_placement_open_async (ASB_PROVIDER (fixture->provider), "sb", 60, NULL, test_answer_cb,
                                  &answer);
  g_assert_cmpuint (answer.n_calls, ==, 0);
  g_assert_null (asb_guest_placement_open_finish (ASB_PROVIDER (fixture->provider),
                                                  test_answer_wait (&answer), &fixture->error));
  g_assert_nonnull (fixture->error);
}

static void
will_fail (Fixture *fixture, int code)
{
  g_queue_push_tail (&fixture->provider->stream_codes, GINT_TO_POINTER (code));
}

static void
check_argv (Fixture *fixture, guint n)
{
  g_assert_cmpuint (fixture->provider->argv->len, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpstr (fixture->provider->argv->pdata[i], ==, fixture->connect);
}

static void
test_there (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A guest that is there is used, and nothing put");

  place (fixture);
  check_argv (fixture, 1);
  g_assert_cmpuint (fixture->provider->n_put, ==, 0);
}

static void
test_at_an_end (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A guest of this machine that is about to end is looked for once more");

  fixture->provider->gives_sockets = TRUE;
  place (fixture);
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE);
  check_argv (fixture, 2);
  g_assert_cmpuint (fixture->provider->n_put, ==, 0);
}

static void
test_put (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("One that is not is put there under its hash, and tried again");

  will_fail (fixture, ASB_ERROR_COMMAND_NOT_FOUND);
  place (fixture);
  check_argv (fixture, 2);
  g_assert_cmpuint (fixture->provider->n_put, ==, 1);
  g_assert_cmpstr (fixture->provider->put_path, ==, fixture->path);
  g_assert_cmpuint (fixture->provider->put_mode, ==, 0755);
  test_assert_bytes (fixture->provider->put_contents, "the guest program");
}

static void
test_program (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GBytes) program = NULL;

  g_test_summary ("The program is read once, until it is another");

  place (fixture);
  program = g_bytes_ref (fixture->provider->program);
  test_assert_bytes (program, "the guest program");
  g_clear_error (&fixture->error);
  g_clear_pointer (&fixture->provider->token, g_free);
  place (fixture);
  g_assert_true (fixture->provider->program == program);
  g_clear_error (&fixture->error);
  g_clear_pointer (&fixture->provider->token, g_free);
  g_assert_true (g_file_set_contents (fixture->program, "another program", -1, NULL));
  place (fixture);
  test_assert_bytes (fixture->provider->program, "another program");
  g_assert_cmpstr (fixture->provider->argv->pdata[2], !=, fixture->connect);
}

static void
test_put_elsewhere (Fixture *fixture, gconstpointer data)
{
  g_autofree char *connect = g_strconcat ("/tmp/elsewhere/asb-guest", " connect", NULL);

  g_test_summary ("A provider that knows a better place gets the program there");

  fixture->provider->better_path = "/tmp/elsewhere/asb-guest";
  will_fail (fixture, ASB_ERROR_COMMAND_NOT_FOUND);
  place (fixture);
  g_assert_cmpuint (fixture->provider->argv->len, ==, 2);
  g_assert_cmpstr (fixture->provider->argv->pdata[0], ==, fixture->connect);
  g_assert_cmpstr (fixture->provider->argv->pdata[1], ==, connect);
  g_assert_cmpstr (fixture->provider->put_path, ==, "/tmp/elsewhere/asb-guest");
}

static void
test_token_of_each (Fixture *fixture, gconstpointer data)
{
  g_autofree char *first = NULL;

  g_test_summary ("No two clients have the same token");

  place (fixture);
  first = g_steal_pointer (&fixture->provider->token);
  g_clear_error (&fixture->error);
  place (fixture);
  g_assert_cmpstr (fixture->provider->token, !=, first);
}

static void
test_put_once (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("It is put there once: if it still is not found, that is the error");

  will_fail (fixture, ASB_ERROR_COMMAND_NOT_FOUND);
  will_fail (fixture, ASB_ERROR_COMMAND_NOT_FOUND);
  place (fixture);
  check_argv (fixture, 2);
  g_assert_cmpuint (fixture->provider->n_put, ==, 1);
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND);
  g_assert_true (g_str_has_prefix (fixture->error->message,
                                   "Could not run the guest that was put at “/.agent-history/"));
}

static void
test_other_error (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("For another reason than its absence nothing is put");

  will_fail (fixture, ASB_ERROR_COMMAND_NOT_EXECUTABLE);
  place (fixture);
  check_argv (fixture, 1);
  g_assert_cmpuint (fixture->provider->n_put, ==, 0);
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_EXECUTABLE);
}

static void
test_put_fails (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("When it cannot be put, that is told once");

  will_fail (fixture, ASB_ERROR_COMMAND_NOT_FOUND);
  fixture->provider->put_code = ASB_ERROR_NO_SPACE;
  place (fixture);
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_NO_SPACE);
  g_assert_cmpstr (fixture->error->message, ==,
                   "Could not put the guest into the sandbox: No room");
  check_argv (fixture, 1);
}

static void
test_no_program (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Without a program on this side there is no guest, and its file is named");

  g_assert_cmpint (g_remove (fixture->program), ==, 0);
  place (fixture);
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE);
  g_assert_nonnull (g_strstr_len (fixture->error->message, -1, fixture->program));
  check_argv (fixture, 0);
}

/* A provider over the mock that also gives streams, in which no guest can run. */

#define TEST_TYPE_BOTH_PROVIDER (test_both_provider_get_type ())
G_DECLARE_FINAL_TYPE (TestBothProvider, test_both_provider, TEST, BOTH_PROVIDER, GObject)

struct _TestBothProvider
{
  GObject parent_instance;

  AsbProvider *mock;
  int code; /* what opening a stream fails with */
};

static void test_both_provider_iface_init (AsbProviderInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TestBothProvider, test_both_provider, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_PROVIDER,
                                                      test_both_provider_iface_init))

static AsbProviderInterface *
mock_of (AsbProvider *provider)
{
  return ASB_PROVIDER_GET_IFACE (TEST_BOTH_PROVIDER (provider)->mock);
}

static void
both_create_sandbox (AsbProvider *provider, AsbSandboxSpec *spec, GTask *task)
{
  mock_of (provider)->create_sandbox (TEST_BOTH_PROVIDER (provider)->mock, spec, task);
}

static void
both_delete_sandbox (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  mock_of (provider)->delete_sandbox (TEST_BOTH_PROVIDER (provider)->mock, sandbox_id, task);
}

static void
both_open_transport (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  mock_of (provider)->open_transport (TEST_BOTH_PROVIDER (provider)->mock, sandbox_id, task);
}

static void
both_open_stream (AsbProvider *provider, const char *sandbox_id, AsbStreamSpec *spec, GTask *task)
{
  g_task_return_new_error (task, ASB_ERROR, TEST_BOTH_PROVIDER (provider)->code, "No stream");
}

static void
test_both_provider_iface_init (AsbProviderInterface *iface)
{
  iface->dup_name = dup_name;
  iface->create_sandbox = both_create_sandbox;
  iface->delete_sandbox = both_delete_sandbox;
  iface->open_transport = both_open_transport;
  iface->open_stream = both_open_stream;
}

static void
test_both_provider_finalize (GObject *object)
{
  g_clear_object (&TEST_BOTH_PROVIDER (object)->mock);

  G_OBJECT_CLASS (test_both_provider_parent_class)->finalize (object);
}

static void
test_both_provider_class_init (TestBothProviderClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_both_provider_finalize;
}

static void
test_both_provider_init (TestBothProvider *self)
{
  self->mock = test_mock_new (NULL);
}

static void
test_own_transport (void)
{
  g_autoptr (TestBothProvider) provider = g_object_new (TEST_TYPE_BOTH_PROVIDER, NULL);
  g_autoptr (AsbBackendOptions) options = test_options_new (ASB_PROVIDER (provider));
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbCapabilities) capabilities = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Where the guest cannot run the transport of the provider is used, only there");

  provider->code = ASB_ERROR_GUEST_UNAVAILABLE;
  backend = asb_create_backend (options, NULL, &error);
  g_assert_no_error (error);
  capabilities = asb_backend_get_capabilities (backend);
  g_assert_cmpstr (asb_capability_get_reason (asb_capabilities_get (capabilities, "guest")), ==,
                   "No stream");
  g_assert_false (asb_capabilities_supports (capabilities, "guest"));
  g_assert_cmpuint (test_mock_get_transport_count (provider->mock), ==, 1);
  test_backend_close (backend);

  provider->code = ASB_ERROR_PROVIDER;
  g_assert_null (asb_create_backend (options, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_cmpuint (test_mock_get_sandbox_count (provider->mock), ==, 0);
}

#define ADD(path, function)                                                                        \
  g_test_add ("/guest-placement/" path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("there", test_there);
  ADD ("at-an-end", test_at_an_end);
  ADD ("put", test_put);
  ADD ("program", test_program);
  ADD ("put-elsewhere", test_put_elsewhere);
  ADD ("put-once", test_put_once);
  ADD ("token", test_token_of_each);
  ADD ("other-error", test_other_error);
  ADD ("put-fails", test_put_fails);
  ADD ("no-program", test_no_program);
  g_test_add_func ("/guest-placement/own-transport", test_own_transport);
  return g_test_run ();
}
