/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-native.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

/* Archives through execd's own API: what the guest would have made of them, and nothing where
 * something is wrong. */

#define GUEST "{'transport': <'guest'>}"
#define TIME 1000000000
#define EXECUTABLE 0755
#define READABLE 0644

typedef AsbTestNative World;

static AsbTransport *
open_transport (World *world, AsbProvider *provider)
{
  g_autoptr (GError) error = NULL;
  AsbTransport *transport
      = asb_provider_open_transport (provider, asb_test_server_get_id (world->info), NULL, &error);

  g_assert_no_error (error);
  return transport;
}

static char *
run (World *world, const char *text)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (GBytes) bytes = NULL;

  asb_command_spec_set_exact_output (spec, TRUE);
  process = asb_transport_start_command (world->transport, spec, NULL, &error);
  g_assert_no_error (error);
  bytes = asb_test_native_read_all (asb_process_get_stdout (process), &error);
  g_assert_no_error (error);
  return g_bytes_get_size (bytes) == 0
             ? g_strdup ("")
             : g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static void
assert_run (World *world, const char *text, const char *expected)
{
  g_autofree char *output = run (world, text);

  g_assert_cmpstr (output, ==, expected);
}

/* Nothing but what belongs there, neither where things go nor where they wait. */
static void
assert_left (World *world, const char *expected)
{
  assert_run (world, "ls -A /work; ls -d /tmp/.asb-*/d /tmp/.asb-*/tar 2>/dev/null", expected);
}

/* Archives. */

static la_ssize_t
collect (struct archive *writer, void *data, const void *bytes, size_t size)
{
  g_byte_array_append (data, bytes, (guint)size);
  return (la_ssize_t)size;
}

static struct archive *
archive_begin (GByteArray *bytes, gboolean is_zip)
{
  struct archive *writer = archive_write_new ();

  if (is_zip)
    archive_write_set_format_zip (writer);
  else
    archive_write_set_format_gnutar (writer);
  archive_write_set_bytes_in_last_block (writer, 1);
  g_assert_cmpint (archive_write_open (writer, bytes, NULL, collect, NULL), ==, ARCHIVE_OK);
  return writer;
}

static void
add (struct archive *writer, const char *path, unsigned type, unsigned mode, const char *text)
{
  struct archive_entry *entry = archive_entry_new ();

  archive_entry_set_pathname (entry, path);
  archive_entry_set_filetype (entry, type);
  archive_entry_set_perm (entry, mode);
  archive_entry_set_mtime (entry, TIME, 0);
  if (type == AE_IFLNK)
    archive_entry_set_symlink (entry, text);
  else if (type == AE_IFREG)
    archive_entry_set_size (entry, (la_int64_t)strlen (text));
  g_assert_cmpint (archive_write_header (writer, entry), >=, ARCHIVE_WARN);
  if (type == AE_IFREG)
    g_assert_cmpint (archive_write_data (writer, text, strlen (text)), ==, strlen (text));
  archive_entry_free (entry);
}

static void
add_file (struct archive *writer, const char *path, const char *text)
{
  add (writer, path, AE_IFREG, READABLE, text);
}

static void
add_hard_link (struct archive *writer, const char *path, const char *target)
{
  struct archive_entry *entry = archive_entry_new ();

  archive_entry_set_pathname (entry, path);
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_perm (entry, READABLE);
  archive_entry_set_hardlink (entry, target);
  g_assert_cmpint (archive_write_header (writer, entry), ==, ARCHIVE_OK);
  archive_entry_free (entry);
}

static void
archive_end (struct archive *writer)
{
  g_assert_cmpint (archive_write_close (writer), ==, ARCHIVE_OK);
  archive_write_free (writer);
}

static AsbArchiveResult *
send (World *world, AsbArchiveOptions *options, GByteArray *bytes, GError **error)
{
  g_autoptr (GOutputStream) stream
      = asb_transport_extract_archive (world->transport, options, NULL, error);
  AsbArchiveResult *result;

  if (!stream)
    return NULL;
  /* What is refused at once need not be taken to its end. */
  if (!g_output_stream_write_all (stream, bytes->data, bytes->len, NULL, NULL, error)
      || !g_output_stream_close (stream, NULL, error))
    return NULL;
  result = g_object_get_data (G_OBJECT (stream), "asb-archive-result");
  g_assert_nonnull (result);
  return g_object_ref (result);
}

static AsbArchiveResult *
extract (World *world, const char *path, AsbArchiveConflict conflict, GByteArray *bytes,
         GError **error)
{
  g_autoptr (AsbArchiveOptions) options = asb_archive_options_new ();

  asb_archive_options_set_path (options, path);
  asb_archive_options_set_conflict (options, conflict);
  return send (world, options, bytes, error);
}

static GByteArray *
small_archive (void)
{
  GByteArray *bytes = g_byte_array_new ();
  struct archive *writer = archive_begin (bytes, FALSE);

  add_file (writer, "folder/file", "text");
  add (writer, "link", AE_IFLNK, EXECUTABLE, "folder/file");
  archive_end (writer);
  return bytes;
}

/* What comes out. */

static GBytes *
pack (AsbTransport *transport, AsbArchiveOptions *options, AsbArchiveResult **result,
      GError **error)
{
  g_autoptr (GInputStream) stream = asb_transport_open_archive (transport, options, NULL, error);
  GBytes *bytes = stream ? asb_test_native_read_all (stream, error) : NULL;
  AsbArchiveResult *found;

  if (!bytes)
    return NULL;
  found = asb_archive_result_get_for_stream (stream);
  g_assert_nonnull (found);
  *result = g_object_ref (found);
  return bytes;
}

static GBytes *
pack_path (AsbTransport *transport, const char *path, AsbArchiveResult **result)
{
  g_autoptr (AsbArchiveOptions) options = asb_archive_options_new ();
  g_autoptr (GError) error = NULL;
  GBytes *bytes;

  asb_archive_options_set_path (options, path);
  bytes = pack (transport, options, result, &error);
  g_assert_no_error (error);
  return bytes;
}

static void
describe_content (struct archive *reader, GString *text)
{
  char buffer[256];
  la_ssize_t n;

  while ((n = archive_read_data (reader, buffer, sizeof buffer)) > 0)
    g_string_append_len (text, buffer, n);
  g_assert_cmpint (n, ==, 0);
}

/* Each member in a line, but for its name. */
static char *
describe (GBytes *bytes)
{
  struct archive *reader = archive_read_new ();
  GString *text = g_string_new (NULL);
  struct archive_entry *entry;
  int status;

  archive_read_support_format_tar (reader);
  g_assert_cmpint (
      archive_read_open_memory (reader, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)),
      ==, ARCHIVE_OK);
  while ((status = archive_read_next_header (reader, &entry)) != ARCHIVE_EOF)
    {
      const char *link = archive_entry_symlink (entry);
      const char *first = archive_entry_hardlink (entry);

      g_assert_cmpint (status, >=, ARCHIVE_WARN);
      g_string_append_printf (text, "%s %o %o %" G_GINT64_FORMAT " %d:%d %s %s ",
                              archive_entry_pathname (entry), archive_entry_filetype (entry),
                              archive_entry_perm (entry), (gint64)archive_entry_mtime (entry),
                              (int)archive_entry_uid (entry), (int)archive_entry_gid (entry),
                              link ? link : "", first ? first : "");
      describe_content (reader, text);
      g_string_append_c (text, '\n');
    }
  archive_read_free (reader);
  return g_string_free (text, FALSE);
}

/* Names of all sorts, which no JSON can carry and no shell takes as they are. */
static const char *const NAMES[]
    = { "plain",   "it's",   "\"both\"", "new\nline", "end\n", "\xff\xfe", "$HOME", "~",
        "-rf",     "*",      "[a-z]",    "back\\",    " ",     "`id`",     "\x01",  "\x7f\x80\x81",
        "$(exit)", ".point", "..two",    "!history",  "#",     "\r",       "=",     "\xc3\xbc" };

static GByteArray *
rich_archive (void)
{
  GByteArray *bytes = g_byte_array_new ();
  struct archive *writer = archive_begin (bytes, FALSE);

  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++)
    {
      g_autofree char *below = g_strdup_printf ("folder/%s/%s", NAMES[i], NAMES[i]);
      g_autofree char *link = g_strdup_printf ("links/%s", NAMES[i]);
      g_autofree char *target = g_strdup_printf ("../%s", NAMES[i]);

      add (writer, NAMES[i], AE_IFREG, 0600, NAMES[i]);
      add (writer, below, AE_IFREG, EXECUTABLE, "below");
      add (writer, link, AE_IFLNK, EXECUTABLE, target);
    }
  add (writer, "empty", AE_IFDIR, 0700, NULL);
  add_file (writer, "nothing", "");
  add (writer, "shut", AE_IFDIR, 0555, NULL);
  add_file (writer, "shut/in", "in");
  add (writer, "read-only", AE_IFREG, 0444, "read");
  add (writer, "secret", AE_IFREG, 0, "");
  /* Of two members with one name the later counts, but for who has the bytes of the first. */
  add_file (writer, "twice", "first");
  add_hard_link (writer, "kept", "twice");
  add_file (writer, "twice", "second");
  add_file (writer, "gone", "file");
  add (writer, "gone", AE_IFLNK, EXECUTABLE, "twice");
  add_hard_link (writer, "also", "twice");
  archive_end (writer);
  return bytes;
}

static void
assert_equal (AsbArchiveResult *one, AsbArchiveResult *other)
{
  static const char *const counts[]
      = { "n-members", "n-files", "n-directories", "n-links", "n-bytes", "n-archive-bytes" };

  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      guint64 first;
      guint64 second;

      g_object_get (one, counts[i], &first, NULL);
      g_object_get (other, counts[i], &second, NULL);
      g_assert_cmpuint (first, ==, second);
    }
}

static char *
pack_and_describe (AsbTransport *transport, const char *path)
{
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GBytes) bytes = pack_path (transport, path, &result);

  g_assert_cmpuint (asb_archive_result_get_n_errors (result), ==, 0);
  return describe (bytes);
}

static void
check_packed_alike (World *world, AsbTransport *guest, const char *path)
{
  g_autofree char *one = pack_and_describe (world->transport, path);
  g_autofree char *other = pack_and_describe (guest, path);

  g_assert_cmpstr (one, ==, other);
}

/* All but what links say, which diff would follow. */
#define COMPARE                                                                                    \
  "cd /work; rm -r native/links/* guest/links/*; diff -r native guest && echo same\n"              \
  "for i in native guest; do (cd $i; find . -type f -print0 | sort -z | "                          \
  "xargs -0 stat -c '%a %Y %h' | cksum); done | uniq | wc -l\n"                                    \
  "cat native/kept native/also native/gone; echo\n"                                                \
  "cd native; stat -c '%a %Y' empty shut secret it\\'s"

static void
test_same_as_guest (void)
{
  World world;
  World through;
  g_autoptr (AsbProvider) other = NULL;
  g_autoptr (AsbTransport) guest = NULL;
  g_autoptr (GByteArray) bytes = rich_archive ();
  g_autoptr (AsbArchiveResult) one = NULL;
  g_autoptr (AsbArchiveResult) two = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Both transports unpack and pack the same, whatever the names");

  asb_test_native_open (&world, NULL, NULL);
  other = asb_test_server_new_provider (world.server, GUEST);
  guest = open_transport (&world, other);
  one = extract (&world, "/work/native", ASB_ARCHIVE_CONFLICT_ERROR, bytes, &error);
  g_assert_no_error (error);
  through = world;
  through.transport = guest;
  two = extract (&through, "/work/guest", ASB_ARCHIVE_CONFLICT_ERROR, bytes, &error);
  g_assert_no_error (error);
  assert_equal (one, two);
  check_packed_alike (&world, guest, "/work/native");
  check_packed_alike (&world, guest, "/work/guest");
  assert_run (&world, COMPARE,
              "same\n1\nfirstsecondsecond\n700 1000000000\n555 1000000000\n0 1000000000\n"
              "600 1000000000\n");
  asb_transport_close (guest, NULL, NULL);
  asb_test_native_close (&world);
}

static void
test_many (void)
{
  World world;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  struct archive *writer = archive_begin (bytes, FALSE);
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("More files than one upload may have go in a few of them");

  asb_test_native_open (&world, NULL, NULL);
  for (guint i = 0; i < 1000; i++)
    {
      g_autofree char *path = g_strdup_printf ("d%u/f%u", i % 10, i);

      add_file (writer, path, path);
    }
  archive_end (writer);
  asb_test_server_forget (world.server);
  result = extract (&world, "/work/many", ASB_ARCHIVE_CONFLICT_ERROR, bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_archive_result_get_n_files (result), ==, 1000);
  g_assert_cmpuint (asb_test_server_count (world.server, "POST", "/files/upload"), ==, 3);
  g_assert_cmpuint (asb_test_server_count (world.server, "POST", "/command"), ==, 2);
  assert_run (&world, "cd /work/many; find . -type f | wc -l; cat d7/f997", "1000\nd7/f997");
  assert_left (&world, "many\n");
  asb_test_native_close (&world);
}

static void
test_zip (void)
{
  World world;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  struct archive *writer = archive_begin (bytes, TRUE);
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A zip is unpacked, too");

  asb_test_native_open (&world, NULL, NULL);
  add_file (writer, "folder/file", "zipped");
  archive_end (writer);
  result = extract (&world, "/work/zip", ASB_ARCHIVE_CONFLICT_ERROR, bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_archive_result_get_format (result), ==, ASB_ARCHIVE_FORMAT_ZIP);
  assert_run (&world, "cat /work/zip/folder/file", "zipped");
  asb_test_native_close (&world);
}

/* What is in the way. */

static void
check_conflict (World *world, AsbArchiveConflict conflict, const char *before, int code,
                const char *after)
{
  g_autoptr (GByteArray) bytes = small_archive ();
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *told = NULL;

  told = run (world, before);
  result = extract (world, "/work/place", conflict, bytes, &error);
  if (code < 0)
    g_assert_no_error (error);
  else
    g_assert_error (error, ASB_ERROR, code);
  if (code == ASB_ERROR_ALREADY_EXISTS)
    g_assert_nonnull (strstr (error->message, "“link”"));
  assert_run (world, "cd /work/place; find . | sort | tr '\\n' ' '; cat folder/* 2>/dev/null",
              after);
  assert_left (world, "place\n");
}

static void
test_conflicts (void)
{
  static const char *const with_link
      = "rm -rf /work/place; mkdir -p /work/place/folder; cd /work/place; echo -n old >folder/old; "
        "echo -n mine >link";
  static const char *const with_file
      = "rm -rf /work/place; mkdir /work/place; cd /work/place; echo -n mine >folder";
  static const char *const with_folder = "rm -rf /work/place; mkdir -p /work/place/link/in";
  static const char *const leading_out = "rm -rf /work/place /tmp/std; mkdir -p /work/place "
                                         "/tmp/std; ln -s /tmp/std /work/place/folder";
  World world;

  g_test_summary ("What is in the way is an error, replaced, or left alone");

  asb_test_native_open (&world, NULL, NULL);
  check_conflict (&world, ASB_ARCHIVE_CONFLICT_ERROR, with_link, ASB_ERROR_ALREADY_EXISTS,
                  ". ./folder ./folder/old ./link old");
  check_conflict (&world, ASB_ARCHIVE_CONFLICT_OVERWRITE, with_link, -1,
                  ". ./folder ./folder/file ./folder/old ./link textold");
  check_conflict (&world, ASB_ARCHIVE_CONFLICT_SKIP, with_link, -1,
                  ". ./folder ./folder/file ./folder/old ./link textold");
  assert_run (&world, "cat /work/place/link", "mine");
  check_conflict (&world, ASB_ARCHIVE_CONFLICT_OVERWRITE, with_file, ASB_ERROR_NOT_DIRECTORY,
                  ". ./folder ");
  check_conflict (&world, ASB_ARCHIVE_CONFLICT_SKIP, with_file, -1, ". ./folder ./link ");
  check_conflict (&world, ASB_ARCHIVE_CONFLICT_OVERWRITE, with_folder, ASB_ERROR_IS_DIRECTORY,
                  ". ./link ./link/in ");
  /* Nothing is unpacked through a link that was there. */
  check_conflict (&world, ASB_ARCHIVE_CONFLICT_OVERWRITE, leading_out, ASB_ERROR_NOT_DIRECTORY,
                  ". ./folder ");
  check_conflict (&world, ASB_ARCHIVE_CONFLICT_SKIP, leading_out, -1, ". ./folder ./link ");
  assert_run (&world, "ls -A /tmp/std", "");
  asb_test_native_close (&world);
}

static void
test_counts (void)
{
  World world;
  g_autoptr (GByteArray) bytes = small_archive ();
  g_autoptr (AsbArchiveResult) first = NULL;
  g_autoptr (AsbArchiveResult) replaced = NULL;
  g_autoptr (AsbArchiveResult) skipped = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("It is told how many were replaced and left alone");

  asb_test_native_open (&world, NULL, NULL);
  first = extract (&world, "/work/a $HOME/b", ASB_ARCHIVE_CONFLICT_ERROR, bytes, &error);
  g_assert_no_error (error);
  replaced = extract (&world, "/work/a $HOME/b", ASB_ARCHIVE_CONFLICT_OVERWRITE, bytes, &error);
  g_assert_no_error (error);
  skipped = extract (&world, "/work/a $HOME/b", ASB_ARCHIVE_CONFLICT_SKIP, bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_archive_result_get_n_replaced (replaced), ==, 2);
  g_assert_cmpuint (asb_archive_result_get_n_skipped (skipped), ==, 2);
  g_assert_cmpuint (asb_archive_result_get_n_skipped (replaced), ==, 0);
  assert_left (&world, "a $HOME\n");
  asb_test_native_close (&world);
}

/* What is refused. */

static void
check_refused (World *world, GByteArray *bytes, guint64 max_bytes, int code, const char *words)
{
  g_autoptr (AsbArchiveOptions) options = asb_archive_options_new ();
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_archive_options_set_path (options, "/work/place");
  asb_archive_options_set_max_bytes (options, max_bytes);
  result = send (world, options, bytes, &error);
  g_assert_error (error, ASB_ERROR, code);
  g_assert_nonnull (strstr (error->message, words));
  assert_left (world, "");
}

static void
test_refused (void)
{
  static const struct
  {
    const char *path;
    unsigned type;
    unsigned mode;
    const char *text;
    const char *words;
  } members[] = {
    { "../out", AE_IFREG, READABLE, "x", "leads out of the folder" },
    { "folder/file/x", AE_IFREG, READABLE, "x", "a member before it is no folder" },
    { "folder", AE_IFREG, READABLE, "x", "is a folder and has the same name" },
    { "pipe", AE_IFIFO, READABLE, NULL, "a FIFO" },
    { "device", AE_IFCHR, READABLE, NULL, "a device" },
    { "rights", AE_IFREG, 04755, "x", "set-user-ID" },
    { "leak", AE_IFLNK, READABLE, "/etc/passwd", "absolute path" },
    { "up", AE_IFLNK, READABLE, "../../x", "leads out of the folder" },
  };
  World world;
  g_autoptr (GByteArray) large = small_archive ();
  g_autoptr (GByteArray) cut = small_archive ();

  g_test_summary ("What one member breaks refuses all of it, and nothing is left");

  asb_test_native_open (&world, NULL, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      struct archive *writer = archive_begin (bytes, FALSE);

      add_file (writer, "folder/file", "before");
      add (writer, members[i].path, members[i].type, members[i].mode, members[i].text);
      archive_end (writer);
      check_refused (&world, bytes, 0, ASB_ERROR_UPLOAD_ARCHIVE_SECURITY, members[i].words);
    }
  check_refused (&world, large, 3, ASB_ERROR_TOO_LARGE, "max_bytes");
  g_byte_array_set_size (cut, 700);
  check_refused (&world, cut, 0, ASB_ERROR_ARCHIVE_DAMAGED, "damaged");
  asb_test_native_close (&world);
}

/* Lines that break. */

static void
check_fault (World *world, const char *fault, int code, const char *words)
{
  g_autoptr (GByteArray) bytes = small_archive ();
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (world->server, fault);
  result = extract (world, "/work/place", ASB_ARCHIVE_CONFLICT_ERROR, bytes, &error);
  asb_test_server_heal (world->server);
  g_assert_error (error, ASB_ERROR, code);
  g_assert_nonnull (strstr (error->message, words));
}

static void
test_faults (void)
{
  World world;

  g_test_summary ("Of an upload that fails nothing is left, and what became of it is known");

  asb_test_native_open (&world, NULL, NULL);
  check_fault (&world, "{'path':'*/files/upload','action':'reset'}", ASB_ERROR_INTERRUPTED,
               "nothing was unpacked");
  assert_left (&world, "");
  check_fault (&world, "{'path':'*/files/upload','action':'cut'}", ASB_ERROR_INTERRUPTED,
               "nothing was unpacked");
  assert_left (&world, "");
  check_fault (&world,
               "{'path':'*/files/upload','action':'reply','status':500,"
               "'json':{'code':'RUNTIME_ERROR','message':'no space left on device'}}",
               ASB_ERROR_NO_SPACE, "no space left on device");
  assert_left (&world, "");
  check_fault (&world, "{'path':'/proxy/44772/command','action':'reset','nth':2,'times':1}",
               ASB_ERROR_INTERRUPTED, "nothing was unpacked");
  assert_left (&world, "");
  asb_test_native_close (&world);
}

static void
test_stalled (void)
{
  World world = { .server = asb_test_server_new (NULL) };
  g_autoptr (GError) error = NULL;

  g_test_summary ("A sandbox that does not take the files is not waited for without end");

  world.provider = asb_test_server_new_provider (
      world.server, "{'transport': <'native'>, 'idle-timeout-seconds': <0.2>}");
  world.info = asb_test_server_create (world.provider);
  world.transport = asb_provider_open_transport (world.provider,
                                                 asb_test_server_get_id (world.info), NULL, &error);
  g_assert_no_error (error);
  check_fault (&world, "{'method':'POST','path':'*/files/upload','action':'silent'}",
               ASB_ERROR_INTERRUPTED, "“idle-timeout-seconds”");
  assert_left (&world, "");
  asb_test_native_close (&world);
}

static void
test_unknown (void)
{
  World world;

  g_test_summary ("Where it may have been put in place that is said, and left as it is");

  asb_test_native_open (&world, NULL, NULL);
  /* Behind the words that the shell says when all is there. */
  check_fault (&world, "{'path':'/command','action':'cut','chunks':3,'nth':2,'times':1}",
               ASB_ERROR_INTERRUPTED, "unknown");
  assert_run (&world, "cat /work/place/folder/file", "text");
  asb_test_native_close (&world);
}

static void
closed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GAsyncResult **closed = user_data;

  *closed = g_object_ref (result);
}

static void
test_cancelled (void)
{
  World world;
  g_autoptr (AsbArchiveOptions) options = asb_archive_options_new ();
  g_autoptr (GByteArray) bytes = small_archive ();
  g_autoptr (GOutputStream) stream = NULL;
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  g_autoptr (GAsyncResult) closed = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Who cancels the closing has all of it, when that comes too late, or nothing");

  asb_test_native_open (&world, NULL, NULL);
  asb_archive_options_set_path (options, "/work/place");
  asb_test_server_fault (world.server, "{'path':'/files/upload','action':'late','ms':500}");
  stream = asb_transport_extract_archive (world.transport, options, NULL, &error);
  g_assert_no_error (error);
  g_output_stream_write_all (stream, bytes->data, bytes->len, NULL, NULL, &error);
  g_assert_no_error (error);
  g_output_stream_close_async (stream, G_PRIORITY_DEFAULT, cancelled, closed_cb, &closed);
  g_cancellable_cancel (cancelled);
  while (!closed)
    g_main_context_iteration (NULL, TRUE);
  if (g_output_stream_close_finish (stream, closed, &error))
    {
      assert_run (&world, "cat /work/place/folder/file", "text");
      assert_left (&world, "place\n");
    }
  else
    {
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      assert_left (&world, "");
    }
  asb_test_native_close (&world);
}

static void
test_closed (void)
{
  World world;
  g_autoptr (AsbArchiveOptions) options = asb_archive_options_new ();
  g_autoptr (GByteArray) bytes = small_archive ();
  g_autoptr (GOutputStream) stream = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Closing the transport ends what is on its way, and takes it away");

  asb_test_native_open (&world, NULL, NULL);
  asb_archive_options_set_path (options, "/work/place");
  stream = asb_transport_extract_archive (world.transport, options, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (asb_transport_close (world.transport, NULL, &error));
  g_assert_false (g_output_stream_write_all (stream, bytes->data, bytes->len, NULL, NULL, &error)
                  && g_output_stream_close (stream, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
  g_object_unref (world.transport);
  world.transport = open_transport (&world, world.provider);
  assert_left (&world, "");
  asb_test_native_close (&world);
}

/* Out. */

static void
test_left_out (void)
{
  World world;
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *described = NULL;
  g_autofree char *made = NULL;
  const char *const *errors;

  g_test_summary ("What leads out and what is no file is left out and named");

  asb_test_native_open (&world, NULL, NULL);
  made = run (&world, "mkdir -p /work/from; cd /work/from; echo -n text >file; mkfifo pipe; "
                      "ln -s /etc/passwd leak; ln -s file link");
  bytes = pack_path (world.transport, "/work/from", &result);
  described = describe (bytes);
  errors = asb_archive_result_get_errors (result);
  g_assert_cmpuint (asb_archive_result_get_n_errors (result), ==, 2);
  g_assert_true (g_str_has_prefix (errors[0], "leak: "));
  g_assert_true (g_str_has_prefix (errors[1], "pipe: "));
  g_assert_null (strstr (described, "leak"));
  g_assert_nonnull (strstr (described, "link"));
  g_assert_cmpuint (asb_archive_result_get_n_members (result), ==, 2);
  assert_left (&world, "from\n");
  asb_test_native_close (&world);
}

static void
test_names (void)
{
  static const char *const names[] = { "a/in", "missing", "way/in", "b", NULL };
  static const char *const missing[] = { "missing", NULL };
  static const char *const outside[] = { "../a", NULL };
  World world;
  g_autoptr (AsbArchiveOptions) options = asb_archive_options_new ();
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (AsbArchiveResult) nothing = NULL;
  g_autoptr (AsbArchiveResult) none = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GBytes) empty = NULL;
  g_autoptr (GBytes) refused = NULL;
  g_autofree char *made = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Some names of a folder alone, and none through a link");

  asb_test_native_open (&world, NULL, NULL);
  made = run (&world, "mkdir -p /work/from/a; cd /work/from; echo -n text >a/in; echo -n b >b; "
                      "echo -n c >c; ln -s a way");
  asb_archive_options_set_path (options, "/work/from");
  asb_archive_options_set_names (options, names);
  asb_archive_options_set_format (options, ASB_ARCHIVE_FORMAT_TAR_GZIP);
  bytes = pack (world.transport, options, &result, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_archive_result_get_n_members (result), ==, 2);
  g_assert_cmpuint (asb_archive_result_get_n_bytes (result), ==, 5);
  g_assert_cmpuint (asb_archive_result_get_n_errors (result), ==, 2);
  g_assert_cmpint (asb_archive_result_get_format (result), ==, ASB_ARCHIVE_FORMAT_TAR_GZIP);
  asb_archive_options_set_names (options, missing);
  empty = pack (world.transport, options, &nothing, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_archive_result_get_n_members (nothing), ==, 0);
  g_assert_cmpuint (asb_archive_result_get_n_errors (nothing), ==, 1);
  asb_archive_options_set_names (options, outside);
  refused = pack (world.transport, options, &none, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  asb_test_native_close (&world);
}

static void
check_packing (World *world, const char *path, guint64 max_file_bytes, int code)
{
  g_autoptr (AsbArchiveOptions) options = asb_archive_options_new ();
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  asb_archive_options_set_path (options, path);
  asb_archive_options_set_max_file_bytes (options, max_file_bytes);
  bytes = pack (world->transport, options, &result, &error);
  g_assert_error (error, ASB_ERROR, code);
  asb_test_server_heal (world->server);
  assert_left (world, "from\n");
}

static void
test_packing_faults (void)
{
  World world;
  g_autofree char *made = NULL;

  g_test_summary ("A folder that cannot be packed, or not sent, leaves nothing behind");

  asb_test_native_open (&world, NULL, NULL);
  made = run (&world, "mkdir -p /work/from; head -c 100000 /dev/zero >/work/from/file");
  check_packing (&world, "/work/missing", 0, ASB_ERROR_FILE_NOT_FOUND);
  check_packing (&world, "/work/from/file", 0, ASB_ERROR_NOT_DIRECTORY);
  check_packing (&world, "/work/from", 1000, ASB_ERROR_TOO_LARGE);
  asb_test_server_fault (world.server, "{'path':'*/files/download','action':'cut','bytes':60000}");
  check_packing (&world, "/work/from", 0, ASB_ERROR_INTERRUPTED);
  asb_test_server_fault (world.server, "{'path':'*/files/download','action':'reply','status':500,"
                                       "'json':{'code':'RUNTIME_ERROR','message':'no'}}");
  check_packing (&world, "/work/from", 0, ASB_ERROR_PROVIDER);
  /* After some block there is all of a member, and nothing of the next. */
  for (int size = 512; size <= 4096; size += 512)
    {
      g_autofree char *fault
          = g_strdup_printf ("{'path':'*/files/download','action':'short','bytes':%d}", size);

      asb_test_server_fault (world.server, fault);
      check_packing (&world, "/work/from", 0, ASB_ERROR_INTERRUPTED);
    }
  asb_test_server_fault (world.server, "{'path':'*/files/download','action':'reply','status':200,"
                                       "'body':''}");
  check_packing (&world, "/work/from", 0, ASB_ERROR_INTERRUPTED);
  asb_test_native_close (&world);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opensandbox/native/archives/same-as-guest", test_same_as_guest);
  g_test_add_func ("/opensandbox/native/archives/many", test_many);
  g_test_add_func ("/opensandbox/native/archives/zip", test_zip);
  g_test_add_func ("/opensandbox/native/archives/conflicts", test_conflicts);
  g_test_add_func ("/opensandbox/native/archives/counts", test_counts);
  g_test_add_func ("/opensandbox/native/archives/refused", test_refused);
  g_test_add_func ("/opensandbox/native/archives/faults", test_faults);
  g_test_add_func ("/opensandbox/native/archives/stalled", test_stalled);
  g_test_add_func ("/opensandbox/native/archives/unknown", test_unknown);
  g_test_add_func ("/opensandbox/native/archives/cancelled", test_cancelled);
  g_test_add_func ("/opensandbox/native/archives/closed", test_closed);
  g_test_add_func ("/opensandbox/native/archives/left-out", test_left_out);
  g_test_add_func ("/opensandbox/native/archives/names", test_names);
  g_test_add_func ("/opensandbox/native/archives/packing-faults", test_packing_faults);
  return g_test_run ();
}
