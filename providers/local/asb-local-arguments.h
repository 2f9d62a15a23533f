/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The options of one run of bubblewrap and the descriptors that go with them. The options travel
 * through a descriptor: a command line can be read by every user of the host. */

#pragma once

#include <glib.h>

/* The number the first descriptor has in the started program. */
#define ASB_LOCAL_FIRST_FD 3

typedef struct
{
  GByteArray *options; /* each ended by NUL */
  GArray *fds;         /* of int: the one at index i becomes ASB_LOCAL_FIRST_FD + i */
} AsbLocalArguments;

AsbLocalArguments *asb_local_arguments_new (void);
void asb_local_arguments_free (AsbLocalArguments *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbLocalArguments, asb_local_arguments_free)

void asb_local_arguments_add (AsbLocalArguments *self, ...) G_GNUC_NULL_TERMINATED;

/* Takes @fd. Returns: its number in the started program. */
int asb_local_arguments_take_fd (AsbLocalArguments *self, int fd);

/* An option that wants a descriptor: "@option N @value", @value may be NULL. Takes @fd. */
void asb_local_arguments_add_fd (AsbLocalArguments *self, const char *option, int fd,
                                 const char *value);

/* Directories with usual permissions for each parent of @path. */
void asb_local_arguments_add_parents (AsbLocalArguments *self, const char *path);

/* A file in memory with @content, to be read from its start: -1 on failure. */
int asb_local_memory_file (const void *content, gsize size, GError **error);
