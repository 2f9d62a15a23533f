/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <unistd.h>

#include "tool-command.h"
#include "tool-signals.h"

/* A standard stream that is closed would be the next file opened. These fail as closed ones do. */
static void
open_standard_streams (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0 && errno == EBADF
        && open ("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      _exit (TOOL_EXIT_ASB);
}

int
main (int n_words, char **words)
{
  g_autoptr (Tool) tool = NULL;

  open_standard_streams ();
  /* All that the texts need, which are English but for what the system says; the rest takes a
   * twentieth of the time of a start. */
  setlocale (LC_CTYPE, "");
  setlocale (LC_MESSAGES, "");
  tool = tool_new ();
  tool_signals_install (tool);
  return tool_command_main (tool, n_words > 0 ? words + 1 : words);
}
