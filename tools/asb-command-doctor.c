/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-json.h"
#include "tool-message.h"
#include "tool-server.h"
#include "tool-output.h"
#include "tool-sandbox.h"
#include "tool-text.h"

#define STATE_WIDTH 8
#define NAME_WIDTH 18

typedef enum
{
  STATE_OK,
  STATE_WARNING,
  STATE_FAILURE
} State;

typedef struct
{
  char *name;
  State state;
  char *message;
  char *cure; /* may be NULL */
} Finding;

static const char *const state_names[] = { "ok", "warning", "failure" };

static struct
{
  gboolean json;
  const char *provider;
} options;

static void
finding_free (gpointer data)
{
  Finding *finding = data;

  g_free (finding->name);
  g_free (finding->message);
  g_free (finding->cure);
  g_free (finding);
}

static void
add (GPtrArray *findings, const char *name, State state, const char *message, const char *cure)
{
  Finding *finding = g_new0 (Finding, 1);

  finding->name = g_strdup (name);
  finding->state = state;
  finding->message = g_strdup (message);
  finding->cure = g_strdup (cure);
  g_ptr_array_add (findings, finding);
}

/* What a provider calls otherwise than “ok” and “warning” is a failure. */
static State
parse_state (const char *word)
{
  for (guint state = 0; state < G_N_ELEMENTS (state_names); state++)
    if (g_strcmp0 (state_names[state], word) == 0)
      return (State)state;
  return STATE_FAILURE;
}

static void
add_from (GPtrArray *findings, GVariant *told)
{
  GVariantIter iter;
  GVariant *dictionary;

  g_variant_iter_init (&iter, told);
  while ((dictionary = g_variant_iter_next_value (&iter)))
    {
      const char *name = "";
      const char *state = NULL;
      const char *message = "";
      const char *cure = NULL;

      g_variant_lookup (dictionary, "name", "&s", &name);
      g_variant_lookup (dictionary, "state", "&s", &state);
      g_variant_lookup (dictionary, "message", "&s", &message);
      g_variant_lookup (dictionary, "cure", "&s", &cure);
      add (findings, name, parse_state (state), message, cure);
      g_variant_unref (dictionary);
    }
}

static void
ask_provider (Tool *tool, GPtrArray *findings, const char *name)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) told = NULL;
  AsbProvider *provider = tool_get_provider (tool, name, &error);

  if (provider)
    {
      asb_provider_diagnose_async (provider, tool->cancellable, tool_wait_cb, &wait);
      told = asb_provider_diagnose_finish (provider, tool_wait (&wait), &error);
    }
  if (told)
    add_from (findings, told);
  else if (provider && g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY))
    add (findings, "provider", STATE_OK, "is there, and has nothing to look at", NULL);
  else
    add (findings, "provider", STATE_FAILURE, error->message, NULL);
}

static void
look_at_stores (GPtrArray *findings)
{
  static const char *const names[] = { "sandbox", "none", "memory" };
  g_autoptr (GString) found = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbHistoryStore) store
          = asb_registry_create_history_store (asb_registry_get_default (), names[i], NULL, &error);

      if (store)
        g_string_append_printf (found, "%s%s", found->len > 0 ? ", " : "", names[i]);
      else
        add (findings, "history stores", STATE_FAILURE, error->message,
             "install all of libasb, or set ASB_MODULE_PATH");
    }
  if (found->len > 0)
    add (findings, "history stores", STATE_OK, found->str, NULL);
}

static gboolean
work (Tool *tool, GError **error)
{
  g_autoptr (AsbBackendOptions) backend_options = asb_backend_options_new ();
  g_autoptr (AsbHistoryConfig) history = asb_history_config_new ();
  const char *argv[] = { "true", NULL };
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (AsbBackend) backend = NULL;
  g_auto (ToolWait) wait = { 0 };

  asb_history_config_set_mode (history, ASB_HISTORY_MODE_SANDBOX);
  asb_backend_options_set_history (backend_options, history);
  backend = tool_sandbox_create (tool, backend_options, NULL, error);
  if (!backend)
    return FALSE;
  asb_backend_execute_async (backend, spec, tool->cancellable, tool_wait_cb, &wait);
  result = asb_backend_execute_finish (backend, tool_wait (&wait), error);
  tool_backend_close (backend);
  return result != NULL;
}

/* A start that cannot be recorded is refused, so one that ran has its record. */
static void
try_to_work (Tool *tool, GPtrArray *findings)
{
  const gint64 start = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;
  g_autofree char *message = NULL;

  if (!work (tool, &error))
    {
      add (findings, "command, recorded", STATE_FAILURE, error->message, NULL);
      return;
    }
  message = g_strdup_printf ("run in a new sandbox in %.0f ms",
                             (double)(g_get_monotonic_time () - start) / 1000);
  add (findings, "command, recorded", STATE_OK, message, NULL);
}

static guint
count (GPtrArray *findings, State state)
{
  guint n = 0;

  for (guint i = 0; i < findings->len; i++)
    n += ((Finding *)findings->pdata[i])->state == state;
  return n;
}

static int
print_json (GPtrArray *findings)
{
  ToolJson *json = tool_json_new ();

  tool_json_begin_object (json, NULL);
  tool_json_add_text (json, "version", asb_get_version ());
  tool_json_add_boolean (json, "works", count (findings, STATE_FAILURE) == 0);
  tool_json_begin_array (json, "findings");
  for (guint i = 0; i < findings->len; i++)
    {
      const Finding *finding = findings->pdata[i];

      tool_json_begin_object (json, NULL);
      tool_json_add_text (json, "name", finding->name);
      tool_json_add_text (json, "state", state_names[finding->state]);
      tool_json_add_text (json, "message", finding->message);
      tool_json_add_text (json, "cure", finding->cure);
      tool_json_end_object (json);
    }
  tool_json_end_array (json);
  tool_json_end_object (json);
  return tool_json_print (json);
}

static int
print_text (GPtrArray *findings)
{
  const guint n_failures = count (findings, STATE_FAILURE);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < findings->len; i++)
    {
      const Finding *finding = findings->pdata[i];
      g_autofree char *name = tool_text_dup_printable (finding->name, -1);
      g_autofree char *message = tool_text_dup_printable (finding->message, -1);
      g_autofree char *cure = finding->cure ? tool_text_dup_printable (finding->cure, -1) : NULL;

      g_string_append_printf (text, "%-*s %-*s %s\n", STATE_WIDTH, state_names[finding->state],
                              NAME_WIDTH, name, message);
      if (cure)
        g_string_append_printf (text, "%*s try: %s\n", STATE_WIDTH + 1 + NAME_WIDTH, "", cure);
    }
  if (n_failures > 0)
    g_string_append_printf (text, "\nasb does not work here: %u failure%s\n", n_failures,
                            n_failures > 1 ? "s" : "");
  else
    g_string_append (text, "\nasb works here\n");
  return tool_output_print (text->str, text->len);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  const char *provider = options.provider ? options.provider : tool_server_get_default_provider ();
  g_autoptr (GPtrArray) findings = g_ptr_array_new_with_free_func (finding_free);
  int status;

  tool->forget_record = TRUE;
  ask_provider (tool, findings, provider);
  look_at_stores (findings);
  if (g_str_equal (provider, TOOL_LOCAL_PROVIDER) && count (findings, STATE_FAILURE) == 0)
    try_to_work (tool, findings);
  status = options.json ? print_json (findings) : print_text (findings);
  return status == TOOL_EXIT_DONE && count (findings, STATE_FAILURE) > 0 ? TOOL_EXIT_FAILED
                                                                         : status;
}

static const ToolOption option_entries[] = {
  { "provider", '\0', TOOL_OPTION_TEXT, &options.provider, "NAME",
    "looks at this provider; local if not given", TOOL_COMPLETE_PROVIDER },
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb doctor", "Tells what is missing on this machine, and what helps." },
  { "asb doctor --json | jq .works", "The same, for a program." },
  { NULL, NULL },
};

const ToolCommand tool_command_doctor = {
  .name = "doctor",
  .summary = "look whether sandboxes can be made here",
  .description = "Looks at all that sandboxes on this machine need, makes one and runs a command "
                 "in it. Each line "
                 "says ok, warning or failure, and what helps. Warnings are of what works, but is "
                 "weaker than it "
                 "could be. Nothing is left behind.\n\n"
                 "The exit status is 1 if there is a failure.",
  .options = option_entries,
  .examples = examples,
  .run = run,
};
