/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-check.h"

#include "checks.h"

#define ALL_PARTS (ASB_CHECK_FLAGS_LIFECYCLE | ASB_CHECK_FLAGS_TRANSPORT | ASB_CHECK_FLAGS_HISTORY)

static void
check_lifecycle (Check *check)
{
  check_provider (check);
  check_provider_calls (check);
  check_services (check);
}

static void
check_transport (Check *check)
{
  check_commands (check);
  check_jobs (check);
  check_files (check);
  check_search (check);
  check_archives (check);
  check_uploads (check);
}

/* What is not there would fail each check anew. */
static gboolean
is_there (Check *check)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbProvider) provider = check_new_provider (check, &error);
  g_autoptr (AsbHistoryStore) store
      = provider && check->store_name
            ? asb_registry_create_history_store (check->registry, check->store_name, NULL, &error)
            : NULL;

  if (!g_error_matches (error, ASB_ERROR, ASB_ERROR_MODULE_NOT_FOUND))
    return TRUE;
  g_print ("Bail out! %s\n", error->message);
  check->n_failed++;
  return FALSE;
}

static void
check_parts (Check *check, AsbCheckFlags flags)
{
  check_report (check);
  if (flags & ASB_CHECK_FLAGS_LIFECYCLE)
    check_lifecycle (check);
  if (flags & ASB_CHECK_FLAGS_TRANSPORT)
    check_transport (check);
  if (flags & ASB_CHECK_FLAGS_HISTORY)
    check_history_store (check);
  check_end (check);
}

/**
 * asb_check_provider:
 * @registry: where the provider is found or was registered
 * @name: its name
 * @options: (nullable): its options, an `a{sv}`; a floating one is taken
 * @store_name: (nullable): the name of a history store to check with it; %NULL leaves history out
 * @image: (nullable): the image of the sandboxes; %NULL is the provider's own
 * @flags: how to check
 *
 * Checks whether a provider keeps to what libasb expects of it, and prints the result for each
 * promise in the Test Anything Protocol, and a report of its capabilities.
 *
 * It makes sandboxes and deletes them, and touches no others. What a provider does not offer is
 * skipped, with the reason.
 *
 * Returns: how many checks failed
 *
 * Since: 1.0
 */
guint
asb_check_provider (AsbRegistry *registry, const char *name, GVariant *options,
                    const char *store_name, const char *image, AsbCheckFlags flags)
{
  Check check;
  guint n_failed;

  if ((flags & ALL_PARTS) == 0)
    flags |= ALL_PARTS;
  check_init (&check, registry, name, options);
  check.store_name = store_name;
  check.image = image;
  check.one_thread = (flags & ASB_CHECK_FLAGS_ONE_THREAD) != 0;
  g_print ("TAP version 13\n");
  if (is_there (&check))
    check_parts (&check, flags);
  n_failed = check.n_failed;
  check_clear (&check);
  return n_failed;
}
