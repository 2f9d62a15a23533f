/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-metrics.h"

#include <string.h>

#include "asb-opensandbox-cancel.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-get.h"
#include "asb-opensandbox-wait.h"

#define READ_BYTES 4096
#define MAX_LINE_BYTES (64 * 1024)
/* A sandbox that is being deleted ends before its server has done with it. */
#define MAX_DOUBT_US (5 * G_USEC_PER_SEC)

/* A stream of samples, one a line. It goes on until the watch is closed or let go of, or the stream
 * ends. */
typedef struct
{
  GWeakRef watch;
  AsbOpensandboxCancelWatch *closed; /* the watch's */
  GCancellable *cancellable;         /* likewise, in the I/O thread */
  AsbOpensandboxLifecycle *lifecycle;
  AsbOpensandboxReply *reply;
  char *sandbox_id;
  GByteArray *line; /* what has come of the next one */
  gint64 ended;     /* when the stream did */
  guint pause_ms;
} Feed;

static void read_more (Feed *feed);

static void
feed_free (Feed *feed)
{
  g_weak_ref_clear (&feed->watch);
  asb_opensandbox_cancel_unwatch (&feed->closed);
  g_clear_object (&feed->cancellable);
  g_clear_object (&feed->lifecycle);
  g_clear_pointer (&feed->reply, asb_opensandbox_reply_unref);
  g_clear_pointer (&feed->line, g_byte_array_unref);
  g_free (feed->sandbox_id);
  g_free (feed);
}

static void
closed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  if (!g_input_stream_close_finish (G_INPUT_STREAM (source), result, &error))
    g_debug ("The stream of metrics did not close in order: %s", error->message);
}

/* @error: why, or NULL when the sandbox is gone */
static void
finish (Feed *feed, const GError *error)
{
  g_autoptr (AsbMetricsWatch) watch = g_weak_ref_get (&feed->watch);

  if (watch && error)
    asb_metrics_watch_fail (watch, error);
  else if (watch)
    asb_metrics_watch_end (watch);
  g_input_stream_close_async (asb_opensandbox_reply_get_stream (feed->reply), G_PRIORITY_DEFAULT,
                              NULL, closed_cb, NULL);
  feed_free (feed);
}

static void ask_why (Feed *feed);

static void
waited_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Feed *feed = user_data;
  g_autoptr (GError) error = NULL;

  if (asb_opensandbox_wait_finish (result, &error))
    ask_why (feed);
  else
    finish (feed, error);
}

static gboolean
is_over (AsbSandboxInfo *info)
{
  AsbSandboxState state = asb_sandbox_info_get_state (info);

  return state == ASB_SANDBOX_STATE_STOPPING || state == ASB_SANDBOX_STATE_STOPPED
         || state == ASB_SANDBOX_STATE_FAILED;
}

/* The stream ends with the sandbox, but also with the connection: the server knows which, soon. */
static void
asked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Feed *feed = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) cut = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_opensandbox_get_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (asb_opensandbox_error_is_gone (error) || (info && is_over (info)))
    {
      finish (feed, NULL);
      return;
    }
  if (g_get_monotonic_time () - feed->ended < MAX_DOUBT_US)
    {
      asb_opensandbox_wait_async (asb_opensandbox_wait_next (&feed->pause_ms), feed->cancellable,
                                  waited_cb, feed);
      return;
    }
  cut = g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                     "The stream of metrics of sandbox “%s” ended early", feed->sandbox_id);
  finish (feed, cut);
}

static void
ask_why (Feed *feed)
{
  asb_opensandbox_get_async (feed->lifecycle, feed->sandbox_id, feed->cancellable, asked_cb, feed);
}

static void
ended (Feed *feed)
{
  feed->ended = g_get_monotonic_time ();
  ask_why (feed);
}

/* A sample that could not be taken is left out: the next one comes. */
static gboolean
take_line (Feed *feed, const guint8 *data, gsize size, GError **error)
{
  g_autoptr (GBytes) line = NULL;
  g_autoptr (AsbSandboxMetrics) metrics = NULL;
  g_autoptr (AsbMetricsWatch) watch = NULL;
  g_autoptr (GError) fault = NULL;

  while (size > 0 && g_ascii_isspace ((char)data[size - 1]))
    size--;
  if (size == 0)
    return TRUE;
  line = g_bytes_new (data, size);
  metrics = asb_opensandbox_metrics_parse (line, &fault);
  watch = g_weak_ref_get (&feed->watch);
  if (metrics && watch)
    asb_metrics_watch_push (watch, metrics);
  else if (fault && g_error_matches (fault, ASB_ERROR, ASB_ERROR_PROVIDER))
    g_debug ("%s", fault->message);
  else if (fault)
    {
      g_propagate_error (error, g_steal_pointer (&fault));
      return FALSE;
    }
  return TRUE;
}

static gboolean
take_lines (Feed *feed, GError **error)
{
  const guint8 *end;

  while ((end = memchr (feed->line->data, '\n', feed->line->len)) != NULL)
    {
      gsize size = (gsize)(end - feed->line->data);

      if (!take_line (feed, feed->line->data, size, error))
        return FALSE;
      g_byte_array_remove_range (feed->line, 0, (guint)size + 1);
    }
  if (feed->line->len <= MAX_LINE_BYTES)
    return TRUE;
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                       "A sample of metrics is longer than any is");
  return FALSE;
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Feed *feed = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes
      = g_input_stream_read_bytes_finish (G_INPUT_STREAM (source), result, &error);

  if (!bytes)
    {
      if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        finish (feed, error);
      else
        ended (feed);
      return;
    }
  if (g_bytes_get_size (bytes) == 0)
    {
      ended (feed);
      return;
    }
  g_byte_array_append (feed->line, g_bytes_get_data (bytes, NULL), (guint)g_bytes_get_size (bytes));
  if (take_lines (feed, &error))
    read_more (feed);
  else
    finish (feed, error);
}

static void
read_more (Feed *feed)
{
  g_input_stream_read_bytes_async (asb_opensandbox_reply_get_stream (feed->reply), READ_BYTES,
                                   G_PRIORITY_DEFAULT, feed->cancellable, read_cb, feed);
}

/* Opening. */

static void
watch_closed_cb (gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  GError *error = NULL;
  AsbOpensandboxReply *reply
      = asb_opensandbox_client_open_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);
  Feed *feed;

  if (!reply)
    {
      asb_opensandbox_get_note_sandbox (error, call->sandbox_id, NULL);
      g_task_return_error (task, error);
      return;
    }
  feed = g_new0 (Feed, 1);
  g_weak_ref_init (&feed->watch, call->object);
  feed->cancellable = g_cancellable_new ();
  feed->closed = asb_opensandbox_cancel_watch (
      asb_metrics_watch_get_cancellable (ASB_METRICS_WATCH (call->object)), watch_closed_cb,
      feed->cancellable);
  feed->lifecycle = g_object_ref (call->lifecycle);
  feed->reply = reply;
  feed->sandbox_id = g_strdup (call->sandbox_id);
  feed->line = g_byte_array_new ();
  asb_opensandbox_call_return_object (task, g_object_ref (call->object), NULL);
  read_more (feed);
}

static void
looked_up_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  GError *error = NULL;
  g_autoptr (AsbOpensandboxRequest) request = NULL;
  g_autoptr (AsbOpensandboxEndpoint) endpoint = asb_opensandbox_endpoints_lookup_finish (
      ASB_OPENSANDBOX_ENDPOINTS (source), result, &error);

  if (!endpoint)
    {
      asb_opensandbox_get_note_sandbox (error, call->sandbox_id, NULL);
      g_task_return_error (task, error);
      return;
    }
  request = asb_opensandbox_request_new ("GET", endpoint, "/metrics/watch");
  asb_opensandbox_request_set_what (request, "watch the metrics of the sandbox");
  asb_opensandbox_client_open_async (asb_opensandbox_lifecycle_get_client (call->lifecycle),
                                     request, g_task_get_cancellable (task), opened_cb,
                                     g_object_ref (task));
}

void
asb_opensandbox_metrics_watch (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);

  asb_opensandbox_endpoints_lookup_async (
      asb_opensandbox_lifecycle_get_endpoints (call->lifecycle), call->sandbox_id,
      ASB_OPENSANDBOX_PORT_EXECD, g_task_get_cancellable (task), looked_up_cb, g_object_ref (task));
}
