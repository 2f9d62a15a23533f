/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-reopen-private.h"

#include "asb-error.h"

typedef struct
{
  AsbProvider *provider;
  char *sandbox_id;
  char **argv;
  GMainContext *context;
} Source;

typedef struct
{
  AsbProvider *provider;
  char *sandbox_id;
  AsbStreamSpec *spec;
  GCancellable *cancellable;
  AsbGuestStreamFunc answer;
  gpointer answer_data;
} Question;

static void
question_free (gpointer data)
{
  Question *question = data;

  g_clear_object (&question->provider);
  g_clear_object (&question->spec);
  g_clear_object (&question->cancellable);
  g_free (question->sandbox_id);
  g_free (question);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Question, question_free)

static Question *
question_new (Source *source, GCancellable *cancellable, AsbGuestStreamFunc answer,
              gpointer answer_data)
{
  Question *question = g_new0 (Question, 1);

  question->provider = g_object_ref (source->provider);
  question->sandbox_id = g_strdup (source->sandbox_id);
  question->spec = asb_stream_spec_new ();
  if (source->argv)
    asb_stream_spec_set_argv (question->spec, (const char *const *)source->argv);
  question->cancellable = g_object_ref (cancellable);
  question->answer = answer;
  question->answer_data = answer_data;
  return question;
}

/* A provider that may be asked in any thread: blocks a thread of its own. */

static gpointer
ask_in_thread (gpointer data)
{
  g_autoptr (Question) question = data;
  GError *error = NULL;
  GIOStream *stream = asb_provider_open_stream (question->provider, question->sandbox_id,
                                                question->spec, question->cancellable, &error);

  question->answer (question->answer_data, stream, error);
  return NULL;
}

static void
ask_anywhere (Question *question)
{
  GError *error = NULL;
  GThread *thread = g_thread_try_new ("asb-reopen", ask_in_thread, question, &error);

  if (thread)
    {
      g_thread_unref (thread);
      return;
    }
  question->answer (question->answer_data, NULL, error);
  question_free (question);
}

/* A provider of a scripting language is asked, and let go of, where it lives. */

static void
stream_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (Question) question = user_data;
  GError *error = NULL;
  GIOStream *stream = asb_provider_open_stream_finish (ASB_PROVIDER (source), result, &error);

  question->answer (question->answer_data, stream, error);
}

static gboolean
ask_cb (gpointer user_data)
{
  Question *question = user_data;

  asb_provider_open_stream_async (question->provider, question->sandbox_id, question->spec,
                                  question->cancellable, stream_cb, question);
  return G_SOURCE_REMOVE;
}

static gboolean
nothing_cb (gpointer user_data)
{
  return G_SOURCE_REMOVE;
}

static void
run_in_context (GMainContext *context, GSourceFunc function, gpointer data, GDestroyNotify destroy)
{
  g_autoptr (GSource) idle = g_idle_source_new ();

  g_source_set_priority (idle, G_PRIORITY_DEFAULT);
  g_source_set_static_name (idle, "asb reopening");
  g_source_set_callback (idle, function, data, destroy);
  g_source_attach (idle, context);
}

static void
ask (gpointer data, GCancellable *cancellable, AsbGuestStreamFunc answer, gpointer answer_data)
{
  Source *source = data;
  Question *question = question_new (source, cancellable, answer, answer_data);

  if (ASB_PROVIDER_GET_IFACE (source->provider)->thread_safe)
    ask_anywhere (question);
  else
    run_in_context (source->context, ask_cb, question, NULL);
}

static void
source_free (gpointer data)
{
  Source *source = data;

  if (ASB_PROVIDER_GET_IFACE (source->provider)->thread_safe)
    g_object_unref (source->provider);
  else
    run_in_context (source->context, nothing_cb, source->provider, g_object_unref);
  g_main_context_unref (source->context);
  g_free (source->sandbox_id);
  g_strfreev (source->argv);
  g_free (source);
}

void
asb_guest_reopen_init (AsbGuestReopening *reopening, AsbProvider *provider, const char *sandbox_id,
                       const char *const *argv, GMainContext *context)
{
  Source *source = g_new0 (Source, 1);

  source->provider = g_object_ref (provider);
  source->sandbox_id = g_strdup (sandbox_id);
  source->argv = g_strdupv ((char **)argv);
  source->context = g_main_context_ref (context);
  reopening->open = ask;
  reopening->data = source;
  reopening->free = source_free;
}
