/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The address of a server, as people write it. */

#pragma once

#include <glib.h>

/* Takes “server”, “server:8080”, “https://server/” apart. *@scheme becomes “http” or “https”,
 * *@domain host and port as they were written: they count in the fingerprint. Both are transfer
 * full. A name and password in it are never repeated in an error. */
gboolean asb_opensandbox_url_parse (const char *url, char **scheme, char **domain, GError **error);

/* Whether nothing stands in @host that cannot stand in a header: GUri undoes what was
 * percent-encoded in it. */
gboolean asb_opensandbox_url_is_host (const char *host);

/* Whether both absolute URLs have the same scheme, host and port. */
gboolean asb_opensandbox_url_same_origin (GUri *first, GUri *second);

/* Whether a reply of this status leads to another URL. */
gboolean asb_opensandbox_url_is_redirect (guint status);

/* Whether @host is this machine by its name or address. */
gboolean asb_opensandbox_url_is_loopback (const char *host);

/* “https://host”, with the port where it is not the usual one, and nothing else. */
char *asb_opensandbox_url_dup_origin (GUri *uri);

/* The text of @uri without a name, password, query values and fragment, for messages. */
char *asb_opensandbox_url_dup_plain (GUri *uri);
