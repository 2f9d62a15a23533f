/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test.h"

#include "asb-call-private.h"

#include <string.h>

/* An application decides itself whether a new sandbox is ready. */

typedef struct
{
  AsbProvider *mock;
  AsbBackendOptions *options;
  guint ready_at; /* the question that is answered with yes; 0: none */
  guint n_questions;
  GError *answer; /* to the others, instead of no */
  GCancellable *cancel;
  GTask *unanswered;
  gboolean is_silent;
} Fixture;

static void
check (AsbProvider *provider, AsbSandboxRef *ref, GTask *task, gpointer user_data)
{
  Fixture *fixture = user_data;

  g_assert_true (provider == fixture->mock);
  g_assert_nonnull (asb_sandbox_ref_get_sandbox_id (ref));
  fixture->n_questions++;
  if (fixture->cancel)
    g_cancellable_cancel (fixture->cancel);
  if (fixture->is_silent)
    g_set_object (&fixture->unanswered, task);
  else if (fixture->n_questions == fixture->ready_at)
    g_task_return_boolean (task, TRUE);
  else if (fixture->answer)
    g_task_return_error (task, g_error_copy (fixture->answer));
  else
    g_task_return_boolean (task, FALSE);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->mock = test_mock_new (NULL);
  fixture->options = test_options_new (fixture->mock);
  asb_backend_options_set_readiness_check (fixture->options, check, fixture, NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  TestCensus census;

  test_census_init (&census);
  test_census_add (&census, fixture->mock);
  test_census_add (&census, fixture->options);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
  g_clear_error (&fixture->answer);
  g_clear_object (&fixture->cancel);
  g_clear_object (&fixture->options);
  g_clear_object (&fixture->mock);
  /* A late answer is taken in a thread of its own. */
  test_census_wait (&census);
}

static void
fails (Fixture *fixture, GQuark domain, int code, const char *pattern)
{
  g_autoptr (GError) error = NULL;
  AsbBackend *backend = asb_create_backend (fixture->options, fixture->cancel, &error);

  g_assert_null (backend);
  g_assert_error (error, domain, code);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("“%s” is not like “%s”", error->message, pattern);
}

/* Whether that is said of one that does not get ready in as much time. */
static gboolean
tells (Fixture *fixture, double seconds, const char *text)
{
  g_autoptr (GError) error = NULL;
  AsbBackend *backend;

  asb_backend_options_set_ready_timeout_seconds (fixture->options, seconds);
  backend = asb_create_backend (fixture->options, NULL, &error);
  g_assert_null (backend);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  return strstr (error->message, text) != NULL;
}

static void
test_ready (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbBackend) backend = NULL;

  g_test_summary ("The question is asked until the answer is yes, and then no more");

  fixture->ready_at = 3;
  backend = asb_create_backend (fixture->options, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (fixture->n_questions, ==, 3);
  test_backend_close (backend);
}

static void
test_never_ready (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A sandbox that never gets ready is deleted, and the last answer is told");

  asb_backend_options_set_ready_timeout_seconds (fixture->options, 0.3);
  fails (fixture, ASB_ERROR, ASB_ERROR_TIMED_OUT, "*did not get ready within 0.3 s*not yet*");
  g_assert_cmpuint (fixture->n_questions, >=, 1);

  fixture->answer = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED, "port 80: no");
  /* When the machine stands still the time may be up before the first answer. */
  for (double seconds = 0.3; !tells (fixture, seconds, "port 80: no"); seconds *= 10)
    g_assert_cmpfloat (seconds, <, 60);
}

static void
test_silent (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A check that does not answer does not hold the time up");

  fixture->is_silent = TRUE;
  asb_backend_options_set_ready_timeout_seconds (fixture->options, 0.1);
  asb_call_set_limit (NULL, 50);
  fails (fixture, ASB_ERROR, ASB_ERROR_TIMED_OUT, "*did not get ready*");
  asb_call_set_limit (NULL, -1);
  g_task_return_boolean (fixture->unanswered, TRUE);
  g_clear_object (&fixture->unanswered);
}

static void
test_cancelled (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A cancelled creation leaves no sandbox, and is no matter of time");

  fixture->cancel = g_cancellable_new ();
  fails (fixture, G_IO_ERROR, G_IO_ERROR_CANCELLED, "*");
  g_assert_cmpuint (fixture->n_questions, ==, 1);
}

#define ADD(path, function)                                                                        \
  g_test_add ("/readiness/" path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("ready", test_ready);
  ADD ("never-ready", test_never_ready);
  ADD ("silent", test_silent);
  ADD ("cancelled", test_cancelled);
  return g_test_run ();
}
