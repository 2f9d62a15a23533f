/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-create-match-private.h"

#include "asb-error.h"

static gboolean
same (const char *a, char *b)
{
  g_autofree char *owned = b;

  return g_strcmp0 (a, owned) == 0;
}

/* A reference names one sandbox of one provider. Another that happens to have the id is not it. */
static const char *
find_difference (AsbProvider *provider, AsbSandboxRef *wanted, AsbSandboxRef *found)
{
  if (!same (asb_sandbox_ref_get_provider_name (wanted), asb_provider_dup_name (provider)))
    return "the reference is of another provider";
  if (!same (asb_sandbox_ref_get_provider_key (wanted), asb_provider_dup_key (provider)))
    return "the reference has another provider key";
  if (!same (asb_sandbox_ref_get_endpoint_fingerprint (wanted),
             asb_provider_dup_endpoint_fingerprint (provider)))
    return "the reference is of another server";
  if (found
      && g_strcmp0 (asb_sandbox_ref_get_sandbox_instance_id (wanted),
                    asb_sandbox_ref_get_sandbox_instance_id (found))
             != 0)
    return "the sandbox of this id is another one";
  return NULL;
}

static GError *
new_not_found (AsbSandboxRef *ref, const char *why)
{
  return g_error_new (ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND, "There is no sandbox “%s”: %s",
                      asb_sandbox_ref_get_sandbox_id (ref), why);
}

GError *
asb_create_check_ref (AsbProvider *provider, AsbSandboxRef *wanted)
{
  const char *difference = find_difference (provider, wanted, NULL);

  return difference ? new_not_found (wanted, difference) : NULL;
}

GError *
asb_create_check_found (AsbProvider *provider, AsbSandboxRef *wanted, AsbSandboxInfo *info)
{
  const char *difference = find_difference (provider, wanted, asb_sandbox_info_get_ref (info));

  if (difference)
    return new_not_found (wanted, difference);
  if (asb_sandbox_info_get_state (info) == ASB_SANDBOX_STATE_PAUSED)
    return g_error_new (ASB_ERROR, ASB_ERROR_SANDBOX_STATE,
                        "Sandbox “%s” is paused; resume it first",
                        asb_sandbox_ref_get_sandbox_id (wanted));
  return NULL;
}
