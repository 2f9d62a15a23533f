/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rows of the record as a hostile guest sends them: lines of JSON that become objects of the
 * library. The first byte says what they should be and in how large pieces they come. */

#include "fuzz.h"
#include "look.h"

#include <asb.h>

#include "asb-sandbox-lines.h"
#include "asb-sandbox-rows.h"
#include "asb-wire-json.h"
#include "asb-wire-variant-private.h"

#define MAX_LINES 64

/* A stream that never gives more at once than it is told to. */

#define TYPE_SLOW_STREAM (slow_stream_get_type ())
G_DECLARE_FINAL_TYPE (SlowStream, slow_stream, SLOW, STREAM, GMemoryInputStream)

struct _SlowStream
{
  GMemoryInputStream parent_instance;

  gsize step;
};

G_DEFINE_FINAL_TYPE (SlowStream, slow_stream, G_TYPE_MEMORY_INPUT_STREAM)

static gssize
slow_stream_read (GInputStream *stream, void *buffer, gsize count, GCancellable *cancellable,
                  GError **error)
{
  SlowStream *self = SLOW_STREAM (stream);

  return G_INPUT_STREAM_CLASS (slow_stream_parent_class)
      ->read_fn (stream, buffer, MIN (count, self->step), cancellable, error);
}

static void
slow_stream_class_init (SlowStreamClass *klass)
{
  G_INPUT_STREAM_CLASS (klass)->read_fn = slow_stream_read;
}

static void
slow_stream_init (SlowStream *self)
{
}

static GInputStream *
slow_stream_new (const uint8_t *bytes, gsize size, gsize step)
{
  SlowStream *self = g_object_new (TYPE_SLOW_STREAM, NULL);
  g_autoptr (GBytes) all = g_bytes_new_static (bytes, size);

  g_memory_input_stream_add_bytes (G_MEMORY_INPUT_STREAM (self), all);
  self->step = step;
  return G_INPUT_STREAM (self);
}

static void
done_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GAsyncResult **answer = user_data;

  *answer = g_object_ref (result);
}

static void
check_lines (GInputStream *stream, gboolean as_changes)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GError) error = NULL;
  GType type = as_changes ? ASB_TYPE_HISTORY_CHANGE : ASB_TYPE_HISTORY_OPERATION;

  asb_sandbox_lines_read_async (stream, type, MAX_LINES,
                                as_changes ? asb_sandbox_row_to_change
                                           : asb_sandbox_row_to_operation,
                                NULL, done_cb, &result);
  while (!result)
    g_main_context_iteration (NULL, TRUE);
  list = asb_sandbox_lines_read_finish (stream, result, &error);
  FUZZ_CHECK ((list == NULL) == (error != NULL));
  FUZZ_CHECK (!error || g_error_matches (error, ASB_ERROR, ASB_ERROR_PROTOCOL));
  FUZZ_CHECK (!list || g_list_model_get_n_items (list) <= MAX_LINES);
  for (guint i = 0; list && i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (GObject) object = g_list_model_get_object (list, i);

      fuzz_look_at (object);
    }
}

/* What comes as JSON goes back as the same JSON. */
static void
check_variant (const uint8_t *bytes, gsize size)
{
  const char *reason = NULL;
  g_autoptr (json_t) json = asb_wire_json_parse (bytes, size, &reason);
  g_autoptr (GVariant) variant = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) back = NULL;

  if (!json)
    return;
  variant = asb_wire_variant_from_json (json, &error);
  if (!variant)
    {
      FUZZ_CHECK (g_error_matches (error, ASB_ERROR, ASB_ERROR_PROTOCOL));
      return;
    }
  g_variant_ref_sink (variant);
  FUZZ_CHECK (g_variant_is_normal_form (variant));
  FUZZ_CHECK (g_variant_is_of_type (variant, G_VARIANT_TYPE_VARDICT));
  back = asb_wire_variant_to_json (variant, &error);
  FUZZ_CHECK (back && json_equal (json, back));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, data + size };
  uint8_t choice = fuzz_take_byte (&input);
  g_autoptr (GInputStream) stream
      = slow_stream_new (input.at, fuzz_left (&input), (choice >> 1) * 16 + 1);

  check_lines (stream, choice & 1);
  check_variant (input.at, fuzz_left (&input));
  return 0;
}
