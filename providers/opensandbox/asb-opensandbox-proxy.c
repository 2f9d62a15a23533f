/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-proxy.h"

#include <asb.h>
#include <string.h>

#include "asb-opensandbox-url.h"

#define DIRECT "direct://"
#define MAX_HOSTS 256

struct _AsbOpensandboxProxy
{
  GObject parent_instance;

  char *uri;
  GMutex lock;
  GHashTable *last;   /* host → proxy */
  GHashTable *logins; /* host → header */
};

static void asb_opensandbox_proxy_iface_init (GProxyResolverInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbOpensandboxProxy, asb_opensandbox_proxy, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_PROXY_RESOLVER,
                                                      asb_opensandbox_proxy_iface_init))

static void
asb_opensandbox_proxy_finalize (GObject *object)
{
  AsbOpensandboxProxy *self = ASB_OPENSANDBOX_PROXY (object);

  g_clear_pointer (&self->last, g_hash_table_unref);
  g_clear_pointer (&self->logins, g_hash_table_unref);
  g_mutex_clear (&self->lock);
  g_clear_pointer (&self->uri, g_free);
  G_OBJECT_CLASS (asb_opensandbox_proxy_parent_class)->finalize (object);
}

static void
asb_opensandbox_proxy_class_init (AsbOpensandboxProxyClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_opensandbox_proxy_finalize;
}

static void
asb_opensandbox_proxy_init (AsbOpensandboxProxy *self)
{
  g_mutex_init (&self->lock);
  self->last = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->logins = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

/* Messages log in at libsoup's kind of proxy, not libsoup. */
static char *
dup_for_libsoup (const char *text)
{
  g_autoptr (GUri) uri = g_uri_parse (text, G_URI_FLAGS_HAS_PASSWORD, NULL);

  return uri && g_str_equal (g_uri_get_scheme (uri), "http") ? asb_opensandbox_url_dup_plain (uri)
                                                             : g_strdup (text);
}

AsbOpensandboxProxy *
asb_opensandbox_proxy_new (const char *proxy_uri)
{
  AsbOpensandboxProxy *self = g_object_new (ASB_TYPE_OPENSANDBOX_PROXY, NULL);

  self->uri = g_strdup (proxy_uri);
  return self;
}

gboolean
asb_opensandbox_proxy_check_uri (const char *proxy_uri, GError **error)
{
  static const char *const schemes[]
      = { "http", "https", "socks", "socks4", "socks4a", "socks5", "direct", NULL };
  g_autoptr (GUri) uri = g_uri_parse (proxy_uri, G_URI_FLAGS_HAS_PASSWORD, NULL);

  if (uri && g_strv_contains (schemes, g_uri_get_scheme (uri))
      && (g_str_equal (g_uri_get_scheme (uri), "direct")
          || (g_uri_get_host (uri) && *g_uri_get_host (uri))))
    return TRUE;
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                       "Option “proxy” is no address of a proxy; it looks like "
                       "“http://host:3128” or “socks5://host:1080”, or “direct://” for none");
  return FALSE;
}

static char *
dup_host (const char *text)
{
  g_autoptr (GUri) uri = g_uri_parse (text, G_URI_FLAGS_NON_DNS, NULL);

  return uri ? g_strdup (g_uri_get_host (uri)) : NULL;
}

static char *
dup_without_password (const char *text)
{
  g_autoptr (GUri) uri = g_uri_parse (text, G_URI_FLAGS_HAS_PASSWORD, NULL);

  return uri ? asb_opensandbox_url_dup_plain (uri) : NULL;
}

/* Returns: (transfer full) (nullable) */
static char *
dup_login (const char *text)
{
  g_autoptr (GUri) uri = g_uri_parse (text, G_URI_FLAGS_HAS_PASSWORD, NULL);
  g_autofree char *login = NULL;
  g_autofree char *encoded = NULL;

  if (!uri || !g_str_equal (g_uri_get_scheme (uri), "http") || !g_uri_get_user (uri))
    return NULL;
  login = g_strdup_printf ("%s:%s", g_uri_get_user (uri),
                           g_uri_get_password (uri) ? g_uri_get_password (uri) : "");
  encoded = g_base64_encode ((const guchar *)login, strlen (login));
  return g_strdup_printf ("Basic %s", encoded);
}

static void
set_or_remove (GHashTable *table, const char *host, char *value)
{
  if (value)
    g_hash_table_replace (table, g_strdup (host), value);
  else
    g_hash_table_remove (table, host);
}

static void
remember (AsbOpensandboxProxy *self, const char *host, char **found)
{
  gboolean is_direct = !found[0] || strcmp (found[0], DIRECT) == 0;

  g_mutex_lock (&self->lock);
  if (g_hash_table_size (self->last) >= MAX_HOSTS)
    {
      g_hash_table_remove_all (self->last);
      g_hash_table_remove_all (self->logins);
    }
  set_or_remove (self->last, host, is_direct ? NULL : dup_without_password (found[0]));
  set_or_remove (self->logins, host, is_direct || found[1] ? NULL : dup_login (found[0]));
  g_mutex_unlock (&self->lock);
}

static char *
look_up (AsbOpensandboxProxy *self, GHashTable *table, const char *host)
{
  char *value;

  g_mutex_lock (&self->lock);
  value = g_strdup (g_hash_table_lookup (table, host));
  g_mutex_unlock (&self->lock);
  return value;
}

char *
asb_opensandbox_proxy_dup_last (AsbOpensandboxProxy *self, const char *host)
{
  return look_up (self, self->last, host);
}

char *
asb_opensandbox_proxy_dup_login (AsbOpensandboxProxy *self, const char *host)
{
  return look_up (self, self->logins, host);
}

static void
take_answer (AsbOpensandboxProxy *self, const char *uri, char **found)
{
  g_autofree char *host = dup_host (uri);

  if (host && found)
    remember (self, host, found);
  for (char **at = found; at && *at; at++)
    {
      g_autofree char *given = *at;

      *at = dup_for_libsoup (given);
    }
}

/* GLib's own resolvers give all versions of SOCKS where none is named. */
static char **
dup_named (const char *uri)
{
  static const char *const versions[] = { "socks5", "socks4a", "socks4" };
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (!g_str_has_prefix (uri, "socks:"))
    g_strv_builder_add (builder, uri);
  else
    for (gsize i = 0; i < G_N_ELEMENTS (versions); i++)
      {
        g_autofree char *named = g_strconcat (versions[i], uri + strlen ("socks"), NULL);

        g_strv_builder_add (builder, named);
      }
  return g_strv_builder_end (builder);
}

/* What is known without asking the system, if anything is. */
static char **
answer_at_once (AsbOpensandboxProxy *self, const char *uri)
{
  g_autofree char *host = dup_host (uri);
  const char *known = host && asb_opensandbox_url_is_loopback (host) ? DIRECT : self->uri;
  char **found;

  if (!known)
    return NULL;
  found = dup_named (known);
  take_answer (self, uri, found);
  return found;
}

static gboolean
asb_opensandbox_proxy_is_supported (GProxyResolver *resolver)
{
  return TRUE;
}

static char **
asb_opensandbox_proxy_lookup (GProxyResolver *resolver, const char *uri, GCancellable *cancellable,
                              GError **error)
{
  AsbOpensandboxProxy *self = ASB_OPENSANDBOX_PROXY (resolver);
  char **found = answer_at_once (self, uri);

  if (found)
    return found;
  found = g_proxy_resolver_lookup (g_proxy_resolver_get_default (), uri, cancellable, error);
  take_answer (self, uri, found);
  return found;
}

static void
looked_up_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = G_TASK (data);
  g_autoptr (GError) error = NULL;
  char **found = g_proxy_resolver_lookup_finish (G_PROXY_RESOLVER (source), result, &error);

  if (!found)
    {
      g_task_return_error (task, g_steal_pointer (&error));
      return;
    }
  take_answer (g_task_get_source_object (task), g_task_get_task_data (task), found);
  g_task_return_pointer (task, found, (GDestroyNotify)g_strfreev);
}

static void
asb_opensandbox_proxy_lookup_async (GProxyResolver *resolver, const char *uri,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data)
{
  AsbOpensandboxProxy *self = ASB_OPENSANDBOX_PROXY (resolver);
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);
  char **found = answer_at_once (self, uri);

  g_task_set_source_tag (task, asb_opensandbox_proxy_lookup_async);
  g_task_set_task_data (task, g_strdup (uri), g_free);
  if (found)
    g_task_return_pointer (task, found, (GDestroyNotify)g_strfreev);
  else
    g_proxy_resolver_lookup_async (g_proxy_resolver_get_default (), uri, cancellable, looked_up_cb,
                                   g_steal_pointer (&task));
}

static char **
asb_opensandbox_proxy_lookup_finish (GProxyResolver *resolver, GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

static void
asb_opensandbox_proxy_iface_init (GProxyResolverInterface *iface)
{
  iface->is_supported = asb_opensandbox_proxy_is_supported;
  iface->lookup = asb_opensandbox_proxy_lookup;
  iface->lookup_async = asb_opensandbox_proxy_lookup_async;
  iface->lookup_finish = asb_opensandbox_proxy_lookup_finish;
}
