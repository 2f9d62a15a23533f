/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>
#include <elf.h>
#include <glib/gstdio.h>
#include <string.h>

#include "asb-opensandbox-elf.h"
#include "asb-opensandbox-guest-script.h"

/* What a shell is told to start the guest, and what is made of its answer. */

static void
test_news (void)
{
  static const struct
  {
    const char *line;
    AsbOpensandboxGuestState state; /* NONE: it is no news */
    guint number;
    const char *architecture;
    const char *folder;
  } cases[] = {
    { "{\"port\":40001,\"pid\":3}", ASB_OPENSANDBOX_GUEST_LISTENS, 40001, NULL, NULL },
    { "{\"port\":0}", ASB_OPENSANDBOX_GUEST_NONE, 0, NULL, NULL },
    { "{\"port\":65536}", ASB_OPENSANDBOX_GUEST_NONE, 0, NULL, NULL },
    { "{\"port\":\"1\"}", ASB_OPENSANDBOX_GUEST_NONE, 0, NULL, NULL },
    { "{", ASB_OPENSANDBOX_GUEST_NONE, 0, NULL, NULL },
    { "", ASB_OPENSANDBOX_GUEST_NONE, 0, NULL, NULL },
    { "hello", ASB_OPENSANDBOX_GUEST_NONE, 0, NULL, NULL },
    { "asb-guest: ", ASB_OPENSANDBOX_GUEST_NONE, 0, NULL, NULL },
    { "asb-guest: ready", ASB_OPENSANDBOX_GUEST_READY, 0, NULL, NULL },
    { "asb-guest: ready now", ASB_OPENSANDBOX_GUEST_NONE, 0, NULL, NULL },
    { "asb-guest: missing x86_64 /a b", ASB_OPENSANDBOX_GUEST_MISSING, 0, "x86_64", "/a b" },
    { "asb-guest: missing  /a", ASB_OPENSANDBOX_GUEST_MISSING, 0, "unknown", "/a" },
    { "asb-guest: missing x relative", ASB_OPENSANDBOX_GUEST_MISSING, 0, "x", NULL },
    { "asb-guest: missing", ASB_OPENSANDBOX_GUEST_NONE, 0, NULL, NULL },
    { "asb-guest: nowhere aarch64 ", ASB_OPENSANDBOX_GUEST_NOWHERE, 0, "aarch64", NULL },
    { "asb-guest: failed 126 aarch64", ASB_OPENSANDBOX_GUEST_FAILED, 126, "aarch64", NULL },
    { "asb-guest: failed 127 ", ASB_OPENSANDBOX_GUEST_FAILED, 127, "unknown", NULL },
    { "asb-guest: failed 1 <b>\x01", ASB_OPENSANDBOX_GUEST_FAILED, 1, "unknown", NULL },
    { "asb-guest: missing \xff /x", ASB_OPENSANDBOX_GUEST_NONE, 0, NULL, NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (AsbOpensandboxGuestNews) news = { 0 };
      gboolean is_news
          = asb_opensandbox_guest_news_parse (&news, cases[i].line, strlen (cases[i].line));

      g_assert_cmpint (is_news, ==, cases[i].state != ASB_OPENSANDBOX_GUEST_NONE);
      g_assert_cmpint (news.state, ==, cases[i].state);
      g_assert_cmpuint (news.port + news.status, ==, cases[i].number);
      g_assert_cmpstr (news.architecture, ==, cases[i].architecture);
      g_assert_cmpstr (news.folder, ==, cases[i].folder);
    }
}

static void
test_errors (void)
{
  static const struct
  {
    const char *line;
    AsbError code;
    const char *words;
  } cases[] = {
    { "asb-guest: missing x86_64 /elsewhere", ASB_ERROR_COMMAND_NOT_FOUND, "/usual/bin/asb-guest" },
    { "asb-guest: nowhere x86_64", ASB_ERROR_GUEST_UNAVAILABLE, "read-only" },
    { "asb-guest: failed 126 riscv64", ASB_ERROR_GUEST_UNAVAILABLE, "riscv64" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (AsbOpensandboxGuestNews) news = { 0 };
      g_autoptr (GError) error = NULL;

      g_assert_true (
          asb_opensandbox_guest_news_parse (&news, cases[i].line, strlen (cases[i].line)));
      error
          = asb_opensandbox_guest_news_to_error (&news, "/usual/bin/asb-guest-1", "cannot\x07 run");
      g_assert_error (error, ASB_ERROR, (int)cases[i].code);
      g_assert_nonnull (strstr (error->message, cases[i].words));
      g_assert_null (strchr (error->message, '\x07'));
      if (i == 0)
        {
          const char *path = NULL;
          GVariant *details = asb_error_info_get_details (asb_error_get_info (error));

          g_assert_true (g_variant_lookup (details, "guest_path", "&s", &path));
          g_assert_cmpstr (path, ==, "/elsewhere/bin/asb-guest-1");
        }
    }
}

static void
test_elf (void)
{
  Elf64_Ehdr header = { .e_machine = GUINT16_TO_LE (EM_AARCH64) };
  g_autoptr (GBytes) program = NULL;
  g_autoptr (GBytes) script = g_bytes_new_static ("#!/bin/sh\n", 10);
  g_autoptr (GError) error = NULL;

  memcpy (header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  program = g_bytes_new (&header, sizeof header);
  g_assert_true (asb_opensandbox_elf_check (program, "aarch64", &error));
  g_assert_true (asb_opensandbox_elf_check (program, NULL, &error));
  g_assert_true (asb_opensandbox_elf_check (program, "unknown", &error));
  g_assert_true (asb_opensandbox_elf_check (script, "x86_64", &error));
  g_assert_no_error (error);
  g_assert_false (asb_opensandbox_elf_check (program, "x86_64", &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE);
}

/* The scripts, in the shells there are. */

typedef struct
{
  char *folder;
  char *program; /* where it is wanted */
  char *home;
} Place;

static void
place_set_up (Place *place)
{
  g_autoptr (GError) error = NULL;

  place->folder = g_dir_make_tmp ("asb-guest-script-XXXXXX", &error);
  g_assert_no_error (error);
  place->home = g_build_filename (place->folder, "it's home", NULL);
  place->program = g_build_filename (place->folder, "usual 'place'", "bin", "asb-guest-1", NULL);
  g_assert_cmpint (g_mkdir (place->home, 0700), ==, 0);
}

static void
place_tear_down (Place *place)
{
  const char *const argv[] = { "rm", "-rf", "--", place->folder, NULL };

  g_assert_true (g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                               NULL, NULL, NULL));
  g_free (place->folder);
  g_free (place->program);
  g_free (place->home);
}

/* A program that says how it was called, and what its third descriptor holds. */
static void
put_program (const char *path, const char *text)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
}

static void
run (Place *place, const char *const *shell, const char *script, char **output, char **errors)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_auto (GStrv) environment = g_get_environ ();
  g_autoptr (GError) error = NULL;
  int status;

  for (gsize i = 0; shell[i]; i++)
    g_ptr_array_add (argv, (gpointer)shell[i]);
  g_ptr_array_add (argv, (gpointer) "-c");
  g_ptr_array_add (argv, (gpointer)script);
  g_ptr_array_add (argv, NULL);
  environment = g_environ_setenv (environment, "HOME", place->home, TRUE);
  environment = g_environ_setenv (environment, ASB_OPENSANDBOX_TOKEN_VARIABLE, "the-token", TRUE);
  g_spawn_sync ("/", (char **)argv->pdata, environment, G_SPAWN_SEARCH_PATH, NULL, NULL, output,
                errors, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
}

static gboolean
is_there (const char *const *shell)
{
  g_autofree char *path = g_find_program_in_path (shell[0]);

  return path != NULL;
}

#define SAY                                                                                        \
  "#!/bin/sh\n"                                                                                    \
  "[ \"$1\" = --version ] && exit 0\n"                                                             \
  "read -r token <&3\n"                                                                            \
  "echo \"{\\\"port\\\":7,\\\"said\\\":\\\"$* $token ${" ASB_OPENSANDBOX_TOKEN_VARIABLE            \
  "-none}\\\"}\"\n"

static void
check_shell (const char *const *shell)
{
  Place place;
  g_autofree char *script = NULL;
  g_autofree char *elsewhere = NULL;
  char *output;
  char *errors;

  place_set_up (&place);
  script = asb_opensandbox_guest_script_new_serve (place.program, NULL);
  /* It is not there, and could be. */
  run (&place, shell, script, &output, &errors);
  g_assert_true (g_str_has_prefix (output, "asb-guest: missing "));
  g_assert_nonnull (strstr (output, "usual 'place'"));
  g_free (output);
  g_free (errors);
  /* It is there. */
  put_program (place.program, SAY);
  run (&place, shell, script, &output, &errors);
  g_assert_nonnull (strstr (output, "serve --listen 0 --daemon --token-fd 3 --socket "));
  g_assert_nonnull (strstr (output, "the-token none"));
  g_free (output);
  g_free (errors);
  /* It is elsewhere. */
  g_assert_cmpint (g_remove (place.program), ==, 0);
  elsewhere = g_build_filename (place.home, ".agent-history", "bin", "asb-guest-1", NULL);
  put_program (elsewhere, SAY);
  run (&place, shell, script, &output, &errors);
  g_assert_nonnull (strstr (output, "it's home/.agent-history/run/guest-1.sock"));
  g_free (output);
  g_free (errors);
  /* It does not work. */
  put_program (elsewhere, "#!/bin/sh\necho no good >&2\nexit 3\n");
  run (&place, shell, script, &output, &errors);
  g_assert_true (g_str_has_prefix (output, "asb-guest: failed 3 "));
  g_assert_cmpstr (errors, ==, "no good\n");
  g_free (output);
  g_free (errors);
  place_tear_down (&place);
}

static AsbOpensandboxArrival
send (Place *place, const char *text, char **temporary)
{
  *temporary = g_strconcat (place->program, ".sent", NULL);
  put_program (*temporary, text);
  return (AsbOpensandboxArrival){ *temporary, place->program, strlen (text), FALSE };
}

/* Of @sent the script is told that it is SAY. */
static void
check_arrival (const char *const *shell, const char *sent, gboolean is_guess)
{
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, SAY, -1);
  g_autofree char *name = g_strdup_printf ("asb-guest-%.16s", hash);
  g_autofree char *temporary = NULL;
  g_autofree char *script = NULL;
  g_autofree char *output = NULL;
  g_autofree char *errors = NULL;
  AsbOpensandboxArrival arrival;
  gboolean is_right = g_str_equal (sent, SAY);
  GStatBuf status;
  Place place;

  place_set_up (&place);
  g_free (place.program);
  place.program = g_build_filename (place.folder, "usual 'place'", "bin", name, NULL);
  arrival = send (&place, sent, &temporary);
  arrival.is_guess = is_guess;
  script = asb_opensandbox_guest_script_new_serve (place.program, &arrival);
  run (&place, shell, script, &output, &errors);
  if (is_right)
    g_assert_nonnull (strstr (output, "the-token none"));
  else
    g_assert_true (g_str_has_prefix (output, "asb-guest: missing "));
  g_assert_cmpint (g_stat (place.program, &status) == 0, ==, is_right);
  if (is_right)
    g_assert_cmphex (status.st_mode & 0777, ==, is_guess ? 0700 : 0755);
  g_assert_false (g_file_test (temporary, G_FILE_TEST_EXISTS));
  place_tear_down (&place);
}

static void
check_arrivals (const char *const *shell)
{
  g_autofree char *spoilt = g_strdup (SAY);

  spoilt[strlen (spoilt) - 1] ^= 1;
  check_arrival (shell, SAY, FALSE);
  check_arrival (shell, SAY, TRUE);
  check_arrival (shell, spoilt, FALSE);
  check_arrival (shell, "#!/bin/sh\n", TRUE);
}

/* What arrived too late: it is there. */
static void
check_late (const char *const *shell)
{
  g_autofree char *temporary = NULL;
  g_autofree char *script = NULL;
  g_autofree char *output = NULL;
  g_autofree char *errors = NULL;
  AsbOpensandboxArrival arrival;
  Place place;

  place_set_up (&place);
  put_program (place.program, SAY);
  arrival = send (&place, "exit 9", &temporary);
  script = asb_opensandbox_guest_script_new_serve (place.program, &arrival);
  run (&place, shell, script, &output, &errors);
  g_assert_nonnull (strstr (output, "the-token none"));
  g_assert_false (g_file_test (temporary, G_FILE_TEST_EXISTS));
  place_tear_down (&place);
}

static void
check_connect (const char *const *shell)
{
  const char *const echo[] = { "echo", "it's", "$HOME", NULL };
  const char *const missing[] = { "no-such-program", NULL };
  Place place;
  g_autofree char *script = NULL;
  g_autofree char *other = asb_opensandbox_guest_script_new_program (echo);
  g_autofree char *none = asb_opensandbox_guest_script_new_program (missing);
  char *output;
  char *errors;

  place_set_up (&place);
  script = asb_opensandbox_guest_script_new_connect (place.program);
  put_program (place.program, "#!/bin/sh\necho \"$1 $2\"\n");
  run (&place, shell, script, &output, &errors);
  g_assert_cmpstr (errors, ==, "asb-guest: ready\n");
  g_assert_cmpstr (output, ==, "connect --socket\n");
  g_free (output);
  g_free (errors);
  run (&place, shell, other, &output, &errors);
  g_assert_cmpstr (errors, ==, "asb-guest: ready\n");
  g_assert_cmpstr (output, ==, "it's $HOME\n");
  g_free (output);
  g_free (errors);
  run (&place, shell, none, &output, &errors);
  g_assert_true (g_str_has_prefix (errors, "asb-guest: missing "));
  g_free (output);
  g_free (errors);
  place_tear_down (&place);
}

static void
test_shells (void)
{
  static const char *const bash[] = { "bash", NULL };
  static const char *const sh[] = { "sh", NULL };
  static const char *const busybox[] = { "busybox", "sh", NULL };
  static const char *const *const shells[] = { bash, sh, busybox };

  g_test_summary ("The scripts are understood by each shell, whatever is in the paths");
  for (gsize i = 0; i < G_N_ELEMENTS (shells); i++)
    if (is_there (shells[i]))
      {
        g_test_message ("%s", shells[i][0]);
        check_shell (shells[i]);
        check_arrivals (shells[i]);
        check_late (shells[i]);
        check_connect (shells[i]);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opensandbox/guest-script/news", test_news);
  g_test_add_func ("/opensandbox/guest-script/errors", test_errors);
  g_test_add_func ("/opensandbox/guest-script/elf", test_elf);
  g_test_add_func ("/opensandbox/guest-script/shells", test_shells);
  return g_test_run ();
}
