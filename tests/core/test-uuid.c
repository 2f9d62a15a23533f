/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>
#include <string.h>

#define N_THREADS 8
#define N_EACH 20000

static void
test_format (void)
{
  g_test_summary ("36 lower-case characters, with version and variant where they belong");

  for (guint i = 0; i < 1000; i++)
    {
      g_autofree char *uuid = asb_uuid_v7_new ();

      g_assert_cmpuint (strlen (uuid), ==, 36);
      g_assert_true (g_uuid_string_is_valid (uuid));
      g_assert_cmpint (uuid[14], ==, '7');
      g_assert_nonnull (strchr ("89ab", uuid[19]));
      for (gsize at = 0; uuid[at]; at++)
        g_assert_false (g_ascii_isupper (uuid[at]));
    }
}

static guint64
milliseconds_of (const char *uuid)
{
  g_autofree char *digits = g_strdup_printf ("%.8s%.4s", uuid, uuid + 9);

  return g_ascii_strtoull (digits, NULL, 16);
}

static void
test_time (void)
{
  guint64 before = (guint64)g_get_real_time () / 1000;
  g_autofree char *uuid = asb_uuid_v7_new ();
  guint64 after = (guint64)g_get_real_time () / 1000;

  g_test_summary ("The first 48 bits are the time");

  g_assert_cmpuint (milliseconds_of (uuid), >=, before);
  g_assert_cmpuint (milliseconds_of (uuid), <=, after);
}

static void
test_order (void)
{
  g_autofree char *last = asb_uuid_v7_new ();

  g_test_summary ("Those of one thread sort in the order of their making");

  for (guint i = 0; i < N_EACH; i++)
    {
      char *next = asb_uuid_v7_new ();

      g_assert_cmpstr (last, <, next);
      g_free (last);
      last = next;
    }
}

static gpointer
make_many (gpointer data)
{
  GPtrArray *made = g_ptr_array_new_full (N_EACH, g_free);

  for (guint i = 0; i < N_EACH; i++)
    g_ptr_array_add (made, asb_uuid_v7_new ());
  return made;
}

static void
test_threads (void)
{
  GThread *threads[N_THREADS];
  g_autoptr (GHashTable) all = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func ((GDestroyNotify)g_ptr_array_unref);

  g_test_summary ("Those of several threads are all different, and in order within each");

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("uuid", make_many, NULL);
  for (guint i = 0; i < N_THREADS; i++)
    {
      GPtrArray *made = g_thread_join (threads[i]);

      g_ptr_array_add (lists, made);
      for (guint k = 0; k < made->len; k++)
        {
          g_assert_true (g_hash_table_add (all, made->pdata[k]));
          if (k > 0)
            g_assert_cmpstr (made->pdata[k - 1], <, made->pdata[k]);
        }
    }
  g_assert_cmpuint (g_hash_table_size (all), ==, N_THREADS * N_EACH);
}

static void
test_order_over_threads (void)
{
  g_autofree char *before = asb_uuid_v7_new ();
  g_autoptr (GPtrArray) between = g_thread_join (g_thread_new ("uuid", make_many, NULL));
  g_autofree char *after = asb_uuid_v7_new ();

  g_test_summary ("One made after another, in whatever thread, sorts after it");

  g_assert_cmpstr (before, <, between->pdata[0]);
  g_assert_cmpstr (between->pdata[between->len - 1], <, after);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/uuid/format", test_format);
  g_test_add_func ("/uuid/time", test_time);
  g_test_add_func ("/uuid/order", test_order);
  g_test_add_func ("/uuid/threads", test_threads);
  g_test_add_func ("/uuid/order-over-threads", test_order_over_threads);
  return g_test_run ();
}
