/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How long a process was stopped, told from how long it got no processor: here it gets none for
 * some time, and is then said to have come back late. */

#include "pause.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND INT64_C (1000000000)

/* So long the process starves at least; the checks allow for half of it in which they themselves
 * do. */
#define STARVED (SECOND / 4)

/* −1 where the kernel does not count. */
static int64_t
starved (void)
{
  FILE *file = fopen ("/proc/self/schedstat", "re");
  long long ran;
  long long waited = -1;

  if (file && fscanf (file, "%lld %lld", &ran, &waited) != 2)
    waited = -1;
  if (file)
    fclose (file);
  return waited;
}

/* Shares one processor with a process that wants all of it, until @until was waited for it. */
static void
starve (int64_t until)
{
  cpu_set_t one;
  pid_t rival;

  CPU_ZERO (&one);
  CPU_SET (sched_getcpu (), &one);
  sched_setaffinity (0, sizeof one, &one);
  rival = fork ();
  if (rival == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      for (;;)
        ;
    }
  while (starved () < until)
    ;
  kill (rival, SIGKILL);
  waitpid (rival, NULL, 0);
}

/* A watch that is looked at @late after it was to be, and told all that it starved for in between.
 */
typedef struct
{
  PauseWatch watch;
  int64_t starved;
} Case;

static void
begin (Case *self)
{
  self->starved = starved ();
  pause_watch_init (&self->watch, 0);
}

/* Nothing is known to the nanosecond: between two looks at the clock the process may starve again.
 */
static bool
is_late_by (Case *self, int64_t wait, int64_t time, int64_t late, int64_t least_starved)
{
  int64_t pause = pause_watch_look (&self->watch, wait, time);
  int64_t most_starved = starved () - self->starved;

  if (pause <= late - least_starved && pause >= late - most_starved)
    return true;
  printf ("# %lld, not %lld - (%lld to %lld)\n", (long long)pause, (long long)late,
          (long long)least_starved, (long long)most_starved);
  return false;
}

static bool
is_known_from_the_start (void)
{
  Case self;

  begin (&self);
  return is_late_by (&self, 0, 8 * SECOND, 8 * SECOND, 0);
}

static bool
is_less_what_it_starved_for (void)
{
  Case self;

  begin (&self);
  starve (starved () + STARVED);
  return is_late_by (&self, 0, 8 * SECOND, 8 * SECOND, STARVED);
}

static bool
is_what_goes_beyond_the_wait (void)
{
  Case self;

  begin (&self);
  return pause_watch_look (&self.watch, 5 * SECOND, 6 * SECOND) == 0
         && is_late_by (&self, SECOND, 10 * SECOND, 3 * SECOND, 0);
}

static void
tell (int number, bool is_right, const char *name)
{
  printf ("%sok %d %s\n", is_right ? "" : "not ", number, name);
}

int
main (void)
{
  if (starved () < 0)
    {
      puts ("1..0 # SKIP this kernel does not count how long a process waits for a processor");
      return 0;
    }
  puts ("1..3");
  fflush (stdout);
  starve (starved () + STARVED);
  tell (1, is_known_from_the_start (), "what was starved for before");
  tell (2, is_less_what_it_starved_for (), "what was starved for meanwhile");
  tell (3, is_what_goes_beyond_the_wait (), "what was waited for");
  return 0;
}
