/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>
#include "asb-archive-options.h"
#include "asb-capabilities.h"
#include "asb-command-spec.h"
#include "asb-enums.h"
#include "asb-file-edit.h"
#include "asb-file-info.h"
#include "asb-file-request.h"
#include "asb-file-search.h"
#include "asb-line-window.h"
#include "asb-process.h"
#include "asb-search-result.h"
#include "asb-text-match.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_TRANSPORT (asb_transport_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_INTERFACE (AsbTransport, asb_transport, ASB, TRANSPORT, GObject)

struct _AsbTransportInterface
{
  GTypeInterface g_iface;

  /*< public >*/
  AsbCapabilities *(*get_capabilities) (AsbTransport *self);
  AsbTransportState (*get_state) (AsbTransport *self);
  void (*start_command) (AsbTransport *self, AsbCommandSpec *spec, GTask *task);
  void (*query_file) (AsbTransport *self, AsbFileRequest *request, GTask *task);
  void (*list_files) (AsbTransport *self, AsbFileRequest *request, GTask *task);
  void (*read_file) (AsbTransport *self, AsbFileRequest *request, GTask *task);
  void (*open_read) (AsbTransport *self, AsbFileRequest *request, GTask *task);
  void (*write_file) (AsbTransport *self, AsbFileRequest *request, GTask *task);
  void (*open_write) (AsbTransport *self, AsbFileRequest *request, GTask *task);
  void (*make_directory) (AsbTransport *self, AsbFileRequest *request, GTask *task);
  void (*delete_file) (AsbTransport *self, AsbFileRequest *request, GTask *task);
  void (*move_file) (AsbTransport *self, AsbFileRequest *request, GTask *task);
  void (*edit_file) (AsbTransport *self, AsbFileEdit *edit, GTask *task);
  void (*read_lines) (AsbTransport *self, AsbFileRequest *request, GTask *task);
  void (*set_attributes) (AsbTransport *self, AsbFileRequest *request, GTask *task);
  void (*find_files) (AsbTransport *self, AsbFileSearch *search, GTask *task);
  void (*search_text) (AsbTransport *self, AsbFileSearch *search, GTask *task);
  void (*open_archive) (AsbTransport *self, AsbArchiveOptions *options, GTask *task);
  void (*extract_archive) (AsbTransport *self, AsbArchiveOptions *options, GTask *task);
  void (*call) (AsbTransport *self, const char *name, GVariant *arguments, GTask *task);
  void (*open_call) (AsbTransport *self, const char *name, GVariant *arguments, GTask *task);
  void (*start_job) (AsbTransport *self, AsbCommandSpec *spec, const char *name, GTask *task);
  void (*close) (AsbTransport *self, GTask *task);

  /*< private >*/
  gpointer _reserved[16];
};

ASB_AVAILABLE_IN_1_0
AsbCapabilities *asb_transport_get_capabilities (AsbTransport *self) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
AsbTransportState asb_transport_get_state (AsbTransport *self);

ASB_AVAILABLE_IN_1_0
AsbProcess *asb_transport_start_command (AsbTransport *self, AsbCommandSpec *spec,
                                         GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_start_command_async (AsbTransport *self, AsbCommandSpec *spec,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbProcess *asb_transport_start_command_finish (AsbTransport *self, GAsyncResult *result,
                                                GError **error);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_transport_query_file (AsbTransport *self, AsbFileRequest *request,
                                       GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_query_file_async (AsbTransport *self, AsbFileRequest *request,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_transport_query_file_finish (AsbTransport *self, GAsyncResult *result,
                                              GError **error);
ASB_AVAILABLE_IN_1_0
GListModel *asb_transport_list_files (AsbTransport *self, AsbFileRequest *request,
                                      GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_list_files_async (AsbTransport *self, AsbFileRequest *request,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
ASB_AVAILABLE_IN_1_0
GListModel *asb_transport_list_files_finish (AsbTransport *self, GAsyncResult *result,
                                             GError **error);
ASB_AVAILABLE_IN_1_0
GBytes *asb_transport_read_file (AsbTransport *self, AsbFileRequest *request,
                                 GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_read_file_async (AsbTransport *self, AsbFileRequest *request,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data);
ASB_AVAILABLE_IN_1_0
GBytes *asb_transport_read_file_finish (AsbTransport *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_transport_open_read (AsbTransport *self, AsbFileRequest *request,
                                       GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_open_read_async (AsbTransport *self, AsbFileRequest *request,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_transport_open_read_finish (AsbTransport *self, GAsyncResult *result,
                                              GError **error);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_transport_write_file (AsbTransport *self, AsbFileRequest *request,
                                       GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_write_file_async (AsbTransport *self, AsbFileRequest *request,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_transport_write_file_finish (AsbTransport *self, GAsyncResult *result,
                                              GError **error);
ASB_AVAILABLE_IN_1_0
GOutputStream *asb_transport_open_write (AsbTransport *self, AsbFileRequest *request,
                                         GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_open_write_async (AsbTransport *self, AsbFileRequest *request,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
ASB_AVAILABLE_IN_1_0
GOutputStream *asb_transport_open_write_finish (AsbTransport *self, GAsyncResult *result,
                                                GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_transport_make_directory (AsbTransport *self, AsbFileRequest *request,
                                       GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_make_directory_async (AsbTransport *self, AsbFileRequest *request,
                                         GCancellable *cancellable, GAsyncReadyCallback callback,
                                         gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_transport_make_directory_finish (AsbTransport *self, GAsyncResult *result,
                                              GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_transport_delete_file (AsbTransport *self, AsbFileRequest *request,
                                    GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_delete_file_async (AsbTransport *self, AsbFileRequest *request,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_transport_delete_file_finish (AsbTransport *self, GAsyncResult *result,
                                           GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_transport_move_file (AsbTransport *self, AsbFileRequest *request,
                                  GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_move_file_async (AsbTransport *self, AsbFileRequest *request,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_transport_move_file_finish (AsbTransport *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_transport_edit_file (AsbTransport *self, AsbFileEdit *edit,
                                      GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_edit_file_async (AsbTransport *self, AsbFileEdit *edit,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_transport_edit_file_finish (AsbTransport *self, GAsyncResult *result,
                                             GError **error);
ASB_AVAILABLE_IN_1_0
AsbLineWindow *asb_transport_read_lines (AsbTransport *self, AsbFileRequest *request,
                                         GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_read_lines_async (AsbTransport *self, AsbFileRequest *request,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbLineWindow *asb_transport_read_lines_finish (AsbTransport *self, GAsyncResult *result,
                                                GError **error);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_transport_set_attributes (AsbTransport *self, AsbFileRequest *request,
                                           GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_set_attributes_async (AsbTransport *self, AsbFileRequest *request,
                                         GCancellable *cancellable, GAsyncReadyCallback callback,
                                         gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbFileInfo *asb_transport_set_attributes_finish (AsbTransport *self, GAsyncResult *result,
                                                  GError **error);
ASB_AVAILABLE_IN_1_0
AsbSearchResult *asb_transport_find_files (AsbTransport *self, AsbFileSearch *search,
                                           GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_find_files_async (AsbTransport *self, AsbFileSearch *search,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSearchResult *asb_transport_find_files_finish (AsbTransport *self, GAsyncResult *result,
                                                  GError **error);
ASB_AVAILABLE_IN_1_0
AsbSearchResult *asb_transport_search_text (AsbTransport *self, AsbFileSearch *search,
                                            GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_search_text_async (AsbTransport *self, AsbFileSearch *search,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbSearchResult *asb_transport_search_text_finish (AsbTransport *self, GAsyncResult *result,
                                                   GError **error);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_transport_open_archive (AsbTransport *self, AsbArchiveOptions *options,
                                          GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_open_archive_async (AsbTransport *self, AsbArchiveOptions *options,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer user_data);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_transport_open_archive_finish (AsbTransport *self, GAsyncResult *result,
                                                 GError **error);
ASB_AVAILABLE_IN_1_0
GOutputStream *asb_transport_extract_archive (AsbTransport *self, AsbArchiveOptions *options,
                                              GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_extract_archive_async (AsbTransport *self, AsbArchiveOptions *options,
                                          GCancellable *cancellable, GAsyncReadyCallback callback,
                                          gpointer user_data);
ASB_AVAILABLE_IN_1_0
GOutputStream *asb_transport_extract_archive_finish (AsbTransport *self, GAsyncResult *result,
                                                     GError **error);
ASB_AVAILABLE_IN_1_0
GVariant *asb_transport_call (AsbTransport *self, const char *name, GVariant *arguments,
                              GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_call_async (AsbTransport *self, const char *name, GVariant *arguments,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data);
ASB_AVAILABLE_IN_1_0
GVariant *asb_transport_call_finish (AsbTransport *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_transport_open_call (AsbTransport *self, const char *name, GVariant *arguments,
                                       GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_open_call_async (AsbTransport *self, const char *name, GVariant *arguments,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_transport_open_call_finish (AsbTransport *self, GAsyncResult *result,
                                              GError **error);
ASB_AVAILABLE_IN_1_0
GVariant *asb_transport_start_job (AsbTransport *self, AsbCommandSpec *spec, const char *name,
                                   GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_start_job_async (AsbTransport *self, AsbCommandSpec *spec, const char *name,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data);
ASB_AVAILABLE_IN_1_0
GVariant *asb_transport_start_job_finish (AsbTransport *self, GAsyncResult *result, GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_transport_close (AsbTransport *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_transport_close_async (AsbTransport *self, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_transport_close_finish (AsbTransport *self, GAsyncResult *result, GError **error);

G_END_DECLS
