/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a provider says of itself, for people. */

#include "checks.h"

static const char *
support_name (AsbCapabilitySupport support)
{
  static const char *const names[] = { "unavailable", "emulated", "native" };

  return (guint)support < G_N_ELEMENTS (names) ? names[support] : "?";
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (asb_capability_get_name (*(AsbCapability *const *)a),
                    asb_capability_get_name (*(AsbCapability *const *)b));
}

static void
say_all (AsbCapabilities *capabilities)
{
  g_autoptr (GPtrArray) sorted = g_ptr_array_new_with_free_func (g_object_unref);
  GListModel *list = G_LIST_MODEL (capabilities);

  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    g_ptr_array_add (sorted, g_list_model_get_item (list, i));
  g_ptr_array_sort (sorted, compare_names);
  for (guint i = 0; i < sorted->len; i++)
    {
      AsbCapability *capability = sorted->pdata[i];
      const char *reason = asb_capability_get_reason (capability);

      check_say ("  %-22s %-12s%s%s", asb_capability_get_name (capability),
                 support_name (asb_capability_get_support (capability)), reason ? " " : "",
                 reason ? reason : "");
    }
}

static void
report (Check *check)
{
  g_autoptr (AsbCapabilities) capabilities = NULL;

  if (!check_open_backend (check))
    return;
  capabilities = asb_backend_get_capabilities (check->backend);
  check_say ("Capabilities of a sandbox of “%s”:", check->provider_name);
  say_all (capabilities);
}

void
check_report (Check *check)
{
  check_run (check, "report", report);
}
