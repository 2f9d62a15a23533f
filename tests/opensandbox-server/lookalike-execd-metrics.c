/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdio.h>
#include <string.h>

#include "lookalike-execd.h"
#include "lookalike-json.h"

/* A look at the processors, and another after the interval. */
typedef struct
{
  LookalikeRequest *request;
  guint64 busy;
  guint64 all;
  guint timer;
  gboolean watch;
  guint step;
} Sample;

static void
read_processors (guint64 *busy, guint64 *all)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) fields = NULL;

  *busy = *all = 0;
  if (!g_file_get_contents ("/proc/stat", &text, NULL, NULL))
    return;
  *strchrnul (text, '\n') = '\0';
  fields = g_strsplit_set (text, " ", -1);
  for (guint i = 0, n = 0; fields[i] != NULL && n < 9; i++)
    {
      guint64 value;

      if (!g_ascii_string_to_unsigned (fields[i], 10, 0, G_MAXUINT64, &value, NULL))
        continue;
      n++;
      *all += value;
      /* The fourth and fifth are idle and waiting. */
      *busy += n == 4 || n == 5 ? 0 : value;
    }
}

static double
read_memory (const char *name)
{
  g_autofree char *text = NULL;
  const char *found;

  if (!g_file_get_contents ("/proc/meminfo", &text, NULL, NULL))
    return 0;
  found = strstr (text, name);
  return found != NULL ? g_ascii_strtod (found + strlen (name), NULL) / 1024 : 0;
}

static void
append_number (GString *json, const char *name, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (json, "\"%s\":%s,", name, g_ascii_dtostr (text, sizeof text, value));
}

static char *
print_sample (Sample *sample)
{
  g_autoptr (GString) json = g_string_new ("{");
  guint64 busy, all;
  double total = read_memory ("MemTotal:");

  read_processors (&busy, &all);
  append_number (json, "cpu_count", g_get_num_processors ());
  append_number (
      json, "cpu_used_pct",
      all > sample->all ? 100.0 * (double)(busy - sample->busy) / (double)(all - sample->all) : 0);
  append_number (json, "mem_total_mib", total);
  append_number (json, "mem_used_mib", total - read_memory ("MemAvailable:"));
  g_string_append_printf (json, "\"timestamp\":%" G_GINT64_FORMAT "}", g_get_real_time () / 1000);
  return g_string_free (g_steal_pointer (&json), FALSE);
}

static void
sample_free (Sample *sample)
{
  g_signal_handlers_disconnect_by_data (sample->request->message, sample);
  g_clear_handle_id (&sample->timer, g_source_remove);
  lookalike_request_unref (sample->request);
  g_free (sample);
}

static void
finished_cb (SoupServerMessage *message, Sample *sample)
{
  sample_free (sample);
}

static gboolean
sample_cb (gpointer data)
{
  Sample *sample = data;
  g_autofree char *json = NULL;
  g_autofree char *line = NULL;
  g_autoptr (GBytes) piece = NULL;

  if (!sample->watch)
    {
      json = print_sample (sample);
      sample->timer = 0;
      lookalike_request_reply_json (sample->request, SOUP_STATUS_OK, json);
      return G_SOURCE_REMOVE;
    }
  /* A pause of one interval, then one of measuring. */
  if (sample->step++ % 2 == 0)
    {
      read_processors (&sample->busy, &sample->all);
      return G_SOURCE_CONTINUE;
    }
  json = print_sample (sample);
  line = g_strconcat (json, "\n", NULL);
  piece = g_bytes_new (line, strlen (line));
  lookalike_request_send (sample->request, piece);
  return G_SOURCE_CONTINUE;
}

static void
gone_cb (gpointer request, gpointer user_data)
{
  lookalike_request_abort (request, FALSE);
}

static Sample *
start (LookalikeRequest *request, gboolean watch)
{
  Sample *sample = g_new0 (Sample, 1);

  sample->request = lookalike_request_ref (request);
  sample->watch = watch;
  read_processors (&sample->busy, &sample->all);
  sample->timer
      = g_timeout_add ((guint)MAX (request->lookalike->config.metrics_ms, 1), sample_cb, sample);
  g_signal_connect (request->message, "finished", G_CALLBACK (finished_cb), sample);
  return sample;
}

void
lookalike_execd_get_metrics (LookalikeRequest *request)
{
  start (request, FALSE);
}

void
lookalike_execd_watch_metrics (LookalikeRequest *request)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (request->message);

  start (request, TRUE);
  soup_message_headers_replace (headers, "Content-Type", "text/event-stream");
  soup_message_headers_replace (headers, "Cache-Control", "no-cache");
  soup_message_headers_replace (headers, "X-Accel-Buffering", "no");
  soup_message_headers_set_encoding (headers, SOUP_ENCODING_CHUNKED);
  lookalike_request_start_stream (request, SOUP_STATUS_OK);
  lookalike_request_watch (request, gone_cb, NULL);
}
