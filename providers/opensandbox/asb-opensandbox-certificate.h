/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is wrong with a server's certificate. No I/O. */

#pragma once

#include <gio/gio.h>

/* In words, with what to do about it. */
char *asb_opensandbox_certificate_dup_faults (GTlsCertificateFlags flags);

/* GLib says only that it was refused. Takes @error, and returns it or one that says why.
 * Returns: (transfer full) */
GError *asb_opensandbox_certificate_explain (GError *error, GTlsCertificateFlags flags);
