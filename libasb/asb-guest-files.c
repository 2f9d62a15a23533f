/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-transport-private.h"

#include "asb-call-private.h"
#include "asb-error.h"
#include "asb-guest-file-private.h"
#include "asb-guest-json-private.h"

/* The operations on files whose result is all there is. */

typedef json_t *(*ArgumentsFunc) (AsbFileRequest *request, GError **error);

static AsbGuestCall *
call_new (const char *name, AsbFileRequest *request, ArgumentsFunc make_arguments, GTask *task,
          AsbGuestConvertFunc convert, GError **error)
{
  json_t *arguments = make_arguments (request, error);
  AsbGuestCall *call = NULL;

  if (arguments)
    call = asb_guest_task_call_new (name, arguments, asb_file_request_get_operation (request), task,
                                    convert, error);
  if (call)
    asb_guest_call_set_subject (call, request);
  return call;
}

static void
start (AsbTransport *transport, const char *name, AsbFileRequest *request,
       ArgumentsFunc make_arguments, GTask *task, AsbGuestConvertFunc convert)
{
  GError *error = NULL;
  AsbGuestCall *call = call_new (name, request, make_arguments, task, convert, &error);

  asb_guest_transport_submit (transport, call, task, error);
}

static gboolean
return_entry (const json_t *result, const json_t *hashes, GTask *task, GError **error)
{
  const json_t *entry;
  AsbFileInfo *info;

  if (!asb_guest_json_get_object (result, "entry", &entry, error))
    return FALSE;
  info = asb_guest_file_info_new (entry, ASB_GUEST_ENTRY_ALONE, hashes, error);
  if (!info)
    return FALSE;
  asb_task_return_object (task, info);
  return TRUE;
}

static gboolean
convert_stat (const json_t *result, GTask *task, GError **error)
{
  return return_entry (result, NULL, task, error);
}

void
asb_guest_query_file (AsbTransport *transport, AsbFileRequest *request, GTask *task)
{
  start (transport, "file.stat", request, asb_guest_file_stat_arguments, task, convert_stat);
}

void
asb_guest_set_attributes (AsbTransport *transport, AsbFileRequest *request, GTask *task)
{
  start (transport, "file.set_attributes", request, asb_guest_file_attributes_arguments, task,
         convert_stat);
}

static gboolean
convert_write (const json_t *result, GTask *task, GError **error)
{
  const char *hash;

  return asb_guest_json_get_hash (result, "hash", &hash, error)
         && return_entry (result, result, task, error);
}

void
asb_guest_write_file (AsbTransport *transport, AsbFileRequest *request, GTask *task)
{
  g_autoptr (GBytes) nothing = g_bytes_new_static ("", 0);
  GBytes *contents = asb_file_request_get_contents (request);
  GError *error = NULL;
  AsbGuestCall *call = call_new ("file.write", request, asb_guest_file_write_arguments, task,
                                 convert_write, &error);

  if (call)
    asb_guest_call_set_input (call, contents ? contents : nothing);
  asb_guest_transport_submit (transport, call, task, error);
}

static json_t *
edit_arguments (AsbFileEdit *edit, GError **error)
{
  const char *path = asb_file_edit_get_path (edit);
  const char *old_text = asb_file_edit_get_old_text (edit);
  const char *new_text = asb_file_edit_get_new_text (edit);
  const char *expected_hash = asb_file_edit_get_expected_hash (edit);
  guint expected_count = asb_file_edit_get_expected_count (edit);
  json_t *arguments;

  if (!path || !old_text || !new_text)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "The edit lacks a path or a text");
      return NULL;
    }
  arguments = json_pack ("{s:o, s:o, s:o, s:b}", "path", asb_guest_json_text (path), "old",
                         asb_guest_json_text (old_text), "new", asb_guest_json_text (new_text),
                         "replace_all", asb_file_edit_get_replace_all (edit));
  if (expected_count > 0)
    json_object_set_new (arguments, "expected_count", json_integer (expected_count));
  if (expected_hash)
    json_object_set_new (arguments, "expected_hash", asb_guest_json_text (expected_hash));
  return arguments;
}

void
asb_guest_edit_file (AsbTransport *transport, AsbFileEdit *edit, GTask *task)
{
  GError *error = NULL;
  json_t *arguments = edit_arguments (edit, &error);
  AsbGuestCall *call = NULL;

  if (arguments)
    call = asb_guest_task_call_new ("file.edit", arguments, asb_file_edit_get_operation (edit),
                                    task, convert_write, &error);
  if (call)
    asb_guest_call_set_subject (call, edit);
  asb_guest_transport_submit (transport, call, task, error);
}

static gboolean
convert_mkdir (const json_t *result, GTask *task, GError **error)
{
  gboolean created;

  if (!asb_guest_json_get_boolean (result, "created", &created, error))
    return FALSE;
  g_task_return_boolean (task, created);
  return TRUE;
}

void
asb_guest_make_directory (AsbTransport *transport, AsbFileRequest *request, GTask *task)
{
  start (transport, "file.mkdir", request, asb_guest_file_mkdir_arguments, task, convert_mkdir);
}

static gboolean
convert_done (const json_t *result, GTask *task, GError **error)
{
  g_task_return_boolean (task, TRUE);
  return TRUE;
}

void
asb_guest_delete_file (AsbTransport *transport, AsbFileRequest *request, GTask *task)
{
  start (transport, "file.delete", request, asb_guest_file_delete_arguments, task, convert_done);
}

void
asb_guest_move_file (AsbTransport *transport, AsbFileRequest *request, GTask *task)
{
  start (transport, "file.move", request, asb_guest_file_move_arguments, task, convert_done);
}
