/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-holes-private.h"

#include <unistd.h>

/* Where there are more, what is behind counts as one piece. */
#define MAX_PIECES 1024

/* The next piece from @at on; FALSE when only a hole is left. What changes meanwhile, whoever reads
 * the bytes notices. */
static gboolean
find_piece (int fd, guint64 at, guint64 size, AsbTarPiece *piece)
{
  off_t start = at < size ? lseek (fd, (off_t)at, SEEK_DATA) : -1;
  off_t end;

  if (start < 0 || (guint64)start < at || (guint64)start >= size)
    return FALSE;
  end = lseek (fd, start, SEEK_HOLE);
  *piece = (AsbTarPiece){ (guint64)start, size };
  if (end > start && (guint64)end < size)
    piece->end = (guint64)end;
  return TRUE;
}

static void
find_pieces (GArray *pieces, int fd, guint64 size)
{
  AsbTarPiece piece = { 0 };

  while (pieces->len < MAX_PIECES && find_piece (fd, piece.end, size, &piece))
    {
      if (pieces->len == MAX_PIECES - 1)
        piece.end = size;
      g_array_append_val (pieces, piece);
    }
  if (piece.end == size && pieces->len > 0)
    return;
  /* One without bytes says where it ends. */
  piece = (AsbTarPiece){ size, size };
  g_array_append_val (pieces, piece);
}

GArray *
asb_upload_holes_find (int fd, const struct stat *status)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (AsbTarPiece));
  guint64 size = (guint64)status->st_size;
  AsbTarPiece all = { 0, size };

  if ((guint64)status->st_blocks * 512 < size)
    find_pieces (pieces, fd, size);
  else
    g_array_append_val (pieces, all);
  lseek (fd, 0, SEEK_SET);
  return pieces;
}
