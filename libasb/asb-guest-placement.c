/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-placement-private.h"

#include <string.h>
#include <sys/random.h>

#include "asb-cancel-source-private.h"
#include "asb-error.h"
#include "asb-guest-program-private.h"
#include "asb-guest-reopen-private.h"
#include "asb-guest-transport-private.h"
#include "asb-provider-private.h"
#include "asb-subprocess-stream-private.h"
#include "asb-sync-private.h"

#define PLACE "/.agent-history/bin/asb-guest-"
#define HASH_PREFIX 16
#define GUEST_MODE 0755
#define TOKEN_BYTES 32

/* How long a program that was to reach the guest may take to end after that has failed. */
#define EXPLANATION_SECONDS 5

/* Where a provider whose sandboxes have no room at that place wants the program to be, among the
 * details of its error. */
#define PATH_DETAIL "guest_path"

typedef struct
{
  char *sandbox_id;
  GMainContext *context; /* of the public call */
  gint64 reconnect;      /* for how long, in microseconds */
  GBytes *program;       /* (nullable): the provider has its own */
  char *path;
  AsbStreamSpec *spec;
  gboolean was_placed;
  gboolean was_at_an_end; /* a guest that was about to end was met before */
  GIOStream *stream;      /* (nullable): the last one that was opened */
  GError *failure;        /* what it failed with, while its program is asked why */
} AsbPlacement;

static void
placement_free (gpointer data)
{
  AsbPlacement *placement = data;

  g_clear_pointer (&placement->sandbox_id, g_free);
  g_clear_pointer (&placement->context, g_main_context_unref);
  g_clear_pointer (&placement->program, g_bytes_unref);
  g_clear_pointer (&placement->path, g_free);
  g_clear_object (&placement->spec);
  g_clear_object (&placement->stream);
  g_clear_error (&placement->failure);
  g_free (placement);
}

static gboolean
load_program (AsbPlacement *placement, GError **error)
{
  g_autofree char *hash = NULL;

  if (!asb_guest_program_load (&placement->program, &hash, error))
    return FALSE;
  placement->path = g_strdup_printf (PLACE "%.*s", HASH_PREFIX, hash);
  asb_stream_spec_set_program (placement->spec, placement->program);
  return TRUE;
}

static void
set_argv (AsbPlacement *placement)
{
  const char *argv[] = { placement->path, "connect", NULL };

  if (placement->program)
    asb_stream_spec_set_argv (placement->spec, argv);
}

/* Nobody else comes in by it: each client has its own. */
static gboolean
make_token (AsbPlacement *placement, GError **error)
{
  guint8 bytes[TOKEN_BYTES];
  char token[2 * TOKEN_BYTES + 1];

  if (getrandom (bytes, sizeof bytes, 0) != (gssize)sizeof bytes)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INTERNAL,
                           "The system has no random bytes for a token");
      return FALSE;
    }
  for (gsize i = 0; i < sizeof bytes; i++)
    g_snprintf (token + 2 * i, 3, "%02x", bytes[i]);
  asb_stream_spec_set_token (placement->spec, token);
  return TRUE;
}

static void open_stream (GTask *task);
static void explain (GTask *task, GError *error);

/* Such a stream breaks only when one of its ends does: there is nothing to come back to. */
static gboolean
is_local (GIOStream *stream)
{
  return G_IS_SOCKET_CONNECTION (stream)
         && g_socket_get_family (g_socket_connection_get_socket (G_SOCKET_CONNECTION (stream)))
                == G_SOCKET_FAMILY_UNIX;
}

/* A guest that ends can still have been connected to. By the second time it is gone, and the
 * provider starts another. */
static gboolean
met_an_end (AsbPlacement *placement, const GError *error)
{
  gboolean is_first = !placement->was_at_an_end;

  if (!is_local (placement->stream)
      || !g_error_matches (error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE))
    return FALSE;
  placement->was_at_an_end = TRUE;
  return is_first;
}

static void
transport_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  AsbPlacement *placement = g_task_get_task_data (task);
  GError *error = NULL;
  AsbGuestTransport *transport = asb_guest_transport_new_finish (result, &error);

  if (!transport && met_an_end (placement, error))
    {
      g_error_free (error);
      asb_stream_spec_set_program (placement->spec, placement->program);
      open_stream (g_steal_pointer (&task));
      return;
    }
  if (!transport)
    {
      explain (g_steal_pointer (&task), error);
      return;
    }
  asb_guest_transport_set_way (transport, asb_stream_spec_get_way (placement->spec),
                               asb_stream_spec_get_way_reason (placement->spec));
  g_task_return_pointer (task, transport, g_object_unref);
}

/* What providers say of any file is said of the guest instead. */
static void
tell_of_guest (GError *error)
{
  static const char any[] = "Could not put a file into the sandbox: ";
  g_autofree char *told = g_steal_pointer (&error->message);
  const char *cause = g_str_has_prefix (told, any) ? told + strlen (any) : told;

  error->message = g_strconcat ("Could not put the guest into the sandbox: ", cause, NULL);
}

static void
placed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;

  if (!asb_provider_put_file_finish (ASB_PROVIDER (source), result, &error))
    {
      tell_of_guest (error);
      g_task_return_error (task, error);
      return;
    }
  open_stream (g_steal_pointer (&task));
}

/* The provider may know a better place. */
static void
set_place (AsbPlacement *placement, const GError *missing)
{
  AsbErrorInfo *info = asb_error_get_info (missing);
  GVariant *details = info ? asb_error_info_get_details (info) : NULL;
  const char *path = NULL;

  if (!details || !g_variant_lookup (details, PATH_DETAIL, "&s", &path) || *path != '/')
    return;
  g_free (placement->path);
  placement->path = g_strdup (path);
  set_argv (placement);
}

/* Takes @task. */
static void
place (GTask *task)
{
  AsbPlacement *placement = g_task_get_task_data (task);

  placement->was_placed = TRUE;
  asb_provider_put_file_async (g_task_get_source_object (task), placement->sandbox_id,
                               placement->path, placement->program, GUEST_MODE,
                               g_task_get_cancellable (task), placed_cb, task);
}

/* Takes both. */
static void
place_or_fail (GTask *task, GError *error)
{
  AsbPlacement *placement = g_task_get_task_data (task);

  if (placement->program && !placement->was_placed
      && g_error_matches (error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND))
    {
      set_place (placement, error);
      g_error_free (error);
      place (task);
      return;
    }
  if (placement->was_placed && g_error_matches (error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND))
    g_prefix_error (&error, "Could not run the guest that was put at “%s”: ", placement->path);
  g_task_return_error (task, error);
  g_object_unref (task);
}

/* A program that is not there is told by what was to start it. */
static gboolean
explained_cb (gpointer user_data)
{
  GTask *task = user_data;
  AsbPlacement *placement = g_task_get_task_data (task);
  AsbProgramWatch *watch
      = asb_subprocess_stream_get_watch (ASB_SUBPROCESS_STREAM (placement->stream));
  GError *failure = g_steal_pointer (&placement->failure);
  GError *cause = NULL;

  if (!g_cancellable_is_cancelled (asb_program_watch_get_ended (watch))
      || asb_program_watch_check (watch, &cause))
    place_or_fail (g_object_ref (task), failure);
  else if (g_error_matches (cause, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND))
    {
      g_error_free (failure);
      place_or_fail (g_object_ref (task), cause);
    }
  else
    {
      g_task_return_new_error (task, failure->domain, failure->code, "%s: %s", failure->message,
                               cause->message);
      g_error_free (failure);
      g_error_free (cause);
    }
  return G_SOURCE_REMOVE;
}

/* Takes both. */
static void
explain (GTask *task, GError *error)
{
  AsbPlacement *placement = g_task_get_task_data (task);
  g_autoptr (GSource) source = NULL;
  g_autoptr (GSource) limit = NULL;

  if (!ASB_IS_SUBPROCESS_STREAM (placement->stream)
      || !g_error_matches (error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE))
    {
      place_or_fail (task, error);
      return;
    }
  placement->failure = error;
  source = asb_cancel_source_new (asb_program_watch_get_ended (
      asb_subprocess_stream_get_watch (ASB_SUBPROCESS_STREAM (placement->stream))));
  limit = g_timeout_source_new_seconds (EXPLANATION_SECONDS);
  g_source_set_dummy_callback (limit);
  g_source_add_child_source (source, limit);
  g_task_attach_source (task, source, explained_cb);
  g_object_unref (task);
}

/* Takes @task. */
static void
greet (GTask *task, GIOStream *stream)
{
  AsbPlacement *placement = g_task_get_task_data (task);
  AsbGuestReopening reopening = { .limit = is_local (stream) ? 0 : placement->reconnect };

  g_set_object (&placement->stream, stream);
  /* Whoever comes back does so to what is there. */
  asb_stream_spec_set_program (placement->spec, NULL);
  asb_guest_reopen_init (&reopening, g_task_get_source_object (task), placement->sandbox_id,
                         placement->spec, placement->context);
  asb_guest_transport_open_async (stream, asb_stream_spec_get_token (placement->spec), &reopening,
                                  placement->context, g_task_get_cancellable (task), transport_cb,
                                  task);
}

static void
stream_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  g_autoptr (GIOStream) stream
      = asb_provider_open_stream_finish (ASB_PROVIDER (source), result, &error);

  if (stream)
    greet (g_steal_pointer (&task), stream);
  else
    place_or_fail (g_steal_pointer (&task), error);
}

/* Takes @task. */
static void
open_stream (GTask *task)
{
  AsbPlacement *placement = g_task_get_task_data (task);

  asb_provider_open_stream_async (g_task_get_source_object (task), placement->sandbox_id,
                                  placement->spec, g_task_get_cancellable (task), stream_cb, task);
}

void
asb_guest_placement_open_async (AsbProvider *provider, const char *sandbox_id,
                                guint reconnect_seconds, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (provider, cancellable, callback, user_data);
  AsbPlacement *placement = g_new0 (AsbPlacement, 1);
  GError *error = NULL;

  placement->sandbox_id = g_strdup (sandbox_id);
  placement->context = asb_sync_ref_public_context ();
  placement->reconnect = reconnect_seconds * G_TIME_SPAN_SECOND;
  placement->spec = asb_stream_spec_new ();
  g_task_set_source_tag (task, asb_guest_placement_open_async);
  g_task_set_task_data (task, placement, placement_free);

  /* A provider that cannot put files into its sandboxes has the guest there itself. */
  if ((asb_provider_puts_files (provider) && !load_program (placement, &error))
      || !make_token (placement, &error))
    {
      g_task_return_error (task, error);
      return;
    }
  set_argv (placement);
  open_stream (g_steal_pointer (&task));
}

AsbTransport *
asb_guest_placement_open_finish (AsbProvider *provider, GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
