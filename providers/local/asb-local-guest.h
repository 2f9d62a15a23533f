/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The guest of one folder: reaching it, starting it, ending it. Whoever starts or ends it holds the
 * folder's lock. */

#pragma once

#include <gio/gio.h>

#include "asb-local-folder.h"
#include "asb-local-greeting.h"
#include "asb-local-inside.h"

/* Returns: (transfer full): a connection to the guest, or NULL with %G_IO_ERROR_CONNECTION_REFUSED
 * if there is none. */
GIOStream *asb_local_guest_connect (AsbLocalFolder *folder, GError **error);

gboolean asb_local_guest_is_listening (AsbLocalFolder *folder);

/* One that was stopped answers nobody, and cannot notice that its owner is gone. */
gboolean asb_local_guest_is_frozen (AsbLocalFolder *folder);

/* %ASB_ERROR_SANDBOX_STATE, with the cure, if it is. */
gboolean asb_local_guest_check_frozen (AsbLocalFolder *folder, GError **error);

/* Lets it go on; TRUE if it does anyhow, or there is none. */
gboolean asb_local_guest_resume (AsbLocalFolder *folder, GError **error);

/* Starts it, and waits until it works. Takes @liveness, the descriptor whose end is the guest's; -1
 * for none. @meanwhile is run while it starts; it may be NULL. On failure nothing of it is left. */
gboolean asb_local_guest_start (AsbLocalFolder *folder, const char *bubblewrap,
                                const AsbLocalInside *inside, int liveness,
                                const AsbLocalMeanwhile *meanwhile, GCancellable *cancellable,
                                GError **error);

/* Tells it when its time is up, in milliseconds; TRUE if there is none, too. Blocks. */
gboolean asb_local_guest_set_expiry (AsbLocalFolder *folder, gint64 milliseconds, GError **error);

/* Ends it and all that runs in the sandbox: by asking for it, so that the record is complete, or by
 * force after @seconds, 0 for at once. @meanwhile as in asb_local_ask_to_end (). */
gboolean asb_local_guest_end (AsbLocalFolder *folder, guint seconds,
                              const AsbLocalMeanwhile *meanwhile, GError **error);
