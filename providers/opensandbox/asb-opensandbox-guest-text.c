/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-guest-text.h"

#include <asb.h>
#include <sys/mman.h>
#include <unistd.h>

#include "glob.h"
#include "text-search.h"

struct _AsbOpensandboxGlob
{
  Glob *glob;
};

struct _AsbOpensandboxText
{
  TextPattern *pattern;
};

typedef struct
{
  const AsbOpensandboxTextHandlers *handlers;
  gpointer data;
} Telling;

static void
take_failure (Failure *failure, GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "%s",
               failure->code ? failure->message : "Memory is short");
  failure_clear (failure);
}

AsbOpensandboxGlob *
asb_opensandbox_glob_new (const char *pattern, gboolean ignore_case, GError **error)
{
  Failure failure = { 0 };
  Glob *glob = glob_new (pattern, ignore_case, &failure);
  AsbOpensandboxGlob *self;

  if (!glob)
    {
      take_failure (&failure, error);
      return NULL;
    }
  self = g_new0 (AsbOpensandboxGlob, 1);
  self->glob = glob;
  return self;
}

void
asb_opensandbox_glob_free (AsbOpensandboxGlob *self)
{
  glob_free (self->glob);
  g_free (self);
}

gboolean
asb_opensandbox_glob_match (AsbOpensandboxGlob *self, const char *relative, gboolean is_directory)
{
  return glob_match (self->glob, relative).matches
         && (is_directory || !glob_wants_directory (self->glob));
}

AsbOpensandboxText *
asb_opensandbox_text_new (const char *text, gboolean regex, gboolean ignore_case, GError **error)
{
  TextPatternOptions options = { .regex = regex, .ignore_case = ignore_case };
  Failure failure = { 0 };
  TextPattern *pattern = text_pattern_new (text, options, &failure);
  AsbOpensandboxText *self;

  if (!pattern)
    {
      take_failure (&failure, error);
      return NULL;
    }
  self = g_new0 (AsbOpensandboxText, 1);
  self->pattern = pattern;
  return self;
}

void
asb_opensandbox_text_free (AsbOpensandboxText *self)
{
  text_pattern_free (self->pattern);
  g_free (self);
}

static bool
claim (void *data)
{
  Telling *telling = data;

  return telling->handlers->claim (telling->data);
}

static bool
tell (void *data, const TextLine *line)
{
  Telling *telling = data;
  AsbOpensandboxTextLine told
      = { (guint64)line->number, line->column, line->from, line->bytes, line->size,
          line->truncated,       line->context };

  telling->handlers->tell (&told, telling->data);
  return true;
}

static bool
goes_on (void *data)
{
  Telling *telling = data;

  return telling->handlers->goes_on (telling->data);
}

static void
gave_up (void *data)
{
  Telling *telling = data;

  telling->handlers->gave_up (telling->data);
}

/* A file of its own in memory, to be read from its beginning; −1 when there can be none. */
static int
open_bytes (const guint8 *bytes, gsize size)
{
  int fd = memfd_create ("asb-search", MFD_CLOEXEC);

  while (fd >= 0 && size > 0)
    {
      gssize n = write (fd, bytes, size);

      if (n <= 0)
        {
          close (fd);
          return -1;
        }
      bytes += n;
      size -= (gsize)n;
    }
  if (fd >= 0)
    lseek (fd, 0, SEEK_SET);
  return fd;
}

AsbOpensandboxTextOutcome
asb_opensandbox_text_search (AsbOpensandboxText *self, const guint8 *bytes, gsize size,
                             guint context_lines, const AsbOpensandboxTextHandlers *handlers,
                             gpointer data)
{
  Telling telling = { handlers, data };
  TextSearch search = { .pattern = self->pattern,
                        .context_lines = context_lines,
                        .claim = claim,
                        .tell = tell,
                        .goes_on = goes_on,
                        .gave_up = gave_up,
                        .data = &telling };
  TextSearchOutcome outcome;
  int fd = open_bytes (bytes, size);

  if (fd < 0)
    return ASB_OPENSANDBOX_TEXT_FAILED;
  outcome = text_search (&search, fd);
  close (fd);
  switch (outcome)
    {
    case TEXT_SEARCH_DONE:
      return ASB_OPENSANDBOX_TEXT_DONE;
    case TEXT_SEARCH_BINARY:
      return ASB_OPENSANDBOX_TEXT_BINARY;
    case TEXT_SEARCH_ENDED:
      return ASB_OPENSANDBOX_TEXT_ENDED;
    default:
      return ASB_OPENSANDBOX_TEXT_FAILED;
    }
}
