/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test.h"

#include "asb-cancel-source-private.h"

static gboolean
count_cb (gpointer user_data)
{
  guint *count = user_data;

  (*count)++;
  return G_SOURCE_CONTINUE;
}

static GSource *
attach (GCancellable *cancellable, GMainContext *context, guint *count)
{
  GSource *source = asb_cancel_source_new (cancellable);

  g_source_set_callback (source, count_cb, count, NULL);
  g_source_attach (source, context);
  return source;
}

static void
detach (GSource *source)
{
  g_source_destroy (source);
  g_source_unref (source);
}

static void
test_before (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GSource *source;
  guint count = 0;

  g_test_summary ("What was cancelled before is told at once, once");

  g_cancellable_cancel (cancellable);
  source = attach (cancellable, NULL, &count);
  test_drain ();
  g_assert_cmpuint (count, ==, 1);
  detach (source);
}

static void
test_later (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GSource *source;
  guint count = 0;

  g_test_summary ("Nothing is told before it is cancelled, and each cancelling once");

  source = attach (cancellable, NULL, &count);
  test_drain ();
  g_assert_cmpuint (count, ==, 0);
  for (guint i = 1; i <= 2; i++)
    {
      g_cancellable_cancel (cancellable);
      g_assert_cmpuint (count, ==, i - 1);
      test_drain ();
      g_assert_cmpuint (count, ==, i);
      g_cancellable_reset (cancellable);
    }
  detach (source);
}

static void
test_gone (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  guint count = 0;

  g_test_summary ("A source that is gone is told nothing, and leaves no trace at the cancellable");

  detach (attach (cancellable, NULL, &count));
  g_assert_false (g_signal_has_handler_pending (
      cancellable, g_signal_lookup ("cancelled", G_TYPE_CANCELLABLE), 0, TRUE));
  g_cancellable_cancel (cancellable);
  test_drain ();
  g_assert_cmpuint (count, ==, 0);
}

static void
test_child (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GSource) parent = g_timeout_source_new_seconds (600);
  g_autoptr (GSource) child = asb_cancel_source_new (cancellable);
  guint count = 0;

  g_test_summary ("A parent is called when its child is cancelled");

  g_source_add_child_source (parent, child);
  g_source_set_callback (parent, count_cb, &count, NULL);
  g_source_attach (parent, NULL);
  g_cancellable_cancel (cancellable);
  while (count == 0)
    g_main_context_iteration (NULL, TRUE);
  g_source_destroy (parent);
}

/* Another thread that stays in the middle of cancelling. */
typedef struct
{
  GCancellable *cancellable;
  TestEvent gone;
} Canceller;

static void
stay_cb (GCancellable *cancellable, gpointer user_data)
{
  Canceller *canceller = user_data;

  test_event_wait (&canceller->gone, 1);
}

static gpointer
cancel_in_thread (gpointer data)
{
  Canceller *canceller = data;

  g_cancellable_cancel (canceller->cancellable);
  return NULL;
}

static void
test_gone_meanwhile (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  /* One of its own: the default one holds what GLib's source would leave. */
  g_autoptr (GMainContext) context = g_main_context_new ();
  Canceller canceller = { .cancellable = cancellable };
  GSource *source;
  GThread *thread;
  guint count = 0;

  g_test_summary ("A source may go while another thread cancels: nothing of it is left, as the "
                  "checkers of memory would tell");

  test_event_init (&canceller.gone);
  source = attach (cancellable, context, &count);
  g_cancellable_connect (cancellable, G_CALLBACK (stay_cb), &canceller, NULL);
  thread = g_thread_new ("cancel", cancel_in_thread, &canceller);
  while (count == 0)
    g_main_context_iteration (context, TRUE);
  detach (source);
  test_event_happen (&canceller.gone);
  g_thread_join (thread);
  g_assert_finalize_object (g_steal_pointer (&cancellable));
  test_event_clear (&canceller.gone);
}

static void
test_races (void)
{
  g_test_summary ("Sources that go as another thread begins to cancel do so without a trace");

  for (guint i = 0; i < 1000; i++)
    {
      g_autoptr (GMainContext) context = g_main_context_new ();
      GCancellable *cancellable = g_cancellable_new ();
      Canceller canceller = { .cancellable = cancellable };
      guint count = 0;
      GSource *source = attach (cancellable, context, &count);
      GThread *thread = g_thread_new ("cancel", cancel_in_thread, &canceller);

      g_main_context_iteration (context, FALSE);
      detach (source);
      g_thread_join (thread);
      g_assert_cmpuint (count, <=, 1);
      g_assert_finalize_object (cancellable);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cancel-source/before", test_before);
  g_test_add_func ("/cancel-source/later", test_later);
  g_test_add_func ("/cancel-source/gone", test_gone);
  g_test_add_func ("/cancel-source/child", test_child);
  g_test_add_func ("/cancel-source/gone-meanwhile", test_gone_meanwhile);
  g_test_add_func ("/cancel-source/races", test_races);
  return g_test_run ();
}
