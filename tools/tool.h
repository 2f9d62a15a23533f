/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every command of asb is given, and how it waits. */

#pragma once

#include <asb.h>

/* The exit statuses that have a meaning of their own; docs: the page asb(1). */
enum
{
  TOOL_EXIT_DONE = 0,
  TOOL_EXIT_FAILED = 1,
  TOOL_EXIT_USAGE = 2,
  TOOL_EXIT_TIMEOUT = 124,
  TOOL_EXIT_ASB = 125,
  TOOL_EXIT_NOT_EXECUTABLE = 126,
  TOOL_EXIT_NOT_FOUND = 127,
  TOOL_EXIT_SIGNAL = 128
};

#define TOOL_LOCAL_PROVIDER "local"

typedef struct
{
  GCancellable *cancellable; /* cancelled by the first signal */
  GHashTable *providers;     /* by name */
  gboolean forget_record;    /* removed sandboxes leave no record */
} Tool;

Tool *tool_new (void);
void tool_free (Tool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Tool, tool_free)

/* Makes the provider anew, with @settings, and keeps it under its name. */
AsbProvider *tool_set_up_provider (Tool *self, const char *name, GVariantDict *settings,
                                   GError **error);
/* Returns: (transfer none): the provider of that name, the same one each time */
AsbProvider *tool_get_provider (Tool *self, const char *name, GError **error);

/* One asynchronous call, waited for while the main loop turns: give tool_wait_cb() and the ToolWait
 * to the call, and tool_wait() to its finish function. */
typedef struct
{
  GAsyncResult *result;
} ToolWait;

void tool_wait_cb (GObject *source, GAsyncResult *result, gpointer user_data);
GAsyncResult *tool_wait (ToolWait *wait);
void tool_wait_clear (ToolWait *wait);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolWait, tool_wait_clear)
