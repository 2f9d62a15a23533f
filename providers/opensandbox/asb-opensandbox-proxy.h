/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which proxy a host is reached through: the one of the settings, else what the system says; this
 * machine itself always without one. */

#pragma once

#include <gio/gio.h>

#define ASB_TYPE_OPENSANDBOX_PROXY (asb_opensandbox_proxy_get_type ())
G_DECLARE_FINAL_TYPE (AsbOpensandboxProxy, asb_opensandbox_proxy, ASB, OPENSANDBOX_PROXY, GObject)

/* @proxy_uri may be NULL for what the system says. */
AsbOpensandboxProxy *asb_opensandbox_proxy_new (const char *proxy_uri);

/* Whether it is a URI of a proxy. The error does not repeat it. */
gboolean asb_opensandbox_proxy_check_uri (const char *proxy_uri, GError **error);

/* [io] The proxy that was last said for @host, without a password; NULL if none was.
 * Returns: (transfer full) (nullable) */
char *asb_opensandbox_proxy_dup_last (AsbOpensandboxProxy *self, const char *host);

/* [io] What logs in at that proxy, as header Proxy-Authorization has it; NULL if there is no login,
 * if it is not for HTTP to send, or if another proxy may be taken instead.
 * Returns: (transfer full) (nullable) */
char *asb_opensandbox_proxy_dup_login (AsbOpensandboxProxy *self, const char *host);
