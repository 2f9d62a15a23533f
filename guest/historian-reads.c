/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "historian-reads.h"

/* What all reads together may have waiting for the socket. */
#define MAX_QUEUED (1024 * 1024)

static HistoryRead **
find (HistorianReads *reads, uint32_t call)
{
  HistoryRead **link = &reads->first;

  while (*link && (*link)->call != call)
    link = &(*link)->next;
  return link;
}

static void
drop (HistorianReads *reads, HistoryRead **position)
{
  HistoryRead *read = *position;

  *position = read->next;
  reads->n_reads--;
  history_read_free (read);
}

static void
reply_error (HistorianLink *link, uint32_t call, const HistoryError *error)
{
  historian_link_send_data (link, call, NULL, 0, true);
  historian_link_reply (link, call, "error", history_error_to_json (error));
}

static void
reply_result (HistorianLink *link, const HistoryRead *read)
{
  historian_link_send_data (link, read->call, NULL, 0, true);
  historian_link_reply (link, read->call, "result", history_read_result (read));
}

void
historian_reads_start (HistorianReads *reads, HistorianLink *link, HistoryStore *store,
                       HistoryReadKind kind, uint32_t call, json_t *arguments)
{
  HistoryRead **end = &reads->first;
  HistoryRead *read = NULL;
  HistoryError error;

  if (reads->n_reads >= ASB_FRAME_MAX_CALLS)
    history_error_set (&error, HISTORY_TOO_MANY_REQUESTS, "%d reads of the history are open",
                       ASB_FRAME_MAX_CALLS);
  else
    read = history_read_new (kind, call, arguments, store, &error);
  if (!read)
    {
      history_store_recover (store);
      reply_error (link, call, &error);
      return;
    }
  while (*end)
    end = &(*end)->next;
  *end = read;
  reads->n_reads++;
}

/* How much may be sent now. */
static size_t
room_for (const HistoryRead *read)
{
  size_t size = history_buffer_size ((HistoryBuffer *)&read->pending);
  uint64_t window = ASB_FRAME_WINDOW - (read->sent - read->credited);

  if (size > ASB_FRAME_MAX_DATA)
    size = ASB_FRAME_MAX_DATA;
  return size < window ? size : (size_t)window;
}

static void
send_some (HistoryRead *read, HistorianLink *link, size_t size)
{
  historian_link_send_data (link, read->call, history_buffer_bytes (&read->pending), size, false);
  history_buffer_consume (&read->pending, size);
  read->sent += size;
}

/* FALSE when the read is over. */
static bool
pump_one (HistorianReads *reads, HistoryRead *read, HistorianLink *link, HistoryStore *store)
{
  HistoryError error;

  while (historian_link_queued (link) < MAX_QUEUED)
    {
      bool is_empty = history_buffer_size (&read->pending) == 0;
      size_t room = room_for (read);

      if (is_empty && read->is_exhausted)
        {
          reply_result (link, read);
          return false;
        }
      if (!is_empty && room == 0)
        return true;
      if (!is_empty)
        send_some (read, link, room);
      else if (!history_read_page (read, store, &error))
        {
          history_store_recover (store);
          reply_error (link, read->call, &error);
          return false;
        }
      else if (history_buffer_size (&read->pending) == 0 && !read->is_exhausted)
        {
          reads->is_busy = true;
          return true;
        }
    }
  return true;
}

void
historian_reads_pump (HistorianReads *reads, HistorianLink *link, HistoryStore *store)
{
  HistoryRead **position = &reads->first;

  reads->is_busy = false;
  while (*position)
    {
      if (pump_one (reads, *position, link, store))
        position = &(*position)->next;
      else
        drop (reads, position);
    }
}

void
historian_reads_credit (HistorianReads *reads, uint32_t call, uint64_t total)
{
  HistoryRead *read = *find (reads, call);

  if (read && total > read->credited && total <= read->sent)
    read->credited = total;
}

void
historian_reads_stop (HistorianReads *reads, HistorianLink *link, uint32_t call)
{
  HistoryRead **position = find (reads, call);

  if (!*position)
    return;
  reply_result (link, *position);
  drop (reads, position);
}

void
historian_reads_cancel (HistorianReads *reads, HistorianLink *link, uint32_t call)
{
  HistoryRead **position = find (reads, call);
  HistoryError error;

  if (!*position)
    return;
  history_error_set (&error, HISTORY_CANCELLED, "The call was cancelled");
  reply_error (link, call, &error);
  drop (reads, position);
}

void
historian_reads_clear (HistorianReads *reads)
{
  while (reads->first)
    drop (reads, &reads->first);
}
