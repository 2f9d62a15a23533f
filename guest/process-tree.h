/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that descends from the calling process, found in /proc. Whoever is a subreaper keeps its
 * descendants, whatever sessions and double forks they hide behind. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Children of the caller that are left alone, with all that descends from them. */
typedef struct
{
  const pid_t *pids;
  size_t n_pids;
} ProcessTreeSpared;

/* Whether /proc is there and shows this process. */
bool process_tree_is_visible (void);

/* The letter that /proc has for what a process does (proc(5)), 0 when that is not to be had. */
char process_tree_state_of (pid_t pid);

/* Sends CONT to the children of @parent that are stopped; how many there were. */
size_t process_tree_continue (pid_t parent);

/* Sends TERM to every descendant there is, and CONT, so that what was stopped hears it too. */
void process_tree_terminate (const ProcessTreeSpared *spared);

/* Stops every descendant, until no new ones appear, then kills them all: what forks faster than it
 * can be killed must not run meanwhile. How many of them there were that will end by it: not those
 * that wait for a disk or are beyond reach. */
size_t process_tree_kill (const ProcessTreeSpared *spared);

/* The same of all that descends from @root, in a standstill (standstill.h) that has begun and ends
 * here, if there are @least of them; how many there are. All else goes on, if nobody had stopped it
 * before. */
size_t process_tree_kill_in_standstill (pid_t root, const ProcessTreeSpared *spared, size_t least);
