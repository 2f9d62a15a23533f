/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-metrics.h"

#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-reach.h"

#define WHAT "a sample of metrics"
#define MEBIBYTE (1024.0 * 1024.0)
/* More than any machine has, and less than what a 64-bit number of bytes holds. */
#define MAX_MEBIBYTES (double)(G_GINT64_CONSTANT (1) << 43)
#define MAX_TEXT_BYTES 300

static gboolean
get_amount (JsonObject *object, const char *member, double max, double *value, GError **error)
{
  if (!asb_opensandbox_json_get_double (object, member, TRUE, value, error))
    return FALSE;
  if (*value >= 0 && *value <= max)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "The member “%s” of " WHAT " is out of range",
               member);
  return FALSE;
}

/* A sample that could not be taken. */
static gboolean
check_error (JsonObject *object, GError **error)
{
  const char *text = NULL;
  g_autofree char *clean = NULL;

  if (!asb_opensandbox_json_get_string (object, "error", FALSE, &text, error))
    return FALSE;
  if (!text)
    return TRUE;
  clean = asb_opensandbox_error_dup_text (text, strlen (text), MAX_TEXT_BYTES);
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER, "The sandbox could not be measured: %s",
               clean);
  return FALSE;
}

static GDateTime *
to_date (gint64 milliseconds)
{
  g_autoptr (GDateTime) second = g_date_time_new_from_unix_utc (milliseconds / 1000);

  return second ? g_date_time_add (second, milliseconds % 1000 * 1000) : NULL;
}

AsbSandboxMetrics *
asb_opensandbox_metrics_parse (GBytes *body, GError **error)
{
  g_autoptr (JsonObject) object = asb_opensandbox_json_parse_object (body, WHAT, error);
  g_autoptr (GDateTime) sampled_at = NULL;
  double count = 0, percent = 0, total = 0, used = 0;
  gint64 timestamp = 0;

  if (!object || !check_error (object, error)
      || !get_amount (object, "cpu_count", G_MAXINT32, &count, error)
      || !get_amount (object, "cpu_used_pct", G_MAXINT32, &percent, error)
      || !get_amount (object, "mem_total_mib", MAX_MEBIBYTES, &total, error)
      || !get_amount (object, "mem_used_mib", MAX_MEBIBYTES, &used, error)
      || !asb_opensandbox_json_get_int (object, "timestamp", FALSE, &timestamp, error))
    return NULL;
  if (timestamp > 0)
    sampled_at = to_date (timestamp);
  return g_object_new (ASB_TYPE_SANDBOX_METRICS, "cpu-count", count, "cpu-percent", percent,
                       "memory-total", (guint64)(total * MEBIBYTE), "memory-used",
                       (guint64)(used * MEBIBYTE), "sampled-at", sampled_at, NULL);
}

static AsbOpensandboxRequest *
new_request (AsbOpensandboxEndpoint *endpoint, gpointer user_data)
{
  AsbOpensandboxRequest *request = asb_opensandbox_request_new ("GET", endpoint, "/metrics");

  asb_opensandbox_request_set_what (request, "get the metrics of the sandbox");
  return request;
}

static void
got_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbSandboxMetrics *metrics = NULL;
  GError *error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_reach_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (reply)
    metrics = asb_opensandbox_metrics_parse (asb_opensandbox_reply_get_body (reply), &error);
  asb_opensandbox_call_return_object (task, metrics, error);
}

void
asb_opensandbox_metrics_get (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);

  asb_opensandbox_reach_async (call->lifecycle, call->sandbox_id, ASB_OPENSANDBOX_PORT_EXECD,
                               new_request, NULL, g_task_get_cancellable (task), got_cb,
                               g_object_ref (task));
}
