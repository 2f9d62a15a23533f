/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-abilities.h"

#include "asb-opensandbox-order.h"

static void
add_limited (AsbCapabilities *capabilities, const char *name, const char *const *limits)
{
  g_autoptr (GHashTable) table = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AsbCapability) capability = NULL;

  for (gsize i = 0; limits[i]; i += 2)
    g_hash_table_insert (table, (gpointer)limits[i], (gpointer)limits[i + 1]);
  capability
      = g_object_new (ASB_TYPE_CAPABILITY, "name", name, "support", ASB_CAPABILITY_SUPPORT_NATIVE,
                      "source", "provider", "limits", table, NULL);
  asb_capabilities_add_capability (capabilities, capability);
}

#define TEXT(number) G_STRINGIFY (number)

AsbCapabilities *
asb_opensandbox_abilities_new (void)
{
  static const char *const native[] = {
    ASB_CAPABILITY_FILESYSTEM,
    ASB_CAPABILITY_BINARY_FILES,
    ASB_CAPABILITY_ATOMIC_RENAME,
    ASB_CAPABILITY_COMMAND_EXECUTION,
    ASB_CAPABILITY_PAUSE_RESUME,
    ASB_CAPABILITY_STREAMING_OUTPUT,
    ASB_CAPABILITY_PERSISTENT_LIFETIME,
    ASB_CAPABILITY_ENDPOINTS,
    ASB_CAPABILITY_NETWORK_POLICY,
    ASB_CAPABILITY_METADATA_CHANGES,
    ASB_CAPABILITY_SNAPSHOTS,
    ASB_CAPABILITY_METRICS,
    ASB_CAPABILITY_DIAGNOSTICS,
    ASB_CAPABILITY_ENTRYPOINT,
    ASB_CAPABILITY_RESOURCES,
    ASB_CAPABILITY_PLATFORM,
    ASB_CAPABILITY_IMAGE_CREDENTIALS,
    ASB_CAPABILITY_CREATE_OPTIONS,
    ASB_CAPABILITY_SERVICES,
  };
  static const char *const hash[] = { "algorithm", "sha256", NULL };
  static const char *const keep_alive[]
      = { "min_seconds", TEXT (ASB_OPENSANDBOX_MIN_TTL_SECONDS), "default_seconds",
          TEXT (ASB_OPENSANDBOX_DEFAULT_TTL_SECONDS), NULL };
  AsbCapabilities *capabilities = asb_capabilities_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (native); i++)
    asb_capabilities_add (capabilities, native[i], ASB_CAPABILITY_SUPPORT_NATIVE, "provider", NULL);
  add_limited (capabilities, ASB_CAPABILITY_FILE_HASH, hash);
  add_limited (capabilities, ASB_CAPABILITY_KEEP_ALIVE, keep_alive);
  asb_capabilities_add (capabilities, ASB_CAPABILITY_RESOURCE_LIMITS,
                        ASB_CAPABILITY_SUPPORT_UNAVAILABLE, "provider",
                        "processor and memory of the sandbox are asked for as resources");
  asb_capabilities_add (capabilities, ASB_CAPABILITY_MOUNTS, ASB_CAPABILITY_SUPPORT_UNAVAILABLE,
                        "provider",
                        "folders are those of the server: see the option “volumes” for creation");
  return capabilities;
}
