/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The parts of the probe. Each prints a line for each thing that worked though it must not. */

#pragma once

/* System calls that the filter refuses, and those it must let pass. */
void probe_calls (void);
void probe_needed (void);

/* The same by the ways for programs of other word sizes. */
void probe_compat (void);
