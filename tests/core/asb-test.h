/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the tests of the core share. They are linked with the objects of the library, so that they
 * reach its private parts; the modules they load find the same copy. */

#pragma once

#include <asb.h>

/* A registry that finds the modules of this build. */
AsbRegistry *test_registry_new (void);

/* A mock from its module. @options: the text of an a{sv}, or NULL. */
AsbProvider *test_mock_new (const char *options);
/* @rule: the text of an a{sv}. */
void test_mock_add_fault (AsbProvider *mock, const char *rule);
void test_mock_clear_faults (AsbProvider *mock);
void test_mock_set_result (AsbProvider *mock, const char *command, const char *result);
guint test_mock_get_sandbox_count (AsbProvider *mock);
guint test_mock_get_transport_count (AsbProvider *mock);
guint test_mock_get_held_count (AsbProvider *mock);
guint64 test_mock_get_calls (AsbProvider *mock, const char *operation);
/* Answers, or drops, what is held back. Returns how many calls. */
guint test_mock_release (AsbProvider *mock, const char *operation);
guint test_mock_forget (AsbProvider *mock, const char *operation);
guint test_mock_finish_commands (AsbProvider *mock, const char *text);

/* Cancels @cancellable as soon as @operation has been called; once. */
void test_mock_cancel_on_call (AsbProvider *mock, const char *operation, GCancellable *cancellable);

AsbHistoryStore *test_memory_store_new (const char *options);

/* Options for a backend over @mock, without a history. */
AsbBackendOptions *test_options_new (AsbProvider *mock);
/* A backend over @mock; @store may be NULL. */
AsbBackend *test_backend_new (AsbProvider *mock, AsbHistoryStore *store);
void test_backend_close (AsbBackend *backend);

/* Whether objects have gone. */
typedef struct
{
  GMutex mutex;
  guint n_alive;
} TestCensus;

void test_census_init (TestCensus *census);
void test_census_add (TestCensus *census, gpointer object);
/* Runs what is ready in the default context, and fails if one of the objects is still there. */
void test_census_end (TestCensus *census);
/* The same where somebody has still to let go: runs the default context until then. */
void test_census_wait (TestCensus *census);

/* Starts @n threads that do @function all at the same time, and waits for them. Runs the default
 * context meanwhile if @with_loop. */
void test_run_threads (guint n, GThreadFunc function, gpointer data, gboolean with_loop);

/* What may happen in another thread. */
typedef struct
{
  GMutex mutex;
  GCond changed;
  guint n;
} TestEvent;

void test_event_init (TestEvent *event);
void test_event_clear (TestEvent *event);
void test_event_happen (TestEvent *event);
/* Blocks until it has happened @n times. */
void test_event_wait (TestEvent *event, guint n);

/* Runs what is ready. */
void test_drain (void);

/* A callback that keeps the result. */
typedef struct
{
  GAsyncResult *result;
  GThread *thread;
  guint n_calls;
} TestAnswer;

void test_answer_cb (GObject *source, GAsyncResult *result, gpointer user_data);
/* Runs the default context until there is a result. */
GAsyncResult *test_answer_wait (TestAnswer *answer);
void test_answer_clear (TestAnswer *answer);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TestAnswer, test_answer_clear)

/* Text of at most 4 KiB that a stream gives, to be freed. */
char *test_read_text (GInputStream *stream);
void test_assert_bytes (GBytes *bytes, const char *text);

/* The operations a store holds, in the order of their start. */
GListModel *test_store_list (AsbHistoryStore *store);
/* Returns: (transfer full): the last one of that type */
AsbHistoryOperation *test_store_find (AsbHistoryStore *store, const char *operation_type);

/* What a backend is made of. */
typedef struct
{
  AsbProvider *mock;
  AsbBackendOptions *options;
  GError *error;
} TestCreation;

void test_creation_set_up (TestCreation *fixture, gconstpointer data);
/* Nothing of it may be left. */
void test_creation_tear_down (TestCreation *fixture, gconstpointer data);
/* Makes a backend, which must not fail. */
AsbBackend *test_creation_create (TestCreation *fixture);
