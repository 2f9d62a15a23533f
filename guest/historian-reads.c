/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "historian-reads.h"

#include "history-time.h"

/* Others write to the log first, which the kernel tells; what they wrote counts once they have said
 * so in shared memory, which it does not tell. So it is looked again after this time, twice as long
 * after that, and so on. */
#define FIRST_LOOK INT64_C (2000000)
#define LAST_LOOK INT64_C (1000000000)

/* What all reads together may have waiting for the socket. */
#define MAX_QUEUED (1024 * 1024)

void
historian_reads_init (HistorianReads *reads)
{
  *reads = (HistorianReads){ 0 };
  history_watch_init (&reads->watch);
}

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

static bool
some_wait (const HistorianReads *reads)
{
  for (const HistoryRead *read = reads->first; read; read = read->next)
    if (read->wait_until)
      return true;
  return false;
}

int64_t
historian_reads_due (const HistorianReads *reads)
{
  int64_t due = INT64_MAX;

  for (const HistoryRead *read = reads->first; read; read = read->next)
    if (read->wait_until && read->wait_until < due)
      due = read->wait_until;
  return reads->next_look && reads->next_look < due ? reads->next_look : due;
}

static void
look_after (HistorianReads *reads, int64_t pause)
{
  reads->pause = pause;
  reads->next_look = pause > 0 ? history_time_monotonic () + pause : 0;
}

/* What is written before the watch stands is seen by looking once it does. Where there is none to
 * be had, it is looked now and then. */
static void
begin_to_watch (HistorianReads *reads, const HistoryStore *store)
{
  look_after (reads, history_watch_start (&reads->watch, store->files.directory) ? 0 : LAST_LOOK);
}

/* Whether those that wait should look again. */
static bool
notice_writing (HistorianReads *reads, const HistoryStore *store, bool has_written)
{
  const bool is_told = history_watch_take (&reads->watch);

  if (!some_wait (reads))
    {
      history_watch_stop (&reads->watch);
      look_after (reads, 0);
      return false;
    }
  if (!history_watch_is_running (&reads->watch))
    {
      begin_to_watch (reads, store);
      return true;
    }
  if (is_told)
    look_after (reads, FIRST_LOOK);
  else if (reads->next_look && history_time_monotonic () >= reads->next_look)
    look_after (reads, reads->pause < LAST_LOOK ? 2 * reads->pause : 0);
  else
    return has_written;
  return true;
}

/* FALSE on errors. */
static bool
look_again (HistoryRead *read, HistoryStore *store, bool has_written, HistoryError *error)
{
  if (!read->wait_until || (!has_written && history_time_monotonic () < read->wait_until))
    return true;
  return history_read_look_again (read, store, error);
}

/* Returns: FALSE, for a read that is over by it */
static bool
fail (HistorianLink *link, const HistoryRead *read, HistoryStore *store, const HistoryError *error)
{
  history_store_recover (store);
  reply_error (link, read->call, error);
  return false;
}

/* FALSE when the read is over. */
static bool
pump_one (HistorianReads *reads, HistoryRead *read, HistorianLink *link, HistoryStore *store,
          bool has_written)
{
  HistoryError error;

  if (!look_again (read, store, has_written, &error))
    return fail (link, read, store, &error);
  while (!read->wait_until && historian_link_queued (link) < MAX_QUEUED)
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
        return fail (link, read, store, &error);
      else if (history_buffer_size (&read->pending) == 0 && !read->is_exhausted)
        {
          reads->is_busy = true;
          return true;
        }
    }
  return true;
}

void
historian_reads_pump (HistorianReads *reads, HistorianLink *link, HistoryStore *store,
                      bool has_written)
{
  HistoryRead **position = &reads->first;

  reads->is_busy = false;
  has_written = notice_writing (reads, store, has_written);
  while (*position)
    {
      if (pump_one (reads, *position, link, store, has_written))
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
  history_watch_clear (&reads->watch);
}
