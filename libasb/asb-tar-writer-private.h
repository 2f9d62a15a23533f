/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The headers of a tar, in the format pax. */

#pragma once

#include <glib.h>

#define ASB_TAR_BLOCK 512

typedef enum
{
  ASB_TAR_FILE = '0',
  ASB_TAR_LINK = '2',
  ASB_TAR_DIRECTORY = '5'
} AsbTarKind;

/* Bytes of a file that are no hole. */
typedef struct
{
  guint64 start;
  guint64 end;
} AsbTarPiece;

typedef struct
{
  AsbTarKind kind;
  const char *path;
  const char *link; /* (nullable): where it leads */
  guint64 size;
  const AsbTarPiece *pieces; /* (nullable): only these follow, as GNU tar has it */
  guint n_pieces;
  guint mode;
  gint64 seconds; /* of the time of modification */
  guint nanoseconds;
  const char *hash; /* (nullable): SHA-256 of its bytes, for whoever unpacks it */
} AsbTarMember;

/* Adds what stands before the bytes of the member, where they are among them. */
void asb_tar_append_header (GByteArray *tar, const AsbTarMember *member);
/* … and behind @size bytes of it. */
void asb_tar_append_padding (GByteArray *tar, guint64 size);
void asb_tar_append_end (GByteArray *tar);
