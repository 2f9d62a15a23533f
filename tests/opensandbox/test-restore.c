/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-server.h"

#include <string.h>

/* Sandboxes of snapshots that are not ready: still being made, failed, being deleted, gone. */

#define NOT_READY "SNAPSHOT::NOT_READY"

typedef struct
{
  AsbTestServer *server;
  AsbProvider *provider;
  AsbSandboxInfo *info;
  AsbSnapshot *snapshot;
} Fixture;

static AsbSnapshot *
take_snapshot (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  AsbSnapshot *snapshot = asb_provider_create_snapshot (
      fixture->provider, asb_test_server_get_id (fixture->info), "it", NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (asb_snapshot_get_state (snapshot), ==, ASB_SNAPSHOT_STATE_CREATING);
  return snapshot;
}

/* @data: options of the provider, or NULL */
static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->server = asb_test_server_new (NULL);
  fixture->provider = asb_test_server_new_provider (fixture->server, NULL);
  fixture->info = asb_test_server_create (fixture->provider);
  g_object_unref (fixture->provider);
  fixture->provider = asb_test_server_new_provider (fixture->server, data);
  asb_test_server_set (fixture->server, "{'hold_snapshots':true}");
  fixture->snapshot = take_snapshot (fixture);
}

/* A server that ends in the middle of a copy leaves that. */
static void
await_rest (Fixture *fixture)
{
  asb_test_server_set (fixture->server, "{'hold_snapshots':false}");
  for (;;)
    {
      g_autoptr (AsbSnapshot) snapshot = asb_provider_get_snapshot (
          fixture->provider, asb_snapshot_get_id (fixture->snapshot), NULL, NULL);

      if (!snapshot || asb_snapshot_get_state (snapshot) != ASB_SNAPSHOT_STATE_CREATING)
        return;
    }
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  asb_test_server_heal (fixture->server);
  await_rest (fixture);
  g_object_unref (fixture->snapshot);
  g_object_unref (fixture->info);
  g_object_unref (fixture->provider);
  asb_test_server_free (fixture->server);
}

static AsbSandboxSpec *
new_spec (Fixture *fixture)
{
  AsbSandboxSpec *spec = asb_test_server_new_spec ();

  asb_sandbox_spec_set_image (spec, NULL);
  asb_sandbox_spec_set_snapshot_id (spec, asb_snapshot_get_id (fixture->snapshot));
  return spec;
}

static void
await_state (Fixture *fixture, AsbSnapshotState state)
{
  g_autoptr (GError) error = NULL;

  for (;;)
    {
      g_autoptr (AsbSnapshot) snapshot = asb_provider_get_snapshot (
          fixture->provider, asb_snapshot_get_id (fixture->snapshot), NULL, &error);

      g_assert_no_error (error);
      if (asb_snapshot_get_state (snapshot) == state)
        return;
    }
}

static void
assert_refused (Fixture *fixture, const char *words)
{
  g_autoptr (AsbSandboxSpec) spec = new_spec (fixture);
  g_autoptr (GError) error = NULL;
  AsbErrorInfo *info;

  g_assert_null (asb_provider_create_sandbox (fixture->provider, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_test_message ("%s", error->message);
  info = asb_error_get_info (error);
  g_assert_cmpstr (asb_error_info_get_provider_error_code (info), ==, NOT_READY);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_cmpuint (asb_test_server_count_sandboxes (fixture->server), ==, 1);
}

/* One creation on its way. */

typedef struct
{
  AsbSandboxInfo *info;
  GError *error;
  gboolean is_over;
} Creation;

static void
created_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Creation *creation = user_data;

  creation->info
      = asb_provider_create_sandbox_finish (ASB_PROVIDER (source), result, &creation->error);
  creation->is_over = TRUE;
}

static void
begin (Fixture *fixture, Creation *creation, GCancellable *cancellable)
{
  g_autoptr (AsbSandboxSpec) spec = new_spec (fixture);

  asb_provider_create_sandbox_async (fixture->provider, spec, cancellable, created_cb, creation);
}

/* Until it has looked at the snapshot more than once. */
static void
await_waiting (Fixture *fixture)
{
  while (asb_test_server_count (fixture->server, "GET", "/v1/snapshots/*") < 2)
    g_main_context_iteration (NULL, FALSE);
}

static void
await_end (Creation *creation)
{
  while (!creation->is_over)
    g_main_context_iteration (NULL, TRUE);
}

static void
test_waits (Fixture *fixture, gconstpointer data)
{
  Creation creation = { 0 };

  begin (fixture, &creation, NULL);
  await_waiting (fixture);
  g_assert_false (creation.is_over);
  asb_test_server_set (fixture->server, "{'hold_snapshots':false}");
  await_end (&creation);
  g_assert_no_error (creation.error);
  g_assert_cmpuint (asb_test_server_count (fixture->server, "POST", "/v1/sandboxes"), ==, 3);
  g_object_unref (creation.info);
}

static void
test_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Creation creation = { 0 };

  begin (fixture, &creation, cancellable);
  await_waiting (fixture);
  g_cancellable_cancel (cancellable);
  await_end (&creation);
  g_assert_error (creation.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&creation.error);
  g_assert_cmpuint (asb_test_server_count_sandboxes (fixture->server), ==, 1);
}

static void
test_not_for_ever (Fixture *fixture, gconstpointer data)
{
  assert_refused (fixture, "; it is still being made");
}

static void
test_fails_meanwhile (Fixture *fixture, gconstpointer data)
{
  Creation creation = { 0 };

  begin (fixture, &creation, NULL);
  await_waiting (fixture);
  asb_test_server_set (fixture->server, "{'fail_snapshots':true,'hold_snapshots':false}");
  await_end (&creation);
  g_assert_error (creation.error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (creation.error->message, "; it has failed"));
  g_clear_error (&creation.error);
}

static void
test_failed (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  asb_test_server_set (fixture->server, "{'fail_snapshots':true,'hold_snapshots':false}");
  await_state (fixture, ASB_SNAPSHOT_STATE_FAILED);
  assert_refused (fixture, "; it has failed, so another one is to be made: Docker snapshot image "
                           "could not be created.");
  g_assert_cmpuint (asb_test_server_count (fixture->server, "POST", "/v1/sandboxes"), ==, 2);
  g_assert_true (asb_provider_delete_snapshot (
      fixture->provider, asb_snapshot_get_id (fixture->snapshot), NULL, &error));
  g_assert_no_error (error);
}

/* One that could not be deleted, as a sandbox is made of it, is not there for others either. */
static void
test_deleting (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = new_spec (fixture);
  g_autoptr (AsbSandboxInfo) other = NULL;
  g_autoptr (GError) error = NULL;
  const char *id = asb_snapshot_get_id (fixture->snapshot);

  asb_test_server_set (fixture->server, "{'hold_snapshots':false}");
  other = asb_provider_create_sandbox (fixture->provider, spec, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (asb_provider_delete_snapshot (fixture->provider, id, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_clear_error (&error);
  g_assert_true (asb_provider_delete_sandbox (fixture->provider, asb_test_server_get_id (other),
                                              NULL, &error));
  assert_refused (fixture, "; it is being deleted");
}

static void
test_deleted_while_it_is_made (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (asb_provider_delete_snapshot (
      fixture->provider, asb_snapshot_get_id (fixture->snapshot), NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "still being created"));
}

/* What cannot be asked about says no more than the refusal. */
static void
test_gone_meanwhile (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxSpec) spec = new_spec (fixture);
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (fixture->server,
                         "{'method':'GET','path':'/v1/snapshots/*','action':'reply','status':404,"
                         "'json':{'code':'SNAPSHOT::NOT_FOUND','message':'gone'}}");
  g_assert_null (asb_provider_create_sandbox (fixture->provider, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_true (g_str_has_suffix (error->message, "(HTTP 409, " NOT_READY ")"));
}

/* A server of two minds is asked again once. */
static void
test_ready_and_not (Fixture *fixture, gconstpointer data)
{
  asb_test_server_set (fixture->server, "{'hold_snapshots':false}");
  await_state (fixture, ASB_SNAPSHOT_STATE_READY);
  asb_test_server_forget (fixture->server);
  asb_test_server_fault (fixture->server,
                         "{'method':'POST','path':'/v1/sandboxes','action':'reply','status':409,"
                         "'json':{'code':'" NOT_READY "','message':'not yet'}}");
  assert_refused (fixture, "not yet");
  g_assert_cmpuint (asb_test_server_count (fixture->server, "POST", "/v1/sandboxes"), ==, 2);
}

#define ADD(path, data, function)                                                                  \
  g_test_add ("/opensandbox/restore/" path, Fixture, data, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("waits", NULL, test_waits);
  ADD ("cancelled", NULL, test_cancelled);
  ADD ("not-for-ever", "{'ready-timeout-seconds': <0.3>}", test_not_for_ever);
  ADD ("fails-meanwhile", NULL, test_fails_meanwhile);
  ADD ("failed", NULL, test_failed);
  ADD ("deleting", NULL, test_deleting);
  ADD ("deleted-while-it-is-made", NULL, test_deleted_while_it_is_made);
  ADD ("gone-meanwhile", NULL, test_gone_meanwhile);
  ADD ("ready-and-not", NULL, test_ready_and_not);
  return g_test_run ();
}
