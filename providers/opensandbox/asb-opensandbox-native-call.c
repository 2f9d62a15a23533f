/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-native-call.h"

#include <string.h>

#include "asb-opensandbox-native.h"

static void
call_free (gpointer data)
{
  AsbOpensandboxNativeCall *self = data;

  if (self->free_state && self->state)
    self->free_state (self->state);
  g_clear_object (&self->execd);
  g_clear_pointer (&self->contents, g_bytes_unref);
  g_free (self->path);
  g_free (self->new_path);
  g_free (self->expected_hash);
  g_free (self);
}

gboolean
asb_opensandbox_native_call_check_path (const char *path, GTask *task)
{
  g_auto (GStrv) segments = path ? g_strsplit (path, "/", -1) : NULL;

  if (path && *path == '/' && !g_strv_contains ((const char *const *)segments, ".."))
    return TRUE;
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "“%.256s” is no absolute path without “..”", path ? path : "");
  return FALSE;
}

/* “/a//b/./c/” is “/a/b/c”. */
char *
asb_opensandbox_native_call_clean (const char *path)
{
  g_auto (GStrv) segments = g_strsplit (path, "/", -1);
  g_autoptr (GString) cleaned = g_string_new (NULL);

  for (gsize i = 0; segments[i]; i++)
    if (*segments[i] && strcmp (segments[i], ".") != 0)
      g_string_append_printf (cleaned, "/%s", segments[i]);
  return g_strdup (cleaned->len > 0 ? cleaned->str : "/");
}

void
asb_opensandbox_native_call_run (AsbTransport *transport, AsbFileRequest *request, GTask *task,
                                 AsbOpensandboxTaskFunc function)
{
  const char *new_path = asb_file_request_get_new_path (request);
  GBytes *contents = asb_file_request_get_contents (request);
  AsbOpensandboxNativeCall *self;

  if (!asb_opensandbox_native_check (transport, task)
      || !asb_opensandbox_native_call_check_path (asb_file_request_get_path (request), task)
      || (new_path && !asb_opensandbox_native_call_check_path (new_path, task)))
    return;
  self = g_new0 (AsbOpensandboxNativeCall, 1);
  self->execd
      = g_object_ref (asb_opensandbox_native_get_execd (ASB_OPENSANDBOX_NATIVE (transport)));
  self->path = asb_opensandbox_native_call_clean (asb_file_request_get_path (request));
  self->new_path = new_path ? asb_opensandbox_native_call_clean (new_path) : NULL;
  self->expected_hash = g_strdup (asb_file_request_get_expected_hash (request));
  self->contents = contents ? g_bytes_ref (contents) : NULL;
  self->flags = asb_file_request_get_flags (request);
  self->mode = asb_file_request_get_mode (request);
  self->uid = asb_file_request_get_uid (request);
  self->gid = asb_file_request_get_gid (request);
  self->offset = asb_file_request_get_offset (request);
  self->length = asb_file_request_get_length (request);
  g_task_set_task_data (task, self, call_free);
  asb_opensandbox_thread_run (task, function);
}

AsbOpensandboxNativeCall *
asb_opensandbox_native_call_get (GTask *task)
{
  return g_task_get_task_data (task);
}

gboolean
asb_opensandbox_native_call_has (GTask *task, AsbFileFlags flag)
{
  return (asb_opensandbox_native_call_get (task)->flags & flag) != 0;
}

void
asb_opensandbox_native_call_script (GTask *task, const char *text, const char *const *arguments,
                                    const char *what, GAsyncReadyCallback callback)
{
  AsbOpensandboxNativeCall *self = asb_opensandbox_native_call_get (task);
  g_autofree char *words = asb_opensandbox_script_dup_what (what, self->path);

  asb_opensandbox_script_run_async (self->execd, text, arguments, words, NULL, callback,
                                    g_object_ref (task));
}

void
asb_opensandbox_native_call_ask (GTask *task, const char *text, const char *const *arguments,
                                 const char *what, GAsyncReadyCallback callback)
{
  AsbOpensandboxNativeCall *self = asb_opensandbox_native_call_get (task);
  g_autofree char *words = asb_opensandbox_script_dup_what (what, self->path);

  asb_opensandbox_script_ask_async (self->execd, text, arguments, words, NULL, callback,
                                    g_object_ref (task));
}

AsbOpensandboxScriptResult *
asb_opensandbox_native_call_finish (GTask *task, GAsyncResult *result)
{
  AsbOpensandboxNativeCall *self = asb_opensandbox_native_call_get (task);
  GError *error = NULL;
  AsbOpensandboxScriptResult *done
      = asb_opensandbox_script_run_finish_well (self->execd, result, NULL, &error);

  if (!done)
    g_task_return_error (task, error);
  return done;
}
