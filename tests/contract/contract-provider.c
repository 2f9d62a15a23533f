/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every provider has to keep to. ASB_TEST_PROVIDER names it, ASB_TEST_PROVIDER_OPTIONS holds
 * its options as the text of an a{sv}. */

#include <asb.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#define N_THREADS 8

static const char *unavailable; /* why the provider cannot work here */

static AsbProvider *
new_provider (void)
{
  const char *name = g_getenv ("ASB_TEST_PROVIDER");
  const char *text = g_getenv ("ASB_TEST_PROVIDER_OPTIONS");
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) options = NULL;
  AsbProvider *provider;

  if (text)
    options = g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, &error);
  g_assert_no_error (error);
  provider = asb_registry_create_provider (asb_registry_get_default (), name, options, &error);
  g_assert_no_error (error);
  return provider;
}

typedef struct
{
  GMutex mutex;
  GCond cond;
  gboolean gone;
} Watch;

static void
gone_cb (gpointer data, GObject *where_it_was)
{
  Watch *watch = data;

  g_mutex_lock (&watch->mutex);
  watch->gone = TRUE;
  g_cond_signal (&watch->cond);
  g_mutex_unlock (&watch->mutex);
}

/* The thread that did the last call may let go of its task a moment after it has answered. */
static void
wait_until_gone (Watch *watch)
{
  g_mutex_lock (&watch->mutex);
  while (!watch->gone)
    g_cond_wait (&watch->cond, &watch->mutex);
  g_mutex_unlock (&watch->mutex);
}

static void
drop (AsbProvider *provider)
{
  Watch watch = { .gone = FALSE };

  g_object_weak_ref (G_OBJECT (provider), gone_cb, &watch);
  g_object_unref (provider);
  wait_until_gone (&watch);
}

typedef struct
{
  AsbProvider *provider;
  AsbSandboxSpec *spec;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->provider = new_provider ();
  fixture->spec = asb_sandbox_spec_new ();
}

static GListModel *
list (AsbProvider *provider, AsbSandboxFilter *filter)
{
  g_autoptr (AsbSandboxFilter) all = asb_sandbox_filter_new ();
  g_autoptr (GError) error = NULL;
  GListModel *infos = asb_provider_list_sandboxes (provider, filter ? filter : all, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (G_IS_LIST_MODEL (infos));
  return infos;
}

static guint
count (AsbProvider *provider, AsbSandboxFilter *filter)
{
  g_autoptr (GListModel) infos = list (provider, filter);

  return g_list_model_get_n_items (infos);
}

static const char *
id_of (AsbSandboxInfo *info)
{
  return asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (info));
}

static void
delete_sandbox (AsbProvider *provider, const char *id)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_provider_delete_sandbox (provider, id, NULL, &error));
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GListModel) infos = unavailable ? NULL : list (fixture->provider, NULL);

  for (guint i = 0; infos && i < g_list_model_get_n_items (infos); i++)
    {
      g_autoptr (AsbSandboxInfo) info = g_list_model_get_item (infos, i);

      delete_sandbox (fixture->provider, id_of (info));
    }
  g_clear_object (&fixture->spec);
  drop (g_steal_pointer (&fixture->provider));
}

static AsbSandboxInfo *
create (AsbProvider *provider, AsbSandboxSpec *spec)
{
  g_autoptr (GError) error = NULL;
  AsbSandboxInfo *info = asb_provider_create_sandbox (provider, spec, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (ASB_IS_SANDBOX_INFO (info));
  return info;
}

static void
set_metadata (AsbSandboxSpec *spec, const char *name, const char *value)
{
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);

  g_hash_table_insert (metadata, (gpointer)name, (gpointer)value);
  asb_sandbox_spec_set_metadata (spec, metadata);
}

static AsbSandboxFilter *
metadata_filter (const char *name, const char *value)
{
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  AsbSandboxFilter *filter = asb_sandbox_filter_new ();

  g_hash_table_insert (metadata, (gpointer)name, (gpointer)value);
  asb_sandbox_filter_set_metadata (filter, metadata);
  return filter;
}

static AsbSandboxFilter *
state_filter (const char *state)
{
  const char *const states[] = { state, NULL };
  AsbSandboxFilter *filter = asb_sandbox_filter_new ();

  asb_sandbox_filter_set_states (filter, g_variant_new_strv (states, -1));
  return filter;
}

static void
test_identity (Fixture *fixture, gconstpointer data)
{
  g_autofree char *name = asb_provider_dup_name (fixture->provider);
  g_autofree char *key = asb_provider_dup_key (fixture->provider);
  g_autoptr (AsbCapabilities) capabilities = asb_provider_get_capabilities (fixture->provider);

  g_assert_cmpstr (name, ==, g_getenv ("ASB_TEST_PROVIDER"));
  g_assert_nonnull (key);
  g_assert_true (asb_capabilities_supports (capabilities, ASB_CAPABILITY_FILESYSTEM));
  g_assert_true (asb_capabilities_supports (capabilities, ASB_CAPABILITY_COMMAND_EXECUTION));
}

static void
assert_same (AsbSandboxInfo *first, AsbSandboxInfo *second)
{
  AsbSandboxRef *a = asb_sandbox_info_get_ref (first);
  AsbSandboxRef *b = asb_sandbox_info_get_ref (second);

  g_assert_cmpstr (asb_sandbox_ref_get_sandbox_id (a), ==, asb_sandbox_ref_get_sandbox_id (b));
  g_assert_cmpstr (asb_sandbox_ref_get_sandbox_instance_id (a), ==,
                   asb_sandbox_ref_get_sandbox_instance_id (b));
  g_assert_cmpstr (asb_sandbox_ref_get_provider_name (a), ==,
                   asb_sandbox_ref_get_provider_name (b));
  g_assert_cmpstr (asb_sandbox_ref_get_provider_key (a), ==, asb_sandbox_ref_get_provider_key (b));
  g_assert_cmpint (asb_sandbox_info_get_state (first), ==, asb_sandbox_info_get_state (second));
  g_assert_cmpstr (asb_sandbox_info_get_name (first), ==, asb_sandbox_info_get_name (second));
  g_assert_cmpstr (asb_sandbox_info_get_workdir (first), ==, asb_sandbox_info_get_workdir (second));
  g_assert_true (g_date_time_equal (asb_sandbox_info_get_created_at (first),
                                    asb_sandbox_info_get_created_at (second)));
}

static void
test_create (Fixture *fixture, gconstpointer data)
{
  g_autofree char *name = asb_provider_dup_name (fixture->provider);
  g_autofree char *key = asb_provider_dup_key (fixture->provider);
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (AsbSandboxInfo) got = NULL;
  g_autoptr (AsbSandboxInfo) listed = NULL;
  g_autoptr (GListModel) infos = NULL;
  g_autoptr (GError) error = NULL;
  AsbSandboxRef *ref;

  asb_sandbox_spec_set_name (fixture->spec, "näme “x”");
  asb_sandbox_spec_set_instance_id (fixture->spec, "instance-1");
  asb_sandbox_spec_set_workdir (fixture->spec, "/workspace/a b");
  info = create (fixture->provider, fixture->spec);
  ref = asb_sandbox_info_get_ref (info);
  g_assert_cmpstr (asb_sandbox_ref_get_provider_name (ref), ==, name);
  g_assert_cmpstr (asb_sandbox_ref_get_provider_key (ref), ==, key);
  g_assert_cmpstr (asb_sandbox_ref_get_sandbox_instance_id (ref), ==, "instance-1");
  g_assert_cmpstr (asb_sandbox_info_get_name (info), ==, "näme “x”");
  g_assert_cmpstr (asb_sandbox_info_get_workdir (info), ==, "/workspace/a b");
  g_assert_cmpint (asb_sandbox_info_get_state (info), ==, ASB_SANDBOX_STATE_RUNNING);
  g_assert_nonnull (asb_sandbox_info_get_created_at (info));

  got = asb_provider_get_sandbox (fixture->provider, id_of (info), NULL, &error);
  g_assert_no_error (error);
  assert_same (info, got);
  infos = list (fixture->provider, NULL);
  g_assert_cmpuint (g_list_model_get_n_items (infos), ==, 1);
  listed = g_list_model_get_item (infos, 0);
  assert_same (info, listed);
}

static void
test_refused (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  asb_sandbox_spec_set_workdir (fixture->spec, "not/absolute");
  g_assert_null (asb_provider_create_sandbox (fixture->provider, fixture->spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);

  asb_sandbox_spec_set_workdir (fixture->spec, "/workspace");
  asb_sandbox_spec_set_image (fixture->spec, "no/such/image:1");
  g_assert_null (asb_provider_create_sandbox (fixture->provider, fixture->spec, NULL, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "no/such/image:1"));
  g_assert_cmpuint (count (fixture->provider, NULL), ==, 0);
}

static void
test_metadata (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxFilter) match = metadata_filter ("color", "grün");
  g_autoptr (AsbSandboxFilter) other = metadata_filter ("color", "red");
  g_autoptr (AsbSandboxFilter) missing = metadata_filter ("shape", "grün");
  g_autoptr (AsbSandboxInfo) plain = create (fixture->provider, fixture->spec);
  g_autoptr (AsbSandboxInfo) green = NULL;
  g_autoptr (AsbSandboxInfo) listed = NULL;
  g_autoptr (GListModel) infos = NULL;
  GHashTable *metadata;

  set_metadata (fixture->spec, "color", "grün");
  green = create (fixture->provider, fixture->spec);
  infos = list (fixture->provider, match);
  g_assert_cmpuint (g_list_model_get_n_items (infos), ==, 1);
  listed = g_list_model_get_item (infos, 0);
  assert_same (green, listed);
  metadata = asb_sandbox_ref_get_metadata (asb_sandbox_info_get_ref (listed));
  g_assert_cmpstr (g_hash_table_lookup (metadata, "color"), ==, "grün");
  g_assert_cmpuint (count (fixture->provider, other), ==, 0);
  g_assert_cmpuint (count (fixture->provider, missing), ==, 0);
}

static void
test_states (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxFilter) running = state_filter ("running");
  g_autoptr (AsbSandboxFilter) stopped = state_filter ("stopped");
  g_autoptr (AsbSandboxFilter) unheard = state_filter ("no-such-state");
  g_autoptr (AsbSandboxInfo) info = create (fixture->provider, fixture->spec);

  g_assert_cmpuint (count (fixture->provider, running), ==, 1);
  g_assert_cmpuint (count (fixture->provider, stopped), ==, 0);
  g_assert_cmpuint (count (fixture->provider, unheard), ==, 0);
}

static void
test_pages (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();
  guint expected[] = { 2, 2, 1, 0 };

  for (int i = 0; i < 5; i++)
    g_object_unref (create (fixture->provider, fixture->spec));
  asb_sandbox_filter_set_page_size (filter, 2);
  for (guint page = 0; page < G_N_ELEMENTS (expected); page++)
    {
      g_autoptr (GListModel) infos = NULL;

      asb_sandbox_filter_set_page (filter, page + 1);
      infos = list (fixture->provider, filter);
      g_assert_cmpuint (g_list_model_get_n_items (infos), ==, expected[page]);
      for (guint i = 0; i < expected[page]; i++)
        {
          g_autoptr (AsbSandboxInfo) info = g_list_model_get_item (infos, i);

          g_assert_true (g_hash_table_add (seen, g_strdup (id_of (info))));
        }
    }
}

static void
assert_not_found (AsbProvider *provider, const char *id)
{
  g_autoptr (AsbStreamSpec) spec = asb_stream_spec_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_provider_get_sandbox (provider, id, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
  g_clear_error (&error);
  g_assert_false (asb_provider_delete_sandbox (provider, id, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
  g_clear_error (&error);
  g_assert_null (asb_provider_open_stream (provider, id, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
}

static void
test_not_found (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create (fixture->provider, fixture->spec);
  g_autofree char *long_id = g_strnfill (5000, 'a');
  g_autofree char *upwards = g_strconcat ("../", id_of (info), NULL);
  g_autofree char *through = g_strconcat (id_of (info), "/../", id_of (info), NULL);
  const char *ids[]
      = { "aaaaaaaaaaaa", "", ".", "..", "/", "a\nb", "\377\376", long_id, upwards, through };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    assert_not_found (fixture->provider, ids[i]);
  g_assert_cmpuint (count (fixture->provider, NULL), ==, 1);
}

static void
test_delete (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) kept = create (fixture->provider, fixture->spec);
  g_autoptr (AsbSandboxInfo) info = create (fixture->provider, fixture->spec);
  g_autoptr (AsbSandboxInfo) left = NULL;
  g_autoptr (GListModel) infos = NULL;

  g_assert_cmpstr (id_of (info), !=, id_of (kept));
  delete_sandbox (fixture->provider, id_of (info));
  assert_not_found (fixture->provider, id_of (info));
  infos = list (fixture->provider, NULL);
  g_assert_cmpuint (g_list_model_get_n_items (infos), ==, 1);
  left = g_list_model_get_item (infos, 0);
  assert_same (kept, left);
}

static void
test_stream (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create (fixture->provider, fixture->spec);
  g_autoptr (AsbStreamSpec) spec = asb_stream_spec_new ();
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 3; i++)
    {
      g_autoptr (GIOStream) stream
          = asb_provider_open_stream (fixture->provider, id_of (info), spec, NULL, &error);
      g_autoptr (AsbGuestTransport) transport = NULL;

      g_assert_no_error (error);
      transport = asb_guest_transport_new (stream, NULL, NULL, &error);
      g_assert_no_error (error);
      g_assert_nonnull (asb_guest_transport_get_boot_id (transport));
      asb_transport_close (ASB_TRANSPORT (transport), NULL, &error);
      g_assert_no_error (error);
    }
}

static void
ready_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GAsyncResult **place = user_data;

  *place = g_object_ref (result);
}

static GAsyncResult *
wait_for (GAsyncResult **result)
{
  while (!*result)
    g_main_context_iteration (NULL, TRUE);
  return *result;
}

static void
test_asynchronous (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GAsyncResult) created = NULL;
  g_autoptr (GAsyncResult) deleted = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_provider_create_sandbox_async (fixture->provider, fixture->spec, NULL, ready_cb, &created);
  g_assert_null (created);
  /* What was asked for is what is made, whatever becomes of the specification. */
  asb_sandbox_spec_set_name (fixture->spec, "changed too late");
  info = asb_provider_create_sandbox_finish (fixture->provider, wait_for (&created), &error);
  g_assert_no_error (error);
  g_assert_null (asb_sandbox_info_get_name (info));
  asb_provider_delete_sandbox_async (fixture->provider, id_of (info), NULL, ready_cb, &deleted);
  g_assert_null (deleted);
  g_assert_true (
      asb_provider_delete_sandbox_finish (fixture->provider, wait_for (&deleted), &error));
  g_assert_no_error (error);
}

static void
test_cancelled_before (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (
      asb_provider_create_sandbox (fixture->provider, fixture->spec, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (count (fixture->provider, NULL), ==, 0);
}

static gboolean
cancel_cb (gpointer user_data)
{
  g_cancellable_cancel (user_data);
  return G_SOURCE_REMOVE;
}

/* Either it came too late, and there is a sandbox that works, or there is none. */
static void
test_cancelled_during (Fixture *fixture, gconstpointer data)
{
  for (guint milliseconds = 0; milliseconds < 20; milliseconds++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GAsyncResult) result = NULL;
      g_autoptr (AsbSandboxInfo) info = NULL;
      g_autoptr (GError) error = NULL;

      asb_provider_create_sandbox_async (fixture->provider, fixture->spec, cancellable, ready_cb,
                                         &result);
      g_timeout_add_full (G_PRIORITY_HIGH, milliseconds, cancel_cb, g_object_ref (cancellable),
                          g_object_unref);
      info = asb_provider_create_sandbox_finish (fixture->provider, wait_for (&result), &error);
      if (info)
        delete_sandbox (fixture->provider, id_of (info));
      else
        g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      while (!g_cancellable_is_cancelled (cancellable))
        g_main_context_iteration (NULL, TRUE);
      g_assert_cmpuint (count (fixture->provider, NULL), ==, 0);
    }
}

static gpointer
work_thread (gpointer data)
{
  AsbProvider *provider = data;
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbStreamSpec) stream_spec = asb_stream_spec_new ();
  g_autoptr (AsbSandboxInfo) info = create (provider, spec);
  g_autoptr (AsbSandboxInfo) got = NULL;
  g_autoptr (GIOStream) stream = NULL;
  g_autoptr (GError) error = NULL;

  got = asb_provider_get_sandbox (provider, id_of (info), NULL, &error);
  g_assert_no_error (error);
  assert_same (info, got);
  stream = asb_provider_open_stream (provider, id_of (info), stream_spec, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (G_IS_IO_STREAM (stream));
  g_assert_cmpuint (count (provider, NULL), >=, 1);
  return g_strdup (id_of (info));
}

static void
test_many (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GThread *threads[N_THREADS];

  for (int i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("work", work_thread, fixture->provider);
  for (int i = 0; i < N_THREADS; i++)
    g_assert_true (g_hash_table_add (ids, g_thread_join (threads[i])));
  g_assert_cmpuint (count (fixture->provider, NULL), ==, N_THREADS);
}

/* Two that delete the same: one did it, for the other it is gone. */
static void
test_delete_at_once (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create (fixture->provider, fixture->spec);
  GAsyncResult *results[4] = { NULL };
  guint n_done = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (results); i++)
    asb_provider_delete_sandbox_async (fixture->provider, id_of (info), NULL, ready_cb,
                                       &results[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (results); i++)
    {
      g_autoptr (GError) error = NULL;

      if (asb_provider_delete_sandbox_finish (fixture->provider, wait_for (&results[i]), &error))
        n_done++;
      else
        g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
      g_object_unref (results[i]);
    }
  g_assert_cmpuint (n_done, ==, 1);
}

/* A call keeps what it needs; afterwards nothing holds the provider. */
static void
test_dropped (Fixture *fixture, gconstpointer data)
{
  AsbProvider *provider = new_provider ();
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;
  Watch watch = { .gone = FALSE };

  g_object_weak_ref (G_OBJECT (provider), gone_cb, &watch);
  asb_provider_create_sandbox_async (provider, fixture->spec, NULL, ready_cb, &result);
  g_object_unref (provider);
  g_assert_true (G_IS_OBJECT (g_async_result_get_source_object (wait_for (&result))));
  g_object_unref (provider);
  info = asb_provider_create_sandbox_finish (provider, result, &error);
  g_assert_no_error (error);
  g_clear_object (&result);
  wait_until_gone (&watch);
  delete_sandbox (fixture->provider, id_of (info));
}

/* A provider of another making sees the same sandboxes, or none: never half of one. */
static void
test_two_providers (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbProvider) other = new_provider ();
  g_autoptr (AsbSandboxInfo) info = create (fixture->provider, fixture->spec);
  g_autoptr (AsbSandboxInfo) got = NULL;
  g_autoptr (GError) error = NULL;

  got = asb_provider_get_sandbox (other, id_of (info), NULL, &error);
  if (got)
    assert_same (info, got);
  else
    g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
}

static void
test_optional (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCapabilities) capabilities = asb_provider_get_capabilities (fixture->provider);
  g_autoptr (AsbSandboxInfo) info = create (fixture->provider, fixture->spec);
  g_autoptr (AsbSandboxInfo) paused = NULL;
  g_autoptr (GError) error = NULL;

  paused = asb_provider_pause_sandbox (fixture->provider, id_of (info), NULL, &error);
  if (asb_capabilities_supports (capabilities, ASB_CAPABILITY_PAUSE_RESUME))
    g_assert_no_error (error);
  else
    g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
}

static void
find_out (void)
{
  g_autoptr (AsbProvider) provider = new_provider ();
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  static GError *error;

  info = asb_provider_create_sandbox (provider, spec, NULL, &error);
  if (info)
    delete_sandbox (provider, id_of (info));
  else if (g_error_matches (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE))
    unavailable = error->message;
  else
    g_error ("%s", error->message);
}

static void
skip (Fixture *fixture, gconstpointer data)
{
  g_test_skip (unavailable);
}

static void
add (const char *name, void (*function) (Fixture *fixture, gconstpointer data))
{
  g_autofree char *path = g_strconcat ("/provider/", name, NULL);

  g_test_add (path, Fixture, NULL, set_up, unavailable ? skip : function, tear_down);
}

int
main (int argc, char **argv)
{
  g_autofree char *state = NULL;
  g_autofree char *remove = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!g_getenv ("ASB_TEST_PROVIDER"))
    {
      g_test_message ("Set ASB_TEST_PROVIDER to the name of a provider");
      return 77;
    }
  state = g_dir_make_tmp ("asb-contract-XXXXXX", NULL);
  g_setenv ("XDG_STATE_HOME", state, TRUE);
  find_out ();

  add ("identity", test_identity);
  add ("create", test_create);
  add ("create/refused", test_refused);
  add ("create/cancelled-before", test_cancelled_before);
  add ("create/cancelled-during", test_cancelled_during);
  add ("create/asynchronous", test_asynchronous);
  add ("list/metadata", test_metadata);
  add ("list/states", test_states);
  add ("list/pages", test_pages);
  add ("not-found", test_not_found);
  add ("delete", test_delete);
  add ("delete/at-once", test_delete_at_once);
  add ("stream", test_stream);
  add ("many", test_many);
  add ("dropped", test_dropped);
  add ("two-providers", test_two_providers);
  add ("optional", test_optional);
  status = g_test_run ();

  remove = g_strdup_printf ("rm -rf '%s'", state);
  g_assert_cmpint (system (remove), ==, 0);
  return status;
}
