/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What OpenSandbox servers say of sandboxes, endpoints, policies, snapshots and the rest becomes
 * objects that can be looked at, or an error. The first byte says what it should be. */

#include "fuzz.h"
#include "look.h"

#include <asb.h>

#include "asb-opensandbox-diagnostics.h"
#include "asb-opensandbox-endpoints.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-metrics.h"
#include "asb-opensandbox-policy.h"
#include "asb-opensandbox-sandbox.h"
#include "asb-opensandbox-snapshots.h"
#include "asb-opensandbox-variant.h"

static AsbOpensandboxSettings *
get_settings (void)
{
  static AsbOpensandboxSettings *settings;

  if (!settings)
    settings = asb_opensandbox_settings_new ("127.0.0.1:8080", NULL);
  return settings;
}

static AsbOpensandboxLifecycle *
get_lifecycle (void)
{
  static AsbOpensandboxLifecycle *lifecycle;

  if (!lifecycle)
    {
      g_autoptr (AsbOpensandboxClient) client = asb_opensandbox_client_new (get_settings ());

      lifecycle = asb_opensandbox_lifecycle_new (client, "key");
    }
  return lifecycle;
}

static GObject *
parse_object (uint8_t choice, GBytes *body, GError **error)
{
  g_autoptr (JsonObject) object = asb_opensandbox_json_parse_object (body, "a reply", error);

  if (!object)
    return NULL;
  if (choice == 0)
    return (GObject *)asb_opensandbox_sandbox_parse (get_lifecycle (), object, error);
  return (GObject *)asb_opensandbox_snapshots_parse (get_lifecycle (), object, error);
}

static GObject *
parse (uint8_t choice, GBytes *body, GError **error)
{
  switch (choice)
    {
    case 2:
      return (GObject *)asb_opensandbox_policy_parse (body, error);
    case 3:
      return (GObject *)asb_opensandbox_metrics_parse (body, error);
    case 4:
      return (GObject *)asb_opensandbox_diagnostics_parse (body, error);
    default:
      return parse_object (choice, body, error);
    }
}

static void
check_endpoint (GBytes *body)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxEndpoint) endpoint
      = asb_opensandbox_endpoints_parse (body, get_settings (), 44772, &error);

  FUZZ_CHECK ((endpoint == NULL) == (error != NULL));
  if (!endpoint)
    {
      FUZZ_CHECK (error->domain == ASB_ERROR);
      return;
    }
  FUZZ_CHECK (g_str_has_prefix (endpoint->base, "http"));
  FUZZ_CHECK (!g_str_has_suffix (endpoint->base, "/"));
  FUZZ_CHECK (endpoint->headers != NULL);
}

/* What is passed on without being looked at: the way back leads to the same. */
static void
check_variant (GBytes *body)
{
  g_autoptr (JsonNode) node = asb_opensandbox_json_parse (body, "an answer", NULL);
  g_autoptr (GVariant) value = node ? asb_opensandbox_variant_from_json (node) : NULL;
  g_autoptr (JsonNode) back = NULL;
  g_autoptr (GVariant) again = NULL;

  if (!value)
    return;
  FUZZ_CHECK (g_variant_is_of_type (value, G_VARIANT_TYPE_VARDICT));
  FUZZ_CHECK (!g_variant_is_floating (value));
  back = asb_opensandbox_variant_to_json (value, NULL);
  FUZZ_CHECK (back != NULL);
  again = asb_opensandbox_variant_from_json (back);
  FUZZ_CHECK (g_variant_equal (value, again));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, data + size };
  uint8_t choice = fuzz_take_byte (&input) % 7;
  g_autoptr (GBytes) body = g_bytes_new_static (input.at, fuzz_left (&input));
  g_autoptr (GObject) object = NULL;
  g_autoptr (GError) error = NULL;

  if (choice == 5)
    {
      check_endpoint (body);
      return 0;
    }
  if (choice == 6)
    {
      check_variant (body);
      return 0;
    }
  object = parse (choice, body, &error);
  FUZZ_CHECK ((object == NULL) == (error != NULL));
  FUZZ_CHECK (!error || error->domain == ASB_ERROR);
  FUZZ_CHECK (!error || g_utf8_validate (error->message, -1, NULL));
  if (object)
    fuzz_look_at (object);
  return 0;
}
