/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The calls of files, as a file worker does them on a real tree. The input is what the broker says
 * to the worker. Whatever it is, the worker speaks in frames, keeps to its window, never changes
 * the history, and leaves no memory, no descriptor and no temporary file behind.
 *
 * Paths are put into a folder of this process, and those with “..” are left to fuzz-arguments. */

#include "fuzz.h"

#include "asb-frame.h"
#include "asb-wire-json.h"
#include "fuzz-folder.h"
#include "stand-ins.h"
#include "worker.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_PENDING (128 * 1024)
#define MAX_DESCRIPTORS 256
#define SOCKET_FD 1000 /* not open: it is only a name */
#define CALL 1
#define SECRET "what was done"

static FuzzInput input;
static uint8_t pending[MAX_PENDING];
static size_t pending_start;
static size_t pending_end;
static bool locks_are_given;

/* What the worker said since its call began. */
static uint64_t sent;
static uint64_t credited; /* at most, of all calls */
static bool is_replied;

static char root[128];
static char history[160];

/* The tree. */

static const char *
in_root (const char *name)
{
  static char path[PATH_MAX];

  FUZZ_CHECK (snprintf (path, sizeof path, "%s/%s", root, name) < (int)sizeof path);
  return path;
}

static void
make_file (const char *name, const char *content)
{
  FILE *file = fopen (in_root (name), "w");

  FUZZ_CHECK (file && fputs (content, file) >= 0 && fclose (file) == 0);
}

static void
make_tree (void)
{
  snprintf (root, sizeof root, "%s/root", fuzz_folder ());
  snprintf (history, sizeof history, "%s/history", root);
  FUZZ_CHECK (mkdir (root, 0755) == 0 && mkdir (history, 0700) == 0);
  FUZZ_CHECK (mkdir (in_root ("d"), 0755) == 0 && mkdir (in_root ("d/e"), 0755) == 0);
  make_file ("history/record", SECRET);
  make_file ("a", "hello\nworld\n");
  make_file ("d/b", "");
  make_file ("d/\xFF", "bytes");
  FUZZ_CHECK (symlink ("a", in_root ("l")) == 0 && symlink ("none", in_root ("k")) == 0);
  FUZZ_CHECK (symlink ("o", in_root ("o")) == 0 && symlink ("history", in_root ("h")) == 0);
  FUZZ_CHECK (symlink ("history/record", in_root ("r")) == 0);
  FUZZ_CHECK (mkfifo (in_root ("p"), 0600) == 0);
}

static bool
is_temporary (const char *name)
{
  return strncmp (name, ".asb-", 5) == 0;
}

static void
check_folder (const char *path)
{
  DIR *folder = opendir (path);
  struct dirent *entry;

  while (folder && (entry = readdir (folder)))
    FUZZ_CHECK (!is_temporary (entry->d_name));
  if (folder)
    closedir (folder);
}

static void
check_tree (void)
{
  char content[sizeof SECRET] = "";
  FILE *record = fopen (in_root ("history/record"), "r");
  struct stat status;
  DIR *folder = opendir (history);
  unsigned n = 0;

  FUZZ_CHECK (record && fgets (content, sizeof content, record) && strcmp (content, SECRET) == 0);
  fclose (record);
  while (readdir (folder))
    n++;
  closedir (folder);
  FUZZ_CHECK (n == 3 && stat (history, &status) == 0 && (status.st_mode & 07777) == 0700);
  check_folder (root);
  check_folder (in_root ("d"));
}

/* What comes to the worker. */

static void
push_frame (AsbFrameHeader *header, const void *payload)
{
  size_t size = ASB_FRAME_HEADER_SIZE + header->length;

  if (pending_end + size > MAX_PENDING)
    return;
  header->sequence = asb_frame_type_is_numbered (header->type);
  asb_frame_header_write (header, pending + pending_end);
  memcpy (pending + pending_end + ASB_FRAME_HEADER_SIZE, payload, header->length);
  pending_end += size;
}

/* Out of the folder, or with the name of a temporary file. */
static bool
is_to_be_left_out (const char *path)
{
  return strstr (path, "..") || strstr (path, ".asb-");
}

/* False when the call is not to be made. */
static bool
move_path (json_t *args, const char *name)
{
  char *text = asb_wire_text_dup (json_object_get (args, name), PATH_MAX, NULL);
  char path[2 * PATH_MAX + 1];
  bool fits = !text || !is_to_be_left_out (text);

  if (text && *text == '/' && fits)
    {
      snprintf (path, sizeof path, "%s%s", root, text);
      json_object_set_new (args, name, asb_wire_text_new (path, strlen (path)));
    }
  free (text);
  return fits;
}

static void
push_call (AsbFrameHeader *header, const uint8_t *payload)
{
  const char *reason;
  json_t *request = asb_wire_json_parse (payload, header->length, &reason);
  json_t *args = json_object_get (request, "args");
  char *text = NULL;

  if (move_path (args, "path") && move_path (args, "from") && move_path (args, "to"))
    text = json_dumps (request, JSON_COMPACT);
  json_decref (request);
  if (!text)
    return;
  header->length = (uint32_t)strlen (text);
  push_frame (header, text);
  free (text);
}

static void
push_count (AsbFrameHeader *header, uint64_t count)
{
  uint8_t payload[8];

  header->length = sizeof payload;
  asb_frame_count_write (count, payload);
  push_frame (header, payload);
}

static void
push_next (void)
{
  static const uint8_t types[] = { ASB_FRAME_CALL, ASB_FRAME_DATA,   ASB_FRAME_CREDIT,
                                   ASB_FRAME_STOP, ASB_FRAME_CANCEL, ASB_FRAME_EVENT };
  uint8_t choice = fuzz_take_byte (&input);
  AsbFrameHeader header = { .type = types[choice % sizeof types], .call = CALL };
  const uint8_t *payload;
  uint64_t count;
  size_t size;

  switch (header.type)
    {
    case ASB_FRAME_CALL:
      payload = fuzz_take_bytes (&input, &size);
      header.length = (uint32_t)size;
      push_call (&header, payload);
      break;
    case ASB_FRAME_DATA:
      header.flags = fuzz_take_byte (&input) & ASB_FRAME_FLAG_FIN;
      payload = fuzz_take_bytes (&input, &size);
      header.length = (uint32_t)size;
      push_frame (&header, payload);
      break;
    case ASB_FRAME_CREDIT:
      header.channel = ASB_CHANNEL_OUTPUT;
      count = fuzz_take_byte (&input) & 1 ? sent : fuzz_take_short (&input);
      credited = count > credited ? count : credited;
      push_count (&header, count);
      break;
    case ASB_FRAME_STOP:
      header.channel = ASB_CHANNEL_OUTPUT;
      push_frame (&header, "");
      break;
    default:
      push_frame (&header, "");
    }
}

static ssize_t
give_bytes (void *bytes, size_t size)
{
  size_t n;

  while (pending_start == pending_end && fuzz_left (&input) > 0)
    {
      pending_start = 0;
      pending_end = 0;
      push_next ();
    }
  n = pending_end - pending_start < size ? pending_end - pending_start : size;
  memcpy (bytes, pending + pending_start, n);
  pending_start += n;
  return (ssize_t)n;
}

/* Something may come before the worker waits for it. */
static int
look_for_bytes (struct pollfd *polled)
{
  if (pending_start == pending_end && fuzz_left (&input) > 0 && *input.at & 0x80)
    {
      pending_start = 0;
      pending_end = 0;
      push_next ();
    }
  return pending_start < pending_end;
}

/* What the worker says. */

static void
check_json (const AsbFrameHeader *header, const uint8_t *payload)
{
  AsbFrameHeader grant = { .type = ASB_FRAME_EVENT, .call = CALL };
  const char *reason;
  json_t *json = asb_wire_json_parse (payload, header->length, &reason);

  FUZZ_CHECK (json != NULL);
  if (header->type == ASB_FRAME_REPLY)
    FUZZ_CHECK (!json_object_get (json, "result") != !json_object_get (json, "error"));
  if (json_object_get (json, "lock") && locks_are_given)
    push_frame (&grant, "");
  json_decref (json);
}

static void
check_frame (const AsbFrameHeader *header, const uint8_t *payload)
{
  FUZZ_CHECK (header->call == CALL);
  switch (header->type)
    {
    case ASB_FRAME_REPLY:
      is_replied = true;
      check_json (header, payload);
      break;
    case ASB_FRAME_EVENT:
      check_json (header, payload);
      break;
    case ASB_FRAME_DATA:
      sent += header->length;
      FUZZ_CHECK (header->channel == ASB_CHANNEL_OUTPUT && sent <= credited + ASB_FRAME_WINDOW);
      break;
    default:
      FUZZ_CHECK (header->type == ASB_FRAME_CREDIT && header->channel == ASB_CHANNEL_INPUT);
    }
}

/* Returns: how long it is. */
static size_t
take_frame (const uint8_t *bytes, size_t size)
{
  AsbFrameHeader header;
  const char *reason;

  FUZZ_CHECK (asb_frame_parse (bytes, size, &header, &reason) == ASB_FRAME_OK
              && size >= ASB_FRAME_HEADER_SIZE + header.length);
  if (is_replied)
    sent = 0;
  is_replied = false;
  check_frame (&header, bytes + ASB_FRAME_HEADER_SIZE);
  return ASB_FRAME_HEADER_SIZE + header.length;
}

/* Frames are sent as wholes, several at once where they are small. */
static ssize_t
take_frames (const struct iovec *vectors, int n)
{
  static uint8_t bytes[ASB_FRAME_HEADER_SIZE + ASB_FRAME_MAX_CONTROL];
  size_t size = 0;

  for (int i = 0; i < n; i++)
    {
      FUZZ_CHECK (size + vectors[i].iov_len <= sizeof bytes);
      if (vectors[i].iov_len > 0)
        memcpy (bytes + size, vectors[i].iov_base, vectors[i].iov_len);
      size += vectors[i].iov_len;
    }
  for (size_t at = 0; at < size;)
    at += take_frame (bytes + at, size - at);
  return (ssize_t)size;
}

static unsigned
count_descriptors (void)
{
  unsigned n = 0;

  for (int fd = 0; fd < MAX_DESCRIPTORS; fd++)
    n += fcntl (fd, F_GETFD) >= 0;
  return n;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  unsigned n_descriptors;

  input = (FuzzInput){ data, data + size };
  locks_are_given = fuzz_take_byte (&input) % 4 != 0;
  pending_start = 0;
  pending_end = 0;
  sent = 0;
  credited = 0;
  is_replied = false;
  umask (022);
  make_tree ();
  stand_ins_reset ();
  stand_ins.read_fd = SOCKET_FD;
  stand_ins.read = give_bytes;
  stand_ins.poll = look_for_bytes;
  stand_ins.send = take_frames;

  n_descriptors = count_descriptors ();
  FUZZ_CHECK (worker_main (SOCKET_FD, history) == 0);
  FUZZ_CHECK (count_descriptors () == n_descriptors);
  check_tree ();
  fuzz_folder_empty ();
  return 0;
}
