/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-reopen-private.h"

#include "asb-error.h"
#include "asb-provider-private.h"
#include "asb-sync-private.h"

/* A guest acknowledges what it gets within milliseconds. */
#define PATIENCE (1 * G_TIME_SPAN_SECOND)

typedef struct
{
  AsbProvider *provider;
  char *sandbox_id;
  char **argv;
  char *token;
  GMainContext *context;
} Source;

/* Each is asked in one thread, and cancelled there only: a source of a cancellable must not go
 * while another thread cancels it, which GLib 2.74 does not survive. */
typedef struct
{
  gatomicrefcount references;
  AsbProvider *provider;
  char *sandbox_id;
  AsbStreamSpec *spec;
  GCancellable *cancellable;
  AsbGuestStreamFunc answer;
  gpointer answer_data;
  GMutex mutex;
  GMainContext *context; /* of that thread, while it is asked */
  gboolean cancelled;    /* before it is */
} Question;

static void
answer (Question *question, GIOStream *stream, GError *error)
{
  AsbGuestStreamFunc function = question->answer;

  question->answer = NULL;
  function (question->answer_data, stream, error);
}

static Question *
question_ref (Question *question)
{
  g_atomic_ref_count_inc (&question->references);
  return question;
}

static void
question_unref (gpointer data)
{
  Question *question = data;

  if (!g_atomic_ref_count_dec (&question->references))
    return;
  if (question->answer)
    answer (question, NULL,
            g_error_new_literal (ASB_ERROR, ASB_ERROR_CLOSED,
                                 "The main context of the provider has gone"));
  g_clear_object (&question->provider);
  g_clear_object (&question->spec);
  g_clear_object (&question->cancellable);
  g_clear_pointer (&question->context, g_main_context_unref);
  g_mutex_clear (&question->mutex);
  g_free (question->sandbox_id);
  g_free (question);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Question, question_unref)

static Question *
question_new (Source *source, AsbGuestStreamFunc function, gpointer answer_data)
{
  Question *question = g_new0 (Question, 1);

  g_atomic_ref_count_init (&question->references);
  g_mutex_init (&question->mutex);
  question->provider = g_object_ref (source->provider);
  question->sandbox_id = g_strdup (source->sandbox_id);
  question->spec = asb_stream_spec_new ();
  if (source->argv)
    asb_stream_spec_set_argv (question->spec, (const char *const *)source->argv);
  asb_stream_spec_set_token (question->spec, source->token);
  question->cancellable = g_cancellable_new ();
  question->answer = function;
  question->answer_data = answer_data;
  return question;
}

/* What was cancelled before is cancelled as it begins; afterwards it does not matter. */
static void
set_context (Question *question, GMainContext *context)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&question->mutex);

  g_clear_pointer (&question->context, g_main_context_unref);
  question->context = context ? g_main_context_ref (context) : NULL;
  if (context && question->cancelled)
    g_cancellable_cancel (question->cancellable);
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

static gboolean
cancel_cb (gpointer user_data)
{
  Question *question = user_data;

  g_cancellable_cancel (question->cancellable);
  return G_SOURCE_REMOVE;
}

/* In the I/O thread. */
static void
cancelled_cb (GCancellable *cancellable, gpointer user_data)
{
  Question *question = user_data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&question->mutex);

  if (question->context)
    run_in_context (question->context, cancel_cb, question_ref (question), question_unref);
  else
    question->cancelled = TRUE;
}

/* A provider that may be asked in any thread: blocks a thread of its own. */

static gpointer
ask_in_thread (gpointer data)
{
  g_autoptr (Question) question = data;
  g_auto (AsbSync) sync = { 0 };
  GError *error = NULL;
  GIOStream *stream;

  asb_sync_begin (&sync);
  set_context (question, sync.context);
  asb_provider_open_stream_async (question->provider, question->sandbox_id, question->spec,
                                  question->cancellable, asb_sync_ready_cb, &sync);
  stream = asb_provider_open_stream_finish (question->provider, asb_sync_wait (&sync), &error);
  set_context (question, NULL);
  answer (question, stream, error);
  return NULL;
}

static void
ask_anywhere (Question *question)
{
  GError *error = NULL;
  GThread *thread = g_thread_try_new ("asb-reopen", ask_in_thread, question_ref (question), &error);

  if (thread)
    {
      g_thread_unref (thread);
      return;
    }
  answer (question, NULL, error);
  question_unref (question);
}

/* A provider of a scripting language is asked, and let go of, where it lives. */

static void
stream_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (Question) question = user_data;
  GError *error = NULL;
  GIOStream *stream = asb_provider_open_stream_finish (ASB_PROVIDER (source), result, &error);

  set_context (question, NULL);
  answer (question, stream, error);
}

static gboolean
ask_cb (gpointer user_data)
{
  Question *question = user_data;

  asb_provider_open_stream_async (question->provider, question->sandbox_id, question->spec,
                                  question->cancellable, stream_cb, question_ref (question));
  return G_SOURCE_REMOVE;
}

static gboolean
nothing_cb (gpointer user_data)
{
  return G_SOURCE_REMOVE;
}

static void
ask (gpointer data, GCancellable *cancellable, AsbGuestStreamFunc function, gpointer answer_data)
{
  Source *source = data;
  g_autoptr (Question) question = question_new (source, function, answer_data);

  g_cancellable_connect (cancellable, G_CALLBACK (cancelled_cb), question_ref (question),
                         question_unref);
  if (asb_provider_is_thread_safe (source->provider))
    {
      ask_anywhere (question);
      return;
    }
  set_context (question, source->context);
  run_in_context (source->context, ask_cb, question_ref (question), question_unref);
}

/* How the sandbox is. */

typedef struct
{
  AsbProvider *provider;
  char *sandbox_id;
  AsbGuestStateFunc answer; /* NULL: it was given */
  gpointer answer_data;
} Inquiry;

static void
answer_state (Inquiry *inquiry, AsbSandboxState state, GError *error)
{
  AsbGuestStateFunc function = inquiry->answer;

  inquiry->answer = NULL;
  function (inquiry->answer_data, state, error);
}

static void
inquiry_free (gpointer data)
{
  Inquiry *inquiry = data;

  if (inquiry->answer)
    answer_state (inquiry, ASB_SANDBOX_STATE_UNKNOWN,
                  g_error_new_literal (ASB_ERROR, ASB_ERROR_CLOSED,
                                       "The main context of the provider has gone"));
  g_object_unref (inquiry->provider);
  g_free (inquiry->sandbox_id);
  g_free (inquiry);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Inquiry, inquiry_free)

static void
answer_info (Inquiry *inquiry, AsbSandboxInfo *info, GError *error)
{
  g_autoptr (AsbSandboxInfo) owned = info;

  answer_state (inquiry, info ? asb_sandbox_info_get_state (info) : ASB_SANDBOX_STATE_UNKNOWN,
                error);
}

static gpointer
inquire_in_thread (gpointer data)
{
  g_autoptr (Inquiry) inquiry = data;
  GError *error = NULL;
  AsbSandboxInfo *info
      = asb_provider_get_sandbox (inquiry->provider, inquiry->sandbox_id, NULL, &error);

  answer_info (inquiry, info, error);
  return NULL;
}

static void
info_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (Inquiry) inquiry = user_data;
  GError *error = NULL;
  AsbSandboxInfo *info = asb_provider_get_sandbox_finish (ASB_PROVIDER (source), result, &error);

  answer_info (inquiry, info, error);
}

static gboolean
inquire_cb (gpointer user_data)
{
  Inquiry **inquiry = user_data;

  asb_provider_get_sandbox_async ((*inquiry)->provider, (*inquiry)->sandbox_id, NULL, info_cb,
                                  *inquiry);
  *inquiry = NULL;
  return G_SOURCE_REMOVE;
}

static void
handle_free (gpointer data)
{
  Inquiry **inquiry = data;

  g_clear_pointer (inquiry, inquiry_free);
  g_free (inquiry);
}

static void
inquire (gpointer data, AsbGuestStateFunc function, gpointer answer_data)
{
  Source *source = data;
  g_autoptr (Inquiry) inquiry = g_new0 (Inquiry, 1);
  Inquiry **handle;
  GThread *thread;
  GError *error = NULL;

  inquiry->provider = g_object_ref (source->provider);
  inquiry->sandbox_id = g_strdup (source->sandbox_id);
  inquiry->answer = function;
  inquiry->answer_data = answer_data;
  if (!asb_provider_is_thread_safe (source->provider))
    {
      handle = g_new (Inquiry *, 1);
      *handle = g_steal_pointer (&inquiry);
      run_in_context (source->context, inquire_cb, handle, handle_free);
      return;
    }
  thread = g_thread_try_new ("asb-inquiry", inquire_in_thread, inquiry, &error);
  if (!thread)
    {
      answer_state (inquiry, ASB_SANDBOX_STATE_UNKNOWN, error);
      return;
    }
  g_thread_unref (thread);
  g_steal_pointer (&inquiry);
}

static void
source_free (gpointer data)
{
  Source *source = data;

  if (asb_provider_is_thread_safe (source->provider))
    g_object_unref (source->provider);
  else
    run_in_context (source->context, nothing_cb, source->provider, g_object_unref);
  g_main_context_unref (source->context);
  g_free (source->sandbox_id);
  g_strfreev (source->argv);
  g_free (source->token);
  g_free (source);
}

void
asb_guest_reopen_init (AsbGuestReopening *reopening, AsbProvider *provider, const char *sandbox_id,
                       AsbStreamSpec *spec, GMainContext *context)
{
  Source *source = g_new0 (Source, 1);

  source->provider = g_object_ref (provider);
  source->sandbox_id = g_strdup (sandbox_id);
  source->argv = g_strdupv ((char **)asb_stream_spec_get_argv (spec));
  source->token = g_strdup (asb_stream_spec_get_token (spec));
  source->context = g_main_context_ref (context);
  reopening->open = ask;
  reopening->inquire = inquire;
  reopening->patience = PATIENCE;
  reopening->data = source;
  reopening->free = source_free;
}
