/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A guest that goes on when the program that started it has ended. */

#pragma once

#include "serve.h"

/* Starts it and returns when clients can connect, or find that another serves there; then what it
 * says of its WebSocket is written to standard output. Otherwise the reason stands on standard
 * error and the exit status is not 0. */
int serve_in_background (const ServeOptions *options);
