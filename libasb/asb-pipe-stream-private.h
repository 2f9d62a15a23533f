/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The streams over a pipe. They are pollable and never use a thread of their own; an owner, if
 * there is one, lives as long as the stream. */

#pragma once

#include "asb-pipe-private.h"

typedef enum
{
  ASB_PIPE_CLOSE_AT_ONCE,
  /* Closing waits for the outcome of all that was written. Being dropped without having been closed
   * aborts, and so does cancelling the closing. */
  ASB_PIPE_CLOSE_COMMITS
} AsbPipeClose;

#define ASB_TYPE_PIPE_INPUT_STREAM (asb_pipe_input_stream_get_type ())
G_DECLARE_FINAL_TYPE (AsbPipeInputStream, asb_pipe_input_stream, ASB, PIPE_INPUT_STREAM,
                      GInputStream)

GInputStream *asb_pipe_input_stream_new (AsbPipe *pipe, GObject *owner);

#define ASB_TYPE_PIPE_OUTPUT_STREAM (asb_pipe_output_stream_get_type ())
G_DECLARE_FINAL_TYPE (AsbPipeOutputStream, asb_pipe_output_stream, ASB, PIPE_OUTPUT_STREAM,
                      GOutputStream)

GOutputStream *asb_pipe_output_stream_new (AsbPipe *pipe, AsbPipeClose close, GObject *owner);
