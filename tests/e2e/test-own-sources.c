/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The main job on real input: this repository's own sources go into a new local sandbox, the guest
 * is compiled of them there and run, its program is read back, and the record tells all of it. */

#include "story.h"

#include <string.h>

static const char *source_root;
static const char *build_root;

static GBytes *
load (const char *root, const char *name)
{
  g_autofree char *path = g_build_filename (root, name, NULL);
  g_autoptr (GError) error = NULL;
  char *contents = NULL;
  gsize length = 0;

  g_file_get_contents (path, &contents, &length, &error);
  g_assert_no_error (error);
  return g_bytes_new_take (contents, length);
}

static gboolean
is_source (const char *name)
{
  return g_str_has_suffix (name, ".c") || g_str_has_suffix (name, ".h")
         || g_str_has_suffix (name, ".build");
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* The sources of a folder, relative to the root, sorted. */
static GPtrArray *
list_sources (const char *folder)
{
  g_autofree char *path = g_build_filename (source_root, folder, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (path, 0, &error);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (dir)))
    if (is_source (name))
      g_ptr_array_add (names, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (names, compare_names);
  g_assert_cmpuint (names->len, >, 0);
  return names;
}

static void
copy_file (Story *story, const char *root, const char *name)
{
  g_autofree char *target = g_build_filename ("/workspace/libasb", name, NULL);
  g_autoptr (GBytes) contents = load (root, name);

  story_write (story, target, contents);
}

static void
copy_folder (Story *story, const char *folder)
{
  g_autofree char *target = g_build_filename ("/workspace/libasb", folder, NULL);
  g_autoptr (GPtrArray) names = list_sources (folder);
  g_autoptr (GListModel) listing = NULL;

  for (guint i = 0; i < names->len; i++)
    copy_file (story, source_root, g_ptr_array_index (names, i));

  listing = story_list (story, target);
  g_assert_cmpuint (g_list_model_get_n_items (listing), ==, names->len);
  for (guint i = 0; i < names->len; i++)
    {
      g_autoptr (AsbFileInfo) info = g_list_model_get_item (listing, i);
      g_autofree char *expected
          = g_build_filename ("/workspace/libasb", g_ptr_array_index (names, i), NULL);

      g_assert_cmpstr (asb_file_info_get_path (info), ==, expected);
    }
}

static void
check_success (AsbCommandResult *result)
{
  g_autofree char *errors = asb_command_result_dup_stderr_text (result);

  g_test_message ("%s", errors);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 0);
}

static void
compile (Story *story)
{
  g_autoptr (AsbCommandResult) result
      = story_execute (story, "cd libasb && gcc -std=gnu11 -D_GNU_SOURCE -I. -Iwire -static "
                              "-ffunction-sections -fdata-sections"
                              " -Wl,--gc-sections guest/*.c wire/*.c"
                              " -larchive -ljansson -lpcre2-8 -lsqlite3 -lz -lm -o asb-guest");

  check_success (result);
}

static void
run_what_was_compiled (Story *story)
{
  g_autoptr (AsbCommandResult) result = story_execute (story, "libasb/asb-guest --version");
  g_autofree char *text = asb_command_result_dup_stdout_text (result);

  check_success (result);
  g_assert_nonnull (strstr (text, asb_get_version ()));
}

static void
read_back (Story *story)
{
  g_autoptr (GBytes) program = story_read (story, "/workspace/libasb/asb-guest");
  g_autofree char *hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, program);
  g_autofree char *expected = g_strconcat (hash, "  libasb/asb-guest\n", NULL);
  g_autoptr (AsbCommandResult) result = story_execute (story, "sha256sum libasb/asb-guest");
  g_autofree char *text = asb_command_result_dup_stdout_text (result);

  g_assert_cmpmem (g_bytes_get_data (program, NULL), 4, "\177ELF", 4);
  g_assert_cmpstr (text, ==, expected);
}

static void
break_and_fail (Story *story)
{
  g_autoptr (GBytes) nonsense = g_bytes_new_static ("int main (void) { return }\n", 27);
  g_autoptr (AsbCommandResult) result = NULL;
  g_autofree char *errors = NULL;

  story_write (story, "/workspace/broken.c", nonsense);
  result = story_execute (story, "gcc broken.c -o broken");
  errors = asb_command_result_dup_stderr_text (result);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 1);
  g_assert_nonnull (strstr (errors, "broken.c:1:"));
  story_fail_to_read (story, "/workspace/broken", ASB_ERROR_FILE_NOT_FOUND);
}

static void
test_story (void)
{
  Story *story = story_new (NULL);

  copy_file (story, build_root, "config.h");
  copy_folder (story, "wire");
  copy_folder (story, "guest");
  copy_folder (story, "libasb");
  compile (story);
  run_what_was_compiled (story);
  read_back (story);
  break_and_fail (story);
  story_delete (story, "/workspace/libasb");
  story_fail_to_read (story, "/workspace/libasb/asb-guest", ASB_ERROR_FILE_NOT_FOUND);
  story_check_record (story);
  story_free (story);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 3);
  source_root = argv[1];
  build_root = argv[2];
  g_test_add_func ("/own-sources/story", test_story);
  return g_test_run ();
}
