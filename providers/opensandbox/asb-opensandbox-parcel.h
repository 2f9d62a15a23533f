/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file on its way into a sandbox, under a name of its own that nobody guesses, until whoever
 * looks at it there gives it its place. */

#pragma once

#include "asb-opensandbox-execd.h"

typedef struct _AsbOpensandboxParcel AsbOpensandboxParcel;

/* Any thread. @path: where it is to be. */
AsbOpensandboxParcel *asb_opensandbox_parcel_new (const char *path, GBytes *contents);
void asb_opensandbox_parcel_free (AsbOpensandboxParcel *self);

/* Where it is meanwhile: beside its place. */
const char *asb_opensandbox_parcel_get_temporary (AsbOpensandboxParcel *self);

/* [io] One that is lost on its way is sent once more. After a failure nothing is left; of one that
 * was cancelled what has arrived is deleted behind that. */
void asb_opensandbox_parcel_send_async (AsbOpensandboxParcel *self, AsbOpensandboxExecd *execd,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
gboolean asb_opensandbox_parcel_send_finish (GAsyncResult *result, GError **error);

/* [io] What was sent is not wanted any more. Goes on by itself. */
void asb_opensandbox_parcel_discard (AsbOpensandboxParcel *self, AsbOpensandboxExecd *execd);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxParcel, asb_opensandbox_parcel_free)
