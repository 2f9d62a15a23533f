/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which guest this is. The tests build others. */

#pragma once

#include "config.h"

#include "asb-frame.h"

#ifndef GUEST_MAJOR
#define GUEST_MAJOR ASB_PROTOCOL_MAJOR
#define GUEST_MINOR ASB_PROTOCOL_MINOR
#define GUEST_VERSION ASB_VERSION
#endif

#define GUEST_TEXT(number) GUEST_TEXT_OF (number)
#define GUEST_TEXT_OF(number) #number

/* The name of the socket, which guests of another major version do not take from it. */
#define GUEST_SOCKET_NAME "guest-" GUEST_TEXT (GUEST_MAJOR) ".sock"
