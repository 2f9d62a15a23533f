/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The listening socket: takes clients in, also when there is no room for them. */

#pragma once

#include "broker.h"

/* Takes @fd, and gives to @take, also to be taken, what is connected to it. NULL when there is no
 * room for it. */
Listener *listener_new (Broker *broker, int fd, void (*take) (Broker *broker, int fd));
void listener_free (Listener *listener);
