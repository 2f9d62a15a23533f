/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-output-pump-private.h"
#include "asb-utf8-decoder-private.h"

#define BUFFER_SIZE (64 * 1024)

typedef struct
{
  GInputStream *stream;
  AsbOutputStream which;
  const AsbOutputPumpFuncs *funcs;
  gpointer user_data;
  AsbUtf8Decoder decoder;
} AsbOutputPump;

static void read_next (AsbOutputPump *pump);

static void
deliver (AsbOutputPump *pump, GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  g_autofree char *text = NULL;

  if (size > 0)
    pump->funcs->data (pump->user_data, pump->which, bytes);
  if (!pump->funcs->wants_text (pump->user_data, pump->which))
    return;
  text = asb_utf8_decoder_feed (&pump->decoder, data, size, size == 0);
  if (text[0] != '\0')
    pump->funcs->text (pump->user_data, pump->which, text);
}

/* A piece stands at the beginning of all that was read into. Whoever keeps it, or has a collector
 * of garbage that takes its time, shall not keep the rest. */
static GBytes *
without_the_rest (GBytes *bytes)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);

  return size < BUFFER_SIZE / 2 ? g_bytes_new (data, size) : g_bytes_ref (bytes);
}

static void
end (AsbOutputPump *pump)
{
  pump->funcs->end (pump->user_data, pump->which);
  g_clear_object (&pump->stream);
  g_free (pump);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOutputPump *pump = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) whole
      = g_input_stream_read_bytes_finish (G_INPUT_STREAM (source), result, &error);
  g_autoptr (GBytes) bytes = whole ? without_the_rest (whole) : NULL;

  g_clear_pointer (&whole, g_bytes_unref);
  if (!bytes)
    {
      g_debug ("The output of a command broke off: %s", error->message);
      end (pump);
      return;
    }
  deliver (pump, bytes);
  if (g_bytes_get_size (bytes) > 0)
    read_next (pump);
  else
    end (pump);
}

static void
read_next (AsbOutputPump *pump)
{
  g_input_stream_read_bytes_async (pump->stream, BUFFER_SIZE, G_PRIORITY_DEFAULT, NULL, read_cb,
                                   pump);
}

void
asb_output_pump_start (GInputStream *stream, AsbOutputStream which, const AsbOutputPumpFuncs *funcs,
                       gpointer user_data)
{
  AsbOutputPump *pump = g_new0 (AsbOutputPump, 1);

  pump->stream = g_object_ref (stream);
  pump->which = which;
  pump->funcs = funcs;
  pump->user_data = user_data;
  read_next (pump);
}
