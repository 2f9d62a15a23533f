/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A history store that notes what it is given and does as it is told. */

#pragma once

#include "asb-test.h"

typedef enum
{
  TEST_STORE_ANSWERS,
  TEST_STORE_FAILS,
  TEST_STORE_HOLDS, /* until test_store_release () or test_store_forget () */
  TEST_STORE_DROPS,
  TEST_STORE_ANSWERS_FROM_THREAD
} TestStoreManner;

#define TEST_TYPE_STORE (test_store_get_type ())
G_DECLARE_FINAL_TYPE (TestStore, test_store, TEST, STORE, GObject)

struct _TestStore
{
  GObject parent_instance;

  TestStoreManner open_manner;
  TestStoreManner record_manner;
  TestStoreManner close_manner;
  int fail_code;          /* of what fails */
  const char *fail_words; /* NULL: others */
  gboolean records_in_place;
  const char *cancel_on; /* “open”, “record” or “close”: cancels @cancellable when that is called */
  GCancellable *cancellable;

  GMutex mutex;
  GPtrArray *batches; /* GVariant, in the order of their coming */
  GPtrArray *threads; /* GThread each came in, not owned */
  GPtrArray *held;    /* GTask */
  guint n_opened;
  guint n_closed;
  guint n_recording; /* now */
  guint max_recording;
};

TestStore *test_store_new (void);
/* Answers what is held. Returns how many. */
guint test_store_release (TestStore *store);
guint test_store_forget (TestStore *store);
/* Answers what is held as the one with the number @index, in the order of their coming. */
void test_store_answer (TestStore *store, guint index, TestStoreManner manner);

guint test_store_count (TestStore *store);
/* The batch ids, joined by spaces and with the ids of the events taken out: “:started”. */
char *test_store_summary (TestStore *store);
/* Member @name of record @record of batch @batch, an a{sv} or what stands there. */
GVariant *test_store_get_record (TestStore *store, guint batch, guint record);
/* Looks along @path, members separated by slashes, through variants. Returns: (transfer full)
 * (nullable) */
GVariant *test_variant_find (GVariant *dict, const char *path);
void test_variant_check_string (GVariant *dict, const char *path, const char *expected);
void test_variant_check_integer (GVariant *dict, const char *path, gint64 expected);
void test_variant_check_boolean (GVariant *dict, const char *path, gboolean expected);
/* There is such a member, and it is an empty maybe. */
void test_variant_check_null (GVariant *dict, const char *path);
/* There is no such member. */
void test_variant_check_absent (GVariant *dict, const char *path);

/* A backend over a mock, and the store in which it records. */
typedef struct
{
  AsbProvider *mock;
  TestStore *store;
  AsbBackend *backend;
  GError *error;
} TestRecorded;

void test_recorded_set_up (TestRecorded *fixture, gconstpointer data);
/* Lets go of what is held back. Nothing may be left then. */
void test_recorded_tear_down (TestRecorded *fixture, gconstpointer data);
