/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One run of checks: what is checked, and how it went so far. A check is a function that returns
 * early at the first thing that is not as promised; the run goes on with the next. */

#pragma once

#include <asb.h>

typedef struct
{
  AsbRegistry *registry;
  const char *provider_name;
  GVariant *provider_options;
  const char *store_name; /* NULL: what a backend takes by default */
  const char *image;      /* NULL: the provider's own */
  gboolean one_thread;

  char *tag; /* in the metadata of every sandbox of this run, so that no other is touched */
  AsbProvider *provider;
  GPtrArray *created;  /* ids, to be deleted when the check is over */
  AsbBackend *backend; /* of those checks that work inside */

  guint n_done;
  guint n_failed;
  guint n_skipped;
  char *failure; /* of the check that runs */
  char *skipped;
  GMutex warnings;
  char *warning; /* the first that was critical */
} Check;

typedef void (*CheckFunction) (Check *check);

void check_init (Check *check, AsbRegistry *registry, const char *provider_name,
                 GVariant *provider_options);
void check_clear (Check *check);

/* Runs one check with a provider of its own, and prints its line. */
void check_run (Check *check, const char *name, CheckFunction function);

/* Prints the plan, which comes last. */
void check_end (Check *check);

void check_fail (Check *check, const char *file, int line, const char *text);
void check_skip (Check *check, const char *reason);
gboolean check_is_over (Check *check);

/* A line for people. */
void check_say (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* Sandboxes of this run. */
AsbProvider *check_new_provider (Check *check, GError **error);
AsbSandboxSpec *check_new_spec (Check *check);
AsbSandboxFilter *check_new_filter (Check *check);
AsbSandboxInfo *check_create (Check *check, AsbSandboxSpec *spec);
gboolean check_delete (Check *check, const char *id);
GListModel *check_list (Check *check, AsbSandboxFilter *filter);
const char *check_id (AsbSandboxInfo *info);

/* Opens check->backend; FALSE when it failed or was skipped. */
gboolean check_open_backend (Check *check);

/* The same where the sandbox has the capability @needed; skips the check otherwise. */
gboolean check_open_backend_for (Check *check, const char *needed);

/* For the asynchronous twins: check_ready_cb with the address of a result, and waiting for it. */
void check_ready_cb (GObject *source, GAsyncResult *result, gpointer place);
GAsyncResult *check_wait (GAsyncResult **place);

gboolean check_text_is (Check *check, const char *file, int line, const char *what,
                        const char *text, const char *expected);
gboolean check_count_is (Check *check, const char *file, int line, const char *what, gint64 count,
                         gint64 expected);
gboolean check_error_is (Check *check, const char *file, int line, GError *error, GQuark domain,
                         int code);
gboolean check_no_error (Check *check, const char *file, int line, GError *error);

#define CHECK(check, condition)                                                                    \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (!(condition))                                                                              \
      {                                                                                            \
        check_fail ((check), __FILE__, __LINE__, "not true: " #condition);                         \
        return;                                                                                    \
      }                                                                                            \
  }                                                                                                \
  G_STMT_END

#define CHECK_TEXT(check, text, expected)                                                          \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (!check_text_is ((check), __FILE__, __LINE__, #text, (text), (expected)))                   \
      return;                                                                                      \
  }                                                                                                \
  G_STMT_END

#define CHECK_COUNT(check, count, expected)                                                        \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (!check_count_is ((check), __FILE__, __LINE__, #count, (count), (expected)))                \
      return;                                                                                      \
  }                                                                                                \
  G_STMT_END

#define CHECK_ERROR(check, error, domain, code)                                                    \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (!check_error_is ((check), __FILE__, __LINE__, (error), (domain), (code)))                  \
      return;                                                                                      \
  }                                                                                                \
  G_STMT_END

#define CHECK_NO_ERROR(check, error)                                                               \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (!check_no_error ((check), __FILE__, __LINE__, (error)))                                    \
      return;                                                                                      \
  }                                                                                                \
  G_STMT_END

/* After a helper that has told of its failure. */
#define CHECK_GOES_ON(check)                                                                       \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (check_is_over (check))                                                                     \
      return;                                                                                      \
  }                                                                                                \
  G_STMT_END
