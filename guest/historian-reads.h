/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The reads that are under way, fed as their readers give credit. */

#pragma once

#include "historian-link.h"
#include "history-read.h"
#include "history-watch.h"

typedef struct
{
  HistoryRead *first;
  size_t n_reads;

  /* Runs while a read waits, so that what others write is noticed. */
  HistoryWatch watch;

  /* When those that wait look again, unless they are told before; 0: never. How long that was after
   * the last look. */
  int64_t next_look;
  int64_t pause;

  /* Whether one of them has more to do before it can send anything. */
  bool is_busy;
} HistorianReads;

void historian_reads_init (HistorianReads *reads);

void historian_reads_start (HistorianReads *reads, HistorianLink *link, HistoryStore *store,
                            HistoryReadKind kind, uint32_t call, json_t *arguments);

/* Until when nothing has to be looked at again for those that wait. */
int64_t historian_reads_due (const HistorianReads *reads);

/* Produces what the windows and the queue have room for. @has_written: something may be new. */
void historian_reads_pump (HistorianReads *reads, HistorianLink *link, HistoryStore *store,
                           bool has_written);

/* The reader has consumed so many bytes; wants no more of them; wants no result either. */
void historian_reads_credit (HistorianReads *reads, uint32_t call, uint64_t total);
void historian_reads_stop (HistorianReads *reads, HistorianLink *link, uint32_t call);
void historian_reads_cancel (HistorianReads *reads, HistorianLink *link, uint32_t call);

void historian_reads_clear (HistorianReads *reads);
