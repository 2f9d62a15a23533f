/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frames of docs/guest-protocol.md §1: each type, and each field at its bounds. */

#include <glib.h>
#include <string.h>

#include "asb-frame.h"

#define MAX_SEQUENCE ((G_GUINT64_CONSTANT (1) << 53) - 1)

typedef struct
{
  AsbFrameType type;
  const char *name;
  gboolean numbered;
  gboolean has_call;
  gboolean has_channel;
  guint32 min_length;
  guint32 max_length;
} Kind;

static const Kind KINDS[] = {
  { ASB_FRAME_CALL, "call", TRUE, TRUE, FALSE, 0, 1048576 },
  { ASB_FRAME_REPLY, "reply", TRUE, TRUE, FALSE, 0, 1048576 },
  { ASB_FRAME_EVENT, "event", TRUE, TRUE, FALSE, 0, 1048576 },
  { ASB_FRAME_DATA, "data", TRUE, TRUE, TRUE, 0, 65536 },
  { ASB_FRAME_CANCEL, "cancel", TRUE, TRUE, FALSE, 0, 0 },
  { ASB_FRAME_STOP, "stop", TRUE, TRUE, TRUE, 0, 0 },
  { ASB_FRAME_HELLO, "hello", FALSE, FALSE, FALSE, 0, 1048576 },
  { ASB_FRAME_ACK, "ack", FALSE, FALSE, FALSE, 8, 8 },
  { ASB_FRAME_CREDIT, "credit", FALSE, TRUE, TRUE, 8, 8 },
  { ASB_FRAME_PING, "ping", FALSE, FALSE, FALSE, 0, 64 },
  { ASB_FRAME_PONG, "pong", FALSE, FALSE, FALSE, 0, 64 },
  { ASB_FRAME_GOODBYE, "goodbye", FALSE, FALSE, FALSE, 0, 1048576 },
};

static AsbFrameHeader
valid_header (const Kind *kind)
{
  return (AsbFrameHeader){ .length = kind->min_length,
                           .type = (guint8)kind->type,
                           .call = kind->has_call ? 1 : 0,
                           .sequence = kind->numbered ? 1 : 0 };
}

/* The bytes are in a block of their own size, so that a checker of memory sees who reads on. */
static AsbFrameStatus
parse_bytes (const guint8 *bytes, gsize size, AsbFrameHeader *header)
{
  g_autofree guint8 *copy = g_memdup2 (bytes, size);
  const char *reason = NULL;
  AsbFrameStatus status = asb_frame_parse (copy, size, header, &reason);

  g_assert_cmpint (status == ASB_FRAME_INVALID, ==, reason != NULL);
  return status;
}

/* With nothing but the header there. */
static AsbFrameStatus
parse_header (const AsbFrameHeader *header)
{
  guint8 bytes[ASB_FRAME_HEADER_SIZE];
  AsbFrameHeader parsed;

  asb_frame_header_write (header, bytes);
  return parse_bytes (bytes, sizeof bytes, &parsed);
}

static void
assert_accepted (const AsbFrameHeader *header)
{
  g_assert_cmpint (parse_header (header), ==,
                   header->length == 0 ? ASB_FRAME_OK : ASB_FRAME_NEED_MORE);
}

static void
assert_refused (const AsbFrameHeader *header)
{
  g_assert_cmpint (parse_header (header), ==, ASB_FRAME_INVALID);
}

static void
assert_refused_if (gboolean refused, const AsbFrameHeader *header)
{
  if (refused)
    assert_refused (header);
  else
    assert_accepted (header);
}

static void
test_layout (void)
{
  static const guint8 expected[ASB_FRAME_HEADER_SIZE]
      = { 0x00, 0x00, 0x12, 0x34, 4,    1,    0x00, 0x02, 0xA1, 0xB2,
          0xC3, 0xD4, 0x00, 0x1F, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07 };
  AsbFrameHeader header = { .length = 0x1234,
                            .type = ASB_FRAME_DATA,
                            .flags = ASB_FRAME_FLAG_FIN,
                            .channel = 2,
                            .call = 0xA1B2C3D4,
                            .sequence = G_GUINT64_CONSTANT (0x1F020304050607) };
  guint8 bytes[ASB_FRAME_HEADER_SIZE];

  asb_frame_header_write (&header, bytes);
  g_assert_cmpmem (bytes, sizeof bytes, expected, sizeof expected);
}

static void
test_types (void)
{
  for (guint type = 0; type <= G_MAXUINT8; type++)
    {
      const Kind *kind = NULL;
      AsbFrameHeader header = { .type = (guint8)type };

      for (gsize i = 0; i < G_N_ELEMENTS (KINDS); i++)
        if ((guint)KINDS[i].type == type)
          kind = &KINDS[i];
      g_assert_cmpint (asb_frame_type_is_numbered ((guint8)type), ==, kind && kind->numbered);
      if (kind)
        header = valid_header (kind);
      assert_refused_if (!kind, &header);
    }
}

static void
test_lengths (gconstpointer data)
{
  const Kind *kind = data;
  const guint32 lengths[]
      = { 0, 1, 7, 8, 9, 63, 64, 65, 65535, 65536, 65537, 1048575, 1048576, 1048577, G_MAXUINT32 };
  AsbFrameHeader header = valid_header (kind);

  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      header.length = lengths[i];
      assert_refused_if (lengths[i] < kind->min_length || lengths[i] > kind->max_length, &header);
    }
}

static void
test_flags (gconstpointer data)
{
  const Kind *kind = data;
  AsbFrameHeader header = valid_header (kind);

  for (guint flags = 0; flags <= G_MAXUINT8; flags++)
    {
      gboolean fits = flags == 0 || (kind->type == ASB_FRAME_DATA && flags == ASB_FRAME_FLAG_FIN);

      header.flags = (guint8)flags;
      assert_refused_if (!fits, &header);
    }
}

static void
test_channels (gconstpointer data)
{
  const Kind *kind = data;
  AsbFrameHeader header = valid_header (kind);

  for (guint channel = 0; channel <= G_MAXUINT16; channel++)
    {
      header.channel = (guint16)channel;
      assert_refused_if (channel >= (kind->has_channel ? 3 : 1), &header);
    }
}

static void
test_calls (gconstpointer data)
{
  const Kind *kind = data;
  AsbFrameHeader header = valid_header (kind);

  for (guint bit = 0; bit < 32; bit++)
    {
      header.call = 1u << bit;
      assert_refused_if (!kind->has_call, &header);
    }
  header.call = G_MAXUINT32;
  assert_refused_if (!kind->has_call, &header);
  header.call = 0;
  assert_refused_if (kind->has_call, &header);
}

static void
test_sequences (gconstpointer data)
{
  const Kind *kind = data;
  const guint64 beyond[] = { MAX_SEQUENCE + 1, G_GUINT64_CONSTANT (1) << 63, G_MAXUINT64 };
  AsbFrameHeader header = valid_header (kind);

  for (guint bit = 0; bit < 53; bit++)
    {
      header.sequence = G_GUINT64_CONSTANT (1) << bit;
      assert_refused_if (!kind->numbered, &header);
    }
  header.sequence = MAX_SEQUENCE;
  assert_refused_if (!kind->numbered, &header);
  header.sequence = 0;
  assert_refused_if (kind->numbered, &header);
  for (gsize i = 0; i < G_N_ELEMENTS (beyond); i++)
    {
      header.sequence = beyond[i];
      assert_refused (&header);
    }
}

/* A frame that is not there as a whole asks for more at each byte, whatever its first bytes are. */
static void
test_truncated (gconstpointer data)
{
  const Kind *kind = data;
  AsbFrameHeader header = valid_header (kind);
  guint8 bytes[ASB_FRAME_HEADER_SIZE + 64] = { 0 };
  AsbFrameHeader parsed;
  gsize size;

  header.length = MIN (kind->max_length, 64);
  size = ASB_FRAME_HEADER_SIZE + header.length;
  asb_frame_header_write (&header, bytes);
  for (gsize cut = 0; cut < size; cut++)
    g_assert_cmpint (parse_bytes (bytes, cut, &parsed), ==, ASB_FRAME_NEED_MORE);
  g_assert_cmpint (parse_bytes (bytes, size, &parsed), ==, ASB_FRAME_OK);
  /* What follows belongs to the next. */
  g_assert_cmpint (parse_bytes (bytes, sizeof bytes, &parsed), ==, ASB_FRAME_OK);
}

static void
test_garbage_is_refused_when_the_header_is_there (void)
{
  guint8 bytes[ASB_FRAME_HEADER_SIZE];
  AsbFrameHeader header;

  memset (bytes, 0xFF, sizeof bytes);
  for (gsize cut = 0; cut < sizeof bytes; cut++)
    g_assert_cmpint (parse_bytes (bytes, cut, &header), ==, ASB_FRAME_NEED_MORE);
  g_assert_cmpint (parse_bytes (bytes, sizeof bytes, &header), ==, ASB_FRAME_INVALID);
}

static void
assert_round_trip (const AsbFrameHeader *header)
{
  g_autofree guint8 *bytes = g_malloc0 (ASB_FRAME_HEADER_SIZE + (gsize)header->length);
  AsbFrameHeader parsed;
  const char *reason;

  asb_frame_header_write (header, bytes);
  g_assert_cmpint (
      asb_frame_parse (bytes, ASB_FRAME_HEADER_SIZE + (gsize)header->length, &parsed, &reason), ==,
      ASB_FRAME_OK);
  g_assert_cmpuint (parsed.length, ==, header->length);
  g_assert_cmpuint (parsed.type, ==, header->type);
  g_assert_cmpuint (parsed.flags, ==, header->flags);
  g_assert_cmpuint (parsed.channel, ==, header->channel);
  g_assert_cmpuint (parsed.call, ==, header->call);
  g_assert_cmpuint (parsed.sequence, ==, header->sequence);
}

static void
test_round_trip (gconstpointer data)
{
  const Kind *kind = data;
  AsbFrameHeader header = valid_header (kind);

  assert_round_trip (&header);
  header.length = kind->max_length;
  header.flags = kind->type == ASB_FRAME_DATA ? ASB_FRAME_FLAG_FIN : 0;
  header.channel = kind->has_channel ? 2 : 0;
  header.call = kind->has_call ? G_MAXUINT32 : 0;
  header.sequence = kind->numbered ? MAX_SEQUENCE : 0;
  assert_round_trip (&header);
}

static void
test_counts (void)
{
  static const guint8 expected[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  guint8 bytes[8];

  asb_frame_count_write (G_GUINT64_CONSTANT (0x0102030405060708), bytes);
  g_assert_cmpmem (bytes, sizeof bytes, expected, sizeof expected);
  for (guint bit = 0; bit < 64; bit++)
    {
      asb_frame_count_write (G_GUINT64_CONSTANT (1) << bit, bytes);
      g_assert_cmpuint (asb_frame_count_read (bytes), ==, G_GUINT64_CONSTANT (1) << bit);
    }
  asb_frame_count_write (G_MAXUINT64, bytes);
  g_assert_cmpuint (asb_frame_count_read (bytes), ==, G_MAXUINT64);
}

static void
add_for_each_kind (const char *name, GTestDataFunc test)
{
  for (gsize i = 0; i < G_N_ELEMENTS (KINDS); i++)
    {
      g_autofree char *path = g_strdup_printf ("/frame/%s/%s", name, KINDS[i].name);

      g_test_add_data_func (path, &KINDS[i], test);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/frame/layout", test_layout);
  g_test_add_func ("/frame/types", test_types);
  g_test_add_func ("/frame/garbage", test_garbage_is_refused_when_the_header_is_there);
  g_test_add_func ("/frame/counts", test_counts);
  add_for_each_kind ("lengths", test_lengths);
  add_for_each_kind ("flags", test_flags);
  add_for_each_kind ("channels", test_channels);
  add_for_each_kind ("calls", test_calls);
  add_for_each_kind ("sequences", test_sequences);
  add_for_each_kind ("truncated", test_truncated);
  add_for_each_kind ("round-trip", test_round_trip);
  return g_test_run ();
}
