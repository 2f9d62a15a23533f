/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-exchange-private.h"

#include "asb-opensandbox-body.h"
#include "asb-opensandbox-bounded.h"
#include "asb-opensandbox-clock.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-fate.h"
#include "asb-opensandbox-headers.h"
#include "asb-opensandbox-inquiry.h"
#include "asb-opensandbox-message.h"
#include "asb-opensandbox-redact.h"
#include "asb-opensandbox-retry.h"
#include "asb-opensandbox-thread.h"
#include "asb-opensandbox-url.h"

/* What a server may take to say why it refuses. */
#define MAX_ERROR_BODY (64 * 1024)
#define READ_SIZE (32 * 1024)
/* execd announces more of some refusals than it sends. */
#define MAX_WAIT_FOR_REASON 2000
#define MAX_REDIRECTS 5

static void attempt (GTask *task);
static void attempt_failed (GTask *task, const GError *cause);
static void read_more (GTask *task);

static const char *
get_what (AsbOpensandboxExchange *self)
{
  return asb_opensandbox_request_get_what (self->request);
}

static gboolean
was_ever_sent (AsbOpensandboxExchange *self)
{
  return self->was_sent || (self->message && asb_opensandbox_message_was_sent (self->message));
}

static void
forget_message (AsbOpensandboxExchange *self)
{
  self->was_sent = was_ever_sent (self);
  asb_opensandbox_thread_clear_timer (&self->patience);
  asb_opensandbox_thread_clear_timer (&self->handshake);
  g_clear_pointer (&self->doubt, asb_opensandbox_doubt_end);
  if (self->message)
    g_signal_handlers_disconnect_by_data (self->message, self);
  g_clear_object (&self->stream);
  g_clear_object (&self->message);
  g_clear_pointer (&self->body, g_byte_array_unref);
}

/* Nothing of the exchange runs any more. */
static void
stop (AsbOpensandboxExchange *self)
{
  asb_opensandbox_guard_stop (&self->guard);
  asb_opensandbox_thread_clear_timer (&self->pause);
  asb_opensandbox_thread_clear_timer (&self->patience);
  asb_opensandbox_thread_clear_timer (&self->handshake);
  g_clear_pointer (&self->doubt, asb_opensandbox_doubt_end);
  if (self->message)
    g_signal_handlers_disconnect_by_data (self->message, self);
}

static void
exchange_free (gpointer data)
{
  AsbOpensandboxExchange *self = data;

  stop (self);
  g_clear_error (&self->verdict);
  g_clear_pointer (&self->refusal, asb_opensandbox_reply_unref);
  g_clear_object (&self->stream);
  g_clear_object (&self->message);
  g_clear_pointer (&self->body, g_byte_array_unref);
  g_clear_pointer (&self->buffer, g_free);
  g_clear_pointer (&self->uri, g_uri_unref);
  g_clear_pointer (&self->request, asb_opensandbox_request_unref);
  g_clear_error (&self->fault);
  g_clear_object (&self->client);
  g_free (self);
}

/* Whether nobody takes connections where execd should, in a sandbox that runs. */
static gboolean
is_without_execd (AsbOpensandboxExchange *self, const GError *error)
{
  AsbOpensandboxEndpoint *endpoint = asb_opensandbox_request_get_endpoint (self->request);

  return self->sandbox_runs && (endpoint->flags & ASB_OPENSANDBOX_ENDPOINT_SEND_EXECD_TOKEN)
         && (self->was_turned_away
             || (asb_opensandbox_error_get_status (error) == 502
                 && asb_opensandbox_error_is_no_way (error)));
}

/* Takes @error. */
static void
fail (GTask *task, GError *error)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);
  AsbOpensandboxSettings *settings = asb_opensandbox_client_get_settings (self->client);
  AsbOpensandboxEndpoint *endpoint = asb_opensandbox_request_get_endpoint (self->request);

  stop (self);
  error = asb_opensandbox_fate_explain (self->client, self->request, error);
  if (is_without_execd (self, error))
    error = asb_opensandbox_error_suspect_execd (error);
  asb_opensandbox_client_log (self->client, self->request, self->uri, 0, error->message,
                              self->sent);
  g_task_return_error (task, asb_opensandbox_redact_error (error, settings, endpoint));
}

static gboolean
may_have_been_done (AsbOpensandboxExchange *self)
{
  return was_ever_sent (self)
         && asb_opensandbox_retry_rule_for_method (
                asb_opensandbox_request_get_method (self->request))
                != ASB_OPENSANDBOX_RETRY_ALWAYS;
}

/* Takes @error, after which nobody may know whether the request was done. */
static void
fail_without_answer (GTask *task, GError *error)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);

  if (may_have_been_done (self))
    error = asb_opensandbox_error_mark_unknown (error);
  else if (!was_ever_sent (self))
    error = asb_opensandbox_error_mark_not_sent (error);
  fail (task, error);
}

/* The sandbox itself may be the reason why there is no way into it, which its server knows. Who
 * asks again anyway does not ask for that. */
static gboolean
is_worth_asking (AsbOpensandboxExchange *self)
{
  return asb_opensandbox_request_get_endpoint (self->request)->sandbox_id
         && (asb_opensandbox_request_get_retry (self->request) != ASB_OPENSANDBOX_RETRY_NEVER
             || asb_opensandbox_request_get_once (self->request));
}

static void inquired_cb (GObject *source, GAsyncResult *result, gpointer data);

/* Once. FALSE if there is nothing to be asked. @go_on is for a sandbox that is no reason, and takes
 * its error. */
static gboolean
inquire (GTask *task, const GError *fault, void (*go_on) (GTask *task, GError *fault))
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);
  AsbOpensandboxEndpoint *endpoint = asb_opensandbox_request_get_endpoint (self->request);

  if (self->has_inquired || !is_worth_asking (self))
    return FALSE;
  self->has_inquired = TRUE;
  self->fault = g_error_copy (fault);
  self->go_on = go_on;
  /* The guard may end the exchange meanwhile, and nothing of it runs. */
  g_clear_object (&self->guard.attempt);
  asb_opensandbox_inquiry_async (self->client, endpoint->sandbox_id, fault,
                                 g_task_get_cancellable (task), inquired_cb, g_object_ref (task));
  return TRUE;
}

/* Takes @error, the state of the sandbox. */
static void
fail_for_state (GTask *task, GError *error)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);

  if (self->refusal || !was_ever_sent (self))
    error = asb_opensandbox_error_mark_not_sent (error);
  else if (may_have_been_done (self))
    error = asb_opensandbox_error_note_unknown (error);
  fail (task, error);
}

/* Who is silent when TLS is to be agreed on may speak plain HTTP, and wait for the rest of it. */
static GError *
new_silence_error (AsbOpensandboxExchange *self)
{
  AsbOpensandboxEndpoint *endpoint = asb_opensandbox_request_get_endpoint (self->request);
  guint timeout = self->guard.timeout;

  if (!self->handshake)
    return asb_opensandbox_client_name_proxy (
        self->client, self->uri,
        asb_opensandbox_error_timed_out (endpoint, get_what (self), timeout));
  if (self->guard.reason == ASB_OPENSANDBOX_ABORT_NO_TLS)
    timeout = ASB_OPENSANDBOX_EXCHANGE_MAX_HANDSHAKE;
  return asb_opensandbox_error_no_tls (endpoint, get_what (self), timeout);
}

static void
fail_timed_out (GTask *task)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);
  GError *error = new_silence_error (self);

  if (inquire (task, error, fail_without_answer))
    {
      stop (self);
      g_error_free (error);
    }
  else
    fail_without_answer (task, error);
}

static void
fail_untrusted (GTask *task)
{
  g_autoptr (GError) error = g_error_new_literal (G_TLS_ERROR, G_TLS_ERROR_BAD_CERTIFICATE,
                                                  "The certificate of the server is not accepted");

  attempt_failed (task, error);
}

static void
fail_for_guard (GTask *task)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);

  if (self->guard.reason == ASB_OPENSANDBOX_ABORT_STATE)
    fail_for_state (task, g_steal_pointer (&self->verdict));
  else if (self->guard.reason == ASB_OPENSANDBOX_ABORT_UNTRUSTED)
    fail_untrusted (task);
  else if (self->guard.reason == ASB_OPENSANDBOX_ABORT_CANCELLED)
    fail (task, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled"));
  else if (self->guard.reason == ASB_OPENSANDBOX_ABORT_FLOODED)
    fail_without_answer (task, g_error_new (ASB_ERROR, ASB_ERROR_PROTOCOL,
                                            "Could not %s: the server sends informational replies "
                                            "without end",
                                            get_what (self)));
  else
    fail_timed_out (task);
}

/* The guard has cancelled what runs, which answers the task. A pause does not, and libsoup knows
 * nothing of cancelling while a message waits for a connection. */
static void
aborted_cb (gpointer data)
{
  g_autoptr (GTask) task = g_object_ref (data);
  AsbOpensandboxExchange *self = g_task_get_task_data (task);

  if (self->fault)
    return;
  if (self->pause)
    {
      asb_opensandbox_thread_clear_timer (&self->pause);
      fail_for_guard (task);
      g_object_unref (task); /* of the pause */
    }
  else if (self->message && soup_message_get_connection_id (self->message) == 0)
    {
      self->is_over = TRUE;
      fail_for_guard (task);
    }
}

/* Takes @verdict. */
static void
judged (gpointer data, GError *verdict)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (data);

  self->verdict = verdict;
  asb_opensandbox_guard_abort (&self->guard, ASB_OPENSANDBOX_ABORT_STATE);
  aborted_cb (data);
}

/* Repetitions */

static gboolean
pause_over_cb (gpointer data)
{
  g_autoptr (GTask) task = G_TASK (data);
  AsbOpensandboxExchange *self = g_task_get_task_data (task);

  asb_opensandbox_thread_clear_timer (&self->pause);
  attempt (task);
  return G_SOURCE_REMOVE;
}

/* @delay: −1 if it is not worth it. FALSE: it is not, or there is no time. */
static gboolean
try_again_after (GTask *task, gint64 delay)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);

  if (delay < 0 || self->n_retries >= ASB_OPENSANDBOX_MAX_RETRIES
      || !asb_opensandbox_guard_has_time (&self->guard, delay))
    return FALSE;
  self->n_retries++;
  forget_message (self);
  /* The guard may end the pause. */
  g_clear_object (&self->guard.attempt);
  self->pause = asb_opensandbox_thread_add_timer ((guint)delay, pause_over_cb, g_object_ref (task));
  return TRUE;
}

static void
try_again_now (GTask *task)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);

  forget_message (self);
  self->needs_new_connection = TRUE;
  attempt (task);
}

static gboolean
may_repeat (AsbOpensandboxExchange *self, gboolean was_sent)
{
  AsbOpensandboxRetryRule rule = asb_opensandbox_request_get_retry (self->request);

  if (rule == ASB_OPENSANDBOX_RETRY_NEVER || self->kind == ASB_OPENSANDBOX_EXCHANGE_WEBSOCKET)
    return FALSE;
  return !was_sent
         || (rule == ASB_OPENSANDBOX_RETRY_ALWAYS
             && asb_opensandbox_message_is_repeatable (self->request));
}

static void
inquired_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = G_TASK (data);
  AsbOpensandboxExchange *self = g_task_get_task_data (task);
  g_autoptr (GError) fault = g_steal_pointer (&self->fault);
  GError *verdict = asb_opensandbox_inquiry_finish (result);

  self->sandbox_runs = asb_opensandbox_inquiry_found_running (result);
  if (verdict)
    fail_for_state (task, verdict);
  else if (g_cancellable_is_cancelled (g_task_get_cancellable (task)))
    {
      /* The inquiry may hear of that before the guard does. */
      self->guard.reason = ASB_OPENSANDBOX_ABORT_CANCELLED;
      fail_for_guard (task);
    }
  else if (self->guard.final != ASB_OPENSANDBOX_ABORT_NONE)
    {
      self->guard.reason = self->guard.final;
      fail_for_guard (task);
    }
  else
    self->go_on (task, g_steal_pointer (&fault));
}

/* Takes @fault. */
static GError *
explain (AsbOpensandboxExchange *self, GError *fault)
{
  GError *cause = asb_opensandbox_message_explain (self->message, fault);

  if (asb_opensandbox_client_knows_server (self->client)
      || asb_opensandbox_message_has_head (self->message))
    return cause;
  return asb_opensandbox_error_suspect_scheme (
      cause, asb_opensandbox_request_get_endpoint (self->request));
}

/* Takes @fault. */
static void
fail_attempt (GTask *task, GError *fault)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);
  g_autoptr (GError) cause = explain (self, fault);
  gboolean was_sent = asb_opensandbox_message_was_sent (self->message);

  self->was_turned_away = g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED);
  if (asb_opensandbox_error_is_passing (cause) && may_repeat (self, was_sent)
      && try_again_after (task, was_sent
                                    ? asb_opensandbox_retry_next_delay (&self->previous_delay, -1)
                                    : asb_opensandbox_retry_next_unsent_delay ()))
    return;
  fail_without_answer (
      task, asb_opensandbox_client_make_error (self->client, self->request, self->uri, cause));
}

static GError *
new_refusal_error (AsbOpensandboxExchange *self, AsbOpensandboxReply *reply)
{
  GError *error = asb_opensandbox_error_from_reply (
      reply, asb_opensandbox_request_get_target (self->request), get_what (self));

  if (self->was_sent || asb_opensandbox_message_was_resent (self->message))
    error = asb_opensandbox_error_note_repeated (error);
  return error;
}

static void
attempt_failed (GTask *task, const GError *cause)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);

  if (self->refusal)
    {
      fail (task, new_refusal_error (self, self->refusal));
      return;
    }
  /* A kept connection that was closed meanwhile says nothing of the server. */
  if (!asb_opensandbox_message_was_sent (self->message) && self->is_reused
      && !self->needs_new_connection)
    try_again_now (task);
  else if (!inquire (task, cause, fail_attempt))
    fail_attempt (task, g_error_copy (cause));
}

/* Replies */

static AsbOpensandboxReply *
make_reply (AsbOpensandboxExchange *self, GInputStream *stream)
{
  g_autoptr (GBytes) body = NULL;

  if (self->body)
    body = g_byte_array_free_to_bytes (g_steal_pointer (&self->body));
  return asb_opensandbox_reply_new (soup_message_get_status (self->message),
                                    soup_message_get_response_headers (self->message), body,
                                    stream);
}

static gint64
get_retry_after (AsbOpensandboxExchange *self)
{
  SoupMessageHeaders *headers = soup_message_get_response_headers (self->message);

  return asb_opensandbox_headers_parse_retry_after (
      soup_message_headers_get_one (headers, "Retry-After"),
      asb_opensandbox_client_get_server_time (self->client));
}

/* Takes @error. */
static void
refuse (GTask *task, GError *error)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);
  guint status = soup_message_get_status (self->message);

  g_clear_pointer (&self->refusal, asb_opensandbox_reply_unref);
  if (asb_opensandbox_retry_is_passing_status (status) && may_repeat (self, TRUE)
      && try_again_after (
          task, asb_opensandbox_retry_next_delay (&self->previous_delay, get_retry_after (self))))
    g_error_free (error);
  else
    fail (task, error);
}

static void
refused (GTask *task)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);
  g_autoptr (AsbOpensandboxReply) reply = make_reply (self, NULL);
  g_autoptr (GError) error = new_refusal_error (self, reply);

  self->refusal = g_steal_pointer (&reply);
  if (!asb_opensandbox_error_is_no_way (error) || !inquire (task, error, refuse))
    refuse (task, g_steal_pointer (&error));
}

static void
answer (GTask *task, GInputStream *stream)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);

  stop (self);
  g_task_return_pointer (task, make_reply (self, stream),
                         (GDestroyNotify)asb_opensandbox_reply_unref);
}

static gboolean
is_successful (AsbOpensandboxExchange *self)
{
  return SOUP_STATUS_IS_SUCCESSFUL (soup_message_get_status (self->message));
}

static gsize
get_limit (AsbOpensandboxExchange *self)
{
  return is_successful (self) ? asb_opensandbox_request_get_max_reply (self->request)
                              : MAX_ERROR_BODY;
}

static void
too_large (GTask *task)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);

  fail_without_answer (task, g_error_new (ASB_ERROR, ASB_ERROR_TOO_LARGE,
                                          "Could not %s: the server's answer has more than "
                                          "%" G_GSIZE_FORMAT " bytes",
                                          get_what (self), get_limit (self)));
}

/* The body of a refusal is of use as far as it comes. */
static void
body_failed (GTask *task, const GError *error)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);

  if (!is_successful (self) && self->guard.reason != ASB_OPENSANDBOX_ABORT_CANCELLED)
    refused (task);
  else if (self->guard.reason != ASB_OPENSANDBOX_ABORT_NONE)
    fail_for_guard (task);
  else
    attempt_failed (task, error);
}

static gboolean
patience_cb (gpointer data)
{
  AsbOpensandboxExchange *self = data;

  asb_opensandbox_guard_abort (&self->guard, ASB_OPENSANDBOX_ABORT_REFUSED);
  return G_SOURCE_REMOVE;
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = G_TASK (data);
  AsbOpensandboxExchange *self = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  gssize n_read = g_input_stream_read_finish (G_INPUT_STREAM (source), result, &error);

  if (n_read < 0)
    {
      body_failed (task, error);
      return;
    }
  g_byte_array_append (self->body, self->buffer, (guint)n_read);
  if (n_read > 0 && self->body->len <= get_limit (self))
    read_more (task);
  else if (!is_successful (self))
    refused (task);
  else if (n_read == 0)
    answer (task, NULL);
  else
    too_large (task);
}

static void
read_more (GTask *task)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);

  g_input_stream_read_async (self->stream, self->buffer, READ_SIZE, G_PRIORITY_DEFAULT,
                             self->guard.attempt, read_cb, g_object_ref (task));
}

static void
read_whole (GTask *task)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);

  self->body = g_byte_array_new ();
  if (!self->buffer)
    self->buffer = g_malloc (READ_SIZE);
  if (!is_successful (self))
    self->patience = asb_opensandbox_thread_add_timer (MAX_WAIT_FOR_REASON, patience_cb, self);
  read_more (task);
}

/* Redirects */

static void
redirect (GTask *task)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);
  g_autoptr (GUri) target = asb_opensandbox_message_parse_target (self->message, self->uri);
  gboolean is_same = target && asb_opensandbox_url_same_origin (self->uri, target)
                     && !g_uri_get_userinfo (target);

  if (is_same && self->n_redirects < MAX_REDIRECTS
      && self->kind != ASB_OPENSANDBOX_EXCHANGE_WEBSOCKET
      && asb_opensandbox_retry_is_safe (asb_opensandbox_request_get_method (self->request)))
    {
      self->n_redirects++;
      g_uri_unref (self->uri);
      self->uri = g_steal_pointer (&target);
      forget_message (self);
      attempt (task);
      return;
    }
  fail (task, asb_opensandbox_error_redirected (soup_message_get_status (self->message), self->uri,
                                                target, get_what (self)));
}

static void
got_head (GTask *task)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);
  guint status = soup_message_get_status (self->message);
  const char *encoding = soup_message_headers_get_one (
      soup_message_get_response_headers (self->message), "Content-Encoding");

  asb_opensandbox_client_log (self->client, self->request, self->uri, status, NULL, self->sent);
  if (asb_opensandbox_request_get_endpoint (self->request)
      == asb_opensandbox_client_get_lifecycle (self->client))
    asb_opensandbox_client_learn_time (self->client, self->message, self->sent);
  if (asb_opensandbox_url_is_redirect (status))
    redirect (task);
  else if (is_successful (self) && encoding && g_ascii_strcasecmp (encoding, "identity") != 0)
    fail_without_answer (task, g_error_new (ASB_ERROR, ASB_ERROR_PROTOCOL,
                                            "Could not %s: the answer is compressed, which was not "
                                            "asked for",
                                            get_what (self)));
  else if (is_successful (self) && self->kind == ASB_OPENSANDBOX_EXCHANGE_STREAM)
    answer (task, self->stream);
  else
    read_whole (task);
}

static void
sent_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = G_TASK (data);
  AsbOpensandboxExchange *self = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  g_autoptr (GInputStream) stream
      = soup_session_send_finish (SOUP_SESSION (source), result, &error);

  g_clear_pointer (&self->doubt, asb_opensandbox_doubt_end);
  if (self->is_over)
    return;
  if (self->guard.reason == ASB_OPENSANDBOX_ABORT_STALE)
    try_again_now (task);
  else if (self->guard.reason == ASB_OPENSANDBOX_ABORT_REFUSED)
    refused (task);
  else if (self->guard.reason != ASB_OPENSANDBOX_ABORT_NONE)
    fail_for_guard (task);
  else if (!stream)
    attempt_failed (task, error);
  else
    {
      self->stream
          = asb_opensandbox_body_new (stream, self->message, self->request,
                                      asb_opensandbox_client_note_use, G_OBJECT (self->client));
      got_head (task);
    }
}

static void
connected_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = G_TASK (data);
  AsbOpensandboxExchange *self = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  g_autoptr (SoupWebsocketConnection) connection
      = soup_session_websocket_connect_finish (SOUP_SESSION (source), result, &error);
  guint status = soup_message_get_status (self->message);

  g_clear_pointer (&self->doubt, asb_opensandbox_doubt_end);
  if (self->is_over)
    return;
  asb_opensandbox_client_log (self->client, self->request, self->uri, status, NULL, self->sent);
  if (self->guard.reason != ASB_OPENSANDBOX_ABORT_NONE
      && self->guard.reason != ASB_OPENSANDBOX_ABORT_REFUSED)
    fail_for_guard (task);
  else if (connection)
    {
      g_autoptr (GIOStream) stream
          = asb_opensandbox_client_dup_stream (self->client, self->message);

      stop (self);
      g_task_return_pointer (task,
                             asb_opensandbox_bounded_new (g_steal_pointer (&connection), stream),
                             g_object_unref);
    }
  else if (asb_opensandbox_url_is_redirect (status))
    redirect (task);
  else if (status >= 300)
    refused (task);
  else if (self->guard.reason == ASB_OPENSANDBOX_ABORT_REFUSED)
    fail (task, g_error_new (ASB_ERROR, ASB_ERROR_PROTOCOL,
                             "Could not %s: the server answered the handshake of a WebSocket with "
                             "HTTP %u",
                             get_what (self), status));
  else
    attempt_failed (task, error);
}

/* Attempts */

static void
attempt (GTask *task)
{
  AsbOpensandboxExchange *self = g_task_get_task_data (task);
  AsbOpensandboxSettings *settings = asb_opensandbox_client_get_settings (self->client);
  SoupSession *session = asb_opensandbox_client_get_session (self->client);
  g_autoptr (GError) error = NULL;

  self->message = asb_opensandbox_message_new (self->request, self->uri, settings, &error);
  if (!self->message)
    {
      fail (task, g_steal_pointer (&error));
      return;
    }
  if (self->needs_new_connection)
    soup_message_add_flags (self->message, SOUP_MESSAGE_NEW_CONNECTION);
  asb_opensandbox_exchange_listen (self);
  self->is_reused = FALSE;
  self->sent = asb_opensandbox_clock_now ();
  asb_opensandbox_guard_begin (&self->guard);
  if (is_worth_asking (self))
    self->doubt = asb_opensandbox_doubt_begin (self->client, self->request, judged, task);
  if (self->kind == ASB_OPENSANDBOX_EXCHANGE_WEBSOCKET)
    soup_session_websocket_connect_async (session, self->message, NULL, NULL, G_PRIORITY_DEFAULT,
                                          self->guard.attempt, connected_cb, g_object_ref (task));
  else
    soup_session_send_async (session, self->message, G_PRIORITY_DEFAULT, self->guard.attempt,
                             sent_cb, g_object_ref (task));
}

void
asb_opensandbox_exchange_run (AsbOpensandboxClient *client, AsbOpensandboxRequest *request,
                              AsbOpensandboxExchangeKind kind, GTask *task)
{
  AsbOpensandboxExchange *self = g_new0 (AsbOpensandboxExchange, 1);
  g_autoptr (GError) error = NULL;

  self->client = g_object_ref (client);
  self->request = asb_opensandbox_request_ref (request);
  self->kind = kind;
  g_task_set_task_data (task, self, exchange_free);
  if (g_task_return_error_if_cancelled (task))
    return;
  self->uri = asb_opensandbox_message_parse_uri (request, &error);
  if (!self->uri)
    {
      fail (task, g_steal_pointer (&error));
      return;
    }
  asb_opensandbox_guard_start (&self->guard, g_task_get_cancellable (task),
                               asb_opensandbox_client_get_timeout (client, request), aborted_cb,
                               task);
  attempt (task);
}
