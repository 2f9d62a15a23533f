/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>
#include "asb-enums.h"
#include "asb-history-config.h"
#include "asb-history-operation.h"
#include "asb-history-page.h"
#include "asb-history-status.h"
#include "asb-sandbox-ref.h"
#include "asb-transport.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_HISTORY_STORE (asb_history_store_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_INTERFACE (AsbHistoryStore, asb_history_store, ASB, HISTORY_STORE, GObject)

struct _AsbHistoryStoreInterface
{
  GTypeInterface g_iface;

  /*< public >*/
  gboolean (*get_records_in_place) (AsbHistoryStore *self);
  void (*open) (AsbHistoryStore *self, AsbTransport *transport, AsbSandboxRef *ref,
                AsbHistoryConfig *config, GTask *task);
  void (*record) (AsbHistoryStore *self, GVariant *batch, GTask *task);
  void (*query) (AsbHistoryStore *self, gint64 after_seq, guint limit, guint64 max_bytes,
                 GTask *task);
  void (*get_operations) (AsbHistoryStore *self, const char *const *event_ids, GTask *task);
  void (*get_output) (AsbHistoryStore *self, const char *event_id, AsbOutputStream stream,
                      GTask *task);
  void (*acknowledge) (AsbHistoryStore *self, const char *consumer_id, gint64 seq, GTask *task);
  void (*cleanup) (AsbHistoryStore *self, GTask *task);
  void (*get_status) (AsbHistoryStore *self, GTask *task);
  void (*close) (AsbHistoryStore *self, GTask *task);
  void (*export_database) (AsbHistoryStore *self, GTask *task);
  void (*wait) (AsbHistoryStore *self, gint64 after_seq, guint limit, guint64 max_bytes,
                guint timeout_ms, GTask *task);

  /*< private >*/
  gpointer _reserved[14];
};

ASB_AVAILABLE_IN_1_0
gboolean asb_history_store_get_records_in_place (AsbHistoryStore *self);

ASB_AVAILABLE_IN_1_0
gboolean asb_history_store_open (AsbHistoryStore *self, AsbTransport *transport, AsbSandboxRef *ref,
                                 AsbHistoryConfig *config, GCancellable *cancellable,
                                 GError **error);
ASB_AVAILABLE_IN_1_0
void asb_history_store_open_async (AsbHistoryStore *self, AsbTransport *transport,
                                   AsbSandboxRef *ref, AsbHistoryConfig *config,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_history_store_open_finish (AsbHistoryStore *self, GAsyncResult *result,
                                        GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_history_store_record (AsbHistoryStore *self, GVariant *batch,
                                   GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_history_store_record_async (AsbHistoryStore *self, GVariant *batch,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_history_store_record_finish (AsbHistoryStore *self, GAsyncResult *result,
                                          GError **error);
ASB_AVAILABLE_IN_1_0
AsbHistoryPage *asb_history_store_query (AsbHistoryStore *self, gint64 after_seq, guint limit,
                                         guint64 max_bytes, GCancellable *cancellable,
                                         GError **error);
ASB_AVAILABLE_IN_1_0
void asb_history_store_query_async (AsbHistoryStore *self, gint64 after_seq, guint limit,
                                    guint64 max_bytes, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbHistoryPage *asb_history_store_query_finish (AsbHistoryStore *self, GAsyncResult *result,
                                                GError **error);
ASB_AVAILABLE_IN_1_0
AsbHistoryPage *asb_history_store_wait (AsbHistoryStore *self, gint64 after_seq, guint limit,
                                        guint64 max_bytes, guint timeout_ms,
                                        GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_history_store_wait_async (AsbHistoryStore *self, gint64 after_seq, guint limit,
                                   guint64 max_bytes, guint timeout_ms, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbHistoryPage *asb_history_store_wait_finish (AsbHistoryStore *self, GAsyncResult *result,
                                               GError **error);
ASB_AVAILABLE_IN_1_0
GListModel *asb_history_store_get_operations (AsbHistoryStore *self, const char *const *event_ids,
                                              GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_history_store_get_operations_async (AsbHistoryStore *self, const char *const *event_ids,
                                             GCancellable *cancellable,
                                             GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
GListModel *asb_history_store_get_operations_finish (AsbHistoryStore *self, GAsyncResult *result,
                                                     GError **error);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_history_store_get_output (AsbHistoryStore *self, const char *event_id,
                                            AsbOutputStream stream, GCancellable *cancellable,
                                            GError **error);
ASB_AVAILABLE_IN_1_0
void asb_history_store_get_output_async (AsbHistoryStore *self, const char *event_id,
                                         AsbOutputStream stream, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_history_store_get_output_finish (AsbHistoryStore *self, GAsyncResult *result,
                                                   GError **error);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_history_store_export (AsbHistoryStore *self, GCancellable *cancellable,
                                        GError **error);
ASB_AVAILABLE_IN_1_0
void asb_history_store_export_async (AsbHistoryStore *self, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
GInputStream *asb_history_store_export_finish (AsbHistoryStore *self, GAsyncResult *result,
                                               GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_history_store_acknowledge (AsbHistoryStore *self, const char *consumer_id, gint64 seq,
                                        GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_history_store_acknowledge_async (AsbHistoryStore *self, const char *consumer_id,
                                          gint64 seq, GCancellable *cancellable,
                                          GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_history_store_acknowledge_finish (AsbHistoryStore *self, GAsyncResult *result,
                                               GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_history_store_cleanup (AsbHistoryStore *self, GCancellable *cancellable,
                                    GError **error);
ASB_AVAILABLE_IN_1_0
void asb_history_store_cleanup_async (AsbHistoryStore *self, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_history_store_cleanup_finish (AsbHistoryStore *self, GAsyncResult *result,
                                           GError **error);
ASB_AVAILABLE_IN_1_0
AsbHistoryStatus *asb_history_store_get_status (AsbHistoryStore *self, GCancellable *cancellable,
                                                GError **error);
ASB_AVAILABLE_IN_1_0
void asb_history_store_get_status_async (AsbHistoryStore *self, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbHistoryStatus *asb_history_store_get_status_finish (AsbHistoryStore *self, GAsyncResult *result,
                                                       GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_history_store_close (AsbHistoryStore *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_history_store_close_async (AsbHistoryStore *self, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_history_store_close_finish (AsbHistoryStore *self, GAsyncResult *result,
                                         GError **error);

G_END_DECLS
