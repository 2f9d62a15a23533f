/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A provider whose server says anything: each call comes to an end, with what can be looked at or
 * an error. The first byte says which call it is; then comes, for each request, a byte that says
 * the status, and a block that is the body. */

#include "fuzz.h"
#include "look.h"

#include <asb.h>

#include "asb-opensandbox-provider.h"
#include "hostile-server.h"

#define SANDBOX "sb-1"
#define ENDPOINTS "/sandboxes/" SANDBOX "/endpoints/"
#define N_CALLS 23

/* None that is asked again after a while. */
static const char *const statuses[]
    = { "200 OK",         "200 OK",        "200 OK",       "202 Accepted",
        "204 No Content", "404 Not Found", "409 Conflict", "500 X" };

/* A copy, for whoever still answers when the call is over. */
static uint8_t the_bytes[8192];
static FuzzInput the_answers;
static gboolean is_open; /* the way into the sandbox need not be found */

static gboolean
answer (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  g_autofree char *body = NULL;
  const char *status = statuses[fuzz_take_byte (&the_answers) & 7];
  size_t size;

  if (is_open && strstr (head, ENDPOINTS))
    {
      body = g_strdup_printf ("{\"endpoint\":\"%s/box\"}", (const char *)data);
      hostile_connection_reply (connection, "200 OK", "", body);
      return TRUE;
    }
  if (fuzz_left (&the_answers) == 0)
    status = "404 Not Found";
  size = fuzz_take_short (&the_answers);
  size = MIN (size, fuzz_left (&the_answers));
  body = g_strndup ((const char *)the_answers.at, size);
  the_answers.at += size;
  if (g_str_has_prefix (status, "204"))
    *body = '\0';
  hostile_connection_reply (connection, status, "Content-Type: application/json\r\n", body);
  return TRUE;
}

static AsbProvider *
get_provider (void)
{
  static AsbProvider *provider;
  static char domain[64];
  HostileServer *server;

  if (provider)
    return provider;
  /* Nothing of the desktop. */
  g_setenv ("GIO_USE_PROXY_RESOLVER", "dummy", TRUE);
  g_setenv ("GSETTINGS_BACKEND", "memory", TRUE);
  server = hostile_server_new (answer, domain);
  g_strlcpy (domain, hostile_server_get_domain (server), sizeof domain);
  /* There is no time to ask twice, or to look for what was made. */
  provider = g_initable_new (ASB_TYPE_OPENSANDBOX_PROVIDER, NULL, NULL, "url", domain,
                             "request-timeout-seconds", 0.4, "ready-timeout-seconds", 0.001, NULL);
  FUZZ_CHECK (provider != NULL);
  return provider;
}

static gpointer
list (AsbProvider *provider, GError **error)
{
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();
  GListModel *found;

  asb_sandbox_filter_set_page_size (filter, 1000);
  found = asb_provider_list_sandboxes (provider, filter, NULL, error);
  for (guint i = 0; found && i < g_list_model_get_n_items (found); i++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (found, i);

      fuzz_look_at (item);
    }
  return found;
}

static gpointer
list_snapshots (AsbProvider *provider, GError **error)
{
  g_autoptr (AsbSnapshotFilter) filter = asb_snapshot_filter_new ();

  return asb_provider_list_snapshots (provider, filter, NULL, error);
}

static gpointer
create (AsbProvider *provider, GError **error)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

  asb_sandbox_spec_set_await_readiness (spec, FALSE);
  return asb_provider_create_sandbox (provider, spec, NULL, error);
}

static gpointer
rename_it (AsbProvider *provider, GError **error)
{
  g_autoptr (GVariant) changes = g_variant_ref_sink (g_variant_new_parsed ("{'a': @ms 'b'}"));

  return asb_provider_patch_metadata (provider, SANDBOX, changes, NULL, error);
}

static void
watched_cb (GObject *watch, GParamSpec *pspec, gpointer loop)
{
  g_main_loop_quit (loop);
}

/* To its end: the server ends the stream. */
static gpointer
watch (AsbProvider *provider, GError **error)
{
  AsbMetricsWatch *watch = asb_provider_watch_metrics (provider, SANDBOX, NULL, error);
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  if (!watch)
    return NULL;
  g_signal_connect (watch, "notify::state", G_CALLBACK (watched_cb), loop);
  if (asb_metrics_watch_get_state (watch) == ASB_METRICS_WATCH_STATE_ACTIVE)
    g_main_loop_run (loop);
  return watch;
}

static const char *const targets[] = { "example.org", NULL };

/* Waits for the state. */
static gpointer
turn (AsbProvider *provider, gboolean is_pause, GError **error)
{
  AsbSandboxState wanted = is_pause ? ASB_SANDBOX_STATE_PAUSED : ASB_SANDBOX_STATE_RUNNING;
  AsbSandboxInfo *info = is_pause ? asb_provider_pause_sandbox (provider, SANDBOX, NULL, error)
                                  : asb_provider_resume_sandbox (provider, SANDBOX, NULL, error);

  FUZZ_CHECK (!info || asb_sandbox_info_get_state (info) == wanted);
  return info;
}

static gpointer
call_policy (uint8_t choice, AsbProvider *provider, GError **error)
{
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();

  if (choice == 16)
    return asb_provider_set_network_policy (provider, SANDBOX, policy, NULL, error);
  if (choice == 17)
    return asb_provider_patch_network_policy (provider, SANDBOX, policy, NULL, error);
  return asb_provider_remove_network_rules (provider, SANDBOX, targets, NULL, error);
}

/* Nothing is done that nobody said was done. */
static gboolean
call_boolean (uint8_t choice, AsbProvider *provider, GError **error)
{
  if (choice == 21)
    return asb_provider_delete_sandbox (provider, SANDBOX, NULL, error);
  return asb_provider_delete_snapshot (provider, "sn-1", NULL, error);
}

static gpointer
call_object (uint8_t choice, AsbProvider *provider, GError **error)
{
  switch (choice)
    {
    case 0:
      return list (provider, error);
    case 1:
      return list_snapshots (provider, error);
    case 2:
      return asb_provider_renew_sandbox (provider, SANDBOX, 300, NULL, error);
    case 3:
      return rename_it (provider, error);
    case 4:
      return asb_provider_get_endpoint (provider, SANDBOX, 8080, 0, NULL, error);
    case 5:
      return asb_provider_get_network_policy (provider, SANDBOX, NULL, error);
    case 6:
      return asb_provider_get_metrics (provider, SANDBOX, NULL, error);
    case 7:
      return watch (provider, error);
    case 8:
      return asb_provider_get_diagnostics (provider, SANDBOX, "logs", "all", NULL, error);
    case 9:
      return asb_provider_get_sandbox (provider, SANDBOX, NULL, error);
    case 10:
      return create (provider, error);
    case 14:
      return turn (provider, TRUE, error);
    case 15:
      return turn (provider, FALSE, error);
    case 16:
    case 17:
    case 18:
      return call_policy (choice, provider, error);
    case 19:
      return asb_provider_create_snapshot (provider, SANDBOX, "name", NULL, error);
    default:
      return asb_provider_get_snapshot (provider, "sn-1", NULL, error);
    }
}

static GVariant *
call_variant (uint8_t choice, AsbProvider *provider, GError **error)
{
  if (choice == 12)
    return asb_provider_diagnose (provider, NULL, error);
  if (choice == 20)
    return asb_provider_call_service (provider, NULL, "pools.list", NULL, NULL, error);
  return asb_provider_call_service (provider, SANDBOX, "credential_vault.get", NULL, NULL, error);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, data + size };
  uint8_t choice = fuzz_take_byte (&input);
  AsbProvider *provider = get_provider ();
  g_autoptr (GVariant) variant = NULL;
  g_autoptr (GObject) object = NULL;
  g_autoptr (GError) error = NULL;
  gboolean is_done = FALSE;

  is_open = (choice & 0x80) == 0;
  choice = (choice & 0x7f) % N_CALLS;
  size = MIN (fuzz_left (&input), sizeof the_bytes);
  memcpy (the_bytes, input.at, size);
  the_answers = (FuzzInput){ the_bytes, the_bytes + size };
  if (choice >= 21)
    is_done = call_boolean (choice, provider, &error);
  else if (choice == 12 || choice == 13 || choice == 20)
    variant = call_variant (choice, provider, &error);
  else
    object = call_object (choice, provider, &error);
  FUZZ_CHECK ((object || variant || is_done) == (error == NULL));
  FUZZ_CHECK (!error || (error->domain == ASB_ERROR && asb_error_code_to_string (error->code)));
  FUZZ_CHECK (!error || g_utf8_validate (error->message, -1, NULL));
  FUZZ_CHECK (!variant || g_variant_is_normal_form (variant));
  if (object)
    fuzz_look_at (object);
  return 0;
}
