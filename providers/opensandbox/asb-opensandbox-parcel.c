/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-parcel.h"

#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-shell.h"

#define BOUNDARY "asb-8f1d6c2e94b70a53"
#define TIMEOUT_MS (10 * 60 * 1000)

struct _AsbOpensandboxParcel
{
  char *path;
  char *temporary;
  GBytes *contents;
};

/* One sending of it, which its owner outlives. */
typedef struct
{
  AsbOpensandboxParcel *parcel;
  AsbOpensandboxExecd *execd;
  GCancellable *cancellable;
  gboolean is_repeated;
  GError *error;
} Sending;

static void
choose_name (AsbOpensandboxParcel *self)
{
  g_autofree char *token = asb_opensandbox_shell_new_token ();

  g_free (self->temporary);
  self->temporary = g_strconcat (self->path, ".", token, NULL);
}

AsbOpensandboxParcel *
asb_opensandbox_parcel_new (const char *path, GBytes *contents)
{
  AsbOpensandboxParcel *self = g_new0 (AsbOpensandboxParcel, 1);

  self->path = g_strdup (path);
  self->contents = g_bytes_ref (contents);
  choose_name (self);
  return self;
}

void
asb_opensandbox_parcel_free (AsbOpensandboxParcel *self)
{
  g_bytes_unref (self->contents);
  g_free (self->temporary);
  g_free (self->path);
  g_free (self);
}

const char *
asb_opensandbox_parcel_get_temporary (AsbOpensandboxParcel *self)
{
  return self->temporary;
}

static void
sending_free (gpointer data)
{
  Sending *sending = data;

  g_object_unref (sending->execd);
  g_clear_object (&sending->cancellable);
  g_clear_error (&sending->error);
  g_free (sending);
}

/* Deleting what may have arrived. */

static void
remove_it (AsbOpensandboxParcel *self, AsbOpensandboxExecd *execd, GAsyncReadyCallback callback,
           gpointer user_data)
{
  const char *arguments[] = { self->temporary, NULL };

  asb_opensandbox_script_run_async (execd, "rm -f \"$1\"\n", arguments, "delete what was uploaded",
                                    NULL, callback, user_data);
}

static void
discarded_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, NULL);
}

void
asb_opensandbox_parcel_discard (AsbOpensandboxParcel *self, AsbOpensandboxExecd *execd)
{
  remove_it (self, execd, discarded_cb, NULL);
}

/* Sending. */

static void send (GTask *task);

static void
removed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Sending *sending = g_task_get_task_data (task);
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, NULL);

  if (sending->is_repeated || g_cancellable_is_cancelled (sending->cancellable)
      || !asb_opensandbox_error_is_outcome_unknown (sending->error))
    {
      g_task_return_error (task, g_steal_pointer (&sending->error));
      return;
    }
  sending->is_repeated = TRUE;
  g_clear_error (&sending->error);
  choose_name (sending->parcel);
  send (task);
}

static void
sent_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Sending *sending = g_task_get_task_data (task);
  g_autoptr (AsbOpensandboxReply) reply = asb_opensandbox_client_send_finish (
      ASB_OPENSANDBOX_CLIENT (source), result, &sending->error);

  if (reply)
    g_task_return_boolean (task, TRUE);
  else if (g_error_matches (sending->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      /* Nobody waits for that. */
      asb_opensandbox_parcel_discard (sending->parcel, sending->execd);
      g_task_return_error (task, g_steal_pointer (&sending->error));
    }
  else
    /* It has made nothing but this file, which may fill the disk. */
    remove_it (sending->parcel, sending->execd, removed_cb, g_object_ref (task));
}

/* Two parts that belong together; the contents are not copied. */
static GInputStream *
new_body (AsbOpensandboxParcel *self, gsize *size)
{
  GInputStream *body = g_memory_input_stream_new ();
  g_autoptr (JsonObject) metadata = json_object_new ();
  g_autoptr (JsonNode) node = json_node_alloc ();
  g_autofree char *json = NULL;
  g_autofree char *head = NULL;
  static const char tail[] = "\r\n--" BOUNDARY "--\r\n";

  json_object_set_string_member (metadata, "path", self->temporary);
  /* Digits that look octal. Whoever is no owner has no business with half a file. */
  json_object_set_int_member (metadata, "mode", 600);
  json_node_init_object (node, metadata);
  json = json_to_string (node, FALSE);
  head = g_strdup_printf (
      "--" BOUNDARY "\r\n"
      "Content-Disposition: form-data; name=\"metadata\"; filename=\"metadata\"\r\n"
      "Content-Type: application/json\r\n\r\n%s\r\n--" BOUNDARY "\r\n"
      "Content-Disposition: form-data; name=\"file\"; filename=\"file\"\r\n"
      "Content-Type: application/octet-stream\r\n\r\n",
      json);
  *size = strlen (head) + g_bytes_get_size (self->contents) + strlen (tail);
  g_memory_input_stream_add_data (G_MEMORY_INPUT_STREAM (body), g_strdup (head),
                                  (gssize)strlen (head), g_free);
  g_memory_input_stream_add_bytes (G_MEMORY_INPUT_STREAM (body), self->contents);
  g_memory_input_stream_add_data (G_MEMORY_INPUT_STREAM (body), tail, (gssize)strlen (tail), NULL);
  return body;
}

static void
send (GTask *task)
{
  Sending *sending = g_task_get_task_data (task);
  gsize size;
  g_autoptr (GInputStream) body = new_body (sending->parcel, &size);
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_execd_new_request (
      sending->execd, "POST", "/files/upload", "put a file into the sandbox");

  asb_opensandbox_request_set_stream (request, "multipart/form-data; boundary=" BOUNDARY, body,
                                      (gint64)size);
  asb_opensandbox_request_set_timeout (request, TIMEOUT_MS);
  asb_opensandbox_request_set_once (request);
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (sending->execd), request,
                                     sending->cancellable, sent_cb, g_object_ref (task));
}

void
asb_opensandbox_parcel_send_async (AsbOpensandboxParcel *self, AsbOpensandboxExecd *execd,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  Sending *sending = g_new0 (Sending, 1);

  sending->parcel = self;
  sending->execd = g_object_ref (execd);
  g_set_object (&sending->cancellable, cancellable);
  g_task_set_source_tag (task, asb_opensandbox_parcel_send_async);
  g_task_set_task_data (task, sending, sending_free);
  send (task);
}

gboolean
asb_opensandbox_parcel_send_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
