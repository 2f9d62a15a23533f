/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-guard.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile sig_atomic_t tripped;
static uintptr_t page_size;

static void
replace_page (int signal_number, siginfo_t *info, void *context)
{
  void *page = (void *)((uintptr_t)info->si_addr & ~(page_size - 1));

  if (info->si_code != BUS_ADRERR
      || mmap (page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
               0)
             == MAP_FAILED)
    {
      signal (signal_number, SIG_DFL);
      return;
    }
  tripped = 1;
}

void
history_guard_install (void)
{
  struct sigaction action = { .sa_sigaction = replace_page, .sa_flags = SA_SIGINFO };

  page_size = (uintptr_t)sysconf (_SC_PAGESIZE);
  sigaction (SIGBUS, &action, NULL);
}

bool
history_guard_tripped (void)
{
  bool result = tripped;

  tripped = 0;
  return result;
}
