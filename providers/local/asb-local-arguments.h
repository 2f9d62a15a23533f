/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The options of one run of bubblewrap and the descriptors that go with them. The options travel
 * through a descriptor: a command line can be read by every user of the host. */

#pragma once

#include <glib.h>

/* Where sources are shown, if bubblewrap cannot be told their own place. It needs this folder, too.
 */
#define ASB_LOCAL_SOURCES_FOLDER "/tmp"
#define ASB_LOCAL_SOURCE_PATH_SIZE 32

/* The number the first descriptor has in the started program. */
#define ASB_LOCAL_FIRST_FD 3

typedef struct
{
  GByteArray *options; /* each ended by NUL */
  GArray *fds;         /* of int: the one at index i becomes ASB_LOCAL_FIRST_FD + i */
  gboolean staged;     /* bubblewrap cannot be told the places of the sources */
  GPtrArray *sources;  /* AsbLocalSource */
} AsbLocalArguments;

AsbLocalArguments *asb_local_arguments_new (gboolean staged);
void asb_local_arguments_free (AsbLocalArguments *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbLocalArguments, asb_local_arguments_free)

void asb_local_arguments_add (AsbLocalArguments *self, ...) G_GNUC_NULL_TERMINATED;

/* Takes @fd. Returns: its number in the started program. */
int asb_local_arguments_take_fd (AsbLocalArguments *self, int fd);

/* An option that wants a descriptor: "@option N @value", @value may be NULL. Takes @fd. */
void asb_local_arguments_add_fd (AsbLocalArguments *self, const char *option, int fd,
                                 const char *value);

/* Mounts @path, a file or directory of the caller, with "@option PATH @target". */
void asb_local_arguments_add_source (AsbLocalArguments *self, const char *option, const char *path,
                                     const char *target);

/* Mounts the folders of the user, of AsbLocalSource. Empties @mounts. Only when staged. */
void asb_local_arguments_take_mounts (AsbLocalArguments *self, GPtrArray *mounts);

/* Where the source of that index is found by bubblewrap, if not by its own path. */
void asb_local_source_path (guint index, char *buffer, gsize size);

/* Directories with usual permissions for each parent of @path. */
void asb_local_arguments_add_parents (AsbLocalArguments *self, const char *path);

/* A file in memory with @content, to be read from its start: -1 on failure. */
int asb_local_memory_file (const void *content, gsize size, GError **error);
