/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Editing: what is asked, what is made of the answer. */

#include "peer.h"

static void
set_up (PeerFixture *fixture, gconstpointer data)
{
  peer_fixture_init (fixture, g_object_new (ASB_TYPE_FILE_EDIT, "path", "/d/f", "old-text", "one",
                                            "new-text", "two\xff", NULL));
}

static void
begin (PeerFixture *fixture)
{
  asb_transport_edit_file_async (fixture->transport, fixture->request, NULL, pending_cb,
                                 &fixture->pending);
}

static AsbFileInfo *
finish (PeerFixture *fixture, const char *reply, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;

  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, reply);
  result = pending_wait (&fixture->pending);
  return asb_transport_edit_file_finish (fixture->transport, result, error);
}

static void
test_edit (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  begin (fixture);
  peer_expect_arguments (fixture->peer, "file.edit",
                         "{\"path\": \"/d/f\", \"old\": \"one\", \"new\": {\"b64\": \"dHdv/w==\"},"
                         " \"replace_all\": false}");
  info = finish (fixture,
                 "{\"result\": {\"entry\": " PEER_ENTRY ", \"hash\": \"" PEER_HASH
                 "\", \"previous_hash\": \"" PEER_HASH "\", \"size\": 5, \"replaced\": 3}}",
                 &error);
  g_assert_no_error (error);
  peer_check_entry (info);
  g_assert_cmpstr (asb_file_info_get_hash (info), ==, PEER_HASH);
  g_assert_cmpstr (asb_file_info_get_previous_hash (info), ==, PEER_HASH);
  g_assert_cmpuint (asb_file_info_get_n_replaced (info), ==, 3);
}

static void
test_all (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_object_set (fixture->request, "new-text", "", "replace-all", TRUE, "expected-count", 2,
                "expected-hash", PEER_HASH, NULL);
  begin (fixture);
  peer_expect_arguments (fixture->peer, "file.edit",
                         "{\"path\": \"/d/f\", \"old\": \"one\", \"new\": \"\", \"replace_all\": "
                         "true, \"expected_count\": 2, \"expected_hash\": \"" PEER_HASH "\"}");
  g_assert_null (finish (fixture,
                         "{\"error\": {\"code\": \"text_ambiguous\", \"message\": \"Three times\","
                         " \"details\": {\"count\": 3}}}",
                         &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TEXT_AMBIGUOUS);
}

static void
test_odd_hash (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_object_set (fixture->request, "new-text", "", "expected-hash", "\xff", NULL);
  begin (fixture);
  peer_expect_arguments (fixture->peer, "file.edit",
                         "{\"path\": \"/d/f\", \"old\": \"one\", \"new\": \"\", \"replace_all\": "
                         "false, \"expected_hash\": {\"b64\": \"/w==\"}}");
  g_assert_null (finish (
      fixture, "{\"error\": {\"code\": \"invalid_argument\", \"message\": \"No\"}}", &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

static void
test_not_found (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  begin (fixture);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  g_assert_null (finish (
      fixture, "{\"error\": {\"code\": \"text_not_found\", \"message\": \"Not there\"}}", &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TEXT_NOT_FOUND);
}

static void
test_incomplete (PeerFixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "path", "old-text", "new-text" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AsbFileEdit) edit
          = g_object_new (ASB_TYPE_FILE_EDIT, "path", "/f", "old-text", "a", "new-text", "b", NULL);
      g_autoptr (GError) error = NULL;

      g_object_set (edit, names[i], NULL, NULL);
      g_assert_null (asb_transport_edit_file (fixture->transport, edit, NULL, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
    }
}

static void
test_wrong (PeerFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("An edit that has replaced nothing makes no sense");

  begin (fixture);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  g_assert_null (finish (fixture,
                         "{\"result\": {\"entry\": " PEER_ENTRY ", \"hash\": \"" PEER_HASH
                         "\", \"size\": 5, \"replaced\": 0}}",
                         &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

#define ADD(name, function)                                                                        \
  g_test_add ("/guest-edit/" name, PeerFixture, NULL, set_up, function, peer_fixture_tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  ADD ("edit", test_edit);
  ADD ("all", test_all);
  ADD ("odd-hash", test_odd_hash);
  ADD ("not-found", test_not_found);
  ADD ("incomplete", test_incomplete);
  ADD ("wrong", test_wrong);
  return g_test_run ();
}
