/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-endpoint.h"

#include "asb-property-private.h"

/**
 * AsbEndpoint:
 *
 * Where a port of a sandbox can be reached from outside.
 *
 * Its headers may hold secrets, such as the token of a gateway: send them with each request to the
 * address, and nowhere else.
 *
 * Since: 1.0
 */

struct _AsbEndpoint
{
  GObject parent_instance;

  guint port;
  char *uri;
  GHashTable *headers;
};

enum
{
  PROP_0,
  PROP_PORT,
  PROP_URI,
  PROP_HEADERS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbEndpoint, asb_endpoint, G_TYPE_OBJECT)

static void
asb_endpoint_finalize (GObject *object)
{
  AsbEndpoint *self = ASB_ENDPOINT (object);

  g_clear_pointer (&self->uri, g_free);
  g_clear_pointer (&self->headers, g_hash_table_unref);

  G_OBJECT_CLASS (asb_endpoint_parent_class)->finalize (object);
}

static void
asb_endpoint_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbEndpoint *self = ASB_ENDPOINT (object);

  switch (property_id)
    {
    case PROP_PORT:
      g_value_set_uint (value, self->port);
      break;
    case PROP_URI:
      g_value_set_string (value, self->uri);
      break;
    case PROP_HEADERS:
      g_value_set_boxed (value, self->headers);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_endpoint_set_property (GObject *object, guint property_id, const GValue *value,
                           GParamSpec *pspec)
{
  AsbEndpoint *self = ASB_ENDPOINT (object);

  switch (property_id)
    {
    case PROP_PORT:
      self->port = g_value_get_uint (value);
      break;
    case PROP_URI:
      self->uri = g_value_dup_string (value);
      break;
    case PROP_HEADERS:
      self->headers = g_value_dup_boxed (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_endpoint_class_init (AsbEndpointClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_endpoint_finalize;
  object_class->get_property = asb_endpoint_get_property;
  object_class->set_property = asb_endpoint_set_property;

  /**
   * AsbEndpoint:port:
   *
   * The port inside the sandbox, 1 to 65535; 0 if unknown.
   *
   * Since: 1.0
   */
  properties[PROP_PORT]
      = g_param_spec_uint ("port", NULL, NULL, 0, 65535, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbEndpoint:uri:
   *
   * The address, without a slash at its end: `http://host:port/path`. What is asked of the port is
   * appended to it.
   *
   * Since: 1.0
   */
  properties[PROP_URI] = g_param_spec_string ("uri", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbEndpoint:headers: (type GLib.HashTable(utf8,utf8))
   *
   * Headers to send with each request, by name; %NULL for none. They may be secret.
   *
   * Since: 1.0
   */
  properties[PROP_HEADERS]
      = g_param_spec_boxed ("headers", NULL, NULL, G_TYPE_HASH_TABLE, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_endpoint_init (AsbEndpoint *self)
{
}

/**
 * asb_endpoint_new:
 * @port: the port inside the sandbox, 1 to 65535; 0 if unknown
 * @uri: the address, without a slash at its end
 * @headers: (nullable) (element-type utf8 utf8): headers to send with each request
 *
 * Makes an address, with a copy of the headers.
 *
 * Returns: (transfer full): a new [class@Endpoint]
 *
 * Since: 1.0
 */
AsbEndpoint *
asb_endpoint_new (guint port, const char *uri, GHashTable *headers)
{
  g_autoptr (GHashTable) copy = NULL;

  g_return_val_if_fail (port <= G_MAXUINT16, NULL);
  g_return_val_if_fail (uri != NULL, NULL);

  asb_property_replace_map (&copy, headers);
  return g_object_new (ASB_TYPE_ENDPOINT, "port", port, "uri", uri, "headers", copy, NULL);
}

/**
 * asb_endpoint_get_port:
 * @self: a [class@Endpoint]
 *
 * Gets [property@Endpoint:port].
 *
 * Returns: the port inside the sandbox, 1 to 65535; 0 if unknown
 *
 * Since: 1.0
 */
guint
asb_endpoint_get_port (AsbEndpoint *self)
{
  g_return_val_if_fail (ASB_IS_ENDPOINT (self), 0);

  return self->port;
}

/**
 * asb_endpoint_get_uri:
 * @self: a [class@Endpoint]
 *
 * Gets [property@Endpoint:uri].
 *
 * Returns: (transfer none) (nullable): the address, without a slash at its end:
 * `http://host:port/path`
 *
 * Since: 1.0
 */
const char *
asb_endpoint_get_uri (AsbEndpoint *self)
{
  g_return_val_if_fail (ASB_IS_ENDPOINT (self), NULL);

  return self->uri;
}

/**
 * asb_endpoint_get_headers:
 * @self: a [class@Endpoint]
 *
 * Gets [property@Endpoint:headers].
 *
 * Returns: (transfer none) (nullable) (element-type utf8 utf8): headers to send with each request;
 * %NULL for none
 *
 * Since: 1.0
 */
GHashTable *
asb_endpoint_get_headers (AsbEndpoint *self)
{
  g_return_val_if_fail (ASB_IS_ENDPOINT (self), NULL);

  return self->headers;
}
