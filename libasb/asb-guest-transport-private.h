/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the parts of the transport share. Each function of an operation has the shape of the virtual
 * function it is. */

#pragma once

#include "asb-guest-connection-private.h"
#include "asb-guest-transport.h"
#include "asb-transport.h"

/* Finished with asb_guest_transport_new_finish (). @reopening, what it holds is taken, may be NULL:
 * a connection that is lost does not come back then. @context is where the transport tells its
 * news. */
void asb_guest_transport_open_async (GIOStream *stream, const char *token,
                                     const AsbGuestReopening *reopening, GMainContext *context,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);

/* From now on it tells its news in @context: somebody else has it. Any thread. */
void asb_guest_transport_set_context (AsbGuestTransport *self, GMainContext *context);

AsbGuestConnection *asb_guest_transport_get_connection (AsbGuestTransport *self);

/* Before it is used: what ASB_CAPABILITY_GUEST says. Both may be NULL. */
void asb_guest_transport_set_way (AsbGuestTransport *self, const char *way, const char *reason);

/* Hands @call, which is taken, to the connection, or answers @task with @error, when @call is NULL.
 * The cancellable of @task cancels the call. */
void asb_guest_transport_submit (AsbTransport *transport, AsbGuestCall *call, GTask *task,
                                 GError *error);

/* Turns the result of a call into the answer of @task, which it gives unless it returns FALSE. */
typedef gboolean (*AsbGuestConvertFunc) (const json_t *result, GTask *task, GError **error);

/* A call whose result answers a task. @arguments is taken. */
AsbGuestCall *asb_guest_task_call_new (const char *name, json_t *arguments, AsbOperation *operation,
                                       GTask *task, AsbGuestConvertFunc convert, GError **error);

/* Commands. */
void asb_guest_start_command (AsbTransport *transport, AsbCommandSpec *spec, GTask *task);

void asb_guest_start_job (AsbTransport *transport, AsbCommandSpec *spec, const char *name,
                          GTask *task);

/* How many entries of a directory are gathered at most. Tests have less patience. */
extern guint asb_guest_max_entries;

/* Files. */
void asb_guest_query_file (AsbTransport *transport, AsbFileRequest *request, GTask *task);
void asb_guest_list_files (AsbTransport *transport, AsbFileRequest *request, GTask *task);
void asb_guest_read_file (AsbTransport *transport, AsbFileRequest *request, GTask *task);
void asb_guest_open_read (AsbTransport *transport, AsbFileRequest *request, GTask *task);
void asb_guest_write_file (AsbTransport *transport, AsbFileRequest *request, GTask *task);
void asb_guest_open_write (AsbTransport *transport, AsbFileRequest *request, GTask *task);
void asb_guest_make_directory (AsbTransport *transport, AsbFileRequest *request, GTask *task);
void asb_guest_delete_file (AsbTransport *transport, AsbFileRequest *request, GTask *task);
void asb_guest_move_file (AsbTransport *transport, AsbFileRequest *request, GTask *task);

void asb_guest_read_lines (AsbTransport *transport, AsbFileRequest *request, GTask *task);
void asb_guest_set_attributes (AsbTransport *transport, AsbFileRequest *request, GTask *task);
void asb_guest_edit_file (AsbTransport *transport, AsbFileEdit *edit, GTask *task);

/* Searches. */
void asb_guest_find_files (AsbTransport *transport, AsbFileSearch *search, GTask *task);
void asb_guest_search_text (AsbTransport *transport, AsbFileSearch *search, GTask *task);

/* Archives. */
void asb_guest_open_archive (AsbTransport *transport, AsbArchiveOptions *options, GTask *task);
void asb_guest_extract_archive (AsbTransport *transport, AsbArchiveOptions *options, GTask *task);

/* Anything else the guest can do. */
void asb_guest_call_service (AsbTransport *transport, const char *name, GVariant *arguments,
                             GTask *task);
void asb_guest_open_service (AsbTransport *transport, const char *name, GVariant *arguments,
                             GTask *task);
