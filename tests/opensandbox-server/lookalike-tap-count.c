/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-tap-count.h"

#include <string.h>

enum
{
  CHUNK_SIZE,
  CHUNK_DATA,
  CHUNK_END
};

void
lookalike_tap_count_init (LookalikeTapCount *count)
{
  memset (count, 0, sizeof *count);
}

static void
end_head_line (LookalikeTapCount *count)
{
  count->line[MIN (count->line_length, sizeof count->line - 1)] = '\0';
  if (g_ascii_strncasecmp (count->line, "transfer-encoding:", 18) == 0
      && strstr (count->line, "chunked") != NULL)
    count->chunked = TRUE;
  if (count->line_length == 0)
    count->in_body = TRUE;
  count->line_length = 0;
}

static void
count_head_byte (LookalikeTapCount *count, guint8 byte)
{
  if (byte == '\n')
    {
      end_head_line (count);
      return;
    }
  if (byte == '\r')
    return;
  if (count->line_length < sizeof count->line - 1)
    count->line[count->line_length] = (char)byte;
  count->line_length++;
}

static void
count_chunk_byte (LookalikeTapCount *count, guint8 byte)
{
  if (count->chunk_state == CHUNK_DATA)
    {
      if (--count->chunk_left == 0)
        count->chunk_state = CHUNK_END;
    }
  else if (count->chunk_state == CHUNK_END)
    {
      if (byte == '\n')
        {
          count->chunks++;
          count->chunk_state = CHUNK_SIZE;
          count->chunk_left = 0;
        }
    }
  else if (g_ascii_isxdigit (byte))
    count->chunk_left = count->chunk_left * 16 + (guint64)g_ascii_xdigit_value ((char)byte);
  else if (byte == '\n' && count->chunk_left > 0)
    count->chunk_state = CHUNK_DATA;
}

static LookalikeTapVerdict
judge (const LookalikeTapCount *count, const LookalikeTapPlan *plan)
{
  if (plan->cut_response >= 0 && count->response_bytes >= plan->cut_response)
    return LOOKALIKE_TAP_CUT;
  if (!count->in_body)
    return LOOKALIKE_TAP_GO_ON;
  if (plan->cut_body >= 0 && count->body_bytes >= plan->cut_body)
    return LOOKALIKE_TAP_CUT;
  if (plan->cut_chunks >= 0 && count->chunked && count->chunks >= plan->cut_chunks)
    return LOOKALIKE_TAP_CUT;
  if (plan->stall_body >= 0 && count->body_bytes >= plan->stall_body)
    return LOOKALIKE_TAP_STALL;
  return LOOKALIKE_TAP_GO_ON;
}

gsize
lookalike_tap_count_walk (LookalikeTapCount *count, const LookalikeTapPlan *plan,
                          const guint8 *bytes, gsize size)
{
  for (gsize i = 0; i < size; i++)
    {
      count->verdict = judge (count, plan);
      if (count->verdict != LOOKALIKE_TAP_GO_ON)
        return i;
      count->response_bytes++;
      if (!count->in_body)
        {
          count_head_byte (count, bytes[i]);
          continue;
        }
      count->body_bytes++;
      if (count->chunked)
        count_chunk_byte (count, bytes[i]);
    }
  return size;
}

guint8 *
lookalike_tap_count_change_case (const LookalikeTapCount *count, const guint8 *bytes, gsize size,
                                 char header_case)
{
  const LookalikeTapPlan plan = LOOKALIKE_TAP_PLAN_INIT;
  LookalikeTapCount now = *count;
  guint8 *changed = g_memdup2 (bytes, size);
  gboolean in_name
      = now.response_bytes > 0 && memchr (now.line, ':', MIN (now.line_length, 63)) == NULL;
  gboolean first_line = now.response_bytes == 0;

  for (gsize i = 0; i < size && !now.in_body; i++)
    {
      if (bytes[i] == ':')
        in_name = FALSE;
      if (in_name && !first_line)
        changed[i] = (guint8)(header_case == 'u' ? g_ascii_toupper ((char)bytes[i])
                                                 : g_ascii_tolower ((char)bytes[i]));
      if (bytes[i] == '\n')
        {
          in_name = TRUE;
          first_line = FALSE;
        }
      lookalike_tap_count_walk (&now, &plan, bytes + i, 1);
    }
  return changed;
}
