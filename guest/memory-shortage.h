/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <stdint.h>

/* How many processes of this sandbox the kernel has ended because it may have no more memory; 0
 * where it does not tell. */
uint64_t memory_shortage_count_kills (void);
