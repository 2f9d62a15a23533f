/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* usage: secret-service BEHAVIOUR SERVER KEY
 *
 * A secret service on a bus of its own, which has one key. It prints the address of the bus, and
 * ends when its standard input does. BEHAVIOUR: open       gives the key locked     asks for a
 * password, and nobody types one asking     asks for a password, and somebody types it unheard asks
 * for a password, and the question stays open refusing   does not give the key, though nothing is
 * locked silent     answers nothing */

#include <gio/gio.h>
#include <glib-unix.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROOT "/org/freedesktop/secrets"
#define ITEM ROOT "/collection/one/item"
#define PROMPT ROOT "/prompt"
#define SESSION ROOT "/session"

typedef struct
{
  const char *behaviour;
  const char *server;
  const char *key;
  gboolean is_locked;
} Service;

static const char introspection[]
    = "<node><interface name='org.freedesktop.Secret.Service'>"
      "<method name='OpenSession'><arg type='s' direction='in'/><arg type='v' direction='in'/>"
      "<arg type='v' direction='out'/><arg type='o' direction='out'/></method>"
      "<method name='SearchItems'><arg type='a{ss}' direction='in'/>"
      "<arg type='ao' direction='out'/><arg type='ao' direction='out'/></method>"
      "<method name='Unlock'><arg type='ao' direction='in'/><arg type='ao' direction='out'/>"
      "<arg type='o' direction='out'/></method>"
      "<method name='GetSecrets'><arg type='ao' direction='in'/><arg type='o' direction='in'/>"
      "<arg type='a{o(oayays)}' direction='out'/></method>"
      "<property name='Collections' type='ao' access='read'/>"
      "</interface><interface name='org.freedesktop.Secret.Item'>"
      "<method name='Delete'><arg type='o' direction='out'/></method>"
      "<property name='Locked' type='b' access='read'/>"
      "<property name='Attributes' type='a{ss}' access='read'/>"
      "<property name='Label' type='s' access='read'/>"
      "<property name='Created' type='t' access='read'/>"
      "<property name='Modified' type='t' access='read'/>"
      "</interface><interface name='org.freedesktop.Secret.Prompt'>"
      "<method name='Prompt'><arg type='s' direction='in'/></method>"
      "<method name='Dismiss'/>"
      "<signal name='Completed'><arg type='b'/><arg type='v'/></signal>"
      "</interface></node>";

static gboolean
behaves (const Service *self, const char *behaviour)
{
  return g_str_equal (self->behaviour, behaviour);
}

static GVariant *
paths (const char *path)
{
  return g_variant_new_objv (&path, path ? 1 : 0);
}

/* Returns: (transfer none) (nullable): the item, if these are its attributes */
static const char *
find (Service *self, GVariant *parameters)
{
  g_autoptr (GVariant) attributes = g_variant_get_child_value (parameters, 0);
  const char *service = NULL;
  const char *server = NULL;

  g_variant_lookup (attributes, "service", "&s", &service);
  g_variant_lookup (attributes, "server", "&s", &server);
  return g_strcmp0 (service, "asb") == 0 && g_strcmp0 (server, self->server) == 0 ? ITEM : NULL;
}

static GVariant *
secrets (Service *self)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{o(oayays)}"));
  if (!self->is_locked && !behaves (self, "refusing"))
    g_variant_builder_add (
        &builder, "{o(o@ay@ays)}", ITEM, SESSION,
        g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, NULL, 0, 1),
        g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, self->key, strlen (self->key), 1),
        "text/plain");
  return g_variant_builder_end (&builder);
}

static void
answer_service (Service *self, const char *method, GVariant *parameters,
                GDBusMethodInvocation *invocation)
{
  GVariant *answer;

  if (g_str_equal (method, "OpenSession"))
    {
      const char *algorithm;

      g_variant_get (parameters, "(&sv)", &algorithm, NULL);
      if (!g_str_equal (algorithm, "plain"))
        {
          g_dbus_method_invocation_return_dbus_error (
              invocation, "org.freedesktop.DBus.Error.NotSupported", "Secrets go as they are");
          return;
        }
      answer = g_variant_new ("(vo)", g_variant_new_string (""), SESSION);
    }
  else if (g_str_equal (method, "SearchItems"))
    {
      const char *item = find (self, parameters);

      answer = g_variant_new ("(@ao@ao)", paths (self->is_locked ? NULL : item),
                              paths (self->is_locked ? item : NULL));
    }
  else if (g_str_equal (method, "Unlock"))
    answer = g_variant_new ("(@aoo)", paths (self->is_locked ? NULL : ITEM),
                            self->is_locked ? PROMPT : "/");
  else
    answer = g_variant_new ("(@a{o(oayays)})", secrets (self));
  g_dbus_method_invocation_return_value (invocation, answer);
}

static void
call_cb (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
         const char *method, GVariant *parameters, GDBusMethodInvocation *invocation,
         gpointer user_data)
{
  Service *self = user_data;

  if (g_str_equal (interface, "org.freedesktop.Secret.Service"))
    {
      answer_service (self, method, parameters, invocation);
      return;
    }
  g_dbus_method_invocation_return_value (
      invocation, g_str_equal (method, "Delete") ? g_variant_new ("(o)", "/") : NULL);
  if (!g_str_equal (method, "Prompt") || behaves (self, "unheard"))
    return;
  self->is_locked = behaves (self, "locked");
  g_dbus_connection_emit_signal (
      connection, NULL, PROMPT, interface, "Completed",
      g_variant_new ("(bv)", self->is_locked, paths (self->is_locked ? NULL : ITEM)), NULL);
}

static GVariant *
property_cb (GDBusConnection *connection, const char *sender, const char *path,
             const char *interface, const char *property, GError **error, gpointer user_data)
{
  Service *self = user_data;

  if (g_str_equal (property, "Collections"))
    return paths (NULL);
  if (g_str_equal (property, "Locked"))
    return g_variant_new_boolean (self->is_locked);
  if (g_str_equal (property, "Label"))
    return g_variant_new_string ("API key");
  if (g_str_equal (property, "Attributes"))
    return g_variant_new_parsed ("{'service': 'asb', 'server': %s}", self->server);
  return g_variant_new_uint64 (0);
}

/* Drops what comes, so that nobody answers it; the bus itself is still heard. */
static GDBusMessage *
swallow_cb (GDBusConnection *connection, GDBusMessage *message, gboolean incoming,
            gpointer user_data)
{
  const GDBusMessageType type = g_dbus_message_get_message_type (message);

  if (!incoming || type != G_DBUS_MESSAGE_TYPE_METHOD_CALL)
    return message;
  g_object_unref (message);
  return NULL;
}

static GDBusConnection *
serve (Service *self, GTestDBus *bus)
{
  static const GDBusInterfaceVTable table = { call_cb, property_cb };
  static const char *const places[] = { ROOT, ITEM, PROMPT };
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (introspection, NULL);
  g_autoptr (GVariant) owned = NULL;
  g_autoptr (GError) error = NULL;
  GDBusConnection *connection = g_dbus_connection_new_for_address_sync (
      g_test_dbus_get_bus_address (bus),
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
          | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
      NULL, NULL, &error);

  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    g_dbus_connection_register_object (connection, places[i], node->interfaces[i], &table, self,
                                       NULL, &error);
  g_assert_no_error (error);
  if (behaves (self, "silent"))
    g_dbus_connection_add_filter (connection, swallow_cb, NULL, NULL);
  owned = g_dbus_connection_call_sync (connection, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                       "org.freedesktop.DBus", "RequestName",
                                       g_variant_new ("(su)", "org.freedesktop.secrets", 0), NULL,
                                       G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);
  g_assert_no_error (error);
  return connection;
}

static gboolean
end_cb (int fd, GIOCondition condition, gpointer user_data)
{
  g_main_loop_quit (user_data);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GTestDBus) bus = g_test_dbus_new (G_TEST_DBUS_NONE);
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GDBusConnection) connection = NULL;
  Service service;

  g_assert_cmpint (argc, ==, 4);
  service = (Service){ argv[1], argv[2], argv[3],
                       g_str_equal (argv[1], "locked") || g_str_equal (argv[1], "asking")
                           || g_str_equal (argv[1], "unheard") };
  g_test_dbus_up (bus);
  connection = serve (&service, bus);
  g_print ("%s\n", g_test_dbus_get_bus_address (bus));
  fflush (stdout);
  g_unix_fd_add (STDIN_FILENO, G_IO_IN | G_IO_HUP, end_cb, loop);
  g_main_loop_run (loop);
  g_dbus_connection_close_sync (connection, NULL, NULL);
  g_test_dbus_stop (bus);
  return 0;
}
