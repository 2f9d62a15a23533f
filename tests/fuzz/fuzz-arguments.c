/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The arguments of commands and files, as the guest takes them out of a call. The first byte says
 * which; the rest is JSON, or records of the environment. */

#include "fuzz.h"

#include "arguments.h"
#include "asb-frame.h"
#include "asb-wire-json.h"
#include "command-job.h"
#include "command-spec.h"
#include "environment.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_ITEMS 4096
#define PAGE_SIZE 4096

static const char *const VARIABLES[]
    = { "PATH=/usr/bin:/bin", "HOME=/root", "LANG=C.UTF-8", "A=1", "EMPTY=", NULL };

static void
check_failure (bool done, Failure *failure)
{
  json_t *json;

  FUZZ_CHECK (done == (failure->code == NULL));
  if (done)
    return;
  json = failure_to_json (failure);
  FUZZ_CHECK (json && json_is_string (json_object_get (json, "message")));
  json_decref (json);
  failure_clear (failure);
}

/* Commands. */

static void
check_lists_equal (char *const *a, char *const *b)
{
  for (; *a && *b; a++, b++)
    FUZZ_CHECK (strcmp (*a, *b) == 0);
  FUZZ_CHECK (!*a && !*b);
}

static void
check_texts_equal (const char *a, const char *b)
{
  FUZZ_CHECK (!a == !b && (!a || strcmp (a, b) == 0));
}

/* What the supervisor takes is what the broker wrote. */
static void
check_job (const CommandSpec *spec, char *const *environment)
{
  int fd = command_job_write (spec, environment);
  CommandJob job = { 0 };
  struct stat status;
  uintptr_t start;

  FUZZ_CHECK (fd >= 0 && fstat (fd, &status) == 0 && !command_job_is_taken (fd));
  FUZZ_CHECK (command_job_take (fd, &job) && command_job_is_taken (fd));
  FUZZ_CHECK (job.deadline == spec->deadline);
  check_texts_equal (job.shell, spec->shell);
  check_texts_equal (job.cwd, spec->cwd);
  check_lists_equal (job.argv, spec->argv.items);
  check_lists_equal (job.environment, environment);
  /* A supervisor keeps the mapping; its head is shorter than a page. */
  start = (uintptr_t)(job.shell ? job.shell : job.cwd ? job.cwd : job.argv[0]) & ~(PAGE_SIZE - 1UL);
  munmap ((void *)start, (size_t)status.st_size);
  free ((void *)job.argv);
  free ((void *)job.environment);
  close (fd);
}

static void
check_environment (char *const *environment)
{
  for (size_t i = 0; environment[i]; i++)
    {
      const char *equals = strchr (environment[i], '=');

      FUZZ_CHECK (equals && equals > environment[i]);
      for (size_t j = 0; j < i; j++)
        FUZZ_CHECK (strncmp (environment[i], environment[j], (size_t)(equals - environment[i] + 1))
                    != 0);
    }
}

static void
check_merge (const CommandSpec *spec)
{
  Environment environment = { 0 };
  const char *reason;
  char **merged;

  FUZZ_CHECK (environment_load (&environment, (char *const *)VARIABLES, -1, &reason));
  merged = environment_merge (&environment, &spec->unset_env, &spec->env);
  FUZZ_CHECK (merged != NULL);
  check_environment (merged);
  check_job (spec, merged);
  free (merged);
  environment_clear (&environment);
}

static void
check_command (json_t *args)
{
  CommandSpec spec;
  Failure failure = { 0 };
  bool done = command_spec_parse (&spec, args, &failure);
  size_t n_items = spec.argv.n_items + spec.env.n_items + spec.unset_env.n_items;

  FUZZ_CHECK (command_spec_channels (args) < 1u << ASB_N_CHANNELS);
  if (done)
    {
      FUZZ_CHECK (!spec.shell == (spec.argv.n_items > 0) && n_items <= MAX_ITEMS);
      FUZZ_CHECK (!spec.cwd || *spec.cwd == '/');
      FUZZ_CHECK (spec.deadline >= 0 && spec.outputs[0] != OUTPUT_MERGE);
      check_merge (&spec);
    }
  check_failure (done, &failure);
  command_spec_clear (&spec);
}

/* Files. */

static void
check_path (const char *path)
{
  size_t length = strlen (path);

  FUZZ_CHECK (*path == '/' && !strstr (path, "//") && !strstr (path, "/./"));
  FUZZ_CHECK (!strstr (path, "/../") && (length == 1 || path[length - 1] != '/'));
  FUZZ_CHECK (length < 2 || strcmp (path + length - 2, "/.") != 0);
  FUZZ_CHECK (length < 3 || strcmp (path + length - 3, "/..") != 0);
}

static void
check_file (json_t *args)
{
  static const char *const paths[] = { "path", "from", "to" };
  static const char *const integers[] = { "offset", "length", "mode" };
  static const char *const booleans[] = { "follow", "recursive", "overwrite" };

  for (size_t i = 0; i < 3; i++)
    {
      Failure failure = { 0 };
      char *text = NULL;
      int64_t number = 0;
      bool flag;

      check_failure (argument_path (args, paths[i], &text, &failure), &failure);
      if (text)
        check_path (text);
      free (text);
      check_failure (argument_integer (args, integers[i], 0, 07777, -1, &number, &failure),
                     &failure);
      check_failure (argument_boolean (args, booleans[i], true, &flag, &failure), &failure);
      check_failure (argument_text (args, "expected_hash", &text, &failure), &failure);
      free (text);
    }
}

/* The records of --environment-fd. */
static void
check_records (const uint8_t *bytes, size_t size)
{
  Environment environment;
  const char *reason = NULL;
  int fd = memfd_create ("environment", MFD_CLOEXEC);

  FUZZ_CHECK (fd >= 0 && write (fd, bytes, size) == (ssize_t)size && lseek (fd, 0, SEEK_SET) == 0);
  if (environment_load (&environment, (char *const *)VARIABLES, fd, &reason))
    {
      check_environment (environment.entries);
      FUZZ_CHECK (*environment_home (&environment) == '/');
      FUZZ_CHECK (environment_get (environment.entries, "PATH") != NULL);
    }
  else
    FUZZ_CHECK (reason != NULL);
  environment_clear (&environment);
  close (fd);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, data + size };
  uint8_t kind = fuzz_take_byte (&input) % 3;
  const char *reason;
  json_t *args = NULL;

  if (kind == 2)
    check_records (input.at, fuzz_left (&input));
  else
    args = asb_wire_json_parse (input.at, fuzz_left (&input), &reason);
  if (args && kind == 0)
    check_command (args);
  else if (args)
    check_file (args);
  json_decref (args);
  return 0;
}
