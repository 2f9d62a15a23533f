/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-command-private.h"

#include "asb-error.h"
#include "asb-guest-json-private.h"
#include "asb-resource-limits-private.h"
#include "asb-wire-json.h"
#include "asb-wire-variant-private.h"

#define MAX_ID_LENGTH 256
#define MAX_EXIT_CODE 255
#define MAX_SIGNAL 128

static gboolean
has_flag (AsbCommandSpec *spec, AsbCommandFlags flag)
{
  return (asb_command_spec_get_flags (spec) & flag) != 0;
}

gboolean
asb_guest_command_has_input (AsbCommandSpec *spec)
{
  return has_flag (spec, ASB_COMMAND_FLAGS_STDIN_PIPE);
}

gboolean
asb_guest_command_has_output (AsbCommandSpec *spec)
{
  return !has_flag (spec, ASB_COMMAND_FLAGS_STDOUT_SILENCE);
}

gboolean
asb_guest_command_has_errors (AsbCommandSpec *spec)
{
  return !asb_command_spec_get_tty (spec)
         && !has_flag (spec, ASB_COMMAND_FLAGS_STDERR_SILENCE | ASB_COMMAND_FLAGS_STDERR_MERGE);
}

static void
set_string (json_t *arguments, const char *name, const char *value)
{
  json_object_set_new (arguments, name, json_string (value));
}

static void
set_texts (json_t *arguments, const char *name, const char *const *texts)
{
  if (texts && texts[0])
    json_object_set_new (arguments, name, asb_guest_json_texts (texts));
}

static gboolean
set_program (json_t *arguments, AsbCommandSpec *spec, GError **error)
{
  const char *const *argv = asb_command_spec_get_argv (spec);
  const char *shell = asb_command_spec_get_shell (spec);
  gboolean has_argv = argv && argv[0];

  if (has_argv == (shell != NULL))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "A command needs either arguments or shell text");
      return FALSE;
    }
  if (has_argv)
    set_texts (arguments, "argv", argv);
  else
    json_object_set_new (arguments, "shell", asb_guest_json_text (shell));
  return TRUE;
}

static void
set_streams (json_t *arguments, AsbCommandSpec *spec)
{
  set_string (arguments, "stdin", asb_guest_command_has_input (spec) ? "stream" : "none");
  set_string (arguments, "stdout", asb_guest_command_has_output (spec) ? "stream" : "discard");
  if (asb_command_spec_get_tty (spec) || has_flag (spec, ASB_COMMAND_FLAGS_STDERR_MERGE))
    set_string (arguments, "stderr", "merge");
  else
    set_string (arguments, "stderr", asb_guest_command_has_errors (spec) ? "stream" : "discard");
}

/* Numbers only, which JSON can always hold. */
static void
set_limits (json_t *arguments, AsbResourceLimits *limits)
{
  g_autoptr (GVariant) described = g_variant_ref_sink (asb_resource_limits_to_variant (limits));

  if (g_variant_n_children (described) > 0)
    json_object_set_new (arguments, "limits", asb_wire_variant_to_json (described, NULL));
}

static void
set_user (json_t *arguments, AsbCommandSpec *spec)
{
  gint64 uid = asb_command_spec_get_uid (spec);
  gint64 gid = asb_command_spec_get_gid (spec);

  if (uid >= 0)
    json_object_set_new (arguments, "uid", json_integer (uid));
  if (gid >= 0)
    json_object_set_new (arguments, "gid", json_integer (gid));
}

static void
set_terminal (json_t *arguments, AsbCommandSpec *spec)
{
  if (!asb_command_spec_get_tty (spec))
    return;
  json_object_set_new (arguments, "pty",
                       json_pack ("{s:i, s:i}", "columns", asb_command_spec_get_columns (spec),
                                  "rows", asb_command_spec_get_rows (spec)));
}

json_t *
asb_guest_command_arguments (AsbCommandSpec *spec, GError **error)
{
  g_autoptr (json_t) arguments = json_object ();
  const char *cwd = asb_command_spec_get_cwd (spec);
  guint64 timeout_ms = asb_command_spec_get_timeout_ms (spec);

  if (!set_program (arguments, spec, error))
    return NULL;
  if (cwd)
    json_object_set_new (arguments, "cwd", asb_guest_json_text (cwd));
  set_texts (arguments, "env", asb_command_spec_get_environment (spec));
  set_texts (arguments, "unset_env", asb_command_spec_get_unset_environment (spec));
  set_streams (arguments, spec);
  if (timeout_ms > 0)
    json_object_set_new (arguments, "deadline_ms",
                         json_integer ((json_int_t)MIN (timeout_ms, ASB_WIRE_MAX_INTEGER)));
  if (asb_command_spec_get_limits (spec))
    set_limits (arguments, asb_command_spec_get_limits (spec));
  set_user (arguments, spec);
  set_terminal (arguments, spec);
  return g_steal_pointer (&arguments);
}

static gboolean
refuse (GError **error, const char *what)
{
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL, what);
  return FALSE;
}

/* Sets *@value to -1 for null. */
static gboolean
parse_number (const json_t *result, const char *name, gint64 minimum, gint64 maximum, gint64 *value,
              GError **error)
{
  *value = -1;
  return json_is_null (json_object_get (result, name))
         || asb_guest_json_get_integer (result, name, minimum, maximum, value, error);
}

static gboolean
parse_state (const json_t *result, gint64 exit_code, gint64 term_signal, AsbCommandState *state,
             GError **error)
{
  const char *reason;

  if (!asb_guest_json_get_string (result, "reason", G_MAXSIZE, &reason, error))
    return FALSE;
  if (g_str_equal (reason, "exited"))
    *state = exit_code == 0 ? ASB_COMMAND_STATE_SUCCEEDED : ASB_COMMAND_STATE_FAILED;
  else if (g_str_equal (reason, "signaled"))
    *state = ASB_COMMAND_STATE_FAILED;
  else if (g_str_equal (reason, "cancelled"))
    *state = ASB_COMMAND_STATE_CANCELLED;
  else if (g_str_equal (reason, "timeout"))
    *state = ASB_COMMAND_STATE_TIMEOUT;
  else if (g_str_equal (reason, "unknown"))
    *state = ASB_COMMAND_STATE_UNKNOWN;
  else
    return refuse (error, "“reason” is not one of its words");

  if (g_str_equal (reason, "exited") && exit_code < 0)
    return refuse (error, "a command has exited without an exit code");
  if (g_str_equal (reason, "signaled") && term_signal < 0)
    return refuse (error, "a command was ended by no signal");
  return exit_code < 0 || term_signal < 0
         || refuse (error, "a command has an exit code and a signal");
}

static gboolean
check_id (const json_t *result, const char *command_id, GError **error)
{
  const char *id;

  if (!asb_guest_json_get_string (result, "command_id", MAX_ID_LENGTH, &id, error))
    return FALSE;
  return g_str_equal (id, command_id) || refuse (error, "“command_id” is that of another command");
}

AsbCommandResult *
asb_guest_command_result_new (const json_t *result, const char *command_id,
                              const char *record_error, GError **error)
{
  g_autoptr (GDateTime) started_at = NULL;
  g_autoptr (GDateTime) ended_at = NULL;
  AsbCommandState state;
  gint64 exit_code;
  gint64 term_signal;
  gint64 duration;
  gint64 n_output;
  gint64 n_errors;

  if (!check_id (result, command_id, error)
      || !parse_number (result, "exit_code", 0, MAX_EXIT_CODE, &exit_code, error)
      || !parse_number (result, "signal", 1, MAX_SIGNAL, &term_signal, error)
      || !parse_state (result, exit_code, term_signal, &state, error)
      || !asb_guest_json_get_integer (result, "duration_ns", 0, ASB_WIRE_MAX_INTEGER, &duration,
                                      error)
      || !asb_guest_json_get_integer (result, "stdout_bytes", 0, ASB_WIRE_MAX_INTEGER, &n_output,
                                      error)
      || !asb_guest_json_get_integer (result, "stderr_bytes", 0, ASB_WIRE_MAX_INTEGER, &n_errors,
                                      error)
      || !asb_guest_json_get_time (result, "started_at", &started_at, error)
      || !asb_guest_json_get_time (result, "ended_at", &ended_at, error))
    return NULL;
  return g_object_new (ASB_TYPE_COMMAND_RESULT, "command-id", command_id, "state", state,
                       "has-exit-status", exit_code >= 0, "exit-status", (int)MAX (exit_code, 0),
                       "term-signal", (int)MAX (term_signal, 0), "stdout-total", (guint64)n_output,
                       "stderr-total", (guint64)n_errors, "exact", TRUE, "duration-us",
                       duration / 1000, "started-at", started_at, "ended-at", ended_at,
                       "record-error", record_error, NULL);
}
