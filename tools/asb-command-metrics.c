/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>

#include "tool-commands.h"
#include "tool-json.h"
#include "tool-message.h"
#include "tool-output.h"
#include "tool-sandbox.h"
#include "tool-text.h"

static struct
{
  gboolean watch;
  gboolean json;
} options;

static int
print_json (AsbSandboxMetrics *metrics)
{
  ToolJson *json = tool_json_new ();

  tool_json_begin_object (json, NULL);
  tool_json_add_double (json, "cpu_count", asb_sandbox_metrics_get_cpu_count (metrics));
  tool_json_add_double (json, "cpu_percent", asb_sandbox_metrics_get_cpu_percent (metrics));
  tool_json_add_integer (json, "memory_total",
                         (gint64)asb_sandbox_metrics_get_memory_total (metrics));
  tool_json_add_integer (json, "memory_used",
                         (gint64)asb_sandbox_metrics_get_memory_used (metrics));
  tool_json_add_time (json, "sampled_at", asb_sandbox_metrics_get_sampled_at (metrics));
  tool_json_end_object (json);
  return tool_json_print (json);
}

static int
print_text (AsbSandboxMetrics *metrics)
{
  g_autofree char *used = tool_text_dup_size (asb_sandbox_metrics_get_memory_used (metrics));
  g_autofree char *total = tool_text_dup_size (asb_sandbox_metrics_get_memory_total (metrics));
  g_autofree char *line = g_strdup_printf (
      "cpu %.1f%% of %g, memory %s of %s\n", asb_sandbox_metrics_get_cpu_percent (metrics),
      asb_sandbox_metrics_get_cpu_count (metrics), used, total);

  return tool_output_print (line, strlen (line));
}

static int
print (AsbSandboxMetrics *metrics)
{
  return options.json ? print_json (metrics) : print_text (metrics);
}

typedef struct
{
  AsbMetricsWatch *watch;
  int status;
} Show;

static void
sample_cb (AsbMetricsWatch *watch, AsbSandboxMetrics *metrics, gpointer user_data)
{
  Show *show = user_data;

  show->status = print (metrics);
  if (show->status != TOOL_EXIT_DONE)
    asb_metrics_watch_close (watch);
}

static void
interrupted_cb (GCancellable *cancellable, gpointer user_data)
{
  asb_metrics_watch_close (user_data);
}

/* To the end of the sandbox, or until asb is interrupted, which is how one stops looking. */
static int
follow (Tool *tool, AsbMetricsWatch *watch)
{
  Show show = { watch, TOOL_EXIT_DONE };
  g_autoptr (GError) error = NULL;
  gulong handler = g_signal_connect (watch, "sample", G_CALLBACK (sample_cb), &show);
  gulong interrupted
      = g_cancellable_connect (tool->cancellable, G_CALLBACK (interrupted_cb), watch, NULL);

  while (asb_metrics_watch_get_state (watch) == ASB_METRICS_WATCH_STATE_ACTIVE)
    g_main_context_iteration (NULL, TRUE);
  g_cancellable_disconnect (tool->cancellable, interrupted);
  g_signal_handler_disconnect (watch, handler);
  error = asb_metrics_watch_dup_error (watch);
  if (!error)
    return show.status;
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static int
run_watch (Tool *tool, const ToolSandbox *sandbox)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbMetricsWatch) watch = NULL;
  g_autoptr (GError) error = NULL;

  asb_provider_watch_metrics_async (sandbox->provider, tool_sandbox_get_id (sandbox->info),
                                    tool->cancellable, tool_wait_cb, &wait);
  watch = asb_provider_watch_metrics_finish (sandbox->provider, tool_wait (&wait), &error);
  if (watch)
    return follow (tool, watch);
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static int
run_once (Tool *tool, const ToolSandbox *sandbox)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbSandboxMetrics) metrics = NULL;
  g_autoptr (GError) error = NULL;

  asb_provider_get_metrics_async (sandbox->provider, tool_sandbox_get_id (sandbox->info),
                                  tool->cancellable, tool_wait_cb, &wait);
  metrics = asb_provider_get_metrics_finish (sandbox->provider, tool_wait (&wait), &error);
  if (metrics)
    return print (metrics);
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_autoptr (GError) error = NULL;

  if (tool_sandbox_find (tool, tool_parsed_get (parsed, 0), TOOL_SANDBOX_LIVE, &sandbox, &error))
    return options.watch ? run_watch (tool, &sandbox) : run_once (tool, &sandbox);
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static const ToolOption option_entries[] = {
  { "watch", '\0', TOOL_OPTION_FLAG, &options.watch, NULL,
    "goes on with a line for each sample, until the sandbox ends or asb is interrupted" },
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL,
    "prints JSON, for programs: sizes are bytes" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb metrics opensandbox:5f2c", "Prints what it uses now." },
  { "asb metrics --watch opensandbox:5f2c", "Goes on with it." },
  { NULL, NULL },
};

const ToolCommand tool_command_metrics = {
  .name = "metrics",
  .summary = "tell what a sandbox uses of processor and memory",
  .description
  = "Prints how much of its processors and its memory a sandbox uses, where the "
    "provider can tell. OpenSandbox measures in the sandbox, where many runtimes, such "
    "as Docker, show the whole machine: then these are the numbers of that.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
