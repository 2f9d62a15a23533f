/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every provider keeps to: sandboxes made, found, listed and deleted. */

#include "checks.h"

#include <string.h>

static void
identity (Check *check)
{
  g_autofree char *name = asb_provider_dup_name (check->provider);
  g_autofree char *key = asb_provider_dup_key (check->provider);
  g_autoptr (AsbCapabilities) capabilities = asb_provider_get_capabilities (check->provider);

  CHECK_TEXT (check, name, check->provider_name);
  CHECK (check, key && *key != '\0');
  CHECK (check, ASB_IS_CAPABILITIES (capabilities));
}

static gboolean
dates_are_equal (GDateTime *first, GDateTime *second)
{
  return first == second || (first && second && g_date_time_equal (first, second));
}

static void
check_same (Check *check, AsbSandboxInfo *first, AsbSandboxInfo *second)
{
  AsbSandboxRef *a = asb_sandbox_info_get_ref (first);
  AsbSandboxRef *b = asb_sandbox_info_get_ref (second);

  CHECK_TEXT (check, asb_sandbox_ref_get_sandbox_id (a), asb_sandbox_ref_get_sandbox_id (b));
  CHECK_TEXT (check, asb_sandbox_ref_get_sandbox_instance_id (a),
              asb_sandbox_ref_get_sandbox_instance_id (b));
  CHECK_TEXT (check, asb_sandbox_ref_get_provider_name (a), asb_sandbox_ref_get_provider_name (b));
  CHECK_TEXT (check, asb_sandbox_ref_get_provider_key (a), asb_sandbox_ref_get_provider_key (b));
  CHECK (check, asb_sandbox_info_get_state (first) == asb_sandbox_info_get_state (second));
  CHECK_TEXT (check, asb_sandbox_info_get_name (first), asb_sandbox_info_get_name (second));
  CHECK_TEXT (check, asb_sandbox_info_get_workdir (first), asb_sandbox_info_get_workdir (second));
  CHECK (check, dates_are_equal (asb_sandbox_info_get_created_at (first),
                                 asb_sandbox_info_get_created_at (second)));
}

/* How many of this run there are, or of those @filter lets through. */
static guint
count (Check *check, AsbSandboxFilter *filter)
{
  g_autoptr (GListModel) infos = check_list (check, filter);

  return infos ? g_list_model_get_n_items (infos) : G_MAXUINT;
}

static void
create (Check *check)
{
  g_autofree char *key = asb_provider_dup_key (check->provider);
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (AsbSandboxInfo) got = NULL;
  g_autoptr (GError) error = NULL;
  AsbSandboxRef *ref;

  asb_sandbox_spec_set_name (spec, "check-1");
  asb_sandbox_spec_set_instance_id (spec, check->tag);
  asb_sandbox_spec_set_workdir (spec, "/workspace/a b");
  info = check_create (check, spec);
  CHECK_GOES_ON (check);
  ref = asb_sandbox_info_get_ref (info);
  CHECK_TEXT (check, asb_sandbox_ref_get_provider_name (ref), check->provider_name);
  CHECK_TEXT (check, asb_sandbox_ref_get_provider_key (ref), key);
  CHECK_TEXT (check, asb_sandbox_ref_get_sandbox_instance_id (ref), check->tag);
  CHECK (check, check_id (info) && *check_id (info) != '\0');
  CHECK_TEXT (check, asb_sandbox_info_get_name (info), "check-1");
  /* Not every server keeps it. */
  if (asb_sandbox_info_get_workdir (info))
    CHECK_TEXT (check, asb_sandbox_info_get_workdir (info), "/workspace/a b");
  CHECK (check, asb_sandbox_info_get_state (info) == ASB_SANDBOX_STATE_RUNNING);
  /* It is the caller's, who may make another sandbox of it. */
  CHECK_TEXT (check, asb_sandbox_spec_get_name (spec), "check-1");
  CHECK_TEXT (check, asb_sandbox_spec_get_instance_id (spec), check->tag);
  CHECK_TEXT (check, asb_sandbox_spec_get_workdir (spec), "/workspace/a b");
  CHECK (check, asb_sandbox_spec_get_metadata (spec) != NULL);

  got = asb_provider_get_sandbox (check->provider, check_id (info), NULL, &error);
  CHECK_NO_ERROR (check, error);
  check_same (check, info, got);
}

static void
listed (Check *check)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbSandboxInfo) info = check_create (check, spec);
  g_autoptr (AsbSandboxInfo) found = NULL;
  g_autoptr (GListModel) infos = NULL;

  CHECK_GOES_ON (check);
  infos = check_list (check, NULL);
  CHECK_GOES_ON (check);
  CHECK_COUNT (check, g_list_model_get_n_items (infos), 1);
  found = g_list_model_get_item (infos, 0);
  check_same (check, info, found);
}

static void
refused_workdir (Check *check)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_sandbox_spec_set_workdir (spec, "not/absolute");
  info = asb_provider_create_sandbox (check->provider, spec, NULL, &error);
  CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

/* A provider that has no images takes none; one that has some says which is missing. */
static void
refused_image (Check *check)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_sandbox_spec_set_image (spec, "asb-check.invalid/no/such/image:1");
  info = asb_provider_create_sandbox (check->provider, spec, NULL, &error);
  if (info)
    {
      g_ptr_array_add (check->created, g_strdup (check_id (info)));
      check_skip (check, "the provider does not look at the image");
      return;
    }
  CHECK (check, error && strstr (error->message, "asb-check.invalid/no/such/image:1"));
  CHECK_COUNT (check, count (check, NULL), 0);
}

static AsbSandboxFilter *
metadata_filter (Check *check, const char *name, const char *value)
{
  AsbSandboxFilter *filter = check_new_filter (check);
  g_autoptr (GHashTable) metadata = g_hash_table_ref (asb_sandbox_filter_get_metadata (filter));

  g_hash_table_insert (metadata, g_strdup (name), g_strdup (value));
  asb_sandbox_filter_set_metadata (filter, metadata);
  return filter;
}

static AsbSandboxInfo *
create_with (Check *check, const char *name, const char *value)
{
  g_autoptr (AsbSandboxFilter) filter = metadata_filter (check, name, value);
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);

  asb_sandbox_spec_set_metadata (spec, asb_sandbox_filter_get_metadata (filter));
  return check_create (check, spec);
}

static void
metadata (Check *check)
{
  g_autoptr (AsbSandboxFilter) match = metadata_filter (check, "color", "green");
  g_autoptr (AsbSandboxFilter) other = metadata_filter (check, "color", "red");
  g_autoptr (AsbSandboxFilter) missing = metadata_filter (check, "shape", "green");
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbSandboxInfo) plain = check_create (check, spec);
  g_autoptr (AsbSandboxInfo) green = NULL;
  g_autoptr (AsbSandboxInfo) found = NULL;
  g_autoptr (GListModel) infos = NULL;
  GHashTable *values;

  CHECK_GOES_ON (check);
  green = create_with (check, "color", "green");
  CHECK_GOES_ON (check);
  infos = check_list (check, match);
  CHECK_GOES_ON (check);
  CHECK_COUNT (check, g_list_model_get_n_items (infos), 1);
  found = g_list_model_get_item (infos, 0);
  check_same (check, green, found);
  CHECK_GOES_ON (check);
  values = asb_sandbox_ref_get_metadata (asb_sandbox_info_get_ref (found));
  CHECK (check, values != NULL);
  CHECK_TEXT (check, g_hash_table_lookup (values, "color"), "green");
  CHECK_COUNT (check, count (check, other), 0);
  CHECK_COUNT (check, count (check, missing), 0);
}

static AsbSandboxFilter *
state_filter (Check *check, const char *state)
{
  const char *const states[] = { state, NULL };
  AsbSandboxFilter *filter = check_new_filter (check);

  asb_sandbox_filter_set_states (filter, g_variant_new_strv (states, -1));
  return filter;
}

static void
states (Check *check)
{
  g_autoptr (AsbSandboxFilter) running = state_filter (check, "running");
  g_autoptr (AsbSandboxFilter) stopped = state_filter (check, "stopped");
  g_autoptr (AsbSandboxFilter) unheard = state_filter (check, "no-such-state");
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbSandboxInfo) info = check_create (check, spec);
  guint n_running;

  CHECK_GOES_ON (check);
  n_running = count (check, running);
  CHECK_GOES_ON (check);
  CHECK_COUNT (check, n_running, 1);
  CHECK_COUNT (check, count (check, stopped), 0);
  CHECK_COUNT (check, count (check, unheard), 0);
}

static void
collect_page (Check *check, AsbSandboxFilter *filter, guint expected, GHashTable *seen)
{
  g_autoptr (GListModel) infos = check_list (check, filter);

  CHECK_GOES_ON (check);
  CHECK_COUNT (check, g_list_model_get_n_items (infos), expected);
  for (guint i = 0; i < expected; i++)
    {
      g_autoptr (AsbSandboxInfo) info = g_list_model_get_item (infos, i);

      CHECK (check, g_hash_table_add (seen, g_strdup (check_id (info))));
    }
}

static void
pages (Check *check)
{
  static const guint expected[] = { 2, 2, 1, 0 };
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (AsbSandboxFilter) filter = check_new_filter (check);
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);

  for (int i = 0; i < 5; i++)
    {
      g_autoptr (AsbSandboxInfo) info = check_create (check, spec);

      CHECK_GOES_ON (check);
    }
  asb_sandbox_filter_set_page_size (filter, 2);
  for (guint page = 0; page < G_N_ELEMENTS (expected); page++)
    {
      asb_sandbox_filter_set_page (filter, page + 1);
      collect_page (check, filter, expected[page], seen);
      CHECK_GOES_ON (check);
    }
}

static void
check_not_found (Check *check, const char *id)
{
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) get = NULL;
  g_autoptr (GError) delete = NULL;

  info = asb_provider_get_sandbox (check->provider, id, NULL, &get);
  /* Some remember what they have deleted. */
  if (!g_error_matches (get, ASB_ERROR, ASB_ERROR_SANDBOX_DELETED))
    CHECK_ERROR (check, get, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
  CHECK (check, !asb_provider_delete_sandbox (check->provider, id, NULL, &delete));
  CHECK_ERROR (check, delete, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
}

static void
not_found (Check *check)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbSandboxInfo) info = check_create (check, spec);
  g_autofree char *long_id = g_strnfill (5000, 'a');
  g_autofree char *upwards = NULL;
  g_autofree char *through = NULL;
  g_autoptr (GError) error = NULL;

  CHECK_GOES_ON (check);
  upwards = g_strconcat ("../", check_id (info), NULL);
  through = g_strconcat (check_id (info), "/../", check_id (info), NULL);
  {
    const char *const ids[]
        = { "aaaaaaaaaaaa", "", ".", "..", "/", "a\nb", "\377\376", long_id, upwards, through };

    for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
      {
        check_not_found (check, ids[i]);
        CHECK_GOES_ON (check);
      }
  }
  g_clear_object (&info);
  info = asb_provider_get_sandbox (check->provider, check->created->pdata[0], NULL, &error);
  CHECK_NO_ERROR (check, error);
}

static void
deleted (Check *check)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbSandboxInfo) kept = check_create (check, spec);
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (AsbSandboxInfo) left = NULL;
  g_autoptr (GError) error = NULL;

  CHECK_GOES_ON (check);
  info = check_create (check, spec);
  CHECK_GOES_ON (check);
  CHECK (check, strcmp (check_id (info), check_id (kept)) != 0);
  CHECK (check, check_delete (check, check_id (info)));
  check_not_found (check, check_id (info));
  CHECK_GOES_ON (check);
  left = asb_provider_get_sandbox (check->provider, check_id (kept), NULL, &error);
  CHECK_NO_ERROR (check, error);
  check_same (check, kept, left);
}

/* One is told that it did it, or that the sandbox was gone. */
static void
delete_finish (Check *check, GAsyncResult *result, guint *n_done)
{
  g_autoptr (GError) error = NULL;

  if (asb_provider_delete_sandbox_finish (check->provider, result, &error))
    ++*n_done;
  else
    CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
}

static void
deleted_at_once (Check *check)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbSandboxInfo) info = check_create (check, spec);
  GAsyncResult *results[4] = { NULL };
  guint n_done = 0;

  CHECK_GOES_ON (check);
  for (gsize i = 0; i < G_N_ELEMENTS (results); i++)
    asb_provider_delete_sandbox_async (check->provider, check_id (info), NULL, check_ready_cb,
                                       &results[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (results); i++)
    {
      delete_finish (check, check_wait (&results[i]), &n_done);
      g_object_unref (results[i]);
    }
  CHECK_GOES_ON (check);
  CHECK_COUNT (check, n_done, 1);
}

/* Another object of the provider sees the same sandboxes, or none: never half of one. */
static void
two_providers (Check *check)
{
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbSandboxInfo) info = check_create (check, spec);
  g_autoptr (AsbProvider) other = NULL;
  g_autoptr (AsbSandboxInfo) got = NULL;
  g_autoptr (GError) error = NULL;

  CHECK_GOES_ON (check);
  other = check_new_provider (check, &error);
  CHECK_NO_ERROR (check, error);
  got = asb_provider_get_sandbox (other, check_id (info), NULL, &error);
  if (got)
    check_same (check, info, got);
  else
    CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
}

/* What it says it can, it does; what it says it cannot, it refuses by that name. */
static void
paused (Check *check)
{
  g_autoptr (AsbCapabilities) capabilities = asb_provider_get_capabilities (check->provider);
  gboolean pauses = asb_capabilities_supports (capabilities, ASB_CAPABILITY_PAUSE_RESUME);
  g_autoptr (AsbSandboxSpec) spec = check_new_spec (check);
  g_autoptr (AsbSandboxInfo) info = check_create (check, spec);
  g_autoptr (AsbSandboxInfo) sleeping = NULL;
  g_autoptr (AsbSandboxInfo) awake = NULL;
  g_autoptr (GError) error = NULL;

  CHECK_GOES_ON (check);
  sleeping = asb_provider_pause_sandbox (check->provider, check_id (info), NULL, &error);
  if (!pauses)
    {
      CHECK_ERROR (check, error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
      return;
    }
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_sandbox_info_get_state (sleeping) == ASB_SANDBOX_STATE_PAUSED);
  awake = asb_provider_resume_sandbox (check->provider, check_id (info), NULL, &error);
  CHECK_NO_ERROR (check, error);
  CHECK (check, asb_sandbox_info_get_state (awake) == ASB_SANDBOX_STATE_RUNNING);
}

void
check_provider (Check *check)
{
  check_run (check, "provider/identity", identity);
  check_run (check, "provider/create", create);
  check_run (check, "provider/create/refused-workdir", refused_workdir);
  check_run (check, "provider/create/refused-image", refused_image);
  check_run (check, "provider/list", listed);
  check_run (check, "provider/list/metadata", metadata);
  check_run (check, "provider/list/states", states);
  check_run (check, "provider/list/pages", pages);
  check_run (check, "provider/not-found", not_found);
  check_run (check, "provider/delete", deleted);
  check_run (check, "provider/delete/at-once", deleted_at_once);
  check_run (check, "provider/two", two_providers);
  check_run (check, "provider/pause", paused);
}
