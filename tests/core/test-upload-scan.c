/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "asb-test.h"
#include "asb-tree-private.h"
#include "asb-upload-scan-private.h"
#include "asb-upload-stream-private.h"

/* A folder with “project”, the source, and “outside”. */
typedef struct
{
  char *folder;
  char *project;
  AsbUploadSpec *spec;
  AsbUploadConfig *config;
} Fixture;

static char *
path_of (Fixture *fixture, const char *name)
{
  return g_build_filename (fixture->folder, name, NULL);
}

static void
put (Fixture *fixture, const char *name, const char *text)
{
  g_autofree char *path = path_of (fixture, name);
  g_autofree char *directory = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_no_errno (g_mkdir_with_parents (directory, 0755));
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

static void
put_link (Fixture *fixture, const char *name, const char *target)
{
  g_autofree char *path = path_of (fixture, name);

  g_assert_no_errno (symlink (target, path));
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *made = g_dir_make_tmp ("asb-upload-XXXXXX", &error);
  char *real = realpath (made, NULL);

  g_assert_no_error (error);
  fixture->folder = g_strdup (real);
  free (real);
  fixture->project = path_of (fixture, "project");
  g_assert_no_errno (mkdir (fixture->project, 0755));
  fixture->spec = asb_upload_spec_new (fixture->project, "/workspace/x");
  fixture->config = asb_upload_config_new ();
  asb_upload_config_set_allowed_local_roots (fixture->config,
                                             (const char *const[]){ fixture->project, NULL });
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  const AsbTreeRemoval how = { .folder = NULL };
  g_autoptr (GError) error = NULL;

  asb_tree_remove (AT_FDCWD, fixture->folder, &how, &error);
  g_assert_no_error (error);
  g_object_unref (fixture->spec);
  g_object_unref (fixture->config);
  g_free (fixture->project);
  g_free (fixture->folder);
}

static AsbUploadScan *
scan (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  AsbUploadScan *found = asb_upload_scan_new (fixture->spec, fixture->config, NULL, &error);

  g_assert_no_error (error);
  return found;
}

/* All paths, a space between. */
static void
assert_paths (Fixture *fixture, const char *expected)
{
  g_autoptr (AsbUploadScan) found = scan (fixture);
  g_autofree char *paths
      = g_strjoinv (" ", (char **)asb_upload_manifest_get_paths (found->manifest));

  g_assert_cmpstr (paths, ==, expected);
}

static char *
assert_refused (Fixture *fixture, int code, const char *text)
{
  g_autoptr (GError) error = NULL;
  AsbUploadScan *found = asb_upload_scan_new (fixture->spec, fixture->config, NULL, &error);

  g_assert_null (found);
  g_assert_error (error, ASB_ERROR, code);
  if (text && !strstr (error->message, text))
    g_error ("“%s” does not say “%s”", error->message, text);
  return g_strdup (error->message);
}

#define REFUSED(fixture, code, text) g_free (assert_refused (fixture, code, text))

static void
set_mtime (Fixture *fixture, const char *name, gint64 seconds)
{
  g_autofree char *path = path_of (fixture, name);
  struct timespec times[2] = { { .tv_sec = seconds }, { .tv_sec = seconds } };

  g_assert_no_errno (utimensat (AT_FDCWD, path, times, 0));
}

/* The values that other implementations come to. */
static void
test_vectors (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbUploadScan) found = NULL;
  g_autoptr (AsbUploadManifest) manifest = NULL;

  put (fixture, "project/a.txt", "hi\n");
  set_mtime (fixture, "project/a.txt", 1000000000);
  found = scan (fixture);
  g_assert_cmpstr (asb_upload_manifest_get_source_root_hash (found->manifest), ==,
                   "caeed950337080fffeef65823239bd7c98f78486ad2cb595c993f0b2d630d2ec");
  g_free (found->upload_id);
  found->upload_id = g_strdup ("u1");
  manifest = asb_upload_manifest_new (found);
  g_assert_cmpstr (asb_upload_manifest_get_manifest_hash (manifest), ==,
                   "02a0cc6acc19a28462bcbad23a0c6b3c5fe425a89a621552bf253d9f6a3b87d4");
  g_assert_cmpuint (asb_upload_manifest_get_total_bytes (manifest), ==, 3);
}

/* In the year 2446, which is as far as file systems go. */
static void
test_times (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbUploadScan) found = NULL;
  g_autofree char *hash = NULL;
  g_autofree char *json = NULL;
  AsbUploadEntry *entry;
  g_autoptr (AsbUploadManifest) manifest = NULL;

  put (fixture, "project/a", "hi\n");
  found = scan (fixture);
  entry = found->entries->pdata[0];
  entry->status.st_mtim = (struct timespec){ .tv_sec = 15032385535, .tv_nsec = 5 };
  manifest = asb_upload_manifest_new (found);
  json = g_strdup_printf ("[{\"mode\":0,\"mtime_ns\":15032385535000000005,\"relative_path\":\"a\","
                          "\"sha256\":\"%s\",\"size\":3}]",
                          entry->hash);
  hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, json, -1);
  g_assert_cmpstr (asb_upload_manifest_get_source_root_hash (manifest), ==, hash);
}

static void
test_names (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbUploadScan) found = NULL;

  put (fixture, "project/b", "x");
  put (fixture, "project/a/z", "x");
  put (fixture, "project/a.txt", "x");
  put (fixture, "project/\303\244 \"\\\n\t\001", "x");
  put (fixture, "project/\377", "x");
  found = scan (fixture);
  g_assert_cmpuint (found->entries->len, ==, 5);
  g_assert_cmpstr (((AsbUploadEntry *)found->entries->pdata[0])->path, ==, "a.txt");
  g_assert_cmpstr (((AsbUploadEntry *)found->entries->pdata[1])->path, ==, "a/z");
  g_assert_cmpstr (asb_upload_manifest_get_paths (found->manifest)[4], ==, "\357\277\275");
  g_assert_cmpuint (found->directories->len, ==, 2);
}

static void
test_allowed (Fixture *fixture, gconstpointer data)
{
  g_autofree char *other = path_of (fixture, "project-2");
  g_autofree char *link = path_of (fixture, "link");
  g_autofree char *out = path_of (fixture, "project/out");
  g_autofree char *dots = g_build_filename (fixture->project, "..", "project-2", NULL);
  g_autofree char *message = NULL;

  put (fixture, "project/a", "x");
  put (fixture, "project-2/a", "x");
  put_link (fixture, "link", "project");
  put_link (fixture, "project/out", "../project-2");

  /* Its name begins in the same way, which makes it no part of it. */
  asb_upload_spec_set_source (fixture->spec, other);
  message = assert_refused (fixture, ASB_ERROR_LOCAL_PATH_NOT_ALLOWED, "allowed-local-roots");
  g_assert_null (strstr (message, fixture->folder));
  asb_upload_spec_set_source (fixture->spec, out);
  REFUSED (fixture, ASB_ERROR_LOCAL_PATH_NOT_ALLOWED, "out");
  asb_upload_spec_set_source (fixture->spec, dots);
  REFUSED (fixture, ASB_ERROR_LOCAL_PATH_NOT_ALLOWED, NULL);
  asb_upload_config_set_redact_local_paths (fixture->config, FALSE);
  REFUSED (fixture, ASB_ERROR_LOCAL_PATH_NOT_ALLOWED, fixture->folder);

  /* A link to it is as good as its own name. */
  asb_upload_spec_set_source (fixture->spec, link);
  asb_upload_spec_set_exclude (fixture->spec, (const char *const[]){ "out", NULL });
  assert_paths (fixture, "a");
  asb_upload_config_set_allowed_local_roots (fixture->config, NULL);
  REFUSED (fixture, ASB_ERROR_LOCAL_PATH_NOT_ALLOWED, "no directory may be uploaded");
  asb_upload_config_set_allowed_local_roots (fixture->config,
                                             (const char *const[]){ "/nowhere", "/", NULL });
  assert_paths (fixture, "a");
}

static void
test_missing (Fixture *fixture, gconstpointer data)
{
  g_autofree char *none = path_of (fixture, "project/none");

  asb_upload_spec_set_source (fixture->spec, none);
  REFUSED (fixture, ASB_ERROR_LOCAL_PATH_NOT_FOUND, "“none”");
  asb_upload_spec_set_source (fixture->spec, "");
  REFUSED (fixture, ASB_ERROR_INVALID_ARGUMENT, "source");
  asb_upload_spec_set_source (fixture->spec, fixture->project);
  asb_upload_spec_set_target (fixture->spec, "");
  REFUSED (fixture, ASB_ERROR_INVALID_ARGUMENT, "target");
}

static void
test_target (Fixture *fixture, gconstpointer data)
{
  static const char *const refused[] = { "workspace/x", "/workspace/../etc", "/workspace/a/.." };
  static const char *const outside[] = {
    "/etc", "/", "/workspace2", "/.agent-history", "/.agent-upload/x", "//.agent-history/./x"
  };
  static const char *const inside[] = { "/workspace", "/workspace/x", "//workspace/./x/" };

  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      asb_upload_spec_set_target (fixture->spec, refused[i]);
      REFUSED (fixture, ASB_ERROR_UPLOAD_POLICY, "absolute");
    }
  for (gsize i = 0; i < G_N_ELEMENTS (outside); i++)
    {
      g_autoptr (GError) error = NULL;

      asb_upload_spec_set_target (fixture->spec, outside[i]);
      g_assert_false (asb_upload_check (fixture->spec, fixture->config, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_POLICY);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (inside); i++)
    {
      g_autoptr (GError) error = NULL;

      asb_upload_spec_set_target (fixture->spec, inside[i]);
      asb_upload_check (fixture->spec, fixture->config, &error);
      g_assert_no_error (error);
    }
}

/* What is in the source may come into what is protected, too. */
/* Where it is to go there is always something. */
static void
test_target_of_file (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = path_of (fixture, "project/a");
  g_autoptr (GError) error = NULL;

  g_test_summary ("A file does not go to where only a directory can be");

  put (fixture, "project/a", "x");
  asb_upload_spec_set_source (fixture->spec, path);
  for (gsize i = 0; i < 2; i++)
    {
      asb_upload_spec_set_target (fixture->spec, i == 0 ? "/" : "//./");
      REFUSED (fixture, ASB_ERROR_UPLOAD_POLICY, "such as “/a”");
      g_assert_false (asb_upload_check (fixture->spec, fixture->config, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_POLICY);
      g_clear_error (&error);
    }
}

static void
test_protected (Fixture *fixture, gconstpointer data)
{
  static const char *const none[] = { NULL };
  g_autoptr (AsbUploadScan) found = NULL;
  g_autoptr (GError) error = NULL;

  put (fixture, "project/.agent-upload/x", "x");
  asb_upload_config_set_allowed_sandbox_roots (fixture->config, (const char *const[]){ "/", NULL });
  asb_upload_spec_set_target (fixture->spec, "/");
  asb_upload_config_set_default_excludes (fixture->config, none);
  found = scan (fixture);
  g_assert_false (asb_upload_check_entries (found, fixture->spec, fixture->config, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_POLICY);
}

static void
test_excludes (Fixture *fixture, gconstpointer data)
{
  put (fixture, "project/a.py", "x");
  put (fixture, "project/a.log", "x");
  put (fixture, "project/keep.log", "x");
  put (fixture, "project/.env", "SECRET");
  put (fixture, "project/sub/.env.local", "SECRET");
  put (fixture, "project/.git/config", "x");
  put (fixture, "project/node_modules/x/y.js", "x");
  put (fixture, "project/secret/key", "x");
  put (fixture, "project/sub/b.py", "x");
  put (fixture, "project/.sandboxignore", "# what stays here\n*.log\n!keep.log\nsecret/\n!.env\n");
  assert_paths (fixture, "a.py keep.log sub/b.py");
  asb_upload_spec_set_include (fixture->spec, (const char *const[]){ "*.py", NULL });
  assert_paths (fixture, "a.py sub/b.py");
  asb_upload_spec_set_exclude (fixture->spec, (const char *const[]){ "/sub", NULL });
  assert_paths (fixture, "a.py");
  asb_upload_config_set_default_excludes (fixture->config, NULL);
  asb_upload_spec_set_include (fixture->spec, (const char *const[]){ ".*", NULL });
  assert_paths (fixture, ".env .git/config .sandboxignore");
}

/* One that cannot be followed would let through what it was to keep back. */
static void
test_ignore_file (Fixture *fixture, gconstpointer data)
{
  put (fixture, "project/a", "x");
  put_link (fixture, "project/.sandboxignore", "../outside");
  REFUSED (fixture, ASB_ERROR_UPLOAD_POLICY, ".sandboxignore");
}

/* As editors of other systems leave them. */
static void
test_ignore_file_encoding (Fixture *fixture, gconstpointer data)
{
  static const char wide[] = "\377\376s\0e\0c\0r\0e\0t\0\n\0";
  g_autofree char *path = path_of (fixture, "project/.sandboxignore");
  g_autoptr (GError) error = NULL;

  put (fixture, "project/secret", "x");
  put (fixture, "project/a", "x");
  put (fixture, "project/.sandboxignore", "\357\273\277secret\r\n");
  assert_paths (fixture, "a");
  g_file_set_contents (path, wide, sizeof wide - 1, &error);
  g_assert_no_error (error);
  REFUSED (fixture, ASB_ERROR_UPLOAD_POLICY, "UTF-8");
}

static void
test_single (Fixture *fixture, gconstpointer data)
{
  g_autofree char *file = path_of (fixture, "project/a");
  g_autofree char *secret = path_of (fixture, "project/.env");
  g_autoptr (AsbUploadScan) found = NULL;

  put (fixture, "project/a", "x");
  put (fixture, "project/.env", "x");
  asb_upload_spec_set_source (fixture->spec, file);
  found = scan (fixture);
  g_assert_cmpstr (found->source.name, ==, "a");
  g_assert_cmpuint (found->entries->len, ==, 1);
  asb_upload_spec_set_source (fixture->spec, secret);
  REFUSED (fixture, ASB_ERROR_UPLOAD_POLICY, "leave it out");
}

/* In the order file, number, all together. */
static void
test_limits (Fixture *fixture, gconstpointer data)
{
  put (fixture, "project/a", "xxxx");
  put (fixture, "project/b", "xxxx");
  asb_upload_spec_set_max_file_bytes (fixture->spec, 3);
  asb_upload_spec_set_max_files (fixture->spec, 1);
  asb_upload_spec_set_max_total_bytes (fixture->spec, 7);
  REFUSED (fixture, ASB_ERROR_UPLOAD_FILE_TOO_LARGE, "“a”");
  asb_upload_spec_set_max_file_bytes (fixture->spec, 4);
  REFUSED (fixture, ASB_ERROR_UPLOAD_TOO_MANY_FILES, "more than 1");
  asb_upload_spec_set_max_files (fixture->spec, 2);
  REFUSED (fixture, ASB_ERROR_UPLOAD_TOTAL_SIZE_EXCEEDED, "7 bytes");
  asb_upload_spec_set_max_total_bytes (fixture->spec, 8);
  assert_paths (fixture, "a b");
}

static void
test_ranges (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *name;
    guint value;
    gboolean of_config;
  } rules[] = {
    { "max-files", 0, FALSE },           { "max-total-bytes", 0, FALSE },
    { "max-file-bytes", 0, FALSE },      { "max-parallel-files", 0, TRUE },
    { "max-parallel-files", 129, TRUE }, { "archive-min-files", 0, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      g_autoptr (AsbUploadSpec) spec = asb_upload_spec_new (fixture->project, "/workspace");
      g_autoptr (AsbUploadConfig) config = asb_upload_config_new ();
      g_autoptr (GError) error = NULL;

      if (rules[i].of_config)
        g_object_set (config, rules[i].name, rules[i].value, NULL);
      else
        g_object_set (spec, rules[i].name, (guint64)rules[i].value, NULL);
      g_assert_false (asb_upload_check (spec, config, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, rules[i].name));
    }
}

static void
make_socket (const char *path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

  g_strlcpy (address.sun_path, path, sizeof address.sun_path);
  g_assert_no_errno (bind (fd, (struct sockaddr *)&address, sizeof address));
  close (fd);
}

/* Opening a FIFO would wait for ever. */
static void
test_special (Fixture *fixture, gconstpointer data)
{
  g_autofree char *pipe = path_of (fixture, "project/pipe");
  g_autofree char *socket_path = path_of (fixture, "project/socket");

  put (fixture, "project/a", "x");
  g_assert_no_errno (mkfifo (pipe, 0644));
  REFUSED (fixture, ASB_ERROR_UPLOAD_POLICY, "“pipe”: it is a FIFO");
  asb_upload_spec_set_exclude (fixture->spec, (const char *const[]){ "pipe", NULL });
  assert_paths (fixture, "a");
  make_socket (socket_path);
  REFUSED (fixture, ASB_ERROR_UPLOAD_POLICY, "“socket”: it is a socket");
  asb_upload_spec_set_source (fixture->spec, "/dev/null");
  asb_upload_config_set_allowed_local_roots (fixture->config,
                                             (const char *const[]){ "/dev", NULL });
  REFUSED (fixture, ASB_ERROR_UPLOAD_POLICY, "“null”: it is a device");
}

/* Links. */

static void
test_reject (Fixture *fixture, gconstpointer data)
{
  put (fixture, "project/a", "x");
  put_link (fixture, "project/l", "a");
  REFUSED (fixture, ASB_ERROR_UPLOAD_SYMLINK, "“l”: it is a symbolic link");
  asb_upload_spec_set_exclude (fixture->spec, (const char *const[]){ "l", NULL });
  assert_paths (fixture, "a");
}

/* Each way out of the source, and which rule refuses it. */
static void
test_ways_out (Fixture *fixture, gconstpointer data)
{
  g_autofree char *absolute = path_of (fixture, "outside/secret");
  g_autofree char *link = path_of (fixture, "project/sub/l");
  const char *const targets[] = { "../../outside/secret", "../../outside", absolute, "none", "l",
                                  "/etc/passwd",          "../..",         "../hop" };

  put (fixture, "outside/secret", "SECRET");
  put (fixture, "project/sub/a", "x");
  put_link (fixture, "project/hop", "../outside/secret");
  asb_upload_spec_set_exclude (fixture->spec, (const char *const[]){ "/hop", NULL });
  for (gsize i = 0; i < G_N_ELEMENTS (targets); i++)
    for (int how = ASB_UPLOAD_SYMLINKS_REJECT; how <= ASB_UPLOAD_SYMLINKS_FOLLOW_SAFE; how++)
      {
        g_assert_no_errno (symlink (targets[i], link));
        asb_upload_spec_set_symlinks (fixture->spec, how);
        REFUSED (fixture, ASB_ERROR_UPLOAD_SYMLINK, "“sub/l”");
        g_assert_no_errno (unlink (link));
      }
}

static void
test_preserve (Fixture *fixture, gconstpointer data)
{
  g_autofree char *absolute = path_of (fixture, "project/a");
  g_autoptr (AsbUploadScan) found = NULL;
  AsbUploadEntry *entry;

  put (fixture, "project/a", "x");
  put (fixture, "project/sub/b", "x");
  put_link (fixture, "project/sub/up", "../a");
  put_link (fixture, "project/folder", "sub");
  asb_upload_spec_set_symlinks (fixture->spec, ASB_UPLOAD_SYMLINKS_PRESERVE_INTERNAL);
  assert_paths (fixture, "a folder sub/b sub/up");
  found = scan (fixture);
  entry = found->entries->pdata[3];
  g_assert_cmpstr (entry->link, ==, "../a");
  g_assert_cmpuint (strlen (entry->hash), ==, 64);
  put_link (fixture, "project/absolute", absolute);
  REFUSED (fixture, ASB_ERROR_UPLOAD_SYMLINK, "relative path");
}

/* It would lead to nothing. */
static void
test_single_link (Fixture *fixture, gconstpointer data)
{
  g_autofree char *link = path_of (fixture, "project/link");

  put (fixture, "project/a", "x");
  put_link (fixture, "project/link", "a");
  asb_upload_spec_set_source (fixture->spec, link);
  asb_upload_spec_set_symlinks (fixture->spec, ASB_UPLOAD_SYMLINKS_PRESERVE_INTERNAL);
  REFUSED (fixture, ASB_ERROR_UPLOAD_SYMLINK, "follow links");
  asb_upload_spec_set_symlinks (fixture->spec, ASB_UPLOAD_SYMLINKS_FOLLOW_SAFE);
  assert_paths (fixture, "link");
}

static void
test_follow (Fixture *fixture, gconstpointer data)
{
  g_autofree char *absolute = path_of (fixture, "project/a");
  g_autoptr (AsbUploadScan) found = NULL;

  put (fixture, "project/a", "text");
  put (fixture, "project/sub/b", "x");
  put_link (fixture, "project/sub/up", "../a");
  put_link (fixture, "project/folder", "sub");
  put_link (fixture, "project/absolute", absolute);
  asb_upload_spec_set_symlinks (fixture->spec, ASB_UPLOAD_SYMLINKS_FOLLOW_SAFE);
  assert_paths (fixture, "a absolute folder/b folder/up sub/b sub/up");
  found = scan (fixture);
  g_assert_cmpuint (found->total_bytes, ==, 4 * 4 + 2);
  g_assert_null (((AsbUploadEntry *)found->entries->pdata[1])->link);
}

/* What is left out does not get in under another name. */
static void
test_follow_to_excluded (Fixture *fixture, gconstpointer data)
{
  put (fixture, "project/.env", "SECRET");
  put (fixture, "project/.git/config", "SECRET");
  put_link (fixture, "project/notes", ".env");
  asb_upload_spec_set_symlinks (fixture->spec, ASB_UPLOAD_SYMLINKS_FOLLOW_SAFE);
  REFUSED (fixture, ASB_ERROR_UPLOAD_SYMLINK, "left out");
  asb_upload_spec_set_exclude (fixture->spec, (const char *const[]){ "notes", NULL });
  put_link (fixture, "project/config", ".git");
  REFUSED (fixture, ASB_ERROR_UPLOAD_SYMLINK, "left out");
}

static void
test_loop (Fixture *fixture, gconstpointer data)
{
  put (fixture, "project/sub/a", "x");
  put_link (fixture, "project/sub/again", "..");
  asb_upload_spec_set_symlinks (fixture->spec, ASB_UPLOAD_SYMLINKS_FOLLOW_SAFE);
  REFUSED (fixture, ASB_ERROR_UPLOAD_SYMLINK, "a directory that it is in");
}

/* In each of 40 directories two links lead to the next: 2⁴⁰ ways, and no file. */
static void
test_many_ways (Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < 40; i++)
    {
      g_autofree char *directory = g_strdup_printf ("%s/%02u", fixture->project, i);
      g_autofree char *one = g_strdup_printf ("project/%02u/one", i);
      g_autofree char *two = g_strdup_printf ("project/%02u/two", i);
      g_autofree char *next = g_strdup_printf ("../%02u", i + 1);

      g_assert_no_errno (mkdir (directory, 0755));
      if (i == 39)
        break;
      put_link (fixture, one, next);
      put_link (fixture, two, next);
    }
  asb_upload_spec_set_max_files (fixture->spec, 200);
  asb_upload_spec_set_symlinks (fixture->spec, ASB_UPLOAD_SYMLINKS_FOLLOW_SAFE);
  REFUSED (fixture, ASB_ERROR_UPLOAD_TOO_MANY_FILES, "links");
}

/* So many take their time on a disk. */
static char *
make_in_memory (void)
{
  char *folder = g_strdup ("/dev/shm/asb-upload-XXXXXX");

  if (g_mkdtemp (folder))
    return folder;
  g_free (folder);
  return g_dir_make_tmp ("asb-upload-XXXXXX", NULL);
}

static void
test_many_folders (Fixture *fixture, gconstpointer data)
{
  const AsbTreeRemoval how = { .folder = NULL };
  g_autofree char *folder = make_in_memory ();
  int fd = open (folder, O_RDONLY | O_DIRECTORY);
  g_autoptr (GError) error = NULL;

  g_test_summary ("Directories are bounded, too, though they are no files");

  g_assert_no_errno (fd);
  asb_upload_spec_set_source (fixture->spec, folder);
  asb_upload_spec_set_max_files (fixture->spec, 1);
  asb_upload_config_set_allowed_local_roots (fixture->config,
                                             (const char *const[]){ folder, NULL });
  for (guint i = 0; i < 10000; i++)
    {
      char name[8];

      g_snprintf (name, sizeof name, "%u", i);
      g_assert_no_errno (mkdirat (fd, name, 0755));
    }
  close (fd);
  REFUSED (fixture, ASB_ERROR_UPLOAD_TOO_MANY_FILES, "directories in it");
  asb_tree_remove (AT_FDCWD, folder, &how, &error);
  g_assert_no_error (error);
}

/* Files that fail. */

/* Root reads everything. */
static void
become_anybody (Fixture *fixture)
{
  g_assert_no_errno (chmod (fixture->folder, 0755));
  if (geteuid () == 0)
    g_assert_no_errno (seteuid (65534));
}

static void
become_oneself (void)
{
  if (getuid () == 0)
    g_assert_no_errno (seteuid (0));
}

static void
test_unreadable (Fixture *fixture, gconstpointer data)
{
  g_autofree char *file = path_of (fixture, "project/b");
  g_autofree char *folder = path_of (fixture, "project/shut");
  g_autoptr (AsbUploadScan) found = NULL;

  put (fixture, "project/a", "x");
  put (fixture, "project/b", "x");
  put (fixture, "project/shut/c", "x");
  g_assert_no_errno (chmod (file, 0));
  g_assert_no_errno (chmod (folder, 0));
  become_anybody (fixture);
  REFUSED (fixture, ASB_ERROR_UPLOAD_PARTIAL_FAILURE, "“b”");
  REFUSED (fixture, ASB_ERROR_UPLOAD_PARTIAL_FAILURE, "“shut”");
  asb_upload_config_set_partial_success (fixture->config, TRUE);
  found = scan (fixture);
  become_oneself ();
  g_assert_cmpuint (found->failures->len, ==, 2);
  g_assert_cmpuint (found->entries->len, ==, 1);
  g_assert_cmpuint (found->total_bytes, ==, 1);
}

/* Its names may be read, and nothing of what they name. */
static void
test_unsearchable (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = path_of (fixture, "project/d");

  put (fixture, "project/a", "x");
  put (fixture, "project/d/b", "x");
  g_assert_no_errno (chmod (folder, 0444));
  become_anybody (fixture);
  REFUSED (fixture, ASB_ERROR_UPLOAD_PARTIAL_FAILURE, "“d/b”: Permission denied");
  become_oneself ();
  g_assert_no_errno (chmod (folder, 0755));
}

/* Reads all of @stream. The number of bytes, or −1 with the error. */
static gssize
read_all (GInputStream *stream, GByteArray *bytes, GError **error)
{
  guint8 block[1000];
  gssize n;

  while ((n = g_input_stream_read (stream, block, sizeof block, NULL, error)) > 0)
    g_byte_array_append (bytes, block, n);
  return n < 0 ? -1 : (gssize)bytes->len;
}

typedef void (*Change) (Fixture *fixture, const char *path);

static void
change_text (Fixture *fixture, const char *path)
{
  put (fixture, "project/b", "longer");
}

/* Its size, its time and itself are what they were. */
static void
change_quietly (Fixture *fixture, const char *path)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);

  g_assert_cmpint (write (fd, "y", 1), ==, 1);
  close (fd);
  set_mtime (fixture, "project/b", 1000000000);
}

static void
delete_it (Fixture *fixture, const char *path)
{
  g_assert_no_errno (unlink (path));
}

static void
put_link_there (Fixture *fixture, const char *path)
{
  delete_it (fixture, path);
  put_link (fixture, "project/b", "../outside/secret");
}

static void
put_fifo_there (Fixture *fixture, const char *path)
{
  delete_it (fixture, path);
  g_assert_no_errno (mkfifo (path, 0644));
}

/* What has changed since it was looked at is noticed, named and not sent. */
static void
test_changed (Fixture *fixture, gconstpointer data)
{
  static const Change changes[]
      = { change_text, change_quietly, delete_it, put_link_there, put_fifo_there };
  g_autofree char *path = path_of (fixture, "project/b");

  put (fixture, "outside/secret", "SECRET");
  put (fixture, "project/a", "x");
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autoptr (AsbUploadScan) found = NULL;
      AsbUploadSent sent = { 0 };
      g_autoptr (GInputStream) stream = NULL;
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autoptr (GError) error = NULL;

      unlink (path);
      put (fixture, "project/b", "x");
      set_mtime (fixture, "project/b", 1000000000);
      found = scan (fixture);
      changes[i](fixture, path);
      stream = asb_upload_stream_new (found, NULL, FALSE, &sent);
      g_assert_cmpint (read_all (stream, bytes, &error), ==, -1);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_PARTIAL_FAILURE);
      g_assert_nonnull (strstr (error->message, "“b”"));
      g_assert_cmpuint (sent.n_failed, ==, 1);
      g_byte_array_append (bytes, (const guint8 *)"", 1);
      for (guint j = 0; j + 6 < bytes->len; j++)
        g_assert_cmpint (memcmp (bytes->data + j, "SECRET", 6), !=, 0);
    }
}

/* A folder that is replaced by a link leads nowhere, either. */
static void
test_changed_folder (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = path_of (fixture, "project/sub");
  g_autofree char *aside = path_of (fixture, "aside");
  AsbUploadSent sent = { 0 };
  g_autoptr (AsbUploadScan) found = NULL;
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GError) error = NULL;

  put (fixture, "project/sub/secret", "x");
  put (fixture, "outside/secret", "S");
  found = scan (fixture);
  g_assert_no_errno (rename (folder, aside));
  put_link (fixture, "project/sub", "../outside");
  stream = asb_upload_stream_new (found, NULL, FALSE, &sent);
  g_assert_cmpint (read_all (stream, bytes, &error), ==, -1);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_PARTIAL_FAILURE);
}

static void
test_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  put (fixture, "project/a", "x");
  g_cancellable_cancel (cancellable);
  g_assert_null (asb_upload_scan_new (fixture->spec, fixture->config, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

#define ADD(name, function)                                                                        \
  g_test_add ("/upload-scan/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  ADD ("vectors", test_vectors);
  ADD ("times", test_times);
  ADD ("names", test_names);
  ADD ("allowed", test_allowed);
  ADD ("missing", test_missing);
  ADD ("target/anywhere", test_target);
  ADD ("target/of-file", test_target_of_file);
  ADD ("protected", test_protected);
  ADD ("excludes", test_excludes);
  ADD ("ignore-file", test_ignore_file);
  ADD ("ignore-file/encoding", test_ignore_file_encoding);
  ADD ("single", test_single);
  ADD ("limits", test_limits);
  ADD ("ranges", test_ranges);
  ADD ("special", test_special);
  ADD ("links/reject", test_reject);
  ADD ("links/ways-out", test_ways_out);
  ADD ("links/preserve", test_preserve);
  ADD ("links/follow", test_follow);
  ADD ("links/follow-to-excluded", test_follow_to_excluded);
  ADD ("links/loop", test_loop);
  ADD ("links/many-ways", test_many_ways);
  ADD ("many-folders", test_many_folders);
  ADD ("links/single", test_single_link);
  ADD ("unreadable", test_unreadable);
  ADD ("unsearchable", test_unsearchable);
  ADD ("changed", test_changed);
  ADD ("changed-folder", test_changed_folder);
  ADD ("cancelled", test_cancelled);

  return g_test_run ();
}
