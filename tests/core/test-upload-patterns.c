/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <locale.h>
#include <string.h>

#include "asb-upload-patterns-private.h"

typedef struct
{
  const char *patterns; /* lines */
  const char *path;
  gboolean is_directory;
  gboolean matches;
} Case;

static const Case cases[] = {
  /* Names anywhere. */
  { "*.py", "a.py", FALSE, TRUE },
  { "*.py", "deep/down/a.py", FALSE, TRUE },
  { "*.py", "a.pyc", FALSE, FALSE },
  { ".env", ".env", FALSE, TRUE },
  { ".env", "sub/.env", FALSE, TRUE },
  { ".env", ".environment", FALSE, FALSE },
  { ".env.*", ".env.local", FALSE, TRUE },
  { ".env.*", ".env", FALSE, FALSE },
  /* Directories, with all that is in them. */
  { "node_modules/", "node_modules/x/index.js", FALSE, TRUE },
  { "node_modules/", "a/node_modules/x", FALSE, TRUE },
  { "node_modules/", "node_modules", TRUE, TRUE },
  { "node_modules/", "node_modules", FALSE, FALSE },
  { "build", "build/x", FALSE, TRUE },
  /* From the beginning on. */
  { "/build", "build/x", FALSE, TRUE },
  { "/build", "a/build", TRUE, FALSE },
  { "a/b", "a/b", FALSE, TRUE },
  { "a/b", "x/a/b", FALSE, FALSE },
  { "a/*/c", "a/b/c", FALSE, TRUE },
  { "a/*/c", "a/b/b/c", FALSE, FALSE },
  { "a/*", "a/b/c", FALSE, TRUE },
  /* Any number of segments. */
  { "**/*", "a", FALSE, TRUE },
  { "**/*", "a/b/c", FALSE, TRUE },
  { "a/**/c", "a/c", FALSE, TRUE },
  { "a/**/c", "a/b/b/c", FALSE, TRUE },
  { "a/**/c", "a/b/b/d", FALSE, FALSE },
  { "a/**", "a", TRUE, FALSE },
  { "a/**", "a/b", FALSE, TRUE },
  { "**/b/**/d", "a/b/c/b/x/d", FALSE, TRUE },
  /* In a segment. */
  { "a?c", "abc", FALSE, TRUE },
  { "a?c", "a\303\244c", FALSE, TRUE },
  { "a?c", "a\377c", FALSE, TRUE },
  { "a?c", "ac", FALSE, FALSE },
  { "[a-c]x", "bx", FALSE, TRUE },
  { "[!a-c]x", "bx", FALSE, FALSE },
  { "[^a-c]x", "dx", FALSE, TRUE },
  { "[]]x", "]x", FALSE, TRUE },
  { "[a", "[a", FALSE, TRUE },
  { "s.[[:digit:]]", "s.1", FALSE, TRUE },
  { "s.[[:digit:]]", "s.a", FALSE, FALSE },
  { "[![:space:]_]x", "ax", FALSE, TRUE },
  { "[![:space:]_]x", " x", FALSE, FALSE },
  { "[![:space:]_]x", "_x", FALSE, FALSE },
  { "[a[:upper:]-]x", "-x", FALSE, TRUE },
  { "[[:blank:]]", "\t", FALSE, TRUE },
  { "[[:alpha:]]", "\303\244", FALSE, FALSE },
  { "[[:nothing:]]", "n", FALSE, FALSE },
  { "[[:alpha]x", ":x", FALSE, TRUE },
  { "[[:", "[[:", FALSE, TRUE },
  { "a**b", "axxb", FALSE, TRUE },
  { "\\*", "*", FALSE, TRUE },
  { "\\*", "x", FALSE, FALSE },
  { "*a*b", "xaxaxb", FALSE, TRUE },
  { "*a*b", "xaxaxbx", FALSE, FALSE },
  /* Lines. */
  { "# a\na", "# a", FALSE, FALSE },
  { "\\#a", "#a", FALSE, TRUE },
  { "\\!a", "!a", FALSE, TRUE },
  { "a   ", "a", FALSE, TRUE },
  { "a\\ ", "a ", FALSE, TRUE },
  { "a\r", "a", FALSE, TRUE },
  { "a\rb\r", "a\rb", FALSE, TRUE },
  { "a\rb", "a", FALSE, FALSE },
  { "\n  \n", "a", FALSE, FALSE },
  { "/", "a", FALSE, FALSE },
  /* The last one says what is so. */
  { "*.log\n!keep.log", "keep.log", FALSE, FALSE },
  { "*.log\n!keep.log", "other.log", FALSE, TRUE },
  { "!keep.log\n*.log", "keep.log", FALSE, TRUE },
  { "logs/\n!logs/keep", "logs/keep", FALSE, FALSE },
  { "logs/\n!logs/keep", "logs/other", FALSE, TRUE },
};

static AsbUploadPatterns *
patterns_new (const char *text)
{
  AsbUploadPatterns *patterns = asb_upload_patterns_new ();
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  asb_upload_patterns_add_all (patterns, (const char *const *)lines);
  return patterns;
}

static void
test_cases (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AsbUploadPatterns) patterns = patterns_new (cases[i].patterns);

      g_test_message ("“%s” of “%s”", cases[i].patterns, cases[i].path);
      g_assert_cmpint (asb_upload_patterns_match (patterns, cases[i].path, cases[i].is_directory),
                       ==, cases[i].matches);
    }
}

static void
test_plain (void)
{
  g_autoptr (AsbUploadPatterns) plain = patterns_new ("a\nb/");
  g_autoptr (AsbUploadPatterns) other = patterns_new ("a\n!a/b");

  g_assert_true (asb_upload_patterns_are_plain (plain));
  g_assert_false (asb_upload_patterns_are_plain (other));
}

/* Which would take longer than the world exists, if every star were gone back to. */
static void
test_hostile (void)
{
  g_autoptr (GString) pattern = g_string_new (NULL);
  g_autofree char *name = g_strnfill (250, 'a');
  g_autoptr (AsbUploadPatterns) patterns = NULL;

  for (guint i = 0; i < 60; i++)
    g_string_append (pattern, "*a");
  g_string_append (pattern, "b");
  for (guint i = 0; i < 40; i++)
    g_string_append (pattern, "/**/a");
  patterns = patterns_new (pattern->str);
  g_assert_false (asb_upload_patterns_match (patterns, name, FALSE));
}

int
main (int argc, char *argv[])
{
  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/upload-patterns/cases", test_cases);
  g_test_add_func ("/upload-patterns/plain", test_plain);
  g_test_add_func ("/upload-patterns/hostile", test_hostile);

  return g_test_run ();
}
