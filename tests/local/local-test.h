/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the tests of the local provider have in common: a provider on state of its own, and a look
 * at that state from outside. */

#pragma once

#include <asb.h>

typedef struct
{
  char *folder; /* all of the test's files */
  char *state;
  char *records;
  AsbProvider *provider;
} LocalTest;

/* Begins a test program; with ASB_TEST_USER=nobody, root becomes that user first. Returns: a status
 * to leave with at once, or -1. */
int local_test_init (int *argc, char ***argv);

/* Adds a test that is skipped, saying why, where no sandbox can be made. */
void local_test_add (const char *path, void (*function) (LocalTest *test, gconstpointer data));

/* A provider on the test's state, with more options (may be NULL). */
AsbProvider *local_test_provider (LocalTest *test, GVariant *options);

AsbSandboxInfo *local_test_create (AsbProvider *provider, AsbSandboxSpec *spec);
const char *local_test_id (AsbSandboxInfo *info);
void local_test_delete (AsbProvider *provider, const char *id);
guint local_test_count (AsbProvider *provider, const char *state);

/* A new connection that has been greeted. */
AsbTransport *local_test_open (AsbProvider *provider, const char *id, gboolean record_only);

/* Runs a command in the sandbox to its end. Returns: what it wrote to standard output. */
char *local_test_run (AsbProvider *provider, const char *id, int *exit_status,
                      const char *const *argv);
char *local_test_shell (AsbProvider *provider, const char *id, int *exit_status, const char *text);

/* Runs the probe in the sandbox. Returns: a line for each thing that worked though it must not. */
char *local_test_probe (LocalTest *test, const char *id, const char *const *arguments);

/* The path of a file of the sandbox on the host. */
char *local_test_path (LocalTest *test, const char *id, const char *name);

/* The guest's process on the host, and a descriptor of it. */
int local_test_guest_pid (const char *folder);
int local_test_open_process (int pid);
int local_test_parent_of (int pid);

/* Whether the process of the descriptor ends within that time. */
gboolean local_test_wait_for_end (int process, int milliseconds);
void local_test_signal (int process, int number);

/* Whether any process of the host has @text in its file of that name in /proc. */
gboolean local_test_find_process (const char *file, const char *text);

/* Starts this test program again with "--child NAME FOLDER"; its standard output can be read. */
GSubprocess *local_test_child (LocalTest *test, const char *name, GSubprocessFlags flags);
char *local_test_read_line (GSubprocess *child);
const char *local_test_program (void);

/* In such a child: the test whose state it shares. */
LocalTest *local_test_for_child (const char *folder);
void local_test_free (LocalTest *test);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LocalTest, local_test_free)
