/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The historian on a real database. The input is what the broker says to it, what other programs
 * write into the record meanwhile, and what they do to its files. Whatever it is, the historian
 * answers each call once, in order, and leaves no memory and no descriptor behind; and where nobody
 * else was at the files, the database is whole. */

#include "fuzz.h"

#include "asb-frame.h"
#include "asb-wire-json.h"
#include "frames.h"
#include "fuzz-folder.h"
#include "historian.h"
#include "stand-ins.h"

#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_CALL 256
#define MAX_DESCRIPTORS 256
#define MAX_OUTPUT (64 * 1024)
#define MILLISECOND INT64_C (1000000)
#define MAX_SQL_STEPS 1000

typedef struct
{
  bool is_open;
  bool is_ended; /* its output */
  uint64_t received;
  uint64_t credited;
} HistorianCall;

static FuzzInput input;
static int ours;
static FrameReader reader;
static HistorianCall calls[MAX_CALL];
static bool was_touched; /* by others */
static bool is_strange;  /* what was said cannot be followed here */
static char database[PATH_MAX];

static void
send_frame (AsbFrameHeader *header, const void *payload)
{
  uint8_t bytes[ASB_FRAME_HEADER_SIZE + UINT16_MAX];

  header->sequence = asb_frame_type_is_numbered (header->type);
  asb_frame_header_write (header, bytes);
  if (header->length > 0)
    memcpy (bytes + ASB_FRAME_HEADER_SIZE, payload, header->length);
  /* What does not fit is as if the broker had gone. */
  if (send (ours, bytes, ASB_FRAME_HEADER_SIZE + header->length, MSG_NOSIGNAL | MSG_DONTWAIT)
      != (ssize_t)(ASB_FRAME_HEADER_SIZE + header->length))
    shutdown (ours, SHUT_WR);
}

static AsbFrameHeader
header_new (uint8_t type)
{
  return (AsbFrameHeader){ .type = type, .call = fuzz_take_byte (&input) | 1u };
}

/* What is said to it. A number is not used for two calls at once. */

static void
say_call (void)
{
  AsbFrameHeader header = header_new (ASB_FRAME_CALL);
  size_t size;
  const uint8_t *payload = fuzz_take_bytes (&input, &size);

  header.length = (uint32_t)size;
  if (calls[header.call].is_open)
    return;
  calls[header.call] = (HistorianCall){ .is_open = true };
  send_frame (&header, payload);
}

static void
say_data (void)
{
  AsbFrameHeader header = header_new (ASB_FRAME_DATA);
  unsigned times;
  size_t size;
  const uint8_t *payload;

  header.channel = fuzz_take_byte (&input) % ASB_N_CHANNELS;
  times = fuzz_take_byte (&input) % 8 + 1;
  payload = fuzz_take_bytes (&input, &size);
  header.length = (uint32_t)size;
  for (unsigned i = 0; i < times && i * size < MAX_OUTPUT; i++)
    send_frame (&header, payload);
}

static void
say_credit (void)
{
  AsbFrameHeader header = header_new (ASB_FRAME_CREDIT);
  HistorianCall *call = &calls[header.call];
  uint8_t payload[8];
  uint64_t count = fuzz_take_byte (&input) & 1 ? call->received : fuzz_take_short (&input) * 64u;

  header.channel = ASB_CHANNEL_OUTPUT;
  header.length = sizeof payload;
  call->credited = count > call->credited ? count : call->credited;
  asb_frame_count_write (count, payload);
  send_frame (&header, payload);
}

static void
say_stop (void)
{
  AsbFrameHeader header = header_new (ASB_FRAME_STOP);

  header.channel = ASB_CHANNEL_OUTPUT;
  send_frame (&header, NULL);
}

static void
say_cancel (void)
{
  AsbFrameHeader header = header_new (ASB_FRAME_CANCEL);

  send_frame (&header, NULL);
}

static void
say_bytes (void)
{
  size_t size;
  const uint8_t *bytes = fuzz_take_bytes (&input, &size);

  is_strange = true;
  if (send (ours, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
    shutdown (ours, SHUT_WR);
}

/* What others do. */

static int
give_up (void *data)
{
  return 1;
}

/* Another program at the same database, which may do all but leave it. */
static void
write_sql (void)
{
  size_t size;
  const uint8_t *bytes = fuzz_take_bytes (&input, &size);
  char *sql = malloc (size + 1);
  sqlite3 *handle = NULL;

  FUZZ_CHECK (sql);
  memcpy (sql, bytes, size);
  sql[size] = '\0';
  was_touched = true;
  if (sqlite3_open_v2 (database, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL)
      == SQLITE_OK)
    {
      sqlite3_limit (handle, SQLITE_LIMIT_ATTACHED, 0);
      sqlite3_limit (handle, SQLITE_LIMIT_LENGTH, 1024 * 1024);
      sqlite3_progress_handler (handle, MAX_SQL_STEPS, give_up, NULL);
      sqlite3_exec (handle, sql, NULL, NULL, NULL);
    }
  sqlite3_close (handle);
  free (sql);
}

static void
overwrite (const char *path, off_t offset)
{
  size_t size;
  const uint8_t *bytes = fuzz_take_bytes (&input, &size);
  int fd = open (path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

  if (fd < 0)
    return;
  if (pwrite (fd, bytes, size, offset) < 0)
    shutdown (ours, SHUT_WR);
  close (fd);
}

/* Damages one of the files. To close any descriptor of the database would end its locks, but there
 * is only one process here to hold any. */
static void
damage_file (void)
{
  static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };
  char path[PATH_MAX + 16];
  uint8_t choice = fuzz_take_byte (&input);
  off_t offset;

  was_touched = true;
  snprintf (path, sizeof path, "%s%s", database, suffixes[choice % 4]);
  offset = fuzz_take_short (&input);
  switch (choice / 4 % 6)
    {
    case 0:
      /* A mapped file that is cut is a matter of history-guard.c, whose signal the checkers take.
       */
      if (choice % 4 != 2 && truncate (path, offset) != 0)
        return;
      break;
    case 1:
      unlink (path);
      break;
    case 2:
      unlink (path);
      if (symlink ("elsewhere", path) != 0)
        return;
      break;
    case 3:
      unlink (path);
      mkdir (path, 0700);
      break;
    default:
      overwrite (path, offset);
    }
}

static void
pass_time (void)
{
  stand_ins.now += fuzz_take_short (&input) * 10 * MILLISECOND;
}

static void (*const HAPPENINGS[]) (void) = {
  say_call,  say_data,  say_credit,  say_stop,  say_cancel,
  say_bytes, write_sql, damage_file, pass_time,
};

/* What it says. */

static void
check_reply (HistorianCall *call, const AsbFrameHeader *header, const uint8_t *payload)
{
  const char *reason;
  json_t *json = asb_wire_json_parse (payload, header->length, &reason);

  FUZZ_CHECK (call->is_open);
  call->is_open = false;
  FUZZ_CHECK (!json_object_get (json, "result") != !json_object_get (json, "error"));
  json_decref (json);
}

static void
check_data (HistorianCall *call, const AsbFrameHeader *header)
{
  FUZZ_CHECK (call->is_open && !call->is_ended && header->channel == ASB_CHANNEL_OUTPUT);
  call->received += header->length;
  call->is_ended = header->flags & ASB_FRAME_FLAG_FIN;
  FUZZ_CHECK (call->received <= call->credited + ASB_FRAME_WINDOW);
}

static void
check_frame (const AsbFrameHeader *header, const uint8_t *payload)
{
  if (is_strange)
    return;
  FUZZ_CHECK (header->call < MAX_CALL);
  if (header->type == ASB_FRAME_REPLY)
    check_reply (&calls[header->call], header, payload);
  else if (header->type == ASB_FRAME_DATA)
    check_data (&calls[header->call], header);
  else
    FUZZ_CHECK (header->type == ASB_FRAME_STOP);
}

static void
take_replies (void)
{
  AsbFrameHeader header;
  const uint8_t *payload;
  const char *reason;
  AsbFrameStatus status;

  while (frame_reader_fill (&reader, ours) == FRAME_READER_DATA)
    {
      while ((status = frame_reader_next (&reader, &header, &payload, &reason)) == ASB_FRAME_OK)
        check_frame (&header, payload);
      FUZZ_CHECK (status == ASB_FRAME_NEED_MORE);
    }
}

/* The historian waits: it gets what comes next. */
static int
next (struct pollfd *polled)
{
  take_replies ();
  if (fuzz_left (&input) == 0)
    shutdown (ours, SHUT_WR);
  else
    HAPPENINGS[fuzz_take_byte (&input) % (sizeof HAPPENINGS / sizeof *HAPPENINGS)]();
  polled->revents = polled->events;
  return 1;
}

/* The end. */

static void
check_database (void)
{
  sqlite3 *handle = NULL;
  sqlite3_stmt *statement = NULL;

  if (was_touched || access (database, F_OK) != 0)
    return;
  FUZZ_CHECK (sqlite3_open_v2 (database, &handle, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK);
  FUZZ_CHECK (sqlite3_prepare_v2 (handle, "PRAGMA integrity_check", -1, &statement, NULL)
              == SQLITE_OK);
  FUZZ_CHECK (sqlite3_step (statement) == SQLITE_ROW);
  FUZZ_CHECK (strcmp ((const char *)sqlite3_column_text (statement, 0), "ok") == 0);
  sqlite3_finalize (statement);
  sqlite3_close (handle);
}

static unsigned
count_descriptors (void)
{
  unsigned n = 0;

  for (int fd = 0; fd < MAX_DESCRIPTORS; fd++)
    n += fcntl (fd, F_GETFD) >= 0;
  return n;
}

static void
run (void)
{
  char directory[PATH_MAX];
  int ends[2];

  snprintf (directory, sizeof directory, "%s/history", fuzz_folder ());
  snprintf (database, sizeof database, "%s/history/history.sqlite3", fuzz_folder ());
  FUZZ_CHECK (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
  ours = ends[0];
  stand_ins_reset ();
  stand_ins.tick = MILLISECOND;
  stand_ins.poll = next;
  stand_ins.polls_pairs = true;
  historian_main (ends[1], directory);
  take_replies ();
  close (ours);
  frame_reader_clear (&reader);
  check_database ();
  fuzz_folder_empty ();
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  unsigned n_descriptors;

  fuzz_folder ();
  n_descriptors = count_descriptors ();
  input = (FuzzInput){ data, data + size };
  was_touched = false;
  is_strange = false;
  memset (calls, 0, sizeof calls);
  run ();
  FUZZ_CHECK (count_descriptors () == n_descriptors);
  return 0;
}
