/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-native.h"

void
asb_test_native_open (AsbTestNative *self, const char *options, const char *image)
{
  g_autoptr (AsbSandboxSpec) spec = asb_test_server_new_spec ();
  g_autoptr (GError) error = NULL;

  self->server = asb_test_server_new (options);
  self->provider = asb_test_server_new_provider (self->server, ASB_TEST_NATIVE_OPTIONS);
  if (image)
    asb_sandbox_spec_set_image (spec, image);
  self->info = asb_provider_create_sandbox (self->provider, spec, NULL, &error);
  g_assert_no_error (error);
  self->transport = asb_provider_open_transport (self->provider,
                                                 asb_test_server_get_id (self->info), NULL, &error);
  g_assert_no_error (error);
}

void
asb_test_native_close (AsbTestNative *self)
{
  g_autoptr (GError) error = NULL;

  asb_test_server_heal (self->server);
  g_assert_true (asb_transport_close (self->transport, NULL, &error));
  asb_provider_delete_sandbox (self->provider, asb_test_server_get_id (self->info), NULL, &error);
  g_assert_no_error (error);
  g_object_unref (self->transport);
  g_object_unref (self->info);
  g_object_unref (self->provider);
  asb_test_server_free (self->server);
}

GBytes *
asb_test_native_read_all (GInputStream *stream, GError **error)
{
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();

  if (g_output_stream_splice (memory, stream, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, error) < 0)
    return NULL;
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (memory));
}
