/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An archive that is read from one stream while a transport unpacks it: all of it, or nothing. */

#pragma once

#include "asb-archive-result.h"
#include "asb-transport.h"

/* @options is the transport's until it is over. */
void asb_extraction_run_async (AsbTransport *transport, AsbArchiveOptions *options,
                               GInputStream *archive, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full) (nullable) */
AsbArchiveResult *asb_extraction_run_finish (GAsyncResult *result, GError **error);
