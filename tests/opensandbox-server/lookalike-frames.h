/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the frames of a WebSocket begin and end in the bytes that pass. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean in_head;   /* an HTTP head comes first */
  guint head_matched; /* of CR LF CR LF */
  guint8 header[14];
  guint header_length;
  guint64 payload_left;
  guint frames; /* complete ones */
  gboolean close_seen;
} LookalikeFrames;

/* Walks over bytes, but not past the end of frame @stop_after (0: to the end); how many. */
gsize lookalike_frames_walk (LookalikeFrames *self, const guint8 *bytes, gsize size,
                             guint stop_after);
gboolean lookalike_frames_is_between (const LookalikeFrames *self);

G_END_DECLS
