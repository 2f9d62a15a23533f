/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-command-end.h"

#include <signal.h>
#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-json.h"

#define MAX_EXIT_STATUS 255
#define MAX_MESSAGE 400

/* As Go calls them. */
static const struct
{
  const char *name;
  int number;
} SIGNALS[] = {
  { "hangup", SIGHUP },
  { "interrupt", SIGINT },
  { "quit", SIGQUIT },
  { "illegal instruction", SIGILL },
  { "trace/breakpoint trap", SIGTRAP },
  { "aborted", SIGABRT },
  { "bus error", SIGBUS },
  { "floating point exception", SIGFPE },
  { "killed", SIGKILL },
  { "user defined signal 1", SIGUSR1 },
  { "segmentation fault", SIGSEGV },
  { "user defined signal 2", SIGUSR2 },
  { "broken pipe", SIGPIPE },
  { "alarm clock", SIGALRM },
  { "terminated", SIGTERM },
  { "stack fault", SIGSTKFLT },
  { "CPU time limit exceeded", SIGXCPU },
  { "file size limit exceeded", SIGXFSZ },
  { "virtual timer expired", SIGVTALRM },
  { "profiling timer expired", SIGPROF },
  { "I/O possible", SIGIO },
  { "power failure", SIGPWR },
  { "bad system call", SIGSYS },
};

void
asb_opensandbox_command_end_clear (AsbOpensandboxCommandEnd *self)
{
  g_free (self->message);
  *self = (AsbOpensandboxCommandEnd){ 0 };
}

int
asb_opensandbox_command_end_parse_signal (const char *text)
{
  gint64 number;

  if (!g_str_has_prefix (text, "signal: "))
    return 0;
  text += strlen ("signal: ");
  if (g_str_has_prefix (text, "signal "))
    {
      number = g_ascii_strtoll (text + strlen ("signal "), NULL, 10);
      return number >= 1 && number <= 64 ? (int)number : 0;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (SIGNALS); i++)
    if (g_str_has_prefix (text, SIGNALS[i].name))
      return SIGNALS[i].number;
  return 0;
}

/* −1 is what execd says of a command that a signal ended. */
static void
set_code (AsbOpensandboxCommandEnd *self, gint64 code, const char *words)
{
  asb_opensandbox_command_end_clear (self);
  if (code >= 0 && code <= MAX_EXIT_STATUS)
    {
      self->has_exit_status = TRUE;
      self->exit_status = (int)code;
      return;
    }
  self->term_signal = words ? asb_opensandbox_command_end_parse_signal (words) : 0;
  self->message
      = words ? asb_opensandbox_error_dup_text (words, strlen (words), MAX_MESSAGE) : NULL;
}

GError *
asb_opensandbox_command_end_new_unheard (const AsbOpensandboxCommandEnd *self, const char *what)
{
  if (!self->has_exit_status || self->exit_status != ASB_OPENSANDBOX_COMMAND_UNHEARD)
    return NULL;
  return g_error_new (ASB_ERROR, ASB_ERROR_NO_SPACE,
                      "The %s was not started: there is no room in /tmp of the sandbox, where "
                      "execd keeps what commands print; make some there",
                      what);
}

void
asb_opensandbox_command_end_take (AsbOpensandboxCommandEnd *self, AsbOpensandboxEvent *event)
{
  const char *words = event->traceback ? event->traceback[0] : NULL;
  gint64 code;

  if (event->type == ASB_OPENSANDBOX_EVENT_COMPLETE)
    set_code (self, 0, NULL);
  if (event->type != ASB_OPENSANDBOX_EVENT_ERROR)
    return;
  if (g_ascii_string_to_signed (event->value, 10, G_MININT32, G_MAXINT32, &code, NULL))
    set_code (self, code, words);
  else
    set_code (self, -1, event->value);
}

gboolean
asb_opensandbox_command_end_parse_status (AsbOpensandboxCommandEnd *self, JsonObject *object,
                                          gboolean *running, GError **error)
{
  gint64 code = G_MININT64;
  const char *words;

  if (!asb_opensandbox_json_get_bool (object, "running", TRUE, running, error)
      || !asb_opensandbox_json_get_int (object, "exit_code", FALSE, &code, error)
      || !asb_opensandbox_json_get_string (object, "error", FALSE, &words, error))
    return FALSE;
  if (!*running && code != G_MININT64)
    set_code (self, code, words);
  return TRUE;
}
