/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* File descriptors of a process: which are open, and how. */

#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Sees to it that 0, 1 and 2 are open, so that nothing else gets these numbers. */
bool descriptors_open_standard (void);

/* Closes all but 0, 1, 2 and the @n_kept numbers in @kept, which may be in any order; those below 0
 * are ignored. */
void descriptors_close_except (const int *kept, size_t n_kept);

bool descriptor_set_nonblocking (int fd);
bool descriptor_set_cloexec (int fd);
bool descriptor_is_listening (int fd);

/* Whether the other end of the local socket @fd was made by a process of this user, or of root. */
bool descriptor_peer_is_trusted (int fd);

/* Has this process go on when it is stopped and something comes at @fd, or @fd can be written to.
 * What runs inside can stop whatever is of its user, but not the first process of its namespace:
 * who stops that one does so from outside, and for a reason. Whether it does. */
bool descriptor_set_awakening (int fd);

/* For one that others have too, and that stays when this process ends: then another may get its
 * number, and the signals. */
void descriptor_unset_awakening (int fd);

/* Something that is always at its end when read: /dev/null, or where there is none an empty pipe.
 */
int descriptor_open_nothing (void);
