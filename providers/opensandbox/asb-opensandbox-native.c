/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-native.h"

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-native-archive.h"
#include "asb-opensandbox-native-code.h"
#include "asb-opensandbox-native-files.h"
#include "asb-opensandbox-native-jobs.h"
#include "asb-opensandbox-native-session.h"
#include "asb-opensandbox-native-search.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-start.h"
#include "asb-opensandbox-terminal.h"
#include "asb-opensandbox-thread.h"

struct _AsbOpensandboxNative
{
  GObject parent_instance;

  AsbOpensandboxExecd *execd;
  gboolean has_terminals;
  char *no_guest;
  int is_closed; /* atomic */
};

enum
{
  PROP_0,
  PROP_STATE
};

static void asb_opensandbox_native_iface_init (AsbTransportInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbOpensandboxNative, asb_opensandbox_native, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_TRANSPORT,
                                                      asb_opensandbox_native_iface_init))

static AsbTransportState
asb_opensandbox_native_get_state (AsbTransport *transport)
{
  return g_atomic_int_get (&ASB_OPENSANDBOX_NATIVE (transport)->is_closed)
             ? ASB_TRANSPORT_STATE_CLOSED
             : ASB_TRANSPORT_STATE_CONNECTED;
}

static void
close_execd (gpointer data)
{
  g_autoptr (AsbOpensandboxExecd) execd = data;

  asb_opensandbox_execd_close (execd);
}

static void
asb_opensandbox_native_finalize (GObject *object)
{
  AsbOpensandboxNative *self = ASB_OPENSANDBOX_NATIVE (object);

  if (self->execd)
    asb_opensandbox_thread_post (close_execd, g_steal_pointer (&self->execd));
  g_free (self->no_guest);
  G_OBJECT_CLASS (asb_opensandbox_native_parent_class)->finalize (object);
}

static void
asb_opensandbox_native_get_property (GObject *object, guint property_id, GValue *value,
                                     GParamSpec *pspec)
{
  if (property_id == PROP_STATE)
    g_value_set_enum (value, (int)asb_opensandbox_native_get_state (ASB_TRANSPORT (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
}

static void
asb_opensandbox_native_class_init (AsbOpensandboxNativeClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_opensandbox_native_finalize;
  object_class->get_property = asb_opensandbox_native_get_property;
  g_object_class_override_property (object_class, PROP_STATE, "state");
}

static void
asb_opensandbox_native_init (AsbOpensandboxNative *self)
{
}

AsbOpensandboxExecd *
asb_opensandbox_native_get_execd (AsbOpensandboxNative *self)
{
  return self->execd;
}

static AsbCapabilities *
asb_opensandbox_native_get_capabilities (AsbTransport *transport)
{
  AsbOpensandboxNative *self = ASB_OPENSANDBOX_NATIVE (transport);

  return asb_opensandbox_native_list_capabilities (self->has_terminals, self->no_guest);
}

gboolean
asb_opensandbox_native_check (AsbTransport *transport, GTask *task)
{
  if (asb_opensandbox_native_get_state (transport) != ASB_TRANSPORT_STATE_CLOSED)
    return TRUE;
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_CLOSED, "The transport is closed");
  return FALSE;
}

/* Commands. */

static void
start_in_thread (GTask *task)
{
  AsbOpensandboxNative *self = g_task_get_source_object (task);
  AsbCommandSpec *spec = g_task_get_task_data (task);
  gboolean tty = asb_command_spec_get_tty (spec);
  gboolean input = (asb_command_spec_get_flags (spec) & ASB_COMMAND_FLAGS_STDIN_PIPE) != 0;

  if ((tty || input) && !self->has_terminals)
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                             "A command can be given no %s here: " ASB_OPENSANDBOX_NO_TERMINALS,
                             tty ? "terminal" : "standard input");
  else if (tty || input)
    asb_opensandbox_terminal_start (self->execd, spec, task);
  else
    asb_opensandbox_start_command (self->execd, spec, task);
}

static void
asb_opensandbox_native_start_command (AsbTransport *transport, AsbCommandSpec *spec, GTask *task)
{
  if (!asb_opensandbox_native_check (transport, task))
    return;
  g_task_set_task_data (task, g_object_ref (spec), g_object_unref);
  asb_opensandbox_thread_run (task, start_in_thread);
}

/* Jobs, and other calls by name. */

typedef struct
{
  AsbOpensandboxExecd *execd;
  AsbCommandSpec *spec;
  char *name;
  GVariant *arguments;
} NamedCall;

static void
named_call_free (gpointer data)
{
  NamedCall *call = data;

  g_clear_object (&call->execd);
  g_clear_object (&call->spec);
  g_clear_pointer (&call->arguments, g_variant_unref);
  g_free (call->name);
  g_free (call);
}

#define CALL_KEY "asb-opensandbox-call"

/* Takes its place beside the data of the task, which belongs to who answers. */
static void
run_call (AsbTransport *transport, AsbCommandSpec *spec, const char *name, GVariant *arguments,
          GTask *task, AsbOpensandboxTaskFunc function)
{
  NamedCall *call;

  if (!asb_opensandbox_native_check (transport, task))
    return;
  call = g_new0 (NamedCall, 1);
  call->execd = g_object_ref (ASB_OPENSANDBOX_NATIVE (transport)->execd);
  call->spec = spec ? g_object_ref (spec) : NULL;
  call->name = g_strdup (name);
  call->arguments = g_variant_ref_sink (arguments ? arguments : g_variant_new ("a{sv}", NULL));
  g_object_set_data_full (G_OBJECT (task), CALL_KEY, call, named_call_free);
  asb_opensandbox_thread_run (task, function);
}

static void
start_job_in_thread (GTask *task)
{
  NamedCall *call = g_object_get_data (G_OBJECT (task), CALL_KEY);

  if (asb_command_spec_get_tty (call->spec))
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                             "execd gives no terminal to a job");
  else
    asb_opensandbox_native_start_job (call->execd, call->spec, call->name, task);
}

static void
asb_opensandbox_native_start_job_vfunc (AsbTransport *transport, AsbCommandSpec *spec,
                                        const char *name, GTask *task)
{
  run_call (transport, spec, name, NULL, task, start_job_in_thread);
}

static void
refuse_call (GTask *task, const char *name)
{
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                           "The guest does not run here, and execd has no call “%.128s”", name);
}

static void
call_in_thread (GTask *task)
{
  NamedCall *call = g_object_get_data (G_OBJECT (task), CALL_KEY);

  if (!asb_opensandbox_native_call_job (call->execd, call->name, call->arguments, task)
      && !asb_opensandbox_native_call_code (call->execd, call->name, call->arguments, task)
      && !asb_opensandbox_native_call_session (call->execd, call->name, call->arguments, task))
    refuse_call (task, call->name);
}

static void
asb_opensandbox_native_call (AsbTransport *transport, const char *name, GVariant *arguments,
                             GTask *task)
{
  run_call (transport, NULL, name, arguments, task, call_in_thread);
}

static void
open_call_in_thread (GTask *task)
{
  NamedCall *call = g_object_get_data (G_OBJECT (task), CALL_KEY);

  if (g_str_equal (call->name, "job.output"))
    asb_opensandbox_native_open_job_output (call->execd, call->arguments, task);
  else
    refuse_call (task, call->name);
}

static void
asb_opensandbox_native_open_call (AsbTransport *transport, const char *name, GVariant *arguments,
                                  GTask *task)
{
  run_call (transport, NULL, name, arguments, task, open_call_in_thread);
}

/* Closing. */

static void
close_in_thread (GTask *task)
{
  AsbOpensandboxNative *self = g_task_get_source_object (task);

  asb_opensandbox_execd_close (self->execd);
  asb_opensandbox_execd_wait (self->execd, task);
}

static void
asb_opensandbox_native_close (AsbTransport *transport, GTask *task)
{
  AsbOpensandboxNative *self = ASB_OPENSANDBOX_NATIVE (transport);

  if (!g_atomic_int_compare_and_exchange (&self->is_closed, FALSE, TRUE))
    {
      g_task_return_boolean (task, TRUE);
      return;
    }
  g_object_notify (G_OBJECT (self), "state");
  asb_opensandbox_thread_run (task, close_in_thread);
}

static void
asb_opensandbox_native_iface_init (AsbTransportInterface *iface)
{
  iface->get_capabilities = asb_opensandbox_native_get_capabilities;
  iface->get_state = asb_opensandbox_native_get_state;
  iface->start_command = asb_opensandbox_native_start_command;
  iface->start_job = asb_opensandbox_native_start_job_vfunc;
  iface->call = asb_opensandbox_native_call;
  iface->open_call = asb_opensandbox_native_open_call;
  iface->close = asb_opensandbox_native_close;
  iface->open_archive = asb_opensandbox_native_open_archive;
  iface->extract_archive = asb_opensandbox_native_extract_archive;
  iface->find_files = asb_opensandbox_native_find_files;
  iface->search_text = asb_opensandbox_native_search_text;
  asb_opensandbox_native_files_init (iface);
}

/* Opening. */

typedef struct
{
  AsbOpensandboxExecd *execd;
  char *no_guest;
  gboolean has_bash;
} Opening;

static void
opening_free (gpointer data)
{
  Opening *opening = data;

  g_clear_object (&opening->execd);
  g_free (opening->no_guest);
  g_free (opening);
}

/* An execd that knows terminals says in JSON that it knows no such one. */
static void
terminal_asked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Opening *opening = g_task_get_task_data (task);
  AsbOpensandboxNative *self = g_object_new (ASB_TYPE_OPENSANDBOX_NATIVE, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  self->execd = g_object_ref (opening->execd);
  self->no_guest = g_strdup (opening->no_guest);
  self->has_terminals = opening->has_bash && error
                        && !asb_opensandbox_error_is_unknown_route (error)
                        && asb_opensandbox_error_get_status (error) == SOUP_STATUS_NOT_FOUND;
  g_task_return_pointer (task, self, g_object_unref);
}

static void
looked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Opening *opening = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (opening->execd, result, &error);
  g_autoptr (AsbOpensandboxRequest) request = NULL;

  if (!done)
    {
      g_task_return_error (task, g_steal_pointer (&error));
      return;
    }
  opening->has_bash = done->exit_status == 0;
  request
      = asb_opensandbox_execd_new_request (opening->execd, "GET", "/pty/none", "ask for terminals");
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (opening->execd), request,
                                     g_task_get_cancellable (task), terminal_asked_cb,
                                     g_object_ref (task));
}

void
asb_opensandbox_native_open_async (AsbOpensandboxClient *client, AsbOpensandboxEndpoint *endpoint,
                                   const char *no_guest, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (client, cancellable, callback, user_data);
  const char *const arguments[] = { NULL };
  Opening *opening = g_new0 (Opening, 1);

  g_task_set_source_tag (task, asb_opensandbox_native_open_async);
  g_task_set_task_data (task, opening, opening_free);
  opening->execd = asb_opensandbox_execd_new (client, endpoint);
  opening->no_guest = g_strdup (no_guest);
  asb_opensandbox_script_ask_async (opening->execd, "command -v bash >/dev/null", arguments,
                                    "look at the sandbox", cancellable, looked_cb, task);
}

AsbTransport *
asb_opensandbox_native_open_finish (AsbOpensandboxClient *client, GAsyncResult *result,
                                    GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, client), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
