/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-store.h"

#include "asb-call-private.h"

/* Each step of making a backend fails in every way. Afterwards nothing is left of what was made,
 * and nothing is lost that was there. */

typedef enum
{
  FAILS,
  HAS_NO_ANSWER,
  DROPS_ITS_TASK,
  ANSWERS_WRONGLY,
  ANSWERS_EMPTILY,
  IS_CANCELLED,        /* and says so */
  IGNORES_CANCELLATION /* and never answers */
} Way;

static const char *const way_names[]
    = { "fails",           "has-no-answer", "drops-its-task",      "answers-wrongly",
        "answers-emptily", "is-cancelled",  "ignores-cancellation" };

typedef struct
{
  const char *operation; /* of the mock, or “open” and “record” of the store, or “factory” */
  const char *words; /* of the call it makes */
  gboolean boolean;  /* of the answer: then there is no wrong one */
  gboolean of_store;
  gboolean connects;
} Step;

static const Step steps[] = {
  { "create_sandbox", "create the sandbox", FALSE, FALSE, FALSE },
  { "open_transport", "open a transport into the sandbox", FALSE, FALSE, FALSE },
  { "factory", "make the transport", FALSE, FALSE, FALSE },
  { "open", "open the history", TRUE, TRUE, FALSE },
  { "record", "record the operation", TRUE, TRUE, FALSE },
  { "make_directory", "make the directory", TRUE, FALSE, FALSE },
  { "get_sandbox", "get the sandbox", FALSE, FALSE, TRUE },
  { "open_transport", "open a transport into the sandbox", FALSE, FALSE, TRUE },
  { "factory", "make the transport", FALSE, FALSE, TRUE },
  { "open", "open the history", TRUE, TRUE, TRUE },
  { "record", "record the operation", TRUE, TRUE, TRUE },
};

typedef struct
{
  const Step *step;
  Way way;
  gboolean blocking;
} Case;

typedef struct
{
  AsbProvider *mock;
  TestStore *store;
  AsbBackendOptions *options;
  GCancellable *cancellable;
  const Case *test_case;
  GTask *held; /* of the factory */
} Fixture;

static AsbHistoryStore *
give_store (AsbRegistry *registry, const char *name, GVariant *options, gpointer user_data,
            GError **error)
{
  return g_object_ref (user_data);
}

/* The backend owns the store, so that it has to close it. */
static void
use_own_store (Fixture *fixture)
{
  g_autoptr (AsbRegistry) registry = asb_registry_new ();
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();

  g_assert_true (asb_registry_register_history_store_factory (
      registry, "sandbox", give_store, g_object_ref (fixture->store), g_object_unref, NULL));
  asb_history_config_set_mode (config, ASB_HISTORY_MODE_SANDBOX);
  asb_backend_options_set_history (fixture->options, config);
  asb_backend_options_set_registry (fixture->options, registry);
}

static void
use_existing_sandbox (Fixture *fixture)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = asb_provider_create_sandbox (fixture->mock, spec, NULL, NULL);

  asb_backend_options_set_mode (fixture->options, ASB_BACKEND_MODE_CONNECT);
  asb_backend_options_set_ref (fixture->options, asb_sandbox_info_get_ref (info));
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->test_case = data;
  fixture->mock = test_mock_new (NULL);
  fixture->store = test_store_new ();
  fixture->cancellable = g_cancellable_new ();
  fixture->options = test_options_new (fixture->mock);
  use_own_store (fixture);
  if (fixture->test_case && fixture->test_case->step->connects)
    use_existing_sandbox (fixture);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  TestCensus census;

  if (fixture->test_case)
    asb_call_set_limit (fixture->test_case->step->words, -1);
  asb_call_set_limit (NULL, -1);
  test_census_init (&census);
  test_census_add (&census, fixture->mock);
  test_census_add (&census, fixture->store);
  test_census_add (&census, fixture->options);
  test_census_add (&census, fixture->cancellable);
  test_mock_forget (fixture->mock, "*");
  test_store_forget (fixture->store);
  g_clear_object (&fixture->held);
  g_clear_object (&fixture->options);
  g_clear_object (&fixture->store);
  g_clear_object (&fixture->mock);
  g_clear_object (&fixture->cancellable);
  test_census_wait (&census);
}

/* Arranging the fault. */

static void
arrange_in_mock (Fixture *fixture)
{
  static const char *const faults[]
      = { "fail", "hold", "drop", "wrong-type", "empty", "delay", "hold" };
  const char *operation = fixture->test_case->step->operation;
  g_autofree char *rule
      = g_strdup_printf ("{'operation': <'%s'>, 'fault': <'%s'>, 'delay-ms': <3600000>}", operation,
                         faults[fixture->test_case->way]);

  test_mock_add_fault (fixture->mock, rule);
  if (fixture->test_case->way >= IS_CANCELLED)
    test_mock_cancel_on_call (fixture->mock, operation, fixture->cancellable);
}

static void
arrange_in_store (Fixture *fixture)
{
  static const TestStoreManner manners[]
      = { TEST_STORE_FAILS,   TEST_STORE_HOLDS,   TEST_STORE_DROPS, TEST_STORE_ANSWERS,
          TEST_STORE_ANSWERS, TEST_STORE_ANSWERS, TEST_STORE_HOLDS };
  const char *operation = fixture->test_case->step->operation;
  TestStoreManner manner = manners[fixture->test_case->way];

  if (g_str_equal (operation, "open"))
    fixture->store->open_manner = manner;
  else
    fixture->store->record_manner = manner;
  if (fixture->test_case->way < IS_CANCELLED)
    return;
  fixture->store->cancel_on = operation;
  fixture->store->cancellable = g_object_ref (fixture->cancellable);
}

static void
make_transport (AsbProvider *provider, AsbSandboxRef *ref, GTask *task, gpointer user_data)
{
  Fixture *fixture = user_data;
  g_auto (GValue) value = G_VALUE_INIT;

  if (fixture->test_case->way >= IS_CANCELLED)
    g_cancellable_cancel (fixture->cancellable);
  switch (fixture->test_case->way)
    {
    case FAILS:
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_PROVIDER, "No way in");
      break;
    case HAS_NO_ANSWER:
    case IGNORES_CANCELLATION:
      fixture->held = g_object_ref (task);
      break;
    case ANSWERS_WRONGLY:
      g_value_init (&value, G_TYPE_CANCELLABLE);
      g_value_take_object (&value, g_cancellable_new ());
      g_task_return_value (task, &value);
      break;
    case ANSWERS_EMPTILY:
      g_value_init (&value, ASB_TYPE_TRANSPORT);
      g_task_return_value (task, &value);
      break;
    case IS_CANCELLED:
      g_assert_true (g_task_return_error_if_cancelled (task));
      break;
    default:
      break;
    }
}

static void
arrange (Fixture *fixture)
{
  if (g_str_equal (fixture->test_case->step->operation, "factory"))
    asb_backend_options_set_transport_factory (fixture->options, make_transport, fixture, NULL);
  else if (fixture->test_case->step->of_store)
    arrange_in_store (fixture);
  else
    arrange_in_mock (fixture);

  if (fixture->test_case->way == HAS_NO_ANSWER)
    asb_call_set_limit (fixture->test_case->step->words, 1);
  else if (fixture->test_case->way == IGNORES_CANCELLATION)
    asb_call_set_limit (NULL, 1);
}

/* Looking at what came of it. */

static void
check_error (Fixture *fixture, const GError *error)
{
  static const int codes[] = { ASB_ERROR_PROVIDER, ASB_ERROR_TIMED_OUT, ASB_ERROR_INTERNAL,
                               ASB_ERROR_PROTOCOL, ASB_ERROR_PROTOCOL };
  const Step *step = fixture->test_case->step;
  Way way = fixture->test_case->way;
  AsbErrorInfo *info;

  if (way >= IS_CANCELLED)
    {
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      return;
    }
  if (step->of_store && way == FAILS)
    g_assert_error (error, ASB_ERROR, ASB_ERROR_HISTORY_DATABASE);
  else
    g_assert_error (error, ASB_ERROR, codes[way]);
  info = asb_error_get_info (error);
  g_assert_cmpstr (asb_error_info_get_operation (info), ==,
                   step->connects ? "sandbox.connect" : "sandbox.create");
  g_assert_cmpstr (asb_error_info_get_provider_name (info), ==, "mock");
  g_assert_cmpstr (asb_error_info_get_provider_key (info), ==, "mock-default");
  if (!g_str_equal (step->operation, "create_sandbox"))
    g_assert_nonnull (asb_error_info_get_sandbox_id (info));
  g_assert_true (asb_error_info_get_last () == info);
}

static void
check_nothing_left (Fixture *fixture)
{
  gboolean connects = fixture->test_case->step->connects;

  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, connects ? 1 : 0);
  g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 0);
  if (connects)
    g_assert_cmpuint (test_mock_get_calls (fixture->mock, "delete_sandbox"), ==, 0);
  if (fixture->store->n_opened > 0)
    g_assert_cmpuint (fixture->store->n_closed, ==, 1);
}

static AsbBackend *
create (Fixture *fixture, GError **error)
{
  g_auto (TestAnswer) answer = { 0 };

  if (fixture->test_case->blocking)
    return asb_create_backend (fixture->options, fixture->cancellable, error);
  asb_create_backend_async (fixture->options, fixture->cancellable, test_answer_cb, &answer);
  g_assert_cmpuint (answer.n_calls, ==, 0);
  return asb_create_backend_finish (test_answer_wait (&answer), error);
}

static void
test_fault (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary (
      "A step that goes wrong ends it all with its error, and all that was made is gone");

  arrange (fixture);
  g_assert_null (create (fixture, &error));
  check_error (fixture, error);
  check_nothing_left (fixture);
}

/* A creation that is answered too late: the same, with the answer. */
static void
test_late (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_auto (TestAnswer) answer = { 0 };

  g_test_summary ("A sandbox that is made after all is deleted");

  asb_call_set_limit ("create the sandbox", 1);
  test_mock_add_fault (fixture->mock,
                       "{'operation': <'create_sandbox'>, 'fault': <'hold'>, 'done': <true>}");
  asb_create_backend_async (fixture->options, NULL, test_answer_cb, &answer);
  g_assert_null (asb_create_backend_finish (test_answer_wait (&answer), &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 1);
  g_assert_cmpuint (test_mock_release (fixture->mock, "*"), ==, 1);
  while (test_mock_get_sandbox_count (fixture->mock) > 0)
    g_main_context_iteration (NULL, TRUE);
  asb_call_set_limit ("create the sandbox", -1);
}

static void
test_late_transport (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_auto (TestAnswer) answer = { 0 };

  g_test_summary ("A transport that is opened after all is closed");

  asb_call_set_limit ("open a transport into the sandbox", 1);
  test_mock_add_fault (fixture->mock,
                       "{'operation': <'open_transport'>, 'fault': <'hold'>, 'done': <true>}");
  asb_create_backend_async (fixture->options, NULL, test_answer_cb, &answer);
  g_assert_null (asb_create_backend_finish (test_answer_wait (&answer), &error));
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
  g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 1);
  g_assert_cmpuint (test_mock_release (fixture->mock, "*"), ==, 1);
  while (test_mock_get_calls (fixture->mock, "close") == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 0);
  asb_call_set_limit ("open a transport into the sandbox", -1);
}

static void
test_cancelled_before (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("When it is cancelled before, nothing is begun");

  g_cancellable_cancel (fixture->cancellable);
  g_assert_null (asb_create_backend (fixture->options, fixture->cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "create_sandbox"), ==, 0);
}

static void
test_done_although_cancelled (Fixture *fixture, gconstpointer data)
{
  static const char *const operations[] = { "create_sandbox", "open_transport", "make_directory" };

  g_test_summary ("A step that is done in spite of a cancellation is undone");

  for (gsize i = 0; i < G_N_ELEMENTS (operations); i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      g_autofree char *rule = g_strdup_printf (
          "{'operation': <'%s'>, 'fault': <'delay'>, 'done': <true>}", operations[i]);

      test_mock_clear_faults (fixture->mock);
      test_mock_add_fault (fixture->mock, rule);
      test_mock_cancel_on_call (fixture->mock, operations[i], cancellable);
      g_assert_null (asb_create_backend (fixture->options, cancellable, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
      g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 0);
    }
}

/* When undoing fails too. */

static void
check_left_behind (Fixture *fixture, const char *rule)
{
  g_autoptr (GError) error = NULL;

  test_mock_add_fault (fixture->mock, "{'operation': <'make_directory'>, 'fault': <'fail'>,"
                                      " 'message': <'No room'>, 'code': <'no_space'>}");
  test_mock_add_fault (fixture->mock, rule);
  g_assert_null (asb_create_backend (fixture->options, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_NO_SPACE);
  g_assert_nonnull (g_strstr_len (error->message, -1, "is left behind"));
  g_assert_nonnull (g_strstr_len (error->message, -1, "No room"));
  g_assert_nonnull (g_strstr_len (error->message, -1,
                                  asb_error_info_get_sandbox_id (asb_error_get_info (error))));
}

static void
test_left_behind (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A sandbox that cannot be deleted is named; the first error stays the error");

  check_left_behind (fixture, "{'operation': <'delete_sandbox'>, 'fault': <'fail'>}");
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 1);
}

static void
test_left_behind_without_answer (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("The same when nothing answers any more");

  asb_call_set_limit ("delete the sandbox", 1);
  asb_call_set_limit ("close the transport", 1);
  asb_call_set_limit ("close the history", 1);
  fixture->store->close_manner = TEST_STORE_HOLDS;
  test_mock_add_fault (fixture->mock, "{'operation': <'close'>, 'fault': <'hold'>}");
  check_left_behind (fixture, "{'operation': <'delete_sandbox'>, 'fault': <'hold'>}");
  g_assert_cmpuint (fixture->store->n_closed, ==, 1);
  asb_call_set_limit ("delete the sandbox", -1);
  asb_call_set_limit ("close the transport", -1);
  asb_call_set_limit ("close the history", -1);
}

static void
test_ready_store_is_not_closed (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("A store that was handed in is not closed when a later step fails");

  asb_backend_options_set_history (fixture->options, NULL);
  asb_backend_options_set_history_store (fixture->options, ASB_HISTORY_STORE (fixture->store));
  test_mock_add_fault (fixture->mock, "{'operation': <'make_directory'>, 'fault': <'fail'>}");
  g_assert_null (asb_create_backend (fixture->options, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_cmpuint (fixture->store->n_opened, ==, 1);
  g_assert_cmpuint (fixture->store->n_closed, ==, 0);
}

/* As the guest says it where it is not root. */
static void
test_no_place_for_store (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("Where the sandbox cannot keep the history the option is named");

  fixture->store->open_manner = TEST_STORE_FAILS;
  fixture->store->fail_code = ASB_ERROR_HISTORY_DATABASE;
  fixture->store->fail_words = "Could not make the folder “/.agent-history”: Permission denied";
  g_assert_null (asb_create_backend (fixture->options, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_HISTORY_DATABASE);
  g_assert_nonnull (strstr (error->message, "“/.agent-history”"));
  g_assert_nonnull (strstr (error->message, "the option “history”"));
}

/* What the core says of an answer that does not come names the operation itself. */
static void
test_store_says_it_once (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->store->open_manner = TEST_STORE_DROPS;
  g_assert_null (asb_create_backend (fixture->options, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_prefix (error->message, "Could not open the history: "));
  g_assert_null (strstr (error->message + 1, "Could not open the history"));
}

static void
test_no_place_for_work (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("Where the working directory cannot be made the option is named");

  test_mock_add_fault (fixture->mock, "{'operation': <'make_directory'>, 'fault': <'fail'>}");
  g_assert_null (asb_create_backend (fixture->options, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "the option “workdir”"));
}

static void
test_no_worker_for_work (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("Where nothing can be made at all, another working directory is no help");

  test_mock_add_fault (fixture->mock, "{'operation': <'make_directory'>, 'fault': <'fail'>, "
                                      "'code': <'internal_error'>}");
  g_assert_null (asb_create_backend (fixture->options, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERNAL);
  g_assert_null (strstr (error->message, "the option “workdir”"));
}

static void
test_work_is_made_again (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Whether a working directory was made need not be known: it is made again");

  test_mock_add_fault (fixture->mock, "{'operation': <'make_directory'>, 'fault': <'fail'>, "
                                      "'code': <'interrupted'>, 'call': <int64 1>}");
  test_mock_add_fault (fixture->mock, "{'operation': <'make_directory'>, 'fault': <'fail'>, "
                                      "'code': <'interrupted'>, 'call': <int64 2>}");
  backend = asb_create_backend (fixture->options, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "make_directory"), ==, 3);
  test_backend_close (backend);
  test_mock_clear_faults (fixture->mock);
  test_mock_add_fault (fixture->mock, "{'operation': <'make_directory'>, 'fault': <'fail'>, "
                                      "'code': <'interrupted'>}");
  g_assert_null (asb_create_backend (fixture->options, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

static void
test_no_such_store (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbRegistry) registry = asb_registry_new ();
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("A history that cannot be had ends it before anything is made");

  asb_history_config_set_mode (config, ASB_HISTORY_MODE_DATABASE);
  asb_backend_options_set_history (fixture->options, config);
  asb_backend_options_set_history_database_url (fixture->options, "file:///x");
  asb_backend_options_set_registry (fixture->options, registry);
  test_mock_add_fault (fixture->mock, "{'operation': <'create_sandbox'>, 'fault': <'fail'>}");
  g_assert_null (asb_create_backend (fixture->options, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_MODULE_NOT_FOUND);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
}

/* A provider that tells of sandboxes without an id. */

#define TEST_TYPE_VAGUE_PROVIDER (test_vague_provider_get_type ())
G_DECLARE_FINAL_TYPE (TestVagueProvider, test_vague_provider, TEST, VAGUE_PROVIDER, GObject)

struct _TestVagueProvider
{
  GObject parent_instance;

  gboolean has_ref;
};

static void test_vague_provider_iface_init (AsbProviderInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TestVagueProvider, test_vague_provider, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_PROVIDER,
                                                      test_vague_provider_iface_init))

static char *
test_vague_provider_dup_name (AsbProvider *provider)
{
  return g_strdup ("vague");
}

static void
answer_vaguely (AsbProvider *provider, GTask *task)
{
  g_autoptr (AsbSandboxRef) ref = g_object_new (ASB_TYPE_SANDBOX_REF, NULL);

  asb_task_return_object (task, g_object_new (ASB_TYPE_SANDBOX_INFO, "ref",
                                              TEST_VAGUE_PROVIDER (provider)->has_ref ? ref : NULL,
                                              NULL));
}

static void
test_vague_provider_create_sandbox (AsbProvider *provider, AsbSandboxSpec *spec, GTask *task)
{
  answer_vaguely (provider, task);
}

static void
test_vague_provider_get_sandbox (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  answer_vaguely (provider, task);
}

static void
test_vague_provider_iface_init (AsbProviderInterface *iface)
{
  iface->dup_name = test_vague_provider_dup_name;
  iface->create_sandbox = test_vague_provider_create_sandbox;
  iface->get_sandbox = test_vague_provider_get_sandbox;
}

static void
test_vague_provider_class_init (TestVagueProviderClass *klass)
{
}

static void
test_vague_provider_init (TestVagueProvider *self)
{
}

static void
test_no_identity (void)
{
  g_autoptr (TestVagueProvider) provider = g_object_new (TEST_TYPE_VAGUE_PROVIDER, NULL);
  g_autoptr (AsbBackendOptions) options = test_options_new (ASB_PROVIDER (provider));
  g_autoptr (AsbSandboxRef) ref
      = g_object_new (ASB_TYPE_SANDBOX_REF, "provider-name", "vague", "provider-key",
                      "vague-default", "sandbox-id", "x", NULL);

  g_test_summary ("A sandbox without an id is no answer, to creating and to connecting");

  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (GError) error = NULL;

      provider->has_ref = i % 2;
      if (i == 2)
        {
          asb_backend_options_set_mode (options, ASB_BACKEND_MODE_CONNECT);
          asb_backend_options_set_ref (options, ref);
        }
      g_assert_null (asb_create_backend (options, NULL, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
    }
}

/* What a step cannot do. */
static gboolean
makes_sense (const Step *step, Way way)
{
  return !step->boolean || (way != ANSWERS_WRONGLY && way != ANSWERS_EMPTILY);
}

static void
add_cases (void)
{
  static Case cases[G_N_ELEMENTS (steps) * G_N_ELEMENTS (way_names) * 2];
  Case *test_case = cases;

  for (gsize s = 0; s < G_N_ELEMENTS (steps); s++)
    for (guint way = 0; way < G_N_ELEMENTS (way_names); way++)
      for (guint blocking = 0; blocking < 2; blocking++)
        {
          g_autofree char *path = g_strdup_printf (
              "/create-faults/%s/%s/%s/%s", steps[s].connects ? "connect" : "create",
              steps[s].operation, way_names[way], blocking ? "blocking" : "async");

          *test_case = (Case){ &steps[s], (Way)way, blocking };
          if (makes_sense (&steps[s], (Way)way))
            g_test_add (path, Fixture, test_case, set_up, test_fault, tear_down);
          test_case++;
        }
}

#define ADD(path, function)                                                                        \
  g_test_add ("/create-faults/" path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases ();
  ADD ("late/sandbox", test_late);
  ADD ("late/transport", test_late_transport);
  ADD ("cancelled/before", test_cancelled_before);
  ADD ("cancelled/done", test_done_although_cancelled);
  ADD ("undo/left-behind", test_left_behind);
  ADD ("undo/no-answer", test_left_behind_without_answer);
  ADD ("store/ready", test_ready_store_is_not_closed);
  ADD ("store/none", test_no_such_store);
  ADD ("store/no-place", test_no_place_for_store);
  ADD ("store/once", test_store_says_it_once);
  ADD ("workdir/no-place", test_no_place_for_work);
  ADD ("workdir/no-worker", test_no_worker_for_work);
  ADD ("workdir/again", test_work_is_made_again);
  g_test_add_func ("/create-faults/no-identity", test_no_identity);
  return g_test_run ();
}
