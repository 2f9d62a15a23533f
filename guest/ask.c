/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ask.h"

#include "asb-wire-json.h"
#include "frames.h"
#include "socket-path.h"
#include "version.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define CALL_NUMBER 1
#define TIMEOUT_SECONDS 10

static bool
send_json (int fd, uint8_t type, json_t *json)
{
  char *text = asb_wire_json_dump (json);
  AsbFrameHeader header = { .type = type, .length = text ? (uint32_t)strlen (text) : 0 };
  OutFrame *frame;
  struct iovec vector;
  bool done;

  header.sequence = asb_frame_type_is_numbered (type) ? 1 : 0;
  header.call = header.sequence > 0 ? CALL_NUMBER : 0;
  frame = text ? out_frame_new (&header, text) : NULL;
  free (text);
  json_decref (json);
  if (!frame)
    return false;
  out_frame_gather (frame, 0, SIZE_MAX, &vector, 1);
  done = send (fd, vector.iov_base, vector.iov_len, MSG_NOSIGNAL) == (ssize_t)vector.iov_len;
  free (frame);
  return done;
}

/* Takes what comes until it is a REPLY or a GOODBYE. */
static json_t *
read_answer (int fd, FrameReader *reader, uint8_t *type)
{
  AsbFrameHeader header = { 0 };
  const uint8_t *payload;
  const char *reason;

  for (;;)
    {
      AsbFrameStatus status = frame_reader_next (reader, &header, &payload, &reason);

      *type = header.type;
      if (status == ASB_FRAME_OK && (*type == ASB_FRAME_REPLY || *type == ASB_FRAME_GOODBYE))
        return asb_wire_json_parse (payload, header.length, &reason);
      if (status == ASB_FRAME_INVALID
          || (status == ASB_FRAME_NEED_MORE && frame_reader_fill (reader, fd) != FRAME_READER_DATA))
        return NULL;
    }
}

/* The result in @answer, or what it says instead. */
static json_t *
take_result (json_t *answer, uint8_t type, char *problem)
{
  json_t *result = type == ASB_FRAME_REPLY ? json_object_get (answer, "result") : NULL;
  json_t *error = type == ASB_FRAME_REPLY ? json_object_get (answer, "error") : answer;
  const char *message = json_string_value (json_object_get (error, "message"));

  if (!result)
    snprintf (problem, ASK_PROBLEM_SIZE, "%s", message ? message : "It does not answer");
  return json_incref (result);
}

static json_t *
hello_new (bool drains)
{
  return json_pack ("{s:i, s:i, s:s, s:b}", "major", GUEST_MAJOR, "minor", GUEST_MINOR, "client",
                    "asb-guest " GUEST_VERSION, "drain", drains);
}

static json_t *
converse (int fd, const char *call, json_t *args, char *problem)
{
  FrameReader reader = { 0 };
  struct timeval timeout = { .tv_sec = TIMEOUT_SECONDS };
  json_t *answer = NULL;
  json_t *result;
  uint8_t type = 0;

  setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  if (send_json (fd, ASB_FRAME_HELLO, hello_new (false))
      && send_json (fd, ASB_FRAME_CALL, json_pack ("{s:s, s:O}", "call", call, "args", args)))
    answer = read_answer (fd, &reader, &type);
  result = take_result (answer, type, problem);
  json_decref (answer);
  frame_reader_clear (&reader);
  return result;
}

json_t *
ask_guest (const char *socket_path, const char *call, json_t *args, char problem[ASK_PROBLEM_SIZE])
{
  const char *cause;
  int fd = socket_path_connect (socket_path, &cause);
  json_t *result;

  if (fd < 0)
    {
      snprintf (problem, ASK_PROBLEM_SIZE, "%s", cause);
      return NULL;
    }
  result = converse (fd, call, args, problem);
  close (fd);
  return result;
}

static void
ask_to_drain (const char *socket_path)
{
  const char *problem;
  int fd = socket_path_connect (socket_path, &problem);

  if (fd < 0)
    return;
  send_json (fd, ASB_FRAME_HELLO, hello_new (true));
  close (fd);
}

void
ask_older_to_drain (const char *socket_path)
{
  const char *slash = strrchr (socket_path, '/');
  char path[PATH_MAX];

  if (!slash || strcmp (slash + 1, GUEST_SOCKET_NAME) != 0)
    return;
  for (int major = 1; major < GUEST_MAJOR; major++)
    if ((size_t)snprintf (path, sizeof path, "%.*s/guest-%d.sock", (int)(slash - socket_path),
                          socket_path, major)
        < sizeof path)
      ask_to_drain (path);
}
