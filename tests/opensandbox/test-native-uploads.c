/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-native.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

/* What uploads ask of archives through execd's own API: what is the same is left alone, what
 * arrives is compared with what was sent, and what cannot be put in place as a whole is taken out
 * again. */

#define READABLE 0644

typedef AsbTestNative World;

static void
open_world (World *world, const char *const *environment)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (GError) error = NULL;

  world->server = asb_test_server_new (NULL);
  world->provider = asb_test_server_new_provider (world->server, ASB_TEST_NATIVE_OPTIONS);
  asb_sandbox_spec_set_environment (spec, environment);
  world->info = asb_provider_create_sandbox (world->provider, spec, NULL, &error);
  g_assert_no_error (error);
  world->transport = asb_provider_open_transport (
      world->provider, asb_test_server_get_id (world->info), NULL, &error);
  g_assert_no_error (error);
}

static void
assert_run (World *world, const char *text, const char *expected)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *output = NULL;

  asb_command_spec_set_exact_output (spec, TRUE);
  process = asb_transport_start_command (world->transport, spec, NULL, &error);
  g_assert_no_error (error);
  bytes = asb_test_native_read_all (asb_process_get_stdout (process), &error);
  g_assert_no_error (error);
  output = g_bytes_get_size (bytes) > 0
               ? g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes))
               : g_strdup ("");
  g_assert_cmpstr (output, ==, expected);
}

/* Archives that say what the bytes of their files come to. */

static la_ssize_t
collect (struct archive *writer, void *data, const void *bytes, size_t size)
{
  g_byte_array_append (data, bytes, (guint)size);
  return (la_ssize_t)size;
}

static struct archive *
archive_begin (GByteArray *bytes)
{
  struct archive *writer = archive_write_new ();

  archive_write_set_format_pax (writer);
  archive_write_set_bytes_in_last_block (writer, 1);
  g_assert_cmpint (archive_write_open (writer, bytes, NULL, collect, NULL), ==, ARCHIVE_OK);
  return writer;
}

static void
archive_end (struct archive *writer)
{
  g_assert_cmpint (archive_write_close (writer), ==, ARCHIVE_OK);
  archive_write_free (writer);
}

/* @sent: what it is said to come to. */
static void
add_file_of (struct archive *writer, const char *path, const char *text, const char *sent)
{
  struct archive_entry *entry = archive_entry_new ();
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, sent, -1);

  archive_entry_set_pathname (entry, path);
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_perm (entry, READABLE);
  archive_entry_set_size (entry, (la_int64_t)strlen (text));
  archive_entry_xattr_add_entry (entry, "user.asb.sha256", hash, strlen (hash));
  g_assert_cmpint (archive_write_header (writer, entry), >=, ARCHIVE_WARN);
  g_assert_cmpint (archive_write_data (writer, text, strlen (text)), ==, strlen (text));
  archive_entry_free (entry);
}

static void
add_file (struct archive *writer, const char *path, const char *text)
{
  add_file_of (writer, path, text, text);
}

static void
add_link (struct archive *writer, const char *path, const char *target)
{
  struct archive_entry *entry = archive_entry_new ();

  archive_entry_set_pathname (entry, path);
  archive_entry_set_filetype (entry, AE_IFLNK);
  archive_entry_set_perm (entry, 0777);
  archive_entry_set_symlink (entry, target);
  g_assert_cmpint (archive_write_header (writer, entry), >=, ARCHIVE_WARN);
  archive_entry_free (entry);
}

static AsbArchiveResult *
extract (World *world, AsbArchiveConflict conflict, GByteArray *bytes, GError **error)
{
  g_autoptr (AsbArchiveOptions) options = asb_archive_options_new ();
  g_autoptr (GOutputStream) stream = NULL;

  asb_archive_options_set_path (options, "/work/place");
  asb_archive_options_set_conflict (options, conflict);
  stream = asb_transport_extract_archive (world->transport, options, NULL, error);
  if (!stream || !g_output_stream_write_all (stream, bytes->data, bytes->len, NULL, NULL, error)
      || !g_output_stream_close (stream, NULL, error))
    return NULL;
  return g_object_ref (g_object_get_data (G_OBJECT (stream), "asb-archive-result"));
}

/* Nothing but what belongs there, neither where things go nor where they wait. */
static void
assert_left (World *world, const char *expected)
{
  assert_run (world, "ls -A /work; ls -d /tmp/.asb-*/d /tmp/.asb-*/tar 2>/dev/null", expected);
}

/* What is in a folder that is left out is left out, too. */
static void
test_skip_folder (void)
{
  World world;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  struct archive *writer = archive_begin (bytes);
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GError) error = NULL;

  add_file (writer, "folder/one", "x");
  add_file (writer, "folder/.two", "x");
  add_file (writer, "folder/in/..three\n", "x");
  add_file (writer, "other", "x");
  archive_end (writer);
  open_world (&world, NULL);
  assert_run (&world, "mkdir -p /work/place; cd /work/place; echo -n mine >folder", "");
  result = extract (&world, ASB_ARCHIVE_CONFLICT_SKIP, bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_archive_result_get_n_skipped (result), ==, 3);
  assert_run (&world, "cd /work/place; cat folder other", "minex");
  assert_left (&world, "place\n");
  asb_test_native_close (&world);
}

static void
test_if_changed (void)
{
  World world;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  struct archive *writer = archive_begin (bytes);
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (AsbArchiveResult) again = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("What is the same is left as it is, to its inode");

  add_file (writer, "same", "text");
  add_file (writer, "other", "new");
  add_file (writer, "longer", "xx");
  add_file (writer, "folder/new", "x");
  add_link (writer, "link", "same");
  add_link (writer, "moved", "same");
  archive_end (writer);
  open_world (&world, NULL);
  assert_run (
      &world,
      "mkdir -p /work/place/folder; cd /work/place; echo -n text >same; echo -n old >other; "
      "echo -n x >longer; ln -s same link; ln -s other moved; echo -n mine >folder/kept; "
      "stat -c %i same link >/tmp/before",
      "");
  result = extract (&world, ASB_ARCHIVE_CONFLICT_IF_CHANGED, bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_archive_result_get_n_replaced (result), ==, 3);
  g_assert_cmpuint (asb_archive_result_get_n_skipped (result), ==, 2);
  assert_run (
      &world,
      "cd /work/place; stat -c %i same link | cmp - /tmp/before && echo kept; cat same other "
      "longer folder/new folder/kept; readlink moved",
      "kept\ntextnewxxxminesame\n");
  again = extract (&world, ASB_ARCHIVE_CONFLICT_IF_CHANGED, bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_archive_result_get_n_skipped (again), ==, 6);
  assert_left (&world, "place\n");
  asb_test_native_close (&world);
}

static void
check_kind (World *world, const char *name, int code)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  struct archive *writer = archive_begin (bytes);
  g_autoptr (GError) error = NULL;

  add_file (writer, name, "x");
  archive_end (writer);
  g_assert_null (extract (world, ASB_ARCHIVE_CONFLICT_IF_CHANGED, bytes, &error));
  g_assert_error (error, ASB_ERROR, code);
}

static void
test_kinds (void)
{
  World world;

  g_test_summary ("A directory is never replaced by a file, nor a file by a directory");

  open_world (&world, NULL);
  assert_run (&world, "mkdir -p /work/place/folder; echo -n text >/work/place/file", "");
  check_kind (&world, "folder", ASB_ERROR_IS_DIRECTORY);
  check_kind (&world, "file/x", ASB_ERROR_NOT_DIRECTORY);
  assert_run (&world, "cd /work/place; ls -A . folder; cat file",
              ".:\nfile\nfolder\n\nfolder:\ntext");
  asb_test_native_close (&world);
}

/* Names that sha256sum tells in another way, and others. */
static const char *const NAMES[]
    = { "plain", "it's", "new\nline", "back\\slash", "\xff\xfe", " ", "-c", "*", "folder/x" };

static void
test_hashes (void)
{
  World world;
  g_autoptr (GError) error = NULL;

  g_test_summary ("What arrived is what was sent, or none of it is ever seen");

  open_world (&world, NULL);
  for (gsize bad = 0; bad <= G_N_ELEMENTS (NAMES); bad++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      struct archive *writer = archive_begin (bytes);
      g_autoptr (AsbArchiveResult) result = NULL;

      for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++)
        add_file_of (writer, NAMES[i], "text", i == bad ? "sent" : "text");
      archive_end (writer);
      result = extract (&world, ASB_ARCHIVE_CONFLICT_ERROR, bytes, &error);
      if (bad == G_N_ELEMENTS (NAMES))
        {
          g_assert_no_error (error);
          continue;
        }
      g_assert_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_CHECKSUM_MISMATCH);
      g_clear_error (&error);
      assert_left (&world, "");
    }
  assert_run (&world, "cd /work/place; find . -type f | wc -c", "68\n");
  asb_test_native_close (&world);
}

static const char *const environment[]
    = { "PATH=/work/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", NULL };

/* A mv of its own, which fails for one of the files. */
static void
test_undone (void)
{
  World world;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  struct archive *writer = archive_begin (bytes);
  g_autoptr (AsbArchiveResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("What fails when some of it is in place is taken out again, and nothing is lost");

  add_file (writer, "a", "new");
  add_file (writer, "b", "new");
  add_file (writer, "folder/c", "new");
  add_file (writer, "folder/deep/d", "new");
  add_file (writer, "link", "new");
  add_file (writer, "folder/unmoved", "new");
  archive_end (writer);
  open_world (&world, environment);
  assert_run (
      &world,
      "mkdir -p /work/place/folder /work/bin; cd /work/place; for f in b folder/c folder/unmoved; "
      "do "
      "echo -n \"old $f\" >$f; done; ln -s b link; "
      "printf '#!/bin/sh\\ncase \"$*\" in */unmoved*) echo no >&2; exit 1;; esac\\n"
      "exec /bin/mv \"$@\"\\n' >/work/bin/mv; chmod 755 /work/bin/mv; stat -c %i b >/tmp/before",
      "");
  g_assert_null (extract (&world, ASB_ARCHIVE_CONFLICT_OVERWRITE, bytes, &error));
  g_assert_nonnull (error);
  assert_run (
      &world,
      "cd /work/place; find . | sort | tr '\\n' ' '; cat b folder/c folder/unmoved; readlink link; "
      "stat -c %i b | cmp - /tmp/before && echo kept",
      ". ./b ./folder ./folder/c ./folder/unmoved ./link old bold folder/cold "
      "folder/unmovedb\nkept\n");
  assert_left (&world, "bin\nplace\n");
  assert_run (&world, "rm /work/bin/mv", "");
  g_clear_error (&error);
  result = extract (&world, ASB_ARCHIVE_CONFLICT_OVERWRITE, bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_archive_result_get_n_replaced (result), ==, 4);
  asb_test_native_close (&world);
}

/* … and one that puts nothing back. */
static void
test_kept (void)
{
  World world;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  struct archive *writer = archive_begin (bytes);
  g_autoptr (GError) error = NULL;

  g_test_summary ("What cannot be put back is kept, and it is said where");

  add_file (writer, "a", "new");
  add_file (writer, "b", "new");
  add_file (writer, "unmoved", "new");
  archive_end (writer);
  open_world (&world, environment);
  assert_run (&world,
              "mkdir -p /work/place /work/bin; cd /work/place; for f in b unmoved; do "
              "echo -n \"old $f\" >$f; done; "
              "printf '#!/bin/sh\\ncase \"$*\" in */unmoved*|\"-f -T \"*/o/*) echo no >&2; "
              "exit 1;; esac\\nexec /bin/mv \"$@\"\\n' >/work/bin/mv; chmod 755 /work/bin/mv",
              "");
  g_assert_null (extract (&world, ASB_ARCHIVE_CONFLICT_OVERWRITE, bytes, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "put back is in “/work/place/.asb-kept-"));
  assert_run (&world, "cd /work/place; ls; cat .asb-kept-*/o/*; cat unmoved",
              "b\nunmoved\nold bold unmovedold unmoved");
  asb_test_native_close (&world);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opensandbox/native/uploads/skip-folder", test_skip_folder);
  g_test_add_func ("/opensandbox/native/uploads/if-changed", test_if_changed);
  g_test_add_func ("/opensandbox/native/uploads/kinds", test_kinds);
  g_test_add_func ("/opensandbox/native/uploads/hashes", test_hashes);
  g_test_add_func ("/opensandbox/native/uploads/undone", test_undone);
  g_test_add_func ("/opensandbox/native/uploads/kept", test_kept);
  return g_test_run ();
}
