/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-greeting.h"

#include <asb.h>

typedef struct
{
  const char *call;
  GVariant *arguments;
  const AsbLocalMeanwhile *meanwhile;
  GMainLoop *loop;
  GCancellable *cancellable;
  AsbTransport *transport;
  GError *error;
  gboolean timed_out;
} Talk;

static void
closed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Talk *talk = user_data;

  asb_transport_close_finish (ASB_TRANSPORT (source), result, NULL);
  g_main_loop_quit (talk->loop);
}

static void
end_talk (Talk *talk)
{
  if (talk->transport)
    asb_transport_close_async (talk->transport, NULL, closed_cb, talk);
  else
    g_main_loop_quit (talk->loop);
}

static void
answered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Talk *talk = user_data;
  g_autoptr (GVariant) answer
      = asb_transport_call_finish (ASB_TRANSPORT (source), result, &talk->error);

  end_talk (talk);
}

static void
greeted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Talk *talk = user_data;
  AsbGuestTransport *transport = asb_guest_transport_new_finish (result, &talk->error);

  talk->transport = transport ? ASB_TRANSPORT (transport) : NULL;
  if (!talk->transport)
    {
      end_talk (talk);
      return;
    }
  asb_transport_call_async (talk->transport, talk->call, talk->arguments, talk->cancellable,
                            answered_cb, talk);
  if (talk->meanwhile)
    talk->meanwhile->run (talk->meanwhile->data);
}

static gboolean
deadline_cb (gpointer user_data)
{
  Talk *talk = user_data;

  talk->timed_out = TRUE;
  g_cancellable_cancel (talk->cancellable);
  return G_SOURCE_REMOVE;
}

static void
cancelled_cb (GCancellable *cancellable, gpointer user_data)
{
  g_cancellable_cancel (user_data);
}

static void
run (Talk *talk, GIOStream *stream, guint seconds, GMainContext *context)
{
  g_autoptr (GSource) deadline = g_timeout_source_new_seconds (seconds);

  g_source_set_callback (deadline, deadline_cb, talk, NULL);
  g_source_attach (deadline, context);
  asb_guest_transport_new_async (stream, NULL, talk->cancellable, greeted_cb, talk);
  g_main_loop_run (talk->loop);
  g_source_destroy (deadline);
}

static gboolean
talk (GIOStream *stream, const char *call, GVariant *arguments, const AsbLocalMeanwhile *meanwhile,
      guint seconds, GCancellable *cancellable, GError **error)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (context, FALSE);
  g_autoptr (GCancellable) own = g_cancellable_new ();
  Talk state = {
    .call = call, .arguments = arguments, .meanwhile = meanwhile, .loop = loop, .cancellable = own
  };
  gulong chain = 0;

  g_main_context_push_thread_default (context);
  if (cancellable)
    chain = g_cancellable_connect (cancellable, G_CALLBACK (cancelled_cb), own, NULL);
  run (&state, stream, seconds, context);
  if (chain)
    g_cancellable_disconnect (cancellable, chain);
  g_main_context_pop_thread_default (context);

  g_clear_object (&state.transport);
  if (!state.error)
    return TRUE;
  if (!state.timed_out)
    g_propagate_error (error, state.error);
  else
    {
      g_error_free (state.error);
      g_set_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT,
                   "The guest did not answer within %u seconds", seconds);
    }
  return FALSE;
}

gboolean
asb_local_ask_to_end (GIOStream *stream, guint seconds, const AsbLocalMeanwhile *meanwhile,
                      GError **error)
{
  return talk (stream, "guest.shutdown", NULL, meanwhile, seconds, NULL, error);
}

gboolean
asb_local_tell_expiry (GIOStream *stream, gint64 milliseconds, guint seconds, GError **error)
{
  g_autoptr (GVariant) arguments = NULL;
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "after_ms", "x", milliseconds);
  arguments = g_variant_ref_sink (g_variant_dict_end (&dict));
  return talk (stream, "guest.expire", arguments, NULL, seconds, NULL, error);
}

gboolean
asb_local_ask_for_record (GIOStream *stream, guint seconds, GCancellable *cancellable,
                          GError **error)
{
  return talk (stream, "history.status", NULL, NULL, seconds, cancellable, error);
}
