/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a provider remembers of the keys that creations were asked for with. */

#include "asb-opensandbox-creation.h"

static AsbOpensandboxCreation *
look_up (GHashTable *creations, guint number)
{
  g_autofree char *key = g_strdup_printf ("key-%u", number);
  AsbOpensandboxCreation *creation = asb_opensandbox_creation_look_up (creations, key);

  /* Not by the clock, which may stand still for so short a time. */
  creation->asked_at = number;
  return creation;
}

static gboolean
knows (GHashTable *creations, guint number)
{
  g_autofree char *key = g_strdup_printf ("key-%u", number);

  return g_hash_table_contains (creations, key);
}

static void
test_same (void)
{
  g_autoptr (GHashTable) creations = asb_opensandbox_creation_new_table ();
  AsbOpensandboxCreation *first = look_up (creations, 1);

  g_test_summary ("A key means the same creation each time");

  g_assert_true (look_up (creations, 1) == first);
  g_assert_false (look_up (creations, 2) == first);
  g_assert_cmpuint (g_hash_table_size (creations), ==, 2);
}

static void
test_bound (void)
{
  g_autoptr (GHashTable) creations = asb_opensandbox_creation_new_table ();

  g_test_summary ("However many keys there were, the last ones are remembered, and not more");

  for (guint i = 1; i <= 3 * ASB_OPENSANDBOX_MAX_CREATIONS; i++)
    look_up (creations, i);
  g_assert_cmpuint (g_hash_table_size (creations), ==, ASB_OPENSANDBOX_MAX_CREATIONS);
  g_assert_false (knows (creations, 2 * ASB_OPENSANDBOX_MAX_CREATIONS));
  g_assert_true (knows (creations, 2 * ASB_OPENSANDBOX_MAX_CREATIONS + 1));
}

static void
test_used_again (void)
{
  g_autoptr (GHashTable) creations = asb_opensandbox_creation_new_table ();

  g_test_summary ("One that is asked for again is none of the old ones");

  for (guint i = 1; i <= ASB_OPENSANDBOX_MAX_CREATIONS; i++)
    look_up (creations, i);
  look_up (creations, 1)->asked_at = ASB_OPENSANDBOX_MAX_CREATIONS + 1;
  look_up (creations, ASB_OPENSANDBOX_MAX_CREATIONS + 2);
  g_assert_true (knows (creations, 1));
  g_assert_false (knows (creations, 2));
}

static void
test_running (void)
{
  g_autoptr (GHashTable) creations = asb_opensandbox_creation_new_table ();

  g_test_summary ("One that is being made is never forgotten");

  for (guint i = 1; i <= ASB_OPENSANDBOX_MAX_CREATIONS; i++)
    look_up (creations, i)->is_running = TRUE;
  look_up (creations, ASB_OPENSANDBOX_MAX_CREATIONS + 1);
  g_assert_cmpuint (g_hash_table_size (creations), ==, ASB_OPENSANDBOX_MAX_CREATIONS + 1);
  look_up (creations, 7)->is_running = FALSE;
  look_up (creations, ASB_OPENSANDBOX_MAX_CREATIONS + 2);
  g_assert_true (knows (creations, 1));
  g_assert_false (knows (creations, 7));
  g_assert_false (knows (creations, ASB_OPENSANDBOX_MAX_CREATIONS + 1));
  g_assert_cmpuint (g_hash_table_size (creations), ==, ASB_OPENSANDBOX_MAX_CREATIONS);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/creations/same", test_same);
  g_test_add_func ("/creations/bound", test_bound);
  g_test_add_func ("/creations/used-again", test_used_again);
  g_test_add_func ("/creations/running", test_running);

  return g_test_run ();
}
