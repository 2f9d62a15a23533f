/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "websocket-door.h"

#include "arguments.h"
#include "call-kinds.h"
#include "listener.h"
#include "websocket-opening.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 64

struct WebsocketDoor
{
  Listener *listener;
  unsigned port;
};

int
websocket_door_listen (unsigned *port)
{
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons ((uint16_t)*port),
                                 .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t size = sizeof address;
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int on = 1;
  int error;

  if (fd < 0)
    return -1;
  setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind (fd, (struct sockaddr *)&address, size) == 0 && listen (fd, BACKLOG) == 0
      && getsockname (fd, (struct sockaddr *)&address, &size) == 0)
    {
      *port = ntohs (address.sin_port);
      return fd;
    }
  error = errno;
  close (fd);
  errno = error;
  return -1;
}

static WebsocketDoor *
new_door (Broker *broker, unsigned port)
{
  WebsocketDoor *door = calloc (1, sizeof *door);
  int fd = door ? websocket_door_listen (&port) : -1;

  if (fd >= 0)
    door->listener = listener_new (broker, fd, websocket_opening_begin);
  if (door && door->listener)
    {
      door->port = port;
      return door;
    }
  if (fd >= 0)
    close (fd);
  free (door);
  return NULL;
}

bool
websocket_door_open (Broker *broker, unsigned port)
{
  if (!broker->door)
    broker->door = new_door (broker, port);
  if (broker->door && port > 0 && port != broker->door->port)
    errno = EISCONN;
  return broker->door && (port == 0 || port == broker->door->port);
}

void
websocket_door_close (Broker *broker)
{
  websocket_openings_close (broker);
  if (broker->door)
    listener_free (broker->door->listener);
  free (broker->door);
  broker->door = NULL;
}

json_t *
websocket_door_describe (const Broker *broker, bool with_token)
{
  return json_pack ("{s:I, s:s*, s:I}", "port", (json_int_t)broker->door->port, "token",
                    with_token ? broker->token : NULL, "pid", (json_int_t)getpid ());
}

/* Whoever may call may bring a token along, and need not be told ours. */
static bool
take_token (Call *call, bool *is_own)
{
  json_t *token = json_object_get (call->args, "token");

  *is_own = token && !json_is_null (token);
  if (!*is_own)
    return true;
  if (!json_is_string (token)
      || !token_is_valid (json_string_value (token), json_string_length (token)))
    return failure_set (&call->failure, FAILURE_INVALID_ARGUMENT,
                        "Argument “token” must be of 16 to 128 printable characters");
  if (!token_list_add (&call->broker->tokens, json_string_value (token)))
    return failure_set (&call->failure, FAILURE_INTERNAL, "There is not enough memory");
  return true;
}

/* guest.listen */
static void
start_listen (Call *call)
{
  Broker *broker = call->broker;
  Outcome outcome = { .status = "succeeded" };
  int64_t port;
  bool is_own;

  if (!argument_integer (call->args, "port", 0, UINT16_MAX, 0, &port, &call->failure)
      || !take_token (call, &is_own))
    {
      call_fail (call, &call->failure);
      return;
    }
  if (!websocket_door_open (broker, (unsigned)port))
    {
      if (errno == EISCONN)
        failure_set (&call->failure, FAILURE_ALREADY_EXISTS, "The guest listens at port %u already",
                     broker->door->port);
      else
        failure_set (&call->failure, FAILURE_IO_ERROR, "Could not listen at port %u: %s",
                     (unsigned)port, strerrordesc_np (errno));
      call_fail (call, &call->failure);
      return;
    }
  outcome.result = websocket_door_describe (broker, !is_own);
  call_finish (call, &outcome);
}

const CallKind DOOR_KINDS[] = {
  { .name = "guest.listen", .start = start_listen },
  { .name = NULL },
};
