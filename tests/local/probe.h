/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The parts of the probe. */

#pragma once

/* Each prints a line for each thing that worked though it must not. */

/* System calls that the filter refuses, and those it must let pass. */
void probe_calls (void);
void probe_needed (void);

/* The guest's processes; mounts where setuid counts; a link that leads out of the sandbox. */
void probe_guest (void);
void probe_setuid (int argc, char **argv);
void probe_link (const char *path);

/* The same by the ways for programs of other word sizes. */
void probe_compat (void);

/* Each prints how much of something there is, and what then came instead of more. */
void probe_forks (void);
void probe_bomb (void); /* leaves them all there, each in a session of its own */
void probe_memory (void);
void probe_file (const char *path);
