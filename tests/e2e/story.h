/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A local sandbox, and what its record must hold of all that was done in it: each operation adds
 * its expectation when it is made, in order. */

#pragma once

#include <asb.h>

typedef struct
{
  char *operation_type;
  AsbOperationStatus status;
  char *path;       /* of files, or NULL */
  char *command;    /* of commands, or NULL */
  gint64 size;      /* of what was read or written, or −1 */
  char *hash;       /* of what was written, or NULL */
  gint64 count;     /* of what was listed, or −1 */
  gint64 exit_code; /* of commands, or −1 */
  GBytes *output;   /* standard output of commands, or NULL */
} StoryExpectation;

typedef struct
{
  AsbBackend *backend;
  GPtrArray *expectations; /* of StoryExpectation */
} Story;

/* @provider (nullable): instead of the local one. */
Story *story_new (AsbProvider *provider);
void story_free (Story *story);

/* Does it, checks that it worked, and expects it in the record. */
void story_write (Story *story, const char *path, GBytes *contents);
GBytes *story_read (Story *story, const char *path);
GListModel *story_list (Story *story, const char *path);
void story_delete (Story *story, const char *path);
AsbCommandResult *story_execute (Story *story, const char *shell);
/* A command that is given @input; what it prints. */
GBytes *story_pipe (Story *story, const char *shell, GBytes *input);
void story_fail_to_read (Story *story, const char *path, AsbError code);

/* Reads the record page by page and compares it with the expectations, one by one. */
void story_check_record (Story *story);
