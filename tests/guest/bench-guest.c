/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How fast the guest is, by its own protocol on a Unix socket: bench-guest PROGRAM [N]. Prints a
 * line for each thing measured, beside a plain fork and exec. */

#include "asb-frame.h"
#include "asb-wire-json.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GIBIBYTE (1024.0 * 1024 * 1024)
#define MEGABYTE 1e6

typedef struct
{
  int fd;
  uint8_t buffer[2 * 1024 * 1024];
  size_t start;
  size_t end;
  uint64_t sequence;
  uint32_t call;
  uint64_t received[ASB_N_CHANNELS];
  uint64_t credited[ASB_N_CHANNELS];
  uint64_t acknowledged;
} Client;

static Client client;

static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static _Noreturn void
die (const char *what)
{
  perror (what);
  exit (1);
}

static void
send_frame (uint8_t type, uint32_t call, unsigned channel, const void *payload, size_t length)
{
  AsbFrameHeader header
      = { .length = (uint32_t)length, .type = type, .channel = (uint16_t)channel, .call = call };
  uint8_t bytes[4096];

  if (asb_frame_type_is_numbered (type))
    header.sequence = ++client.sequence;
  asb_frame_header_write (&header, bytes);
  memcpy (bytes + ASB_FRAME_HEADER_SIZE, payload, length);
  /* After guest.shutdown nobody may be there to read it. */
  if (send (client.fd, bytes, ASB_FRAME_HEADER_SIZE + length, MSG_NOSIGNAL) < 0 && errno != EPIPE)
    die ("send");
}

static void
send_count (uint8_t type, uint32_t call, unsigned channel, uint64_t count)
{
  uint8_t payload[8];

  asb_frame_count_write (count, payload);
  send_frame (type, call, channel, payload, sizeof payload);
}

static const uint8_t *
read_frame (AsbFrameHeader *header)
{
  const char *reason;

  for (;;)
    {
      uint8_t *bytes = client.buffer + client.start;
      ssize_t n;

      if (asb_frame_parse (bytes, client.end - client.start, header, &reason) == ASB_FRAME_OK)
        {
          client.start += ASB_FRAME_HEADER_SIZE + header->length;
          return bytes + ASB_FRAME_HEADER_SIZE;
        }
      memmove (client.buffer, bytes, client.end - client.start);
      client.end -= client.start;
      client.start = 0;
      n = read (client.fd, client.buffer + client.end, sizeof client.buffer - client.end);
      if (n <= 0)
        die ("read");
      client.end += (size_t)n;
    }
}

static void
book (const AsbFrameHeader *header)
{
  unsigned channel = header->channel;

  if (header->sequence >= client.acknowledged + 16)
    {
      client.acknowledged = header->sequence;
      send_count (ASB_FRAME_ACK, 0, 0, header->sequence);
    }
  if (header->type != ASB_FRAME_DATA)
    return;
  client.received[channel] += header->length;
  if (client.received[channel] - client.credited[channel] < ASB_FRAME_CREDIT_STEP)
    return;
  client.credited[channel] = client.received[channel];
  send_count (ASB_FRAME_CREDIT, header->call, channel, client.received[channel]);
}

/* Runs a call to its REPLY and as many FINs; the bytes of channel 1. */
static uint64_t
run (const char *request, int n_fins)
{
  uint32_t call = ++client.call;
  bool replied = false;

  memset (client.received, 0, sizeof client.received);
  memset (client.credited, 0, sizeof client.credited);
  send_frame (ASB_FRAME_CALL, call, 0, request, strlen (request));
  while (!replied || n_fins > 0)
    {
      AsbFrameHeader header;
      const uint8_t *payload = read_frame (&header);

      if (header.type == ASB_FRAME_REPLY)
        {
          replied = true;
          if (memmem (payload, header.length, "\"error\"", 7))
            {
              fprintf (stderr, "%s: %.*s\n", request, (int)header.length, (const char *)payload);
              exit (1);
            }
        }
      if (header.flags & ASB_FRAME_FLAG_FIN)
        n_fins--;
      book (&header);
    }
  return client.received[ASB_CHANNEL_OUTPUT];
}

static pid_t
start_guest (const char *program, const char *directory)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  char number[16];
  char history[300];
  int fd = socket (AF_UNIX, SOCK_STREAM, 0);
  pid_t pid;

  if ((size_t)snprintf (address.sun_path, sizeof address.sun_path, "%s/socket", directory)
      >= sizeof address.sun_path)
    die (directory);
  snprintf (history, sizeof history, "%s/history", directory);
  snprintf (number, sizeof number, "%d", fd);
  if (bind (fd, (struct sockaddr *)&address, sizeof address) != 0 || listen (fd, 8) != 0)
    die ("listen");
  pid = fork ();
  if (pid == 0)
    {
      execl (program, program, "serve", "--listen-fd", number, "--history-dir", history, NULL);
      die (program);
    }
  close (fd);
  client.fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect (client.fd, (struct sockaddr *)&address, sizeof address) != 0)
    die ("connect");
  return pid;
}

static void
say_hello (void)
{
  const char *hello = "{\"major\": 1, \"minor\": 0, \"features\": []}";
  AsbFrameHeader header;

  send_frame (ASB_FRAME_HELLO, 0, 0, hello, strlen (hello));
  read_frame (&header);
}

static const char *
with_record (char *buffer, size_t size, const char *call, const char *args, const char *type,
             const char *member)
{
  static int n;

  snprintf (buffer, size,
            "{\"call\": \"%s\", \"args\": %s, \"record\": {\"event_id\": \"e-%d-%d\", "
            "\"operation_type\": \"%s\", \"required\": true, \"actor\": {\"actor_type\": "
            "\"system\"}, \"request\": {}, %s}}",
            call, args, (int)getpid (), n++, type, member);
  return buffer;
}

static void
measure_commands (int n)
{
  static const char ARGS[] = "{\"argv\": [\"/bin/true\"]}";
  char request[1024];
  double begin = now ();

  for (int i = 0; i < n; i++)
    {
      snprintf (request, sizeof request, "{\"call\": \"command.start\", \"args\": %s}", ARGS);
      run (request, 2);
    }
  printf ("exec true, no record: %.3f ms\n", (now () - begin) * 1e3 / n);

  begin = now ();
  for (int i = 0; i < n; i++)
    run (with_record (request, sizeof request, "command.start", ARGS, "command.execute",
                      "\"command\": {\"command\": \"true\", \"cwd\": \"/\"}"),
         2);
  printf ("exec true, recorded: %.3f ms\n", (now () - begin) * 1e3 / n);
}

static void
measure_spawn (int n)
{
  char name[] = "/bin/true";
  char *const argv[] = { name, NULL };
  double begin = now ();

  for (int i = 0; i < n; i++)
    {
      pid_t pid;

      if (posix_spawn (&pid, argv[0], NULL, NULL, argv, environ) != 0)
        die ("posix_spawn");
      waitpid (pid, NULL, 0);
    }
  printf ("plain spawn of true: %.3f ms\n", (now () - begin) * 1e3 / n);
}

static void
measure_output (bool recorded)
{
  static const char ARGS[] = "{\"argv\": [\"head\", \"-c\", \"1G\", \"/dev/zero\"]}";
  char request[1024];
  double begin = now ();
  uint64_t bytes;

  if (recorded)
    with_record (request, sizeof request, "command.start", ARGS, "command.execute",
                 "\"command\": {\"command\": \"head\", \"cwd\": \"/\"}");
  else
    snprintf (request, sizeof request, "{\"call\": \"command.start\", \"args\": %s}", ARGS);
  bytes = run (request, 2);
  if (bytes != (uint64_t)GIBIBYTE)
    die ("output");
  printf ("1 GiB of output, %s: %.0f MB/s\n", recorded ? "recorded" : "no record",
          (double)bytes / MEGABYTE / (now () - begin));
}

static void
measure_file (const char *directory)
{
  char path[300];
  char request[1024];
  double begin;
  int fd;

  snprintf (path, sizeof path, "%s/file", directory);
  fd = open (path, O_CREAT | O_RDWR, 0600);
  if (fd < 0 || ftruncate (fd, (off_t)GIBIBYTE) != 0)
    die (path);
  close (fd);
  snprintf (request, sizeof request, "{\"call\": \"file.read\", \"args\": {\"path\": \"%s\"}}",
            path);
  begin = now ();
  run (request, 1);
  printf ("1 GiB file read: %.0f MB/s\n", GIBIBYTE / MEGABYTE / (now () - begin));

  snprintf (request, sizeof request, "{\"call\": \"file.stat\", \"args\": {\"path\": \"%s\"}}",
            path);
  begin = now ();
  for (int i = 0; i < 2000; i++)
    run (request, 0);
  printf ("file.stat: %.3f ms\n", (now () - begin) * 1e3 / 2000);
  unlink (path);
}

static void
print_memory (pid_t pid, const char *when)
{
  char path[64];
  char line[256];
  FILE *file;

  snprintf (path, sizeof path, "/proc/%d/status", (int)pid);
  file = fopen (path, "r");
  while (file && fgets (line, sizeof line, file))
    if (strncmp (line, "VmHWM", 5) == 0 || strncmp (line, "VmRSS", 5) == 0)
      printf ("broker, %s: %s", when, line);
  if (file)
    fclose (file);
}

int
main (int argc, char **argv)
{
  const char *parent = getenv ("TMPDIR");
  char directory[256];
  char open_history[256];
  char command[300];
  int n = argc > 2 ? atoi (argv[2]) : 500;
  pid_t pid;

  snprintf (directory, sizeof directory, "%s/asb-guest-bench-XXXXXX", parent ? parent : "/tmp");
  if (argc < 2 || !mkdtemp (directory))
    return 2;
  pid = start_guest (argv[1], directory);
  say_hello ();
  print_memory (pid, "idle");
  snprintf (open_history, sizeof open_history,
            "{\"call\": \"history.open\", \"args\": {\"sdk_version\": \"1\", \"identity\": "
            "{\"provider_key\": \"p\", \"sandbox_id\": \"s\", \"sandbox_instance_id\": \"i\"}}}");
  run (open_history, 0);
  measure_spawn (n);
  measure_commands (n);
  measure_file (directory);
  measure_output (false);
  print_memory (pid, "after 1 GiB");
  measure_output (true);
  print_memory (pid, "after 1 GiB recorded");
  run ("{\"call\": \"guest.shutdown\", \"args\": {}}", 0);
  waitpid (pid, NULL, 0);
  snprintf (command, sizeof command, "rm -rf %s", directory);
  return system (command);
}
