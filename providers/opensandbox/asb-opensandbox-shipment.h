/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Many files in one upload to execd: a thread of its own writes them one after the other, while the
 * module's sends them. Nothing is kept but what is on its way. */

#pragma once

#include <gio/gio.h>

/* execd reads a form of at most a thousand parts, of which each file is two. */
#define ASB_OPENSANDBOX_SHIPMENT_MAX_FILES 500

/* Not by its header, which brings json-glib: that and the guest's headers exclude each other. */
typedef struct _AsbOpensandboxExecd AsbOpensandboxExecd;
typedef struct _AsbOpensandboxShipment AsbOpensandboxShipment;

/* All but [io]: the writing thread. They block, and fail with what became of the upload. */

AsbOpensandboxShipment *asb_opensandbox_shipment_new (AsbOpensandboxExecd *execd, const char *what);

/* @path: one that asb_opensandbox_shell_is_plain_path () likes. @mode: permission bits, 0 for those
 * that execd chooses. */
gboolean asb_opensandbox_shipment_begin_file (AsbOpensandboxShipment *self, const char *path,
                                              guint mode, GError **error);
gboolean asb_opensandbox_shipment_write (AsbOpensandboxShipment *self, gconstpointer bytes,
                                         gsize size, GError **error);

/* Waits for the answer. One that was lost is said to be so, and no more: what became of the files
 * is for who sends them to say. */
gboolean asb_opensandbox_shipment_end (AsbOpensandboxShipment *self, GError **error);

/* Breaks it off, if it has not ended, and waits until it has. */
void asb_opensandbox_shipment_free (AsbOpensandboxShipment *self);

guint asb_opensandbox_shipment_get_n_files (AsbOpensandboxShipment *self);
guint64 asb_opensandbox_shipment_get_size (AsbOpensandboxShipment *self);
