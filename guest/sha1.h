/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SHA-1, which the opening of a WebSocket is answered with (RFC 6455 §4.2.2). It keeps no secret
 * and proves nothing. */

#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA1_SIZE 20

/* Of short texts: at most SHA1_MAX_INPUT bytes. */
#define SHA1_MAX_INPUT 119

void sha1 (const void *bytes, size_t size, uint8_t digest[SHA1_SIZE]);
