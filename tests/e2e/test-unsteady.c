/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A local sandbox whose connection breaks after random numbers of bytes, again and again: nothing
 * is lost, nothing is done twice, and the record tells all of it. */

#include <string.h>

#include "cutter.h"
#include "story.h"

#define N_STREAMS_THAT_BREAK 120
#define N_ROUNDS 12

/* The local provider, through a cutter. */

#define TEST_TYPE_UNSTEADY_PROVIDER (test_unsteady_provider_get_type ())
G_DECLARE_FINAL_TYPE (TestUnsteadyProvider, test_unsteady_provider, TEST, UNSTEADY_PROVIDER,
                      GObject)

struct _TestUnsteadyProvider
{
  GObject parent_instance;

  AsbProvider *local;
  Cutter *cutter;
  GThread *owner; /* (nullable): where it must be asked */
};

static void iface_init (AsbProviderInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TestUnsteadyProvider, test_unsteady_provider, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_PROVIDER, iface_init))

static void
test_unsteady_provider_finalize (GObject *object)
{
  g_clear_object (&TEST_UNSTEADY_PROVIDER (object)->local);

  G_OBJECT_CLASS (test_unsteady_provider_parent_class)->finalize (object);
}

static void
test_unsteady_provider_class_init (TestUnsteadyProviderClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_unsteady_provider_finalize;
}

static void
test_unsteady_provider_init (TestUnsteadyProvider *self)
{
}

static AsbProvider *
local_of (AsbProvider *provider)
{
  return TEST_UNSTEADY_PROVIDER (provider)->local;
}

static char *
dup_name (AsbProvider *provider)
{
  return g_strdup ("local");
}

static void
return_object (GTask *task, GType type, gpointer object)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, type);
  g_value_take_object (&value, object);
  g_task_return_value (task, &value);
  g_object_unref (task);
}

static void
return_error (GTask *task, GError *error)
{
  g_task_return_error (task, error);
  g_object_unref (task);
}

static void
created_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;
  AsbSandboxInfo *info = asb_provider_create_sandbox_finish (ASB_PROVIDER (source), result, &error);

  if (info)
    return_object (user_data, ASB_TYPE_SANDBOX_INFO, info);
  else
    return_error (user_data, error);
}

static void
create_sandbox (AsbProvider *provider, AsbSandboxSpec *spec, GTask *task)
{
  asb_provider_create_sandbox_async (local_of (provider), spec, g_task_get_cancellable (task),
                                     created_cb, g_object_ref (task));
}

static void
deleted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;

  if (!asb_provider_delete_sandbox_finish (ASB_PROVIDER (source), result, &error))
    {
      return_error (user_data, error);
      return;
    }
  g_task_return_boolean (user_data, TRUE);
  g_object_unref (user_data);
}

static void
delete_sandbox (AsbProvider *provider, const char *sandbox_id, GTask *task)
{
  asb_provider_delete_sandbox_async (local_of (provider), sandbox_id, g_task_get_cancellable (task),
                                     deleted_cb, g_object_ref (task));
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  TestUnsteadyProvider *self = TEST_UNSTEADY_PROVIDER (g_task_get_source_object (user_data));
  GError *error = NULL;
  GIOStream *stream = asb_provider_open_stream_finish (ASB_PROVIDER (source), result, &error);

  if (stream)
    return_object (user_data, G_TYPE_IO_STREAM, cutter_wrap (self->cutter, stream));
  else
    return_error (user_data, error);
}

static void
open_stream (AsbProvider *provider, const char *sandbox_id, AsbStreamSpec *spec, GTask *task)
{
  TestUnsteadyProvider *self = TEST_UNSTEADY_PROVIDER (provider);

  g_assert_true (!self->owner || self->owner == g_thread_self ());
  asb_provider_open_stream_async (self->local, sandbox_id, spec, g_task_get_cancellable (task),
                                  opened_cb, g_object_ref (task));
}

static void
iface_init (AsbProviderInterface *iface)
{
  iface->dup_name = dup_name;
  iface->create_sandbox = create_sandbox;
  iface->delete_sandbox = delete_sandbox;
  iface->open_stream = open_stream;
}

static AsbProvider *
provider_new (Cutter *cutter, GThread *owner)
{
  TestUnsteadyProvider *self = g_object_new (TEST_TYPE_UNSTEADY_PROVIDER, NULL);
  g_autoptr (GError) error = NULL;

  self->local = asb_registry_create_provider (asb_registry_get_default (), "local", NULL, &error);
  g_assert_no_error (error);
  self->cutter = cutter;
  self->owner = owner;
  ASB_PROVIDER_GET_IFACE (self)->thread_safe = owner == NULL;
  return ASB_PROVIDER (self);
}

/* What is done. */

static GBytes *
random_bytes (GRand *chance, gint32 least, gint32 most)
{
  gsize size = (gsize)g_rand_int_range (chance, least, most);
  guint8 *bytes = g_malloc (size);

  for (gsize i = 0; i < size; i++)
    bytes[i] = (guint8)g_rand_int (chance);
  return g_bytes_new_take (bytes, size);
}

static void
check_command (Story *story, guint number)
{
  g_autofree char *shell
      = g_strdup_printf ("echo %u >> runs; head -c %u /dev/urandom | base64 | tee printed; exit %u",
                         number, number * 1000, number % 3);
  g_autoptr (AsbCommandResult) result = story_execute (story, shell);
  g_autoptr (GBytes) printed = story_read (story, "/workspace/printed");

  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, (int)number % 3);
  g_assert_true (g_bytes_equal (asb_command_result_get_stdout_bytes (result), printed));
}

static void
check_pipe (Story *story, GRand *chance)
{
  g_autoptr (GBytes) input = random_bytes (chance, 100000, 900000);
  g_autoptr (GBytes) output = story_pipe (story, "tee copy", input);
  g_autoptr (GBytes) copy = story_read (story, "/workspace/copy");

  g_assert_true (g_bytes_equal (output, input));
  g_assert_true (g_bytes_equal (copy, input));
}

static void
check_files (Story *story, GRand *chance, guint number)
{
  g_autofree char *path = g_strdup_printf ("/workspace/files/%u", number);
  g_autoptr (GBytes) contents = random_bytes (chance, 0, 300000);
  g_autoptr (GBytes) read = NULL;
  g_autoptr (GListModel) listing = NULL;

  story_write (story, path, contents);
  read = story_read (story, path);
  g_assert_true (g_bytes_equal (read, contents));
  listing = story_list (story, "/workspace/files");
  g_assert_cmpuint (g_list_model_get_n_items (listing), ==, number);
}

static void
check_runs (Story *story)
{
  g_autoptr (GString) expected = g_string_new (NULL);
  g_autoptr (GBytes) runs = story_read (story, "/workspace/runs");

  for (guint i = 1; i <= N_ROUNDS; i++)
    g_string_append_printf (expected, "%u\n", i);
  g_assert_cmpmem (g_bytes_get_data (runs, NULL), g_bytes_get_size (runs), expected->str,
                   expected->len);
}

static void
work (Story *story, guint32 seed)
{
  g_autoptr (GRand) chance = g_rand_new_with_seed (seed);

  for (guint i = 1; i <= N_ROUNDS; i++)
    {
      check_command (story, i);
      check_pipe (story, chance);
      check_files (story, chance, i);
    }
  check_runs (story);
  story_check_record (story);
}

static void
finish (Story *story, Cutter *cutter, AsbProvider *provider)
{
  g_test_message ("%u streams were cut", cutter_count (cutter));
  g_assert_cmpuint (cutter_count (cutter), >, 20);
  story_free (story);
  g_object_unref (provider);
  cutter_free (cutter);
}

static void
test_any_thread (gconstpointer data)
{
  guint32 seed = GPOINTER_TO_UINT (data);
  Cutter *cutter = cutter_new (seed, N_STREAMS_THAT_BREAK);
  AsbProvider *provider = provider_new (cutter, NULL);
  Story *story = story_new (provider);

  work (story, seed);
  finish (story, cutter, provider);
}

typedef struct
{
  Story *story;
  GMainLoop *loop;
} Work;

static gpointer
work_in_thread (gpointer data)
{
  Work *work_there = data;

  work (work_there->story, 5);
  g_main_loop_quit (work_there->loop);
  return NULL;
}

/* The provider is asked in the thread in which the backend was made, and nowhere else. */
static void
test_owner (void)
{
  Cutter *cutter = cutter_new (4, N_STREAMS_THAT_BREAK);
  AsbProvider *provider = provider_new (cutter, g_thread_self ());
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  Work work_there = { story_new (provider), loop };
  GThread *thread = g_thread_new ("work", work_in_thread, &work_there);

  g_main_loop_run (loop);
  g_thread_join (thread);
  finish (work_there.story, cutter, provider);
}

int
main (int argc, char **argv)
{
  /* "./dev faults" tries more. */
  guint n_seeds = g_strcmp0 (g_getenv ("ASB_TEST_FAULTS"), "all") == 0 ? 40 : 3;

  g_test_init (&argc, &argv, NULL);
  for (guint seed = 1; seed <= n_seeds; seed++)
    {
      g_autofree char *path = g_strdup_printf ("/unsteady/any-thread/%u", seed);

      g_test_add_data_func (path, GUINT_TO_POINTER (seed), test_any_thread);
    }
  g_test_add_func ("/unsteady/owner", test_owner);
  return g_test_run ();
}
